"""An inverted index on numpy: how often each term stands in each chunk, and the sum of what that is worth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Weight(Protocol):
    """What a posting is worth: `BM25()`, `TFIDF()`."""

    def impacts(self, counts: Counts) -> NDArray[np.float64]: ...


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

    def __init__(self, terms: Sequence[Sequence[str]], weight: Weight) -> None:
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
