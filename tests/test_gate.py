"""Gates judge the question as it was asked, whatever the ranking says."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import build
import pytest
import toys
from hypothesis import given
from hypothesis import strategies as st

from ragkit.corpus import Corpus, Folder
from ragkit.gate import WITHIN, Anything, Coverage, Floor, Gate, Nothing
from ragkit.records import BadInput, Document, Hit, Ranking, Verdict
from ragkit.signals import COVERAGE_CORPUS, SIGNALS, TOP, Signal, cosine_signals
from ragkit.text import Analyzer

COSINES = cosine_signals(build.TOY)
GATES = [Anything(), Nothing(), *(Floor(signal, 0.5) for signal in (*SIGNALS, *COSINES)), *map(Coverage, WITHIN)]
QUESTIONS = ["", "???", "What is it?", "annual leave", "sabbatical", "KX-9", "annual code"]
every_gate = pytest.mark.parametrize("gate", GATES, ids=repr)
every_cover = pytest.mark.parametrize("gate", [*map(Coverage, WITHIN)], ids=repr)
every_question = pytest.mark.parametrize("question", QUESTIONS)

THREE = ("annual leave days", "door code", "leave the door")


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toys.use_results(tmp_path, monkeypatch)


def judge(gate: Gate, question: str, *scores: float, texts: tuple[str, ...] = THREE) -> Verdict:
    corpus = build.corpus(*texts)
    return gate.on(corpus)(build.ranking(question, corpus, *scores))


# Any ranking, any corpus


@every_gate
@every_question
def test_every_gate_answers_an_empty_ranking(gate: Gate, question: str) -> None:
    assert judge(gate, question).refused


@every_gate
@every_question
def test_every_gate_answers_an_empty_corpus(gate: Gate, question: str) -> None:
    assert judge(gate, question, texts=()).refused


@pytest.mark.parametrize("gate", [gate for gate in GATES if gate != Nothing()], ids=repr)
@every_question
def test_an_empty_corpus_is_named_as_the_reason(gate: Gate, question: str) -> None:
    assert judge(gate, question, texts=()).gate == "empty-index"


def test_the_reason_counts_the_files_of_an_empty_index() -> None:
    corpus = Corpus.of_chunks([])
    corpus.folder = Folder("x", (Document("a.md", ""), Document("b.md", "")))
    assert "2 files read" in Anything().on(corpus)(Ranking("leave")).reason


@pytest.mark.parametrize("gate", [gate for gate in GATES if gate != Nothing()], ids=repr)
@pytest.mark.parametrize("question", ["", "???", "What is it?"])
def test_a_question_without_a_word_matches_nothing(gate: Gate, question: str) -> None:
    assert judge(gate, question, 1.0, 1.0).gate == "no-match"


@every_gate
def test_a_refusal_has_a_reason(gate: Gate) -> None:
    assert judge(gate, "sabbatical").reason


@every_gate
def test_a_gate_prints_as_its_own_recipe(gate: Gate) -> None:
    named = {signal.name: signal for signal in (*SIGNALS, *COSINES)}
    kinds = {kind.__name__: kind for kind in (Anything, Nothing, Floor, Coverage)}
    assert eval(repr(gate), kinds | named) == gate


# Anything and Nothing


def test_anything_lets_every_hit_pass() -> None:
    assert not judge(Anything(), "sabbatical leave", 0.1).refused


def test_nothing_refuses_every_question() -> None:
    assert judge(Nothing(), "annual leave", 99.0).refused


# Floor


@pytest.mark.parametrize(
    ("score", "refused"), [(2.0, False), (math.nextafter(2.0, 3.0), False), (math.nextafter(2.0, 1.0), True)]
)
def test_a_value_equal_to_the_floor_answers(score: float, refused: bool) -> None:
    assert judge(Floor(TOP, 2.0), "annual leave", score).refused is refused


def test_a_value_below_the_floor_is_named() -> None:
    verdict = judge(Floor(TOP, 2.0), "annual leave", 1.257)
    assert (verdict.gate, verdict.reason) == ("below-floor", "top is 1.26, below the floor of 2")


SCORE = Signal("top_cosine", lambda ranking, corpus: ranking.hits[0].score, "below-cosine")


@pytest.mark.parametrize(
    ("cosine", "told"),
    [
        (0.45, ""),
        (0.4500001, ""),
        (0.4498, "0.4498"),
        (0.449999999, "0.449999999"),
        (0.449, "0.449"),
        (0.44499, "0.44"),
        (0.1, "0.10"),
        (-0.2, "-0.20"),
        (-math.inf, "-inf"),
    ],
)
def test_a_floor_under_a_cosine(cosine: float, told: str) -> None:
    verdict = judge(Floor(SCORE, 0.45), "annual leave", cosine)
    reason = told and f"top_cosine is {told}, below the floor of 0.45"
    assert (verdict.gate, verdict.reason) == ("below-cosine" if told else "", reason)
    assert math.nextafter(0.45, 0) < 0.45 and judge(Floor(SCORE, 0.45), "annual leave", math.nextafter(0.45, 0)).refused


@pytest.mark.parametrize("signal", COSINES[:4], ids=repr)
def test_a_floor_at_the_cosine_itself_answers_and_one_above_it_refuses(signal: Signal) -> None:
    corpus = build.corpus(*THREE)
    found = build.ranking("annual leave", corpus, 1.0)
    value = signal(found, corpus)
    assert not Floor(signal, value).on(corpus)(found).refused
    assert Floor(signal, math.nextafter(value, 2)).on(corpus)(found).gate == "below-cosine"


def test_a_floor_takes_any_signal() -> None:
    assert judge(Floor(COVERAGE_CORPUS, 1.0), "annual zebra", 9.0).gate == "below-floor"


def test_a_floor_under_everything_still_needs_a_hit() -> None:
    assert judge(Floor(TOP, -math.inf), "annual leave").gate == "no-match"


@given(st.floats(allow_nan=False), st.floats(-1e9, 1e9))
def test_a_floor_refuses_exactly_what_lies_below_it(score: float, least: float) -> None:
    assert judge(Floor(TOP, least), "annual leave", score).refused is (score < least)


# Coverage


@pytest.mark.parametrize(
    ("within", "question", "hits", "gate", "concept"),
    [
        ("corpus", "annual leave", 1, "", ""),
        ("corpus", "annual zebra", 1, "unknown-term", "zebra"),
        ("corpus", "zebra or yak", 0, "unknown-term", "yak"),
        ("corpus", "annual code", 1, "", ""),
        ("retrieved", "annual code", 1, "no-coverage", "code"),
        ("retrieved", "leave code", 2, "", ""),
        ("retrieved", "annual zebra", 3, "unknown-term", "zebra"),
        ("passage", "annual code", 3, "no-coverage", "code"),
        ("passage", "annual leave", 3, "", ""),
        ("passage", "leave door", 2, "no-coverage", "door"),
        ("passage", "leave door", 3, "", ""),
        ("passage", "annual zebra", 3, "unknown-term", "zebra"),
    ],
)
def test_coverage(within: str, question: str, hits: int, gate: str, concept: str) -> None:
    verdict = judge(Coverage(within), question, *[1.0] * hits)
    assert (verdict.gate, verdict.concept) == (gate, concept)


def test_an_unknown_idea_is_named_with_the_others() -> None:
    assert 'about "zebra", "yak"' in judge(Coverage(), "zebra or yak").reason


def test_the_nearest_passage_and_what_it_lacks_are_named() -> None:
    assert 'a.md says nothing about "code"' in judge(Coverage("passage"), "annual leave code", 1.0).reason


def test_the_matched_forms_are_shown() -> None:
    assert judge(Coverage(), "carried days", 1.0, texts=("carry a day",)).reason == "carried -> carry, days -> day"


def test_an_idea_in_a_heading_without_text_is_said_to_stand_there() -> None:
    corpus = Corpus.of_chunks([build.chunk("", "Expenses", id="1"), build.chunk("daily", "Travel", id="2")])
    assert "expenses stands only above a section without text" in Coverage().on(corpus)(Ranking("expenses")).reason


@every_cover
@pytest.mark.parametrize("question", ["busy business", "business, busy", "a busy line for business"])
def test_an_unknown_word_is_not_hidden_by_a_known_one_on_its_stem(gate: Coverage, question: str) -> None:
    assert judge(gate, question, 1.0, texts=("The line is busy.",)).concept == "business"


def test_an_unknown_place_to_look_is_bad_input() -> None:
    with pytest.raises(BadInput, match="corpus, retrieved, passage"):
        Coverage("document")


TEXTS = ("annual leave days", "door code KX-7", "leave the door", "You can carry 5 days over", "costs £7")
WORDS = st.lists(
    st.sampled_from(["annual", "leave", "door", "code", "kx-7", "7", "carried", "day", "zebra", "cost"]), max_size=4
)
SCORES = st.lists(st.floats() | st.integers(-9, 9), min_size=5, max_size=5)


@every_cover
@given(WORDS, SCORES, st.integers(0, 5))
def test_no_score_talks_a_coverage_gate_into_or_out_of_an_answer(
    gate: Coverage, words: list[str], scores: list[float], k: int
) -> None:
    corpus = build.corpus(*TEXTS)
    plain = build.ranking(" ".join(words), corpus, *[1.0] * k)
    other = replace(plain, hits=tuple(map(Hit, (hit.chunk for hit in plain.hits), scores)))
    assert gate.on(corpus)(plain) == gate.on(corpus)(other)


@every_cover
@given(WORDS, st.integers(1, 5))
def test_an_idea_that_no_document_holds_is_refused_whatever_was_found(gate: Coverage, words: list[str], k: int) -> None:
    corpus = build.corpus(*TEXTS)
    found = build.ranking(" ".join([*words, "zebra"]), corpus, *[99.0] * k)
    assert (gate.on(corpus)(found).gate, gate.on(corpus)(found).concept) == ("unknown-term", "zebra")


@given(WORDS.filter(bool), st.permutations(range(5)))
def test_within_a_passage_refuses_what_within_the_corpus_refuses(words: list[str], order: list[int]) -> None:
    corpus = build.corpus(*TEXTS)
    found = Ranking(" ".join(words), tuple(Hit(corpus.chunks[n], 1.0) for n in order[:3]))
    corpus_, retrieved, passage = (Coverage(within).on(corpus)(found).refused for within in WITHIN)
    assert corpus_ <= retrieved <= passage


LONG = st.from_regex(r"[b-df-hj-np-tv-xz]{3,6}", fullmatch=True)


@every_cover
@given(LONG, st.text("aou", min_size=1, max_size=2), st.booleans())
def test_a_word_inside_another_never_decides(gate: Coverage, inner: str, rest: str, before: bool) -> None:
    longer = rest + inner if before else inner + rest
    assert judge(gate, inner, 1.0, texts=(longer,)).gate == "unknown-term"
    assert judge(gate, longer, 1.0, texts=(inner,)).gate == "unknown-term"


def test_the_analyzer_of_the_corpus_cuts_the_question() -> None:
    corpus = build.corpus("isn leave", analyzer=Analyzer(contractions=False))
    assert Coverage().on(corpus)(Ranking("isn't leave")).concept == "t"
