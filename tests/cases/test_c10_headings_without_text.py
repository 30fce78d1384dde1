"""Text is cited under its own heading, and a heading alone is no answer."""

from __future__ import annotations

import case
import pytest

from ragkit.system import System

FOLDERS = case.folders("c10")


def empty(name: str) -> set[str]:
    return {row["heading"] for row in case.table(case.HERE / name / "empty.csv")}


@case.each(*FOLDERS)
def test_verdicts(row: case.Row) -> None:
    assert case.miss(row, case.ask(row)) == ""


@case.each(*FOLDERS, expect="answer")
@case.every_coverage_system
def test_every_coverage_gate_cites_the_right_path(system: System, row: case.Row) -> None:
    assert case.miss(row, case.ask(row, system)) == ""


@pytest.mark.parametrize("name", FOLDERS)
def test_sections_without_text_are_listed_and_nothing_else(name: str) -> None:
    assert {chunk.heading for chunk in case.bot(name).corpus.empty} == empty(name)


@pytest.mark.parametrize("name", FOLDERS)
def test_no_ranked_chunk_has_an_empty_body(name: str) -> None:
    assert [chunk.id for chunk in case.bot(name).corpus.chunks if not chunk.text.strip()] == []


@pytest.mark.parametrize("name", FOLDERS)
@case.every_system
def test_a_section_without_text_is_never_ranked_or_cited(system: System, name: str) -> None:
    bot = case.bot(name, system)
    for heading in empty(name):
        answer = bot.ask(f"What about {heading.split(' > ')[-1]}?")
        assert heading not in [hit.chunk.heading for hit in answer.ranking.hits]
        assert heading not in [citation.chunk.heading for citation in answer.citations]


@pytest.mark.parametrize("name", FOLDERS)
@case.every_coverage_system
def test_a_heading_alone_is_no_answer(system: System, name: str) -> None:
    bot = case.bot(name, system)
    for heading in empty(name):
        assert bot.ask(f"What about {heading.split(' > ')[-1]}?").outcome == "refuse", heading


@pytest.mark.parametrize("name", FOLDERS)
def test_no_path_has_an_empty_part(name: str) -> None:
    assert [chunk.id for chunk in case.bot(name).corpus.all_chunks if not all(chunk.path)] == []
