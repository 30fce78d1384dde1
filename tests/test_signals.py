"""Signals give a number for any ranking, and the number that they are named for."""

from __future__ import annotations

import math
from pathlib import Path

import build
import pytest
import toys

from ragkit import signals
from ragkit.corpus import Corpus
from ragkit.models import MiniLM
from ragkit.records import Chunk, Hit, Ranking
from ragkit.signals import COSINES, FOUND_COSINE, SIGNALS, TOP_COSINE, Signal, cosine_signals, nearby, rarest, weights
from ragkit.vectors import space

QUESTIONS = ["", "???", "What is it?", "annual leave", "sabbatical", "KX-9"]
every_signal = pytest.mark.parametrize("signal", (*SIGNALS, *cosine_signals(build.TOY)), ids=repr)
every_question = pytest.mark.parametrize("question", QUESTIONS)

THREE = ("annual leave days", "door code", "leave the door")


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toys.use_results(tmp_path, monkeypatch)


def value(signal: Signal, question: str, *scores: float) -> float:
    corpus = build.corpus(*THREE)
    return signal(build.ranking(question, corpus, *scores), corpus)


@every_signal
@every_question
def test_every_signal_answers_an_empty_ranking(signal: Signal, question: str) -> None:
    assert not math.isnan(value(signal, question))


@every_signal
@every_question
def test_every_signal_answers_an_empty_corpus(signal: Signal, question: str) -> None:
    assert not math.isnan(signal(Ranking(question), build.corpus()))


@every_signal
@pytest.mark.parametrize("scores", [(1.0,), (2.0, 2.0), (0.0, 0.0, 0.0), (-1.0, -2.0)])
def test_every_signal_gives_a_finite_number_for_hits(signal: Signal, scores: tuple[float, ...]) -> None:
    assert math.isfinite(value(signal, "annual leave", *scores))


@every_signal
def test_a_signal_prints_as_its_name(signal: Signal) -> None:
    assert repr(signal) == signal.name != ""


def test_no_two_signals_share_a_name() -> None:
    assert len({signal.name for signal in (*SIGNALS, *COSINES)}) == len(SIGNALS) + len(COSINES)


def test_every_signal_of_the_module_is_listed() -> None:
    assert {found for found in vars(signals).values() if isinstance(found, Signal)} == {
        *SIGNALS,
        *COSINES,
        FOUND_COSINE,
    }


@pytest.mark.parametrize(
    ("name", "scores", "expected"),
    [
        ("top", (4.0, 1.0), 4.0),
        ("top", (), -math.inf),
        ("top_per_idea", (4.0, 1.0), 2.0),
        ("gap", (4.0, 1.0, 0.5), 3.0),
        ("gap", (4.0,), 4.0),
        ("gap", (), -math.inf),
        ("zscore", (4.0, 1.0, 1.0), math.sqrt(2)),
        ("zscore", (2.0, 2.0), 0.0),
        ("zscore", (), 0.0),
    ],
)
def test_signals_of_the_scores(name: str, scores: tuple[float, ...], expected: float) -> None:
    (signal,) = (signal for signal in SIGNALS if signal.name == name)
    assert value(signal, "annual leave", *scores) == pytest.approx(expected)


# Of three chunks `annual` is in one and `leave` in two: ln(1 + 2.5 / 1.5) and ln(1 + 1.5 / 2.5); `zebra` in none
ANNUAL, LEAVE, NONE = math.log(8 / 3), math.log(1.6), math.log(8)


@pytest.mark.parametrize(
    ("name", "question", "hits", "expected"),
    [
        ("coverage_corpus", "annual leave", 0, 1.0),
        ("coverage_corpus", "annual zebra", 0, ANNUAL / (ANNUAL + NONE)),
        ("coverage_retrieved", "annual leave", 0, 0.0),
        ("coverage_retrieved", "annual leave", 1, 1.0),
        ("coverage_retrieved", "annual code", 2, 1.0),
        ("coverage_passage", "annual leave", 1, 1.0),
        ("coverage_passage", "annual leave", 2, 1.0),
        ("coverage_passage", "annual code", 2, 0.5),
        ("coverage_passage", "leave annual door", 1, (ANNUAL + LEAVE) / (ANNUAL + 2 * LEAVE)),
        ("rarest", "annual leave", 1, -ANNUAL),
        ("rarest", "annual zebra", 1, -NONE),
        ("rarest", "", 1, -math.inf),
    ],
)
def test_signals_of_the_ideas(name: str, question: str, hits: int, expected: float) -> None:
    (signal,) = (signal for signal in SIGNALS if signal.name == name)
    assert value(signal, question, *[1.0] * hits) == pytest.approx(expected)


@pytest.mark.parametrize("scores", [(1.0, 1.0), (9.0, 0.1), (-3.0, 0.0)])
@pytest.mark.parametrize("name", ["coverage_corpus", "coverage_retrieved", "coverage_passage", "rarest"])
def test_a_signal_of_ideas_does_not_read_the_scores(name: str, scores: tuple[float, ...]) -> None:
    (signal,) = (signal for signal in SIGNALS if signal.name == name)
    assert value(signal, "annual code", *scores) == value(signal, "annual code", 5.0, 4.0)


def test_ideas_are_weighed_by_rarity() -> None:
    found = weights("annual leave zebra", build.corpus(*THREE))
    assert [(idea.word, pytest.approx(weight)) for idea, weight in found] == [
        ("annual", ANNUAL),
        ("leave", LEAVE),
        ("zebra", NONE),
    ]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("annual leave zebra", ["zebra", "annual", "leave"]),
        ("annual days code", ["code", "days", "annual"]),
        ("", []),
    ],
)
def test_the_rarest_idea_comes_first_and_of_equals_the_last(question: str, words: list[str]) -> None:
    assert [idea.word for idea in rarest(question, build.corpus(*THREE))] == words


# In the space of a model: from the question (1, 0) the six chunks are at 0.6, 0.8, 0, -1, 0.28 and 0.96

SIX = ("Annual leave.", "The door.", "Cats sleep. Dogs bark.", "Green is fine. Or else.", "Blue.", "Red is it. It is.")
PLACES = [[3, 4], [4, 3], [0, 1], [-1, 0], [7, 24], [24, 7]]
SENTENCES = {"Cats sleep.": [3, 1], "Dogs bark.": [0, -1], "Green is fine.": [1, 0], "Or else.": [-1, 0]}
EMBED = build.fixed(
    "six", **dict(zip(SIX, PLACES, strict=True)), **SENTENCES, **{"q": [1, 0], "Red is it.": [0, 1], "It is.": [0, 1]}
)
NEAREST = [5, 1, 0, 4, 2]


def cosine(name: str, ranking: Ranking, corpus: Corpus) -> float:
    (signal,) = (signal for signal in cosine_signals(EMBED) if signal.name == name)
    return signal(ranking, corpus)


def of_chunks(corpus: Corpus, *places: int) -> Ranking:
    return Ranking("q", tuple(Hit(corpus.chunks[n], 1 / (1 + n)) for n in places))


@pytest.mark.parametrize(
    ("name", "chunks", "expected"),
    [
        ("top_cosine", 6, 0.96),
        ("top_cosine", 1, 0.6),
        ("top_cosine", 0, -math.inf),
        ("cosine_gap", 6, 0.96 - 0.8),
        ("cosine_gap", 2, 0.8 - 0.6),
        ("cosine_gap", 1, 0.6),
        ("cosine_gap", 0, -math.inf),
        ("cosine_mean", 6, (0.96 + 0.8 + 0.6 + 0.28 + 0) / 5),
        ("cosine_mean", 2, 0.7),
        ("cosine_mean", 0, -math.inf),
        ("best_sentence", 6, 3 / math.sqrt(10)),
        ("best_sentence", 1, 0.6),
        ("best_sentence", 0, -math.inf),
    ],
)
@pytest.mark.parametrize("places", [(), (0,), (3, 2)])
def test_a_cosine_looks_at_all_chunks_whatever_was_retrieved(
    name: str, chunks: int, expected: float, places: tuple[int, ...]
) -> None:
    corpus = build.corpus(*SIX[:chunks])
    ranking = of_chunks(corpus, *(n for n in places if n < chunks))
    found = cosine(name, ranking, corpus)
    assert found == pytest.approx(expected, abs=5e-4) and type(found) is float


@pytest.mark.parametrize(("name", "expected"), [("top_cosine", 0.6), ("cosine_gap", 0.0), ("cosine_mean", 0.6)])
def test_equal_chunks_are_equally_near(name: str, expected: float) -> None:
    corpus = build.corpus("Annual leave.", "Annual leave.", "Annual leave.")
    assert cosine(name, of_chunks(corpus), corpus) == pytest.approx(expected, abs=5e-4)


def test_the_sentences_nearby_are_those_of_the_five_nearest_as_a_reader_sees_them() -> None:
    corpus = build.corpus(*SIX)
    (near,) = space(EMBED, corpus).nearest(["q"], signals.FEW)
    assert near.places.tolist() == NEAREST
    sentences = ["Red is it.", "It is.", "The door.", "Annual leave.", "Blue.", "Cats sleep.", "Dogs bark."]
    assert nearby(near, corpus) == sentences
    assert nearby(near, build.corpus(*["See [it](x.md), leave."] * 6)) == ["See it, leave."] * 5


@pytest.mark.parametrize(
    ("places", "agreement", "same_first"),
    [
        ((), 0, 0),
        ((3,), 0, 0),
        ((5,), 1 / 5, 1),
        ((0, 1), 2 / 5, 0),
        (NEAREST, 1, 1),
        (NEAREST[::-1], 1, 0),
        ((0, 1, 2, 3, 4, 5), 4 / 5, 0),
    ],
)
def test_agreement_of_a_retriever_with_the_cosines(
    places: tuple[int, ...], agreement: float, same_first: float
) -> None:
    corpus = build.corpus(*SIX)
    ranking = of_chunks(corpus, *places)
    for asked in (ranking, Ranking("q", (), (ranking,))):
        assert cosine("agreement", asked, corpus) == agreement
        assert cosine("same_first", asked, corpus) == same_first


@pytest.mark.parametrize(
    ("parts", "agreement", "same_first"),
    [
        ([(), ()], 0, 0),
        ([(0, 1, 2), ()], 0, 0),
        ([(0, 1, 2), (0, 3)], 1 / 3, 1),
        ([(0, 1, 2), (1, 0, 2)], 1, 0),
        ([(0, 1, 2, 3, 4, 5), (5, 0, 1, 2, 3, 4)], 4 / 5, 0),
        ([(0,), (1,), (0,)], 0, 0),
    ],
)
def test_agreement_of_the_parts_of_a_fused_ranking(
    parts: list[tuple[int, ...]], agreement: float, same_first: float
) -> None:
    corpus = build.corpus(*SIX)
    fused = Ranking("q", of_chunks(corpus, 3, 4).hits, tuple(of_chunks(corpus, *places) for places in parts))
    assert cosine("agreement", fused, corpus) == agreement
    assert cosine("same_first", fused, corpus) == same_first


@pytest.mark.parametrize("name", ["agreement", "same_first"])
def test_nothing_agrees_about_an_empty_corpus(name: str) -> None:
    assert cosine(name, Ranking("q"), build.corpus()) == 0.0


def test_of_equally_near_chunks_the_first_by_id_is_the_same_first() -> None:
    corpus = build.corpus("Blue.", "Annual leave.", "Annual leave.")
    assert [cosine("same_first", of_chunks(corpus, n), corpus) for n in range(3)] == [0, 1, 0]


def test_the_cosines_are_those_of_the_model_that_needs_no_key() -> None:
    assert {signal.of.args for signal in COSINES} == {(MiniLM(),)}
    assert [signal.gate for signal in COSINES] == ["below-cosine"] * 4 + ["below-floor"] * 2


def test_the_found_cosine_is_that_of_the_best_hit_and_of_no_other_chunk() -> None:
    leave, codes = Chunk("a", "a.md", "Leave is 25 days."), Chunk("b", "b.md", "The vault code has eight letters.")
    known = Corpus.of_chunks([leave, codes])
    asked = "How many days of leave?"
    found = [FOUND_COSINE(Ranking(asked, tuple(Hit(each, 1.0) for each in hits)), known) for hits in ([leave], [codes])]
    both = FOUND_COSINE(Ranking(asked, (Hit(codes, 2.0), Hit(leave, 1.0))), known)
    assert both == found[0] == TOP_COSINE(Ranking(asked), known) > found[1]
    assert FOUND_COSINE(Ranking(asked), known) == -math.inf
