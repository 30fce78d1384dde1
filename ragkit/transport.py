"""One question to a program, an address or a function of others, and what comes back: a reply, or `Failed` in a line.

Every call has a process, a connection or a thread of its own, and ends in time. Nothing is shared between two of them.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import SplitResult, unquote, urlsplit

from ragkit import deadline
from ragkit.records import BadInput

T = TypeVar("T")

QUESTION = "{question}"
MOST = 1_000_000  # bytes of a reply
MOST_SAID = 200  # characters of an error, a reason and the like
TAIL = 4_000  # bytes of standard error that are kept
TICK = 0.1  # seconds between two looks at a program that says nothing
SHELLS = ("sh", "bash", "dash", "ksh", "zsh")


@dataclass(eq=False)
class Failed(Exception):
    """What failed and what the other side said; whether it may pass, and the seconds it asks to wait."""

    what: str
    said: str = ""
    passing: bool = False
    wait: float = 0.0


def clean(text: str) -> str:
    """A text as one line without what a terminal would act on.

    >>> clean("a\\x1b[31m\\tred\\n word\\u202e")
    'a red word'
    """
    plain = re.sub(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))", " ", text)
    return " ".join("".join(letter if letter.isprintable() else " " for letter in plain).split())


def within(seconds: float, call: Callable[[], T]) -> T:
    """See `deadline.within`; what is late has failed, and may pass."""
    try:
        return deadline.within(seconds, call)
    except deadline.Late:
        raise _late(seconds) from None


def _late(seconds: float, said: str = "") -> Failed:
    return Failed(f"no reply within {seconds:g} s", said, passing=True)


def _decoded(data: bytes) -> str:
    if len(data) > MOST:
        raise Failed(f"a reply of more than {MOST:,} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Failed(f"a reply that is no UTF-8 (byte 0x{data[error.start]:02x} at {error.start})") from None


# A program


def split(line: str) -> list[str]:
    """The words of a command; bad input when its program is not there, or a shell would read the question."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise BadInput(f"command {clean(line)!r}: {error}; close what is open") from None
    if not words or QUESTION in words[0]:
        raise BadInput(f"command {clean(line)!r}: names no program; begin with one, as in 'mybot {QUESTION}'")
    if shutil.which(words[0]) is None:
        raise BadInput(f"{clean(words[0])}: no such program, or none that may be run; check its name, path and mode")
    scripts = zip(words, words[1:], strict=False) if os.path.basename(words[0]) in SHELLS else ()
    if any(flag.startswith("-") and flag.endswith("c") and QUESTION in script for flag, script in scripts):
        remedy = f"pass it on, as in sh -c 'mybot \"$1\"' sh {QUESTION}"
        raise BadInput(f"command {clean(line)!r}: the shell would run what is in a question; {remedy}")
    return words


def output(words: list[str], question: str, *, timeout: float, over: threading.Event) -> str:
    """What a program writes to its standard output, see `exchange.Command`. Its group does not outlive the call."""
    arguments = [word.replace(QUESTION, question) for word in words]
    pipe = subprocess.PIPE
    with tempfile.TemporaryFile() as given:
        try:
            if not any(QUESTION in word for word in words):
                given.write(question.encode())
                given.seek(0)
            process = subprocess.Popen(arguments, stdin=given, stdout=pipe, stderr=pipe, start_new_session=True)
        except (OSError, ValueError) as error:  # ValueError: a NUL, half a surrogate pair
            raise Failed("the program can not be started", getattr(error, "strerror", None) or str(error)) from None
    with process:
        try:
            out, err = _streams(process, timeout, over)
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
    if process.returncode < 0:
        raise Failed(f"ended by signal {-process.returncode}", err, passing=True)
    if process.returncode:
        raise Failed(f"exit code {process.returncode}", err, passing=True)
    if not out.strip():
        raise Failed("no output", err)
    return _decoded(out)


def _streams(process: subprocess.Popen[bytes], timeout: float, over: threading.Event) -> tuple[bytes, str]:
    """Standard output and the tail of standard error, read until the program has ended; what it leaves running may hold
    them open."""
    out, err, end = bytearray(), bytearray(), time.monotonic() + timeout
    with selectors.DefaultSelector() as pipes:
        pipes.register(process.stdout, selectors.EVENT_READ, out)  # type: ignore[arg-type]
        pipes.register(process.stderr, selectors.EVENT_READ, err)  # type: ignore[arg-type]
        while True:
            ended = process.poll() is not None  # before the look, which then sees the last that was written
            read = _read(pipes, 0 if ended else TICK)
            del err[:-TAIL]
            said = err.decode("utf-8", "replace")
            if ended and not read:
                return bytes(out), said
            if len(out) > MOST:
                raise Failed(f"a reply of more than {MOST:,} bytes", said)
            if time.monotonic() > end:
                raise _late(timeout, said)
            if over.is_set():
                raise Failed("stopped")
            if not pipes.get_map():
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(TICK)


def _read(pipes: selectors.BaseSelector, seconds: float) -> bool:
    """Whether something was there to be read, at most `seconds` from now; closed pipes are taken out."""
    ready = pipes.select(seconds) if pipes.get_map() else []
    for key, _ in ready:
        if part := os.read(key.fd, 1 << 16):
            key.data.extend(part)
        else:
            pipes.unregister(key.fileobj)
    return bool(ready)


# An address


def place(url: str) -> str:
    """An address without what may be secret in it: what stands before an `@` or after a `?`.

    >>> place("https://me:word@example.org:8443/ask?key=1")
    'https://example.org:8443/ask'
    """
    return re.split("[?#]", re.sub("//.*@", "//", url))[0]


def poster(url: str, *, timeout: float) -> Callable[[str], str]:
    """What posts a question and gives the body of the reply, see `exchange.Http`."""
    from http.client import HTTPException
    from urllib.request import Request

    parts = _parts(url)
    opener, host = _opener(parts.hostname or ""), parts.netloc.rpartition("@")[2]
    address = parts._replace(netloc=host, path=parts.path or "/", fragment="").geturl()
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/plain", "User-Agent": "ragkit"}
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
    quiet = "@" in parts.netloc or bool(parts.query)  # an error page may repeat what is secret

    def post(question: str) -> str:
        end = time.monotonic() + timeout
        try:
            asked = Request(address, json.dumps({"question": question}).encode(), headers)
            with opener.open(asked, timeout=timeout) as reply:
                return _decoded(_body(reply, end, timeout))
        except (OSError, HTTPException, ValueError) as error:
            raise _trouble(error, host, timeout, quiet) from None

    return post


def _parts(url: str) -> SplitResult:
    """An address cut up; bad input when it is none, in words that do not repeat it."""
    with contextlib.suppress(ValueError):
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        if known and re.fullmatch("[!-~]+", url):
            return parts
    raise BadInput("the address can not be used; write http://host:port/path without spaces, other letters as %XX")


def _opener(host: str) -> Any:  # noqa: ANN401 - of urllib
    """Opens addresses and is not sent elsewhere; this machine is reached without the proxies of the environment."""
    from urllib.request import HTTPRedirectHandler, ProxyHandler, build_opener

    class Stay(HTTPRedirectHandler):
        def redirect_request(self, *_: object) -> None:
            return None

    near = host in ("localhost", "::1") or host.startswith("127.")
    return build_opener(Stay, *([ProxyHandler({})] if near else []))


def _body(reply: Any, end: float, timeout: float) -> bytes:  # noqa: ANN401 - of urllib
    data = bytearray()
    while len(data) <= MOST and (part := reply.read1(1 << 16)):
        data += part
        if time.monotonic() > end:
            raise _late(timeout)
    if len(data) <= MOST and reply.length:
        raise Failed("the reply was cut off", passing=True)
    return bytes(data)


def _trouble(error: Any, host: str, timeout: float, quiet: bool) -> Failed:  # noqa: ANN401 - of urllib
    if hasattr(error, "code"):
        return _status(error, quiet)
    reason = getattr(error, "reason", error)
    if isinstance(reason, TimeoutError):
        return _late(timeout)
    said = f": {reason.strerror or reason}" if isinstance(reason, OSError) else ""
    return Failed(f"no reply from {host}", f"{type(reason).__name__}{said}", passing=True)


def _status(error: Any, quiet: bool) -> Failed:  # noqa: ANN401 - urllib's HTTPError
    from http.client import responses

    code, said = error.code, b""
    with contextlib.suppress(Exception), error:
        said = b"" if quiet else error.read(TAIL)
    name, passing = f"HTTP {code} {responses.get(code, '')}".strip(), code == 429 or code >= 500
    if 300 <= code < 400:
        return Failed(f"{name}: redirects are not followed; name the address that replies")
    wait = _asked(error.headers.get("Retry-After", "")) if passing else 0.0
    name += f", asks to wait {wait:.0f} s" * (wait > 0)
    return Failed(name, clean(said.decode("utf-8", "replace"))[: MOST_SAID // 2], passing, wait)


def _asked(header: str) -> float:
    """The seconds of Retry-After, which is a number or a date; 0 for anything else.

    >>> _asked("7"), _asked("soon")
    (7.0, 0.0)
    """
    from email.utils import mktime_tz, parsedate_tz

    if re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT", header) and (date := parsedate_tz(header)):
        return mktime_tz(date) - time.time()
    return float(header) if re.fullmatch("[0-9]{1,9}", header) else 0.0
