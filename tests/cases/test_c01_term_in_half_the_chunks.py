"""A word found in half of the chunks still counts."""

from __future__ import annotations

import random
from dataclasses import replace

import case
import pytest

from ragkit.postings import Postings
from ragkit.records import Answer, Chunk
from ragkit.retrieve import BM25, Lexical, query
from ragkit.system import System

FOLDERS = case.folders("c01")
IDFS = ("plus-one", "okapi")
APART = Chunk("zz-gulls", "chunks.csv", "Gulls nest under those eaves.", ("Gulls",))


@case.each(*FOLDERS)
def test_verdicts(row: case.Row) -> None:
    assert case.miss(row, case.ask(row)) == ""


@pytest.mark.parametrize("name", FOLDERS)
def test_a_holder_scores_above_zero_and_above_every_chunk_without_a_question_word(name: str) -> None:
    corpus = case.bot(name).corpus
    for row in case.rows(name):
        terms = query(row.question, corpus)
        scores = Postings(corpus.terms, BM25()).scores(terms)
        holds = [not set(terms).isdisjoint(own) for own in corpus.terms]
        assert all((score > 0) == held for score, held in zip(scores, holds, strict=True)), str(row)


@pytest.mark.parametrize("idf", IDFS)
@pytest.mark.parametrize("name", FOLDERS)
def test_all_holders_are_found_and_nothing_else(name: str, idf: str) -> None:
    corpus = case.bot(name).corpus
    retrieve = Lexical(BM25(idf=idf)).on(corpus)
    for row in case.rows(name):
        terms = set(query(row.question, corpus))
        found = {hit.chunk.id for hit in retrieve([row.question], 99)[0].hits}
        assert found == {chunk.id for chunk, own in zip(corpus.chunks, corpus.terms, strict=True) if terms & set(own)}


@pytest.mark.parametrize("idf", IDFS)
@case.every_coverage_system
def test_a_weight_of_zero_is_not_read_as_absent(system: System, idf: str) -> None:
    weighed = replace(system, retriever=Lexical(BM25(idf=idf)))
    for row in case.rows(*FOLDERS):
        assert case.ask(row, weighed).outcome == case.ask(row, system).outcome, str(row)


def told(row: case.Row, answer: Answer) -> tuple[str, ...]:
    """What must not change when chunks are renamed; where nothing answers, the first of equal scores may be any."""
    quotes = [citation.quote for citation in answer.citations if row.expect == "answer"]
    return (answer.outcome, answer.verdict.gate, answer.verdict.concept, *quotes)


@pytest.mark.parametrize("name", FOLDERS)
@case.every_system
def test_another_order_of_the_chunks_changes_nothing(system: System, name: str) -> None:
    ready = case.chunks(name)
    for order in [random.Random(n).sample(ready, len(ready)) for n in range(24)]:
        named = [replace(chunk, id=f"{n}") for n, chunk in enumerate(order)]
        bot = case.on_chunks(system, named)
        for row in case.rows(name):
            assert told(row, bot.ask(row.question)) == told(row, case.ask(row, system)), str(row)


@pytest.mark.parametrize("name", FOLDERS)
@case.every_coverage_system
def test_one_more_chunk_that_says_nothing_of_it_changes_nothing(system: System, name: str) -> None:
    bot = case.on_chunks(system, [*case.chunks(name), APART])
    for row in case.rows(name):
        assert told(row, bot.ask(row.question)) == told(row, case.ask(row, system)), str(row)


@pytest.mark.parametrize("name", FOLDERS)
@case.every_coverage_system
def test_one_chunk_less_that_says_nothing_of_it_changes_nothing(system: System, name: str) -> None:
    corpus = case.bot(name, system).corpus
    for row in case.rows(name):
        terms = set(query(row.question, corpus))
        for without, own in zip(corpus.chunks, corpus.terms, strict=True):
            if terms.isdisjoint(own):
                bot = case.on_chunks(system, [chunk for chunk in corpus.chunks if chunk != without])
                assert told(row, bot.ask(row.question)) == told(row, case.ask(row, system)), (str(row), without.id)
