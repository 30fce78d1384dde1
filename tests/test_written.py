"""Answers that are written: their markers, what they cite, and replies that are no answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import build
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit.answer import Quote, Said
from ragkit.corpus import Corpus
from ragkit.frontdesk import Bullets
from ragkit.generate import NO_ANSWER, Function, Prompt, Reply, Scripted
from ragkit.markers import markers
from ragkit.records import BadInput, Chunk, Hit, Ranking, Spent
from ragkit.scope import ByVersion
from ragkit.written import Model, Write, Written, by, prompt, resolved

PASSAGES = [Chunk(str(n), "a.md", "") for n in range(1, 5)]
MADE = build.corpus("Leave is 25 days. Ask your manager.", "Parking is free. Bring a card.")
ASKED = build.ranking("How many days of leave?", MADE, 2.0, 1.0)


@dataclass(frozen=True)
class Says:
    """A writer that gives this reply to everything."""

    reply: Reply

    def on(self, corpus: Corpus) -> Write:
        return lambda ranking: self.reply


def said(text: str, *, ranking: Ranking = ASKED, defer: bool = False, **reply: str) -> Said:
    return Written(Says(Reply(text, "toy", 10, 2, 0.5, **reply)), defer).on(MADE)(ranking)


# Markers


@pytest.mark.parametrize(
    ("text", "shown", "ids"),
    [
        ("Yes [1].", "Yes [1].", ["1"]),
        ("Yes [3].", "Yes [1].", ["3"]),
        ("Yes [3][1]. No [3].", "Yes [1][2]. No [1].", ["3", "1"]),
        ("Yes [4, 2].", "Yes [1][2].", ["4", "2"]),
        ("Yes [2-4].", "Yes [1][2][3].", ["2", "3", "4"]),
        ("Yes [4; 1 and 2].", "Yes [1][2][3].", ["4", "1", "2"]),
        ("Yes 【4†page】.", "Yes [1].", ["4"]),
        ("Yes［４］.", "Yes [1].", ["4"]),
        ("Yes[4].", "Yes [1].", ["4"]),
        ("Set my_list[1]【4】.", "Set my_list[1] [1].", ["4"]),
        ("Yes【4】. No [2].", "Yes [1]. No [2].", ["4", "2"]),
        ("Yes [0].", "Yes [0].", []),
        ("Yes [9].", "Yes [9].", []),
        ("Yes [4-6].", "Yes [1][5][6].", ["4"]),
        ("Yes [9, 3].", "Yes [9][1].", ["3"]),
        ("In [2024], `x[3]`, [3](a.md).", "In [2024], `x[3]`, [3](a.md).", []),
        ("", "", []),
    ],
)
def test_markers_are_counted_anew_in_the_order_they_come(text: str, shown: str, ids: list[str]) -> None:
    new, found = resolved(text, PASSAGES)
    assert (new, [chunk.id for chunk in found]) == (shown, ids)


SHAPES = [
    "[1]",
    "[2, 3]",
    "[1-3]",
    "[0]",
    "[9]",
    "[3 and 1]",
    "【1】",
    "【2†x】",
    "[2024]",
    "arr[1]",
    "`[2]`",
    "[1](a.md)",
]
shaped = st.lists(st.sampled_from([*SHAPES, " ", ".", "Leave", "A", "7", "\n", "|", "(", '"']), max_size=8).map("".join)


@given(shaped | st.text(alphabet="[]0129, -.;aA【】`\n", max_size=30))
def test_a_resolved_text_names_the_same_passages_in_the_same_places(text: str) -> None:
    new, found = resolved(text, PASSAGES)
    before = [n for marker in markers(text) for n in marker.numbers]
    after = [n for marker in markers(new) for n in marker.numbers]
    ids = [chunk.id for chunk in found]
    assert len(after) == len(before) and ids == list(dict.fromkeys(str(n) for n in before if 1 <= n <= 4))
    assert [ids[n - 1] if 1 <= n <= len(ids) else n for n in after] == [str(n) if 1 <= n <= 4 else n for n in before]


@given(shaped)
def test_resolving_twice_is_resolving_once(text: str) -> None:
    new, found = resolved(text, PASSAGES)
    known = [n for marker in markers(new) for n in marker.numbers if 1 <= n <= len(found)]
    assert list(dict.fromkeys(known)) == list(range(1, len(found) + 1))
    again, same = resolved(new, found)
    assert same == found and [m.numbers for m in markers(again)] == [m.numbers for m in markers(new)]


# What is cited


def test_each_named_passage_is_cited_with_the_sentence_that_is_most_like_the_answer() -> None:
    found = said("Parking is free [2], and the manager must be asked [1].")
    assert found.text == "Parking is free [1], and the manager must be asked [2]."
    assert [(c.chunk.id, c.quote) for c in found.citations] == [
        ("001", "Parking is free."),
        ("000", "Ask your manager."),
    ]


def test_a_passage_without_a_sentence_is_cited_whole() -> None:
    ranking = Ranking("Leave?", (Hit(Chunk("x", "a.md", "***"), 1.0),))
    assert [c.quote for c in said("Yes [1].", ranking=ranking).citations] == ["***"]


def test_an_answer_without_markers_cites_nothing_and_one_from_no_passage_neither() -> None:
    assert said("25 days.").citations == ()
    nothing = said("25 days [1].", ranking=Ranking("Leave?"))
    assert (nothing.text, nothing.citations) == ("25 days [1].", ())


# Replies that are no answer


@pytest.mark.parametrize("text", [NO_ANSWER, f" **{NO_ANSWER}**", f"{NO_ANSWER}. The passages are about leave."])
def test_no_answer_is_a_refusal_of_the_gate_model(text: str) -> None:
    found = said(text)
    assert (found.text, found.verdict.gate, found.error) == ("", "model", "") and found.spent.calls == 1


def test_a_writer_that_only_mentions_no_answer_answers() -> None:
    assert not said(f"The word {NO_ANSWER} is not used here [1].").verdict.refused


def test_with_defer_the_passages_are_quoted_where_the_writer_refuses() -> None:
    found, quoted = said(NO_ANSWER, defer=True), Quote().on(MADE)(ASKED)
    assert (found.text, found.citations, found.verdict) == (quoted.text, quoted.citations, quoted.verdict)
    assert found.text == "Leave is 25 days. [1]" and found.spent == Spent(1, 10, 2, 0.5)


def test_with_defer_nothing_to_quote_is_still_a_refusal() -> None:
    assert said(NO_ANSWER, ranking=Ranking("Leave?"), defer=True).verdict.gate == "no-sentence"


@pytest.mark.parametrize("defer", [False, True])
@pytest.mark.parametrize("stopped", ["length", "safety", "other"])
def test_a_reply_that_was_cut_or_blocked_is_an_error_with_its_reason(stopped: str, defer: bool) -> None:
    found = said("Leave is 2", defer=defer, stopped=stopped, reason=f"stopped by {stopped}")
    assert (found.text, found.error) == ("Leave is 2", f"toy: stopped by {stopped}")
    assert not found.verdict.refused and not found.citations and found.spent.cost == 0.5


@pytest.mark.parametrize(("text", "reason"), [("", "no text"), (" \n", "blank text")])
def test_an_empty_reply_is_an_error(text: str, reason: str) -> None:
    assert said(text).error == f"toy: {reason}"


# Models


def test_a_model_is_shown_numbered_passages_with_their_headings_and_the_question_last() -> None:
    chunks = (
        Chunk("a", "leave.md", "25 days.", ("Leave",)),
        Chunk("b", "old.md", "| 20 |", lead="| Days |", version="v1", status="superseded"),
    )
    asked = prompt(Ranking("How many days?", tuple(Hit(chunk, 1.0) for chunk in chunks)))
    assert asked.user == (
        "[1] leave.md > Leave\n25 days.\n\n[2] old.md (v1, superseded)\n| Days |\n| 20 |\n\nQuestion: How many days?"
    )
    assert NO_ANSWER in asked.system


def test_a_model_that_defers_is_not_asked_to_refuse() -> None:
    asked = prompt(ASKED, defer=True)
    assert NO_ANSWER not in asked.system and "do not judge that again" in asked.system
    assert asked.user == prompt(ASKED).user


def test_a_model_writes_what_it_replies_to_the_prompt() -> None:
    seen: list[Prompt] = []

    def reply(asked: Prompt) -> str:
        seen.append(asked)
        return "25 days [1]."

    found = Written(Model(Function("toy", reply))).on(MADE)(ASKED)
    assert found.text == "25 days [1]." and seen == [prompt(ASKED)]


def test_a_model_is_loaded_once_a_corpus() -> None:
    say = Written(Model(Scripted(("One [1].", NO_ANSWER)))).on(MADE)
    assert [say(ASKED).text, say(ASKED).verdict.gate] == ["One [1].", "model"]


# In the place of quotes

WRITER = Says(Reply("Yes [1].", "toy"))


@pytest.mark.parametrize("defer", [False, True])
@pytest.mark.parametrize(
    ("answerer", "written"),
    [
        (Quote(), lambda one: one),
        (Written(Says(Reply("No.", "other"))), lambda one: one),
        (ByVersion(), ByVersion),
        (ByVersion(ByVersion()), lambda one: ByVersion(ByVersion(one))),
    ],
)
def test_quotes_are_written_at_whatever_depth_they_stand(
    answerer: Quote, written: Callable[[Written], object], defer: bool
) -> None:
    assert by(answerer, WRITER, defer=defer) == written(Written(WRITER, defer))


def test_an_answerer_that_only_quotes_is_bad_input() -> None:
    with pytest.raises(BadInput, match="Bullets.*quotes by design"):
        by(Bullets(), WRITER)


def test_a_choice_of_writer_is_a_value() -> None:
    assert replace(Written(WRITER)) == Written(WRITER) and hash(Written(WRITER)) == hash(Written(WRITER))


def test_a_bracket_within_a_quotation_stays_and_cites_nothing() -> None:
    leave = Chunk("a", "a.md", "Annual leave is 25 days a year, as rule [3] says, for all staff.")
    passages = [Chunk("b", "b.md", "Notice is 30 days."), leave, Chunk("c", "c.md", "Pay is full.")]
    said = 'It says "Annual leave is 25 days a year, as rule [3] says" [2].'
    assert resolved(said, passages) == (said.replace("[2]", "[1]"), [leave])


def test_a_wide_range_is_no_long_text() -> None:
    text, found = resolved("So [1-999]. " * 400, [Chunk("a", "a.md", "")])
    assert len(text) < 400 * 30 and [chunk.id for chunk in found] == ["a"]
    assert text.startswith("So [1][2][3][4]. ")
