"""The Kestrel documents and questions are what golden/README.md and gaps.csv say of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import labels
import pytest
from labels import Labels

KESTREL = Labels.of("kestrel")


@pytest.mark.parametrize("check", labels.CHECKS)
def test_documents_and_questions_fit(check: Callable[[Labels], object]) -> None:
    assert not check(KESTREL)


def test_there_are_at_least_26_chunks_under_headings() -> None:
    assert sum(bool(chunk.path) for chunk in KESTREL.corpus.chunks) >= 26


def test_there_are_30_questions_a_commit() -> None:
    assert len(KESTREL.small) == 30


@pytest.mark.parametrize(("category", "least"), [("q2", 4), ("q4", 5)])
def test_the_questions_a_commit_hold_enough_of_a_stratum(category: str, least: int) -> None:
    assert sum(row.category == category for row in KESTREL.small) >= least


def test_at_least_13_questions_a_commit_are_unanswerable() -> None:
    assert sum(not row.answerable for row in KESTREL.small) >= 13


@pytest.mark.parametrize("topic", ["crypto", "sabbatical", "parental", "CEO", "revenue", "dog"])
def test_the_questions_a_commit_ask_for_the_six_gaps(topic: str) -> None:
    named = re.compile(rf"\b{topic}\b", re.IGNORECASE)
    assert [row.id for row in KESTREL.small if not row.answerable and named.search(row.question)]


def test_the_probes_are_counted_so_that_none_goes_missing() -> None:
    """A row that is added is added here too; none is taken away because a gate fails it."""
    counted = Counter(row.category for row in KESTREL.probes)
    assert counted == {"q1": 36, "q2": 49, "q3": 40, "q4": 60, "q5": 28, "q7": 25, "q8": 28, "q9": 19, "q10": 29}


@pytest.mark.parametrize("category", ["q1", "q2", "q3", "q4"])
def test_there_are_at_least_25_probes_of_a_stratum(category: str) -> None:
    assert sum(row.category == category for row in KESTREL.probes) >= 25
