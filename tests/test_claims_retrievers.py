"""Claims about retrievers under a gate: each figure moves with what it claims to measure."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import build
import pytest

from ragkit.claims import lab, retrievers
from ragkit.claims.retrievers import Blind, differ, lone, lost, reworded, shared
from ragkit.gate import Anything, Coverage
from ragkit.records import ANSWER, REFUSE, Answer, Golden, Outcome
from ragkit.signals import TOP
from ragkit.system import Bot


def outcome(did: str, *, recall: float | None = None) -> Outcome:
    return Outcome("s", Golden("a", "?", answerable=True), Answer("?", did), recall=recall)


def test_a_blind_retriever_draws_by_the_question_and_its_seed_alone() -> None:
    corpus = build.corpus(*(f"word{n}" for n in range(30)))
    short, long, other = (
        retriever.on(corpus)([question], k)[0].hits
        for retriever, question, k in ((Blind(), "a b", 3), (Blind(), "a b", 9), (Blind(1), "a b", 9))
    )
    assert short == long[:3] and long != other
    assert {hit.score for hit in long} == {1.0} and len({hit.chunk.id for hit in long}) == 9


def test_a_question_that_is_answered_once_and_refused_once_differs() -> None:
    yes, no = outcome(ANSWER), outcome(REFUSE)
    assert differ([[yes, no, yes], [yes, no, yes]]) == 0
    assert differ([[yes, no, yes], [yes, yes, yes], [no, no, yes]]) == 2


@pytest.mark.parametrize(("gate", "same"), [(Coverage("corpus"), True), (Coverage("passage"), False)])
def test_a_gate_that_asks_the_documents_alone_gives_one_verdict(
    gate: Coverage, same: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrievers, "BACKENDS", tuple(replace(each, gates=(gate,)) for each in retrievers.BACKENDS))
    monkeypatch.setattr(retrievers, "KS", (1, 4))
    found = retrievers._same_verdicts()
    assert all(figure.value == 0 for figure in found.figures) is same
    assert found.figures[2].value == 0


def toy(*texts: str) -> Bot:
    return Bot(lab.PUBLISHED, build.corpus(*texts, analyzer=lab.PUBLISHED.analyzer))


def test_what_a_question_shares_is_told_by_terms_and_by_ideas() -> None:
    bot = toy("The KX-40 stands outdoors.", "Leave is approved by the office.", "The office is closed.")
    rows = [Golden(n, n, answerable=False) for n in ("colourless dreams", "who runs the office?", "is the KX-41 here?")]
    scores = {row.id: TOP(bot.ask(row.question).ranking, bot.corpus) for row in rows}
    study: Any = SimpleNamespace(rows=rows, bot=lambda system: bot, scores=lambda signal, system: scores)
    nothing, office, code = shared(study)
    assert (nothing.terms, nothing.ideas, nothing.score) == ((), (), 0.0)
    assert (office.terms, [idea.word for idea in office.ideas]) == (("office",), ["office"]) and office.score > 0
    assert code.terms and not code.ideas and code.score > 0


def test_a_lone_word_scores_what_a_question_with_it_alone_scores() -> None:
    bot = toy("Leave is approved by the office.", "The office is closed.", "Parcels leave at noon.")
    known = dict(zip(bot.corpus.holders, lone(bot.corpus), strict=True))
    for word in ("office", "noon"):
        share, score = known[word]
        assert score == bot.ask(f"what about the {word}?").ranking.hits[0].score
        assert share == len(bot.corpus.holders[word]) / 3


def test_a_question_is_reworded_once_and_only_where_an_entry_fits() -> None:
    folder = replace(build.folder(a="# A"), terms=(("pto", ("paid leave", "leave")), ("cost", ("price",))))
    rows = [
        Golden("1", "Is paid leave at full Price?", answerable=True),
        Golden("2", "What is the price?", answerable=True),
        Golden("3", "Do prices change?", answerable=True),
        Golden("4", "Is there paid leave?", answerable=False),
    ]
    found = {row.id: row.question for row in reworded(rows, folder)}
    assert found == {"1": "Is pto at full Price?", "2": "What is the cost?"}


def test_the_dictionary_is_cut_into_two_halves() -> None:
    folder = replace(build.folder(), terms=tuple((name, (name,)) for name in "abcde"))
    parts = {size: [term for term, _ in retrievers.cut(folder, size).terms] for size in retrievers.SIZES}
    assert parts["none"] == [] and sorted(parts["odd half"] + parts["even half"]) == parts["all"] == [*"abcde"]


def test_a_gate_that_reads_no_dictionary_loses_no_answer_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrievers, "WITH_TERMS", (("clinic", "clinic"),))
    loses = retrievers._dictionary().figures[2]
    open_gate = replace(retrievers.HYBRID, gates=(Anything(),))
    monkeypatch.setattr(retrievers, "HYBRID", open_gate)
    assert (loses.value > 0, retrievers._dictionary().figures[2].value) == (True, 0)


def test_recall_is_lost_where_there_is_a_source() -> None:
    full = [outcome(ANSWER, recall=1.0), outcome(ANSWER), outcome(ANSWER, recall=0.5)]
    less = [outcome(ANSWER, recall=0.5), outcome(ANSWER), outcome(ANSWER, recall=1.0)]
    assert lost(full, less) == [0.5, -0.5]
