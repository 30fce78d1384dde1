"""The parts of a published front-desk bot that needs no package: plain TF-IDF and verbatim bullets.

Its windows are `chunk.Windows(plain=True)`, its stemmer is `front-desk` of `forms.STEMMERS`.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragkit.answer import Said, Say, quoted
from ragkit.chunk import HEADING
from ragkit.records import BadInput, Chunk, Citation, Hit, Ranking
from ragkit.retrieve import Retrieve
from ragkit.text import visible

if TYPE_CHECKING:
    from ragkit.corpus import Corpus

BAR = 0.095
REFUSAL = (
    "I could not find that in the manual, so I can not answer it from our documents. "
    "Please ask the front desk; they will help you."
)
_END = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*(?:[-*+|#]|\d+\.)\s?)")


@dataclass(frozen=True)
class Tally:
    """Ranks chunks by the sum of tf / length x ln(1 + N / df) over the distinct terms of the question, counted in the
    text of the chunk alone."""

    def on(self, corpus: Corpus) -> Retrieve:
        counts = [Counter(corpus.analyzer.terms(visible(chunk.text))) for chunk in corpus.chunks]
        lengths = [max(count.total(), 1) for count in counts]
        df = Counter(term for count in counts for term in count)
        idf = {term: math.log(1 + len(counts) / n) for term, n in df.items()}

        def scored(question: str) -> Iterator[Hit]:
            terms = [term for term in dict.fromkeys(corpus.analyzer.terms(question)) if term in idf]
            for chunk, count, length in zip(corpus.chunks, counts, lengths, strict=True):
                if score := math.fsum(count[term] / length * idf[term] for term in terms):
                    yield Hit(chunk, score)

        def retrieve(questions: Sequence[str], k: int) -> list[Ranking]:
            ranked = (
                heapq.nsmallest(k, scored(asked), key=lambda hit: (-hit.score, hit.chunk.id)) for asked in questions
            )
            return [Ranking(asked, tuple(hits)) for asked, hits in zip(questions, ranked, strict=True)]

        return retrieve


@dataclass(frozen=True)
class Bullets:
    """Quotes at most `most` sentences of the passages at or above the bar, in the order they were found: those with two
    terms of the question or more, and where there is none, those with one."""

    most: int = 2
    least: float = BAR

    def __post_init__(self) -> None:
        if self.most < 1:
            raise BadInput(f"Bullets(most={self.most}): must be at least 1")

    def on(self, corpus: Corpus) -> Say:
        cut = corpus.analyzer.terms

        def say(ranking: Ranking) -> Said:
            asked = set(cut(ranking.question))
            found = [each for hit in ranking.hits if hit.score >= self.least for each in _sentences(hit.chunk)]
            held = [(each, len(asked & set(cut(visible(each.quote))))) for each in found]
            strong, whole = ([each for each, terms in held if terms >= least] for least in (2, 1))
            return quoted(list(dict.fromkeys(strong or whole))[: self.most], "- ")

        return say


def _sentences(chunk: Chunk) -> Iterator[Citation]:
    """The sentences of a window as they stand, each below the last heading above it; headings are left out, and the
    first and the last sentence may be cut."""
    start = 0
    for end in (*_END.finditer(chunk.text), None):
        stop = end.start() if end else len(chunk.text)
        sentence = chunk.text[start:stop].strip()
        if found := HEADING.fullmatch(sentence.split("\n", 1)[0]):
            chunk = replace(chunk, path=(*chunk.path[: len(found[1]) - 1], found[2]))
        elif sentence and not sentence.startswith("#"):
            at = chunk.text.index(sentence, start)
            yield Citation(chunk, sentence, chunk.line + chunk.text.count("\n", 0, at))
        start = end.end() if end else stop
