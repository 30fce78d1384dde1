"""What an edit does to citations, where windows cut a sentence, and what is found over either cut."""

from __future__ import annotations

import pytest
from build import folder

from ragkit.chunk import Headings, Windows
from ragkit.claims import cuts
from ragkit.claims.cuts import EDITS, HEADINGS, PARAGRAPH, WINDOWS, Edit, cut_at, kept, statements

SAYS = " ".join(f"Rule number {n} says that {n} guests may stay in room {n}." for n in range(30))
(DOCUMENT,) = folder(a=f"# Rooms\n\nAll are small.\n\n## Rules\n\n{SAYS}\n\n## Keys\n\nAt the desk.\n").documents


def test_an_edit_leaves_every_statement_in_the_document() -> None:
    for edit in EDITS:
        assert set(statements(DOCUMENT)) <= set(statements(edit.of(DOCUMENT))), edit.name


@pytest.mark.parametrize("edit", EDITS[2:], ids=lambda edit: edit.name)
def test_the_only_heading_stands_for_a_second(edit: Edit) -> None:
    (single,) = folder(b="# B\n\nOne line.\n").documents
    assert edit.of(single).text != single.text


@pytest.mark.parametrize("chunker", [HEADINGS, WINDOWS])
def test_without_an_edit_every_citation_holds(chunker: Headings | Windows) -> None:
    assert set(kept(DOCUMENT, Edit("nothing", lambda document: document), chunker)) <= {True, None}


def test_a_paragraph_moves_windows_and_no_heading() -> None:
    assert all(kept(DOCUMENT, PARAGRAPH, HEADINGS))
    assert kept(DOCUMENT, PARAGRAPH, WINDOWS).count(True) <= 2


def test_windows_hold_where_nothing_above_moved() -> None:
    last = Edit("a word at the end", lambda document: document.__class__(document.file, document.text + "\nMore.\n"))
    assert all(mark is not False for mark in kept(DOCUMENT, last, WINDOWS))


@pytest.mark.parametrize("edit", EDITS[2:], ids=lambda edit: edit.name)
def test_a_heading_that_is_another_takes_its_own_citations_along(edit: Edit) -> None:
    assert kept(DOCUMENT, edit, HEADINGS) == [True, *[False] * 30, True]


def test_a_table_row_is_a_statement_without_its_header() -> None:
    (table,) = folder(b="# B\n\n| A | B |\n|---|---|\n| 1 | 2 |\n").documents
    assert statements(table) == ["| 1 | 2 |"]


@pytest.mark.parametrize(("size", "overlap"), [(60, 15), (20, 0), (10, 9), (7, 3)])
def test_where_windows_cut_is_arithmetic(size: int, overlap: int) -> None:
    """A sentence is whole in one window at `size - length + 1` places, of `size - overlap` that differ."""
    for length in range(1, size + 3):
        rate = cut_at(length, Windows(size, overlap))
        assert rate.of == size - overlap
        assert rate.hits == rate.of - min(max(size - length + 1, 0), rate.of)


def test_gates_are_the_same_over_either_cut() -> None:
    rows = cuts.x_04()
    assert len(rows) == 6 and {row["false answers"].of for row in rows} == {248}  # type: ignore[attr-defined]
    assert all(row["label"].endswith(("headings", "windows")) for row in rows)  # type: ignore[attr-defined]
