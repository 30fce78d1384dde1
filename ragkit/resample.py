"""Bootstrap intervals over questions, for means of graded measures and for AUROC; shares have exact ones in `stats`.

The input and the seed decide every number: numpy keeps the stream of RandomState for good, that of default_rng not.
Questions are drawn one by one, so that paraphrases or repeated runs of the same are to be averaged first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np

from ragkit.stats import check_scores, mean_defined

CELLS = 250_000  # positions that are drawn at a time, a bound on the memory; no result depends on it
Row = Sequence[float]
Interval = tuple[float, float]


def bca(
    values: Row, statistic: Callable[..., Any] = np.mean, resamples: int = 9_999, seed: int = 0, level: float = 0.95
) -> Interval:
    """The bootstrap interval of a statistic, corrected for bias and, by the jackknife, for acceleration (Efron 1987).

    `statistic` takes an array and `axis`, as `numpy.median` does. nan where resampling tells nothing: all values are
    equal, none of them moves the statistic, or all resamples lie on one side of it.

    >>> "%.1f %.1f" % bca([1, 1, 0.5, 0.2, 1, 0.5, 0.25, 1])
    '0.4 0.9'
    """
    ends, sample, normal = _ends(resamples, level), np.asarray(values, dtype=float), NormalDist()
    if not np.isfinite(sample).all():
        raise ValueError(f"value {np.isfinite(sample).argmin()} is not a finite number: leave out what is undefined")
    if sample.size < 2:
        return math.nan, math.nan
    drawn = np.concatenate([statistic(sample[at], axis=-1) for (at,) in _draws(resamples, seed, sample.size)])
    without = np.array([statistic(np.delete(sample, n), axis=-1) for n in range(sample.size)])
    seen, rounding = statistic(sample, axis=-1), 1e-12 * np.abs(sample).max()
    below = float(np.mean(drawn < seen - rounding) + np.mean(drawn <= seen + rounding)) / 2
    if np.ptp(without) <= rounding or not 0 < below < 1:
        return math.nan, math.nan
    bias, moved = normal.inv_cdf(below), without.mean() - without
    acceleration = np.sum(moved**3) / np.sum(moved**2) ** 1.5 / 6
    steps = [bias + normal.inv_cdf(end) for end in ends]
    low, high = np.quantile(drawn, [normal.cdf(bias + z / max(1e-9, 1 - acceleration * z)) for z in steps])
    return float(low), float(high)


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of a less b over `pairs` questions, with its limits; `left_out` others lack a value on one side."""

    mean: float
    low: float
    high: float
    pairs: int
    left_out: int


def paired_bootstrap(
    a: Sequence[float | None], b: Sequence[float | None], resamples: int = 9_999, seed: int = 0, level: float = 0.95
) -> Difference:
    """`bca` of the mean difference of two systems on the same questions, in the same order."""
    pairs = [pair for pair in zip(a, b, strict=True) if mean_defined(pair)[1] == 2]
    differences = [x - y for x, y in pairs if x is not None and y is not None]
    low, high = bca(differences, np.mean, resamples, seed, level)
    return Difference(mean_defined(differences)[0], low, high, len(pairs), len(a) - len(pairs))


def auroc_interval(pos: Row, neg: Row, resamples: int = 9_999, seed: int = 0, level: float = 0.95) -> Interval:
    """The percentile interval of `stats.auroc`, each class resampled by itself; nan when a class is empty.

    At an AUROC of 1 or 0 every resample repeats it and the interval collapses to that point, which is no certainty:
    show `stats.gap` and an interval of each class instead.

    >>> auroc_interval([3, 2], [1, 0])
    (1.0, 1.0)
    """
    return _stratified(_wins(pos, neg), resamples, seed, level)


def auroc_difference(
    pos_a: Row, neg_a: Row, pos_b: Row, neg_b: Row, resamples: int = 9_999, seed: int = 0, level: float = 0.95
) -> Interval:
    """As `auroc_interval`, of AUROC a less AUROC b: two signals on the same questions, in the same order."""
    a, b = _wins(pos_a, neg_a), _wins(pos_b, neg_b)
    if a.shape != b.shape:
        raise ValueError(f"scores of {a.shape} and of {b.shape} questions: give both signals for the same questions")
    return _stratified(a - b, resamples, seed, level)


def _wins(pos: Row, neg: Row) -> np.ndarray:
    """For each pair of the two classes 1 where the first scores higher, a half where they tie."""
    check_scores(pos, neg)
    high, low = np.asarray(pos, dtype=float)[:, None], np.asarray(neg, dtype=float)
    return (high > low) + (high == low) / 2


def _stratified(wins: np.ndarray, resamples: int, seed: int, level: float) -> Interval:
    """The interval of the mean of a matrix whose rows and columns are drawn; sums of halves, exact in single precision
    as long as there are fewer than 2 ** 23 pairs."""
    ends = _ends(resamples, level)
    if not wins.size:
        return math.nan, math.nan
    number: Any = np.float32 if wins.size < 1 << 23 else np.float64
    matrix, means = wins.astype(number), []
    for rows, columns in _drawn(resamples, seed, *wins.shape):
        means.append(
            np.einsum("ij,ij->i", rows.astype(number, copy=False) @ matrix, columns.astype(number, copy=False))
        )
    low, high = np.quantile(np.concatenate(means).astype(np.float64) / wins.size, ends)
    return float(low), float(high)


@lru_cache(maxsize=2)  # every signal on the same questions is resampled alike
def _drawn(resamples: int, seed: int, *sizes: int) -> list[list[np.ndarray]]:
    """For each size how often each position was drawn, a resample a row, some rows at a time."""
    return [list(map(_counts, drawn)) for drawn in _draws(resamples, seed, *sizes)]


def _draws(resamples: int, seed: int, *sizes: int) -> Iterator[list[np.ndarray]]:
    """For each size a matrix with a resample of its positions in each row, some rows at a time."""
    streams, most = [np.random.RandomState([seed, n]) for n, _ in enumerate(sizes)], max(1, CELLS // sum(sizes))
    for rows in (min(most, resamples - start) for start in range(0, resamples, most)):
        yield [stream.randint(of, size=(rows, of), dtype=np.int64) for stream, of in zip(streams, sizes, strict=True)]


def _counts(drawn: np.ndarray) -> np.ndarray:
    """How often each position was drawn, row by row."""
    places = drawn + drawn.shape[1] * np.arange(len(drawn))[:, None]
    return np.bincount(places.ravel(), minlength=drawn.size).reshape(drawn.shape).astype(np.float32)


def _ends(resamples: int, level: float) -> Interval:
    if resamples < 1 or not 0 < level < 1:
        raise ValueError(f"{resamples} resamples, level {level}: give 1 or more, and a level between 0 and 1")
    return (1 - level) / 2, (1 + level) / 2
