"""`ask` and `eval` with a language model: through its SDK itself, against a service on this machine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragkit import ask_commands, report, settings, systems
from ragkit.backends import service as backend
from ragkit.generate import Function, Prompt, Reply
from ragkit.records import ANSWER, Answer, Chunk, Citation, Golden, Outcome, Spent
from tests.services import CLAUDE, GEMINI, KEY, SERVICES, Service, keyless
from tests.stub import Reply as Sent
from tests.stub import Request, Stub

Ragkit = Callable[..., tuple[int, str, str]]

HEADER = "id,question,answerable,answer,source,category\n"
ROWS = (
    "1,How long is the warranty?,true,24 months,returns.md#warranty,q1\n"
    "2,Do you sell crypto?,false,,,q3\n"
    "3,How long is the return window?,true,30 days,returns.md#window,q1\n"
)
DOCS = "# Returns\n\n## Warranty\n\nThe warranty is 24 months.\n\n## Window\n\nThe return window is 30 days.\n"
PROVIDER = {"gemini": "gemini", "claude": "anthropic"}
SAYS = "The warranty lasts 24 months [1]."


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    keyless(monkeypatch)
    monkeypatch.setattr(backend, "sleep", lambda seconds: None)
    monkeypatch.setenv("RAGKIT_CACHE", str(tmp_path / "cache"))


@pytest.fixture(params=SERVICES, ids=str)
def service(request: pytest.FixtureRequest) -> Service:
    pytest.importorskip(request.param.module)
    return request.param


@pytest.fixture
def stub(service: Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    with Stub(lambda request: service.says(SAYS)) as running:
        service.reachable(monkeypatch, running)
        yield running


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "returns.md").write_text(DOCS)
    (tmp_path / "questions.csv").write_text(HEADER + ROWS)
    return tmp_path


@pytest.fixture
def ask(ragkit: Ragkit, home: Path) -> Ragkit:
    return lambda *words: ragkit("ask", "--corpus", f"{home}/docs", *words)


@pytest.fixture
def evaluate(ragkit: Ragkit, home: Path) -> Ragkit:
    return lambda *words: ragkit("eval", "--corpus", f"{home}/docs", "--golden", f"{home}/questions.csv", *words)


def replies(home: Path) -> list[Path]:
    return sorted((home / "cache" / "replies").glob("*.json"))


# Which model, if any


def test_an_answer_is_written_by_the_model_that_is_named(service: Service, stub: Stub, ask: Ragkit) -> None:
    code, out, err = ask("How long is the warranty?", "--model", PROVIDER[service.name])
    place = "[1] returns.md > Returns > Warranty, line 5"
    took = "took: 1 calls, 40 + 12 tokens, 0.000"
    assert (code, err, out.startswith(f"{SAYS}\n\n{place}\n"), took in out) == (0, "", True, True), out
    assert len(stub.requests) == 1 and stub.requests[0].headers[service.header].endswith(KEY)


def test_as_data_it_tells_what_it_took(service: Service, stub: Stub, ask: Ragkit) -> None:
    _, out, _ = ask("How long is the warranty?", "--model", PROVIDER[service.name], "--json")
    data = json.loads(out)
    assert data["system"] == f"passage+{PROVIDER[service.name]}"
    assert list(data["spent"]) == ["calls", "tokens_in", "tokens_out", "cost", "unpriced"]
    assert (data["spent"]["calls"], data["spent"]["tokens_in"], data["spent"]["tokens_out"]) == (1, 40, 12)
    assert 0 < data["spent"]["cost"] < 0.001 and data["spent"]["unpriced"] == 0
    assert data["citations"] == [{
        "file": "returns.md", "path": ["Returns", "Warranty"], "line": 5, "quote": "The warranty is 24 months.",
        "page": None, "url": "", "version": "", "status": "",
    }]  # fmt: skip


@pytest.mark.parametrize("place", ["environment", "file"])
def test_the_settings_name_a_model_and_no_llm_turns_it_off(
    service: Service, stub: Stub, ask: Ragkit, home: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    if place == "file":
        (home / ".env").write_text(f"MODEL_PROVIDER={PROVIDER[service.name]}\n")
        monkeypatch.setattr(settings, "FILE", home / ".env")
    else:
        monkeypatch.setenv("MODEL_PROVIDER", PROVIDER[service.name])
    assert ask("How long is the warranty?")[1].startswith(SAYS)
    _, out, _ = ask("How long is the warranty?", "--no-llm")
    assert out.startswith("The warranty is 24 months. [1]") and "took" not in out
    assert len(stub.requests) == 1


def test_without_a_name_nothing_is_asked_though_there_is_a_key(stub: Stub, ask: Ragkit, evaluate: Ragkit) -> None:
    code, out, _ = ask("How long is the warranty?", "--json")
    assert (code, json.loads(out)["spent"]["calls"], json.loads(out)["withheld"]) == (0, 0, "")
    assert "model:" not in evaluate()[1] and not stub.requests


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--model", "gemini", "--no-llm"), "--model gemini and --no-llm name a model and none; give one of them"),
        (("--model", "gpt"), "model 'gpt': unknown; use one of gemini, anthropic"),
        (("--model", "gemini", "--system", "front-desk"), "quotes by design"),
    ],
)
def test_what_does_not_go_together_is_told(ask: Ragkit, evaluate: Ragkit, words: tuple[str, ...], said: str) -> None:
    for code, out, err in (ask("x", *words), evaluate(*words)):
        assert (code, out, err.count("\n"), said in err) == (2, "", 1, True), err


def test_a_model_is_not_for_systems_of_others(evaluate: Ragkit) -> None:
    code, _, err = evaluate("--ask", "true", "--model", "gemini")
    assert (code, err) == (2, "ragkit: --model is about our own systems; give it or --ask\n")


# Who is asked, and what becomes of it


def test_a_gate_that_refuses_asks_no_model(service: Service, stub: Stub, ask: Ragkit, evaluate: Ragkit) -> None:
    code, out, _ = ask("Do you sell crypto?", "--model", PROVIDER[service.name], "--json")
    assert (code, json.loads(out)["gate"], json.loads(out)["spent"]["calls"]) == (0, "unknown-term", 0)
    assert not stub.requests
    evaluate("--model", PROVIDER[service.name])
    assert len(stub.requests) == 2


def test_the_model_may_refuse(service: Service, stub: Stub, ask: Ragkit) -> None:
    stub.usual = lambda request: service.says("NO_ANSWER")
    code, out, _ = ask("How long is the warranty?", "--model", PROVIDER[service.name])
    assert (code, out.splitlines()[0]) == (0, "REFUSED (gate: model)") and "took: 1 calls" in out


def test_a_draft_that_a_check_stops_is_in_the_data_alone(service: Service, stub: Stub, ask: Ragkit) -> None:
    draft = "The warranty lasts 99 months [1]."
    stub.usual = lambda request: service.says(draft)
    words = ("How long is the warranty?", "--model", PROVIDER[service.name], "--system", "cited")
    pytest.importorskip("onnxruntime")
    data = json.loads(ask(*words, "--json")[1])
    assert (data["outcome"], data["gate"], data["text"], data["withheld"]) == (
        *("refuse", "number-unsupported", "", draft),
    )
    assert data["citations"] == [] and data["spent"]["calls"] == 1
    assert draft not in ask(*words)[1]


def test_a_run_without_a_key_replays(
    service: Service, stub: Stub, ask: Ragkit, evaluate: Ragkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--model", PROVIDER[service.name], "--json")
    first = ask("How long is the warranty?", *words), evaluate(*words)
    keyless(monkeypatch)
    asked = len(stub.requests)
    assert (ask("How long is the warranty?", *words), evaluate(*words)) == first
    assert len(stub.requests) == asked == 2


def test_what_was_never_recorded_is_told_in_a_line(service: Service, ask: Ragkit, evaluate: Ragkit, home: Path) -> None:
    words = ("--model", PROVIDER[service.name])
    for code, out, err in (ask("How long is the warranty?", *words), evaluate(*words), evaluate(*words, "--json")):
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "was never recorded in " in err and f"needs a key; set {service.variable}" in err
    assert replies(home) == []


def test_what_was_recorded_stays_when_a_run_stops(
    service: Service, stub: Stub, ask: Ragkit, evaluate: Ragkit, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--model", PROVIDER[service.name])
    ask("How long is the warranty?", *words)
    kept = {path: path.read_bytes() for path in replies(home)}
    keyless(monkeypatch)
    code, out, err = evaluate(*words, "--accept", "--record", f"{home}/run.csv")
    assert (code, out, "was never recorded" in err) == (2, "", True)
    assert {path: path.read_bytes() for path in replies(home)} == kept and len(kept) == 1
    assert not (home / "baseline.csv").exists() and not (home / "run.csv").exists()


# A model that fails


def test_a_model_that_fails_ends_an_ask_with_a_line(service: Service, stub: Stub, ask: Ragkit, home: Path) -> None:
    stub.usual = lambda request: service.error(400, "INVALID_ARGUMENT", f"Bad key {KEY}.")
    code, out, err = ask("How long is the warranty?", "--model", PROVIDER[service.name])
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"ragkit: {service.model}: HTTP 400") and KEY not in err
    assert replies(home) == []


def test_a_reply_that_was_cut_ends_an_ask_with_a_line(service: Service, stub: Stub, ask: Ragkit) -> None:
    stop = {"gemini": "MAX_TOKENS", "claude": "max_tokens"}[service.name]
    stub.usual = lambda request: service.says("The warranty", stop)
    for words in ((), ("--json",)):
        code, out, err = ask("How long is the warranty?", "--model", PROVIDER[service.name], *words)
        assert (code, out) == (2, "") and err.endswith(": cut off at the limit of tokens\n"), err


def test_a_model_that_fails_once_is_one_error_row(service: Service, stub: Stub, evaluate: Ragkit, home: Path) -> None:
    def usual(request: Request) -> Sent:
        failing = "return window?" in json.dumps(request.json)
        return service.error(500, "INTERNAL", f"Broken, {KEY}.") if failing else service.says(SAYS)

    stub.usual = usual
    code, out, _ = evaluate("--model", PROVIDER[service.name], "--json")
    data = json.loads(out)
    assert (code, data["errors"], data["answerable"]) == (0, ["3"], {"hits": 1, "of": 1, "left_out": 1})
    (why,) = (row["why"] for row in data["failed"])
    assert why.startswith(f"error: {service.model}: HTTP 500") and KEY not in out
    assert len(stub.requests) == 1 + backend.ATTEMPTS  # nothing is asked twice


def test_eval_tells_what_it_took(service: Service, stub: Stub, evaluate: Ragkit) -> None:
    words = ("--model", PROVIDER[service.name])
    (line,) = (line for line in evaluate(*words)[1].splitlines() if line.startswith("model:"))
    assert line.startswith("model: 2 calls, 80 + 24 tokens, 0.000") and "for 3 questions; 27 + 8 tokens" in line
    spent = json.loads(evaluate(*words, "--json")[1])["spent"]
    assert (spent["questions"], spent["calls"], spent["tokens_in"], spent["tokens_out"]) == (3, 2, 80, 24)


def test_a_key_is_in_no_output_record_or_error(service: Service, stub: Stub, evaluate: Ragkit, home: Path) -> None:
    stub.usual = lambda request: service.says(f"24 months, says {KEY} [1].")
    told = [*evaluate("--model", PROVIDER[service.name], "--record", f"{home}/run.csv")]
    told += [*evaluate("--model", PROVIDER[service.name], "--json")]
    kept = [path.read_text("utf-8") for path in (home / "run.csv", *replies(home))]
    assert len(kept) == 3 and not any(KEY in str(each) for each in (*told, *kept))


# What is printed of a citation


def cited(**about: object) -> Answer:
    chunk = Chunk("a", "leave.md", "25 days.", ("Leave",), **about)
    return Answer("q", ANSWER, "25 days. [1]", (Citation(chunk, "25 days.", 8),))


def test_a_citation_has_its_page_version_and_address() -> None:
    about = {"page": 3, "version": "v2", "status": "current", "url": "https://example.org/leave?x=1&y=2"}
    line = "[1] leave.md > Leave, line 8, page 3, v2, https://example.org/leave?x=1&y=2"
    assert ask_commands.text(cited(**about)) == f"25 days. [1]\n\n{line}"
    (found,) = json.loads(ask_commands.data(cited(**about), "s", "c"))["citations"]
    assert about.items() <= found.items()
    assert ask_commands.text(cited()).endswith("\n[1] leave.md > Leave, line 8")


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "leave.html", "file:///etc/passwd", "https://a b", "https://a\n[2] x", "https://"]
)
def test_what_is_no_address_to_open_is_not_printed(url: str) -> None:
    assert ask_commands.text(cited(url=url)).endswith("\n[1] leave.md > Leave, line 8")


def test_a_cost_that_is_not_known_is_told(ask: Ragkit, monkeypatch: pytest.MonkeyPatch) -> None:
    def unpriced(prompt: Prompt) -> Reply:
        return Reply(SAYS, "of tomorrow", 40, 12)

    bot = systems.asking(systems.SYSTEMS["passage"], Function("made-up", unpriced))
    monkeypatch.setattr(ask_commands, "chosen", lambda *words, **more: bot)
    assert (
        "took: 1 calls, 40 + 12 tokens, 0.0000 USD and 1 without a known price" in ask("How long is the warranty?")[1]
    )


assert {GEMINI.name, CLAUDE.name} == set(PROVIDER)


# A model as a judge

VERDICTS = {"24 months": True, "30 days": False}


def judging(service: Service) -> Callable[[Request], Sent]:
    """Supports what is said of the warranty, and nothing else; what is said of the window it does not bear out."""

    def say(request: Request) -> Sent:
        claim = json.dumps(request.json).partition("Claim: ")[2]
        held = next(held for words, held in VERDICTS.items() if words in claim)
        return service.says(f"```json\n{json.dumps({'supported': held, 'why': 'so'})}\n```")

    return say


def test_a_judge_is_held_against_the_code(
    service: Service, monkeypatch: pytest.MonkeyPatch, evaluate: Ragkit, home: Path
) -> None:
    """Both questions are answered with quotes, which code takes for faithful; the judge denies one of them."""
    words = ("--system", "always-answer", "--judge", PROVIDER[service.name])
    with Stub(judging(service)) as running:
        service.reachable(monkeypatch, running)
        _, out, _ = evaluate(*words)
        _, told, _ = evaluate(*words, "--json")
        asked = len(running.requests)
    found = json.loads(told)["judge"]
    table = found["agreement"]
    assert (table["both"], table["judge_only"], table["code_only"], table["neither"]) == (1, 0, 1, 0)
    assert (found["faithful"]["hits"], found["faithful"]["of"]) == (1, 2) and found["observed"]["of"] == 2
    assert asked == len(replies(home)) == 2  # the second run replays
    assert "1/2 (9-91 %) claims supported" in out and "agree on 1/2 (9-91 %) answers" in out
    assert KEY not in out + told + "".join(path.read_text() for path in replies(home))


@pytest.mark.parametrize("judge", [(), ("--judge", ""), ("--judge", " ")])
def test_no_judge_is_asked_that_is_not_named(
    service: Service, stub: Stub, evaluate: Ragkit, monkeypatch: pytest.MonkeyPatch, judge: tuple[str, ...]
) -> None:
    monkeypatch.setenv("MODEL_PROVIDER", PROVIDER[service.name])
    _, told, _ = evaluate("--no-llm", "--json", *judge)
    assert "judge" not in json.loads(told) and not stub.requests
    _, told, _ = evaluate("--json", *judge)  # the model of the settings writes, and judges nothing
    assert "judge" not in json.loads(told) and len(stub.requests) == json.loads(told)["spent"]["calls"] == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--judge", "gemini", "--no-llm"), "--judge gemini and --no-llm name a model and none"),
        (("--judge", "oracle"), "model 'oracle': unknown; use one of gemini, anthropic"),
    ],
)
def test_what_a_judge_can_not_be_is_told(evaluate: Ragkit, words: tuple[str, ...], said: str) -> None:
    code, _, err = evaluate(*words)
    assert (code, err.count("\n")) == (2, 1) and said in err


def test_a_judge_without_a_key_or_a_recording_is_told_in_a_line(service: Service, evaluate: Ragkit) -> None:
    code, out, err = evaluate("--system", "always-answer", "--judge", PROVIDER[service.name])
    assert (code, out, err.count("\n")) == (2, "", 1) and "was never recorded" in err


def test_eval_tells_what_each_question_took(service: Service, stub: Stub, evaluate: Ragkit) -> None:
    """A question that the gate refuses stands in no count; without a model there is nothing to tell."""
    words = ("--model", PROVIDER[service.name])
    found = json.loads(evaluate(*words, "--json")[1])["per_question"]
    assert [(row["id"], row["calls"], row["tokens_in"]) for row in found] == [("1", 1, 40), ("3", 1, 40)]
    assert all(list(row) == ["id", "calls", "tokens_in", "tokens_out", "cost", "unpriced"] for row in found)
    (line,) = (line for line in evaluate(*words)[1].splitlines() if line.startswith("per question:"))
    cost = f"{found[0]['cost']:.6f}"
    assert line == f"per question: median 52, max 52 tokens; median {cost}, max {cost} USD (2 of 3 asked a model)"
    assert json.loads(evaluate("--json")[1])["per_question"] == [] and "per question" not in evaluate()[1]


def test_the_median_and_the_most_of_a_question() -> None:
    """Calls without a known price are no cost of 0: their question stands in no cost, and is counted."""
    spent = [Spent(1, 40, 12, 0.5), Spent(), Spent(2, 400, 8, 0.25, unpriced=1), Spent(1, 50, 10, 0.125)]
    assert per_question(*spent) == (
        "per question: median 60, max 408 tokens; median 0.312500, max 0.500000 USD "
        "(3 of 4 asked a model, 1 without a known cost)"
    )
    assert per_question(Spent(1, 5, 2, 0.0, 1)) == (
        "per question: median 7, max 7 tokens; cost not known (1 of 1 asked a model, 1 without a known cost)"
    )


def per_question(*spent: Spent) -> str:
    """The line about questions that took this."""
    rows = [Golden(str(n), "q", answerable=True, category="q1") for n in range(len(spent))]
    made = [Outcome("s", row, Answer("q", ANSWER, "x", spent=each)) for row, each in zip(rows, spent, strict=True)]
    (line,) = (line for line in report.took(made) if line.startswith("per question:"))
    return line
