"""The gate: each rule stops by itself, nothing gets past a row that is missing, doubled, in error or labelled anew."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit.history import SOME, Record
from ragkit.merge_gate import Rules, limit
from ragkit.records import BadInput, Citation, Rate
from tests.pasts import outcome, record, row

BEFORE = record({"y1": "a", "y2": "a", "n1": "r", "n2": "r", "y3": "r"})
RULES = Rules(("passage",))


def after(**marks: str) -> Record:
    return record({"y1": "a", "y2": "a", "n1": "r", "n2": "r", "y3": "r"} | marks)


def test_no_change_passes_and_so_does_a_row_that_is_mended() -> None:
    assert RULES.findings(BEFORE, after()) == [] == RULES.findings(BEFORE, after(y3="a"))


@pytest.mark.parametrize(("name", "mark"), [("y1", "r"), ("y1", "w"), ("n1", "a")])
def test_a_row_that_held_and_no_longer_does_stops(name: str, mark: str) -> None:
    (line,) = RULES.findings(BEFORE, after(**{name: mark}))
    assert f"passage kestrel kestrel: {name} held and no longer does" in line


def must(**marks: str) -> Record:
    return record({"y1": "a", "y2": "a", "n1": "r", "n2": "r"} | marks, must="y1 n1")


def test_with_must_only_the_rows_that_are_marked_stop() -> None:
    rules = Rules(("passage",), must_only=True)
    assert rules.findings(must(), must(y2="r")) == []
    assert "y1 held" in rules.findings(must(), must(y1="r"))[0] and "n1 held" in rules.findings(must(), must(n1="a"))[0]


@pytest.mark.parametrize(
    ("text", "breaks"),
    [
        ("false_answers<=0", {"n1": "a"}),
        ("false_answers<=49%", {"n1": "a"}),
        ("false_refusals<=1", {"y1": "r"}),
        ("right_answers>=2", {"y1": "r"}),
        ("correctness>=100%", {"y1": "w"}),
    ],
)
def test_an_allowance_stops_by_itself(text: str, breaks: dict[str, str]) -> None:
    rules = Rules(
        ("passage",), must_only=True, limits=(limit(text), limit("false_answers<=1"), limit("false_refusals<=2"))
    )
    assert rules.findings(BEFORE, after()) == []
    (line,) = rules.findings(BEFORE, after(**breaks))
    assert f"allowed is {text}" in line


@pytest.mark.parametrize(
    "text", ["", "false_answers", "false_answers<1", "speed<=3", "recall>=x", "mrr>=3", "recall>=-1"]
)
def test_what_is_no_allowance_is_told(text: str) -> None:
    with pytest.raises(BadInput, match="allowance"):
        limit(text)


def test_a_rate_of_no_rows_is_within_no_allowance() -> None:
    assert not limit("false_answers<=5").allows(Rate(0, 0)) and limit("false_answers<=5").allows(Rate(0, 1))


@pytest.mark.parametrize(
    ("rules", "did"),
    [
        (Rules(("passage",), must_only=True), "answer"),
        (Rules(("passage",), must_only=True, limits=(limit("false_answers<=1"),)), "refuse"),
        (Rules(("passage",), must_only=True, limits=(limit("false_refusals<=3"),)), "answer"),
        (Rules(("passage",), must_only=True, limits=(limit("false_answers<=2"), limit("false_refusals<=2"))), "answer"),
    ],
)
def test_rules_that_a_lazy_system_would_pass_are_an_error(rules: Rules, did: str) -> None:
    with pytest.raises(BadInput, match=f"whose every outcome is {did}"):
        rules.findings(BEFORE, after())


@pytest.mark.parametrize("measure", ["citation_present", "cites_line", "version_correct"])
def test_a_lazy_system_is_as_lucky_with_what_it_cites(measure: str) -> None:
    cited = (Citation(SOME, "", 1),)
    runs = {
        run: tuple(
            replace(o, answer=replace(o.answer, citations=cited), cites_line=True, version_correct=True)
            if o.answer.outcome == "answer"
            else o
            for o in outcomes
        )
        for run, outcomes in after().runs.items()
    }
    rules = Rules(("passage",), must_only=True, limits=(limit(f"{measure}>=90%"),))
    with pytest.raises(BadInput, match="whose every outcome is answer"):
        rules.findings(BEFORE, replace(after(), runs=runs))


def test_a_system_that_was_not_evaluated_is_told() -> None:
    with pytest.raises(BadInput, match="no rows of other on either side"):
        Rules(("other",)).findings(BEFORE, after())


def test_a_system_that_is_not_asked_about_does_not_stop() -> None:
    lost = record({"y1": "r"}, run=("corpus", "kestrel", "kestrel"))
    both = [
        Record(r.commit, False, {**r.runs, **o.runs}, r.rows, {**r.prints, **o.prints})
        for r, o in ((BEFORE, record({"y1": "a"}, run=("corpus", "kestrel", "kestrel"))), (after(), lost))
    ]
    assert RULES.findings(*both) == []
    assert Rules(("passage", "corpus")).findings(*both) != []


# Never passes

marks = st.fixed_dictionaries({name: st.sampled_from("awr") for name in ("y1", "y2", "n1", "n2")})
lax = Rules(("passage",), must_only=True, limits=(limit("false_answers<=100"), limit("false_refusals<=100")))
every_rule = st.sampled_from([RULES, lax])


def stops(rules: Rules, before: Record, after: Record) -> bool:
    """Whether a pair does not pass: it has findings, or the rules themselves are an error."""
    try:
        return bool(rules.findings(before, after))
    except BadInput:
        return True


@given(marks, st.sampled_from(["y1", "n1"]), every_rule, st.booleans())
def test_a_missing_row_never_passes(given_marks: dict[str, str], name: str, rules: Rules, first: bool) -> None:
    less = {each: mark for each, mark in given_marks.items() if each != name}
    sides = (record(less), record(given_marks)) if first else (record(given_marks), record(less))
    assert stops(rules, *sides) and any("is missing" in line for line in rules.findings(*sides))


@given(marks, st.sampled_from(["y1", "n1"]), every_rule)
def test_a_row_in_error_never_passes(given_marks: dict[str, str], name: str, rules: Rules) -> None:
    findings = rules.findings(record(given_marks), record(given_marks | {name: "e"}))
    assert any("ended in an error" in line for line in findings)


@given(marks, st.sampled_from(["y1", "n1"]), st.sampled_from("awr"), every_rule)
def test_a_doubled_row_never_passes(given_marks: dict[str, str], name: str, mark: str, rules: Rules) -> None:
    found = record(given_marks)
    (run,) = found.runs
    doubled = Record(found.commit, False, {run: (*found.runs[run], outcome(row(name), mark))}, found.rows, found.prints)
    assert any("more than once" in line for line in rules.findings(record(given_marks), doubled))


@given(marks, st.sampled_from(["y1", "n1"]), every_rule)
def test_another_label_never_passes(given_marks: dict[str, str], name: str, rules: Rules) -> None:
    other = record(given_marks, asked={name: "another question"})
    assert any("another label" in line for line in rules.findings(record(given_marks), other))


@given(marks, marks)
def test_what_passes_has_no_broken_row(before: dict[str, str], after: dict[str, str]) -> None:
    if not stops(RULES, record(before), record(after)):
        held = {name for name, mark in before.items() if mark == ("a" if "y" in name else "r")}
        assert held <= {name for name, mark in after.items() if mark == ("a" if "y" in name else "r")}


def test_a_mark_that_is_dropped_still_stops() -> None:
    before, after = (
        record({"y1": "a", "y2": "a", "n1": "r"}, must="y1 y2"),
        record({"y1": "r", "y2": "a", "n1": "r"}, must="y2"),
    )
    assert any("y1 held" in line for line in Rules(("passage",), must_only=True).findings(before, after))


def test_a_mark_that_is_dropped_is_itself_a_reason_to_stop() -> None:
    marks = {"y1": "a", "y2": "a", "n1": "r"}
    found = Rules(("passage",), must_only=True).findings(record(marks, must="y1 y2"), record(marks, must="y2"))
    assert found == ["passage kestrel kestrel: y1 is no longer marked must"]


def test_a_golden_file_can_be_left_out() -> None:
    both = record({"y1": "a", "n1": "r"})
    other = record({"y1": "a", "n1": "r"}, run=("passage", "two", "two"))
    after = replace(
        both, runs={**both.runs, **other.runs}, rows={**both.rows, **other.rows}, prints={**both.prints, **other.prints}
    )
    assert any("missing before" in line for line in Rules(("passage",)).findings(both, after))
    assert Rules(("passage",), golden=("kestrel",)).findings(both, after) == []
