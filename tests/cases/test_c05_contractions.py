"""A contraction is asked and judged like the words it stands for."""

from __future__ import annotations

import case
import pytest

from ragkit.system import System

FOLDERS = case.folders("c05")
ROWS = {(row.case, row.id): row for row in case.rows(*FOLDERS)}
PAIRS = [(row, ROWS[row.case, row.id[:-1] + "b"]) for row in ROWS.values() if row.id.endswith("a")]


@case.each(*FOLDERS)
def test_verdicts(row: case.Row) -> None:
    assert case.miss(row, case.ask(row)) == ""


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: str(pair[0])[:-1])
@case.every_system
def test_the_two_forms_get_one_verdict_and_one_section(system: System, pair: tuple[case.Row, case.Row]) -> None:
    short, long = (case.ask(row, system) for row in pair)
    assert short.verdict == long.verdict
    assert [hit.chunk.id for hit in short.ranking.hits] == [hit.chunk.id for hit in long.ranking.hits]
    assert short.citations == long.citations


NAMED = {
    "c05/given": {"q6a": "creche", "q6b": "creche", "q7a": "laptop", "q7b": "laptop"},
    "c05/variant-a": {"q7a": "trampoline", "q7b": "trampoline", "q8a": "swimsuits", "q8b": "swimsuits"},
    "c05/variant-b": {
        **{"q1a": "warm", "q1b": "warm", "q7a": "scissors", "q7b": "scissors"},
        **{"q8a": "tuner", "q8b": "tuner", "q9a": "kettle", "q9b": "kettle"},
    },
}


@case.every_coverage_system
@pytest.mark.parametrize("row", [ROWS[name, id] for name, ids in NAMED.items() for id in ids], ids=str)
def test_a_refusal_names_a_real_word_of_the_question(row: case.Row, system: System) -> None:
    assert case.ask(row, system).verdict.concept == NAMED[row.case][row.id]
