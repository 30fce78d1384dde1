"""Gemini's embeddings through the SDK itself, against a service on this machine."""

from __future__ import annotations

import gc
import logging
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from email.utils import formatdate
from urllib.parse import quote

import numpy as np
import pytest
from stub import Reply, Request, Step, Stub, gemini, gemini_error, text_of, vector

from ragkit.backends import service as backend
from ragkit.backends.gemini import Gemini
from ragkit.models import DOCUMENT, QUERY, Embed, Encode, NotAvailable
from ragkit.records import ModelFailed

KEY = "AIza/Sy+made=up&for-tests"
SMALL: Embed = Gemini(dimensions=8)
TYPES = {QUERY: "RETRIEVAL_QUERY", DOCUMENT: "RETRIEVAL_DOCUMENT"}
BUSY = gemini_error(503, "UNAVAILABLE", "The model is overloaded.")


def reachable(patch: pytest.MonkeyPatch, stub: Stub) -> None:
    for name, value in {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": stub.url, "NO_PROXY": "127.0.0.1"}.items():
        patch.setenv(name, value)


@pytest.fixture(autouse=True)
def keyless(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def service() -> Iterator[Stub]:
    pytest.importorskip("google.genai")
    with Stub(gemini) as stub:
        yield stub


@pytest.fixture(scope="module")
def encode(service: Stub) -> Encode:
    """One client for most tests: the SDK takes up to a tenth of a second to make one."""
    with pytest.MonkeyPatch.context() as patch:
        reachable(patch, service)
        return SMALL.load()


@pytest.fixture
def stub(service: Stub, monkeypatch: pytest.MonkeyPatch) -> Stub:
    reachable(monkeypatch, service)
    service.script, service.requests = [], []
    return service


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of each wait; none is waited for."""
    assert backend.sleep is time.sleep
    waits: list[float] = []
    monkeypatch.setattr(backend, "sleep", waits.append)
    return waits


def expected(texts: list[str], task: str, dimensions: int = 8) -> list[list[float]]:
    return [vector(text, TYPES[task], dimensions) for text in texts]


def failure(encode: Encode) -> str:
    with pytest.raises(ModelFailed) as caught:
        encode(["tide", "pier"], QUERY)
    return str(caught.value)


# What goes over the wire


@pytest.mark.parametrize("task", [QUERY, DOCUMENT])
def test_a_text_gets_its_own_vector_for_its_task(stub: Stub, encode: Encode, task: str) -> None:
    found = encode(["tide", "pier"], task)
    assert found.dtype == np.float32 and found.tolist() == expected(["tide", "pier"], task)
    (request,) = stub.requests
    assert request.path.endswith("/models/gemini-embedding-001:batchEmbedContents")
    assert [text_of(each) for each in request.json["requests"]] == ["tide", "pier"]
    assert {each["taskType"] for each in request.json["requests"]} == {TYPES[task]}
    assert {each["outputDimensionality"] for each in request.json["requests"]} == {8}


def test_model_dimensions_and_task_are_what_vectors_are_kept_under(stub: Stub) -> None:
    assert Gemini().key(QUERY) == "gemini gemini-embedding-001 768 query"
    assert Gemini().load()(["tide"], QUERY).tolist() == expected(["tide"], QUERY, 768)
    assert Gemini("other", 8).key(DOCUMENT) == "gemini other 8 document"
    Gemini("other", 8).load()(["tide"], DOCUMENT)
    assert stub.requests[-1].path.endswith("/models/other:batchEmbedContents")


def test_a_model_for_which_the_sdk_joins_strings_gives_a_vector_for_each_text(stub: Stub) -> None:
    found = Gemini("gemini-embedding-2", 8).load()(["tide", "pier"], QUERY)
    assert found.tolist() == expected(["tide", "pier"], QUERY)


def test_many_texts_go_in_order_a_hundred_at_a_time(stub: Stub, encode: Encode) -> None:
    texts = [f"text {n}" for n in range(250)]
    assert encode(texts, DOCUMENT).tolist() == expected(texts, DOCUMENT)
    sent = [[text_of(each) for each in request.json["requests"]] for request in stub.requests]
    assert [len(part) for part in sent] == [100, 100, 50] and sum(sent, []) == texts


def test_no_texts_make_no_call(stub: Stub, encode: Encode) -> None:
    assert encode([], QUERY).shape == (0, 8)
    assert not stub.requests


@pytest.mark.parametrize("nothing", ["", " \n\t"])
def test_an_empty_text_is_sent_as_a_space(stub: Stub, encode: Encode, nothing: str) -> None:
    found = encode(["tide", nothing, " pier "], QUERY)
    assert found.tolist() == expected(["tide", " ", " pier "], QUERY)


def test_half_a_surrogate_pair_does_not_stop_the_others(stub: Stub, encode: Encode) -> None:
    assert encode(["tide", "half \ud83d"], QUERY).tolist() == expected(["tide", "half ?"], QUERY)


@pytest.mark.parametrize(
    ("keys", "sent"),
    [
        ({"GEMINI_API_KEY": "one", "GOOGLE_API_KEY": "two"}, "one"),
        ({"GEMINI_API_KEY": "", "GOOGLE_API_KEY": "two"}, "two"),
        ({"GEMINI_API_KEY": "one\n"}, "one"),
    ],
)
def test_the_key_comes_from_the_environment(
    stub: Stub, monkeypatch: pytest.MonkeyPatch, keys: dict[str, str], sent: str
) -> None:
    for name, key in keys.items():
        monkeypatch.setenv(name, key)
    SMALL.load()(["tide"], QUERY)
    assert stub.requests[0].headers["x-goog-api-key"] == sent


def test_settings_for_vertex_change_nothing(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "project")
    assert SMALL.load()(["tide"], QUERY).tolist() == expected(["tide"], QUERY)


# What may pass is tried again


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again(stub: Stub, encode: Encode, waits: list[float], status: int) -> None:
    stub.script = [gemini_error(status, "SOME", "not now")]
    assert encode(["tide"], QUERY).tolist() == expected(["tide"], QUERY)
    assert len(stub.requests) == 2 and waits == [1]


@pytest.mark.parametrize(
    "step", [Reply(), Reply('{"embeddings": [', headers={"Content-Length": "99"})], ids=["no reply", "half a reply"]
)
def test_a_broken_connection_is_tried_again(stub: Stub, encode: Encode, waits: list[float], step: Step) -> None:
    stub.script = [step]
    assert encode(["tide"], QUERY).tolist() == expected(["tide"], QUERY)
    assert len(stub.requests) == 2 and waits == [1]


def test_a_service_that_hangs_is_given_up_after_the_timeout(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    assert backend.TIMEOUT == 60
    monkeypatch.setattr(backend, "TIMEOUT", 0.1)
    start = time.perf_counter()
    with Stub(gemini, [Reply({}, delay=9)] * 4) as slow:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", slow.url)
        said = failure(SMALL.load())
    assert time.perf_counter() - start < 3
    assert "Timeout" in said and "(attempts: 4)" in said and len(slow.requests) == 4


def test_a_service_that_is_not_there(monkeypatch: pytest.MonkeyPatch, stub: Stub, waits: list[float]) -> None:
    with Stub(gemini) as gone:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", gone.url)
    said = failure(SMALL.load())
    assert "ConnectError" in said and "(attempts: 4)" in said and waits == [1, 2, 4]


def test_only_the_part_that_failed_is_sent_again(stub: Stub, encode: Encode) -> None:
    stub.script = [gemini, BUSY]
    texts = [f"text {n}" for n in range(150)]
    assert encode(texts, QUERY).tolist() == expected(texts, QUERY)
    assert [len(request.json["requests"]) for request in stub.requests] == [100, 50, 50]


RETRY = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]


@pytest.mark.parametrize(
    ("busy", "waited"),
    [
        (gemini_error(429, "RESOURCE_EXHAUSTED", "Quota.", Retry_After="7"), 7),
        (gemini_error(503, "UNAVAILABLE", "Later.", Retry_After="60"), 60),
        (gemini_error(429, "RESOURCE_EXHAUSTED", "Quota.", RETRY), 34.5),
        (gemini_error(429, "RESOURCE_EXHAUSTED", "Quota.", RETRY, Retry_After="7"), 7),
        (gemini_error(429, "RESOURCE_EXHAUSTED", "Quota.", Retry_After="0"), 1),
        (gemini_error(429, "RESOURCE_EXHAUSTED", "Quota.", Retry_After="Mon, 01 Jan 2001 00:00:00 GMT"), 1),
        (gemini_error(429, "RESOURCE_EXHAUSTED", "Quota.", Retry_After="Mon, 01 Jan 99999999999 00:00:00 GMT"), 1),
        (gemini_error(429, "RESOURCE_EXHAUSTED", "Quota.", Retry_After="soon"), 1),
    ],
)
def test_the_wait_that_is_asked_for(stub: Stub, encode: Encode, waits: list[float], busy: Reply, waited: float) -> None:
    stub.script = [busy]
    assert encode(["tide"], QUERY).tolist() == expected(["tide"], QUERY)
    assert waits == [waited]


def test_the_wait_until_a_date(stub: Stub, encode: Encode, waits: list[float]) -> None:
    date = formatdate(time.time() + 30, usegmt=True)
    stub.script = [gemini_error(429, "RESOURCE_EXHAUSTED", "Quota.", Retry_After=date)]
    encode(["tide"], QUERY)
    assert 25 < waits[0] <= 30


def test_a_wait_too_long_is_not_begun(stub: Stub, encode: Encode, waits: list[float]) -> None:
    stub.script = [gemini_error(429, "RESOURCE_EXHAUSTED", "Quota.", Retry_After="3600")]
    said = "gemini-embedding-001: HTTP 429 RESOURCE_EXHAUSTED: Quota. (attempts: 1; it asks to wait 3600 s)"
    assert failure(encode) == said and not waits


def test_trying_ends(stub: Stub, encode: Encode, waits: list[float]) -> None:
    stub.script = [BUSY] * 99
    assert failure(encode) == "gemini-embedding-001: HTTP 503 UNAVAILABLE: The model is overloaded. (attempts: 4)"
    assert len(stub.requests) == 4 and waits == [1, 2, 4]


def test_no_wait_is_longer_than_the_longest(
    stub: Stub, encode: Encode, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "ATTEMPTS", 9)
    stub.script = [BUSY] * 99
    assert "(attempts: 9)" in failure(encode) and waits == [1, 2, 4, 8, 16, 32, 60, 60]


# What does not pass


@pytest.mark.parametrize(
    ("status", "state"),
    [(400, "INVALID_ARGUMENT"), (401, "UNAUTHENTICATED"), (403, "PERMISSION_DENIED"), (404, "NOT_FOUND"), (501, "NO")],
)
def test_a_refusal_is_not_tried_again(stub: Stub, encode: Encode, waits: list[float], status: int, state: str) -> None:
    stub.script = [gemini_error(status, state, "It is\nnot\tso.")]
    assert failure(encode) == f"gemini-embedding-001: HTTP {status} {state}: It is not so. (attempts: 1)"
    assert len(stub.requests) == 1 and not waits


def test_the_key_does_not_follow_a_redirect(stub: Stub, encode: Encode, waits: list[float]) -> None:
    with Stub(gemini) as other:
        stub.script = [Reply("", 307, {"Location": f"{other.url}/v1/models/m:batchEmbedContents"})]
        assert "HTTP 307" in failure(encode) and not other.requests and not waits


@pytest.mark.parametrize("body", ["<html>\n" + "proxy " * 999, {"proxy": "proxy \n" * 999}])
def test_a_long_page_in_place_of_a_message_is_cut(stub: Stub, encode: Encode, body: object) -> None:
    stub.script = [Reply(body, 403)]
    said = failure(encode)
    assert "HTTP 403" in said and "proxy" in said and len(said) < 260 and "\n" not in said


def embeddings(*rows: object) -> Reply:
    return Reply({"embeddings": [{"values": row} for row in rows]})


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (embeddings([1.0] * 8), "1 vectors for 2 texts"),
        (embeddings(*[[1.0] * 8] * 3), "3 vectors for 2 texts"),
        (Reply({}), "0 vectors for 2 texts"),
        (embeddings([1.0] * 8, [1.0] * 7), "a vector of 7 numbers where 8 were asked for"),
        (embeddings([1.0] * 9, [1.0] * 9), "a vector of 9 numbers where 8 were asked for"),
        (Reply({"embeddings": [{}, {"values": [1.0] * 8}]}), "a vector of 0 numbers where 8 were asked for"),
        (embeddings([1.0] * 8, [1.0] * 7 + [float("nan")]), "a vector with a number that is not finite"),
        (embeddings([1.0] * 8, [1.0] * 7 + [float("-inf")]), "a vector with a number that is not finite"),
        (embeddings([1.0] * 8, [1.0] * 7 + [1e39]), "a vector with a number that is not finite"),
        (embeddings([1.0] * 8, [1.0] * 7 + [None]), "valid number"),
        (Reply('{"embeddings": ['), "JSON"),
    ],
)
def test_vectors_that_do_not_fit_the_texts(stub: Stub, encode: Encode, reply: Reply, said: str) -> None:
    stub.script = [reply]
    told = failure(encode)
    assert said in told and told.startswith("gemini-embedding-001: ") and told.endswith(" (attempts: 1)")
    assert len(told) < 260 and "\n" not in told and len(stub.requests) == 1


# The key stays where it is


ECHOES = [KEY, quote(KEY), quote(KEY, safe=""), quote(KEY, safe="").lower()]
PARTS = [part.lower() for part in (KEY[:9], KEY[-9:], quote(KEY, safe="")[:9])]


@pytest.mark.parametrize("status", [400, 429])
@pytest.mark.parametrize("before", [0, 150, 190])
def test_the_key_is_never_told(
    stub: Stub, encode: Encode, caplog: pytest.LogCaptureFixture, status: int, before: int
) -> None:
    caplog.set_level(logging.DEBUG)
    for echo in ECHOES:
        stub.script = [gemini_error(status, "SOME", f"{'x' * before} API key {echo} is not valid. {echo}")] * 4
        with pytest.raises(ModelFailed) as caught:
            encode(["tide"], QUERY)
        error = caught.value
        assert error.__cause__ is None and error.__context__ is None
        inside = error.__traceback__ and error.__traceback__.tb_next
        shown = traceback.TracebackException(type(error), error, inside, capture_locals=True)
        told = [str(error), repr(error), repr(vars(error)), "".join(shown.format())]
        assert "API key ***" in told[0] or before == 190
        assert "task = 'query'" in told[3]
        assert not [text for text in told for form in PARTS if form in text.lower()]
    logged = [f"{record.name} {record.getMessage()} {record.args} {record.exc_text}" for record in caplog.records]
    assert any("send_request_headers" in line for line in logged)
    assert not [line for line in logged for form in PARTS if form in line.lower()]
    assert stub.requests[0].headers["x-goog-api-key"] == KEY


def test_a_choice_does_not_hold_the_key(stub: Stub) -> None:
    choice = Gemini(dimensions=8)
    choice.load()
    assert repr(choice) == "Gemini(model='gemini-embedding-001', dimensions=8)"
    assert not [form for form in PARTS if form in f"{vars(choice)} {choice.key(QUERY)}".lower()]


@pytest.mark.parametrize("page", [f"no such key: {KEY}", f'"no such key: {KEY}"'])
def test_the_key_is_not_told_from_a_body_that_is_no_error_of_the_service(stub: Stub, encode: Encode, page: str) -> None:
    stub.script = [Reply(page, 403)]
    assert "AIza" not in failure(encode)


@pytest.mark.parametrize("key", ["AIza\nSy", "AIzä", "AIza Sy"])
def test_a_key_that_no_header_can_hold(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", key)
    with pytest.raises(NotAvailable, match="^GOOGLE_API_KEY: [^\n]+$") as caught:
        SMALL.load()
    assert "AIz" not in str(caught.value)


# What is missing


@pytest.mark.parametrize("value", [None, "", " "])
def test_without_a_key(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    if value is not None:
        monkeypatch.setenv("GEMINI_API_KEY", value)
    with pytest.raises(NotAvailable, match="^[^\n]*GEMINI_API_KEY[^\n]*$"):
        SMALL.load()


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.setitem(sys.modules, "google.genai", None)
    with pytest.raises(NotAvailable, match=r"^[^\n]*google-genai[^\n]*pip install -e '\.\[models\]'[^\n]*$") as caught:
        SMALL.load()
    told = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert KEY not in "".join(told.format())


def test_the_sdk_is_imported_when_it_is_used() -> None:
    code = (
        "import sys; from ragkit.backends.gemini import Gemini; Gemini().key('query');"
        "print({'google.genai', 'httpx', 'httpx2', 'pydantic'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_no_connection_is_left_open(stub: Stub) -> None:
    encode = SMALL.load()
    encode(["tide"], QUERY)
    stub.script = [Reply(), BUSY, gemini_error(400, "SOME", "No.")]
    failure(encode)
    del encode
    gc.collect()


# The service that stands in


def test_the_stub_refuses_what_the_service_refuses(stub: Stub) -> None:
    def asked(*texts: str, path: str = "/v1/models/m:batchEmbedContents", **headers: str) -> int:
        parts = [{"content": {"parts": [{"text": text}]}, "taskType": "T", "outputDimensionality": 2} for text in texts]
        return gemini(Request(path, {"x-goog-api-key": KEY} | headers, {"requests": parts})).status

    assert asked("a") == 200
    assert [asked(""), asked(), asked(*["a"] * 101)] == [400] * 3
    assert asked("a", **{"x-goog-api-key": ""}) == 403 and asked("a", path="/v1/models/m:embedContent") == 404
