"""Scripts that write answers well or badly: what each writes, and which guard stops it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import build
import pytest

from ragkit import corpus
from ragkit.answer import Quote
from ragkit.check import Check, Marked, Numbers, Verbatim
from ragkit.corpus import Corpus
from ragkit.generate import NO_ANSWER
from ragkit.markers import plain
from ragkit.records import ANSWER, REFUSE, Answer, Chunk, Hit, Ranking
from ragkit.scripted import (
    SCRIPTS,
    Denier,
    Fabricator,
    Faithful,
    MarkerBender,
    NumberBender,
    SecondGuesser,
    Stale,
    SumMaker,
)
from ragkit.systems import SYSTEMS
from ragkit.written import Writer, Written, by

LEAVE = "Full-time staff get 25 days of leave a year. It is paid. After five years there are 3 days more."
PARKING = "Parking is free behind the shed. Visitors must not park there."
MADE = build.corpus(LEAVE, PARKING)
BOTH = (1.0, 1.0)

every_script = pytest.mark.parametrize("script", SCRIPTS, ids=str)


def written(script: Writer, question: str, made: Corpus = MADE, scores: tuple[float, ...] = BOTH) -> str:
    return script.on(made)(build.ranking(question, made, *scores)).text


def asked(script: Writer, question: str, *checks: Check) -> Answer:
    """What is shown of a script that writes for a bot with these checks, on a folder with both texts."""
    always = replace(SYSTEMS["always-answer"], answerer=Written(script), checks=checks)
    return always.on(build.folder(leave=f"# Leave\n\n{LEAVE}", parking=f"# Parking\n\n{PARKING}")).ask(question)


# What all promise


@every_script
def test_a_script_writes_the_same_to_the_same_ranking(script: Writer) -> None:
    for question in ("How many days of leave?", "May visitors park?", "xyzzy?", ""):
        first = script.on(MADE)(build.ranking(question, MADE, *BOTH))
        again = replace(script).on(build.corpus(LEAVE, PARKING))(build.ranking(question, MADE, *BOTH))  # type: ignore[type-var]
        assert first == again and first.whole


@every_script
def test_a_script_says_what_it_is_and_costs_nothing(script: Writer) -> None:
    reply = script.on(MADE)(build.ranking("Leave?", MADE, *BOTH))
    assert reply.model == f"script {script}" and (reply.tokens_in, reply.tokens_out, reply.cost) == (0, 0, 0.0)


@every_script
def test_only_one_that_makes_things_up_writes_something_from_nothing(script: Writer) -> None:
    text = script.on(MADE)(Ranking("How many days of leave?")).text
    assert (text == NO_ANSWER) != isinstance(script, Fabricator)


def test_scripts_are_distinct_values() -> None:
    assert len(set(SCRIPTS)) == len(SCRIPTS)


# What each writes


@pytest.mark.parametrize("question", ["How many days of leave after five years?", "May visitors park?", "Is it free?"])
def test_faithful_says_what_a_quote_says(question: str) -> None:
    ranking = build.ranking(question, MADE, *BOTH)
    said, quoted = Written(Faithful()).on(MADE)(ranking), Quote().on(MADE)(ranking)
    assert plain(said.text) == plain(quoted.text)
    assert [c.chunk for c in said.citations] == list(dict.fromkeys(c.chunk for c in quoted.citations))


def test_faithful_names_the_passage_by_its_place_in_the_ranking() -> None:
    assert written(Faithful(), "May visitors park?") == "Visitors must not park there. [2]"


@pytest.mark.parametrize("question", ["How many days?", "Who is the CEO?"])
def test_a_fabricator_writes_a_figure_that_hangs_on_the_question_alone(question: str) -> None:
    texts = {written(Fabricator("[1]"), question, scores=scores) for scores in ((), (1.0,), BOTH)}
    (text,) = texts
    figure = int(text.removeprefix("The figure is ").removesuffix(". [1]"))
    assert 100 <= figure <= 999 and written(Fabricator(), question) == f"The figure is {figure}."


def test_a_second_guesser_refuses_where_few_ideas_meet() -> None:
    sure, unsure = "How many days of leave?", "How many days of leave for visitors behind the shed?"
    assert written(SecondGuesser(), sure) == written(Faithful(), sure)
    assert written(SecondGuesser(), unsure) == NO_ANSWER != written(Faithful(), unsure)
    assert written(SecondGuesser(least=0.0), unsure) == written(Faithful(), unsure)


def dated(*parts: tuple[str, str, str]) -> Corpus:
    chunks = [
        Chunk(f"{n:03}", f"{n}.md", text, version=version, status=status)
        for n, (text, version, status) in enumerate(parts)
    ]
    return Corpus.of_chunks(chunks)


NEW, OLD = ("The limit is 20.", "v2", ""), ("The limit is 10.", "v1", "")


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ((NEW, OLD), "The limit is 10. [2]"),
        ((NEW, ("The limit is a limit.", "both", ""), OLD), "The limit is 10. [3]"),
        ((("The limit is 20.", "", ""), ("The limit is 10.", "", "superseded")), "The limit is 10. [2]"),
        ((("The limit is 20.", "", ""), ("The limit is 10.", "", "")), "The limit is 20. [1]"),
    ],
)
def test_stale_quotes_the_oldest_version_or_what_is_superseded(
    parts: tuple[tuple[str, str, str], ...], said: str
) -> None:
    made = dated(*parts)
    assert written(Stale(), "What is the limit?", made, (1.0,) * len(parts)) == said


@pytest.mark.parametrize(
    ("text", "bent"),
    [
        ("The limit is 25 days.", "The limit is 26 days."),
        ("The limit is 19 of 20.", "The limit is 19 of 21."),
        ("The limit is 19.", "The limit is 10."),
        ("The limit is high.", "The limit is high."),
    ],
)
def test_a_number_bender_changes_one_digit_and_keeps_the_marker(text: str, bent: str) -> None:
    assert written(NumberBender(), "What is the limit?", build.corpus(text), (1.0,)) == f"{bent} [1]"


def test_a_sum_maker_adds_two_numbers_of_the_passage_it_quotes() -> None:
    text = written(SumMaker(), "How many days of leave a year?")
    assert text.endswith("\nTogether that makes 28 day [1].") and text.startswith(
        written(Faithful(), "How many days of leave a year?")
    )
    assert written(SumMaker(), "May visitors park?") == written(Faithful(), "May visitors park?")


def test_a_sum_maker_writes_only_what_is_read_as_it_is_meant() -> None:
    made = build.corpus("The range is 5 to 45 m/s, the weight 210 g or 260 g.")
    assert written(SumMaker(), "What is the range?", made, (1.0,)).endswith("Together that makes 470 gram [1].")


def test_a_marker_bender_names_a_passage_after_the_last_or_the_next_one() -> None:
    assert written(MarkerBender(), "May visitors park?") == "Visitors must not park there. [3]"
    assert written(MarkerBender(given=True), "May visitors park?") == "Visitors must not park there. [1]"
    assert written(MarkerBender(given=True), "Is it paid leave?").endswith("[2]")


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("The limit is 25 days.", "The limit is not 25 days."),
        ("The limit must not be passed.", "The limit must be passed."),
        ("The limit can not be passed, it is low.", "The limit can be passed, it is low."),
        ("The limit holds.", "The limit holds."),
        ("The island limit holds.", "The island limit holds."),
    ],
)
def test_a_denier_turns_a_sentence_round(text: str, denied: str) -> None:
    assert written(Denier(), "What is the limit?", build.corpus(text), (1.0,)) == f"{denied} [1]"


def test_a_denier_leaves_tables_and_code() -> None:
    made = build.corpus("| Limit | is |\n|---|---|\n| limit | is 5 |")
    assert written(Denier(), "What is the limit?", made, (1.0,)) == written(
        Faithful(), "What is the limit?", made, (1.0,)
    )


# Which guard stops what

QUESTION = "How many days of leave a year are free?"
UNMARKED, FALSE = "citation-invalid", "number-unsupported"


@pytest.mark.parametrize(
    ("script", "marked", "numbers", "strict"),
    [
        (Faithful(), "", "", ""),
        (Fabricator(), UNMARKED, FALSE, FALSE),
        (Fabricator("[1]"), "", FALSE, FALSE),
        (Fabricator("[9]"), UNMARKED, FALSE, FALSE),
        (NumberBender(), "", FALSE, FALSE),
        (SumMaker(), "", "", FALSE),
        (MarkerBender(), UNMARKED, FALSE, FALSE),
        (MarkerBender(given=True), "", FALSE, FALSE),
        (Denier(), "", "", ""),
    ],
    ids=str,
)  # fmt: skip
def test_what_each_guard_stops(script: Writer, marked: str, numbers: str, strict: str) -> None:
    for check, gate in ((Marked(), marked), (Numbers(), numbers), (Numbers(sums=False), strict), (Verbatim(), "")):
        answer = asked(script, QUESTION, check)
        assert answer.verdict.gate == gate and answer.outcome == (REFUSE if gate else ANSWER)
        assert bool(answer.text) != bool(answer.withheld) == bool(gate)


def test_no_guard_stops_a_sentence_without_a_number_that_is_false_or_stands_elsewhere() -> None:
    checks = (Marked(), Numbers(), Verbatim())
    assert asked(Denier(), "May visitors park?", *checks).text == "Visitors must park there. [1]"
    swapped = asked(MarkerBender(given=True), "Is parking for visitors free in leave?", *checks)
    assert swapped.text.startswith("Parking is free") and swapped.citations[0].chunk.file == "leave.md"


@pytest.mark.parametrize("name", ["coverage", "cited", "cosine"])
@every_script
def test_a_script_writes_for_the_published_designs(script: Writer, name: str) -> None:
    system = SYSTEMS[name]
    bot = replace(system, answerer=by(system.answerer, script)).on(corpus.read(Path(build.KESTREL)))
    assert {answer.outcome for answer in bot.ask_all(["How many days of annual leave?", "xyzzy?"])} <= {ANSWER, REFUSE}


def test_hits_of_any_score_are_quoted_alike() -> None:
    low = Ranking("May visitors park?", tuple(Hit(chunk, 0.0) for chunk in MADE.chunks))
    assert Faithful().on(MADE)(low).text == written(Faithful(), "May visitors park?")
