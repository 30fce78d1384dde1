"""Markers in all shapes that people write, what only looks like one, and sentences that carry none."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragkit.markers import markers, masked, plain, unmarked, unresolved

# Texts in which brackets, digits and signs of Markdown are common.
texts = st.one_of(
    st.text(max_size=60),
    st.text(alphabet='[]()【】123 ,;-–.`>#|*_:\n\\^!aA"”x', max_size=60),
    st.lists(
        st.sampled_from(
            [
                "[1]",
                "[2, 3]",
                "【1】",
                "[",
                "]",
                "(a.md)",
                "Leave is 25 days",
                ". ",
                "\n",
                "\n- ",
                "> ",
                "```\n",
                "`",
                "|",
            ]
        ),
        max_size=14,
    ).map("".join),
)


def named(text: str) -> list[tuple[int, ...]]:
    return [marker.numbers for marker in markers(text)]


# Markers


@pytest.mark.parametrize(
    ("shape", "numbers"),
    [
        ("[1]", [(1,)]),
        ("[12]", [(12,)]),
        ("[1][2]", [(1,), (2,)]),
        ("[1] [2]", [(1,), (2,)]),
        ("[1], [2]", [(1,), (2,)]),
        ("[1, 2]", [(1, 2)]),
        ("[1,2]", [(1, 2)]),
        ("[1; 2]", [(1, 2)]),
        ("[1 and 2]", [(1, 2)]),
        ("[1 & 2]", [(1, 2)]),
        ("[1-3]", [(1, 2, 3)]),
        ("[1–3]", [(1, 2, 3)]),
        ("[1 — 3]", [(1, 2, 3)]),
        ("[1−3]", [(1, 2, 3)]),
        ("[1, 3-5; 7]", [(1, 3, 4, 5, 7)]),
        ("[3-1]", [(3, 1)]),
        ("[ 1 ]", [(1,)]),
        ("[0]", [(0,)]),
        ("[99]", [(99,)]),
        ("[01]", [(1,)]),
        ("【1】", [(1,)]),
        ("【2†handbook】", [(2,)]),
        ("［1］", [(1,)]),
        ("[１]", [(1,)]),
        ("**[1]**", [(1,)]),
        ("([1])", [(1,)]),
    ],
)
@pytest.mark.parametrize(
    "frame", ["Leave is 25 days {}.", "Leave is 25 days. {}", "{} Leave is 25 days.", "Leave, {}, is."]
)
def test_a_marker_and_what_it_names(shape: str, numbers: list[tuple[int, ...]], frame: str) -> None:
    assert named(frame.format(shape)) == numbers


@pytest.mark.parametrize(
    "text",
    [
        "Since [2024] it is so.",
        "See [1](leave.md).",
        "See [1](<leave.md>) and ![1](a.png).",
        "See [the page][1].",
        "See [1][page].",
        "[1]: leave.md",
        "So it is.[^1]",
        "[^1]: leave.md",
        "\\[1\\] is 1.",
        "[[1]]",
        "[x] and [ ] and [a]",
        "- [x] done\n- [ ] open",
        "[1.5] and [-1] and [1/2] and [1 2]",
        "[1, p. 3]",
        "[1,]",
        "[]",
        "[1",
        "1]",
        "(1)",
        "[1a]",
        "[1]st",
        "The value of arr[1] is red.",
        "The values rows[1][2] are red.",
        "x[1].",
        "my_list[1].",
        "Use `[1]` and ``a [2] ` b``.",
        "```\na = [1]\n```\n",
        "~~~\n[1]\n",
        "[1000]",
    ],
)
def test_what_only_looks_like_a_marker_is_none(text: str) -> None:
    assert named(text) == []


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Leave is 25 days[1].", [(1,)]),
        ("Leave is 25 days[1][2].", [(1,), (2,)]),
        ("Leave is 25 days[1] and 5 more[2].", [(1,), (2,)]),
        ("Leave is 25 days.[1] More.[2]", [(1,), (2,)]),
        ("The fee is 8%[1] of it.", [(1,)]),
        ("The value of arr[2] is red [1].", [(1,)]),
        ("Set rows[2], then ask [1].", [(1,)]),
        ("Leave is 25 days[1]", [(1,)]),
    ],
)
def test_a_bracket_at_a_word_is_a_marker_where_the_writer_glues_them(text: str, numbers: list[tuple[int, ...]]) -> None:
    assert named(text) == numbers


def test_a_marker_has_its_place() -> None:
    text = "Leave is 25 days [1, 2] or so【3】."
    assert [text[marker.start : marker.end] for marker in markers(text)] == ["[1, 2]", "【3】"]


def test_code_hides_no_marker_behind_it() -> None:
    assert named("Run `a[0]` [1].\n\n```\n[2]\n```\n\nThen [3].") == [(1,), (3,)]


@pytest.mark.parametrize(
    ("text", "of", "wrong"),
    [
        ("A [1]. B [4].", 4, []),
        ("A [1]. B [7].", 4, [7]),
        ("A [0].", 4, [0]),
        ("A [3-6] [5].", 4, [5, 6]),
        ("A [1].", 0, [1]),
        ("A arr[9] is [1].", 1, []),
        ("A [2024].", 1, []),
        ("A.", 0, []),
    ],
)
def test_a_marker_that_names_no_passage_is_told_once(text: str, of: int, wrong: list[int]) -> None:
    assert unresolved(text, of) == wrong


# Without markers


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Leave is 25 days [1].", "Leave is 25 days."),
        ("Leave is 25 days. [1] More.", "Leave is 25 days. More."),
        ("Leave is 25 days.[1] More.", "Leave is 25 days. More."),
        ("Leave[1], or so[2].", "Leave, or so."),
        ("A [1] [2], B [3-4].", "A, B."),
        ("See [1](a.md) since [2024].", "See [1](a.md) since [2024]."),
        ('He said [1]"so".', 'He said "so".'),
    ],
)
def test_plain_is_the_text_without_them(text: str, left: str) -> None:
    assert plain(text) == left


@given(texts)
@example("[[1]2]")
@example("[1[1]]")
@example("a [1]:[1]")
@example("a [1 [2], 3]")
def test_removing_markers_is_idempotent_and_leaves_none(text: str) -> None:
    assert markers(plain(text)) == [] and plain(plain(text)) == plain(text)


@given(texts)
def test_a_mask_stands_for_each_marker_and_nothing_else_changes(text: str) -> None:
    shown = masked(text, "\ue000")
    assert shown.count("\ue000") - text.count("\ue000") == len(markers(text))
    outside = "".join(
        text[a.end : b.start] for a, b in zip([None, *markers(text)], [*markers(text), None], strict=True) if a and b
    )
    assert not outside or outside in re.sub("\ue000", "", shown)


# Sentences without a marker


@pytest.mark.parametrize(
    "text",
    [
        "Leave is 25 days [1].",
        "Leave is 25 days. [1]",
        "Leave is 25 days.[1]",
        "[1] Leave is 25 days.",
        "Leave is 25 days [1]. It is paid [2].",
        "Leave is 25 days. [1] It is paid. [2]",
        "Leave is 25 days.[1] It is paid.[2]",
        "Leave is 25 days.[1][2] It is paid.[2]",
        "Leave is 25 days.\n[1]",
        "Leave is 25 days\n[1][2]\n\nIt is paid [1].",
        "Leave [1] is 25 days.",
        "Yes. Leave is 25 days [1].",
        "No, it is not. Leave is 25 days [1].",
        "Yes, up to 5 days [1].",
        "Here is what the documents say:\n\n- 25 days [1]\n- 5 more days [2]",
        "Here is what the documents say: 25 days [1].",
        "# Leave\n\n25 days [1].",
        "**Annual leave**\n\n25 days [1].",
        "- **Annual leave**: 25 days [1]\n- **Sick leave.** 20 days [1]",
        "1. Ask early [1].\n2. Wait [2].",
        "| Zone | Days |\n|---|---|\n| 1 | 2 [1] |\n| 3 | 6 [2] |",
        "Zone | Days\n---|---\n1 | 2 [1]\n3 | 6 [2]",
        "Leave is 25 days [1]\na year.",
        "25 days a year [1]\nFive more after five years [2]",
        "Prices:\n\n| Zone | Days |\n|:--|--:|\n| 1 | 2 [1] |",
        "Leave is 25 days [1]. Is that all?",
        "Do you mean annual leave?",
        "> Leave is 25 days. It is paid. [1]",
        "As written [1]:\n\n> Leave is 25 days. It is paid.",
        "> Leave is 25 days.\n> It is paid.\n\n[1]",
        'It says "Leave is 25 days. It is paid." [1]',
        "It says “Leave is 25 days. It is paid.” [1] That is all [1].",
        "Run this [1]:\n\n```\nroost --login. And wait.\n```",
        "Ask Dr. Smith of No. 5, e.g. by phone [1].",
        "[1]: leave.md\n\nLeave is 25 days [1].",
        "Leave is 25 days [1].\n\n---\n\nIt is paid [2].",
        "<!-- Leave is short. -->Leave is 25 days [1].",
        "",
        "...",
        "[1]",
    ],
)
def test_every_fact_carries_its_marker(text: str) -> None:
    assert unmarked(text) == []


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Leave is 25 days.", ["Leave is 25 days."]),
        ("25", ["25"]),
        ("12:00.", ["12:00."]),
        ("Yes.", ["Yes."]),
        ("No, it is not.", ["No, it is not."]),
        ("Leave is 25 days [1]. It is paid.", ["It is paid."]),
        ("Leave is 25 days. It is paid [1].", ["Leave is 25 days."]),
        ("Leave is 25 days. It is paid. [1]", ["Leave is 25 days."]),
        ("Leave is 25 days [1]. No, they are not.", ["No, they are not."]),
        ("Leave is 25 days [1]. No, they are not. It is paid [1].", ["No, they are not."]),
        ("Leave is 25 days. [1] says so, too.", ["Leave is 25 days."]),
        ("Leave is 25 days.\n[1] It is paid.", ["Leave is 25 days."]),
        ("- 25 days [1]\n- 5 more", ["5 more"]),
        ("- It is paid. It is long [1].", ["It is paid."]),
        ("- **25 days.** It is long [1].", ["25 days."]),
        ("1. Ask early.\n2. Wait [1].", ["Ask early."]),
        ("| Zone | Days |\n|---|---|\n| 1 | 2 [1] |\n| 3 | 6 |", ["| 3 | 6 |"]),
        ("| Zone 1 | 2 |\n| Zone 3 | 6 [1] |", ["| Zone 1 | 2 |"]),
        ("Zone | Days\n---|---\n1 | 2 [1]\n3 | 6", ["3 | 6"]),
        ("25 days a year [1]\nFive more after five years", ["Five more after five years"]),
        ("| Leave | 25 days |\n|---|---|", ["| Leave | 25 days |"]),
        ("# Leave is free", ["Leave is free"]),
        ("# Leave is free.\n\nIt is paid [1].", ["Leave is free."]),
        ("# 25 days\n\nIt is paid [1].", ["25 days"]),
        ("Leave is 25 days\n===\n\nIt is paid [1].", ["Leave is 25 days"]),
        ("It is paid [1].\n\n# Leave is free", ["Leave is free"]),
        ("**Leave is free**", ["Leave is free"]),
        ("Leave is free:", ["Leave is free:"]),
        ("Leave is 25 days: it is paid.\n\nMore [1].", ["Leave is 25 days: it is paid."]),
        ("Leave is 25 days, of them:\n\n- more [1]", ["Leave is 25 days, of them:"]),
        ("Is it so? Leave is 25 days.", ["Leave is 25 days."]),
        ("> Leave is 25 days.\n\nIt is paid.", ["Leave is 25 days.", "It is paid."]),
        ("Leave is 25 days [1].\n\nIt is paid.\n\n> So it is.", ["It is paid.", "So it is."]),
        ("```\nLeave is 25 days.\n```", ["Leave is 25 days."]),
        ("Leave is 25 days `[1]`.", ["Leave is 25 days `[1]`."]),
        ("Leave is 25 days [1](a.md).", ["Leave is 25 days 1."]),
        ("Leave is 25 days [2024].", ["Leave is 25 days [2024]."]),
        ("Leave is 25 days.[^1]", ["Leave is 25 days.[^1]"]),
        ("Leave is in arr[1] of it.", ["Leave is in arr[1] of it."]),
        ("Here you are: [1]\n\nLeave is free.", ["Leave is free."]),
    ],
)
def test_a_fact_without_a_marker_is_told(text: str, bare: list[str]) -> None:
    assert unmarked(text) == bare


@given(texts, st.integers(0, 9))
def test_no_text_makes_them_fail(text: str, of: int) -> None:
    markers(text), unmarked(text), unresolved(text, of)


@given(
    st.lists(st.sampled_from(["Leave is 25 days", "It is paid", "Ask Dr. Smith early", "The fee is £6.50"]), min_size=1)
)
def test_a_marker_taken_away_is_missed_wherever_it_stood(sentences: list[str]) -> None:
    for shape in ("{} [1].", "{}. [1]", "{}.[1]"):
        marked = [shape.format(sentence) for sentence in sentences]
        assert unmarked(" ".join(marked)) == []
        for n, sentence in enumerate(sentences):
            bent = [*marked[:n], f"{sentence}.", *marked[n + 1 :]]
            assert unmarked(" ".join(bent)) == [f"{sentence}."]
