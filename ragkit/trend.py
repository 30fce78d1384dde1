"""The measures of many records in the order of their commits: rows, a table, a picture, and which way is worse."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragkit import figures, metrics, tables
from ragkit.history import Record, Run, short_of
from ragkit.metrics import LOWER, NEITHER
from ragkit.records import BadInput, Rate
from ragkit.store import Store

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = ("false_answers", "false_refusals", "recall", "faithfulness", "correctness")
DRAWN = ("false_answers", "false_refusals", "recall", "correctness")


@dataclass(frozen=True, slots=True)
class Point:
    """One run of one record."""

    commit: str
    date: str
    dirty: bool
    run: Run
    questions: str
    rates: dict[str, Rate]


def rows(
    store: Store, systems: Sequence[str] = (), *, until: str = "", commits: Collection[str] = (), last: int = 0
) -> list[Point]:
    """A point for each run of these systems that is on record, those on the same questions together, by date of commit.

    Of a commit as it is there is one point for the same questions, that of the record whose name comes last. Without
    systems all of them; `until` is a commit after which nothing counts, `commits` (12 digits each) are those that do,
    `last` is how many records do, 0 for all.
    """
    points: dict[tuple[str, Run, str, str], Point] = {}
    names = [name for name in store.names(until=until) if not commits or short_of(name) in commits]
    for record in store.records(names[-last:]):
        for run, outcomes in record.runs.items():
            if not systems or run[0] in systems:
                rates = {each: dict(metrics.MEASURES)[each](outcomes) for each in SHOWN}
                questions = record.prints[run]["questions"]
                place = (record.commit.sha, run, questions, record.name if record.dirty else "")
                points[place] = Point(record.commit.short, record.commit.date, record.dirty, run, questions, rates)
    names = list(systems) or list(dict.fromkeys(point.run[0] for point in points.values()))
    spans: dict[tuple[Run, str], list[str]] = {}
    for point in points.values():
        spans.setdefault((point.run, point.questions), []).append(point.date)

    def order(point: Point) -> tuple[object, ...]:
        dates = spans[point.run, point.questions]
        series = point.run[2], names.index(point.run[0]), min(dates), max(dates), point.questions
        return (*series, point.date, point.commit, point.dirty)

    return sorted(points.values(), key=order)


def texts(points: Sequence[Point]) -> list[dict[str, object]]:
    """The points for people; another golden file is marked where it begins."""
    found: list[dict[str, object]] = []
    before = ("", "")
    for point in points:
        now = (" ".join(point.run), point.questions)
        other = now[0] == before[0] and now[1] != before[1]
        found.append({
            "commit": point.commit + "*" * point.dirty, "date": _date(point.date), "system": point.run[0],
            "golden": point.run[2] + " (other questions)" * other,
            **{name.replace("_", " "): _told(name, rate) for name, rate in point.rates.items()},
        })  # fmt: skip
        before = now
    return found


def _date(date: str) -> str:
    """
    >>> _date("20260201T090000Z")
    '2026-02-01 09:00'
    """
    return f"{date[:4]}-{date[4:6]}-{date[6:8]} {date[9:11]}:{date[11:13]}"


def _told(name: str, rate: Rate) -> str:
    if name in metrics.MEANS and rate.of:
        return f"{rate.value:.3f} of {rate.of}" + f" ({rate.left_out} left out)" * bool(rate.left_out)
    return tables.rate(rate)


def data(point: Point) -> dict[str, object]:
    """A point as JSON has it."""
    names = dict(zip(("system", "corpus", "golden"), point.run, strict=True))
    rates = {name: [rate.hits, rate.of] for name, rate in point.rates.items()}
    return {
        "commit": point.commit,
        "date": point.date,
        "dirty": point.dirty,
        **names,
        "questions": point.questions,
    } | rates


def drawn(points: Sequence[Point]) -> tuple[Figure, str]:
    """The trend as a figure and its text; records of trees that were not their commit are left out and counted."""
    clean = [point for point in points if not point.dirty]
    if not clean:
        raise BadInput("nothing to draw: there is no record of a commit as it is; ragkit history run makes some")
    figure, told = figures.trend(clean, DRAWN)
    left = max(Counter(point.run for point in points if point.dirty).values(), default=0)
    return figure, told + f" Left out: {left} records of trees that were not their commit." * bool(left)


def worse(
    metric: str, found: Callable[[str], tuple[Record, Run] | None], good: str, bad: str
) -> Callable[[str], bool | None]:
    """Whether a commit lies nearer to the bad end than to the good one, by a measure that moved for the worse; where
    the good end is not known (empty), whether it is no better than the bad end. None for a commit without a record, or
    with one on other questions."""
    known = dict(metrics.MEASURES)
    if metric not in known or metric in NEITHER:
        raise BadInput(f"metric {metric!r}: use one of {', '.join(name for name in known if name not in NEITHER)}")
    sign = -1.0 if metric in LOWER else 1.0

    def value(sha: str) -> tuple[str, float]:
        record, run = found(sha) or (None, None)
        if record is None or run is None:
            return "", math.nan
        return record.prints[run]["questions"], sign * known[metric](record.runs[run]).value

    after, last = value(bad)
    before, first = value(good) if good else (after, math.inf)
    if before and after and before != after:
        raise BadInput(f"{metric}: the questions differ between both ends; name others, or bisect a row with --row")
    if math.isnan(last):
        raise BadInput(f"{metric} is not defined at {bad[:12]}: no row counts for it there; name another commit")
    if not last < first:
        values = f"{abs(first):.3f} at {good[:12]}, {abs(last):.3f} at {bad[:12]}"
        raise BadInput(f"{metric} is {values}: no change for the worse; name other commits")
    least = (first + last) / 2 if good else math.nextafter(last, math.inf)

    def is_bad(sha: str) -> bool | None:
        asked, now = value(sha)
        return None if math.isnan(now) or asked != after else now < least

    return is_bad
