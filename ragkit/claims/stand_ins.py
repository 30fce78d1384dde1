"""Stand-ins for embedding models: cosines of weighted counts, which need neither a key nor weights.

They show how far a floor depends on what it lies under. None is an embedding model, and each is named a stand-in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ragkit.corpus import Corpus
from ragkit.vectors import shown_text

Cut = Callable[[str], Sequence[str]]
AXES = 50  # of latent semantic analysis; a corpus with fewer chunks has as many as those
SIZES = (3, 4, 5)  # of character n-grams
NAMES = ("words, stand-in", f"LSA of words in {AXES} axes, stand-in", "character n-grams, stand-in")


def nearest(chunks: Sequence[str], questions: Sequence[str], cut: Cut, *, axes: int = 0) -> list[float]:
    """The cosine of each question to the chunk nearest to it, by counts of terms times 1 + ln(N / df), on the first
    `axes` singular vectors of the chunks where a number is given (Deerwester et al. 1990). A question without a known
    term has 0.

    >>> [round(each, 3) for each in nearest(["a b", "c"], ["a b", "d"], str.split)]
    [1.0, 0.0]
    """
    counts = [Counter(cut(text)) for text in chunks]
    df = Counter(term for count in counts for term in count)
    places = {term: n for n, term in enumerate(sorted(df))}
    idf = np.array([1 + np.log(len(chunks) / df[term]) for term in places])

    def rows(found: Sequence[Counter[str]]) -> NDArray[np.float64]:
        made = np.zeros((len(found), len(places)))
        for row, count in zip(made, found, strict=True):
            for term in count.keys() & places.keys():
                row[places[term]] = count[term]
        return made * idf

    documents, asked = rows(counts), rows([Counter(cut(question)) for question in questions])
    if axes:
        directions = np.linalg.svd(documents, full_matrices=False)[2][:axes].T
        documents, asked = documents @ directions, asked @ directions
    return [float(each) for each in (_unit(asked) @ _unit(documents).T).max(axis=1)]


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 1e-12)


def n_grams(text: str) -> list[str]:
    """The character n-grams of a text in lower case, with one space between words."""
    plain = f" {' '.join(text.lower().split())} "
    return [plain[n : n + size] for size in SIZES for n in range(len(plain) - size + 1)]


def scored(corpus: Corpus, questions: Sequence[str]) -> Iterator[tuple[str, list[float]]]:
    """Each stand-in by name, with the cosine of the chunk nearest to each question."""
    chunks, words = [shown_text(chunk) for chunk in corpus.chunks], corpus.analyzer.terms
    found = ((words, 0), (words, AXES), (n_grams, 0))
    for name, (cut, axes) in zip(NAMES, found, strict=True):
        yield name, nearest(chunks, questions, cut, axes=axes)
