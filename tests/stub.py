"""A service on this machine: it keeps what it is sent, and answers by a script."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Request:
    """A POST; the names of headers are in lower case."""

    path: str
    headers: dict[str, str]
    json: Any


@dataclass(frozen=True)
class Reply:
    """What is sent back after `delay` seconds: a text as it is, anything else as JSON. `None` closes the connection.
    With `drip` a space goes out at that many seconds, before the body and without an end."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0
    drip: float = 0


Step = Reply | Callable[[Request], Reply]


class Stub:
    """A server, up inside of `with`. `script` holds the next replies; when it is empty, `usual` answers.

    Each connection takes one request. A reply that is being delayed is let go at the end.
    """

    def __init__(self, usual: Callable[[Request], Reply], script: Iterable[Step] = ()) -> None:
        self.usual, self.script = usual, list(script)
        self.requests: list[Request] = []
        self.over = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"stub": self}))
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Stub:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            step: Step = self.script.pop(0) if self.script else self.usual
        return step if isinstance(step, Reply) else step(request)


class _Handler(BaseHTTPRequestHandler):
    stub: Stub

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        sent = {name.lower(): value for name, value in self.headers.items()}
        reply = self.stub.answer(Request(self.path, sent, json.loads(data) if data else None))
        if self.stub.over.wait(reply.delay) or reply.body is None:
            return
        body = (reply.body if isinstance(reply.body, str) else json.dumps(reply.body)).encode()
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body))} | reply.headers
        self.send_response(reply.status)
        for name, value in headers.items():
            self.send_header(name, value)
        try:
            self.end_headers()
            while reply.drip and not self.stub.over.wait(reply.drip):
                self.wfile.write(b" ")
            self.wfile.write(body)
        except ConnectionError:
            pass  # the client has given up

    def log_message(self, *words: object) -> None:
        pass


# The Gemini API


def gemini(request: Request) -> Reply:
    """A vector for each text, in order. Refuses what the service refuses: no key, no text, more than 100 texts."""
    asked = request.json.get("requests", [])
    texts = [text_of(each) for each in asked]
    if not request.headers.get("x-goog-api-key"):
        return gemini_error(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers.")
    if not request.path.endswith(":batchEmbedContents"):
        return gemini_error(404, "NOT_FOUND", f"{request.path} is not found.")
    if not all(texts) or not 1 <= len(texts) <= 100:
        return gemini_error(400, "INVALID_ARGUMENT", "The text content is empty, or the batch is.")
    rows = (vector(text_of(each), each["taskType"], each["outputDimensionality"]) for each in asked)
    return Reply({"embeddings": [{"values": row} for row in rows]})


def text_of(asked: dict[str, Any]) -> str:
    """The text of one entry of `requests`."""
    return "".join(part["text"] for part in asked["content"]["parts"])


def gemini_error(code: int, status: str, message: str, details: Iterable[Any] = (), **headers: str) -> Reply:
    """An error in the words of the service; headers as `Retry_After="7"`."""
    said = {"code": code, "message": message, "status": status, "details": list(details)}
    return Reply({"error": said}, code, {name.replace("_", "-"): value for name, value in headers.items()})


def vector(text: str, task: str, dimensions: int) -> list[float]:
    """Numbers that single precision holds exactly, another list for each text, task and length."""
    seed = hashlib.sha256(f"{dimensions} {task} {text}".encode()).digest()
    drawn = np.random.default_rng(int.from_bytes(seed)).standard_normal(dimensions)
    return [float(number) for number in drawn.astype(np.float32)]


def gemini_text(request: Request) -> Reply:
    """The prompt, said again. Refuses what the service refuses: no key, another path, no text."""
    if not request.headers.get("x-goog-api-key"):
        return gemini_error(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers.")
    if not request.path.endswith(":generateContent"):
        return gemini_error(404, "NOT_FOUND", f"{request.path} is not found.")
    texts = [text_of({"content": content}) for content in request.json.get("contents", [])]
    if not texts or not all(texts):
        return gemini_error(400, "INVALID_ARGUMENT", "contents is not specified")
    return gemini_says(f"You said: {texts[-1]}")


def gemini_says(text: str, finish: str = "STOP", **more: object) -> Reply:
    """A reply of one candidate; `more` stands beside the candidates."""
    content = {"role": "model", "parts": [{"text": text}]}
    usage = {"promptTokenCount": 40, "candidatesTokenCount": 7, "thoughtsTokenCount": 5, "totalTokenCount": 52}
    body = {"candidates": [{"index": 0, "content": content, "finishReason": finish}], "usageMetadata": usage}
    return Reply(body | {"modelVersion": "gemini-of-today"} | more)


# The Claude API


def claude(request: Request) -> Reply:
    """The prompt, said again. Refuses what the service refuses: no key, another path, no version, no text, no limit."""
    headers, asked = request.headers, request.json
    if not headers.get("authorization", "").startswith("Bearer ") and not headers.get("x-api-key"):
        return claude_error(401, "authentication_error", "x-api-key header is required")
    if request.path != "/v1/messages":
        return claude_error(404, "not_found_error", "Not Found")
    texts = [message["content"] for message in asked.get("messages", []) if message["role"] == "user"]
    if not headers.get("anthropic-version") or not texts or not all(texts) or asked.get("max_tokens", 0) < 1:
        return claude_error(400, "invalid_request_error", "messages: at least one message is required")
    return claude_says(f"You said: {texts[-1]}")


def claude_says(text: str, stop: str | None = "end_turn", **more: object) -> Reply:
    """A message of one block; `more` stands beside the content."""
    usage = {"input_tokens": 40, "output_tokens": 12}
    body = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-of-today", "stop_sequence": None}
    content = [{"type": "text", "text": text}]
    return Reply(body | {"content": content, "stop_reason": stop, "usage": usage} | more)


def claude_error(code: int, kind: str, message: str, **headers: str) -> Reply:
    """An error in the words of the service; headers as `Retry_After="7"`."""
    body = {"type": "error", "error": {"type": kind, "message": message}}
    return Reply(body, code, {name.replace("_", "-"): value for name, value in headers.items()})
