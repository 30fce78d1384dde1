"""Two evaluations of the same questions: what changed row by row, and what such a set could have shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragkit.compare import detectable, fewest_flips, mcnemar_exact, newcombe_paired
from ragkit.evaluate import held
from ragkit.history import Record, Run
from ragkit.records import ERROR, Outcome

NOTED = {"documents": "documents", "settings": "settings of the system", "model": "model", "lock": "packages"}


@dataclass(frozen=True, slots=True)
class Flip:
    """A row before and after."""

    before: Outcome
    after: Outcome

    @property
    def id(self) -> str:
        return self.after.golden.id

    @property
    def broken(self) -> bool:
        """Whether it held before and no longer does."""
        return held(self.before) and not held(self.after)

    @property
    def mended(self) -> bool:
        """Whether it holds now and did not before."""
        return held(self.after) and not held(self.before)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One system on one golden file, before and after.

    `rows` are those that both answered without an error and whose golden row is the same; `apart` has the others by id,
    with the reason. `notes` tell what else went in that is not the same on both sides.
    """

    run: Run
    rows: tuple[Flip, ...]
    apart: dict[str, str]
    notes: tuple[str, ...]

    @property
    def flips(self) -> list[Flip]:
        """The rows that hold on one side only, or whose outcome, gate or concept is another; reasons are not kept."""
        return [row for row in self.rows if row.broken or row.mended or _other(row)]

    @property
    def broken(self) -> list[Flip]:
        """The rows that no longer hold."""
        return [flip for flip in self.flips if flip.broken]

    @property
    def mended(self) -> list[Flip]:
        """The rows that hold now."""
        return [flip for flip in self.flips if flip.mended]

    @property
    def scored(self) -> int:
        """The rows that are compared."""
        return len(self.rows)

    @property
    def p(self) -> float:
        """Exact McNemar over the rows that hold on one side only."""
        return mcnemar_exact(len(self.broken), len(self.mended))

    @property
    def gain(self) -> tuple[float, float, float]:
        """The share that holds now less the share before, with Newcombe's paired 95 % limits."""
        return _change([(held(row.after), held(row.before)) for row in self.rows])

    def more(self, *, answerable: bool) -> tuple[float, float, float]:
        """As `gain`, of the false refusals among answerable rows, or of the false answers among the others."""
        rows = [row for row in self.rows if row.after.golden.answerable is answerable]
        return _change([(not row.after.right, not row.before.right) for row in rows])

    @property
    def power(self) -> str:
        """What a set of this size could have shown."""
        share = detectable(self.scored) if self.scored else float("nan")
        seen = f"{round(share * self.scored)} or more" if share == share else "even all"
        return (
            f"{self.scored} rows: fewer than {fewest_flips()} flips, all one way, are never significant (p <= 0.05);\n"
            f"that {seen} truly turn right and none wrong is found with a chance of 80 %"
        )


def compare(before: Record, after: Record) -> list[Comparison]:
    """Every run that either side has, in the order of `after`."""
    runs = [*after.runs, *(run for run in before.runs if run not in after.runs)]
    return [_compared(run, before, after) for run in runs]


def _compared(run: Run, before: Record, after: Record) -> Comparison:
    sides = [list(record.runs.get(run, ())) for record in (before, after)]
    apart = dict(_apart(run, before, after))
    old, new = ({o.golden.id: o for o in side} for side in sides)
    pairs = tuple(Flip(old[name], new[name]) for name in new if name not in apart)
    return Comparison(run, pairs, apart, tuple(_notes(run, before, after)))


def _change(pairs: Sequence[tuple[bool, bool]]) -> tuple[float, float, float]:
    """The share of rows of which something is so now less the share of which it was before, with its limits."""
    counts = Counter(pairs)
    return newcombe_paired(*(counts[key] for key in ((True, True), (True, False), (False, True), (False, False))))


def _other(pair: Flip) -> bool:
    old, new = ((o.answer.outcome, o.answer.verdict.gate, o.answer.verdict.concept) for o in (pair.before, pair.after))
    return old != new


def _apart(run: Run, before: Record, after: Record) -> Iterator[tuple[str, str]]:
    """The rows that can not be compared, and why."""
    old, new = (Counter(o.golden.id for o in record.runs.get(run, ())) for record in (before, after))
    failed = [{o.golden.id for o in r.runs.get(run, ()) if o.answer.outcome == ERROR} for r in (before, after)]
    golden = run[2]
    for name in dict.fromkeys([*new, *old]):
        if not old[name] or not new[name]:
            yield name, f"is missing {'before' if new[name] else 'after'}"
        elif old[name] > 1 or new[name] > 1:
            yield name, "stands there more than once"
        elif before.rows[golden, name] != after.rows[golden, name]:
            yield name, "is another question, or has another label"
        elif name in failed[0] | failed[1]:
            yield name, f"ended in an error {'after' if name in failed[1] else 'before'}"


def _notes(run: Run, before: Record, after: Record) -> Iterator[str]:
    old, new = before.prints.get(run), after.prints.get(run)
    if old and new:
        yield from (f"other {what}" for name, what in NOTED.items() if old[name] != new[name])
    yield from (f"{side}: not the commit as it is" for side, r in (("before", before), ("after", after)) if r.dirty)
