"""Prompts, replies, recordings: no service and no SDK is needed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Barrier, Thread

import pytest

from ragkit import generate
from ragkit.generate import (
    Ask,
    Asked,
    Function,
    Generate,
    Prompt,
    Recorded,
    Reply,
    Scripted,
    answered,
    as_json,
    spent,
    unfenced,
)
from ragkit.models import NotAvailable
from ragkit.records import BadInput, ModelFailed, Verdict
from tests.services import SERVICES, Service, keyless, said

PROMPT = Prompt("Answer from the passages.", "How high is the deposit?")
REPLY = Reply("40 pounds", "m-1", 12, 3, 0.25)


@pytest.fixture(autouse=True)
def replies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    keyless(monkeypatch)
    monkeypatch.setenv("RAGKIT_CACHE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "replies"


@dataclass(frozen=True)
class Toy:
    """A model that says 40 pounds; without a key it is not there."""

    name: str = "toy"
    key_is_there: bool = True

    def key(self) -> str:
        return self.name

    def load(self) -> Ask:
        if not self.key_is_there:
            raise NotAvailable("toy needs a key; set TOY_KEY")
        return lambda prompt: REPLY


GONE = Toy(key_is_there=False)


def fails(prompt: Prompt) -> Reply:
    raise ModelFailed("toy: HTTP 500 (attempts: 4)")


# Prompts and replies


def test_half_a_surrogate_pair_becomes_a_question_mark() -> None:
    assert Prompt("a\ud83d", "b\ud83d") == Prompt("a?", "b?")
    assert Reply("a\ud83d", "m\ud83d", reason="r\ud83d") == Reply("a?", "m?", reason="r?")


def test_a_reply_says_only_what_a_reply_can_say() -> None:
    assert "must be one of end, length, safety, empty, other" in said(lambda: Reply("a", "m", stopped="x"), ValueError)


@pytest.mark.parametrize(("text", "reason"), [("", "no text"), (" \n", "blank text")])
def test_a_reply_without_text_is_never_whole(text: str, reason: str) -> None:
    reply = Reply(text, "m")
    assert (reply.whole, reply.stopped, reply.reason) == (False, "empty", reason)


@pytest.mark.parametrize("stopped", ["length", "safety", "empty", "other"])
def test_what_is_not_whole_is_an_error_and_its_text_stays(stopped: str) -> None:
    answer = answered("How high?", Reply(" NO_ANSWER and it is re ", "m", stopped=stopped, reason="why"))
    assert (answer.outcome, answer.text, answer.error) == ("error", "NO_ANSWER and it is re", "m: why")


@pytest.mark.parametrize("text", ["NO_ANSWER", " NO_ANSWER\n", "`NO_ANSWER`", "**NO_ANSWER**", "NO_ANSWER: not there."])
def test_the_sentinel_is_a_refusal_of_the_gate_model(text: str) -> None:
    answer = answered("How high?", Reply(text, "m"))
    assert (answer.outcome, answer.text) == ("refuse", "")
    assert answer.verdict == Verdict("model", reason="the model finds no answer in the passages")


@pytest.mark.parametrize("text", ["NO_ANSWERS", "No answer.", "I don't know.", "Say NO_ANSWER when you must."])
def test_no_wording_is_read_as_a_refusal(text: str) -> None:
    answer = answered("How high?", Reply(f" {text}\n", "m"))
    assert (answer.outcome, answer.text) == ("answer", text)


# Models that need no network


def test_a_function_is_a_model_that_costs_nothing() -> None:
    choice: Generate = Function("echo", lambda prompt: prompt.user)
    assert choice.load()(PROMPT) == Reply(PROMPT.user, "echo", 0, 0, 0.0)
    assert choice.key() == "function echo" and repr(choice) == "Function(name='echo')"


def test_a_function_may_give_a_reply() -> None:
    assert Function("cut", lambda prompt: replace(REPLY, stopped="length")).load()(PROMPT).stopped == "length"


def test_a_script_is_said_in_turn_by_each_that_is_loaded() -> None:
    choice: Generate = Scripted(("one", REPLY))
    first, second = choice.load(), choice.load()
    assert [first(PROMPT).text, second(PROMPT).text, first(PROMPT)] == ["one", "one", REPLY]
    assert said(lambda: first(PROMPT), ModelFailed) == "scripted: asked more than 2 times"


def test_scripts_have_keys_of_their_own() -> None:
    assert Scripted(("one",)).key() != Scripted(("two",)).key() and Scripted(("one",)) == Scripted(("one",))


# Recordings


def test_a_reply_is_recorded_and_replayed_without_a_key(replies: Path) -> None:
    first, second = Recorded(Toy()).load(), Recorded(GONE).load()
    assert (first(PROMPT), second(PROMPT)) == (REPLY, REPLY)
    assert (first.made, first.replayed, second.made, second.replayed) == (1, 0, 0, 1)
    assert [file.name for file in replies.iterdir()] == [f"{Recorded(GONE).hash(PROMPT)}.json"]


def test_a_prompt_is_sent_once(replies: Path) -> None:
    ask = Recorded(Toy()).load()
    assert [ask(PROMPT) for _ in range(3)] == [REPLY] * 3 and (ask.made, ask.replayed) == (1, 2)


def test_a_model_that_is_not_asked_is_not_loaded() -> None:
    Recorded(GONE).load()


def test_a_model_is_loaded_once() -> None:
    loaded: list[str] = []

    @dataclass(frozen=True)
    class Slow(Toy):
        def load(self) -> Ask:
            loaded.append(self.name)
            return super().load()

    ask = Recorded(Slow()).load()
    ask(PROMPT), ask(Prompt("", "Tide?"))
    assert loaded == ["toy"] and ask.made == 2


def test_a_record_is_for_people_too(replies: Path) -> None:
    Recorded(Toy()).load()(Prompt("Sag es.", "Wie hoch ist die Kaution für Räder?"))
    (file,) = replies.iterdir()
    assert json.loads(file.read_text("utf-8")) == {
        "key": "toy",
        "system": "Sag es.",
        "user": "Wie hoch ist die Kaution für Räder?",
        "reply": {
            **{"text": "40 pounds", "model": "m-1", "tokens_in": 12, "tokens_out": 3, "cost": 0.25},
            **{"stopped": "end", "reason": ""},
        },
    }
    assert "Räder" in file.read_text("utf-8") and file.read_text("utf-8").endswith("}\n")


@pytest.mark.parametrize("stopped", ["length", "safety", "empty", "other"])
def test_what_is_not_whole_is_replayed_as_what_it_is(stopped: str) -> None:
    cut = replace(REPLY, stopped=stopped, reason="why", cost=None, tokens_in=None)
    Recorded(Function("cut", lambda prompt: cut)).load()(PROMPT)
    assert Recorded(Function("cut", fails)).load()(PROMPT) == cut


@pytest.mark.parametrize(
    "other", [replace(PROMPT, user="?"), replace(PROMPT, system=""), Prompt(PROMPT.user, PROMPT.system)]
)
def test_another_prompt_is_another_recording(other: Prompt) -> None:
    ask = Recorded(Toy()).load()
    ask(PROMPT), ask(other)
    assert ask.made == 2


def test_another_model_is_another_recording() -> None:
    Recorded(Toy()).load()(PROMPT)
    ask = Recorded(Toy("toy 2")).load()
    ask(PROMPT)
    assert ask.made == 1


def test_a_prompt_that_was_never_recorded_is_named_with_the_remedy() -> None:
    choice = Recorded(GONE)
    told = said(lambda: choice.load()(PROMPT), NotAvailable)
    named = f"prompt {choice.hash(PROMPT)} to toy was never recorded in replies"
    assert told == f"{named}, and toy needs a key; set TOY_KEY"


def test_a_run_that_only_replays_asks_nobody() -> None:
    choice = Recorded(Toy(), replay_only=True)
    ask = choice.load()
    told = said(lambda: ask(PROMPT), NotAvailable)
    named = f"prompt {choice.hash(PROMPT)} to toy was never recorded in replies"
    assert told == f"{named}; ask it once without replaying only" and ask.made == 0
    Recorded(Toy()).load()(PROMPT)
    assert ask(PROMPT) == REPLY


@pytest.mark.parametrize("service", SERVICES, ids=str)
def test_a_service_without_a_key_replays_and_names_what_it_can_not(service: Service) -> None:
    recorded = Recorded(service.choice)
    recorded_by = Recorded(Function("", lambda prompt: REPLY))
    assert recorded.hash(PROMPT) != recorded_by.hash(PROMPT)
    told = said(lambda: recorded.load()(PROMPT), NotAvailable)
    assert told.startswith(f"prompt {recorded.hash(PROMPT)} to {service.choice.key()} was never recorded in replies")
    assert f"set {service.variable}" in told and "\n" not in told


def test_a_failure_is_counted_and_not_recorded(replies: Path) -> None:
    ask = Recorded(Function("broken", fails)).load()
    for _ in range(2):
        assert said(lambda: ask(PROMPT), ModelFailed) == "toy: HTTP 500 (attempts: 4)"
    assert ask.made == 2 and not list(replies.iterdir())


def damaged(file: Path, **changes: object) -> str:
    data = json.loads(file.read_text("utf-8"))
    data["reply"] |= changes
    return json.dumps(data)


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: "",
        lambda file: file.read_text("utf-8")[:-9],
        lambda file: "[]",
        lambda file: "null",
        lambda file: "{}",
        lambda file: '{"reply": {}}',
        lambda file: file.read_text("utf-8").replace("deposit", "fee"),
        lambda file: damaged(file, stopped="done"),
        lambda file: damaged(file, tokens_in="many"),
        lambda file: damaged(file, tokens_out=-1),
        lambda file: damaged(file, cost="much"),
        lambda file: damaged(file, cost=float("nan")),
        lambda file: damaged(file, text=None),
        lambda file: damaged(file, more=1),
    ],
)
def test_a_damaged_recording_is_told_and_not_paid_again(replies: Path, damage: Callable[[Path], str]) -> None:
    ask = Recorded(Toy()).load()
    ask(PROMPT)
    (file,) = replies.iterdir()
    file.write_text(damage(file), "utf-8")
    told = said(lambda: ask(PROMPT), BadInput)
    assert told == f"replies/{file.name}: no recording of this prompt; remove the file to ask again" and ask.made == 1
    file.unlink()
    assert ask(PROMPT) == REPLY and ask.made == 2


def test_a_place_that_can_not_be_written_is_told_before_the_call(replies: Path) -> None:
    replies.write_text("a file")
    ask = Recorded(Toy()).load()
    told = said(lambda: ask(PROMPT), BadInput)
    assert told.startswith("replies: ") and told.endswith("or name another folder in RAGKIT_CACHE") and ask.made == 0


def test_calls_of_threads_are_all_counted() -> None:
    ask, together = Recorded(Toy()).load(), Barrier(8)

    def some(n: int) -> None:
        together.wait()
        for m in range(20):
            ask(Prompt("", f"{n} {m}"))

    threads = [Thread(target=some, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (ask.made, ask.replayed) == (160, 0)


def test_a_refusal_of_a_gate_calls_no_model() -> None:
    """As a system does it: the gate first, and the model only where it lets the question pass."""
    from ragkit import corpus, systems
    from ragkit.files import ROOT

    bot = systems.SYSTEMS["passage"].on(corpus.read(ROOT / "corpus" / "kestrel"))
    ask: Asked = Recorded(Function("echo", lambda prompt: "Yes.")).load()
    answers = bot.ask_all(["Do you take cryptocurrency?", "How many days of annual leave do I get?"])
    for answer in answers:
        if not answer.verdict.refused:
            ask(Prompt("", answer.question))
    assert [answer.outcome for answer in answers] == ["refuse", "answer"] and ask.made == 1


# JSON


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        ' {"a": 1}\n',
        '```json\n{"a": 1}\n```',
        '```\n{"a": 1}\n```\n',
        '```JSON\r\n{"a": 1}\r\n```',
        '~~~json\n{"a": 1}\n~~~',
        '````json\n{"a": 1}\n````',
        'Here it is:\n\n```json\n{"a":\n 1}\n```\n\nAnything else?',
        '```json\n{"a": 1}',
        '  ```json\n  {"a": 1}\n  ```',
    ],
)
def test_json_is_read_with_or_without_a_fence(text: str) -> None:
    assert as_json(text) == {"a": 1}


def test_a_fence_inside_of_a_value_is_none() -> None:
    text = json.dumps({"a": "```json\n{}\n```"})
    assert unfenced(text) == text and as_json(f"```json\n{text}\n```") == {"a": "```json\n{}\n```"}


def test_of_two_fences_none_is_chosen() -> None:
    text = '```json\n{"a": 1}\n```\nor\n```json\n{"a": 2}\n```'
    assert unfenced(text) == text
    said(lambda: as_json(text), ModelFailed)


@pytest.mark.parametrize("text", ["", "No.", '{"a": 1', '```json\n{"a": \n```', "NaN", "[Infinity]", "[" * 9999])
def test_what_is_no_json_is_told_in_a_line(text: str) -> None:
    told = said(lambda: as_json(text), ModelFailed)
    assert told.startswith("the reply is no JSON: ") and "\n" not in told


# What it costs


def test_replies_are_summed() -> None:
    found = spent([REPLY, REPLY, Reply("", "m", 5, None), Reply("", "m", None, 5, 0.0)])
    assert (found.calls, found.tokens_in, found.tokens_out, found.cost, found.unpriced) == (4, 29, 11, 0.5, 1)
    assert str(found) == "4 calls, 29 + 11 tokens, 0.5000 USD and 1 without a known price"


def test_nothing_was_spent() -> None:
    assert str(spent([])) == "0 calls, 0 + 0 tokens, 0.0000 USD"


def test_the_names_of_stops_are_all_known() -> None:
    assert generate.STOPS == ("end", "length", "safety", "empty", "other")


def test_a_reply_that_could_not_be_replayed_is_not_recorded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAGKIT_CACHE", str(tmp_path))
    ask = Recorded(Function("odd", lambda prompt: Reply("It is so.", "odd", -1, 2))).load()
    with pytest.raises(ModelFailed, match="odd: tokens or cost of the reply are no counts"):
        ask(Prompt("", "Is it?"))
    assert list((tmp_path / "replies").glob("*.json")) == []


def test_a_folder_that_takes_no_file_is_told_before_the_call(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAGKIT_CACHE", str(tmp_path))

    def full(**about: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ragkit.generate.tempfile.TemporaryFile", full)
    ask = Recorded(Function("f", lambda prompt: "It is so.")).load()
    with pytest.raises(BadInput, match="No space left on device; allow writing there"):
        ask(Prompt("", "Is it?"))
    assert ask.made == 0


def test_an_error_is_one_line() -> None:
    assert answered("?", Reply("", "a\nb", stopped="length", reason="x\ny")).error == "a b: x y"
