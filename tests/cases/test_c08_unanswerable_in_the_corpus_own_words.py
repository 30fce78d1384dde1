"""Ideas that are all in the corpus, but not together: where the passage gate ends and a reader is needed."""

from __future__ import annotations

import case
import pytest

from ragkit.system import System
from ragkit.systems import SYSTEMS

FOLDERS = case.folders("c08")
APART = ("c08/given/r1", "c08/given/r2", "c08/variant-a/r1", "c08/variant-a/r2", "c08/variant-b/r1", "c08/variant-b/r2")
NEAR = [row for row in case.rows(*FOLDERS) if str(row) in APART]


@case.each(*FOLDERS)
def test_verdicts(row: case.Row) -> None:
    assert case.miss(row, case.ask(row)) == ""


@pytest.mark.parametrize("row", NEAR, ids=str)
def test_the_passage_gate_refuses_ideas_that_never_stand_together(row: case.Row) -> None:
    assert case.ask(row).verdict.gate == "no-coverage"


@pytest.mark.parametrize("row", NEAR, ids=str)
def test_the_corpus_gate_does_not_see_it(row: case.Row) -> None:
    assert case.ask(row, SYSTEMS["corpus"]).outcome == "answer"


@case.every_coverage_system
def test_no_gate_on_words_catches_them_all(system: System) -> None:
    unanswerable = [row for row in case.rows(*FOLDERS) if row.expect == "refuse"]
    assert any(case.ask(row, system).outcome == "answer" for row in unanswerable)
