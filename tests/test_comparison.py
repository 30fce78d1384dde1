"""Two records row by row: flips, what can not be compared, and what such a set could show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit.compare import newcombe_paired
from ragkit.comparison import Comparison, compare
from ragkit.history import Record
from tests.pasts import outcome, record, row


def one(before: Record, after: Record) -> Comparison:
    (found,) = compare(before, after)
    return found


def test_a_flip_is_a_row_that_holds_on_one_side_only() -> None:
    found = one(
        record({"y1": "a", "y2": "r", "y3": "a", "n1": "r"}), record({"y1": "w", "y2": "a", "y3": "a", "n1": "a"})
    )
    assert [flip.id for flip in found.broken] == ["y1", "n1"] and [flip.id for flip in found.mended] == ["y2"]
    assert found.scored == 4 and not found.apart


def test_a_row_that_fails_in_another_way_is_shown_and_counts_as_neither() -> None:
    found = one(record({"y1": "r"}), record({"y1": "w"}))
    assert [flip.id for flip in found.flips] == ["y1"] and not found.broken and not found.mended


def test_p_and_interval_are_those_of_the_flips() -> None:
    names = [f"y{n}" for n in range(6)]
    found = one(record(dict.fromkeys(names, "a")), record(dict.fromkeys(names, "r")))
    assert found.p == 0.03125 and found.gain[0] == -1.0 and found.gain[2] < 0
    assert "fewer than 6 flips" in found.power


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (record({"y1": "a"}), record({"y1": "a", "y2": "a"}), {"y2": "is missing before"}),
        (record({"y1": "a", "y2": "a"}), record({"y1": "a"}), {"y2": "is missing after"}),
        (record({"y1": "a", "y2": "a"}), record({"y1": "a", "y2": "e"}), {"y2": "ended in an error after"}),
        (record({"y1": "a", "y2": "e"}), record({"y1": "a", "y2": "a"}), {"y2": "ended in an error before"}),
        (
            record({"y1": "a"}),
            record({"y1": "a"}, asked={"y1": "other"}),
            {"y1": "is another question, or has another label"},
        ),
    ],
)
def test_what_can_not_be_compared_says_why(before: Record, after: Record, why: dict[str, str]) -> None:
    found = one(before, after)
    assert found.apart == why and not {flip.id for flip in found.flips} & set(why)


def test_a_row_that_stands_twice_is_not_compared() -> None:
    twice = record({"y1": "a"})
    (run,) = twice.runs
    doubled = Record(twice.commit, False, {run: (*twice.runs[run], outcome(row("y1"), "r"))}, twice.rows, twice.prints)
    assert one(twice, doubled).apart == {"y1": "stands there more than once"}


@pytest.mark.parametrize(
    ("what", "note"), [("documents", "other documents"), ("model", "other model"), ("lock", "other packages")]
)
def test_another_input_is_noted(what: str, note: str) -> None:
    assert one(record({"y1": "a"}), record({"y1": "a"}, **{what: "1"})).notes == (note,)


def test_a_tree_that_was_not_its_commit_is_noted() -> None:
    assert one(record({"y1": "a"}), record({"y1": "a"}, dirty=True)).notes == ("after: not the commit as it is",)


def test_a_run_of_one_side_only_is_all_missing() -> None:
    other = record({"y1": "a"}, run=("corpus", "kestrel", "kestrel"))
    assert [each.apart for each in compare(record({"y1": "a"}), other)] == [
        {"y1": "is missing before"},
        {"y1": "is missing after"},
    ]


marks = st.dictionaries(st.sampled_from(["y1", "y2", "y3", "n1", "n2"]), st.sampled_from("awre"), min_size=1)


@given(marks, marks)
def test_every_row_is_counted_once(before: dict[str, str], after: dict[str, str]) -> None:
    found = one(record(before), record(after))
    assert found.scored + len(found.apart) == len({*before, *after})
    assert {flip.id for flip in found.flips}.isdisjoint(found.apart)


@given(marks)
def test_a_record_against_itself_has_no_flip(given_marks: dict[str, str]) -> None:
    found = one(record(given_marks), record(given_marks))
    assert not found.flips and set(found.apart) == {name for name, mark in given_marks.items() if mark == "e"}


def test_the_change_of_each_kind_of_error_is_over_its_own_rows() -> None:
    found = one(
        record({"y1": "a", "y2": "a", "y3": "r", "n1": "r", "n2": "a"}),
        record({"y1": "r", "y2": "r", "y3": "a", "n1": "a", "n2": "a"}),
    )
    refusals, answers = found.more(answerable=True), found.more(answerable=False)
    assert refusals == newcombe_paired(0, 2, 1, 0) and refusals[0] == pytest.approx(1 / 3)
    assert answers == newcombe_paired(1, 1, 0, 0) and answers[0] == 0.5
    assert all(x != x for x in one(record({"y1": "a"}), record({"y1": "a"})).more(answerable=False))
