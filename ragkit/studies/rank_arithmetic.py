"""The first half of notebook 02: the score of a fused ranking is made of ranks, and carries no confidence."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragkit import stats
from ragkit.dense import Dense
from ragkit.fuse import Fused, reciprocal_ranks, weighted_sum
from ragkit.models import Embed
from ragkit.records import Chunk, Golden, Ranking, Rate
from ragkit.retrieve import Lexical
from ragkit.signals import TOP
from ragkit.studies.experiment import Row
from ragkit.study import PUBLISHED, Study
from ragkit.system import System
from ragkit.vectors import shown_text, space

Ranks = tuple[int | None, ...]
SCALE = 1000  # the published fused scores are shown a thousand times as large


def hybrid(embed: Embed) -> System:
    """The published rule on the published fusion: BM25 and cosine, half and half, 60 in the denominator."""
    return replace(PUBLISHED, name="hybrid", retriever=Fused((Lexical(), Dense(embed)), weights=(0.5, 0.5)))


@dataclass(frozen=True, slots=True)
class First:
    """The first chunk of a fused ranking, its score as published, and its rank in each part (None: absent)."""

    row: Golden
    score: float
    ranks: Ranks
    chunk: Chunk

    @property
    def pair(self) -> str:
        return ", ".join("none" if rank is None else str(rank) for rank in self.ranks)


def firsts(study: Study, system: System) -> list[First]:
    """What the fusion puts first for each row that finds anything."""
    found = []
    for outcome in study.outcomes(system):
        ranking = outcome.answer.ranking
        if ranking.hits:
            best = ranking.hits[0]
            ranks = tuple(_rank(best.chunk, part) for part in ranking.parts)
            found.append(First(outcome.golden, SCALE * best.score, ranks, best.chunk))
    return found


def _rank(chunk: Chunk, ranking: Ranking) -> int | None:
    return next((n for n, hit in enumerate(ranking.hits, 1) if hit.chunk.id == chunk.id), None)


def behind(study: Study, system: System, embed: Embed) -> list[Row]:
    """For each unanswerable row the fused score of the first chunk, the pair of ranks behind it, and its raw cosine."""
    likeness = space(embed, study.bot(system).corpus).likeness
    return [
        {
            "id": first.row.id,
            "question": first.row.question,
            "fused x 1000": first.score,
            "ranks (BM25, cosine)": first.pair,
            "raw cosine": float(likeness(first.row.question, [shown_text(first.chunk)])[0]),
        }
        for first in firsts(study, system)
        if not first.row.answerable
    ]


def reachable(fused: Fused) -> dict[Ranks, float]:
    """Every pair of ranks that a first chunk can have, with its score, whatever was asked and whatever the corpus.

    A chunk in both parts can always be first; one in a single part only from the first place there.
    """
    lone: dict[Ranks, float] = {ranks: _score(ranks, fused) for ranks in ((1, None), (None, 1))}
    pairs = itertools.product(range(1, fused.pool + 1), repeat=2)
    both: dict[Ranks, float] = {ranks: _score(ranks, fused) for ranks in pairs}
    return {ranks: score for ranks, score in both.items() if score >= max(lone.values())} | lone


def _score(ranks: Sequence[int | None], fused: Fused) -> float:
    """What `reciprocal_ranks` gives a chunk at these ranks."""
    parts = [
        [*(f"other {n} {rank}" for rank in range(1, rank or 1)), *(["it"] if rank else [])]
        for n, rank in enumerate(ranks)
    ]
    return SCALE * dict(reciprocal_ranks(parts, k=fused.k, weights=fused.weights))["it"]


def seen(study: Study, system: System) -> list[Row]:
    """The pairs of ranks that came first, and how many answerable and unanswerable rows have each, the best first."""
    found = firsts(study, system)
    counts = Counter((first.pair, round(first.score, 9), first.row.answerable) for first in found)
    pairs = sorted({(score, pair) for pair, score, _ in counts}, key=lambda each: (-each[0], each[1]))
    return [
        {
            "ranks (BM25, cosine)": pair,
            "fused x 1000": score,
            "answerable": counts[pair, score, True],
            "unanswerable": counts[pair, score, False],
        }
        for score, pair in pairs
    ]


def statement(study: Study, system: System) -> str:
    """What the fused score can say, in exact sentences."""
    assert isinstance(system.retriever, Fused)
    scores = reachable(system.retriever)
    both = [score for ranks, score in scores.items() if None not in ranks]
    values, lone = {round(score, 9) for score in scores.values()}, max(set(scores.values()) - set(both))
    low, high = study.sides(TOP, system)
    first = [sum(math.isclose(SCALE * score, max(both)) for score in side) for side in (low, high)]
    return (
        f"The first place can score {len(values)} values, whatever the question: {lone:.2f} when only one\n"
        f"retriever found the chunk, else {min(both):.2f} to {max(both):.2f}. First by both, {max(both):.2f}, are\n"
        f"{first[0]} of {len(low)} answerable and {first[1]} of {len(high)} unanswerable questions.\n"
        f"AUROC of the fused score: {stats.auroc(low, high):.2f}."
    )


def rescaled(study: Study, embed: Embed, factors: Sequence[float]) -> list[Row]:
    """How many rows get another first chunk when the BM25 scores are told on another scale, by each kind of fusion."""
    ranked = [first.answer.ranking.parts for first in study.outcomes(hybrid(embed))]
    rows = []
    for factor in factors:
        row: Row = {"BM25 scores times": factor}
        for by in FUSIONS:
            moved = sum(_first_place(by, parts, factor) != _first_place(by, parts, 1.0) for parts in ranked)
            row[by] = Rate(moved, len(ranked))
        rows.append(row)
    return rows


FUSIONS = ("reciprocal ranks", "weighted sum")


def _first_place(by: str, parts: Sequence[Ranking], factor: float) -> str:
    scored = [
        {hit.chunk.id: hit.score * scale for hit in part.hits} for part, scale in zip(parts, (factor, 1.0), strict=True)
    ]
    if by == FUSIONS[1]:
        return next(iter(weighted_sum(scored)), ("", 0.0))[0]
    orders = [sorted(scores, key=lambda name, scores=scores: (-scores[name], name)) for scores in scored]  # type: ignore[misc]
    return next(iter(reciprocal_ranks(orders)), ("", 0.0))[0]
