"""The clinic's documents and questions are what golden/README.md and gaps.csv say of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import labels
import pytest
from labels import Labels

CLINIC = Labels.of("clinic")
DOCUMENTS = {document.file: document.text for document in CLINIC.corpus.folder.documents}


@pytest.mark.parametrize("check", [*labels.CHECKS, labels.the_concept_of_an_absent_topic_is_in_no_document])
def test_documents_and_questions_fit(check: Callable[[Labels], object]) -> None:
    assert not check(CLINIC)


# The documents


def test_it_is_a_manual_of_several_documents() -> None:
    assert len(DOCUMENTS) >= 5
    assert 2000 <= sum(len(text.split()) for text in DOCUMENTS.values()) <= 3500


@pytest.mark.parametrize("words", [20, 30])
def test_a_sentence_is_as_long_as_the_study_of_windows_asks(words: int) -> None:
    lines = [line for text in DOCUMENTS.values() for line in text.split("\n") if line[:1] not in ("|", "#", "-")]
    sentences = [sentence for line in lines for sentence in re.split(r"(?<=[.!?])\s+", line)]
    assert [sentence for sentence in sentences if len(sentence.split()) == words]


def section(name: str) -> str:
    return " ".join(chunk.text for chunk in CLINIC.corpus.all_chunks if name in chunk.sections)


def test_the_rule_on_arriving_late_names_no_fee_and_that_on_no_shows_does() -> None:
    assert not re.search(r"£|\b(?:fees?|charg\w+|free)\b", section("cancellations.md#late-arrival"))
    assert re.search("£30", section("cancellations.md#fees"))


def test_there_are_evening_hours() -> None:
    assert "20:00" in section("opening-hours.md#weekly-hours")
    assert "Tuesdays and Thursdays" in section("opening-hours.md#evening-hours")


# The questions


def test_the_questions_a_commit_are_counted() -> None:
    counted = Counter(row.category for row in CLINIC.small)
    assert counted == {"q1": 5, "q2": 5, "q3": 6, "q4": 7, "q5": 4, "q7": 4, "q8": 4, "q9": 3, "q10": 4}


def test_about_half_of_the_questions_a_commit_are_unanswerable() -> None:
    assert 0.4 <= sum(not row.answerable for row in CLINIC.small) / len(CLINIC.small) <= 0.6


def test_the_probes_are_counted_so_that_none_goes_missing() -> None:
    """A row that is added is added here too; none is taken away because a gate fails it."""
    counted = Counter(row.category for row in CLINIC.probes)
    assert counted == {"q1": 5, "q2": 15, "q3": 6, "q4": 15, "q5": 4, "q7": 4, "q8": 4, "q9": 3, "q10": 4}


@pytest.mark.parametrize(("words", "answerable"), [("evening appointments", True), ("dog", False), ("late fee", False)])
def test_what_one_bar_can_not_part_is_asked(words: str, answerable: bool) -> None:
    assert [row.id for row in CLINIC.small if words in row.question and row.answerable == answerable]
