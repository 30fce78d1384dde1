"""Answers of Anthropic's Claude, through anthropic (the extra `models`)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from ragkit.backends import service
from ragkit.generate import END, LENGTH, OTHER, SAFETY, Ask, Prompt, Reply
from ragkit.records import ModelFailed

KEYS = ("ANTHROPIC_API_KEY",)
STOPS = {
    "end_turn": END,
    "stop_sequence": END,
    "max_tokens": LENGTH,
    "model_context_window_exceeded": LENGTH,
    "refusal": SAFETY,
}


@dataclass(frozen=True)
class Claude:
    """A text model of Anthropic; a reply has at most `most_tokens` tokens, its thoughts among them.

    The key is in ANTHROPIC_API_KEY; ANTHROPIC_BASE_URL names another address of the service. What may pass is tried
    again (`service.tried`), any other failure is ModelFailed. A reply that was refused, is empty or was cut says so in
    `stopped`.
    """

    model: str
    most_tokens: int = 8192

    def key(self) -> str:
        return f"anthropic {self.model} {self.most_tokens}"

    def load(self) -> Ask:
        hide = service.hiding(service.key(self.model, KEYS), *_headers())
        sdk = service.sdk("anthropic", "anthropic", self.model)
        client = service.tried(lambda: self._client(sdk), self.model, hide)
        return lambda prompt: service.tried(
            lambda: self._asked(client, prompt, hide), self.model, hide, service.TEXT_TIMEOUT + service.GRACE
        )

    def _client(self, sdk: Any) -> Any:  # noqa: ANN401
        http = sdk.DefaultHttpxClient(follow_redirects=False)  # the key stays here
        return sdk.Anthropic(
            api_key=service.key(self.model, KEYS),
            http_client=http,
            timeout=service.TEXT_TIMEOUT,
            max_retries=0,
            open_telemetry=False,
        )

    def _asked(self, client: Any, prompt: Prompt, hide: service.Hide) -> Reply:  # noqa: ANN401
        system = {"system": prompt.system} if prompt.system else {}
        messages = [{"role": "user", "content": prompt.user}]
        found = client.messages.create(model=self.model, max_tokens=self.most_tokens, messages=messages, **system)
        content = getattr(found, "content", None)
        if not isinstance(content, list):  # the SDK does not check what it is sent
            raise ModelFailed(f"a reply that is no message: {found if isinstance(found, str) else ''}")
        texts = [block.text for block in content if getattr(block, "type", "") == "text"]
        stopped = STOPS.get(found.stop_reason or "", OTHER)
        return service.reply(
            texts,
            stopped,
            _reason(found, stopped),
            asked=self.model,
            told=found.model,
            tokens=_tokens(getattr(found, "usage", None)),
            hide=hide,
        )


def _reason(found: Any, stopped: str) -> str:  # noqa: ANN401
    """Why a reply is not whole."""
    if stopped == SAFETY:
        category = getattr(getattr(found, "stop_details", None), "category", None)
        return f"stopped for safety ({category or found.stop_reason})"
    return f"stopped ({found.stop_reason})" if found.stop_reason else "no reason is given why it stopped"


def _tokens(used: Any) -> tuple[int | None, int | None]:  # noqa: ANN401
    """Tokens of the prompt, kept ones among them, and of the reply."""
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    known = [part for name in names if (part := service.count(getattr(used, name, None))) is not None]
    return sum(known) if known else None, service.count(getattr(used, "output_tokens", None))


def _headers() -> list[str]:
    """The values of headers that the SDK is told to send along: they may be secret."""
    lines = os.environ.get("ANTHROPIC_CUSTOM_HEADERS", "").splitlines()
    return [value for line in lines if (value := line.partition(":")[2].strip())]
