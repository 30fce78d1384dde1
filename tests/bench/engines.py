"""The engines behind one shape: an index over chunks, which are lists of words, and the top 10 of one question or many.

An engine is imported only in the process that measures it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import metadata
from typing import NamedTuple

import numpy as np

Words = Sequence[str]
TOP = 10


class Index(NamedTuple):
    """What a built engine can do; `scores` gives every chunk's score, to check that two engines do the same work."""

    one: Callable[[Words], object]
    many: Callable[[Sequence[Words]], object]
    scores: Callable[[Words], np.ndarray]


def ours(chunks: Sequence[Words]) -> Index:
    from ragkit.postings import Postings
    from ragkit.retrieve import BM25

    postings = Postings(chunks, BM25(idf="okapi"))

    def one(question: Words) -> object:
        return postings.top(question, TOP)

    return Index(one, lambda questions: [one(question) for question in questions], postings.scores)


def rank_bm25(chunks: Sequence[Words]) -> Index:
    from rank_bm25 import BM25Okapi

    index = BM25Okapi(chunks)
    places = range(len(chunks))

    def one(question: Words) -> object:
        return index.get_top_n(question, places, n=TOP)

    return Index(one, lambda questions: [one(question) for question in questions], index.get_scores)


def bm25s_numpy(chunks: Sequence[Words]) -> Index:
    return _bm25s(chunks, "numpy")


def bm25s_numba(chunks: Sequence[Words]) -> Index:
    return _bm25s(chunks, "numba")


def _bm25s(chunks: Sequence[Words], backend: str) -> Index:
    """In single precision, its default. `robertson` has the idf of rank-bm25 and leaves out the factor k1 + 1."""
    import bm25s

    index = bm25s.BM25(k1=1.5, b=0.75, method="robertson", backend=backend)
    index.index(chunks, show_progress=False)

    def many(questions: Sequence[Words]) -> object:
        return index.retrieve(questions, k=TOP, show_progress=False)

    return Index(lambda question: many([question]), many, lambda question: 2.5 * index.get_scores(question))


ENGINES = {"ragkit": ours, "rank-bm25": rank_bm25, "bm25s-numpy": bm25s_numpy, "bm25s-numba": bm25s_numba}
NEEDS = {"ragkit": (), "rank-bm25": ("rank-bm25",), "bm25s-numpy": ("bm25s",), "bm25s-numba": ("bm25s", "numba")}


def missing(engine: str) -> list[str]:
    """The packages without which the engine can not run."""
    return [name for name in NEEDS[engine] if not _version(name)]


def versions() -> str:
    names = ("numpy", "rank-bm25", "bm25s", "numba")
    return ", ".join(f"{name} {_version(name) or 'not installed'}" for name in names)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
