"""Risk and coverage: what a confidence is worth when the least sure questions are refused.

`wrong` says for each question whether answering it would be an error, which it always is for an unanswerable one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from ragkit.stats import check_scores


def risk_coverage(confidence: Sequence[float], wrong: Sequence[bool]) -> list[tuple[float, float]]:
    """(coverage, risk) at each distinct confidence, the most confident first; `wrong` is what answering would be."""
    points, seen, errors = [], 0, 0
    for size, bad in _blocks(confidence, wrong):
        seen, errors = seen + size, errors + bad
        points.append((seen / len(confidence), errors / seen))
    return points


def aurc(confidence: Sequence[float], wrong: Sequence[bool]) -> float:
    """Mean risk of the i most confident, i = 1..n (Geifman & El-Yaniv 2017); ties count their expected errors.

    >>> aurc([3, 2, 1, 0], [False, False, False, True])
    0.0625
    """
    total, seen, errors = 0.0, 0, 0
    for size, bad in _blocks(confidence, wrong):
        total += math.fsum((errors + bad * i / size) / (seen + i) for i in range(1, size + 1))
        seen, errors = seen + size, errors + bad
    return total / seen if seen else math.nan


def aurc_optimal(of: int, errors: int) -> float:
    """AURC with all errors last, as the exact sum: the usual r + (1-r) ln(1-r) is 7 % off at 12 errors of 30."""
    right = of - errors
    return math.fsum((i - right) / i for i in range(right + 1, of + 1)) / of if of else math.nan


def e_aurc(confidence: Sequence[float], wrong: Sequence[bool]) -> float:
    """The part of AURC that a better order could save (Geifman, Uziel & El-Yaniv 2019)."""
    return aurc(confidence, wrong) - aurc_optimal(len(confidence), sum(wrong))


def coverage_at_risk(confidence: Sequence[float], wrong: Sequence[bool], risk: float) -> float:
    """The largest share that can be answered at no more than this risk, 0 when nothing can; nan without questions."""
    if not confidence:
        return math.nan
    return max((share for share, at in risk_coverage(confidence, wrong) if at <= risk + 1e-12), default=0.0)


def _blocks(confidence: Sequence[float], wrong: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Size and errors of each block of equal confidence, the most confident first."""
    check_scores(confidence)
    ordered = sorted(zip(confidence, wrong, strict=True), reverse=True)
    for _, block in itertools.groupby(ordered, key=lambda pair: pair[0]):
        flags = [bool(bad) for _, bad in block]
        yield len(flags), sum(flags)
