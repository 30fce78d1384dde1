"""Scripts that write answers as a good or a bad model may: for trying the guards around a model, and never one.

Each is a choice of writer for `written.Written`, and gives the same reply to the same ranking each time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragkit.answer import quote
from ragkit.check import shown
from ragkit.evidence import SUPERSEDED
from ragkit.files import fingerprint
from ragkit.generate import NO_ANSWER, Reply
from ragkit.numbers import totals
from ragkit.quantity import Number
from ragkit.records import Citation, Ranking
from ragkit.signals import COVERAGE_PASSAGE
from ragkit.written import Write, Writer

if TYPE_CHECKING:
    from ragkit.corpus import Corpus

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
            return faithful(ranking) if sure else _reply(self, NO_ANSWER)

        return write


@dataclass(frozen=True)
class Stale:
    """Quotes from the passages of the oldest version it was given, or from superseded ones; else it is faithful."""

    def on(self, corpus: Corpus) -> Write:
        def write(ranking: Ranking) -> Reply:
            old = min((hit.chunk.version for hit in ranking.hits if hit.chunk.version), default="")
            dated = [hit for hit in ranking.hits if hit.chunk.status == SUPERSEDED or hit.chunk.version == old != ""]
            quotes = _quotes(replace(ranking, hits=tuple(dated)), corpus) or _quotes(ranking, corpus)
            return _reply(self, _marked(quotes, ranking))

        return write


@dataclass(frozen=True)
class NumberBender:
    """Faithful but for the last digit of its last number, which is one higher (0 for 9)."""

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
            sums = totals([shown(quotes[0].chunk)]) if quotes else []
            more = f"\nTogether that makes {_told(sums[0])} [{_place(quotes[0], ranking)}]." if sums else ""
            return _reply(self, _marked(quotes, ranking) + more)

        return write


@dataclass(frozen=True)
class MarkerBender:
    """Faithful but for its markers, which name the passage after the last."""

    def on(self, corpus: Corpus) -> Write:
        def write(ranking: Ranking) -> Reply:
            beyond = len(ranking.hits) + 1
            text = "\n".join(f"{each.quote} [{beyond}]" for each in _quotes(ranking, corpus))
            return _reply(self, text or NO_ANSWER)

        return write


SCRIPTS: tuple[Writer, ...] = (
    Faithful(), Fabricator(), Fabricator("[1]"), SecondGuesser(), Stale(), NumberBender(), SumMaker(), MarkerBender(),
)  # fmt: skip


def _quotes(ranking: Ranking, corpus: Corpus) -> Sequence[Citation]:
    return quote(ranking, corpus, most=2)


def _marked(quotes: Sequence[Citation], ranking: Ranking) -> str:
    return "\n".join(f"{each.quote} [{_place(each, ranking)}]" for each in quotes) or NO_ANSWER


def _place(citation: Citation, ranking: Ranking) -> int:
    return [hit.chunk.id for hit in ranking.hits].index(citation.chunk.id) + 1


def _bent(text: str) -> str:
    return _LAST_DIGIT.sub(lambda digit: str((int(digit[0]) + 1) % 10), text, count=1)


def _told(number: Number) -> str:
    return f"{number.values[0]} {number.unit}".rstrip()


def _reply(script: object, text: str) -> Reply:
    return Reply(text, f"script {script}", 0, 0, 0.0)
