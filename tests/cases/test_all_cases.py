"""What holds for every system over the questions of all cases."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import case
import pytest

from ragkit.records import Document
from ragkit.system import System
from ragkit.text import fold

SCRAPS = {"isn", "aren", "ve", "ll", "won", "wouldn", "shouldn", "haven", "doesn", "don", "couldn", "t", "s", "d", "m"}
ROWS = case.rows(*case.CASES)


@case.every_system
def test_every_question_ends_in_one_of_two_outcomes(system: System) -> None:
    assert {case.ask(row, system).outcome for row in ROWS} <= {"answer", "refuse"}


@case.every_system
def test_a_refusal_names_an_idea_that_stands_in_the_question(system: System) -> None:
    for row in ROWS:
        concept = fold(case.ask(row, system).verdict.concept)
        pieces = re.findall(r"[a-z]+|\d+", concept)
        written = re.findall(r"[a-z]+|\d+", fold(row.question))
        assert "".join(pieces) in "".join(written) and set(pieces) <= set(written), (str(row), concept)


@case.every_system
def test_a_refusal_never_names_a_scrap_of_a_contraction(system: System) -> None:
    named = {str(row): re.split(r"\W", case.ask(row, system).verdict.concept) for row in ROWS}
    codes = {row for row, pieces in named.items() if any(map(str.isdigit, pieces))}
    assert [row for row in named if SCRAPS.intersection(named[row]) and row not in codes] == []


APART = Document("zz.md", "# Gulls\n\nGulls nest beneath those eaves.\n")
WITH_FILES = [name for name in case.CASES if not name.startswith(("c01", "c02"))]


@pytest.mark.parametrize("name", WITH_FILES)
@case.every_coverage_system
def test_one_more_document_that_says_nothing_of_it_changes_no_verdict(system: System, name: str) -> None:
    before = case.folder(name)
    bot = system.on(replace(before, documents=(*before.documents, APART)))
    for row in case.rows(name):
        verdict, old = bot.ask(row.question).verdict, case.ask(row, system).verdict
        assert (verdict.gate, verdict.concept) == (old.gate, old.concept), str(row)


def test_no_question_of_a_folder_is_asked_twice() -> None:
    asked = Counter((row.case, row.question) for row in ROWS)
    assert [question for question, count in asked.items() if count > 1] == []
