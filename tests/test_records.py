"""The nouns hold what they say and nothing more."""

from __future__ import annotations

import dataclasses
import math

import pytest

from ragkit import records
from ragkit.records import Answer, Chunk, Golden, Outcome, Rate, Verdict

NOUNS = [found for found in vars(records).values() if dataclasses.is_dataclass(found)]


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: noun.__name__)
def test_a_record_can_not_be_changed(noun: type) -> None:
    record = noun(*(None for _ in dataclasses.fields(noun)))
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(record, dataclasses.fields(noun)[0].name, "other")


@pytest.mark.parametrize(
    ("path", "heading"), [((), "leave.md"), (("Leave", "Carry over"), "leave.md > Leave > Carry over")]
)
def test_the_heading_of_a_chunk_is_its_file_and_path(path: tuple[str, ...], heading: str) -> None:
    assert Chunk("x", "leave.md", "text", path).heading == heading


def test_a_verdict_without_a_gate_lets_the_question_pass() -> None:
    assert not Verdict(reason="cars -> car").refused


def test_a_verdict_with_a_gate_refuses() -> None:
    assert Verdict("no-match").refused


@pytest.mark.parametrize(
    ("outcome", "answerable", "right"),
    [
        ("answer", True, True),
        ("answer", False, False),
        ("refuse", True, False),
        ("refuse", False, True),
        ("error", True, None),
        ("error", False, None),
    ],
)
def test_a_refusal_is_right_or_wrong_by_its_golden_row(outcome: str, answerable: bool, right: bool | None) -> None:
    assert Outcome("s", Golden("q", "Who?", answerable), Answer("Who?", outcome)).right is right


def test_a_rate_of_nothing_is_not_zero() -> None:
    assert math.isnan(Rate(0, 0).value)


def test_a_rate_is_its_fraction() -> None:
    assert Rate(3, 4).value == 0.75


@pytest.mark.parametrize(("rate", "shown"), [(Rate(5, 6), "5/6"), (Rate(2, 4, 1), "2/4 (1 left out)")])
def test_a_rate_shows_its_counts(rate: Rate, shown: str) -> None:
    assert repr(rate) == shown
