"""What Claude's replies say about themselves, through the SDK itself, against a service on this machine.

What holds for every service is in test_service.py.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragkit.backends.claude import STOPS, Claude
from ragkit.generate import Ask, answered
from ragkit.prices import cost
from ragkit.records import ModelFailed
from tests.services import CLAUDE, PROMPT, keyless, said
from tests.stub import Reply, Stub, claude, claude_says


@pytest.fixture(scope="module")
def service() -> Iterator[Stub]:
    pytest.importorskip("anthropic")
    with Stub(claude) as stub:
        yield stub


@pytest.fixture(scope="module")
def ask(service: Stub) -> Ask:
    with pytest.MonkeyPatch.context() as patch:
        keyless(patch)
        CLAUDE.reachable(patch, service)
        return CLAUDE.choice.load()


@pytest.fixture
def stub(service: Stub) -> Stub:
    service.script, service.requests = [], []
    return service


def test_a_message_is_sent_as_the_service_takes_it(stub: Stub, ask: Ask) -> None:
    ask(PROMPT)
    assert stub.requests[0].json == {
        "model": "claude-haiku-5-5",
        "max_tokens": 64,
        "system": PROMPT.system,
        "messages": [{"role": "user", "content": PROMPT.user}],
    }


def test_thoughts_are_paid_and_are_no_text(stub: Stub, ask: Ask) -> None:
    thought = {"type": "thinking", "thinking": "Let me see.", "signature": "s"}
    blocks = [thought, {"type": "text", "text": "The deposit "}, {"type": "text", "text": "is 40 pounds."}]
    stub.script = [claude_says("", content=blocks)]
    reply = ask(PROMPT)
    assert reply.whole and reply.text == "The deposit is 40 pounds." and reply.model == "claude-of-today"
    assert (reply.tokens_in, reply.tokens_out, reply.cost) == (40, 12, cost("claude-haiku-5-5", 40, 12))


def test_tokens_of_the_prompt_that_the_service_kept_are_counted(stub: Stub, ask: Ask) -> None:
    usage = {"input_tokens": 4, "cache_creation_input_tokens": 30, "cache_read_input_tokens": 6, "output_tokens": 1}
    stub.script = [claude_says("Yes.", usage=usage)]
    assert ask(PROMPT).tokens_in == 40


@pytest.mark.parametrize("usage", [None, {}])
def test_what_the_service_does_not_count_is_not_known(stub: Stub, ask: Ask, usage: object) -> None:
    stub.script = [claude_says("Yes.", usage=usage)]
    reply = ask(PROMPT)
    assert (reply.whole, reply.tokens_in, reply.tokens_out, reply.cost) == (True, None, None, None)


def test_the_price_is_of_the_model_that_was_named_else_of_the_one_that_replied(
    stub: Stub, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    CLAUDE.reachable(monkeypatch, stub)
    stub.script = [claude_says("Yes.", model="claude-sonnet-5-5")] * 2
    assert ask(PROMPT).cost == cost("claude-haiku-5-5", 40, 12)
    assert Claude("claude-best").load()(PROMPT).cost == cost("claude-sonnet-5-5", 40, 12)


@pytest.mark.parametrize(
    ("stop", "stopped", "reason"),
    [
        ("max_tokens", "length", "cut off at the limit of tokens"),
        ("model_context_window_exceeded", "length", "cut off at the limit of tokens"),
        ("refusal", "safety", "stopped for safety (refusal)"),
        ("pause_turn", "other", "stopped (pause_turn)"),
        ("tool_use", "other", "stopped (tool_use)"),
        ("of_tomorrow", "other", "stopped (of_tomorrow)"),
        (None, "other", "no reason is given why it stopped"),
    ],
)
def test_a_text_that_is_not_whole_says_so(stub: Stub, ask: Ask, stop: str, stopped: str, reason: str) -> None:
    stub.script = [claude_says("The deposit is 40 pou", stop)]
    reply = ask(PROMPT)
    assert (reply.text, reply.stopped, reply.reason) == ("The deposit is 40 pou", stopped, reason)
    assert answered("How high?", reply).outcome == "error"


def test_a_refusal_of_the_service_tells_its_category_and_is_no_refusal_of_ours(stub: Stub, ask: Ask) -> None:
    stub.script = [claude_says("", "refusal", content=[], stop_details={"type": "refusal", "category": "bio"})]
    reply = ask(PROMPT)
    assert (reply.stopped, reply.reason) == ("safety", "stopped for safety (bio)")
    assert answered("How high?", reply).outcome == "error"


@pytest.mark.parametrize(
    ("reply", "stopped", "reason"),
    [
        (claude_says("", content=[]), "empty", "no text"),
        (claude_says(" \n"), "empty", "blank text"),
        (claude_says("", "max_tokens", content=[]), "length", "out of tokens before any text"),
        (claude_says("", content=[{"type": "thinking", "thinking": "Hm.", "signature": "s"}]), "empty", "no text"),
    ],
)
def test_a_reply_without_text(stub: Stub, ask: Ask, reply: Reply, stopped: str, reason: str) -> None:
    stub.script = [reply]
    found = ask(PROMPT)
    assert (found.text.strip(), found.stopped, found.reason) == ("", stopped, reason)


def test_a_block_of_a_kind_that_nobody_knows_yet_is_no_text(stub: Stub, ask: Ask) -> None:
    stub.script = [claude_says("", content=[{"type": "of_tomorrow", "text": "Hm."}, {"type": "text", "text": "Yes."}])]
    assert ask(PROMPT).text == "Yes."


def test_a_page_in_place_of_a_message_is_told(stub: Stub, ask: Ask) -> None:
    stub.script = [Reply("<html>\nsign in</html>", headers={"Content-Type": "text/html"})]
    told = said(lambda: ask(PROMPT), ModelFailed)
    assert told == "claude-haiku-5-5: a reply that is no message: <html> sign in</html> (attempts: 1)"


def test_every_reason_is_one_that_the_sdk_knows() -> None:
    from typing import get_args

    types = pytest.importorskip("anthropic.types")
    assert set(STOPS) <= set(get_args(types.StopReason))


def test_no_other_credential_is_sent(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    CLAUDE.reachable(monkeypatch, stub)
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "another-secret")
    CLAUDE.choice.load()(PROMPT)
    assert "another-secret" not in str(stub.requests[0].headers)
