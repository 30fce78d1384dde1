"""Both kinds of error as one number a question, when a false answer costs as much as so many false refusals.

A system with r false refusals and a false answers to n questions costs (r + c a) / n a question, if a false refusal
costs 1 and a false answer c (Elkan 2001): a straight line over c. The best system changes only where two lines cross
that no other runs below, so every crossing is a fraction and exact. The mix of the classes is that of the questions:
where unanswerable ones are m times as frequent against answerable ones as here, read c as c / m.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ragkit.records import BadInput, Outcome, Rate
from ragkit.resample import Difference, paired_bootstrap

LOW, HIGH = 1, 20  # what a false answer costs, in false refusals
COSTS = (1, 5, 20)
RESAMPLES = 1_999
Runs = Mapping[str, Sequence[Outcome]]
Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class Line:
    """The errors of a system, and what they cost a question."""

    system: str
    false_refusals: Rate
    false_answers: Rate

    def at(self, cost: float | Fraction) -> Fraction:
        """The cost a question, exact, when a false answer costs `cost` false refusals.

        >>> Line("a", Rate(3, 6), Rate(1, 4)).at(2)
        Fraction(1, 2)
        """
        of = self.false_refusals.of + self.false_answers.of
        if not of:
            raise BadInput(f"{self.system}: no question was judged; a cost needs one")
        return (Fraction(self.false_refusals.hits) + Fraction(cost) * Fraction(self.false_answers.hits)) / of


@dataclass(frozen=True, slots=True)
class Crossing:
    """The cost from which on `after` is the best and no longer `before`; at it both cost the same."""

    at: Fraction
    before: str
    after: str


def lines(runs: Runs) -> list[Line]:
    """The line of each system over the rows that all of them judged; the others are counted as left out.

    Runs over other rows, or a row twice, are bad input.
    """
    kept, found = _judged_by_all(runs), []
    for name, outcomes in runs.items():
        sides = []
        for answerable in (True, False):
            rows = [o for o in outcomes if o.golden.answerable is answerable]
            judged = [o for o in rows if o.golden.id in kept]
            sides.append(Rate(sum(o.right is False for o in judged), len(judged), len(rows) - len(judged)))
        found.append(Line(name, *sides))
    return found


def best(found: Sequence[Line], cost: float | Fraction) -> Line:
    """The cheapest; of equals the one with fewer false answers, then the first."""
    return min(found, key=lambda line: (line.at(cost), line.false_answers.hits))


def crossings(found: Sequence[Line], *, low: int = LOW, high: int = HIGH) -> list[Crossing]:
    """Where the best system changes as a false answer costs from `low` to `high` false refusals.

    >>> crossings([Line("lax", Rate(0, 5), Rate(2, 5)), Line("strict", Rate(3, 5), Rate(1, 5))])
    [Crossing(at=Fraction(3, 1), before='lax', after='strict')]
    """
    changes, now = list[Crossing](), best(found, low)
    while fewer := [line for line in found if line.false_answers.hits < now.false_answers.hits]:
        at = min(_meet(now, line) for line in fewer)
        if at > high:
            break
        after = best([line for line in fewer if _meet(now, line) == at], at)
        changes.append(Crossing(at, now.system, after.system))
        now = after
    return changes


def difference(a: Sequence[Outcome], b: Sequence[Outcome], cost: float) -> Difference:
    """How much more a question costs with a than with b, on the rows both judged, with its bootstrap interval."""
    _judged_by_all({"a": a, "b": b})
    theirs = {o.golden.id: o for o in b}
    first, second = [_loss(o, cost) for o in a], [_loss(theirs[o.golden.id], cost) for o in a]
    return paired_bootstrap(first, second, RESAMPLES)


def table(runs: Runs, costs: Sequence[int] = COSTS) -> list[Row]:
    """A row a system: both kinds of error, its cost a question at each cost of a false answer, and how far that lies
    above the best, which is chosen on these very questions."""
    found = lines(runs)
    firsts = {cost: best(found, cost).system for cost in costs}
    rows = []
    for line in found:
        row: Row = {"label": line.system, "false refusals": line.false_refusals, "false answers": line.false_answers}
        for cost in costs:
            row[f"cost at {cost}"] = float(line.at(cost))
            row[f"above the best at {cost}"] = _above(runs[line.system], runs[firsts[cost]], cost)
        rows.append(row)
    return rows


def statement(found: Sequence[Line], *, low: int = LOW, high: int = HIGH) -> str:
    """Which system is the best from which cost on, in a sentence."""
    changes = crossings(found, low=low, high=high)
    told = "".join(f", from {_told(each.at)} on {each.after}" for each in changes)
    return f"The least costly from {low} to {high} false refusals a false answer: {best(found, low).system}{told}."


def _told(at: Fraction) -> str:
    return f"{float(at):.3g}" + ("" if at.denominator == 1 else f" ({at})")


def _above(outcomes: Sequence[Outcome], least: Sequence[Outcome], cost: int) -> str:
    if outcomes is least:
        return "the best"
    found = difference(outcomes, least, cost)
    return f"{found.mean:.2f} ({found.low:.2f} to {found.high:.2f})" if found.low < found.high else f"{found.mean:.2f}"


def _meet(now: Line, other: Line) -> Fraction:
    """The cost at which two lines over the same questions cross."""
    saved = Fraction(now.false_answers.hits) - Fraction(other.false_answers.hits)
    return (Fraction(other.false_refusals.hits) - Fraction(now.false_refusals.hits)) / saved


def _loss(outcome: Outcome, cost: float) -> float | None:
    if outcome.right is None:
        return None
    return 0.0 if outcome.right else 1.0 if outcome.golden.answerable else cost


def _judged_by_all(runs: Runs) -> set[str]:
    """The ids that every system judged."""
    if not runs:
        raise BadInput("no system; a cost curve needs one")
    rows = {name: [o.golden.id for o in outcomes] for name, outcomes in runs.items()}
    first = next(iter(rows))
    for name, ids in rows.items():
        if len(set(ids)) < len(ids) or set(ids) != set(rows[first]):
            raise BadInput(f"{name}: other rows than {first}, or a row twice; run all over the same golden file")
    return set.intersection(*({o.golden.id for o in outcomes if o.right is not None} for outcomes in runs.values()))
