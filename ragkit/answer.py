"""Answers made of sentences as they stand in the documents, each with its citation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from ragkit.concept import Concept, form, form_in, remembered
from ragkit.records import BadInput, Chunk, Citation, Ranking, Spent, Verdict
from ragkit.sentence import sentences
from ragkit.signals import weights
from ragkit.text import Passage, visible

if TYPE_CHECKING:
    from ragkit.corpus import Corpus


@dataclass(frozen=True, slots=True)
class Said:
    """What is said to a ranking: a text with a marker `[n]` for each of its citations, a verdict why nothing is, or the
    error that kept it from being said."""

    text: str = ""
    citations: tuple[Citation, ...] = ()
    verdict: Verdict = Verdict()
    error: str = ""
    spent: Spent = Spent()


Say = Callable[[Ranking], Said]


class Answerer(Protocol):
    """A choice of how an answer is made of the passages that passed the gates."""

    def on(self, corpus: Corpus) -> Say: ...


@dataclass(frozen=True)
class Quote:
    """Quotes at most `sentences` sentences or table rows from the passage that holds most of the question's ideas; a
    further sentence is taken only for an idea that the ones before it lack. No sentence found means no answer."""

    sentences: int = 2

    def __post_init__(self) -> None:
        if self.sentences < 1:
            raise BadInput(f"Quote(sentences={self.sentences}): must be at least 1")

    def on(self, corpus: Corpus) -> Say:
        return lambda ranking: quoted(quote(ranking, corpus, most=self.sentences))


def quoted(citations: Sequence[Citation], bullet: str = "") -> Said:
    """Quotes a line each, every one with its marker; the refusal `no-sentence` where there is none."""
    if not citations:
        return Said(verdict=Verdict("no-sentence", reason="the passages found hold no sentence to quote"))
    text = "\n".join(bullet + marked(citation.quote, n) for n, citation in enumerate(citations, 1))
    return Said(text, tuple(citations))


def marked(quote: str, number: int) -> str:
    """A quote with its marker; a fence must end on a line of its own."""
    return f"{quote}\n[{number}]" if quote.rstrip().endswith(("```", "~~~")) else f"{quote} [{number}]"


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
    texts = _texts(chunk, corpus)
    left, picked = list(weighed), set[int]()
    while len(picked) < min(most, len(texts)):
        weights_left = [0.0 if n in picked else _weight(text, left) for n, (_, text) in enumerate(texts)]
        best = max(range(len(texts)), key=weights_left.__getitem__)
        if not weights_left[best]:
            break
        left = [(idea, weight) for idea, weight in left if not form_in(idea, texts[best][1])]
        picked.add(best)
    if not picked and texts:  # the heading holds the ideas, the text below it is the answer
        picked = {0}
    return tuple(texts[n][0] for n in sorted(picked))


@remembered
def _texts(chunk: Chunk, corpus: Corpus) -> tuple[tuple[Citation, Passage], ...]:
    """The sentences of a chunk, each laid out for looking ideas up."""
    cut = corpus.analyzer.words
    seen = ((citation, visible(citation.quote)) for citation in sentences(chunk))
    return tuple((citation, Passage(cut(text), text)) for citation, text in seen if corpus.analyzer.speaks(text))


def _held(chunk: Chunk, weighed: Sequence[tuple[Concept, float]], corpus: Corpus) -> float:
    return sum(weight for idea, weight in weighed if form(idea, chunk, corpus))


def _weight(text: Passage, weighed: Sequence[tuple[Concept, float]]) -> float:
    return sum(weight for idea, weight in weighed if form_in(idea, text))
