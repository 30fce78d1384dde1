"""`eval --judge`: a model judges each claim, through its SDK itself, and is held against what code checks by hand."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.services import KEY, Service, keyless
from tests.stub import Reply, Request, Stub
from tests.test_asking import PROVIDER, Ragkit, evaluate, home, quick, replies, service, stub

__all__ = ["evaluate", "home", "quick", "service", "stub"]  # fixtures

WARRANTY = {"file": "returns.md", "path": ["Returns", "Warranty"], "quote": "The warranty is 24 months.", "line": 5}
WINDOW = {"file": "returns.md", "path": ["Returns", "Window"], "quote": "The return window is 30 days.", "line": 9}
# What a bot says, with what it cites, and what the judge makes of it; behind it what code makes of it.
SAID = {
    "a": ("The warranty is 24 months [1].", [WARRANTY], True),  # True
    "b": ("The return window is 30 days [1].", [WINDOW], True),  # True
    "c": ("Items go back within 99 days [1].", [WINDOW], True),  # False: 99
    "d": ("A repair is free within 24 months [1].", [WARRANTY], False),  # True
    "e": ("A repair costs 77 coins [1].", [WARRANTY], False),  # False: 77
    "f": ("All is said there [1].", [{**WARRANTY, "quote": ""}], None),  # None, and no judge is asked
    "g": ("Parcels are free.", [], None),  # None, and no judge is asked
    "h": ("There is a warranty.", [WARRANTY], True),  # None: no marker
}
SAID_LEFT_OUT = {"code: no verdict": 1, "judge: cites no text": 1, "judge: cites nothing": 1}
BOT = """import json, sys
question = sys.stdin.read().strip()
print(json.dumps({"outcome": "answer", "text": SAID[question][0], "citations": SAID[question][1]}))
"""


@pytest.fixture
def foreign(home: Path) -> tuple[str, ...]:
    """A bot that is not ours, with a question for each thing it says."""
    (home / "bot.py").write_text(f"SAID = {SAID!r}\n{BOT}")
    rows = "".join(f"{name},{name},true,,returns.md,q1\n" for name in SAID)
    (home / "questions.csv").write_text(f"id,question,answerable,answer,source,category\n{rows}")
    return ("--ask", shlex.join([sys.executable, f"{home}/bot.py"]), "--judge")


@pytest.fixture
def judging(service: Service, stub: Stub) -> Stub:
    """A judge that says of each claim what stands in SAID."""
    verdicts = {text.replace(" [1]", ""): held for text, _, held in SAID.values()}

    def say(request: Request) -> Reply:
        asked = json.dumps(request.json)
        (held,) = (held for claim, held in verdicts.items() if f"Claim: {claim}" in asked)
        return service.says(json.dumps({"supported": held, "why": "so"}))

    stub.usual = say
    return stub


def test_a_bot_that_is_not_ours_is_judged_and_held_against_code(
    service: Service, judging: Stub, evaluate: Ragkit, foreign: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 5 answers both have a verdict on, they agree on 3; by chance (3 x 3 + 2 x 2) / 25, so kappa is 2 / 12."""
    words = (*foreign, PROVIDER[service.name])
    found = json.loads(evaluate(*words, "--json")[1])["judge"]
    assert found["agreement"] == {
        "both": 2, "judge_only": 1, "code_only": 1, "neither": 1, "left_out": SAID_LEFT_OUT,
    }  # fmt: skip
    assert (found["observed"]["hits"], found["observed"]["of"], found["observed"]["left_out"]) == (3, 5, 3)
    assert found["observed"]["interval"] == pytest.approx([0.2307, 0.8824], abs=1e-4)
    assert found["kappa"] == pytest.approx(2 / 12)
    assert (found["faithful"]["hits"], found["faithful"]["of"], found["faithful"]["left_out"]) == (4, 6, 2)
    assert found["faithful"]["interval"] == pytest.approx([0.3000, 0.9032], abs=1e-4)
    assert (found["spent"]["calls"], found["spent"]["tokens_in"], found["failed"]) == (6, 240, "")
    assert len(judging.requests) == 6
    keyless(monkeypatch)
    _, out, err = evaluate(*words)
    assert (
        "4/6 (30-90 %, 2 left out) claims supported\njudge and code agree on 3/5 (23-88 %, 3 left out) answers, " in out
    )
    assert (
        "kappa 0.17: both call faithful 2, only the judge 1, only the code 1, neither 1; left out: 1 code: no verdict, "
        "1 judge: cites no text, 1 judge: cites nothing\njudge: 6 calls, 240 + 72 tokens" in out
    )
    assert json.loads(evaluate(*words, "--json")[1])["judge"] == found and len(judging.requests) == 6, err


def test_a_judge_that_fails_on_a_claim_leaves_it_out(
    service: Service, judging: Stub, evaluate: Ragkit, foreign: tuple[str, ...], home: Path
) -> None:
    usual = judging.usual
    judging.usual = lambda request: (
        service.error(500, "INTERNAL", f"Broken, {KEY}.") if "77 coins" in json.dumps(request.json) else usual(request)
    )
    words = (*foreign, PROVIDER[service.name])
    code, told, _ = evaluate(*words, "--json")
    found = json.loads(told)["judge"]
    assert (found["agreement"]["neither"], found["agreement"]["left_out"]) == (
        *(0, {**SAID_LEFT_OUT, "judge: model failed": 1}),
    )
    assert (found["faithful"]["hits"], found["faithful"]["of"], found["faithful"]["left_out"]) == (4, 5, 3)
    assert found["failed"].startswith(f"{service.model}: HTTP 500")
    _, out, _ = evaluate(*words)
    assert f"\njudge: first failed with {service.model}: HTTP 500" in out and len(replies(home)) == 5
    assert KEY not in told + out + "".join(path.read_text() for path in replies(home))


def test_where_nothing_was_judged_no_number_is_made_up(
    service: Service, stub: Stub, evaluate: Ragkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--system", "always-refuse", "--judge", PROVIDER[service.name])
    found = json.loads(evaluate(*words, "--json")[1])["judge"]
    assert (found["kappa"], found["faithful"]["interval"], found["spent"]["calls"]) == (None, [None, None], 0)
    out = evaluate(*words)[1]
    assert "n/a (0 claims) claims supported" in out and "agree on n/a (0 answers) answers, kappa n/a" in out
    assert not stub.requests


def test_a_judge_of_what_a_model_wrote_has_its_own_account(
    service: Service, stub: Stub, evaluate: Ragkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model says of both questions two sentences that one passage bears out; what it took and what the judge took
    stay apart."""
    verdict = service.says('{"supported": true}')
    stub.usual = lambda request: (
        verdict if "Claim: " in json.dumps(request.json) else service.says("It is 24 months [1]. That is so [1].")
    )
    words = ("--model", PROVIDER[service.name], "--judge", PROVIDER[service.name], "--json")
    first = evaluate(*words)
    data = json.loads(first[1])
    assert (data["spent"]["calls"], data["judge"]["spent"]["calls"], len(stub.requests)) == (2, 4, 6)
    assert (data["judge"]["agreement"]["both"], data["judge"]["agreement"]["judge_only"]) == (1, 1)
    keyless(monkeypatch)
    assert evaluate(*words) == first and len(stub.requests) == 6
