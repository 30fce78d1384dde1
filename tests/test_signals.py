"""Signals give a number for any ranking, and the number that they are named for."""

from __future__ import annotations

import math

import build
import pytest

from ragkit import signals
from ragkit.records import Ranking
from ragkit.signals import SIGNALS, Signal, rarest, weights

QUESTIONS = ["", "???", "What is it?", "annual leave", "sabbatical", "KX-9"]
every_signal = pytest.mark.parametrize("signal", SIGNALS, ids=repr)
every_question = pytest.mark.parametrize("question", QUESTIONS)

THREE = ("annual leave days", "door code", "leave the door")


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
    assert len({signal.name for signal in SIGNALS}) == len(SIGNALS)


def test_every_signal_of_the_module_is_listed() -> None:
    assert {found for found in vars(signals).values() if isinstance(found, Signal)} == set(SIGNALS)


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
