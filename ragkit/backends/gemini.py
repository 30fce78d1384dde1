"""Embeddings of the Gemini API, through google-genai (the extra `models`)."""

from __future__ import annotations

import importlib
import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from ragkit.models import DOCUMENT, QUERY, Encode, NotAvailable
from ragkit.records import ModelFailed

if TYPE_CHECKING:
    from numpy.typing import NDArray

Clean = Callable[[str], str]

KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
TASKS = {QUERY: "RETRIEVAL_QUERY", DOCUMENT: "RETRIEVAL_DOCUMENT"}
TOGETHER = 100  # texts in one request, the most the service takes
ATTEMPTS = 4
FIRST_WAIT, LONGEST_WAIT, TIMEOUT = 1.0, 60.0, 60.0  # seconds
PASSING = frozenset({408, 429, 500, 502, 503, 504})
UNREACHED = frozenset({"TimeoutException", "NetworkError", "RemoteProtocolError"})  # of httpx or httpx2
MOST_SAID = 200  # characters
sleep = time.sleep


@dataclass(frozen=True)
class Gemini:
    """A text as `dimensions` numbers, not of length one; as a query it has another vector than as a document.

    The key is in GEMINI_API_KEY, else in GOOGLE_API_KEY; GOOGLE_GEMINI_BASE_URL names another address of the service.
    The service takes no empty text: one without a visible character is sent as a single space.

    A timeout, a broken connection and PASSING are tried again, up to ATTEMPTS in all, after the wait that is asked for.
    Any other failure, the last of them, a wait beyond LONGEST_WAIT and vectors that do not fit are ModelFailed.
    """

    model: str = "gemini-embedding-001"
    dimensions: int = 768

    def key(self, task: str) -> str:
        return f"gemini {self.model} {self.dimensions} {task}"

    def load(self) -> Encode:
        clean = _cleaner(_key(self.model))
        try:
            genai = importlib.import_module("google.genai")
        except ImportError:
            raise NotAvailable(f"{self.model} needs google-genai; pip install -e '.[models]' installs it") from None
        options = {"timeout": round(1000 * TIMEOUT), "client_args": {"follow_redirects": False}}  # the key stays here
        client = genai.Client(vertexai=False, api_key=_key(self.model), http_options=options)

        def encode(texts: Sequence[str], task: str) -> NDArray[np.float32]:
            parts = [self._tried(client, texts[n : n + TOGETHER], task, clean) for n in range(0, len(texts), TOGETHER)]
            return np.concatenate([np.zeros((0, self.dimensions), np.float32), *parts])

        return encode

    def _tried(self, client: Any, texts: Sequence[str], task: str, clean: Clean) -> NDArray[np.float32]:  # noqa: ANN401
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._vectors(client, texts, task)
            except Exception as error:
                passing, asked, said = _trouble(error, clean)
            wait = max(asked, min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT))
            if not passing or attempt == ATTEMPTS or wait > LONGEST_WAIT:
                break
            sleep(wait)
        late = f"; it asks to wait {asked:.0f} s" if asked > LONGEST_WAIT else ""
        # outside of the `except`: the SDK's error holds the request, and with it the key
        raise ModelFailed(f"{self.model}: {said} (attempts: {attempt}{late})")

    def _vectors(self, client: Any, texts: Sequence[str], task: str) -> NDArray[np.float32]:  # noqa: ANN401
        """One request. Shape (texts, dimensions). Of bare strings a newer SDK makes one text for some models."""
        sent = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]  # half a surrogate pair is no text
        contents = [{"parts": [{"text": text if text.strip() else " "}]} for text in sent]
        config = {"task_type": TASKS[task], "output_dimensionality": self.dimensions}
        reply = client.models.embed_content(model=self.model, contents=contents, config=config)
        rows = [each.values or [] for each in reply.embeddings or []]
        if len(rows) != len(texts):
            raise ModelFailed(f"{len(rows)} vectors for {len(texts)} texts")
        if wrong := {len(row) for row in rows} - {self.dimensions}:
            raise ModelFailed(f"a vector of {wrong.pop()} numbers where {self.dimensions} were asked for")
        if not (np.abs(rows) <= np.finfo(np.float32).max).all():
            raise ModelFailed("a vector with a number that is not finite")
        return np.array(rows, np.float32)


def _key(model: str) -> str:
    for name in KEYS:
        if key := os.environ.get(name, "").strip():
            if not re.fullmatch("[!-~]+", key):
                raise NotAvailable(f"{name}: holds a character that no key has; copy the key again")
            return key
    raise NotAvailable(f"{model} needs a key; set {KEYS[0]} (or {KEYS[1]})")


def _cleaner(key: str) -> Clean:
    """What makes one short line of a text and takes the key out of it, as it is and URL-encoded."""
    secret = re.compile("|".join(map(re.escape, (quote(key, safe=""), quote(key), key))), re.IGNORECASE)
    return lambda said: " ".join(secret.sub("***", said).split())[:MOST_SAID]


def _trouble(error: Any, clean: Clean) -> tuple[bool, float, str]:  # noqa: ANN401
    """Whether the error may pass, the seconds the service asks to wait, and what was said."""
    response = getattr(error, "response", None)
    if response is not None:
        said = f"HTTP {error.code} {error.status or ''}: {error.message or response.text}"
        return error.code in PASSING, _wait(response), clean(said)
    said = str(error) if isinstance(error, ModelFailed) else f"{type(error).__name__}: {error}"
    return not UNREACHED.isdisjoint(kind.__name__ for kind in type(error).__mro__), 0.0, clean(said)


def _wait(response: Any) -> float:  # noqa: ANN401
    """The seconds of Retry-After, a number or a date, else those of `retryDelay` in the reply, else 0."""
    header = response.headers.get("retry-after", "")
    if re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT", header) and (date := parsedate_tz(header)):
        return mktime_tz(date) - time.time()
    found = re.fullmatch("([0-9]+)", header) or re.search(r'"retryDelay": *"([0-9]+\.?[0-9]*)s"', response.text)
    return float(found[1]) if found else 0.0
