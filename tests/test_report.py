"""Why a row fails, in words."""

from __future__ import annotations

import pytest

from ragkit import report
from ragkit.records import ANSWER, ERROR, REFUSE, Answer, Chunk, Citation, Golden, Outcome, Verdict

CITED = (Citation(Chunk("a.md#b", "a.md", "x", ("A", "B")), "x", 1),) * 2
REFUSED = Answer("?", REFUSE, verdict=Verdict("no-match", "x", "nothing found"))


@pytest.mark.parametrize(
    ("answerable", "answer", "why"),
    [
        (False, Answer("?", ANSWER, "x", CITED), "must be refused, was answered from a.md > A > B"),
        (False, Answer("?", ANSWER, "x"), "must be refused, was answered from what it does not cite"),
        (True, Answer("?", ANSWER, "x", CITED), "answered from a.md > A > B without the key facts 5 | 6 or with 7"),
        (True, REFUSED, "must be answered, was refused (no-match): nothing found"),
        (True, Answer("?", ERROR, error="it broke"), "error: it broke"),
    ],
)
def test_a_row_that_does_not_hold_says_why(answerable: bool, answer: Answer, why: str) -> None:
    row = Golden("k1", "?", answerable, facts=("5", "6"), forbidden=("7",))
    outcome = Outcome("s", row, answer, correct=False if answerable else None)
    assert [each["why"] for each in report.failures([outcome])] == [why]
