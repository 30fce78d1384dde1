"""The published designs side by side as they are: what their parts rest on, and what they get wrong on our questions.

All rows are asked of all systems. What is chosen is chosen on other questions than it is judged on, and no answer here
is written by a model.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from ragkit import compare, corpus, cost, evaluate, metrics
from ragkit.chunk import Headings
from ragkit.forms import kin, rows
from ragkit.metrics import false_answers, false_refusals
from ragkit.records import ANSWER, REFUSE, Answer, BadInput, Golden, Outcome, Rate, Verdict
from ragkit.scripted import Fabricator, Faithful, MarkerBender, NumberBender, SumMaker
from ragkit.studies.experiment import Row
from ragkit.study import Study
from ragkit.system import Bot, System
from ragkit.systems import SYSTEMS
from ragkit.text import Analyzer
from ragkit.written import Writer, by

PARTS = ("chunker", "normaliser", "retriever", "k", "gate", "reranker", "answerer", "checks", "versions", "ingest")
SOURCES = ("stated", "public", "assumed")
VERSIONED = ("Pinned", "InForce", "ByVersion", "Dated")  # parts that know of versions
DESIGNS = tuple(SYSTEMS[n] for n in ("coverage", "coverage-hybrid", "cited", "front-desk", "cosine", "threshold"))
OURS = SYSTEMS["passage"]
LAZY = (SYSTEMS["always-answer"], SYSTEMS["always-refuse"])
ORACLE = replace(SYSTEMS["always-refuse"], name="oracle (not a system)")  # never asked: its outcomes are the labels
COMPARED = (*DESIGNS, OURS, *LAZY, ORACLE)
ERRORS = (("false answers", false_answers, False), ("false refusals", false_refusals, True))

Studies = Sequence[Study]


def cards(system: System) -> list[Row]:
    """The card of a design: each part with the value it has here, what that rests on (one of SOURCES) and a note."""
    noted = defaultdict(list)
    for name, part, source, note in rows("cards.csv"):
        noted[name, part].append((source, note))
    found = [(part, n, *each) for part in PARTS for n, each in enumerate(noted[system.name, part])]
    return [
        {"system": system.name, "part": part, "value": _value(system, part) if n == 0 else "", "rests on": source,
         "note": note} for part, n, source, note in found
    ]  # fmt: skip


def _value(system: System, part: str) -> str:
    field = {"normaliser": "analyzer", "gate": "gates"}.get(part, part)
    if part == "ingest":
        return "corpus.read"
    if part != "versions":
        return repr(getattr(system, field))
    names = (type(each).__name__ for each in (system.retriever, system.answerer))
    return ", ".join(name for name in names if name in VERSIONED) or "none"


def resting(systems: Iterable[System] = DESIGNS) -> list[Row]:
    """How many notes of each card tell what is stated, public and assumed, and the parts that are assumed whole."""
    found = []
    for system, card in ((each, cards(each)) for each in systems):
        told = {part: {row["rests on"] for row in card if row["part"] == part} for part in PARTS}
        counts = Counter(row["rests on"] for row in card)
        whole = ", ".join(part for part in PARTS if told[part] == {"assumed"})
        found.append({"system": system.name, **{s: counts[s] for s in SOURCES}, "assumed whole": whole})
    return found


# The questions, and what systems make of them.


def studies(names: str) -> tuple[Study, ...]:
    """Golden files by name with commas between, each with the corpus that it is named for."""
    return tuple(Study(name.split("-")[0], name) for name in names.replace(" ", "").split(","))


def by_corpus(asked: Studies) -> dict[str, list[Study]]:
    """The studies of each corpus."""
    names = dict.fromkeys(study.folder.name for study in asked)
    return {name: [study for study in asked if study.folder.name == name] for name in names}


def outcomes(system: System, asked: Studies) -> list[Outcome]:
    """What a system makes of all questions, judged; of ORACLE the labels themselves."""
    return [outcome for study in asked for outcome in _judged(system, study)]


def runs(asked: Studies, systems: Iterable[System] = COMPARED[:-1]) -> dict[str, list[Outcome]]:
    """The outcomes of each system but the oracle by its name, as `cost` takes them."""
    return {system.name: outcomes(system, asked) for system in systems}


def least_costly(asked: Studies) -> list[Row]:
    """For each corpus, and for all questions, which system costs least from which cost of a false answer on."""
    parts = {**by_corpus(asked), "all": asked}.items()
    return [{"corpus": name, "told": cost.statement(cost.lines(runs(part)))} for name, part in parts]


@cache
def _judged(system: System, study: Study) -> tuple[Outcome, ...]:
    if system == ORACLE:
        return tuple(map(_labelled, study.rows))
    ask = bot(system, study).ask_all
    return tuple(evaluate.run(ask, study.rows, system=system.name, k=system.k, same=kin))


def _labelled(row: Golden) -> Outcome:
    refused = Verdict("label", next(iter(row.concepts), ""), "the label says so")
    answer = Answer(row.question, ANSWER) if row.answerable else Answer(row.question, REFUSE, verdict=refused)
    return Outcome(ORACLE.name, row, answer, reason_right=None if row.answerable or not row.concepts else True)


def bot(system: System, study: Study) -> Bot:
    """The system on the study's corpus, which is cut only once by a chunker and an analyzer."""
    return Bot(system, _cut(study.folder, system.chunker, system.analyzer))


_cut = cache(corpus.index.__wrapped__)  # keeps all of them


# Verdicts.


def strata(asked: Studies, systems: Iterable[System] = COMPARED) -> list[Row]:
    """What each system gets wrong in each stratum of each corpus, and over all of it; the two errors apart."""
    systems, found = list(systems), []
    for name, here in by_corpus(asked).items():
        made = runs(here, systems)
        kinds = sorted({row.category for study in here for row in study.rows}, key=lambda kind: (len(kind), kind))
        for kind in (*kinds, "all"):
            some = {n: [o for o in each if kind in ("all", o.golden.category)] for n, each in made.items()}
            for label, measure, _ in ERRORS:
                rates = {n: measure(each) for n, each in some.items()}
                if any(rate.of for rate in rates.values()):
                    found.append({"corpus": name, "stratum": kind, "error": label, **rates})
    return found


def both(asked: Studies, systems: Iterable[System] = COMPARED) -> list[Row]:
    """Both errors of each system over all questions, and how far above chance it is (Youden's J with the limits of
    Newcombe's method 10): the points by which it answers more of the answerable than of the unanswerable ones."""
    found = []
    for name, made in runs(asked, systems).items():
        kept, let = metrics.right_answers(made), false_answers(made)
        chance = Change(*(100 * each for each in compare.newcombe(kept.hits, kept.of, let.hits, let.of)))
        errors = {label: measure(made) for label, measure, _ in ERRORS}
        found.append({"label": name, **errors, "points above chance": chance})
    return found


@dataclass(frozen=True)
class Change:
    """How many points of a hundred a share is higher than on the same questions before (Newcombe 1998, paired)."""

    points: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{_signed(self.points)} ({_signed(self.low)} to {_signed(self.high)})"


def _signed(points: float) -> str:
    return "n/a" if math.isnan(points) else f"{round(points):+d}" if round(points) else "0"


def change(before: Sequence[bool], after: Sequence[bool]) -> Change:
    """See `Change`.

    >>> print(change([True] * 38 + [False] * 12, [True] * 36 + [False] * 2 + [True] * 12))
    +20 (+6 to +34)
    """
    pairs = Counter(zip(after, before, strict=True))
    counts = (pairs[True, True], pairs[True, False], pairs[False, True], pairs[False, False])
    return Change(*(100 * each for each in compare.newcombe_paired(*counts)))


def moved(made: Sequence[Outcome], native: Sequence[Outcome]) -> Row:
    """Both errors of a system, and how many points they are more than those of another on the same questions."""
    found: Row = {}
    for label, measure, answerable in ERRORS:
        moved = "" if made is native else change(wrong(native, answerable), wrong(made, answerable))
        found |= {label: measure(made), f"{label}, points more": moved}
    return found


def wrong(made: Sequence[Outcome], answerable: bool) -> list[bool]:
    """Whether each outcome of one label is wrong; a failed row is bad input, for it is nobody's gain."""
    if failed := metrics.errors(made):
        raise BadInput(f"{failed[0]}: the system failed on it; a comparison needs every row")
    return [o.right is False for o in made if o.golden.answerable is answerable]


def against(asked: Studies, systems: Iterable[System] = COMPARED, *, other: System = OURS) -> list[Row]:
    """Each system but the oracle against one other on the same questions, each error by itself: the exact McNemar p,
    and the same corrected (Holm) for all the comparisons of the table."""
    found: list[Row] = []
    for name, here in by_corpus(asked).items():
        for system in (each for each in systems if each not in (other, ORACLE)):
            mine, theirs = outcomes(system, here), outcomes(other, here)
            for label, _, answerable in ERRORS:
                a, b = wrong(mine, answerable), wrong(theirs, answerable)
                flips = Counter(zip(a, b, strict=True))
                only_it, only_other = flips[True, False], flips[False, True]
                found.append({
                    "corpus": name, "system": system.name, "error": label, "wrong": Rate(sum(a), len(a)),
                    f"{other.name} wrong": Rate(sum(b), len(b)), "points more": change(b, a),
                    "only it": only_it, f"only {other.name}": only_other,
                    "p": compare.mcnemar_exact(only_it, only_other),
                })  # fmt: skip
    corrected = compare.holm([row["p"] for row in found])  # type: ignore[misc]
    return [{**row, "p": _p(row["p"]), "p (Holm)": _p(p)} for row, p in zip(found, corrected, strict=True)]


def _p(p: object) -> str:
    assert isinstance(p, float)
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


def reasons(asked: Studies, systems: Iterable[System] = COMPARED) -> list[Row]:
    """Whether refusals are right for the right reason: where the row has one, naming it is part of being right."""
    found = []
    for system in systems:
        made = [o for o in outcomes(system, asked) if not o.golden.answerable and o.golden.concepts]
        found.append({
            "system": system.name, "refused, of those with a reason": metrics.right_refusals(made),
            "names it, of the refused": metrics.reason_right(made),
            "refused and names it": Rate(sum(o.reason_right is True for o in made), len(made)),
        })  # fmt: skip
    return found


# What is said, and what a check withholds.


def answers(asked: Studies, systems: Iterable[System] = (*DESIGNS, OURS, *LAZY)) -> list[Row]:
    """What is said to answerable questions: the facts, the source, and quotes as they stand in what was retrieved."""
    found = []
    for system in systems:
        made = [(study, o) for study in asked for o in _judged(system, study) if o.golden.answerable]
        said = [(study, o) for study, o in made if o.answer.outcome == ANSWER]
        known = [o for _, o in made if o.golden.facts]
        cited = [_cites(o, study) for study, o in said if o.golden.sources]
        found.append({
            "system": system.name, "answered": Rate(len(said), len(made)),
            "facts right, of the answered": metrics.correctness([o for _, o in said]),
            "of all with facts": Rate(sum(o.correct is True for o in known), len(known)),
            "quotes the source": Rate(sum(cited), len(cited)),
            "quotes to the letter": Rate(sum(o.supported == len(o.answer.citations) for _, o in said), len(said)),
        })  # fmt: skip
    return found


def _cites(outcome: Outcome, study: Study) -> bool:
    """Whether a quote begins in a section that the row names; that a window reaches into it is not enough."""
    places = _sections(study.folder)
    named = {name for c in outcome.answer.citations for name in (c.chunk.file, *places.get((c.chunk.file, c.line), ()))}
    return not named.isdisjoint(outcome.golden.sources)


@cache
def _sections(folder: corpus.Folder) -> dict[tuple[str, int], tuple[str, ...]]:
    """The `file#anchor` that each line of each file stands below."""
    chunks = _cut(folder, Headings(), Analyzer()).all_chunks
    return {(c.file, n): c.sections for c in reversed(chunks) for n in range(c.lines[0], c.lines[1] + 1)}


WRITERS: tuple[Writer, ...] = (
    Faithful(), MarkerBender(), Fabricator(), Fabricator("[1]"), NumberBender(), SumMaker(),
)  # fmt: skip


def withheld(asked: Studies, system: System = SYSTEMS["cited"], writers: Sequence[Writer] = WRITERS) -> list[Row]:
    """What the checks of a design withhold of its quotes and of what scripts write; what `Faithful` says is sound."""
    honest, found = [_draft(o) for o in outcomes(_by(system, Faithful()), asked)], []
    for label, one in (("its own quotes", system), *((repr(w), _by(system, w)) for w in writers)):
        made = outcomes(one, asked)
        drafts = [(o, _draft(o) == good or one == system) for o, good in zip(made, honest, strict=True) if _draft(o)]
        sound, altered = ([o for o, same in drafts if same is side] for side in (True, False))
        stopped = Counter(o.answer.verdict.gate for o in altered if o.answer.withheld)
        found.append({
            "drafts by": label, "sound drafts withheld": Rate(sum(bool(o.answer.withheld) for o in sound), len(sound)),
            "altered drafts withheld": Rate(stopped.total(), len(altered)),
            **{gate: stopped[gate] for gate in ("citation-invalid", "number-unsupported")},
        })  # fmt: skip
    return found


def _by(system: System, writer: Writer) -> System:
    return replace(system, name=f"{system.name} by {writer}", answerer=by(system.answerer, writer))


def _draft(outcome: Outcome) -> str:
    return outcome.answer.withheld or outcome.answer.text
