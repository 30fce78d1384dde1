"""Two words that a stemmer throws together stay two words for the gates."""

from __future__ import annotations

from dataclasses import replace

import case
import pytest

from ragkit.system import System

FOLDERS = case.folders("c06")


@case.each(*FOLDERS)
def test_verdicts(row: case.Row) -> None:
    assert case.miss(row, case.ask(row)) == ""


@case.each(*FOLDERS, expect="refuse")
@case.every_coverage_system
def test_no_coverage_gate_takes_the_foreign_word_for_present(system: System, row: case.Row) -> None:
    assert case.ask(row, system).verdict.gate == "unknown-term"


@case.each(*FOLDERS, expect="refuse")
def test_without_a_stemmer_no_two_words_fall_together(row: case.Row) -> None:
    analyzer = replace(case.DEFAULT.analyzer, stemmer="none")
    assert case.ask(row, replace(case.DEFAULT, analyzer=analyzer)).outcome == "refuse"


MATCHED = {
    ("c06/given", "a5"): "cars -> car",
    ("c06/variant-a", "a3"): "mineral -> minerals",
    ("c06/variant-b", "a2"): "positions -> position",
    ("c06/variant-a", "r4"): "department -> depart",
    ("c06/variant-b", "r1"): "expedition -> expedited",
}


@pytest.mark.parametrize("row", [row for row in case.rows(*FOLDERS) if (row.case, row.id) in MATCHED], ids=str)
@case.every_coverage_system
def test_the_verdict_shows_which_form_was_matched(system: System, row: case.Row) -> None:
    assert MATCHED[row.case, row.id] in case.ask(row, system).verdict.reason


def test_a_known_collision_is_shown_by_the_verdict() -> None:
    missed = {(name, id) for name, id in case.known_misses() if name.startswith("c06")}
    assert missed <= set(MATCHED)
