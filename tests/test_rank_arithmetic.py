"""A fused score is made of ranks: every value is in the enumeration, and no scale of a retriever's scores is in it."""

from __future__ import annotations

import math
from functools import cache

import pytest

from ragkit.fuse import Fused
from ragkit.models import MiniLM
from ragkit.records import Rate
from ragkit.studies import rank_arithmetic
from ragkit.studies.rank_arithmetic import SCALE
from ragkit.study import Study

HYBRID = rank_arithmetic.hybrid(MiniLM())
assert isinstance(HYBRID.retriever, Fused)
REACHABLE = rank_arithmetic.reachable(HYBRID.retriever)


@cache
def small() -> Study:
    return Study("kestrel", "kestrel")


@pytest.mark.parametrize(
    ("ranks", "published"), [((3, 4), 15.75), ((2, 2), 16.13), ((1, 3), 16.13), ((1, 2), 16.26), ((1, 1), 16.39)]
)
def test_the_published_confidence_is_a_pair_of_ranks(ranks: tuple[int, int], published: float) -> None:
    assert round(REACHABLE[ranks], 2) == published


def test_every_pair_of_two_ranks_can_come_first_and_of_one_only_the_first() -> None:
    pool = HYBRID.retriever.pool
    both = {ranks for ranks in REACHABLE if None not in ranks}
    assert both == {(a, b) for a in range(1, pool + 1) for b in range(1, pool + 1)}
    assert REACHABLE.keys() - both == {(1, None), (None, 1)}


def test_a_weight_that_makes_one_rank_worth_more_than_two_low_ones_rules_those_out() -> None:
    scores = rank_arithmetic.reachable(Fused(HYBRID.retriever.retrievers, k=1, weights=(1.0, 0.1)))
    least = SCALE * 1.0 / 2
    assert all(score >= least for ranks, score in scores.items() if None not in ranks)
    assert (20, 20) not in scores and (1, 20) in scores


def test_every_first_place_is_in_the_enumeration() -> None:
    found = rank_arithmetic.firsts(small(), HYBRID)
    assert len(found) == 30
    assert all(math.isclose(first.score, REACHABLE[first.ranks]) for first in found)


def test_every_unanswerable_row_is_told_with_its_ranks() -> None:
    rows = rank_arithmetic.behind(small(), HYBRID, MiniLM())
    assert [row["id"] for row in rows] == [row.id for row in small().rows if not row.answerable]
    assert all(-1 <= row["raw cosine"] <= 1 for row in rows)


def test_every_row_is_counted_once() -> None:
    rows = rank_arithmetic.seen(small(), HYBRID)
    assert sum(row["answerable"] + row["unanswerable"] for row in rows) == 30
    scores = [row["fused x 1000"] for row in rows]
    assert scores == sorted(scores, reverse=True)


def test_the_statement_has_the_number_of_distinct_values() -> None:
    told = rank_arithmetic.statement(small(), HYBRID)
    assert f"can score {len({round(score, 9) for score in REACHABLE.values()})} values" in told
    assert "8.20 when only one" in told and "12.50 to 16.39" in told


def test_another_scale_moves_no_first_place_of_a_fusion_of_ranks_and_some_of_a_weighted_sum() -> None:
    same, other = rank_arithmetic.rescaled(small(), MiniLM(), [1.0, 0.001])
    assert same["weighted sum"] == same["reciprocal ranks"] == other["reciprocal ranks"] == Rate(0, 30)
    assert other["weighted sum"].hits > 0
