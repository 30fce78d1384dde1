"""Every row gives one outcome, judged in words and quotes; two runs compare only where both scored."""

from __future__ import annotations

import doctest
from collections.abc import Sequence
from dataclasses import replace

import pytest

from ragkit import check, evaluate
from ragkit.evaluate import compare, held, paired
from ragkit.files import table
from ragkit.places import Places
from ragkit.records import (
    ANSWER,
    ERROR,
    REFUSE,
    Answer,
    BadInput,
    Chunk,
    Citation,
    Golden,
    Hit,
    Outcome,
    Ranking,
    Verdict,
)

LEAVE = Chunk("leave.md#annual", "leave.md", "You get 25 days a year.\nAsk early.", sections=("leave.md#annual",))
RATES = Chunk(
    "rates.md#t", "rates.md", "| 2 | £9 |\n| 3 | £12 |", lead="| kg | price |\n|---|---|", sections=("rates.md#t",)
)
CARRY = Chunk("leave.md#carry", "leave.md", "Carry over 5 days.", sections=("leave.md#carry", "leave.md#limits"))
HITS = tuple(Hit(chunk, 3.0 - n) for n, chunk in enumerate((RATES, LEAVE, CARRY)))
ROWS = [Golden("a1", "How long?", True), Golden("a2", "How much?", True), Golden("u1", "Who?", False)]


def said(text: str = "", *quotes: tuple[Chunk, str], question: str = "q", hits: tuple[Hit, ...] = HITS) -> Answer:
    citations = tuple(Citation(chunk, quote, 1) for chunk, quote in quotes)
    return Answer(question, ANSWER, text, citations, ranking=Ranking(question, hits))


def always(outcome: str) -> evaluate.AskAll:
    return lambda questions: [Answer(question, outcome) for question in questions]


def run(ask_all: evaluate.AskAll, rows: Sequence[Golden] = ROWS, **options: object) -> list[Outcome]:
    return evaluate.run(ask_all, rows, system="s", k=2, **options)


def refusing(message: str, function: object, *arguments: object, **options: object) -> None:
    with pytest.raises(BadInput) as caught:
        function(*arguments, **options)
    assert message in str(caught.value) and "; " in str(caught.value)


def test_examples() -> None:
    assert doctest.testmod(evaluate).failed == 0


# The run


def test_every_row_gives_one_outcome_in_order() -> None:
    outcomes = run(always(ANSWER))
    assert [(o.system, o.golden.id, o.right) for o in outcomes] == [
        ("s", "a1", True),
        ("s", "a2", True),
        ("s", "u1", False),
    ]


def test_a_question_that_breaks_does_not_take_the_others_along() -> None:
    asked: list[list[str]] = []

    def fragile(questions: Sequence[str]) -> list[Answer]:
        asked.append(list(questions))
        if "How much?" in questions:
            raise TimeoutError("429\ntoo   many requests " + "x" * 300)
        return [Answer(question, REFUSE) for question in questions]

    outcomes = run(fragile)
    assert [o.answer.outcome for o in outcomes] == [REFUSE, ERROR, REFUSE]
    assert outcomes[1].answer.error.startswith("TimeoutError: 429 too many requests xxx")
    assert len(outcomes[1].answer.error) == 200
    assert asked == [["How long?", "How much?", "Who?"], ["How long?"], ["How much?"], ["Who?"]]


def test_a_wrong_number_of_answers_to_a_single_question_is_its_error() -> None:
    def fragile(questions: Sequence[str]) -> list[Answer]:
        return [] if len(questions) == 1 else [][1]

    assert [o.answer.error for o in run(fragile)] == ["ValueError: 0 answers to 1 question"] * 3


def test_a_system_that_answers_one_by_one_is_asked_once() -> None:
    asked: list[str] = []

    def ask(question: str) -> Answer:
        asked.append(question)
        if question == "How long?":
            raise ValueError("broken")
        return Answer(question, REFUSE)

    assert [o.answer.outcome for o in run(evaluate.each(ask))] == [ERROR, REFUSE, REFUSE]
    assert asked == ["How long?", "How much?", "Who?"]


def test_bad_input_of_a_system_stops_the_run() -> None:
    def unready(questions: Sequence[str]) -> list[Answer]:
        raise BadInput("index: none yet; run `ragkit index`")

    refusing("index: none yet", run, unready)
    refusing("index: none yet", run, evaluate.each(lambda question: unready([question])[0]))


def test_a_wrong_number_of_answers_is_an_error_of_the_run() -> None:
    refusing("s: 2 answers to 3 questions", run, lambda questions: always(ANSWER)(questions[:2]))
    refusing("s: 4 answers to 3 questions", run, lambda questions: always(ANSWER)([*questions, "q"]))


def test_what_is_no_answer_to_the_question_is_an_error() -> None:
    answers = [None, Answer("How much?", "refused"), Answer("How long?", ANSWER)]
    outcomes = run(lambda questions: answers)
    assert [o.answer.outcome for o in outcomes] == [ERROR] * 3
    assert [o.answer.error for o in outcomes] == [
        "the system returned NoneType for an Answer",
        "unknown outcome 'refused'",
        "the answer is to another question",
    ]


def test_an_error_is_not_judged() -> None:
    golden = Golden("a", "q", True, sources=("leave.md",), facts=("25 days",))
    answer = replace(said("25 days", (LEAVE, "You get 25 days a year.")), outcome=ERROR)
    assert evaluate.judge(golden, answer, system="s", k=5) == Outcome("s", golden, answer)


def test_signals_are_kept_with_the_outcome() -> None:
    (outcome,) = run(
        lambda _: [said()], [Golden("a", "q", True)], signals=lambda ranking: {"coverage": len(ranking.hits)}
    )
    assert outcome.signals == {"coverage": 3}


# Retrieval


@pytest.mark.parametrize(
    ("sources", "k", "recall", "rank"),
    [
        (("leave.md#annual",), 2, 1, 2),
        (("leave.md#annual",), 1, 0, 2),
        (("leave.md",), 3, 1, 2),
        (("leave.md#limits", "rates.md"), 2, 0.5, 1),
        (("leave.md#limits", "rates.md"), 3, 1, 1),
        (("other.md",), 3, 0, 0),
        (("leave.md#ann",), 3, 0, 0),
    ],
)
def test_recall_and_rank(sources: tuple[str, ...], k: int, recall: float, rank: int) -> None:
    assert evaluate.retrieved(Golden("a", "q", True, sources=sources), Ranking("q", HITS), k) == (recall, rank)


def test_nothing_found_is_0_and_nothing_to_find_is_undefined() -> None:
    assert evaluate.retrieved(Golden("a", "q", True, sources=("leave.md",)), Ranking("q"), 5) == (0, 0)
    assert evaluate.retrieved(Golden("a", "q", True), Ranking("q", HITS), 5) == (None, None)
    assert evaluate.retrieved(Golden("u", "q", False, sources=("leave.md",)), Ranking("q", HITS), 5) == (None, None)


# Correctness


@pytest.mark.parametrize(
    ("text", "fact", "stands"),
    [
        ("You get 25 days.", "25 days", True),
        ("You get 25 days.", "5 days", False),
        ("You get 25 working days.", "25 days", False),
        ("You get 25 daysets.", "25 days", False),
        ("It costs £1,000.", "£1000", True),
        ("It costs €1000.", "£1,000", False),
        ("Up to 1,000,000 rows", "1000000", True),
        ("Take 10 % off", "10%", True),
        ("Take 10 days off", "10%", False),
        ("Use the KX\u2011Code.", "kx-code", True),
        ("It\u2019s Ada\u2019s desk", "ADA'S desk", True),
        ("from 10\u201312 weeks", "10-12 weeks", True),
        ("2,5 m", "5 m", False),
        ("version 3.5", "5", False),
        ("at 09:30, sharp", "09:30", True),
        ("at 09:30", "30", False),
        ("\uff12\uff15 days", "25 days", True),
        ("You get **25** days\nand more", "25 days and", True),
        ("anything", "\u2713", False),
    ],
)
def test_a_fact_stands_as_whole_words_in_a_row(text: str, fact: str, stands: bool) -> None:
    assert evaluate.correct(Golden("a", "q", True, facts=(fact,)), said(text)) is stands


def test_correct_needs_all_facts_and_nothing_forbidden() -> None:
    golden = Golden("a", "q", True, facts=("25 days", "5 years"), forbidden=("30 days", "28 days"))
    assert evaluate.correct(golden, said("25 days, after 5 years more")) is True
    assert evaluate.correct(golden, said("25 days")) is False
    assert evaluate.correct(golden, said("25 days, after 5 years 28 days")) is False


def test_correctness_is_not_judged_without_facts_or_answer() -> None:
    golden = Golden("a", "q", True, facts=("25 days",))
    assert evaluate.correct(replace(golden, facts=(), forbidden=("x",)), said("x")) is None
    assert evaluate.correct(replace(golden, answerable=False), said("25 days")) is None
    assert evaluate.correct(golden, replace(said("25 days"), outcome=REFUSE)) is None


# Support


def test_a_quote_to_the_letter_from_a_retrieved_passage_is_supported() -> None:
    assert check.support(said("You get 25 days a year. [1]", (LEAVE, "You get 25 days a year."))) == (1, 1)
    assert check.support(said("", (LEAVE, "25 days a\n year. Ask   early."))) == (1, 1)


@pytest.mark.parametrize(
    "quote",
    ["You get 28 days a year.", "5 days a year.", "25 days a ye", "", "  ", "you get 25 days", "You get\nAsk early."],
)
def test_a_quote_that_differs_or_cuts_a_word_is_not(quote: str) -> None:
    assert check.support(said("", (LEAVE, quote))) == (1, 0)


def test_a_passage_that_was_not_retrieved_supports_nothing() -> None:
    assert check.support(said("", (LEAVE, "Ask early."), hits=HITS[:1])) == (1, 0)
    assert check.support(said("", (LEAVE, "Ask early."), hits=())) == (1, 0)


def test_a_passage_made_up_under_a_good_id_supports_nothing() -> None:
    assert check.support(said("", (replace(LEAVE, text="The moon is ours."), "The moon is ours."))) == (1, 0)


def test_a_table_row_is_quoted_below_its_header() -> None:
    quote = "| kg | price |\n|---|---|\n| 3 | £12 |"
    assert check.support(said(f"{quote} [1]", (RATES, quote))) == (1, 1)
    assert check.support(said("", (RATES, quote.replace("£12", "£13")))) == (1, 0)


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("You get 25 days a year. [1]", 1),
        ("You get 25 days\na year.", 1),
        ("You get 25 days a year. [1]\nThe moon is ours.", 2),
        ("You get 25 days a year. [1] The moon is ours. So is Mars!", 3),
        ("The moon is ours. You get 25 days a year.", 2),
        ("A year has 25 days of leave [1]. The moon is ours [2].", 2),
        ("A year has 25 days of leave. [1] The moon is ours.", 2),
        ("v2: You get 25 days a year. [1]", 1),
        ("v2: You get 25 days a year. [7]", 2),
        ("v2: You get 25 days a year.", 2),
        ("The moon is ours. v2: You get 25 days a year. [1]", 2),
        ("- \n***\n[1]", 1),
        ("", 1),
    ],
)
def test_a_sentence_that_no_citation_covers_is_an_unsupported_claim(text: str, claims: int) -> None:
    assert check.support(said(text, (LEAVE, "You get 25 days a year."))) == (claims, 1)


def test_refusals_and_errors_claim_nothing() -> None:
    for outcome in (REFUSE, ERROR):
        answer = replace(said("Sorry.", (LEAVE, "Ask early.")), outcome=outcome)
        assert check.support(answer) == (0, 0)


def test_an_answer_without_citations_claims_its_sentences() -> None:
    assert check.support(said("It is so. Trust me.")) == (2, 0)


# Reasons


@pytest.mark.parametrize(
    ("concepts", "named", "right"),
    [
        (("crypto",), "crypto", True),
        (("crypto",), "Crypto payments", True),
        (("parental leave", "parental"), "parental", True),
        (("parental leave",), "parental", False),
        (("pto",), "crypto", False),
        (("dog",), "", False),
    ],
)
def test_the_reason_is_right_when_a_concept_is_named_in_whole_words(
    concepts: tuple[str, ...], named: str, right: bool
) -> None:
    refusal = Answer("q", REFUSE, verdict=Verdict("unknown-term", named))
    assert evaluate.reason_right(Golden("u", "q", False, concepts=concepts), refusal) is right


def test_forms_of_a_word_are_the_same_when_the_caller_says_so() -> None:
    golden = Golden("u", "q", False, concepts=("dogs",))
    rows = [Answer("q", REFUSE, verdict=Verdict("unknown-term", "dog"))]
    assert run(lambda _: rows, [golden])[0].reason_right is False
    assert run(lambda _: rows, [golden], same=lambda a, b: a.strip("s") == b.strip("s"))[0].reason_right is True


def test_a_reason_is_judged_only_for_right_refusals_with_a_concept() -> None:
    refusal = Answer("q", REFUSE, verdict=Verdict("unknown-term", "dog"))
    golden = Golden("u", "q", False, concepts=("dog",))
    assert evaluate.reason_right(replace(golden, answerable=True), refusal) is None
    assert evaluate.reason_right(replace(golden, concepts=()), refusal) is None
    assert evaluate.reason_right(golden, replace(refusal, outcome=ANSWER)) is None


# The table


def test_the_table_of_outcomes() -> None:
    golden = Golden("a1", "q", True, sources=("leave.md",), category="q1", facts=("25 days",))
    answer = said("You get 25 days a year. [1]", (LEAVE, "You get 25 days a year."))
    outcome = evaluate.judge(
        golden, answer, system="s", k=2, signals=lambda _: {"coverage": 1.0, "cosine": 0.5}, places=Places((LEAVE,))
    )
    refusal = Answer("q", REFUSE, verdict=Verdict("unknown-term", "dog"))
    failed = Answer("q", ERROR, error="Timeout:\n 429")
    outcomes = [
        outcome,
        evaluate.judge(Golden("u1", "q", False, concepts=("dog",)), refusal, system="s", k=2),
        evaluate.judge(Golden("u2", "q", False), failed, system="s", k=2),
    ]
    assert table(evaluate.outcomes_table(outcomes, "kestrel", "probes"), evaluate.COLUMNS).splitlines() == [
        "system,corpus,golden,id,category,answerable,outcome,gate,concept,score,cosine,coverage,cites,faithful,recalled,"
        "correct,reason_right,error,version_correct,cites_line",
        "s,kestrel,probes,a1,q1,true,answer,,,3.000000,0.500000,1.000000,1,1.000000,1.000000,true,,,,true",
        "s,kestrel,probes,u1,,false,refuse,unknown-term,dog,,,,0,,,,true,,,",
        "s,kestrel,probes,u2,,false,error,,,,,,0,,,,,Timeout: 429,,",
    ]


# The pass rule and the baseline


def outcome(name: str, answerable: bool, verdict: str, correct: bool | None = None, question: str = "q") -> Outcome:
    return Outcome("s", Golden(name, question, answerable), Answer(question, verdict), correct=correct)


@pytest.mark.parametrize(
    ("answerable", "verdict", "correct", "holds"),
    [
        (True, ANSWER, None, True),
        (True, ANSWER, True, True),
        (True, ANSWER, False, False),
        (True, REFUSE, None, False),
        (False, REFUSE, None, True),
        (False, ANSWER, None, False),
        (True, ERROR, None, False),
        (False, ERROR, None, False),
    ],
)
def test_the_pass_rule(answerable: bool, verdict: str, correct: bool | None, holds: bool) -> None:
    assert held(outcome("q", answerable, verdict, correct)) is holds


@pytest.mark.parametrize("lazy", [ANSWER, REFUSE, ERROR])
def test_no_lazy_system_passes(lazy: str) -> None:
    assert not all(map(held, run(always(lazy))))


def test_changes_against_the_baseline() -> None:
    outcomes = [
        outcome("a", True, REFUSE),
        outcome("b", True, ANSWER),
        outcome("c", False, ERROR),
        outcome("d", True, ANSWER),
    ]
    changes = compare({"a": True, "b": False, "c": True, "gone": True}, outcomes)
    assert changes == evaluate.Changes(broken=("a", "c"), mended=("b",), unknown=("d",), missing=("gone",))
    assert compare({"b": True}, outcomes[1:2]) == evaluate.Changes((), (), (), ())


# Two runs (c16)


def runs() -> tuple[list[Outcome], list[Outcome]]:
    expected = [True] * 7 + [False] * 3
    a = [ANSWER, ANSWER, ANSWER, ANSWER, REFUSE, ANSWER, ANSWER, REFUSE, ANSWER, REFUSE]
    b = [ERROR if n in (2, 3, 4, 8) else verdict for n, verdict in enumerate(a)]
    return tuple([outcome(f"q{n}", yes, v) for n, (yes, v) in enumerate(zip(expected, x, strict=True))] for x in (a, b))


def test_only_rows_that_both_scored_compare() -> None:
    assert paired(*runs()) == evaluate.Paired(6, (), (), ("q2", "q3", "q4", "q8"), 1.0)


def test_five_fixes_are_not_significant_and_six_are() -> None:
    for fixes, p in ((5, 0.0625), (6, 0.03125)):
        before = [outcome(f"q{n}", False, ANSWER) for n in range(fixes)] + [outcome("same", True, ANSWER)]
        after = [outcome(f"q{n}", False, REFUSE) for n in range(fixes)] + [outcome("same", True, ANSWER)]
        found = paired(before, after)
        assert (found.scored, found.only_a, len(found.only_b), found.p) == (fixes + 1, (), fixes, p)
        assert paired(after, before).only_a == found.only_b


def test_another_notion_of_right() -> None:
    a, b = [outcome("q", True, ANSWER, correct=True)], [outcome("q", True, ANSWER, correct=False)]
    assert paired(a, b).only_a == ()
    assert paired(a, b, right=lambda o: o.correct).only_a == ("q",)


def test_runs_over_other_rows_do_not_compare() -> None:
    a = [outcome("q1", True, ANSWER), outcome("q2", True, ANSWER)]
    refusing("q2, q3: only in one of the two runs", paired, a, [a[0], outcome("q3", True, ANSWER)])
    refusing("q2: another answerable in each", paired, a, [a[0], outcome("q2", False, ANSWER)])
    refusing("q2: another question in each", paired, a, [a[0], outcome("q2", True, ANSWER, question="other")])
    refusing("q1: more than one outcome", paired, [a[0], a[0]], a)
    refusing(
        "q0, q1, q2, q3, q4: more than one outcome", paired, 2 * [outcome(f"q{n}", True, ANSWER) for n in range(5)], a
    )
    many = [outcome(f"n{n}", True, ANSWER) for n in range(8)]
    refusing("n0, n1, n2, n3, n4 and 3 more: only in one", paired, many, [])
