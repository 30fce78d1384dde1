"""Signals of a ranking: named numbers that a score gate can put a floor under and that a study can compare.

All answer an empty ranking. Higher means surer, except where a docstring says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from ragkit.concept import Concept, concepts, form, holding, rarity
from ragkit.records import Chunk, Ranking

if TYPE_CHECKING:
    from ragkit.corpus import Corpus


@dataclass(frozen=True)
class Signal:
    """A named function of a ranking and the corpus it came from."""

    name: str
    of: Callable[[Ranking, Corpus], float]

    def __call__(self, ranking: Ranking, corpus: Corpus) -> float:
        return self.of(ranking, corpus)

    def __repr__(self) -> str:
        return self.name


def _top(ranking: Ranking, corpus: Corpus) -> float:
    return ranking.hits[0].score if ranking.hits else -math.inf


def _top_per_idea(ranking: Ranking, corpus: Corpus) -> float:
    return _top(ranking, corpus) / max(len(concepts(ranking.question, corpus)), 1)


def _gap(ranking: Ranking, corpus: Corpus) -> float:
    first, second = ([hit.score for hit in ranking.hits] + [0.0, 0.0])[:2]
    return first - second if ranking.hits else -math.inf


def _zscore(ranking: Ranking, corpus: Corpus) -> float:
    scores = [hit.score for hit in ranking.hits]
    spread = pstdev(scores) if scores else 0.0
    return (scores[0] - fmean(scores)) / spread if spread else 0.0


def _coverage_corpus(ranking: Ranking, corpus: Corpus) -> float:
    return _share(weights(ranking.question, corpus), lambda concept: bool(holding(concept, corpus)))


def _coverage_retrieved(ranking: Ranking, corpus: Corpus) -> float:
    chunks = [hit.chunk for hit in ranking.hits]
    return _share(
        weights(ranking.question, corpus), lambda concept: any(form(concept, chunk, corpus) for chunk in chunks)
    )


def _coverage_passage(ranking: Ranking, corpus: Corpus) -> float:
    weighed = weights(ranking.question, corpus)

    def share(chunk: Chunk) -> float:
        return _share(weighed, lambda idea: bool(form(idea, chunk, corpus)))

    return max((share(hit.chunk) for hit in ranking.hits), default=0.0)


def _rarest(ranking: Ranking, corpus: Corpus) -> float:
    return -max((weight for _, weight in weights(ranking.question, corpus)), default=math.inf)


def weights(question: str, corpus: Corpus) -> list[tuple[Concept, float]]:
    """The ideas of a question, each with its rarity in the corpus."""
    ideas = concepts(question, corpus)
    return [(idea, rarity(len(holding(idea, corpus)), len(corpus.chunks))) for idea in ideas]


def rarest(question: str, corpus: Corpus) -> list[Concept]:
    """The ideas from the rarest on; of equals the later first, since English puts what is asked about last."""
    weighed = list(enumerate(weights(question, corpus)))
    return [idea for _, (idea, _) in sorted(weighed, key=lambda item: (-item[1][1], -item[0]))]


def _share(weighed: Sequence[tuple[Concept, float]], holds: Callable[[Concept], bool]) -> float:
    total = math.fsum(weight for _, weight in weighed)
    return math.fsum(weight for idea, weight in weighed if holds(idea)) / total if total else 0.0


TOP = Signal("top", _top)
TOP_PER_IDEA = Signal("top_per_idea", _top_per_idea)
GAP = Signal("gap", _gap)
ZSCORE = Signal("zscore", _zscore)
COVERAGE_CORPUS = Signal("coverage_corpus", _coverage_corpus)
COVERAGE_RETRIEVED = Signal("coverage_retrieved", _coverage_retrieved)
COVERAGE_PASSAGE = Signal("coverage_passage", _coverage_passage)
RAREST = Signal("rarest", _rarest)
SIGNALS = (TOP, TOP_PER_IDEA, GAP, ZSCORE, COVERAGE_CORPUS, COVERAGE_RETRIEVED, COVERAGE_PASSAGE, RAREST)
