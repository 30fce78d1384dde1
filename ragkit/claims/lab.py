"""What experiments share: studies that are made once, and figures of outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from ragkit import compare, evaluate, metrics, stats
from ragkit.claims.claim import Figure
from ragkit.forms import kin
from ragkit.records import Outcome
from ragkit.resample import auroc_interval
from ragkit.study import Study
from ragkit.system import System
from ragkit.systems import SYSTEMS

Files = Sequence[tuple[str, str]]
OURS: Files = (
    ("kestrel", "kestrel"), ("kestrel", "kestrel-probes"), ("clinic", "clinic"), ("clinic", "clinic-probes"),
    ("sdk", "sdk"), ("sdk", "sdk-probes"),
)  # fmt: skip


@cache
def study(corpus: str = "kestrel", golden: str = "kestrel-probes") -> Study:
    """A corpus of ours with one of its golden files; its outcomes have verdicts alone (`Study.outcomes`)."""
    return Study(corpus, golden)


@cache
def judged(system: System, corpus: str = "kestrel", golden: str = "kestrel-probes") -> tuple[Outcome, ...]:
    """The outcomes of a system with all that is judged of what it says, one a golden row."""
    known = study(corpus, golden)
    ask = known.bot(system).ask_all
    return tuple(evaluate.run(ask, known.rows, system=system.name, k=system.k, same=kin))


def everywhere(system: System) -> list[Outcome]:
    """The judged outcomes of a system on every golden file of ours."""
    return [outcome for corpus, golden in OURS for outcome in judged(system, corpus, golden)]


def verdicts(system: System, files: Files = OURS) -> list[Outcome]:
    """The outcomes of a system on some golden files, with their verdicts alone."""
    return [outcome for file in files for outcome in study(*file).outcomes(system)]


def errors(label: str, outcomes: Sequence[Outcome]) -> dict[str, object]:
    """A row with both kinds of error, as `error_figures.two_errors` draws it."""
    false_answers, false_refusals = metrics.false_answers(outcomes), metrics.false_refusals(outcomes)
    return {"label": label, "false answers": false_answers, "false refusals": false_refusals}


def within(outcomes: Sequence[Outcome], *categories: str, answerable: bool | None = None) -> list[Outcome]:
    """The outcomes of some strata, of one label where it is given."""
    return [
        o for o in outcomes if o.golden.category in categories and answerable in (None, o.golden.answerable)
    ]  # fmt: skip


def area(answerable: Sequence[float], unanswerable: Sequence[float]) -> Figure:
    """AUROC with its stratified bootstrap interval, over all questions."""
    low, high = auroc_interval(answerable, unanswerable)
    return Figure(stats.auroc(answerable, unanswerable), low, high, len(answerable) + len(unanswerable))


def change(before: Sequence[bool], after: Sequence[bool]) -> Figure:
    """How much larger the share of true is after than before, on the same questions (Newcombe's paired interval)."""
    pairs = list(zip(before, after, strict=True))
    counts: list[Any] = [pairs.count(pair) for pair in ((True, True), (False, True), (True, False), (False, False))]
    value, low, high = compare.newcombe_paired(*counts)
    return Figure(value, low, high, len(pairs))


PUBLISHED = SYSTEMS["coverage"]  # the published gate with the values its text and repository state
