"""What the clients of services share: a key that is never told, and trying again what may pass."""

from __future__ import annotations

import html
import importlib
import json
import re
import time
from collections.abc import Callable, Sequence
from email.utils import mktime_tz, parsedate_tz
from typing import Any, TypeVar
from urllib.parse import quote

from ragkit.deadline import within
from ragkit.generate import END, LENGTH, Reply
from ragkit.models import NotAvailable
from ragkit.prices import cost
from ragkit.records import ModelFailed
from ragkit.settings import setting

T = TypeVar("T")
Hide = Callable[[str], str]

ATTEMPTS = 4
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds
TIMEOUT, TEXT_TIMEOUT = 60.0, 120.0  # seconds for vectors, for a text
PASSING = frozenset({408, 429, 500, 502, 503, 504, 529})  # 529: overloaded, of Anthropic
UNREACHED = frozenset({"TimeoutException", "NetworkError", "RemoteProtocolError"})  # of httpx or httpx2
GRACE = 60.0  # seconds that an attempt may take in all, above the timeout
MOST_SAID = 200  # characters
MOST_TOKENS = 10**9
sleep = time.sleep


def key(model: str, names: Sequence[str]) -> str:
    """The first key that the settings have under these names; NotAvailable when there is none or it can be no key."""
    for name in names:
        if found := setting(name):
            if not re.fullmatch("[!-~]+", found):
                raise NotAvailable(f"{name}: holds a character that no key has; copy the key again")
            return found
    others = f" (or {' or '.join(names[1:])})" if names[1:] else ""
    raise NotAvailable(f"{model} needs a key; set {names[0]}{others}")


def sdk(module: str, package: str, model: str) -> Any:  # noqa: ANN401  # a module
    """An SDK, imported now; NotAvailable without it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise NotAvailable(f"{model} needs {package}; pip install -e '.[models]' installs it") from None
    except (Exception, SystemExit) as error:  # whatever a broken package does
        said = _line(f"{type(error).__name__}: {error}", str)
    raise NotAvailable(f"{model} needs {package}, which can not be loaded ({said}); install it anew")


def hiding(*secrets: str) -> Hide:
    """What takes keys out of a text: as they are, URL-encoded, and as they stand in JSON and HTML."""
    ways = (str, quote, lambda each: quote(each, safe=""), lambda each: json.dumps(each)[1:-1], html.escape)
    forms = {way(each) for each in secrets for way in ways}
    found = re.compile("|".join(map(re.escape, sorted(forms, key=len, reverse=True))), re.IGNORECASE)
    return lambda text: found.sub("***", text)


def count(value: object) -> int | None:
    """A number of tokens as a service tells it; None for what can be none."""
    return value if type(value) is int and 0 <= value < MOST_TOKENS else None


def tried(call: Callable[[], T], model: str, hide: Hide, seconds: float | None = None) -> T:
    """What a call gives. A timeout, a broken connection and PASSING are tried again, up to ATTEMPTS in all, after the
    wait that is asked for; any other failure, the last of them and a wait beyond LONGEST_WAIT are ModelFailed, and so
    is an attempt that is not done in `seconds`, however busy it is (an SDK counts them for each part it reads)."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return call() if seconds is None else within(seconds, call)
        except Exception as error:
            passing, asked, said = _trouble(error, hide)
        wait = max(asked, min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT))
        if not passing or attempt == ATTEMPTS or wait > LONGEST_WAIT:
            break
        sleep(wait)
    late = f"; it asks to wait {asked:.0f} s" if asked > LONGEST_WAIT else ""
    # outside of the `except`: the SDK's error holds the request, and with it the key
    raise ModelFailed(f"{model}: {said} (attempts: {attempt}{late})")


def _trouble(error: Any, hide: Hide) -> tuple[bool, float, str]:  # noqa: ANN401
    """Whether the error may pass, the seconds the service asks to wait, and what was said."""
    response = getattr(error, "response", None)
    if response is not None:
        code, kind, message = _told(error)
        said = f"HTTP {code} {kind or ''}: {message or response.text}"
        return code in PASSING, _wait(response), _line(said, hide)
    if isinstance(error, ModelFailed):
        return False, 0.0, _line(str(error), hide)
    for each in (error, error.__cause__):  # Anthropic's SDK tells what broke in the cause only
        if not UNREACHED.isdisjoint(kind.__name__ for kind in type(each).__mro__):
            return True, 0.0, _line(f"{type(each).__name__}: {each}", hide)
    return False, 0.0, _line(f"{type(error).__name__}: {error}", hide)


def _told(error: Any) -> tuple[int, str | None, str | None]:  # noqa: ANN401
    """Status, kind and message of an error of google-genai, or of anthropic."""
    if hasattr(error, "status_code"):
        return error.status_code, getattr(error, "type", None), getattr(error, "api_message", None)
    return error.code, error.status, error.message


def _line(said: str, hide: Hide) -> str:
    return " ".join(hide(said).split())[:MOST_SAID]


def _wait(response: Any) -> float:  # noqa: ANN401
    """The seconds of Retry-After, a number or a date, else those of `retryDelay` in the reply, else 0."""
    header = response.headers.get("retry-after", "")
    if re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT", header) and (date := parsedate_tz(header)):
        return mktime_tz(date) - time.time()
    found = re.fullmatch("([0-9]+)", header) or re.search(r'"retryDelay": *"([0-9]+\.?[0-9]*)s"', response.text)
    return float(found[1]) if found else 0.0


def reply(
    texts: Sequence[str],
    stopped: str,
    reason: str,
    *,
    asked: str,
    told: str | None,
    tokens: tuple[int | None, int | None],
    hide: Hide,
) -> Reply:
    """A reply with its cost. `asked` is the model that was named, `told` the one that the service names."""
    text = hide("".join(texts))
    if stopped == LENGTH:
        reason = "cut off at the limit of tokens" if text.strip() else "out of tokens before any text"
    elif stopped == END:
        reason = ""
    price = cost(asked, *tokens)
    model, why = _line(told or asked, hide), _line(reason, hide)
    return Reply(text, model, *tokens, cost(told or "", *tokens) if price is None else price, stopped, why)
