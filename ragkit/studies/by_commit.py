"""The experiments of notebook 03: what a golden set says of each commit, and what a set of its size can say at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragkit import compare, stats
from ragkit.comparison import Comparison
from ragkit.comparison import compare as compared
from ragkit.history import Record
from ragkit.merge_gate import told
from ragkit.store import Store
from ragkit.trend import Point

Row = dict[str, object]


def records(store: Store, until: str) -> list[Record]:
    """The kept records of commits as they are, up to one commit, by date."""
    return store.clean(store.names(until=until))


def errors(points: Sequence[Point]) -> list[Row]:
    """Both kinds of error of every system at the last commit on record, side by side."""
    last = max(point.date for point in points)
    return [
        {
            "system": point.run[0],
            **{name.replace("_", " "): point.rates[name] for name in ("false_answers", "false_refusals")},
        }
        for point in points
        if point.date == last
    ]


def steps(found: Sequence[Record], system: str) -> list[Row]:
    """From each commit on record to the next on the same questions: the rows that flipped, those that could not be
    compared, and p."""
    return [
        {
            "from": before.commit.short, "to": after.commit.short, "golden": pair.run[2], "compared": pair.scored,
            "broken": _ids([flip.id for flip in pair.broken]), "mended": _ids([flip.id for flip in pair.mended]),
            "apart": _ids(list(pair.apart)), "p": pair.p, "with": ", ".join(pair.notes),
        }
        for before, after, pair in _steps(found, system)
    ]  # fmt: skip


def flips(found: Sequence[Record], system: str) -> str:
    """Every row that began or ceased to hold between two commits on record, in a line each."""
    each = [
        (after.commit.short, flip) for _, after, pair in _steps(found, system) for flip in (*pair.broken, *pair.mended)
    ]
    lines = [
        f"{commit} {'BROKEN' if flip.broken else 'mended'} {flip.id}: {told(flip.before)} -> {told(flip.after)}"
        for commit, flip in each
    ]
    return "\n".join(lines) or f"No row of {system} flipped between these {len(found)} commits."


def _steps(found: Sequence[Record], system: str) -> Iterator[tuple[Record, Record, Comparison]]:
    """Each record of a run with the last one before it that is of another commit, on the same questions where there is
    one, else on others."""
    for n, after in enumerate(found):
        earlier = [record for record in found[:n] if record.commit != after.commit]
        for run in (run for run in after.runs if run[0] == system):
            held = [record for record in earlier if run in record.runs]
            same = [each for each in held if each.prints[run]["questions"] == after.prints[run]["questions"]]
            for before in (same or held)[-1:]:
                yield from ((before, after, pair) for pair in compared(before, after) if pair.run == run)


def _ids(names: Sequence[str]) -> str:
    return f"{len(names)}: {', '.join(names)}" if names else "0"


def sight(sizes: Sequence[int]) -> list[Row]:
    """What a set of each size can show: the share that must turn right to be found with a chance of 80 %, without and
    with some that turn wrong, and what a faultless or nearly faultless result of it certifies (95 %)."""
    return [
        {
            "rows": size,
            "must turn right": compare.detectable(size),
            "... when 5 % turn wrong": compare.detectable(size, 0.05),
            "power for 10 points": compare.power(size, 0.1),
            "0 false answers certify": stats.certifies(0, size),
            "1 false answer certifies": stats.certifies(1, size),
        }
        for size in sizes
    ]


def small_print(rows: int) -> str:
    """In a line what the smallest significant change is."""
    least = compare.fewest_flips()
    return (
        f"Of {rows} rows, fewer than {least} flips, all one way, are never significant: five one way give "
        f"p = {compare.mcnemar_exact(0, 5):.3f}, six {compare.mcnemar_exact(0, 6):.3f}.\n"
        f"That is about other questions like these. On these very rows each flip is a fact."
    )


def measured(points: Sequence[Point]) -> list[Row]:
    """The measures of every point that has them, as results/tables keeps them: counts, and no fractions."""
    return [
        {
            "commit": point.commit, "system": point.run[0], "golden": point.run[2], "metric": name,
            "hits": rate.hits, "of": rate.of, "left_out": rate.left_out,
        }
        for point in points
        for name, rate in point.rates.items()
    ]  # fmt: skip
