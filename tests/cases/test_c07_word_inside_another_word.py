"""A short word is not found inside a longer one."""

from __future__ import annotations

from dataclasses import replace

import case
import pytest

from ragkit.postings import Postings
from ragkit.records import REFUSE
from ragkit.retrieve import BM25, query
from ragkit.system import System

FOLDERS = case.folders("c07")
FOREIGN = {
    "c07/given": ("rent", "port", "cat", "age", "date"),
    "c07/variant-a": ("oak", "sea", "car", "pet", "age", "ram"),
    "c07/variant-b": ("simulator", "vanilla", "milieu", "pan", "ash", "animal"),
}


@case.each(*FOLDERS)
def test_verdicts(row: case.Row) -> None:
    assert case.miss(row, case.ask(row)) == ""


@case.each(*FOLDERS, expect="refuse")
@case.every_coverage_system
def test_no_coverage_gate_reads_a_word_inside_another(system: System, row: case.Row) -> None:
    verdict = case.ask(row, system).verdict
    assert verdict.gate == "unknown-term" and verdict.concept in FOREIGN[row.case]


@pytest.mark.parametrize(("name", "word"), [(name, word) for name, words in FOREIGN.items() for word in words])
def test_no_chunk_is_found_by_a_word_inside_another(name: str, word: str) -> None:
    corpus = case.bot(name).corpus
    assert not Postings(corpus.terms, BM25()).scores(query(word, corpus)).any()


@pytest.mark.parametrize(("name", "word"), [(name, word) for name, words in FOREIGN.items() for word in words])
@case.every_searching_system
def test_a_word_inside_another_is_refused_on_its_own(system: System, name: str, word: str) -> None:
    assert case.bot(name, system).ask(f"Is there a {word}?").outcome == REFUSE


def test_the_substring_dictionary_shows_what_it_breaks() -> None:
    row = next(row for row in case.rows("c07/variant-b") if row.id == "r1")
    loose = replace(case.DEFAULT, analyzer=replace(case.DEFAULT.analyzer, dictionary="substring"))
    assert case.ask(row, loose).outcome == "answer"


@case.every_system
def test_gate_and_retriever_cut_words_in_one_way(system: System) -> None:
    assert case.bot("c07/given", system).corpus.analyzer is system.analyzer
