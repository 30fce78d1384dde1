"""Answers made of sentences as they stand in the documents, each with its citation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ragkit.chunk import blocks
from ragkit.concept import Concept, form, form_in, remembered
from ragkit.records import BadInput, Chunk, Citation, Ranking
from ragkit.signals import weights
from ragkit.text import Passage, visible

if TYPE_CHECKING:
    from ragkit.corpus import Corpus

Say = Callable[[Ranking], tuple[Citation, ...]]

_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9£$€])")


@dataclass(frozen=True)
class Quote:
    """Quotes at most `sentences` sentences or table rows from the passage that holds most of the question's ideas; a
    further sentence is taken only for an idea that the ones before it lack. No sentence found means no answer."""

    sentences: int = 2

    def __post_init__(self) -> None:
        if self.sentences < 1:
            raise BadInput(f"Quote(sentences={self.sentences}): must be at least 1")

    def on(self, corpus: Corpus) -> Say:
        return lambda ranking: quote(ranking, corpus, most=self.sentences)


@lru_cache(maxsize=4096)  # systems that differ in their gates quote the same
def quote(ranking: Ranking, corpus: Corpus, *, most: int) -> tuple[Citation, ...]:
    """See `Quote`."""
    weighed = weights(ranking.question, corpus)
    for hit in sorted(ranking.hits, key=lambda hit: -_held(hit.chunk, weighed, corpus)):
        if found := _pick(hit.chunk, weighed, corpus, most):
            return found
    return ()


def _pick(chunk: Chunk, weighed: Sequence[tuple[Concept, float]], corpus: Corpus, most: int) -> tuple[Citation, ...]:
    """The sentences of a chunk that hold the most of the ideas, greedily, in the order they stand."""
    texts = list(_texts(chunk, corpus))
    left, picked = list(weighed), list[Citation]()
    while texts and len(picked) < most:
        best = max(texts, key=lambda text: _weight(text[1], left))
        if not _weight(best[1], left):
            break
        left = [(idea, weight) for idea, weight in left if not form_in(idea, best[1])]
        picked.append(best[0])
        texts.remove(best)
    if not picked and texts:  # the heading holds the ideas, the text below it is the answer
        picked = [texts[0][0]]
    return tuple(sorted(picked, key=lambda citation: citation.line))


@remembered
def _texts(chunk: Chunk, corpus: Corpus) -> tuple[tuple[Citation, Passage], ...]:
    """The sentences of a chunk, each laid out for looking ideas up."""
    cut = corpus.analyzer.words
    return tuple((c, Passage(cut(visible(c.quote)), c.quote)) for c in sentences(chunk))


def _held(chunk: Chunk, weighed: Sequence[tuple[Concept, float]], corpus: Corpus) -> float:
    return sum(weight for idea, weight in weighed if form(idea, chunk, corpus))


def _weight(text: Passage, weighed: Sequence[tuple[Concept, float]]) -> float:
    return sum(weight for idea, weight in weighed if form_in(idea, text))


@lru_cache(maxsize=4096)
def sentences(chunk: Chunk) -> tuple[Citation, ...]:
    """The sentences, list items and table rows of a chunk, to the letter, with the line each begins on.

    A table row comes with the header of its table, since a number without its column name says nothing.
    """
    return tuple(
        Citation(chunk, f"{header}\n{sentence}" if header else sentence, line + text[:offset].count("\n"))
        for line, text, header in blocks(chunk)
        for offset, sentence in ([(0, text)] if header else _split(text))
    )


def _split(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for end in (*(m.end() for m in _END.finditer(text)), len(text)):
        if sentence := text[start:end].strip():
            yield start + (len(text[start:end]) - len(text[start:end].lstrip())), sentence
        start = end
