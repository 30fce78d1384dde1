"""Another order of what was found, after the gates have passed it: a gate never sees what a reranker did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from ragkit.concept import form
from ragkit.records import BadInput, Hit, Ranking
from ragkit.signals import weights

if TYPE_CHECKING:
    from ragkit.corpus import Corpus

Rerank = Callable[[Ranking], Ranking]


class Reranker(Protocol):
    """A choice of reranker."""

    def on(self, corpus: Corpus) -> Rerank: ...


@dataclass(frozen=True)
class AsFound:
    """The order of the retriever."""

    def on(self, corpus: Corpus) -> Rerank:
        return lambda ranking: ranking


@dataclass(frozen=True)
class Overlap:
    """The `keep` chunks that hold most of the question's ideas, by their rarity; equals stay in the order they have. It
    stands where a design asks a model."""

    keep: int = 6

    def __post_init__(self) -> None:
        if self.keep < 1:
            raise BadInput(f"Overlap(keep={self.keep}): must be at least 1")

    def on(self, corpus: Corpus) -> Rerank:
        def rerank(ranking: Ranking) -> Ranking:
            weighed = weights(ranking.question, corpus)

            def held(hit: Hit) -> float:
                return sum(weight for idea, weight in weighed if form(idea, hit.chunk, corpus))

            best = sorted(ranking.hits, key=held, reverse=True)[: self.keep]
            return replace(ranking, hits=tuple(best))

        return rerank
