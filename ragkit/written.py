"""Answers that are written to the passages, by a language model or by a script in its place, and what they cite.

A writer gives a reply to a ranking; marker `[n]` in it names hit n. A writer that finds no answer says NO_ANSWER.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from ragkit.answer import Answerer, Quote, Said, Say
from ragkit.check import shown
from ragkit.concept import remembered
from ragkit.generate import NO_ANSWER, Generate, Prompt, Reply, answered, spent
from ragkit.markers import Marker, markers, rewritten
from ragkit.records import ERROR, REFUSE, BadInput, Chunk, Citation, ModelFailed, Ranking
from ragkit.sentence import sentences
from ragkit.text import visible

if TYPE_CHECKING:
    from ragkit.corpus import Corpus

Write = Callable[[Ranking], Reply]

MOST_BEYOND = 3  # of a range such as [1-999], numbers that name no passage
_AT_A_WORD = re.compile(r"[\w\]]\Z")

RULES = (
    "You answer a question from numbered passages, and from nothing else.\n"
    "After each statement put the number of the passage that says it in square brackets, as in [1].\n"
    "Give numbers, names and codes as the passages write them. Be brief.\n"
)
MAY_REFUSE = f"If the passages do not hold the answer, reply with {NO_ANSWER} and nothing else.\n"
DEFERS = "The passages were found to be about the question: answer from them, do not judge that again.\n"


class Writer(Protocol):
    """A choice of who writes: a frozen dataclass, so that what is made of it is made once."""

    def __hash__(self) -> int: ...

    def on(self, corpus: Corpus) -> Write: ...


@dataclass(frozen=True)
class Model:
    """A language model that is given the passages; with `defer` it is asked not to refuse."""

    generate: Generate
    defer: bool = False

    def on(self, corpus: Corpus) -> Write:
        ask = self.generate.load()
        return lambda ranking: ask(prompt(ranking, defer=self.defer))


def prompt(ranking: Ranking, *, defer: bool = False) -> Prompt:
    """The passages with their numbers and headings, in the order they were found, and the question below them."""
    passages = "\n\n".join(f"[{n}] {_shown(hit.chunk)}" for n, hit in enumerate(ranking.hits, 1))
    return Prompt(RULES + (DEFERS if defer else MAY_REFUSE), f"{passages}\n\nQuestion: {ranking.question}")


def _shown(chunk: Chunk) -> str:
    about = ", ".join(filter(None, (chunk.version, chunk.status)))
    return "\n".join(filter(None, (chunk.heading + f" ({about})" * bool(about), chunk.lead, chunk.text)))


@dataclass(frozen=True)
class Written:
    """The reply of a writer, with a citation for each passage that its markers name: the sentence there that shares
    most words with what is written. A model that fails and a reply that is not whole are an error, NO_ANSWER is a
    refusal of the gate `model`. With `defer` the gates have the last word: where the writer refuses, the passages are
    quoted."""

    writer: Writer
    defer: bool = False

    def on(self, corpus: Corpus) -> Say:
        write, quote = self.writer.on(corpus), Quote().on(corpus)

        def say(ranking: Ranking) -> Said:
            try:
                reply = write(ranking)
            except ModelFailed as failed:
                return Said(error=str(failed))
            answer, cost = answered(ranking.question, reply), spent([reply])
            if answer.outcome == ERROR:
                return Said(answer.text, error=answer.error, spent=cost)
            if answer.outcome == REFUSE:
                return replace(quote(ranking) if self.defer else Said(verdict=answer.verdict), spent=cost)
            text, chunks = resolved(answer.text, [hit.chunk for hit in ranking.hits])
            return Said(text, tuple(_citation(chunk, text, corpus) for chunk in chunks), spent=cost)

        return say


def resolved(text: str, passages: list[Chunk]) -> tuple[str, list[Chunk]]:
    """A text with its markers counted anew in the order they come, a bracket each, and the passages they name. What
    names no passage stays as it is: such a number is higher than any new one, or 0. A marker that is glued to a word
    is set apart, else it may be taken for an index once all brackets are square ones.

    >>> resolved("Yes [4, 2]. No [9].", [Chunk(str(n), "a.md", "") for n in range(1, 5)])[0]
    'Yes [1][2]. No [9].'
    """
    found = markers(text, list(map(shown, passages)))
    named = dict.fromkeys(n for marker in found for n in marker.numbers if 1 <= n <= len(passages))
    new = {old: n for n, old in enumerate(named, 1)}
    ends = {marker.end for marker in found}

    def counted(marker: Marker) -> str:
        beyond = [n for n in marker.numbers if n not in new][MOST_BEYOND:]
        brackets = "".join(f"[{new.get(n, n)}]" for n in marker.numbers if n not in beyond)
        apart = marker.start not in ends and _AT_A_WORD.search(text[max(marker.start - 40, 0) : marker.start])
        return " " * bool(apart) + brackets

    return rewritten(text, found, counted), [passages[n - 1] for n in named]


def _citation(chunk: Chunk, text: str, corpus: Corpus) -> Citation:
    """The sentence of a passage that shares most words with a text; the whole of it where it has no sentence."""
    said = set(corpus.analyzer.terms(text))

    def shared(citation: Citation) -> int:
        return len(said & _terms(citation.quote, corpus))

    return max(sentences(chunk), key=shared, default=Citation(chunk, chunk.text, chunk.line))


@remembered
def _terms(quote: str, corpus: Corpus) -> frozenset[str]:
    return frozenset(corpus.analyzer.terms(visible(quote)))


def by(answerer: Answerer, writer: Writer, *, defer: bool = False) -> Answerer:
    """An answerer with its quotes written instead, at whatever depth they stand; BadInput for one that only quotes."""
    if isinstance(answerer, Quote | Written):
        return Written(writer, defer)
    inner = getattr(answerer, "answerer", None)
    if inner is None:
        raise BadInput(f"{answerer}: quotes by design, no model writes here; use a system that answers with Quote")
    return replace(answerer, answerer=by(inner, writer, defer=defer))  # type: ignore[type-var]
