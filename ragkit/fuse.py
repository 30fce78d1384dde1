"""Rankings fused by rank, not by score: the scores of two retrievers do not compare, their orders do."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragkit.records import BadInput, Hit, Ranking
from ragkit.retrieve import Retrieve, Retriever

if TYPE_CHECKING:
    from ragkit.corpus import Corpus


@dataclass(frozen=True)
class Fused:
    """Fuses the first `pool` hits of several retrievers by `reciprocal_ranks`; the rankings stay in `Ranking.parts`.

    `k` damps how much a first place is worth, `weights` has one for each retriever. The scores are rank arithmetic.
    """

    retrievers: tuple[Retriever, ...]
    k: float = 60
    weights: tuple[float, ...] = ()
    pool: int = 20

    def __post_init__(self) -> None:
        if self.pool < 1 or not self.retrievers:
            raise BadInput(f"Fused(pool={self.pool}) of {len(self.retrievers)} retrievers: both must be at least 1")
        reciprocal_ranks([[]] * len(self.retrievers), k=self.k, weights=self.weights)

    def on(self, corpus: Corpus) -> Retrieve:
        retrieves = [retriever.on(corpus) for retriever in self.retrievers]

        def retrieve(questions: Sequence[str], k: int) -> list[Ranking]:
            parts = zip(*(each(questions, max(k, self.pool)) for each in retrieves), strict=True)
            return [self._fused(question, each, k) for question, each in zip(questions, parts, strict=True)]

        return retrieve

    def _fused(self, question: str, parts: tuple[Ranking, ...], k: int) -> Ranking:
        chunks = {hit.chunk.id: hit.chunk for part in parts for hit in part.hits}
        ids = [[hit.chunk.id for hit in part.hits] for part in parts]
        found = reciprocal_ranks(ids, k=self.k, weights=self.weights)[:k]
        return Ranking(question, tuple(Hit(chunks[name], score) for name, score in found), parts)


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
    if not 0 < k < math.inf:
        raise BadInput(f"k={k}: must be above 0")
    parts: defaultdict[str, list[float]] = defaultdict(list)
    for weight, ranking in zip(_weights(weights, len(rankings)), rankings, strict=True):
        for rank, name in enumerate(dict.fromkeys(ranking), 1):
            parts[name].append(weight / (k + rank))
    fused = {name: math.fsum(found) for name, found in parts.items()}  # exact: the order of the rankings is no matter
    return sorted(fused.items(), key=lambda item: (-item[1], item[0]))


def weighted_sum(rankings: Sequence[Mapping[str, float]], *, weights: Sequence[float] = ()) -> list[tuple[str, float]]:
    """The ids of all rankings by the weighted sum of their scores, best first, equal ones by id.

    What `reciprocal_ranks` is there to avoid: another scale of one retriever's scores is another order.
    """
    parts: defaultdict[str, list[float]] = defaultdict(list)
    for weight, ranking in zip(_weights(weights, len(rankings)), rankings, strict=True):
        for name, score in ranking.items():
            parts[name].append(weight * score)
    return sorted(((name, math.fsum(found)) for name, found in parts.items()), key=lambda item: (-item[1], item[0]))


def _weights(weights: Sequence[float], rankings: int) -> Sequence[float]:
    """One weight for each ranking; without any all weigh one."""
    if weights and len(weights) != rankings:
        raise BadInput(f"weights: {len(weights)} for {rankings} rankings; give one for each")
    if not all(0 <= weight < math.inf for weight in weights):
        raise BadInput(f"weights={tuple(weights)}: each must be a number from 0 on")
    return weights or [1.0] * rankings
