"""A table row is never shown without the header of its own table."""

from __future__ import annotations

from dataclasses import replace

import case
import pytest

from ragkit.chunk import Headings
from ragkit.corpus import Corpus
from ragkit.sentence import sentences
from ragkit.system import System
from ragkit.text import Analyzer

FOLDERS = case.folders("c11")
CAPS = (1, 120, 400, 1800, 100_000)


def tables(name: str) -> dict[str, str]:
    """The header above each table row of a file, by the row as it stands in the file."""
    found, header, previous = {}, "", ""
    for line in case.folder(name).documents[0].text.split("\n"):
        if set(line.strip()) <= set("|:- ") and "-" in line and "|" in line:
            header = previous
        elif "|" in line and header:
            found[line] = header
        elif "|" not in line:
            header = ""
        previous = line
    return found


@case.each(*FOLDERS)
def test_verdicts(row: case.Row) -> None:
    assert case.miss(row, case.ask(row)) == ""


def evidence() -> list[tuple[case.Row, str, str]]:
    found = {(row.case, row.id): row for row in case.rows(*FOLDERS)}
    kept = ((name, shown) for name in FOLDERS for shown in case.table(case.HERE / name / "evidence.csv"))
    return [(found[name, shown["id"]], shown["header"], shown["row"]) for name, shown in kept]


@pytest.mark.parametrize(("row", "header", "line"), evidence(), ids=lambda value: str(value)[:24])
@case.every_coverage_system
def test_the_evidence_shows_the_column_names_and_the_row(system: System, row: case.Row, header: str, line: str) -> None:
    shown = [citation.quote for citation in case.ask(row, system).citations]
    assert [quote for quote in shown if header in quote and line in quote], shown


@pytest.mark.parametrize("cap", CAPS)
@pytest.mark.parametrize("name", FOLDERS)
def test_every_piece_with_rows_carries_their_header_above_them(name: str, cap: int) -> None:
    headers = tables(name)
    for chunk in Headings(cap).on(case.folder(name).documents[0])[0]:
        lines = f"{chunk.lead}\n{chunk.text}".split("\n")
        for n, line in enumerate(lines):
            if line in headers:
                above = [other.strip() for other in lines[:n] if other.strip() in set(map(str.strip, headers.values()))]
                assert above and above[-1] == headers[line].strip(), (chunk.id, line)


@pytest.mark.parametrize("cap", CAPS)
@pytest.mark.parametrize("name", FOLDERS)
def test_every_row_stands_whole_in_one_piece(name: str, cap: int) -> None:
    chunks = Headings(cap).on(case.folder(name).documents[0])[0]
    held = [line for chunk in chunks for line in chunk.text.split("\n")]
    assert [row for row in tables(name) if held.count(row) != 1 and held.count(row.strip()) != 1] == []


@pytest.mark.parametrize("name", FOLDERS)
def test_a_quoted_row_never_stands_under_the_header_of_another_table(name: str) -> None:
    headers = {row.strip(): header.strip() for row, header in tables(name).items()}
    for chunk in case.bot(name).corpus.chunks:
        for citation in sentences(chunk):
            lines = [line.strip() for line in citation.quote.split("\n")]
            assert {headers.get(line, lines[0]) for line in lines} == {lines[0]}, citation.quote


@pytest.mark.parametrize(
    ("name", "number"), [("c11/given", "5,120"), ("c11/variant-a", "2,375"), ("c11/variant-b", "7,480")]
)
def test_a_number_with_a_comma_stays_in_one_piece(name: str, number: str) -> None:
    plain = number.replace(",", "")
    assert [word.form for word in Analyzer().words(number)] == [plain]
    corpus = Corpus(case.folder(name), chunker=Headings(1), analyzer=Analyzer())
    assert plain in corpus.holders


@pytest.mark.parametrize("cap", CAPS[1:])
@pytest.mark.parametrize("name", FOLDERS)
def test_verdicts_do_not_depend_on_where_a_section_is_split(name: str, cap: int) -> None:
    split = replace(case.DEFAULT, chunker=Headings(cap))
    assert [str(row) for row in case.rows(name) if case.miss(row, case.ask(row, split))] == []


@case.every_coverage_system
@pytest.mark.parametrize("name", FOLDERS)
def test_a_row_that_is_not_there_is_refused(system: System, name: str) -> None:
    refused = [row for row in case.rows(name) if row.expect == "refuse" and "99" in row.question]
    assert all(case.ask(row, system).verdict.gate == "unknown-term" for row in refused)
