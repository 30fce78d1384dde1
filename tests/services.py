"""The services of language models as one: how each is reached, what it says, and how it fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from ragkit.backends.claude import Claude
from ragkit.backends.gemini_text import GeminiText
from ragkit.generate import Generate, Prompt
from tests.stub import Reply, Request, Stub, claude, claude_error, claude_says, gemini_error, gemini_says, gemini_text

KEY = "AIza/Sy+made=up&for-tests"
NAMES = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "MODEL_PROVIDER")
PROMPT = Prompt("Answer from the passages.", "How high is the deposit?")


@dataclass(frozen=True)
class Service:
    """A service with the choice that talks to it."""

    name: str
    module: str
    choice: Generate
    model: str
    variable: str
    address: str
    header: str
    usual: Callable[[Request], Reply]
    says: Callable[..., Reply]
    error: Callable[..., Reply]
    overloaded: tuple[int, str]

    def reachable(self, patch: pytest.MonkeyPatch, stub: Stub) -> None:
        for name, value in {self.variable: KEY, self.address: stub.url, "NO_PROXY": "127.0.0.1"}.items():
            patch.setenv(name, value)

    def busy(self, **headers: str) -> Reply:
        return self.error(*self.overloaded, "Not now.", **headers)

    def __str__(self) -> str:
        return self.name


GEMINI = Service(
    *("gemini", "google.genai", GeminiText("gemini-3.8-flash", 64), "gemini-3.8-flash", "GEMINI_API_KEY"),
    *("GOOGLE_GEMINI_BASE_URL", "x-goog-api-key", gemini_text, gemini_says, gemini_error, (503, "UNAVAILABLE")),
)
CLAUDE = Service(
    *("claude", "anthropic", Claude("claude-haiku-5-5", 64), "claude-haiku-5-5", "ANTHROPIC_API_KEY"),
    *("ANTHROPIC_BASE_URL", "authorization", claude, claude_says, claude_error, (529, "overloaded_error")),
)
SERVICES = (GEMINI, CLAUDE)


def keyless(patch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        patch.delenv(name, raising=False)


def said(call: Callable[[], Any], kind: type[Exception]) -> str:
    """The message of what a call raises."""
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)
