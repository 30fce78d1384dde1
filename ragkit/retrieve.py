"""Lexical retrieval: postings on numpy, BM25 and TF-IDF with their sources, and the chunks ranked for a question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ragkit.concept import concepts
from ragkit.records import BadInput, Hit, Ranking
from ragkit.text import stems

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ragkit.corpus import Corpus

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
        return counts.tf / counts.lengths[counts.chunk] * np.log(1 + counts.chunks / counts.df)[counts.term]


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each term stands in each chunk: `term`, `chunk` and `tf` run along the postings, sorted by term, then
    chunk; `df` along the terms; `lengths` along the chunks."""

    chunks: int
    term: NDArray[np.int64]
    chunk: NDArray[np.int32]
    tf: NDArray[np.int64]
    df: NDArray[np.int64]
    lengths: NDArray[np.int64]


class Postings:
    """An inverted index over chunks given as lists of terms."""

    def __init__(self, terms: Sequence[Sequence[str]], weight: BM25 | TFIDF = BM25()) -> None:
        vocabulary: defaultdict[str, int] = defaultdict()
        vocabulary.default_factory = vocabulary.__len__
        self.size = len(terms)
        lengths = np.fromiter(map(len, terms), np.int64, self.size)
        ids = np.fromiter(map(vocabulary.__getitem__, chain.from_iterable(terms)), np.int32, int(lengths.sum()))
        counts = _count(ids, lengths, len(vocabulary))
        impact = weight.impacts(counts) if self.size else np.zeros(0)
        spans = (slice(*ends) for ends in pairwise([0, *np.cumsum(counts.df).tolist()]))
        self._of = {term: (counts.chunk[span], impact[span]) for term, span in zip(vocabulary, spans, strict=True)}

    def scores(self, terms: Sequence[str]) -> NDArray[np.float64]:
        """The score of every chunk. Shape (chunks,); a term that is asked twice counts twice."""
        return _summed(*self._postings(terms), self.size)

    def top(self, terms: Sequence[str], k: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The k best of the chunks that hold a term, and their scores; equal scores stand in chunk order."""
        chunk, impact = self._postings(terms)
        total = _summed(chunk, impact, self.size)
        found = _best(total, chunk, k, len(terms))
        return found, total[found]

    def _postings(self, terms: Sequence[str]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The postings of all terms, one after another: two long arrays cost less than many short ones."""
        parts = [part for part in map(self._of.get, terms) if part]
        if not parts:
            return np.zeros(0, np.intp), np.zeros(0)
        chunks, impacts = zip(*parts, strict=True)
        return np.concatenate(chunks, dtype=np.intp), np.concatenate(impacts)


def _count(ids: NDArray[np.int32], lengths: NDArray[np.int64], terms: int) -> Counts:
    """Counts from one long list of term ids. Equal (term, chunk) keys are one posting."""
    chunks = len(lengths)
    keys = ids * np.int64(max(chunks, 1))
    keys += np.repeat(np.arange(chunks, dtype=np.int32), lengths)
    keys, tf = np.unique(keys, return_counts=True)
    term, chunk = np.divmod(keys, max(chunks, 1))
    return Counts(chunks, term, chunk.astype(np.int32), tf, np.bincount(term, minlength=terms), lengths)


def _summed(chunk: NDArray[np.intp], impact: NDArray[np.float64], chunks: int) -> NDArray[np.float64]:
    """The total of each chunk."""
    return np.bincount(chunk, impact, chunks).astype(np.float64, copy=False)  # of no postings, bincount gives integers


def _best(total: NDArray[np.float64], touched: NDArray[np.intp], k: int, times: int) -> NDArray[np.intp]:
    """The k best of the touched chunks, each of which stands there at most `times` times.

    So the k best are among the chunks that score at least as high as place `k * times`; only those are sorted.
    """
    cut = len(touched) - k * times
    if cut > 0:
        seen = total[touched]
        ordered = seen.copy()
        ordered.partition(cut)
        touched = touched[seen >= ordered[cut]]
    touched = np.unique(touched)
    return touched[(-total[touched]).argsort(kind="stable")[:k]]


@dataclass(frozen=True)
class Lexical:
    """Ranks chunks by the words they share with the question and with what the term dictionary gives for them."""

    weight: BM25 | TFIDF = BM25()

    def on(self, corpus: Corpus) -> Retrieve:
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
