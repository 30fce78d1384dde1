"""Answers of the Gemini API, through google-genai (the extra `models`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ragkit.backends import service
from ragkit.backends.gemini import KEYS, client
from ragkit.generate import EMPTY, END, LENGTH, OTHER, SAFETY, Ask, Prompt, Reply

STOPS = {"STOP": END, "MAX_TOKENS": LENGTH, "CONTINUATION": LENGTH} | dict.fromkeys(
    ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "ESCALATION", "MODEL_ARMOR"), SAFETY
)


@dataclass(frozen=True)
class GeminiText:
    """A text model of Gemini; a reply has at most `most_tokens` tokens, its thoughts among them.

    The key is in GEMINI_API_KEY, else in GOOGLE_API_KEY; GOOGLE_GEMINI_BASE_URL names another address of the service.
    What may pass is tried again (`service.tried`), any other failure is ModelFailed. A reply that was blocked, is empty
    or was cut says so in `stopped`.
    """

    model: str
    most_tokens: int = 8192

    def key(self) -> str:
        return f"gemini {self.model} {self.most_tokens}"

    def load(self) -> Ask:
        opened, hide = client(self.model, service.TEXT_TIMEOUT), service.hiding(service.key(self.model, KEYS))
        return lambda prompt: service.tried(
            lambda: self._asked(opened, prompt, hide), self.model, hide, service.TEXT_TIMEOUT + service.GRACE
        )

    def _asked(self, client: Any, prompt: Prompt, hide: service.Hide) -> Reply:  # noqa: ANN401
        config = {"max_output_tokens": self.most_tokens, "automatic_function_calling": {"disable": True}}
        system = {"system_instruction": prompt.system} if prompt.system else {}
        contents = [{"role": "user", "parts": [{"text": prompt.user}]}]
        found = client.models.generate_content(model=self.model, contents=contents, config=config | system)
        used = found.usage_metadata
        made = _sum(used.candidates_token_count, used.thoughts_token_count) if used else None
        tokens = (service.count(used.prompt_token_count), service.count(made)) if used else (None, None)
        stopped, reason = _end(found)
        return service.reply(
            _texts(found),
            stopped,
            reason,
            asked=self.model,
            told=found.model_version,
            tokens=tokens,
            hide=hide,
        )


def _sum(*counts: int | None) -> int:
    """Tokens that were made; the service leaves a count of zero out."""
    return sum(count or 0 for count in counts)


def _texts(found: Any) -> list[str]:  # noqa: ANN401
    """The texts of the first candidate without its thoughts."""
    content = found.candidates[0].content if found.candidates else None
    return [part.text for part in (content and content.parts) or () if part.text and not part.thought]


def _end(found: Any) -> tuple[str, str]:  # noqa: ANN401
    """Where a reply stopped, and why when it is not whole."""
    blocked = found.prompt_feedback and found.prompt_feedback.block_reason
    if blocked:
        return SAFETY, f"the prompt was blocked ({blocked.value})"
    if not found.candidates:
        return EMPTY, "no candidates"
    reason = found.candidates[0].finish_reason
    stopped = STOPS.get(reason.value, OTHER) if reason else OTHER
    if stopped == SAFETY:
        return stopped, f"stopped for safety ({reason.value})"
    return stopped, f"stopped ({reason.value})" if reason else "no reason is given why it stopped"
