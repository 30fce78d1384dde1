"""Two systems or two commits on the same questions, exact and on the standard library alone.

`only_a` questions only the first got right, `only_b` only the second, and a difference is a less b. A p is that of one
look: correct several with `holm`. What is undefined is nan. Intervals of graded measures are in `resample`.
"""

from __future__ import annotations

import itertools
import math
import random
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache

from ragkit.stats import Z95, wilson


def mcnemar_exact(only_a: int, only_b: int) -> float:
    """Two-sided p of the questions that only one of two got right (McNemar 1947), exact.

    >>> mcnemar_exact(0, 5), mcnemar_exact(0, 6)
    (0.0625, 0.03125)
    """
    flips, fewer = only_a + only_b, min(only_a, only_b)
    if fewer < 0:
        raise ValueError(f"{only_a} and {only_b}: a count of questions is 0 or more")
    return min(1.0, 2 * sum(math.comb(flips, i) for i in range(fewer + 1)) / (1 << flips))


def mcnemar_midp(only_a: int, only_b: int) -> float:
    """`mcnemar_exact` less the chance of what was seen (Fagerland et al. 2013): less conservative, so label it."""
    p, flips = mcnemar_exact(only_a, only_b), only_a + only_b
    return 1.0 if only_a == only_b else p - math.comb(flips, only_a) / (1 << flips)


def newcombe(hits_a: float, of_a: int, hits_b: float, of_b: int, z: float = Z95) -> tuple[float, float, float]:
    """Difference of two independent proportions and its limits (Newcombe 1998, method 10: squares of Wilson's, added).

    With the answered of the answerable and of the unanswerable questions it is Youden's J.

    >>> "%.2f [%.3f, %.3f]" % newcombe(15, 18, 7, 12)
    '0.25 [-0.067, 0.535]'
    """
    return _difference(hits_a, of_a, hits_b, of_b, z, 0.0)


def newcombe_paired(both: int, only_a: int, only_b: int, neither: int, z: float = Z95) -> tuple[float, float, float]:
    """Difference of two proportions of the same questions and its limits (Newcombe 1998, paired, method 10).

    The order is that of the published table, row by row: both right, only a, only b, neither.

    >>> "%.1f [%.4f, %.4f]" % newcombe_paired(36, 12, 2, 0)
    '0.2 [0.0569, 0.3404]'
    """
    if min(both, only_a, only_b, neither) < 0:
        raise ValueError(f"{both}, {only_a}, {only_b}, {neither}: a count of questions is 0 or more")
    a, b, of = both + only_a, both + only_b, both + only_a + only_b + neither
    product, margins = both * neither - only_a * only_b, a * (of - a) * b * (of - b)
    phi = (product - min(max(product, 0), of / 2)) / math.sqrt(margins) if margins else 0.0  # with his correction
    return _difference(a, of, b, of, z, phi)


def _difference(hits_a: float, of_a: int, hits_b: float, of_b: int, z: float, phi: float) -> tuple[float, float, float]:
    (low_a, high_a), (low_b, high_b) = wilson(hits_a, of_a, z), wilson(hits_b, of_b, z)
    a, b = hits_a / of_a if of_a else math.nan, hits_b / of_b if of_b else math.nan
    sides = (a - low_a, high_b - b), (high_a - a, b - low_b)
    below, above = (math.sqrt(x * x - 2 * phi * x * y + y * y) for x, y in sides)
    return a - b, a - b - below, a - b + above


def holm(p_values: Sequence[float]) -> list[float]:
    """The p of a family of tests, adjusted (Holm 1979), in the order given. The family is fixed before looking.

    >>> holm([0.5, 0.015625])
    [0.5, 0.03125]
    """
    if bad := [n for n, p in enumerate(p_values) if not 0 <= p <= 1]:
        raise ValueError(f"p-value {bad[0]} is {p_values[bad[0]]}: leave out what was not tested")
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    steps = (min(1.0, (len(order) - rank) * p_values[n]) for rank, n in enumerate(order))
    return [p for _, p in sorted(zip(order, itertools.accumulate(steps, max), strict=True))]


def permutation(differences: Sequence[float], draws: int = 10_000, seed: int = 0) -> float:
    """Two-sided p of a mean paired difference when each could as well have the other sign (Fisher 1935).

    Exact up to 20 differences that are not 0, else (1 + hits) / (1 + draws). Sums apart by rounding only are equal.

    >>> permutation([0.5, 0.25, 1.0, 0.0])
    0.25
    """
    if not differences or not all(map(math.isfinite, differences)) or draws < 1:
        raise ValueError(f"{len(differences)} differences, {draws} draws: give 1 of each or more, all finite")
    moved = [difference for difference in differences if difference]
    least = abs(math.fsum(moved)) - 1e-12 * math.fsum(map(abs, moved))
    if len(moved) <= 20:  # half a million sums
        sums = moved[:1] or [0.0]  # the other sign of the first mirrors all of them
        for difference in moved[1:]:
            sums = [total + signed for total in sums for signed in (difference, -difference)]
        return sum(abs(total) >= least for total in sums) / len(sums)
    flip = random.Random(seed).random
    hits = sum(abs(sum(d if flip() < 0.5 else -d for d in moved)) >= least for _ in range(draws))
    return (1 + hits) / (1 + draws)


def power(n: int, gain: float, loss: float = 0.0, alpha: float = 0.05) -> float:
    """The chance that `mcnemar_exact` says at most alpha when each of n questions turns right or wrong with a chance.

    Exact, over all counts of flips and how they divide; whichever way the test points, it counts.

    >>> round(power(30, 0.2), 4)
    0.5725
    """
    _check_plan(n, gain, loss, alpha)
    turned, found = gain + loss, 0.0
    flips = max(_binomials(n, min(1.0, turned)), key=len)
    for m, gains in enumerate(_binomials(n, gain / turned if turned else 0.0)):
        few = _few(m, alpha)
        found += flips[m] * (math.fsum(gains[:few]) + math.fsum(gains[m + 1 - few :]))
    return min(1.0, found)


def detectable(n: int, loss: float = 0.0) -> float:
    """The share of n questions, in whole thousandths, that must turn right to be found with a power of 0.8 or more.

    It lies above the share `loss` that turns wrong; nan when even all the others turning right is not found.

    >>> detectable(30), detectable(30, loss=0.05), detectable(5)
    (0.251, 0.389, nan)
    """
    _check_plan(n, 0.0, loss)
    shares = [step / 1000 for step in range(math.ceil(1000 * loss), math.floor(1000 * (1 - loss) + 1e-6) + 1)]
    at = bisect_left(shares, 0.8, key=lambda share: power(n, share, loss))
    return shares[at] if at < len(shares) else math.nan


@cache
def _few(flips: int, alpha: float) -> int:
    """How many of the counts 0, 1 .. of flips against the rest leave a p of at most alpha."""
    return bisect_right(range(flips // 2 + 1), alpha, key=lambda against: mcnemar_exact(against, flips - against))


def _binomials(n: int, p: float) -> Iterator[list[float]]:
    """The chances of each number of hits of 0, of 1, up to of n; only sums, so that nothing cancels."""
    row = [1.0]
    for _ in range(n + 1):
        yield row
        row = [miss * (1 - p) + hit * p for miss, hit in zip([*row, 0.0], [0.0, *row], strict=True)]


def fewest_flips(alpha: float = 0.05) -> int:
    """How many questions must turn, all the same way, before `mcnemar_exact` says at most alpha.

    >>> fewest_flips()
    6
    """
    _check_plan(1, 0.0, 0.0, alpha)
    return next(flips for flips in itertools.count(1) if mcnemar_exact(0, flips) <= alpha)


def _check_plan(n: int, gain: float, loss: float, alpha: float = 0.05) -> None:
    if n < 1 or not (min(gain, loss) >= 0 and gain + loss <= 1 + 1e-9 and 0 < alpha < 1):
        raise ValueError(f"n {n}, gain {gain}, loss {loss}, alpha {alpha}: give 1 or more, parts of 1, a chance")


def kappa(both: int, first: int, second: int, neither: int) -> float:
    """Cohen's kappa (1960) of two judges with a yes or no each: agreement beyond what their shares of yes would give by
    chance; nan where chance alone would agree on everything, and for no rows.

    >>> kappa(20, 5, 10, 15)
    0.4
    """
    of = both + first + second + neither
    if not of:
        return math.nan
    yes = (both + first) * (both + second) + (second + neither) * (first + neither)  # chance, times of * of
    return ((both + neither) * of - yes) / (of * of - yes) if of * of != yes else math.nan
