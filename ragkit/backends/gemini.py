"""Embeddings of the Gemini API, through google-genai (the extra `models`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ragkit.backends import service
from ragkit.models import DOCUMENT, QUERY, Encode
from ragkit.records import ModelFailed

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
TASKS = {QUERY: "RETRIEVAL_QUERY", DOCUMENT: "RETRIEVAL_DOCUMENT"}
TOGETHER = 100  # texts in one request, the most the service takes


def client(model: str, timeout: float) -> Any:  # noqa: ANN401
    """A client of the service; a request takes at most `timeout` seconds. NotAvailable without a key or the package."""
    hide = service.hiding(service.key(model, KEYS))
    genai = service.sdk("google.genai", "google-genai", model)
    options = {"timeout": round(1000 * timeout), "client_args": {"follow_redirects": False}}  # the key stays here

    def made() -> Any:  # noqa: ANN401
        return genai.Client(vertexai=False, api_key=service.key(model, KEYS), http_options=options)

    return service.tried(made, model, hide)


@dataclass(frozen=True)
class Gemini:
    """A text as `dimensions` numbers, not of length one; as a query it has another vector than as a document.

    The key is in GEMINI_API_KEY, else in GOOGLE_API_KEY; GOOGLE_GEMINI_BASE_URL names another address of the service.
    The service takes no empty text: one without a visible character is sent as a single space.

    What may pass is tried again (`service.tried`); any other failure and vectors that do not fit are ModelFailed.
    """

    model: str = "gemini-embedding-001"
    dimensions: int = 768

    def key(self, task: str) -> str:
        return f"gemini {self.model} {self.dimensions} {task}"

    def load(self) -> Encode:
        opened, hide = client(self.model, service.TIMEOUT), service.hiding(service.key(self.model, KEYS))

        def encode(texts: Sequence[str], task: str) -> NDArray[np.float32]:
            batches = [texts[n : n + TOGETHER] for n in range(0, len(texts), TOGETHER)]
            calls = [partial(self._vectors, opened, batch, task) for batch in batches]
            parts = [service.tried(call, self.model, hide, service.TIMEOUT + service.GRACE) for call in calls]
            return np.concatenate([np.zeros((0, self.dimensions), np.float32), *parts])

        return encode

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
