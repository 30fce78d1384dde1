"""Exact statistics for small samples, on the standard library alone.

What is undefined is nan, never 0 or 1. A rule is "answer iff score >= t", and infinite scores are scores.
Does not handle weights, resampling (`resample`) or two systems (`compare`).
"""

from __future__ import annotations

import itertools
import math
import sys
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Z95 = 1.959963984540054  # the normal quantile of a two-sided 95 % interval


def mean_defined(values: Iterable[float | None]) -> tuple[float, int]:
    """The mean of the values that are neither None nor nan, and how many those were.

    >>> mean_defined([1.0, None, 0.0, math.nan])
    (0.5, 2)
    """
    defined = [value for value in values if value is not None and not math.isnan(value)]
    return (math.fsum(defined) / len(defined) if defined else math.nan), len(defined)


def wilson(hits: float, of: int, z: float = Z95) -> tuple[float, float]:
    """The score interval (Wilson 1927) for display; exactly 0 and 1 at the ends.

    >>> "%.3f %.3f" % wilson(6, 6)
    '0.610 1.000'
    """
    _check(hits, of)
    if not of:
        return math.nan, math.nan
    share, spread = hits / of, z * z / of
    middle = share + spread / 2
    half = z * math.sqrt(share * (1 - share) / of + spread / (4 * of))
    low, high = (middle - half) / (1 + spread), (middle + half) / (1 + spread)
    return (0.0 if hits == 0 else max(0.0, low)), (1.0 if hits == of else min(1.0, high))


def binomial_cdf(hits: int, of: int, p: float) -> float:
    """P(at most `hits` of `of`) when each has the chance p; in logarithms, so that a large `of` does not overflow."""
    if hits < 0 or hits >= of or p in (0.0, 1.0):
        return float(hits >= (of if p == 1.0 else 0))
    log_p, log_q, top = math.log(p), math.log1p(-p), math.lgamma(of + 1)
    logs = (top - math.lgamma(i + 1) - math.lgamma(of - i + 1) + i * log_p + (of - i) * log_q for i in range(hits + 1))
    return min(1.0, math.fsum(map(math.exp, logs)))


def upper_bound(hits: int, of: int, delta: float = 0.05) -> float:
    """One-sided Clopper-Pearson limit: the smallest p at which `hits` or fewer of `of` have at most the chance delta.

    >>> round(upper_bound(0, 12), 4)
    0.2209
    """
    _check(hits, of)
    if not of:
        return math.nan
    return 1.0 if hits == of else _crossing(lambda p: binomial_cdf(hits, of, p) <= delta)


def lower_bound(hits: int, of: int, delta: float = 0.05) -> float:
    """The mirror of `upper_bound`: 16 clean questions of 16 claim a true rate of 83 % or more."""
    _check(hits, of)
    return 1 - upper_bound(of - hits, of, delta)


def clopper_pearson(hits: int, of: int, level: float = 0.95) -> tuple[float, float]:
    """The exact two-sided interval (Clopper & Pearson 1934): never narrower than its level."""
    delta = (1 - level) / 2
    return lower_bound(hits, of, delta), upper_bound(hits, of, delta)


def certifies(false_answers: int, of: int, delta: float = 0.05) -> float:
    """The smallest false-answer rate that a fixed gate can claim with confidence 1 - delta (Bates et al. 2021).

    >>> round(certifies(0, 6), 2)
    0.39
    """
    return upper_bound(false_answers, of, delta)


def n_needed(alpha: float, delta: float = 0.05, false_answers: int = 0) -> int:
    """How many unanswerable questions claim a rate of at most alpha when `false_answers` of them are answered.

    >>> n_needed(0.05)
    59
    """
    if not (0 < alpha < 1 and 0 < delta < 1 and false_answers >= 0):
        raise ValueError(f"alpha {alpha} and delta {delta} must lie between 0 and 1, false answers not below 0")
    enough = itertools.count(false_answers + 1)
    return next(n for n in enough if binomial_cdf(false_answers, n, alpha) <= delta)


def auroc(pos: Sequence[float], neg: Sequence[float]) -> float:
    """The chance that a positive scores above a negative, ties counting half (Mann-Whitney U over all pairs).

    Infinite scores are values like others; nan is a ValueError; an empty class gives nan.

    >>> auroc([3, 1], [1])
    0.75
    """
    check_scores(pos, neg)
    if not pos or not neg:
        return math.nan
    ordered = sorted(neg)
    halves = sum(bisect_left(ordered, score) + bisect_right(ordered, score) for score in pos)
    return halves / (2 * len(pos) * len(neg))


@dataclass(frozen=True, slots=True)
class Rule:
    """Answer iff the score is at least `at`, with what that costs: `at` of inf refuses all, of -inf answers all."""

    at: float
    false_refusals: int
    false_answers: int

    @property
    def errors(self) -> int:
        """Both kinds together, each at the same cost."""
        return self.false_refusals + self.false_answers

    def answers(self, score: float) -> bool:
        """The decision, also for a score of inf under the rule that refuses all."""
        return score >= self.at < math.inf


def sweep(answerable: Iterable[float], unanswerable: Iterable[float]) -> list[Rule]:
    """Every distinguishable rule, the most generous first, so that searching it is a proof and no sample.

    The errors change only where the threshold passes a score: one threshold between neighbours is enough. A score of
    inf counts as the largest finite number, for `inf >= inf` would leave no rule that refuses it.

    >>> [(rule.at, rule.false_refusals, rule.false_answers) for rule in sweep([1.76], [10.08])]
    [(-inf, 0, 1), (5.92, 1, 1), (inf, 1, 0)]
    """
    return [Rule(*rule) for rule in _rules(_sorted(answerable), _sorted(unanswerable))]


def _sorted(scores: Iterable[float]) -> list[float]:
    found = sorted(min(score, sys.float_info.max) for score in scores)
    check_scores(found)
    return found


def _rules(low: Sequence[float], high: Sequence[float]) -> Iterator[tuple[float, int, int]]:
    """(at, false refusals, false answers) for sorted scores; a threshold that passes a score moves its class only."""
    yield -math.inf, 0, len(high)
    scores, refused, kept = sorted({*low, *high}), 0, 0
    for score, above in itertools.zip_longest(scores, scores[1:]):
        refused, kept = bisect_right(low, score, refused), bisect_right(high, score, kept)
        yield math.inf if above is None else _between(score, above), refused, len(high) - kept


def best_threshold(answerable: Iterable[float], unanswerable: Iterable[float]) -> Rule:
    """The rule with the fewest errors on the very questions it was chosen with, hence optimistic; among equals the
    fewest false answers, then the lowest threshold."""
    return min(sweep(answerable, unanswerable), key=lambda rule: (rule.errors, rule.false_answers, rule.at))


def leave_one_out(answerable: Sequence[float], unanswerable: Sequence[float]) -> tuple[int, int]:
    """False refusals and false answers when each question is judged by `best_threshold` of all the others."""
    low, high = _sorted(answerable), _sorted(unanswerable)
    scores, errors = sorted({*low, *high}), [rule[1] + rule[2] for rule in _rules(low, high)]
    alone = {score for score, count in Counter([*low, *high]).items() if count == 1}
    kept, leaked = (
        {s: _answered_by_others(scores, errors, n, answerable, s in alone) for n, s in enumerate(scores)}
        for answerable in (True, False)
    )
    return sum(not kept[score] for score in low), sum(leaked[score] for score in high)


def _answered_by_others(scores: list[float], errors: list[int], n: int, answerable: bool, alone: bool) -> bool:
    """Whether the best rule for all but one question at the n-th score answers it. Rules 0..n answer that score.

    Without it the rules that get it wrong have an error less. Of equals the stricter wins, for it has fewer false
    answers; a score that stood alone takes the cut beside it along, and the two rules around it become one.
    """
    lax, strict = min(errors[: n + 1]) - (not answerable), min(errors[n + 1 :]) - answerable
    if lax != strict or not alone or min(errors[n + 2 :], default=math.inf) - answerable == strict:
        return lax < strict
    return n == 0 or (n + 1 < len(scores) and scores[n] >= _between(scores[n - 1], scores[n + 1]))


def gap(answerable: Sequence[float], unanswerable: Sequence[float]) -> float:
    """Lowest answerable less highest unanswerable score: a faultless threshold exists iff this is above 0."""
    check_scores(answerable, unanswerable)
    return min(answerable) - max(unanswerable) if answerable and unanswerable else math.nan


@dataclass(frozen=True, slots=True)
class Inversion:
    """An answerable question that scores no higher than an unanswerable one: whatever the threshold, one is wrong."""

    answerable: str
    unanswerable: str
    low: float
    high: float


def certificate(answerable: Mapping[str, float], unanswerable: Mapping[str, float]) -> list[Inversion]:
    """A largest set of disjoint inversions among scores by id, the proof by eye that no threshold makes fewer errors.

    As many as `best_threshold` has errors (König: neighbourhoods are nested, so that greedy pairing from the top is
    optimal).

    >>> certificate({"kx-code": 1.76}, {"crypto": 10.08})
    [Inversion(answerable='kx-code', unanswerable='crypto', low=1.76, high=10.08)]
    """
    pairs, free = [], _ascending(unanswerable)
    for name, low in reversed(_ascending(answerable)):
        if free and free[-1][1] >= low:
            other, high = free.pop()
            pairs.append(Inversion(name, other, low, high))
    return pairs


def _ascending(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    check_scores(scores.values())
    return sorted(scores.items(), key=lambda pair: pair[1])


def _between(below: float, above: float) -> float:
    middle = below / 2 + above / 2
    return middle if below < middle < above else above  # neighbouring floats, or -inf below


def _crossing(holds: Callable[[float], bool]) -> float:
    """The smallest p in [0, 1] at which a monotone condition holds, to the last bit."""
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _check(hits: float, of: int) -> None:
    if not 0 <= hits <= of:
        raise ValueError(f"{hits} of {of} is no proportion")


def check_scores(*groups: Iterable[float]) -> None:
    """Stops on nan, which is no score: nothing compares with it."""
    if any(math.isnan(score) for group in groups for score in group):
        raise ValueError("a score is nan; a question without a hit scores -inf")
