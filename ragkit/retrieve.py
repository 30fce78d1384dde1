"""Lexical retrieval: BM25 and TF-IDF with their sources, and the chunks ranked for a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ragkit.concept import concepts
from ragkit.records import BadInput, Hit, Ranking
from ragkit.text import stems

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragkit.corpus import Corpus
    from ragkit.postings import Counts, Postings

Retrieve = Callable[[Sequence[str], int], list[Ranking]]


class Retriever(Protocol):
    """A choice of retriever: `Lexical()`, `Dense()`, `Fused((Lexical(), Dense()))`."""

    def on(self, corpus: Corpus) -> Retrieve: ...


@dataclass(frozen=True)
class BM25:
    """BM25 with saturation `k1` and length correction `b`.

    `idf` of a term in n of N chunks is `plus-one`: ln(1 + (N - n + 0.5) / (n + 0.5)), never negative (Lucene), or
    `okapi`: ln((N - n + 0.5) / (n + 0.5)), a negative one replaced by a quarter of the mean (rank-bm25's BM25Okapi).
    """

    k1: float = 1.5
    b: float = 0.75
    idf: str = "plus-one"

    def __post_init__(self) -> None:
        if self.k1 < 0 or not 0 <= self.b <= 1:
            raise BadInput(f"{self}: k1 must be at least 0 and b between 0 and 1")
        if self.idf not in ("plus-one", "okapi"):
            raise BadInput(f"idf {self.idf!r}: unknown; use plus-one or okapi")

    def impacts(self, counts: Counts) -> NDArray[np.float64]:
        """The score of each posting."""
        import numpy as np

        n, df = counts.chunks, counts.df
        if self.idf == "plus-one":
            idf = np.log(1 + (n - df + 0.5) / (df + 0.5))
        else:
            idf = np.log(n - df + 0.5) - np.log(df + 0.5)
            idf[idf < 0] = 0.25 * idf.sum() / max(len(df), 1)
        mean = counts.lengths.mean() or 1.0
        norm = self.k1 * (1 - self.b + self.b * counts.lengths / mean)
        return idf[counts.term] * (counts.tf * (self.k1 + 1) / (counts.tf + norm[counts.chunk]))


@dataclass(frozen=True)
class TFIDF:
    """Term frequency over chunk length times ln(1 + N / n)."""

    def impacts(self, counts: Counts) -> NDArray[np.float64]:
        """The score of each posting."""
        import numpy as np

        return counts.tf / counts.lengths[counts.chunk] * np.log(1 + counts.chunks / counts.df)[counts.term]


@dataclass(frozen=True)
class Lexical:
    """Ranks chunks by the words they share with the question and with what the term dictionary gives for them."""

    weight: BM25 | TFIDF = BM25()

    def on(self, corpus: Corpus) -> Retrieve:
        from ragkit.postings import Postings

        postings = Postings(corpus.terms, self.weight)

        def retrieve(questions: Sequence[str], k: int) -> list[Ranking]:
            return [_ranking(question, postings, corpus, k) for question in questions]

        return retrieve


def query(question: str, corpus: Corpus) -> list[str]:
    """The distinct terms a question is ranked by."""
    phrases = (phrase for concept in concepts(question, corpus) for phrase in concept.phrases)
    return list(dict.fromkeys(stem for phrase in phrases for word in phrase for stem in stems(word)))


def _ranking(question: str, postings: Postings, corpus: Corpus, k: int) -> Ranking:
    places, scores = postings.top(query(question, corpus), k)
    return Ranking(question, tuple(map(Hit, (corpus.chunks[n] for n in places), scores.tolist())))
