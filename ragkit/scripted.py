"""Scripts that write answers as a good or a bad model may: for trying the guards around a model, and never one.

Each is a choice of writer for `written.Written`, and gives the same reply to the same ranking each time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragkit.answer import marked, quote
from ragkit.check import shown
from ragkit.evidence import SUPERSEDED
from ragkit.files import fingerprint
from ragkit.generate import NO_ANSWER, Reply
from ragkit.numbers import bears_out, numbers, totals
from ragkit.quantity import Number
from ragkit.records import EVERY, Chunk, Citation, Ranking
from ragkit.signals import COVERAGE_PASSAGE
from ragkit.status import labels
from ragkit.written import Write, Writer

if TYPE_CHECKING:
    from ragkit.corpus import Corpus

_AUXILIARY = re.compile(r"\b(is|are|was|were|can|may|must|will|should)( not)?\b")
_LAST_DIGIT = re.compile(r"\d(?=\D*\Z)")


@dataclass(frozen=True)
class Faithful:
    """Quotes what `answer.Quote` would, with the right markers."""

    def on(self, corpus: Corpus) -> Write:
        return lambda ranking: _reply(self, _marked(_quotes(ranking, corpus), ranking))


@dataclass(frozen=True)
class Fabricator:
    """Makes a figure up, whatever it was given, nothing among it; `marker` stands behind it, true or not."""

    marker: str = ""

    def on(self, corpus: Corpus) -> Write:
        def write(ranking: Ranking) -> Reply:
            figure = 100 + int(fingerprint(ranking.question)[:6], 16) % 900
            return _reply(self, f"The figure is {figure}. {self.marker}".rstrip())

        return write


@dataclass(frozen=True)
class SecondGuesser:
    """Refuses where no passage holds `least` of the question's ideas, by their rarity; else it is faithful."""

    least: float = 0.8

    def on(self, corpus: Corpus) -> Write:
        faithful = Faithful().on(corpus)

        def write(ranking: Ranking) -> Reply:
            sure = COVERAGE_PASSAGE(ranking, corpus) >= self.least
            return _reply(self, faithful(ranking).text if sure else NO_ANSWER)

        return write


@dataclass(frozen=True)
class Stale:
    """Quotes from the passages of the oldest version it was given, or from superseded ones; else it is faithful."""

    def on(self, corpus: Corpus) -> Write:
        known = {label.file: label.status for label in labels(corpus.folder.documents)}

        def dated(chunk: Chunk, old: str) -> bool:
            return known.get(chunk.file, chunk.status) == SUPERSEDED or chunk.version == old != ""

        def write(ranking: Ranking) -> Reply:
            old = min({hit.chunk.version for hit in ranking.hits} - set(EVERY), default="")
            stale = tuple(hit for hit in ranking.hits if dated(hit.chunk, old))
            quotes = _quotes(replace(ranking, hits=stale), corpus) or _quotes(ranking, corpus)
            return _reply(self, _marked(quotes, ranking))

        return write


@dataclass(frozen=True)
class NumberBender:
    """Faithful but for the last digit of each quote, which is one higher (0 for 9)."""

    def on(self, corpus: Corpus) -> Write:
        def write(ranking: Ranking) -> Reply:
            quotes = [replace(each, quote=_bent(each.quote)) for each in _quotes(ranking, corpus)]
            return _reply(self, _marked(quotes, ranking))

        return write


@dataclass(frozen=True)
class SumMaker:
    """Faithful, and adds up two numbers of the first passage it quotes that may be added, where there are two."""

    def on(self, corpus: Corpus) -> Write:
        def write(ranking: Ranking) -> Reply:
            quotes = _quotes(ranking, corpus)
            sums = filter(_reads_back, totals([shown(quotes[0].chunk)]) if quotes else [])
            more = (f"\nTogether that makes {_told(each)} [{_place(quotes[0], ranking)}]." for each in sums)
            return _reply(self, _marked(quotes, ranking) + next(more, ""))

        return write


@dataclass(frozen=True)
class MarkerBender:
    """Faithful but for its markers, which name the passage after the last; with `given` the next of those it was given,
    after the last the first."""

    given: bool = False

    def on(self, corpus: Corpus) -> Write:
        def write(ranking: Ranking) -> Reply:
            of = len(ranking.hits)
            named = ((each, _place(each, ranking) % of if self.given else of) for each in _quotes(ranking, corpus))
            return _reply(self, "\n".join(f"{each.quote} [{place + 1}]" for each, place in named) or NO_ANSWER)

        return write


@dataclass(frozen=True)
class Denier:
    """Faithful but for a `not` put behind the first auxiliary verb of each quote, or taken from it. Tables and code
    stay, and so does what has no such verb."""

    def on(self, corpus: Corpus) -> Write:
        def write(ranking: Ranking) -> Reply:
            quotes = [replace(each, quote=_denied(each.quote)) for each in _quotes(ranking, corpus)]
            return _reply(self, _marked(quotes, ranking))

        return write


SCRIPTS: tuple[Writer, ...] = (
    Faithful(), Fabricator(), Fabricator("[1]"), SecondGuesser(), Stale(), NumberBender(), SumMaker(), MarkerBender(),
    MarkerBender(given=True), Denier(),
)  # fmt: skip


def _quotes(ranking: Ranking, corpus: Corpus) -> Sequence[Citation]:
    return quote(ranking, corpus, most=2)


def _marked(quotes: Sequence[Citation], ranking: Ranking) -> str:
    return "\n".join(marked(each.quote, _place(each, ranking)) for each in quotes) or NO_ANSWER


def _place(citation: Citation, ranking: Ranking) -> int:
    return [hit.chunk.id for hit in ranking.hits].index(citation.chunk.id) + 1


def _bent(text: str) -> str:
    return _LAST_DIGIT.sub(lambda digit: str((int(digit[0]) + 1) % 10), text, count=1)


def _denied(text: str) -> str:
    if "|" in text or "```" in text:
        return text
    return _AUXILIARY.sub(lambda verb: verb[1] if verb[2] else f"{verb[1]} not", text, count=1)


def _reads_back(number: Number) -> bool:
    """Whether a number is read as itself where a text tells it; not so for units of several words."""
    return any(bears_out(number, read) for read in numbers(_told(number)))


def _told(number: Number) -> str:
    return f"{number.values[0]} {number.unit}".rstrip()


def _reply(script: object, text: str) -> Reply:
    return Reply(text, f"script {script}", 0, 0, 0.0)
