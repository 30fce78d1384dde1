"""Rankings fused by rank, not by score: the scores of two retrievers do not compare, their orders do."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from ragkit.records import BadInput


def reciprocal_ranks(
    rankings: Sequence[Sequence[str]], *, k: float = 60, weights: Sequence[float] = ()
) -> list[tuple[str, float]]:
    """The ids of all rankings with their fused scores, best first, equal ones by id (Cormack et al. 2009).

    An id scores the sum of weight / (k + rank) over the rankings it stands in. Ranks start at one, a repeated id counts
    once and takes up no second rank, and a ranking without an id adds nothing. A fused score is no confidence: it knows
    ranks only.

    >>> reciprocal_ranks([["a", "b"], ["b"]])[0][0]
    'b'
    """
    if weights and len(weights) != len(rankings):
        raise BadInput(f"weights: {len(weights)} for {len(rankings)} rankings; give one for each")
    if k <= 0:
        raise BadInput(f"k={k}: must be above 0")
    parts: defaultdict[str, list[float]] = defaultdict(list)
    for weight, ranking in zip(weights or [1.0] * len(rankings), rankings, strict=True):
        for rank, name in enumerate(dict.fromkeys(ranking), 1):
            parts[name].append(weight / (k + rank))
    fused = {name: math.fsum(found) for name, found in parts.items()}  # exact: the order of the rankings is no matter
    return sorted(fused.items(), key=lambda item: (-item[1], item[0]))
