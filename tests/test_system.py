"""One road for every question: retrieve, gates, answer."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import build
import pytest

from ragkit import golden
from ragkit.answer import Quote, Said, Say, quoted
from ragkit.check import Marked, Numbers, Verbatim
from ragkit.chunk import Headings, Windows
from ragkit.corpus import Corpus, read
from ragkit.gate import Anything, Coverage, Floor, Nothing
from ragkit.records import REFUSE, BadInput, Citation, Ranking, Spent, Verdict
from ragkit.rerank import AsFound, Overlap
from ragkit.retrieve import BM25, Lexical
from ragkit.signals import COVERAGE_PASSAGE, TOP
from ragkit.system import Bot, System
from ragkit.text import Analyzer

FOLDER = build.folder(
    leave="# Leave\n\nYou get 25 days of leave a year.", codes="# KX-Code\n\nIt has eight characters."
)


@dataclass(frozen=True)
class Says:
    """A gate that notes what it was asked and gives one verdict."""

    verdict: Verdict
    asked: tuple[list[Ranking], ...] = ([],)

    def on(self, corpus: Corpus) -> Callable[[Ranking], Verdict]:
        def judge(ranking: Ranking) -> Verdict:
            self.asked[0].append(ranking)
            return self.verdict

        return judge


def bot(*gates: object, **choices: object) -> Bot:
    return System("mine", gates=gates or (Coverage("passage"),), **choices).on(FOLDER)


def test_an_answer_quotes_and_numbers_its_citations() -> None:
    answer = bot().ask("How many days of leave?")
    assert (answer.outcome, answer.text) == ("answer", "You get 25 days of leave a year. [1]")


def test_an_answer_cites_the_chunk_and_the_line() -> None:
    (citation,) = bot().ask("How many days of leave?").citations
    assert (citation.chunk.heading, citation.line) == ("leave.md > Leave", 3)


def test_a_refusal_has_a_gate_and_neither_text_nor_citations() -> None:
    answer = bot().ask("How long is a sabbatical?")
    assert (answer.outcome, answer.text, answer.citations, answer.verdict.gate) == ("refuse", "", (), "unknown-term")


def test_an_answer_keeps_the_question_and_its_ranking() -> None:
    answer = bot().ask("How many DAYS of leave?")
    assert answer.question == answer.ranking.question == "How many DAYS of leave?"


def test_a_refusal_keeps_its_ranking() -> None:
    assert bot().ask("sabbatical leave").ranking.hits


def test_the_first_gate_that_refuses_decides_and_the_rest_are_not_asked() -> None:
    first, second = Says(Verdict("model", reason="no"), ([],)), Says(Verdict(), ([],))
    assert bot(first, second).ask("leave").verdict.gate == "model"
    assert (len(first.asked[0]), len(second.asked[0])) == (1, 0)


def test_every_gate_has_to_pass() -> None:
    assert bot(Anything(), Coverage("passage"), Nothing()).ask("leave").outcome == "refuse"


def test_a_gate_judges_the_question_as_it_was_asked() -> None:
    gate = Says(Verdict("model"), ([],))
    bot(gate).ask("  What’s LEAVE? ")
    assert [ranking.question for ranking in gate.asked[0]] == ["  What’s LEAVE? "]


def test_without_a_sentence_there_is_no_answer() -> None:
    silent = replace(System("mine", gates=(Anything(),)), answerer=Mute())
    assert silent.on(FOLDER).ask("leave").verdict.gate == "no-sentence"


@dataclass(frozen=True)
class Mute:
    def on(self, corpus: Corpus) -> Say:
        return lambda ranking: quoted([])


def test_a_reranker_sees_what_passed_the_gates_and_the_answer_sees_its_order() -> None:
    seen: list[str] = []

    @dataclass(frozen=True)
    class Last:
        def on(self, corpus: Corpus) -> Callable[[Ranking], Ranking]:
            def rerank(ranking: Ranking) -> Ranking:
                seen.append(ranking.question)
                return replace(ranking, hits=ranking.hits[::-1])

            return rerank

    asked = System("mine", gates=(Coverage("corpus"),), reranker=Last()).on(FOLDER)
    refused, answered = asked.ask("sabbatical leave"), asked.ask("leave and characters")
    assert refused.outcome == REFUSE and seen == ["leave and characters"]
    assert answered.ranking.hits[0] == System("mine").on(FOLDER).ask("leave and characters").ranking.hits[-1]


def test_overlap_keeps_the_chunks_that_hold_most_of_the_question() -> None:
    found = bot(Anything(), reranker=Overlap(1)).ask("leave and characters")
    assert len(found.ranking.hits) == 1 < len(bot(Anything()).ask("leave and characters").ranking.hits)


@dataclass(frozen=True)
class Writes:
    """Says a text, with the first hits as its passages."""

    text: str
    passages: int = 1

    def on(self, corpus: Corpus) -> Say:
        def say(ranking: Ranking) -> Said:
            hits = ranking.hits[: self.passages]
            return Said(self.text, tuple(Citation(hit.chunk, hit.chunk.text, hit.chunk.line) for hit in hits))

        return say


CHECKS = (Marked(), Numbers(), Verbatim())


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("You get 25 days of leave a year. [1]", ""),
        ("You get 25 days of leave a year. [2]", "citation-invalid"),
        ("You get 25 days of leave a year.", "citation-invalid"),
        ("You get 26 days of leave a year. [1]", "number-unsupported"),
        ('The rule is "25 days of sick leave a year". [1]', "citation-invalid"),
    ],
)
def test_a_draft_that_a_check_stops_is_refused_and_kept_aside(text: str, gate: str) -> None:
    made = bot(Anything(), answerer=Writes(text), checks=CHECKS, refusal="Ask Bo.")
    answer = made.ask("How many days of leave?")
    assert answer.verdict.gate == gate and answer.withheld == (text if gate else "")
    assert (answer.text, answer.outcome) == (("Ask Bo.", REFUSE) if gate else (text, "answer"))
    assert bot(Anything(), answerer=Writes(text)).ask("How many days of leave?").text == text, "without checks"


def test_the_checks_let_every_quote_of_the_default_system_pass() -> None:
    rows = golden.read(build.GOLDEN / "kestrel-probes.csv")
    folder, questions = read(build.KESTREL), [row.question for row in rows]
    plain, checked = (System("mine", checks=checks).on(folder).ask_all(questions) for checks in ((), CHECKS))
    stopped = [answer.question for answer in checked if answer.withheld]
    assert stopped == [] and [answer.text for answer in checked] == [answer.text for answer in plain]


def test_a_refusal_says_the_same_whatever_the_reason() -> None:
    said = {bot(*gates, refusal="Ask Bo.").ask("sabbatical").text for gates in ([Coverage()], [Floor(TOP, 99.0)])}
    assert said == {"Ask Bo."} and bot(Anything(), refusal="Ask Bo.").ask("leave").text != "Ask Bo."


def test_a_ranking_holds_at_most_k_hits() -> None:
    assert len(bot(Anything(), k=1).ask("leave and characters").ranking.hits) == 1


def test_asking_all_is_asking_each() -> None:
    questions = ["leave", "sabbatical", "", "leave", "KX code"]
    assert bot().ask_all(questions) == [bot().ask(question) for question in questions]


def test_asking_none_gives_none() -> None:
    assert bot().ask_all([]) == []


def test_asking_again_gives_the_same() -> None:
    mine = bot()
    assert mine.ask("leave") == mine.ask("leave")


SYSTEM = System(
    "mine",
    gates=(Coverage("corpus"), Floor(COVERAGE_PASSAGE, 0.5), Floor(TOP, 1.5)),
    chunker=Windows(40, 10),
    analyzer=Analyzer("plural", dictionary="none"),
    retriever=Lexical(BM25(idf="okapi")),
    answerer=Quote(1),
    k=3,
)


def test_a_system_prints_as_its_own_recipe() -> None:
    names = {"top": TOP, "coverage_passage": COVERAGE_PASSAGE}
    for kind in (System, Coverage, Floor, Windows, Headings, Analyzer, Lexical, BM25, Quote, AsFound):
        names[kind.__name__] = kind
    assert eval(repr(SYSTEM), names) == SYSTEM


def test_a_variant_differs_in_one_choice() -> None:
    assert replace(SYSTEM, k=4) != SYSTEM == replace(replace(SYSTEM, k=4), k=3)


def test_a_system_can_be_a_key() -> None:
    assert {SYSTEM: 1}[replace(SYSTEM)] == 1


@pytest.mark.parametrize("k", [0, -1])
def test_fewer_than_one_hit_is_bad_input(k: int) -> None:
    with pytest.raises(BadInput, match="at least 1"):
        System("mine", k=k)


def test_threads_get_the_answers_of_one() -> None:
    questions = [row.question for row in golden.read(build.GOLDEN / "kestrel-probes.csv")]
    folder, system = read(build.KESTREL), System("passage")
    alone, shared = (Bot(system, Corpus(folder, chunker=Headings(), analyzer=Analyzer())) for _ in range(2))
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(shared.ask, questions))
    assert together == alone.ask_all(questions)


@dataclass(frozen=True)
class Fails:
    """An answerer that is never done."""

    def on(self, corpus: Corpus) -> Say:
        return lambda ranking: Said("It is", error="cut at the limit", spent=Spent(1, 5, 2, 0.1))


def test_an_answer_that_fails_is_an_error_with_what_it_took() -> None:
    answer = bot(answerer=Fails()).ask("How many days of leave?")
    assert (answer.outcome, answer.text, answer.error) == ("error", "It is", "cut at the limit")
    assert answer.spent == Spent(1, 5, 2, 0.1) and not answer.citations


def test_what_a_refused_draft_took_is_kept() -> None:
    @dataclass(frozen=True)
    class Bare:
        def on(self, corpus: Corpus) -> Say:
            return lambda ranking: Said("It is 25 days.", spent=Spent(1))

    answer = bot(answerer=Bare(), checks=(Marked(),)).ask("How many days of leave?")
    assert (answer.verdict.gate, answer.withheld, answer.spent.calls) == ("citation-invalid", "It is 25 days.", 1)
