"""Case c20: a reply of a model that holds no whole text is an error with its reason, never a refusal or an answer.

The eight replies of the case go over the wire to the SDK itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragkit import evaluate, metrics, report
from ragkit.generate import Ask, Prompt, answered
from ragkit.records import ANSWER, ERROR, REFUSE, Answer, Golden, Outcome, Rate
from tests.services import GEMINI
from tests.stub import Reply, Stub, gemini_text

REPLIES = {file.name[:2]: file for file in sorted((Path(__file__).parent / "c20" / "replies").glob("*.json"))}
REASONS = {
    "r1": "the prompt was blocked (SAFETY)",
    "r2": "out of tokens before any text",
    "r3": "stopped for safety (SAFETY)",
    "r4": "cut off at the limit of tokens",
    "r7": "no candidates",
    "r8": "blank text",
}
# How high is the deposit? It stands in the documents for all but r5, and nobody answers what r1 and r8 ask.
ANSWERABLE = {"r1": False, "r5": False, "r8": False}

every_error = pytest.mark.parametrize("name", REASONS)


@pytest.fixture(scope="module")
def asked() -> Iterator[tuple[Stub, Ask]]:
    pytest.importorskip("google.genai")
    with Stub(gemini_text) as stub, pytest.MonkeyPatch.context() as patch:
        GEMINI.reachable(patch, stub)
        yield stub, GEMINI.choice.load()


@pytest.fixture(scope="module")
def run(asked: tuple[Stub, Ask]) -> dict[str, Outcome]:
    """The eight replies as the answers to eight questions of one run."""
    stub, ask = asked
    stub.script = [Reply(json.loads(file.read_text("utf-8"))) for file in REPLIES.values()]
    golden = [Golden(name, f"Deposit {name}?", ANSWERABLE.get(name, True), facts=("40 pounds",)) for name in REPLIES]

    def one(question: str) -> Answer:
        return answered(question, ask(Prompt("Answer from the passages.", question)))

    outcomes = evaluate.run(evaluate.each(one), golden, system="model", k=5)
    return {outcome.golden.id: outcome for outcome in outcomes}


def test_the_case_is_whole() -> None:
    assert list(REPLIES) == ["r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8"]


@every_error
def test_what_holds_no_whole_text_is_an_error_with_its_own_reason(run: dict[str, Outcome], name: str) -> None:
    answer = run[name].answer
    assert (answer.outcome, answer.error) == (ERROR, f"gemini-3.8-flash: {REASONS[name]}")


def test_no_two_reasons_are_the_same() -> None:
    assert len(set(REASONS.values())) == len(REASONS)


def test_the_half_sentence_is_kept_and_is_not_scored(run: dict[str, Outcome]) -> None:
    half = run["r4"]
    assert half.answer.text == "The deposit is 40 pounds [1] and it is re"
    assert (half.right, half.correct, half.claims) == (None, None, 0)


@pytest.mark.parametrize("name", [name for name in REASONS if name != "r4"])
def test_no_other_has_a_text(run: dict[str, Outcome], name: str) -> None:
    assert run[name].answer.text == ""


def test_a_refusal_is_one_of_the_gate_model(run: dict[str, Outcome]) -> None:
    answer = run["r5"].answer
    assert (answer.outcome, answer.verdict.gate, answer.text) == (REFUSE, "model", "")


def test_an_answer_is_its_text(run: dict[str, Outcome]) -> None:
    assert (run["r6"].answer.outcome, run["r6"].answer.text) == (ANSWER, "The deposit is 40 pounds [1].")
    assert run["r6"].correct


def test_the_run_goes_on_after_each(run: dict[str, Outcome], asked: tuple[Stub, Ask]) -> None:
    assert list(run) == list(REPLIES) and not asked[0].script


def test_errors_are_left_out_of_every_rate_and_counted(run: dict[str, Outcome]) -> None:
    outcomes = list(run.values())
    assert metrics.errors(outcomes) == list(REASONS)
    assert metrics.gate_accuracy(outcomes) == Rate(2, 2, 6)
    assert metrics.right_refusals(outcomes) == Rate(1, 1, 2) and metrics.right_answers(outcomes) == Rate(1, 1, 4)
    assert metrics.bounds(metrics.gate_accuracy(outcomes)) == (Rate(2, 8), Rate(8, 8))


def test_the_run_is_marked_as_incomplete(run: dict[str, Outcome]) -> None:
    shown = report.bands(report.Run("model", "docs", "c20", 1, "bm25", tuple(run.values())))
    assert f"INCOMPLETE: 6 rows ended in an error and stand in no rate: {', '.join(REASONS)}" in shown


@every_error
def test_an_error_mends_nothing(run: dict[str, Outcome], name: str) -> None:
    found = evaluate.compare({name: False}, [run[name]])
    assert (found.broken, found.mended) == ((), ())
