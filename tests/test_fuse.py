"""A fused order knows ranks only, and a sum of scores does not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import build
import pytest
import toys
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from ragkit.corpus import Corpus
from ragkit.dense import Dense
from ragkit.fuse import Fused, reciprocal_ranks, weighted_sum
from ragkit.records import BadInput, Hit, Ranking
from ragkit.retrieve import Lexical, Retrieve

IDS = [f"{n:03}" for n in range(8)]
EIGHT = build.corpus(*(f"word{n}" for n in range(8)))


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toys.use_results(tmp_path, monkeypatch)


@dataclass(frozen=True)
class Scored:
    """A retriever that gives some chunks these scores, whatever is asked."""

    scores: tuple[tuple[str, float], ...]

    def on(self, corpus: Corpus) -> Retrieve:
        ranked = sorted(self.scores, key=lambda item: (-item[1], item[0]))
        hits = tuple(Hit(corpus.chunks[corpus.places[name]], score) for name, score in ranked)
        return lambda questions, k: [Ranking(question, hits[:k]) for question in questions]


def scored(scores: Mapping[str, float]) -> Scored:
    return Scored(tuple(scores.items()))


def ranked(*names: str) -> Scored:
    """A retriever that finds these chunks in this order."""
    return Scored(tuple((name, -float(n)) for n, name in enumerate(names)))


def ask(fused: Fused, k: int = 5) -> Ranking:
    return fused.on(EIGHT)(["q"], k)[0]


def order(ranking: Ranking) -> list[str]:
    return [hit.chunk.id for hit in ranking.hits]


# Fused rankings


def test_the_scores_are_those_of_reciprocal_ranks() -> None:
    ranking = ask(Fused((ranked("002", "001", "000"), ranked("001", "003")), weights=(2, 1), k=10))
    expected = reciprocal_ranks([["002", "001", "000"], ["001", "003"]], weights=(2, 1), k=10)
    assert [(hit.chunk.id, hit.score) for hit in ranking.hits] == expected
    assert ranking.question == "q" and all(hit.chunk in EIGHT.chunks for hit in ranking.hits)


def test_the_rankings_stay_as_parts() -> None:
    retrievers = ranked("002", "001"), ranked("001", "003"), ranked()
    assert ask(Fused(retrievers), 1).parts == tuple(each.on(EIGHT)(["q"], 20)[0] for each in retrievers)


def test_a_chunk_that_both_found_counts_once() -> None:
    ranking = ask(Fused((ranked("000", "001"), ranked("001", "000"))))
    assert order(ranking) == ["000", "001"] and {hit.score for hit in ranking.hits} == {1 / 61 + 1 / 62}


@pytest.mark.parametrize(("k", "pool", "asked"), [(5, 20, 20), (5, 3, 5), (30, 20, 30), (1, 1, 1)])
def test_the_retrievers_are_asked_for_the_pool_and_at_least_for_k(k: int, pool: int, asked: int) -> None:
    seen = []

    class Seeing:
        def on(self, corpus: Corpus) -> Retrieve:
            return lambda questions, k: seen.append(k) or [Ranking(question) for question in questions]

    ask(Fused((Seeing(), Seeing()), pool=pool), k)
    assert seen == [asked] * 2


def test_what_both_found_late_comes_before_what_one_found_first() -> None:
    first, second = ranked("000", "001", "002", "007"), ranked("003", "004", "005", "007")
    assert order(ask(Fused((first, second)), 3)) == ["007", "000", "003"]
    assert order(ask(Fused((first, second), pool=3), 3)) == ["000", "003", "001"]


@pytest.mark.parametrize(("weights", "first"), [((), "000"), ((1, 1), "000"), ((1, 2), "001"), ((0, 1), "001")])
def test_a_weight_for_each_retriever(weights: tuple[float, ...], first: str) -> None:
    assert order(ask(Fused((ranked("000"), ranked("001")), weights=weights)))[0] == first


def test_a_small_k_favours_a_first_place() -> None:
    both = ranked("000", "002", "001"), ranked("003", "004", "001")
    assert [order(ask(Fused(both, k=k)))[0] for k in (0.1, 60)] == ["000", "001"]


def test_many_questions_are_each_fused_alone() -> None:
    retrieve = Fused((Lexical(), Dense(build.TOY))).on(build.corpus("annual leave", "door code", "leave the door"))
    asked = ["leave", "", "the code", "sabbatical", "leave"]
    assert retrieve(asked, 2) == [retrieve([question], 2)[0] for question in asked]
    assert [ranking.question for ranking in retrieve(asked, 2)] == asked and retrieve([], 2) == []


def test_words_and_vectors_find_what_either_finds() -> None:
    ranking = Fused((Lexical(), Dense(build.TOY))).on(build.corpus("annual leave", "door code"))(["sabbatical"], 5)[0]
    lexical, dense = ranking.parts
    assert (len(lexical.hits), len(dense.hits), len(ranking.hits)) == (0, 2, 2)


def test_nothing_is_found_in_nothing() -> None:
    empty = Ranking("q")
    assert Fused((Lexical(), Dense(build.TOY))).on(build.corpus())(["q"], 5) == [Ranking("q", (), (empty, empty))]


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ({"pool": 0}, "pool=0"),
        ({"pool": -1}, "pool=-1"),
        ({"retrievers": ()}, "0 retrievers"),
        ({"k": 0}, "k=0: must be above 0"),
        ({"k": -1}, "k=-1"),
        ({"k": math.nan}, "k=nan"),
        ({"k": math.inf}, "k=inf"),
        ({"weights": (1,)}, "1 for 2 rankings"),
        ({"weights": (1, 1, 1)}, "3 for 2 rankings"),
        ({"weights": (1, -1)}, "each must be a number from 0 on"),
        ({"weights": (1, math.nan)}, "each must be"),
        ({"weights": (math.inf, 1)}, "each must be"),
    ],
    ids=str,
)
def test_a_choice_that_can_not_be_is_bad_input(bad: dict, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        Fused(**{"retrievers": (Lexical(), Dense())} | bad)


@pytest.mark.parametrize("weights", [(1,), (1, -1), (1, math.nan)])
def test_a_weight_that_can_not_be_is_bad_input_for_a_sum_too(weights: tuple[float, ...]) -> None:
    with pytest.raises(BadInput, match="weights"):
        weighted_sum([{"a": 1}, {"b": 1}], weights=weights)


def test_it_prints_as_its_own_recipe() -> None:
    fused = Fused((Lexical(), Dense()), k=10, weights=(1, 2), pool=7)
    names = {type(part).__name__: type(part) for part in (fused, *fused.retrievers, Dense().embed, Lexical().weight)}
    assert eval(repr(fused), names) == fused


# The arithmetic: 1000 x the sum of 0.5 / (60 + rank)


@pytest.mark.parametrize(
    ("ranks", "told"), [((3, 4), 15.749), ((2, 2), 16.129), ((1, 3), 16.133), ((1, 2), 16.261), ((1, 1), 16.393)]
)
def test_fused_scores_by_hand(ranks: tuple[int, int], told: float) -> None:
    rankings = [[*IDS[: rank - 1], "x"] for rank in ranks]
    score = dict(reciprocal_ranks(rankings, weights=(0.5, 0.5)))["x"]
    assert 1000 * score == pytest.approx(told, abs=0.0005)
    assert score == pytest.approx(float(sum(Fraction(1, 2 * (60 + rank)) for rank in ranks)), rel=1e-15)


def test_a_first_and_a_third_place_are_just_above_two_second_places() -> None:
    found = reciprocal_ranks([["b", "a", "c"], ["d", "a", "b"]], weights=(0.5, 0.5))
    assert [name for name, _ in found] == ["b", "a", "d", "c"]


# Ranks, not scores

SCORES = st.dictionaries(st.sampled_from(IDS), st.integers(-3, 3), max_size=8)
RISING = st.lists(st.floats(-1e6, 1e6), min_size=7, max_size=7, unique=True).map(sorted)
WEIGHTS = st.tuples(*[st.sampled_from([0.5, 1, 3])] * 2)


def changed(scores: Mapping[str, float], rising: Sequence[float]) -> dict[str, float]:
    """The scores after a strictly monotone change."""
    return {name: rising[int(score) + 3] for name, score in scores.items()}


@given(SCORES, SCORES, RISING, RISING, WEIGHTS, st.integers(1, 9))
def test_a_monotone_change_of_the_scores_of_a_retriever_changes_nothing(
    first: dict, second: dict, rising: list, other: list, weights: tuple, pool: int
) -> None:
    def fused(*scores: Mapping[str, float]) -> list[tuple[str, float]]:
        ranking = ask(Fused(tuple(map(scored, scores)), weights=weights, pool=pool))
        return [(hit.chunk.id, hit.score) for hit in ranking.hits]

    expected = fused(first, second)
    assert fused(changed(first, rising), second) == expected
    assert fused(first, changed(second, other)) == expected
    assert fused(changed(first, rising), changed(second, other)) == expected


def summed(*scores: Mapping[str, float]) -> list[str]:
    return [name for name, _ in weighted_sum(scores)]


def test_another_scale_of_one_retriever_is_another_order_of_the_sums() -> None:
    words, vectors = {"a": 2.0, "b": 1.0}, {"a": 0.1, "b": 1.5}
    assert summed(words, vectors) == ["b", "a"]
    assert summed({name: 10 * score for name, score in words.items()}, vectors) == ["a", "b"]
    assert summed({name: score + 9 for name, score in words.items()}, {"b": 1.5}) == ["b", "a"]


def test_a_search_finds_a_monotone_change_that_turns_the_sums_round() -> None:
    apart = find(
        st.tuples(SCORES, SCORES, RISING),
        lambda drawn: summed(drawn[0], drawn[1]) != summed(changed(drawn[0], drawn[2]), drawn[1]),
        settings=settings(max_examples=2000, phases=[Phase.generate]),
    )
    first, second, rising = apart
    both = tuple(map(scored, (first, second))), tuple(map(scored, (changed(first, rising), second)))
    assert order(ask(Fused(both[0]))) == order(ask(Fused(both[1])))


@given(st.lists(st.dictionaries(st.sampled_from(IDS), st.floats(-1e9, 1e9), max_size=8), max_size=4), st.data())
def test_a_weighted_sum_is_the_sum_over_all_rankings(rankings: list[dict[str, float]], data: st.DataObject) -> None:
    drawn = st.lists(st.floats(0, 9), min_size=len(rankings), max_size=len(rankings))
    weights = data.draw(st.just([]) | drawn)
    used = weights or [1.0] * len(rankings)
    brute = {
        name: float(sum(Fraction(w * found[name]) for w, found in zip(used, rankings, strict=True) if name in found))
        for name in {name for found in rankings for name in found}
    }
    assert weighted_sum(rankings, weights=weights) == sorted(brute.items(), key=lambda item: (-item[1], item[0]))
