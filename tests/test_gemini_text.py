"""What Gemini's replies say about themselves, through the SDK itself, against a service on this machine.

What holds for every service is in test_service.py, the eight replies of case c20 are in tests/cases.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from ragkit.backends.gemini_text import STOPS, GeminiText
from ragkit.generate import Ask, Prompt
from ragkit.prices import cost
from tests.services import GEMINI, PROMPT, keyless
from tests.stub import Reply, Stub, gemini_says, gemini_text


@pytest.fixture(scope="module")
def service() -> Iterator[Stub]:
    pytest.importorskip("google.genai")
    with Stub(gemini_text) as stub:
        yield stub


@pytest.fixture(scope="module")
def ask(service: Stub) -> Ask:
    with pytest.MonkeyPatch.context() as patch:
        keyless(patch)
        GEMINI.reachable(patch, service)
        return GEMINI.choice.load()


@pytest.fixture
def stub(service: Stub) -> Stub:
    service.script, service.requests = [], []
    return service


def candidate(**fields: Any) -> Reply:  # noqa: ANN401
    return Reply({"candidates": [{"index": 0, **fields}]})


def content(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"role": "model", "parts": list(parts)}}


def test_thoughts_are_paid_and_are_no_text(stub: Stub, ask: Ask) -> None:
    parts = content({"text": "Let me see.", "thought": True}, {"text": "The deposit "}, {"text": "is 40 pounds."})
    usage = {"promptTokenCount": 1000, "candidatesTokenCount": 10, "thoughtsTokenCount": 90}
    stub.script = [Reply({"candidates": [parts | {"finishReason": "STOP"}], "usageMetadata": usage})]
    reply = ask(PROMPT)
    assert reply.whole and reply.text == "The deposit is 40 pounds."
    assert (reply.tokens_in, reply.tokens_out, reply.cost) == (1000, 100, cost("gemini-3.8-flash", 1000, 100))
    assert reply.model == "gemini-3.8-flash"


def test_only_the_first_candidate_is_read(stub: Stub, ask: Ask) -> None:
    two = [content({"text": text}) | {"finishReason": "STOP"} for text in ("one", "two")]
    stub.script = [Reply({"candidates": two})]
    assert ask(PROMPT).text == "one"


def test_what_the_service_does_not_count_is_not_known(stub: Stub, ask: Ask) -> None:
    stub.script = [candidate(**content({"text": "Yes."}), finishReason="STOP")]
    reply = ask(PROMPT)
    assert (reply.whole, reply.tokens_in, reply.tokens_out, reply.cost) == (True, None, None, None)


def test_a_model_without_a_price_has_no_cost(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    GEMINI.reachable(monkeypatch, stub)
    reply = GeminiText("gemini-of-tomorrow").load()(PROMPT)
    assert reply.whole and reply.tokens_out == 12 and reply.cost is None
    assert stub.requests[0].path.endswith("/models/gemini-of-tomorrow:generateContent")


@pytest.mark.parametrize(
    ("finish", "stopped", "reason"),
    [
        ("MAX_TOKENS", "length", "cut off at the limit of tokens"),
        ("CONTINUATION", "length", "cut off at the limit of tokens"),
        ("SAFETY", "safety", "stopped for safety (SAFETY)"),
        ("RECITATION", "safety", "stopped for safety (RECITATION)"),
        ("PROHIBITED_CONTENT", "safety", "stopped for safety (PROHIBITED_CONTENT)"),
        ("OTHER", "other", "stopped (OTHER)"),
        ("MALFORMED_RESPONSE", "other", "stopped (MALFORMED_RESPONSE)"),
    ],
)
def test_a_text_that_is_not_whole_says_so(stub: Stub, ask: Ask, finish: str, stopped: str, reason: str) -> None:
    stub.script = [gemini_says("The deposit is 40 pou", finish)]
    reply = ask(PROMPT)
    assert (reply.text, reply.stopped, reply.reason) == ("The deposit is 40 pou", stopped, reason)


@pytest.mark.filterwarnings("ignore:.*OF_TOMORROW is not a valid")
def test_a_reason_that_nobody_knows_yet_is_not_taken_for_the_end(stub: Stub, ask: Ask) -> None:
    stub.script = [gemini_says("The deposit", "OF_TOMORROW")]
    reply = ask(PROMPT)
    assert (reply.stopped, reply.reason) == ("other", "stopped (OF_TOMORROW)")


def test_a_reply_that_gives_no_reason_is_not_taken_for_the_end(stub: Stub, ask: Ask) -> None:
    stub.script = [candidate(**content({"text": "The deposit"}))]
    reply = ask(PROMPT)
    assert (reply.stopped, reply.reason) == ("other", "no reason is given why it stopped")


@pytest.mark.parametrize(
    ("reply", "stopped", "reason"),
    [
        (candidate(finishReason="STOP"), "empty", "no text"),
        (candidate(**content(), finishReason="STOP"), "empty", "no text"),
        (candidate(**content({"text": "Hm.", "thought": True}), finishReason="STOP"), "empty", "no text"),
        (candidate(**content({"functionCall": {"name": "f", "args": {}}}), finishReason="STOP"), "empty", "no text"),
        (candidate(finishReason="MAX_TOKENS"), "length", "out of tokens before any text"),
        (Reply({}), "empty", "no candidates"),
        (Reply({"promptFeedback": {}}), "empty", "no candidates"),
    ],
)
def test_a_reply_without_text(stub: Stub, ask: Ask, reply: Reply, stopped: str, reason: str) -> None:
    stub.script = [reply]
    found = ask(PROMPT)
    assert (found.text, found.stopped, found.reason) == ("", stopped, reason)


def test_a_blocked_prompt_is_blocked_whatever_else_is_there(stub: Stub, ask: Ask) -> None:
    stub.script = [gemini_says("Sure.", promptFeedback={"blockReason": "PROHIBITED_CONTENT"})]
    reply = ask(PROMPT)
    assert (reply.stopped, reply.reason) == ("safety", "the prompt was blocked (PROHIBITED_CONTENT)")


def test_every_reason_is_one_that_the_sdk_knows() -> None:
    types = pytest.importorskip("google.genai.types")
    assert set(STOPS) <= set(types.FinishReason.__members__)


def test_the_sdk_says_nothing_of_its_own(stub: Stub, ask: Ask, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    ask(Prompt("", "Tide?"))
    assert not [record for record in caplog.records if record.name.startswith("google")]
