"""The rules a commit has to pass to be merged: each is a reason to stop, in a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragkit import metrics
from ragkit.comparison import Comparison, compare
from ragkit.history import SOME, Record
from ragkit.metrics import LOWER, NEITHER
from ragkit.records import ANSWER, ERROR, REFUSE, Answer, BadInput, Citation, Outcome, Rate

LIMIT = re.compile(r"(\w+)(<=|>=)(\d+(?:\.\d+)?)(%?)")


@dataclass(frozen=True, slots=True)
class Limit:
    """An allowance for a measure: `false_answers<=1`, `recall>=80%`; a plain number counts rows."""

    measure: str
    most: bool
    number: float
    share: bool

    def __str__(self) -> str:
        return f"{self.measure}{'<=' if self.most else '>='}{self.number:g}{'%' * self.share}"

    def allows(self, rate: Rate) -> bool:
        """Whether a rate is within; one of no rows is not."""
        value = 100 * rate.value if self.share else rate.hits
        return rate.of > 0 and (value <= self.number + 1e-9 if self.most else value >= self.number - 1e-9)


def limit(text: str) -> Limit:
    """The allowance of a text; BadInput when it is none."""
    found = LIMIT.fullmatch(text.replace(" ", ""))
    known = dict(metrics.MEASURES)
    if not found or found[1] not in known:
        names = ", ".join(known)
        raise BadInput(f"allowance {text!r}: write it as MEASURE<=3 or MEASURE>=80%, with a measure of {names}")
    better = "<=" if found[1] in LOWER else ">="
    if found[1] not in NEITHER and found[2] != better:
        raise BadInput(
            f"allowance {text!r}: {found[1]} is better the {'lower' if better == '<=' else 'higher'}; write {better}"
        )
    if not found[4] and found[1] in metrics.MEANS:
        raise BadInput(f"allowance {text!r}: {found[1]} is a mean; give a share, such as {found[1]}{found[2]}80%")
    return Limit(found[1], found[2] == "<=", float(found[3]), bool(found[4]))


@dataclass(frozen=True)
class Rules:
    """What is asked of the commit after: no row that held is broken (of all rows, or of those marked `must` on either
    side), and every allowance holds. `systems` are looked at, and `golden` files (none means all); rows that are
    missing, doubled, in error or labelled anew always stop."""

    systems: tuple[str, ...]
    must_only: bool = False
    limits: tuple[Limit, ...] = ()
    golden: tuple[str, ...] = ()

    def findings(self, before: Record, after: Record) -> list[str]:
        """The reasons to stop, none when the commit may pass; BadInput for rules that a lazy system would pass."""
        pairs = [each for each in compare(before, after) if self._looked_at(each)]
        absent = set(self.systems) - {each.run[0] for each in pairs}
        if absent:
            raise BadInput(
                f"no rows of {', '.join(sorted(absent)) or 'any system'} on either side; name others with --system"
            )
        found = [line for pair in pairs for line in self._of(pair, after.runs.get(pair.run, ()))]
        if not found:
            self._check_not_lazy(pairs, before, after)
        return found

    def _looked_at(self, pair: Comparison) -> bool:
        return pair.run[0] in self.systems and (not self.golden or pair.run[2] in self.golden)

    def _of(self, pair: Comparison, outcomes: Sequence[Outcome]) -> Iterator[str]:
        where = " ".join(pair.run)
        yield from (f"{where}: {name} {why}" for name, why in pair.apart.items())
        if not pair.scored:
            yield f"{where}: no row to compare"
        for row in pair.rows if self.must_only else ():
            if row.before.golden.must and not row.after.golden.must:
                yield f"{where}: {row.id} is no longer marked must"
        for flip in pair.broken:
            if flip.before.golden.must or flip.after.golden.must or not self.must_only:
                yield f"{where}: {flip.id} held and no longer does ({told(flip.before)} -> {told(flip.after)})"
        rates = {each.measure: dict(metrics.MEASURES)[each.measure](outcomes) for each in self.limits}
        for each in self.limits:
            if not each.allows(rates[each.measure]):
                yield f"{where}: {each.measure} is {rates[each.measure]}, allowed is {each}"

    def _check_not_lazy(self, pairs: Sequence[Comparison], before: Record, after: Record) -> None:
        for did in (ANSWER, REFUSE):
            runs = {run: tuple(_lazy(each, did) for each in rows) for run, rows in after.runs.items()}
            lazy = compare(before, replace(after, runs=runs))
            if not any(line for pair in lazy if self._looked_at(pair) for line in self._of(pair, runs[pair.run])):
                raise BadInput(
                    f"these rules would pass a system whose every outcome is {did}: let all rows count, or state "
                    "allowances for both false_answers and false_refusals"
                )


def _lazy(outcome: Outcome, did: str) -> Outcome:
    """The same row in the hands of a system that does not look, and is lucky: each answer states the key facts, and
    cites the right line of the right version."""
    row, answers = outcome.golden, did == ANSWER
    said = Answer("", did, citations=(Citation(SOME, "", 1),) * answers)
    judged = {
        "correct": answers and bool(row.facts),
        "version_correct": answers and (bool(row.version) or outcome.version_correct is not None),
        "cites_line": answers and row.answerable and bool(row.sources),
    }
    lucky: dict[str, Any] = {name: True for name, is_judged in judged.items() if is_judged}
    nothing: dict[str, Any] = dict.fromkeys((*judged, "reason_right"))
    return replace(outcome, answer=said, claims=0, supported=0, **nothing | lucky)


def told(outcome: Outcome) -> str:
    """An outcome in some words, for a flip."""
    if outcome.answer.outcome == ERROR:
        return "error"
    verdict = outcome.answer.verdict
    named = f" {verdict.gate}" * bool(verdict.gate) + f" ({verdict.concept})" * bool(verdict.concept)
    facts = ", key facts not stated" * (outcome.correct is False)
    return f"{outcome.answer.outcome}{named}{facts}"
