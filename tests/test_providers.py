"""Which language model was named, if any."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragkit import providers, settings
from ragkit.backends.claude import Claude
from ragkit.backends.gemini_text import GeminiText
from ragkit.generate import Prompt, Recorded
from ragkit.models import NotAvailable
from ragkit.records import BadInput
from tests.services import keyless, said

GEMINI, CLAUDE = Recorded(GeminiText("gemini-3.8-flash")), Recorded(Claude("claude-haiku-5-5"))


@pytest.fixture(autouse=True)
def no_names(monkeypatch: pytest.MonkeyPatch) -> None:
    keyless(monkeypatch)


def test_no_model_is_asked_unless_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "a-key-alone-names-no-model")
    assert providers.named() is None


@pytest.mark.parametrize(("name", "choice"), [("gemini", GEMINI), ("anthropic", CLAUDE)])
def test_a_model_by_name(monkeypatch: pytest.MonkeyPatch, name: str, choice: Recorded) -> None:
    assert providers.named(name) == choice
    monkeypatch.setenv("MODEL_PROVIDER", name)
    assert providers.named() == choice


def test_the_name_that_is_given_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_PROVIDER", "anthropic")
    assert providers.named("gemini") == GEMINI


def test_a_name_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("MODEL_PROVIDER=anthropic\n")
    monkeypatch.setattr(settings, "FILE", tmp_path / ".env")
    assert providers.named() == CLAUDE


@pytest.mark.parametrize("name", ["gpt", "Gemini", "gemini anthropic"])
def test_an_unknown_name_is_bad_input_with_the_known_ones(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    told = said(lambda: providers.named(name), BadInput)
    assert told == f"model {name!r}: unknown; use one of gemini, anthropic"
    monkeypatch.setenv("MODEL_PROVIDER", name)
    assert said(providers.named, BadInput) == f"MODEL_PROVIDER={name}: unknown; use one of gemini, anthropic"


def test_replaying_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGKIT_CACHE", str(tmp_path))
    monkeypatch.setenv("GEMINI_API_KEY", "a-key")
    choice = providers.named("gemini", replay_only=True)
    assert choice == Recorded(GEMINI.generate, True)
    assert "was never recorded" in said(lambda: choice.load()(Prompt("", "Tide?")), NotAvailable)
