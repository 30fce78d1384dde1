"""Chunks in the order of their cosines, and always some."""

from __future__ import annotations

from pathlib import Path

import build
import numpy as np
import pytest
import toys

from ragkit.dense import Dense
from ragkit.models import QUERY, Encode, Encoder, MiniLM
from ragkit.records import Ranking
from ragkit.vectors import space

MODEL = build.fixed("model", leave=[3, 4], door=[4, 3], desk=[0, 1], code=[4, 3], q=[1, 0], other=[-1, 0])
FOUR = ("leave", "door", "desk", "code")


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toys.use_results(tmp_path, monkeypatch)


def ask(question: str, k: int, *texts: str) -> Ranking:
    return Dense(MODEL).on(build.corpus(*texts))([question], k)[0]


def found(ranking: Ranking) -> list[str]:
    return [hit.chunk.text for hit in ranking.hits]


def test_chunks_stand_by_their_cosine_and_equal_ones_by_id() -> None:
    ranking = ask("q", 9, *FOUR)
    assert ranking.question == "q" and not ranking.parts
    assert found(ranking) == ["door", "code", "leave", "desk"]


def test_a_hit_carries_its_cosine_as_a_plain_number() -> None:
    scores = [hit.score for hit in ask("q", 9, *FOUR).hits]
    assert scores == pytest.approx([0.8, 0.8, 0.6, 0], abs=5e-4) and {type(score) for score in scores} == {float}
    corpus = build.corpus(*FOUR)
    assert scores == space(MODEL, corpus).nearest(["q"], 9)[0].cosines.tolist()


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_a_ranking_ends_after_k(k: int) -> None:
    assert found(ask("q", k, *FOUR)) == ["door", "code", "leave", "desk"][:k]


def test_a_hit_is_the_chunk_of_the_corpus() -> None:
    corpus = build.corpus(*FOUR)
    assert all(hit.chunk in corpus.chunks for hit in Dense(MODEL).on(corpus)(["q"], 9)[0].hits)


def test_the_farthest_question_finds_as_many_as_the_nearest() -> None:
    ranking = ask("other", 2, *FOUR)
    assert found(ranking) == ["desk", "leave"] and ranking.hits[1].score < 0


@pytest.mark.parametrize("question", ["", "???", "What is it?", "sabbatical", "\ud800", "no " * 500])
def test_any_question_finds_something(question: str) -> None:
    (ranking,) = Dense(build.TOY).on(build.corpus("annual leave", "door code"))([question], 5)
    assert len(ranking.hits) == 2


def test_nothing_is_found_in_nothing_and_no_model_is_loaded() -> None:
    def never() -> None:
        raise AssertionError

    rankings = Dense(Encoder("none", never)).on(build.corpus("", "***"))(["q", "leave"], 5)
    assert rankings == [Ranking("q"), Ranking("leave")]


def test_questions_together_are_ranked_as_each_alone() -> None:
    retrieve = Dense(build.TOY).on(build.corpus("annual leave", "door code", "leave the door"))
    asked = ["leave", "", "code", "leave", "doors and codes"]
    assert retrieve(asked, 2) == [retrieve([question], 2)[0] for question in asked]
    assert retrieve([], 2) == []


def test_a_question_is_a_query_and_a_chunk_a_document() -> None:
    class Turned:
        """A question lies where the other document does."""

        def key(self, task: str) -> str:
            return task

        def load(self) -> Encode:
            rows = np.eye(2, dtype=np.float32)
            return lambda texts, task: rows[[int((text == "leave") == (task == QUERY)) for text in texts]]

    corpus = build.corpus("leave", "door")
    assert found(Dense(Turned()).on(corpus)(["door"], 1)[0]) == ["leave"]


def test_two_retrievers_of_one_model_embed_a_corpus_once() -> None:
    corpus = build.corpus(*FOUR)
    assert Dense(MODEL).on(corpus)(["q"], 1) == Dense(MODEL).on(corpus)(["q"], 1)
    assert space(MODEL, corpus).vectors.computed == 5


def test_it_prints_as_its_own_recipe() -> None:
    assert Dense() == Dense(MiniLM()) == eval(repr(Dense()), {"Dense": Dense, "MiniLM": MiniLM})
