"""Files without words give an index that is empty and says so."""

from __future__ import annotations

from pathlib import Path

import case
import pytest

from ragkit import corpus
from ragkit.manifest import manifest
from ragkit.system import System

FOLDERS = case.folders("c02")


@case.each(*FOLDERS)
@case.every_searching_system
def test_the_reason_is_that_there_is_nothing_to_search(system: System, row: case.Row) -> None:
    answer = case.ask(row, system)
    assert (answer.outcome, answer.verdict.gate) == ("refuse", "empty-index")


@case.each(*FOLDERS)
def test_the_reason_says_how_many_files_were_read(row: case.Row) -> None:
    read = len(list((case.HERE / row.case / "corpus").iterdir()))
    assert f"nothing to search: {read} files read, none gave text" in case.ask(row).verdict.reason


@pytest.mark.parametrize("name", FOLDERS)
def test_every_file_is_read_and_none_gives_a_chunk(name: str) -> None:
    built = case.bot(name).corpus
    assert len(built.folder.documents) == len(list((case.HERE / name / "corpus").iterdir()))
    assert {chunk.file for chunk in built.chunks} == set()


@pytest.mark.parametrize("name", FOLDERS)
def test_every_file_that_gave_nothing_is_named(name: str) -> None:
    listed = manifest(case.bot(name).corpus).empty
    assert {path.name for path in (case.HERE / name / "corpus").iterdir()} <= set(listed)


@case.every_searching_system
@pytest.mark.parametrize("question", ["Where is the fire point?", "Is it?", ""])
def test_a_folder_without_files_behaves_the_same(system: System, question: str, tmp_path: Path) -> None:
    answer = system.on(corpus.read(tmp_path)).ask(question)
    assert (answer.outcome, answer.verdict.gate) == ("refuse", "empty-index")
    assert "nothing to search: 0 files read" in answer.verdict.reason


@pytest.mark.parametrize(
    ("name", "section"),
    [("c02/given", "heading-only.md#parental-leave"), ("c02/variant-a", "titles.md#sundays")],
)
def test_a_heading_without_text_is_listed(name: str, section: str) -> None:
    assert section in {section for chunk in case.bot(name).corpus.empty for section in chunk.sections}
