"""What other tools read of two commits: Markdown that stays a table, XML that parses, figures with one direction."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ragkit import summary
from ragkit.comparison import compare
from ragkit.history import Record
from tests.pasts import RUN, record

BEFORE = record({"y1": "a", "y2": "r", "n1": "r", "n2": "r"})
AFTER = record({"y1": "r", "y2": "a", "n1": "a", "n2": "e"}, sha="b" * 40)


def told(question: str = "why?", before: Record = BEFORE, after: Record = AFTER) -> str:
    return summary.markdown(compare(before, after), before, after, {("kestrel", "y1"): question})


def test_the_headline_the_measures_and_the_flips_are_there() -> None:
    text = told()
    assert "aaaaaaaaaaaa to bbbbbbbbbbbb" in text and "2 broken, 1 mended of 3 compared" in text
    assert "| false answers | 0/2 (0-66 %) | 1/1 (21-100 %, 1 left out) |" in text
    assert "| broken | y1 | answer | refuse unknown-term (word) | why? |" in text
    assert "not comparable: n2 ended in an error after" in text
    assert "- false refusals: +50 points" in text or "- false refusals: +0 points" in text


@given(st.text())
def test_no_question_breaks_the_table_or_becomes_a_tag_or_a_mention(question: str) -> None:
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(told(question))
    plain = MarkdownIt("commonmark", {"html": True}).enable("table").render(told(""))
    assert html.count("<tr>") == plain.count("<tr>") and html.count("<td") == plain.count("<td")
    assert "<script" not in html and "<img src=x" not in html


@pytest.mark.parametrize("question", ["a | b", "<script>x</script>", "<img src=x>", "@someone", "a\nb", "`x` | `"])
def test_such_a_question_is_shown_as_text(question: str) -> None:
    (line,) = (line for line in told(question).splitlines() if "y1" in line)
    assert line.replace("\\|", "").count("|") == 6 and "<" not in line and "@s" not in line


def test_many_flips_are_cut_and_counted() -> None:
    names = [f"y{n}" for n in range(summary.MOST + 7)]
    text = told(before=record(dict.fromkeys(names, "a")), after=record(dict.fromkeys(names, "r")))
    assert text.count("| broken |") == summary.MOST and "and 7 more" in text


def test_a_comment_is_never_longer_than_github_takes() -> None:
    long = {("kestrel", f"y{n}"): "why? " * 400 for n in range(50)}
    sides = (
        record(dict.fromkeys([f"y{n}" for n in range(50)], "a")),
        record(dict.fromkeys([f"y{n}" for n in range(50)], "r")),
    )
    text = summary.markdown(compare(*sides), *sides, long)
    assert len(text) < 65_000 and text.endswith("The rest is cut off; the page has all of it.\n")


def test_many_rows_that_can_not_be_compared_are_cut_and_counted() -> None:
    text = told(before=record({"y": "a"}), after=record({f"y{n}": "a" for n in range(summary.MOST + 7)}))
    assert text.count("is missing before") == summary.MOST and "- and 8 more" in text


@pytest.mark.parametrize("question", ["[a](http://e)", "*a*", "_a_", "~~a~~", "`a`"])
def test_markdown_in_a_question_is_shown_as_text(question: str) -> None:
    html = MarkdownIt("gfm-like", {"linkify": False}).render(told(question))
    assert f"<td>{question}</td>" in html.replace("\u200b", "")


def test_junit_has_a_case_a_row_and_counts_them() -> None:
    (suite,) = ElementTree.fromstring(summary.junit(AFTER, [RUN[0]]))
    assert suite.attrib == {"name": "passage kestrel kestrel", "tests": "4", "failures": "2", "errors": "1"}
    kinds = {case.attrib["name"]: [child.tag for child in case] for case in suite}
    assert kinds == {"y1": ["failure"], "y2": [], "n1": ["failure"], "n2": ["error"]}


def test_an_error_with_odd_letters_is_still_xml() -> None:
    odd = {
        run: tuple(replace(o, answer=replace(o.answer, error="a \x00\x1b[31m < & \ufffe")) for o in outcomes)
        for run, outcomes in AFTER.runs.items()
    }
    assert ElementTree.fromstring(summary.junit(replace(AFTER, runs=odd), [RUN[0]])) is not None


def test_each_direction_has_its_own_figures_with_their_counts() -> None:
    smaller, bigger = (json.loads(summary.benchmark(AFTER, [RUN[0]], smaller=side)) for side in (True, False))
    assert [each["name"].split(": ")[1] for each in smaller] == ["false answers", "false refusals"]
    assert {each["name"].split(": ")[1] for each in bigger} <= {"recall", "faithfulness", "correctness"}
    assert smaller[0] == {
        "name": "passage kestrel kestrel: false answers",
        "unit": "share",
        "value": 1.0,
        "extra": "1 of 1, 1 left out",
    }


def test_a_system_that_is_not_asked_about_is_in_none() -> None:
    assert len(ElementTree.fromstring(summary.junit(AFTER, ["other"]))) == 0
    assert json.loads(summary.benchmark(AFTER, ["other"], smaller=True)) == []
