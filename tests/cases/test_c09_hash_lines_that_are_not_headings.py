"""Only headings are headings, and what looks like one stays in its place."""

from __future__ import annotations

import case
import pytest

from ragkit.chunk import outline
from ragkit.records import Document
from ragkit.system import System

FOLDERS = case.folders("c09")
WHOLE = {
    "c09/given": "```bash\n# stop the queue first\n## then copy the folder\ncp -r data backup\n```",
    "c09/variant-a": '   ```python\n   # not a title\n   ## nor this\n   stop("feeder")\n   ```',
    "c09/variant-b": "~~~~sh\n~~~\n# three marks do not close four\n~~~~",
}


def document(name: str) -> Document:
    return case.folder(name).documents[0]


def headings(name: str) -> list[str]:
    return [row["path"] for row in case.table(case.HERE / name / "headings.csv")]


@case.each(*FOLDERS)
def test_verdicts(row: case.Row) -> None:
    assert case.miss(row, case.ask(row)) == ""


@pytest.mark.parametrize("name", FOLDERS)
def test_the_file_has_exactly_its_headings(name: str) -> None:
    assert [" > ".join(section.path) for section in outline(document(name)) if section.path] == headings(name)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_code_block_stays_whole_with_its_indentation(name: str) -> None:
    holders = [chunk for chunk in case.bot(name).corpus.all_chunks if WHOLE[name] in chunk.text]
    assert len(holders) == 1


@pytest.mark.parametrize("line", ["Run this at night:", "# tilde fences", "# still inside", "#urgent", "## A heading"])
def test_the_section_holds_everything_up_to_the_comment(line: str) -> None:
    (backups,) = (chunk for chunk in case.bot("c09/given").corpus.chunks if chunk.path == ("Runbook", "Backups"))
    assert line in backups.text


@pytest.mark.parametrize("name", FOLDERS)
def test_the_chunks_joined_give_back_every_word(name: str) -> None:
    source = document(name).text.split("\n")
    corpus = case.bot(name).corpus
    held = [n for part in (*corpus.all_chunks, *corpus.dropped) for n in range(part.lines[0], part.lines[1] + 1)]
    assert [line for n, line in enumerate(source, 1) if n not in held and line.strip()] == []
    assert len(held) == len(set(held))


@case.every_system
def test_no_citation_names_a_code_comment(system: System) -> None:
    for row in case.rows(*FOLDERS):
        for citation in case.ask(row, system).citations:
            assert " > ".join(citation.chunk.path) in headings(row.case)
