"""A synthetic corpus, whose words are as uneven as in natural text, and questions for it; the same in every process."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

STOP = 100  # the most frequent words, which content-word questions do not use


class Zipf:
    """Chunks of about 80 words; a word's number is its rank, 0 the most frequent (Zipf-Mandelbrot, exponent 1.05)."""

    def __init__(self, chunks: int, seed: int = 1) -> None:
        rng = np.random.default_rng(seed)
        vocabulary = int(max(4_000, 60 * chunks**0.6))
        lengths = np.clip(rng.normal(80, 20, chunks), 12, 200).astype(np.int64)
        mass = np.cumsum((np.arange(vocabulary) + 2.7) ** -1.05)
        drawn = rng.random(int(lengths.sum())) * mass[-1]
        self._ranks = np.searchsorted(mass, drawn)
        self._words = np.array([f"w{rank}" for rank in range(vocabulary)], dtype=object)
        self._ends = [0, *np.cumsum(lengths).tolist()]

    def chunks(self) -> list[list[str]]:
        words = self._words[self._ranks].tolist()
        return [words[low:high] for low, high in pairwise(self._ends)]

    def questions(self, count: int, seed: int = 99) -> list[list[str]]:
        """Each of 3 to 10 distinct content words of one chunk."""
        rng = np.random.default_rng(seed)
        questions: list[list[str]] = []
        while len(questions) < count:
            place = int(rng.integers(len(self._ends) - 1))
            ranks = np.unique(self._ranks[self._ends[place] : self._ends[place + 1]])
            content = rng.permutation(ranks[ranks >= STOP])[: int(rng.integers(3, 11))]
            if len(content) >= 3:
                questions.append(self._words[content].tolist())
        return questions
