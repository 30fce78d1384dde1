"""Quotes stand in the documents to the letter, at the line that is given for them."""

from __future__ import annotations

import build
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit import corpus
from ragkit.answer import Quote, quoted
from ragkit.check import Marked
from ragkit.chunk import Chunker, Headings, Windows
from ragkit.corpus import Corpus
from ragkit.records import BadInput, Chunk, Citation, Document, Draft, Hit, Ranking
from ragkit.sentence import sentences
from ragkit.text import Analyzer


def cited(text: str, **chunk: object) -> list[tuple[int, str]]:
    return [(c.line, c.quote) for c in sentences(Chunk("x", "a.md", text, **chunk))]


def quotes(question: str, *texts: str, most: int = 2) -> list[str]:
    made = build.corpus(*texts)
    return [c.quote for c in Quote(most).on(made)(build.ranking(question, made, *[1.0] * len(texts))).citations]


# Sentences


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Open at 08:30. 25 days. £6 is due.", ["Open at 08:30.", "25 days.", "£6 is due."]),
        ('He said "no." Then left.', ['He said "no."', "Then left."]),
        ("It costs 2.5 pounds, e.g. for tea.", ["It costs 2.5 pounds, e.g. for tea."]),
        ("Write to a.b@example.org or c.", ["Write to a.b@example.org or c."]),
        ("one line\nand the next. Then", ["one line\nand the next.", "Then"]),
        ("- one\n- two. Three", ["one", "two.", "Three"]),
        ("1. one\n2. two", ["one", "two"]),
        ("above\n\nbelow", ["above", "below"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_the_sentences_of_a_text(text: str, found: list[str]) -> None:
    assert [quote for _, quote in cited(text)] == found


def test_sentences_know_their_lines() -> None:
    found = cited("One. Two\nruns on. Three.\n\n- four\n- five", line=10)
    assert [line for line, _ in found] == [10, 10, 11, 13, 14]


TABLE = "| Part | Price |\n|---|---:|\n| K-1 | 5 |\n| K-2 | 6 |"
BARE = "Part | Price\n--- | ---:\nK-1 | 5\nK-2 | 6"


def test_a_table_row_comes_with_its_header() -> None:
    assert cited(TABLE, line=4) == [
        (6, "| Part | Price |\n|---|---:|\n| K-1 | 5 |"),
        (7, "| Part | Price |\n|---|---:|\n| K-2 | 6 |"),
    ]


def test_a_table_without_outer_bars_is_quoted_by_row_too() -> None:
    assert cited(BARE, line=4) == [
        (6, "Part | Price\n--- | ---:\nK-1 | 5"),
        (7, "Part | Price\n--- | ---:\nK-2 | 6"),
    ]


@pytest.mark.parametrize("table", [TABLE, BARE])
def test_a_row_of_a_split_table_comes_with_the_lead(table: str) -> None:
    header, rule, *rows = table.split("\n")
    assert cited(rows[1], lead=f"{header}\n{rule}") == [(1, f"{header}\n{rule}\n{rows[1]}")]


def test_a_second_table_has_its_own_header() -> None:
    found = cited(f"{TABLE}\n\nAnd:\n\n| Knot | Turns |\n|---|---|\n| bowline | 1 |")
    assert found[-1][1] == "| Knot | Turns |\n|---|---|\n| bowline | 1 |"


def test_text_after_a_table_has_no_header() -> None:
    assert cited(f"{TABLE}\n\nAnd more.")[-1] == (6, "And more.")


@pytest.mark.parametrize("text", ["```sh\n# one\nrun --all\n```", "~~~\na. B\n~~~"])
def test_the_marks_of_a_fence_are_no_sentence(text: str) -> None:
    assert not [quote for _, quote in cited(text) if quote.strip("`~sh\n ") == ""]


def test_text_between_two_rules_is_no_front_matter_of_the_chunk() -> None:
    assert cited("---\nOne: two.\n\n---\nMore.")[0] == (2, "One: two.")


# Where quotes stand

LINES = "One. Two/runs on.//- item/1. first/| a | b |/|---|---|/a | b/---|---/> q/```/***/    code/   * deep"
FILES = st.lists(st.sampled_from(LINES.split("/")), max_size=14).map("\n".join)
CHUNKERS = st.sampled_from([Headings(1), Headings(30), Headings(), Windows(4, 2), Windows(60, 15)])


def wrong(citation: Citation, source: list[str]) -> bool:
    """Whether a quote is not in its chunk to the letter, or not where its line says; a table row is where it stands."""
    chunk, quoted, line = citation.chunk, citation.quote.split("\n"), source[citation.line - 1]
    lines = set(chunk.lead.split("\n") + chunk.text.split("\n"))
    sentence = citation.quote in chunk.text and quoted[0] in line
    row = len(quoted) == 3 and set(quoted) <= lines and quoted[2] in line
    return not sentence and not row


@given(FILES, CHUNKERS)
def test_any_quote_is_verbatim_and_at_its_line(text: str, chunker: Chunker) -> None:
    chunks, _ = chunker.on(Document("a.md", text))
    assert [c for chunk in chunks for c in sentences(chunk) if wrong(c, text.split("\n"))] == []


@given(FILES)
def test_the_quotes_of_a_chunk_hold_all_its_words(text: str) -> None:
    words = Analyzer().terms
    held = {word for c in sentences(Chunk("x", "a.md", text)) for word in words(c.quote)}
    assert held >= set(words(text)) - {"1", "a", "b"}  # the mark of a list, and a table that is a header only


@pytest.mark.parametrize("chunker", [Headings(), Headings(200), Windows()], ids=repr)
def test_every_quote_of_the_kestrel_documents_is_verbatim_and_at_its_line(chunker: Chunker) -> None:
    built = Corpus(corpus.read(build.KESTREL), chunker=chunker, analyzer=Analyzer())
    sources = {document.file: document.text.split("\n") for document in built.folder.documents}
    assert [c for chunk in built.chunks for c in sentences(chunk) if wrong(c, sources[c.chunk.file])] == []


# Which are quoted


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How much is parking?", ["Parking is free."]),
        ("When does the pier close?", ["The pier closes at ten."]),
        ("When does parking close at the pier?", ["The pier closes at ten.", "No parking."]),
        ("Is parking free at the desk?", ["Parking is free.", "Ask at the desk."]),
    ],
)
def test_a_further_sentence_is_taken_only_for_an_idea_that_is_lacking(question: str, found: list[str]) -> None:
    assert quotes(question, "Parking is free. Ask at the desk.", "The pier closes at ten. No parking.") == found


def test_no_more_than_asked_for_is_quoted() -> None:
    assert quotes("red, blue and green", "Red. Blue. Green.", most=1) == ["Red."]


def test_quotes_stand_in_the_order_of_the_file() -> None:
    assert quotes("green red", "Red is first. Green is second.") == ["Red is first.", "Green is second."]


def test_the_passage_with_most_of_the_question_is_quoted() -> None:
    assert quotes("blue door code", "The blue wall.", "The code of the blue door.") == ["The code of the blue door."]


def test_below_a_heading_that_holds_the_ideas_the_first_sentence_is_quoted() -> None:
    made = Corpus.of_chunks([build.chunk("Any reading below 0.5 m/s. And more.", "Calm")])
    found = Quote().on(made)(build.ranking("What counts as calm?", made, 1.0)).citations
    assert [c.quote for c in found] == ["Any reading below 0.5 m/s."]


@pytest.mark.parametrize("question", ["", "???", "annual leave"])
def test_an_empty_ranking_gives_no_quote(question: str) -> None:
    assert Quote().on(build.corpus("leave"))(Ranking(question)).verdict.gate == "no-sentence"


def test_a_passage_without_a_sentence_is_passed_over() -> None:
    made = build.corpus("leave")
    hits = (Hit(Chunk("y", "a.md", "", ("Annual leave",)), 9.0), Hit(made.chunks[0], 1.0))
    assert [c.quote for c in Quote().on(made)(Ranking("annual leave", hits)).citations] == ["leave"]


def test_fewer_than_one_sentence_is_bad_input() -> None:
    with pytest.raises(BadInput, match="at least 1"):
        Quote(0)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("The fee is approx. 30 pounds.", True),
        ("Dr. Smith lives at No. 5.", True),
        ("The U.S. Navy pays.", True),
        ("See a form, e.g. Table B.", True),
        ("The answer is no. 5 people asked.", True),
        ("The answer is no. People asked.", False),
        ("The wind is 5 m/s. Rain follows.", False),
    ],
)
def test_an_abbreviation_ends_no_sentence(text: str, whole: bool) -> None:
    assert (len(sentences(build.chunk(text))) == 1) is whole


def test_html_is_quoted_like_any_block() -> None:
    made = Corpus.of_chunks([build.chunk("<p>The warranty lasts 24 months.</p>\n\nPhone us on Monday.", "Warranty")])
    found = Quote().on(made)(build.ranking("How long does the warranty last?", made, 1.0)).citations
    assert [c.quote for c in found] == ["<p>The warranty lasts 24 months.</p>"]


def test_two_quotes_stand_in_the_order_of_the_text() -> None:
    made = Corpus.of_chunks([build.chunk("The cafe serves soup. The kitchen closes early.", "Food")])
    found = Quote().on(made)(build.ranking("When does the kitchen with the cafe close early?", made, 1.0)).citations
    assert [c.quote for c in found] == ["The cafe serves soup.", "The kitchen closes early."]


def test_the_marker_of_a_fence_stands_below_it() -> None:
    fence = Citation(Chunk("a", "a.md", "```\npip install kit\n```"), "```\npip install kit\n```", 1)
    assert quoted([fence]).text == "```\npip install kit\n```\n[1]"
    assert not Marked().on(Corpus.of_chunks([fence.chunk]))(Draft("?", quoted([fence]).text, (fence.chunk,))).refused
