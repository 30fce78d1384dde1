"""What holds for every service of a language model: through its SDK itself, against a service on this machine."""

from __future__ import annotations

import gc
import html
import json
import logging
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from urllib.parse import quote

import pytest

from ragkit.backends import service as backend
from ragkit.generate import Ask, Prompt, Recorded
from ragkit.models import NotAvailable
from ragkit.records import ModelFailed
from tests.services import CLAUDE, KEY, PROMPT, SERVICES, Service, keyless, said
from tests.stub import Reply, Step, Stub


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    keyless(monkeypatch)


@pytest.fixture(scope="module", params=SERVICES, ids=str)
def service(request: pytest.FixtureRequest) -> Service:
    pytest.importorskip(request.param.module)
    return request.param


@pytest.fixture(scope="module")
def running(service: Service) -> Iterator[Stub]:
    with Stub(service.usual) as stub:
        yield stub


@pytest.fixture(scope="module")
def ask(service: Service, running: Stub) -> Ask:
    """One client for most tests: an SDK takes a tenth of a second to make one."""
    with pytest.MonkeyPatch.context() as patch:
        service.reachable(patch, running)
        return service.choice.load()


@pytest.fixture
def stub(service: Service, running: Stub, monkeypatch: pytest.MonkeyPatch) -> Stub:
    service.reachable(monkeypatch, running)
    running.script, running.requests = [], []
    return running


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of each wait; none is waited for."""
    assert backend.sleep is time.sleep
    waits: list[float] = []
    monkeypatch.setattr(backend, "sleep", waits.append)
    return waits


def failure(ask: Ask) -> str:
    return said(lambda: ask(PROMPT), ModelFailed)


# What goes over the wire


def test_a_reply_is_whole_with_its_tokens(stub: Stub, ask: Ask) -> None:
    reply = ask(PROMPT)
    assert (reply.text, reply.stopped, reply.reason) == ("You said: How high is the deposit?", "end", "")
    assert (reply.tokens_in, reply.tokens_out) == (40, 12) and reply.model.endswith("-of-today")
    assert reply.cost is not None and 0 < reply.cost < 0.001


def test_prompt_limit_and_model_are_sent(stub: Stub, ask: Ask, service: Service) -> None:
    ask(PROMPT)
    (request,) = stub.requests
    sent = str(request.json) + request.path
    assert all(text in sent for text in (PROMPT.system, PROMPT.user, "64", service.model))
    assert request.headers[service.header].removeprefix("Bearer ") == KEY and "temperature" not in sent


def test_a_prompt_without_a_system_text(stub: Stub, ask: Ask) -> None:
    ask(Prompt("", "Tide?"))
    assert "system" not in str(stub.requests[0].json)


def test_half_a_surrogate_pair_is_sent_as_a_question_mark(stub: Stub, ask: Ask) -> None:
    assert ask(Prompt("half \ud83d", "half \ud83d")).text == "You said: half ?"


def test_the_key_names_model_and_limit(service: Service) -> None:
    assert service.model in service.choice.key() and service.choice.key().endswith(" 64")


# What may pass is tried again


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_tried_again(stub: Stub, ask: Ask, service: Service, waits: list[float], status: int) -> None:
    stub.script = [service.error(status, "SOME", "not now")]
    assert ask(PROMPT).whole
    assert len(stub.requests) == 2 and waits == [1]


@pytest.mark.parametrize(
    "step", [Reply(), Reply('{"a": [', headers={"Content-Length": "99"})], ids=["no reply", "half a reply"]
)
def test_a_broken_connection_is_tried_again(stub: Stub, ask: Ask, waits: list[float], step: Step) -> None:
    stub.script = [step]
    assert ask(PROMPT).whole
    assert len(stub.requests) == 2 and waits == [1]


def test_a_service_that_hangs_is_given_up_after_the_timeout(
    stub: Stub, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert backend.TEXT_TIMEOUT == 120
    monkeypatch.setattr(backend, "TEXT_TIMEOUT", 0.1)
    with Stub(service.usual, [Reply({}, delay=9)] * 4) as slow:
        monkeypatch.setenv(service.address, slow.url)
        ask, start = service.choice.load(), time.perf_counter()
        told = failure(ask)
    assert time.perf_counter() - start < 3
    assert "Timeout" in told and "(attempts: 4)" in told and len(slow.requests) == 4


def test_a_service_that_is_not_there(
    stub: Stub, service: Service, monkeypatch: pytest.MonkeyPatch, waits: list[float]
) -> None:
    with Stub(service.usual) as gone:
        monkeypatch.setenv(service.address, gone.url)
    told = failure(service.choice.load())
    assert "ConnectError" in told and "(attempts: 4)" in told and waits == [1, 2, 4]


@pytest.mark.parametrize(("asked", "waited"), [("7", 7), ("60", 60), ("0", 1), ("soon", 1)])
def test_the_wait_that_is_asked_for(
    stub: Stub, ask: Ask, service: Service, waits: list[float], asked: str, waited: float
) -> None:
    stub.script = [service.error(429, "SOME", "Quota.", Retry_After=asked)]
    assert ask(PROMPT).whole and waits == [waited]


def test_the_wait_until_a_date(stub: Stub, ask: Ask, service: Service, waits: list[float]) -> None:
    stub.script = [service.error(429, "SOME", "Quota.", Retry_After=formatdate(time.time() + 30, usegmt=True))]
    assert ask(PROMPT).whole and 25 < waits[0] <= 30


def test_a_wait_too_long_is_not_begun(stub: Stub, ask: Ask, service: Service, waits: list[float]) -> None:
    stub.script = [service.error(429, "SOME", "Quota.", Retry_After="3600")]
    assert failure(ask) == f"{service.model}: HTTP 429 SOME: Quota. (attempts: 1; it asks to wait 3600 s)"
    assert len(stub.requests) == 1 and not waits


def test_trying_ends(stub: Stub, ask: Ask, service: Service, waits: list[float]) -> None:
    stub.script = [service.busy()] * 99
    code, kind = service.overloaded
    assert failure(ask) == f"{service.model}: HTTP {code} {kind}: Not now. (attempts: 4)"
    assert len(stub.requests) == 4 and waits == [1, 2, 4]


# What does not pass


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 501])
def test_a_refusal_is_not_tried_again(stub: Stub, ask: Ask, service: Service, waits: list[float], status: int) -> None:
    stub.script = [service.error(status, "SOME", "It is\nnot\tso.")]
    assert failure(ask) == f"{service.model}: HTTP {status} SOME: It is not so. (attempts: 1)"
    assert len(stub.requests) == 1 and not waits


@pytest.mark.parametrize("body", ["<html>\n" + "proxy " * 999, {"proxy": "proxy \n" * 999}, [1], "", '"no"'])
def test_a_page_in_place_of_a_message(stub: Stub, ask: Ask, body: object) -> None:
    stub.script = [Reply(body, 403)]
    told = failure(ask)
    assert "HTTP 403" in told and len(told) < 260 and "\n" not in told


@pytest.mark.parametrize(
    "reply",
    [
        Reply("<html>\nsign in</html>", headers={"Content-Type": "text/html"}),
        Reply('{"candidates": ['),
        Reply({"candidates": "x", "content": "x"}),
        Reply([1]),
        Reply('"text"'),
    ],
    ids=["a page", "half of one", "no list", "a list", "a text"],
)
def test_a_body_that_is_no_reply(stub: Stub, ask: Ask, service: Service, reply: Reply) -> None:
    """The SDK of Gemini makes a reply without candidates of some of them; that is not whole either."""
    stub.script = [reply]
    try:
        assert ask(PROMPT).stopped in ("empty", "other")
    except ModelFailed as failed:
        told = str(failed)
        assert told.startswith(f"{service.model}: ") and told.endswith(" (attempts: 1)")
        assert len(told) < 260 and "\n" not in told
    assert len(stub.requests) == 1


def test_the_key_does_not_follow_a_redirect(stub: Stub, ask: Ask, service: Service, waits: list[float]) -> None:
    with Stub(service.usual) as other:
        stub.script = [Reply("", 307, {"Location": f"{other.url}/v1/elsewhere"})]
        assert "HTTP 307" in failure(ask) and not other.requests and not waits


# The key stays where it is

ECHOES = [KEY, quote(KEY), quote(KEY, safe=""), quote(KEY, safe="").lower()]
PARTS = [part.lower() for part in (KEY[:9], KEY[-9:], quote(KEY, safe="")[:9])]


def leaks(text: str) -> list[str]:
    return [part for part in PARTS if part in text.lower()]


@pytest.mark.parametrize("status", [400, 429])
@pytest.mark.parametrize("before", [0, 150, 190])
def test_the_key_is_never_told_by_an_error(
    stub: Stub, ask: Ask, service: Service, caplog: pytest.LogCaptureFixture, status: int, before: int
) -> None:
    caplog.set_level(logging.DEBUG)
    for echo in ECHOES:
        stub.script = [service.error(status, "SOME", f"{'x' * before} API key {echo} is not valid. {echo}")] * 4
        with pytest.raises(ModelFailed) as caught:
            ask(PROMPT)
        error = caught.value
        assert error.__cause__ is None and error.__context__ is None
        inside = error.__traceback__ and error.__traceback__.tb_next
        shown = traceback.TracebackException(type(error), error, inside, capture_locals=True)
        told = [str(error), repr(error), repr(vars(error)), "".join(shown.format())]
        assert "API key ***" in told[0] or before > 100
        assert "attempt = " in told[3] and not [text for text in told if leaks(text)]
    logged = [f"{record.name} {record.getMessage()} {record.args} {record.exc_text}" for record in caplog.records]
    assert any("send_request_headers" in line for line in logged)
    assert not [line for line in logged if leaks(line)]
    assert stub.requests[0].headers[service.header].endswith(KEY)


def test_the_key_is_not_in_a_reply_or_its_record(
    stub: Stub, service: Service, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("RAGKIT_CACHE", str(place))
    stub.script = [service.says(f"Your key is {echo}.") for echo in ECHOES]
    ask = Recorded(service.choice).load()
    replies = [ask(Prompt("", str(n))) for n in range(len(ECHOES))]
    assert [reply.text for reply in replies] == ["Your key is ***."] * len(ECHOES)
    files = [file.read_text("utf-8") for file in place.rglob("*.json")]
    assert len(files) == len(ECHOES) and not [text for text in files if leaks(text)]


def test_a_choice_does_not_hold_the_key(stub: Stub, service: Service) -> None:
    kept = Recorded(service.choice)
    ask = kept.load()
    ask.choice.generate.load()
    assert not leaks(f"{service.choice!r} {vars(service.choice)} {service.choice.key()} {kept!r} {vars(ask)}")


@pytest.mark.parametrize("key", ["AIza\nSy", "AIzä", "AIza Sy"])
def test_a_key_that_no_header_can_hold(service: Service, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv(service.variable, key)
    told = said(service.choice.load, NotAvailable)
    assert told.startswith(f"{service.variable}: ") and "AIz" not in told and "\n" not in told


# What is missing


@pytest.mark.parametrize("value", [None, "", " "])
def test_without_a_key(service: Service, monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    if value is not None:
        monkeypatch.setenv(service.variable, value)
    told = said(service.choice.load, NotAvailable)
    assert told.startswith(f"{service.model} needs a key; set {service.variable}") and "\n" not in told


def test_without_the_package(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(service.variable, KEY)
    monkeypatch.setitem(sys.modules, service.module, None)
    with pytest.raises(NotAvailable, match=r"^[^\n]* needs [^\n]*pip install -e '\.\[models\]'[^\n]*$") as caught:
        service.choice.load()
    told = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert KEY not in "".join(told.format())


def test_an_address_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("anthropic")
    monkeypatch.setenv(CLAUDE.variable, KEY)
    monkeypatch.setenv(CLAUDE.address, "http://127.0.0.1:port")
    told = said(CLAUDE.choice.load, ModelFailed)
    assert told.startswith("claude-haiku-5-5: InvalidURL: ") and "\n" not in told


def test_an_sdk_is_imported_when_it_is_used() -> None:
    code = (
        "import sys; from tests.services import SERVICES; from ragkit import providers;"
        "[service.choice.key() for service in SERVICES]; [providers.named(name) for name in providers.PROVIDERS];"
        "print({'google.genai', 'anthropic', 'httpx', 'httpx2', 'pydantic'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_no_connection_is_left_open(stub: Stub, service: Service) -> None:
    ask = service.choice.load()
    ask(PROMPT)
    stub.script = [Reply(), service.busy(), service.error(400, "SOME", "No.")]
    failure(ask)
    del ask
    gc.collect()


# The services that stand in


def test_a_stub_refuses_what_the_service_refuses(service: Service) -> None:
    from tests.stub import Request

    good = {"contents": [{"parts": [{"text": "a"}]}], "messages": [{"role": "user", "content": "a"}], "max_tokens": 1}
    path = "/v1/messages" if service is CLAUDE else "/v1/models/m:generateContent"
    headers = {service.header: f"Bearer {KEY}", "anthropic-version": "2023-06-01"}
    asked = [Request(path, headers, good), Request("/v1/other", headers, good), Request(path, headers, {})]
    assert [service.usual(request).status for request in asked] == [200, 404, 400]
    assert service.usual(Request(path, {}, good)).status in (401, 403)


# What goes on and on, and what counts nothing


def test_a_service_that_sends_bit_by_bit_is_given_up(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "TEXT_TIMEOUT", 0.5)
    monkeypatch.setattr(backend, "GRACE", 0.3)
    with Stub(service.usual, [Reply("x" * 1000, drip=0.1)] * 4) as slow:
        service.reachable(monkeypatch, slow)
        told = failure(service.choice.load())
    assert "no reply within 0.8 s" in told and "(attempts: 1)" in told and len(slow.requests) == 1


@pytest.mark.parametrize("value", ["12", 12.5, -12, True, None, 10**30])
def test_what_is_no_count_of_tokens_is_not_known(value: object) -> None:
    assert backend.count(value) is None
    assert (backend.count(0), backend.count(7)) == (0, 7)


@pytest.mark.parametrize("secret", ['a"b\\c', "a&b<c", "a/b+c"])
def test_a_key_is_hidden_however_it_is_written(secret: str) -> None:
    hide = backend.hiding(secret, "other")
    for way in (str, json.dumps, html.escape, quote, lambda each: quote(each, safe="")):
        assert secret not in hide(f"it was {way(secret)}") and "***" in hide(f"it was {way(secret)}")
    assert hide("an other") == "an ***"


def test_a_package_that_breaks_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, line in (("broken_one", "raise RuntimeError('no\\nway')"), ("broken_two", "raise SystemExit(3)")):
        (tmp_path / f"{name}.py").write_text(line)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("broken_one", "broken_two"):
        with pytest.raises(NotAvailable, match="which can not be loaded .*install it anew"):
            backend.sdk(name, name, "m")


def test_a_client_that_can_not_be_made_is_told(service: Service, stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/cert.pem")
    with pytest.raises((ModelFailed, NotAvailable)):
        service.choice.load()(PROMPT)


def test_headers_that_are_sent_along_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("anthropic")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-secret: CUSTOMSECRET")
    with Stub(lambda request: Reply(f"sent {request.headers.get('x-secret')}", 400)) as stub:
        CLAUDE.reachable(monkeypatch, stub)
        told = failure(CLAUDE.choice.load())
    assert "CUSTOMSECRET" not in told and "***" in told
