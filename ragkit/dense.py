"""Dense retrieval: the chunks nearest to a question in the space of an embedding model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragkit.models import Embed, MiniLM
from ragkit.records import Hit, Ranking
from ragkit.retrieve import Retrieve

if TYPE_CHECKING:
    from ragkit.corpus import Corpus


@dataclass(frozen=True)
class Dense:
    """Ranks chunks by the cosine between their vector and the question's. There is always a nearest one: that a chunk
    was found says nothing."""

    embed: Embed = MiniLM()

    def on(self, corpus: Corpus) -> Retrieve:
        from ragkit.vectors import space

        def retrieve(questions: Sequence[str], k: int) -> list[Ranking]:
            found = space(self.embed, corpus).nearest(questions, k)
            hits = (tuple(map(Hit, (corpus.chunks[n] for n in near.places), near.cosines.tolist())) for near in found)
            return [Ranking(question, each) for question, each in zip(questions, hits, strict=True)]

        return retrieve
