"""Signals of a ranking: named numbers that a score gate can put a floor under and that a study can compare.

All answer an empty ranking. Higher means surer, except where a docstring says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from ragkit.concept import Concept, concepts, form, holding, rarity, remembered
from ragkit.models import Embed, MiniLM
from ragkit.records import Chunk, Ranking
from ragkit.sentence import sentences
from ragkit.text import visible

if TYPE_CHECKING:
    from ragkit.corpus import Corpus
    from ragkit.vectors import Near


@dataclass(frozen=True)
class Signal:
    """A named function of a ranking and the corpus it came from; `gate` is the name of a floor under it."""

    name: str
    of: Callable[[Ranking, Corpus], float]
    gate: str = "below-floor"

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


# In the space of a model. These look at the question and at all chunks, whatever was retrieved.
FEW = 5


@remembered  # several signals look at the same neighbours
def _nearest(asked: tuple[Embed, str], corpus: Corpus) -> Near:
    from ragkit.vectors import space

    embed, question = asked
    return space(embed, corpus).nearest([question], FEW)[0]


def _near(embed: Embed, ranking: Ranking, corpus: Corpus) -> Near:
    return _nearest((embed, ranking.question), corpus)


def _top_cosine(embed: Embed, ranking: Ranking, corpus: Corpus) -> float:
    return max(_near(embed, ranking, corpus).cosines.tolist(), default=-math.inf)


def _found_cosine(embed: Embed, ranking: Ranking, corpus: Corpus) -> float:
    from ragkit.vectors import shown_text, space

    texts = [shown_text(hit.chunk) for hit in ranking.hits]
    return max(space(embed, corpus).likeness(ranking.question, texts).tolist()) if texts else -math.inf


def _cosine_gap(embed: Embed, ranking: Ranking, corpus: Corpus) -> float:
    first, second = [*_near(embed, ranking, corpus).cosines.tolist(), -math.inf, -math.inf][:2]
    return first - second if second > -math.inf else first


def _cosine_mean(embed: Embed, ranking: Ranking, corpus: Corpus) -> float:
    found = _near(embed, ranking, corpus).cosines.tolist()
    return fmean(found) if found else -math.inf


def _best_sentence(embed: Embed, ranking: Ranking, corpus: Corpus) -> float:
    from ragkit.vectors import space

    texts = nearby(_near(embed, ranking, corpus), corpus)
    return max(space(embed, corpus).likeness(ranking.question, texts).tolist()) if texts else -math.inf


def _agreement(embed: Embed, ranking: Ranking, corpus: Corpus) -> float:
    first, second = (ids[:FEW] for ids in _orders(embed, ranking, corpus))
    return len(set(first) & set(second)) / max(len(first), len(second), 1)


def _same_first(embed: Embed, ranking: Ranking, corpus: Corpus) -> float:
    first, second = (ids[:1] for ids in _orders(embed, ranking, corpus))
    return float(bool(first) and first == second)


def _orders(embed: Embed, ranking: Ranking, corpus: Corpus) -> tuple[list[str], list[str]]:
    """The ids by the two retrievers of a fused ranking, else by the retriever and by cosine."""
    first, *more = [[hit.chunk.id for hit in part.hits] for part in ranking.parts or (ranking,)]
    return first, more[0] if more else [corpus.chunks[n].id for n in _near(embed, ranking, corpus).places]


def nearby(near: Near, corpus: Corpus) -> list[str]:
    """The sentences of the nearest chunks, as they are embedded."""
    cited = (citation.quote for n in near.places for citation in sentences(corpus.chunks[n]))
    return [text for text in map(visible, cited) if text.strip()]


@cache  # the signals of a model are the same ones each time: systems that hold them compare
def cosine_signals(embed: Embed) -> tuple[Signal, ...]:
    """What the vectors of a model say: the cosine of the nearest chunk, its lead over the second, the mean of the five
    nearest, the best sentence in those, and how far two retrievers agree (share of the first five, and of the first).
    """
    return (
        Signal("top_cosine", partial(_top_cosine, embed), "below-cosine"),
        Signal("cosine_gap", partial(_cosine_gap, embed), "below-cosine"),
        Signal("cosine_mean", partial(_cosine_mean, embed), "below-cosine"),
        Signal("best_sentence", partial(_best_sentence, embed), "below-cosine"),
        Signal("agreement", partial(_agreement, embed)),
        Signal("same_first", partial(_same_first, embed)),
    )


TOP = Signal("top", _top)
TOP_PER_IDEA = Signal("top_per_idea", _top_per_idea)
GAP = Signal("gap", _gap)
ZSCORE = Signal("zscore", _zscore)
COVERAGE_CORPUS = Signal("coverage_corpus", _coverage_corpus)
COVERAGE_RETRIEVED = Signal("coverage_retrieved", _coverage_retrieved)
COVERAGE_PASSAGE = Signal("coverage_passage", _coverage_passage)
RAREST = Signal("rarest", _rarest)
SIGNALS = (TOP, TOP_PER_IDEA, GAP, ZSCORE, COVERAGE_CORPUS, COVERAGE_RETRIEVED, COVERAGE_PASSAGE, RAREST)

COSINES = cosine_signals(MiniLM())
FOUND_COSINE = Signal("found_cosine", partial(_found_cosine, MiniLM()), "below-cosine")  # of what was retrieved alone
TOP_COSINE, COSINE_GAP, COSINE_MEAN, BEST_SENTENCE, AGREEMENT, SAME_FIRST = COSINES
