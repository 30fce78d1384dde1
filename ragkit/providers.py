"""The language models that can be named, with a default model of each, and which of them was."""

from __future__ import annotations

from collections.abc import Callable

from ragkit.generate import Generate, Recorded
from ragkit.records import BadInput
from ragkit.settings import setting, told

VARIABLE = "MODEL_PROVIDER"


def _gemini() -> Generate:
    from ragkit.backends.gemini_text import GeminiText

    return GeminiText("gemini-3.8-flash")


def _anthropic() -> Generate:
    from ragkit.backends.claude import Claude

    return Claude("claude-haiku-5-5")


PROVIDERS: dict[str, Callable[[], Generate]] = {"gemini": _gemini, "anthropic": _anthropic}


def named(name: str = "", *, replay_only: bool = False) -> Recorded | None:
    """The recorded model of that name, else of MODEL_PROVIDER; None when neither names one: then no model is asked.

    BadInput for an unknown name, with the known ones. No SDK is imported and no key is needed before a prompt that was
    never recorded.
    """
    asked = name.strip() or setting(VARIABLE)
    if not asked:
        return None
    if asked not in PROVIDERS:
        place = f"model {told(asked)!r}" if name.strip() else f"{VARIABLE}={told(asked)}"
        raise BadInput(f"{place}: unknown; use one of {', '.join(PROVIDERS)}")
    return Recorded(PROVIDERS[asked](), replay_only)
