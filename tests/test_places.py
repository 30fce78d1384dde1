"""Version, section and line of what an answer cites, held against the documents."""

from __future__ import annotations

import pytest

from ragkit.chunk import by_headings
from ragkit.places import Places, cites_line, stands, version_correct
from ragkit.records import ANSWER, ERROR, REFUSE, Answer, Chunk, Citation, Document, Golden

TEXT = """# Leave

Annual *leave* is 25 days. A day has
8 hours.

- 5 days may be carried over.

| Zone | Days |
|---|---|
| 1 | 2 |
| 2 | 4 |

## Sick leave

Sick leave is 25 days.
"""
LEAVE = Places(tuple(by_headings(Document("leave.md", TEXT), cap=1800)[0]))
VERSIONS = Places(tuple(Chunk(v, f"{v}.md", v, version=v) for v in ("v1", "v2", "both")) + (Chunk("x", "x.md", "x"),))


def cites(*pairs: tuple[str, int, str], outcome: str = ANSWER) -> Answer:
    """An answer that cites quotes at lines of files."""
    return Answer("q", outcome, "t", tuple(Citation(Chunk("c", file, "?"), quote, n) for file, n, quote in pairs))


def of(*names: str, outcome: str = ANSWER) -> Answer:
    return cites(*((f"{name}.md", 1, "?") for name in names), outcome=outcome)


# The version


@pytest.mark.parametrize(
    ("names", "right"),
    [
        (["v1"], True), (["v1", "both"], True), (["x"], True), (["v2"], False), (["v1", "v2"], False), ([], False),
        (["nowhere"], False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("answerable", [True, False])
def test_all_that_is_cited_is_of_the_version_asked_for(names: list[str], right: bool, answerable: bool) -> None:
    row = Golden("a", "q", answerable, sources=("v1.md#a",), version="v1")
    assert version_correct(row, of(*names), VERSIONS) is right


@pytest.mark.parametrize(
    ("sources", "names", "right"),
    [
        (["v1.md#a", "v2.md"], ["v1", "v2"], True), (["v1.md", "v2.md"], ["v1", "x", "v2"], True),
        (["v1.md", "v2.md"], ["v1"], False), (["v1.md", "v2.md"], [], False),
        (["v1.md", "both.md"], ["v1"], None), (["v1.md#a", "v1.md#b"], ["v2"], None), ([], ["v1"], None),
    ],
)  # fmt: skip
def test_where_versions_differ_each_is_cited(sources: list[str], names: list[str], right: bool | None) -> None:
    assert version_correct(Golden("a", "q", True, sources=tuple(sources)), of(*names), VERSIONS) is right


@pytest.mark.parametrize("outcome", [REFUSE, ERROR])
def test_what_did_not_answer_is_of_no_version(outcome: str) -> None:
    assert version_correct(Golden("a", "q", True, version="v1"), of("v1", outcome=outcome), VERSIONS) is None


def test_documents_without_versions_say_nothing_of_one() -> None:
    assert version_correct(Golden("a", "q", True, version="v1"), cites(("leave.md", 3, "x")), LEAVE) is None


# The line


def test_a_line_above_the_text_of_a_chunk_is_none_of_its_last() -> None:
    chunk = Chunk("c", "a.md", "25 days.", ("A",), (1, 3), 3)
    assert [stands("25 days.", line, chunk) for line in (1, 2, 3, 4)] == [False, False, True, False]


@pytest.mark.parametrize(
    ("line", "quote", "right"),
    [
        (3, "Annual *leave* is 25 days.", True), (3, "Annual leave is 25 days.", True),
        (3, "A day has\n8 hours.", True),
        (3, "leave", True), (6, "5 days may be carried over.", True), (4, "8 hours.", True), (3, "8 hours.", False),
        (3, "5 days.", False), (4, "A day has 8 hours.", False), (1, "Leave", False), (2, "Annual *leave*", False),
        (10, "| Zone | Days |\n|---|---|\n| 1 | 2 |", True), (11, "| Zone | Days |\n|---|---|\n| 2 | 4 |", True),
        (10, "| Zone | Days |\n|---|---|\n| 2 | 4 |", False), (3, "30 days", False), (3, " ", False), (-4, "4", False),
        (99, "4", False),
    ],
)  # fmt: skip
def test_a_quote_begins_at_its_line(line: int, quote: str, right: bool) -> None:
    assert stands(quote, line, LEAVE.chunks[0]) is right


@pytest.mark.parametrize(
    ("source", "cited", "right"),
    [
        ("leave.md#leave", [("leave.md", 3, "25 days")], True),
        ("leave.md", [("leave.md", 15, "Sick leave is 25 days.")], True),
        ("leave.md#sick-leave", [("leave.md", 3, "25 days")], False),
        ("leave.md#leave", [("leave.md", 15, "25 days")], False),
        ("leave.md#leave", [("leave.md", 5, "25 days")], False),
        ("leave.md#leave", [("leave.md", 15, "25 days"), ("leave.md", 6, "5 days")], True),
        ("leave.md#leave", [("other.md", 3, "25 days")], False),
        ("leave.md#leave", [("leave.md", 400, "25 days")], False),
        ("leave.md#leave", [], False),
    ],
)
def test_a_citation_lies_in_a_source_and_stands_there(
    source: str, cited: list[tuple[str, int, str]], right: bool
) -> None:
    row = Golden("a", "q", True, sources=("elsewhere.md", source))
    assert cites_line(row, cites(*cited), LEAVE) is right


def test_where_there_is_nothing_to_judge() -> None:
    good, row = cites(("leave.md", 3, "25 days")), Golden("a", "q", True, sources=("leave.md",))
    assert cites_line(row, good, LEAVE) is True
    assert cites_line(Golden("a", "q", True), good, LEAVE) is None
    assert cites_line(Golden("a", "q", False, sources=("leave.md",)), good, LEAVE) is None
    assert cites_line(row, cites(("leave.md", 3, "25 days"), outcome=REFUSE), LEAVE) is None
