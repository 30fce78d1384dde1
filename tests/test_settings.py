"""Settings: the environment first, then the file `.env` at the project root."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ragkit import settings
from ragkit.backends import service
from ragkit.files import ROOT
from ragkit.models import NotAvailable
from ragkit.records import BadInput
from ragkit.settings import parsed, setting, told
from tests.services import keyless, said


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    keyless(monkeypatch)
    monkeypatch.setattr(settings, "FILE", tmp_path / ".env")
    monkeypatch.chdir(tmp_path)
    return tmp_path / ".env"


def test_the_file_lies_at_the_project_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert settings.FILE == ROOT / ".env"


def test_without_a_file_there_is_the_environment(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert setting("MODEL_PROVIDER") == ""
    monkeypatch.setenv("MODEL_PROVIDER", " gemini ")
    assert setting("MODEL_PROVIDER") == "gemini"


@pytest.mark.parametrize("value", ["gemini", ""])
def test_the_environment_wins_even_with_nothing(file: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    file.write_text("MODEL_PROVIDER=anthropic\n")
    assert setting("MODEL_PROVIDER") == "anthropic"
    monkeypatch.setenv("MODEL_PROVIDER", value)
    assert setting("MODEL_PROVIDER") == value


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=b", "b"),
        ("export A=b", "b"),
        ("  A = b  ", "b"),
        ("A='b c'", "b c"),
        ('A="b # c" # d', "b # c"),
        ("A=b#c", "b#c"),
        ("A=b # c", "b"),
        ("A=", ""),
        ("A= # c", ""),
        ("A=b=c", "b=c"),
        ("A=it's", "it's"),
        ("A=one\nA=two", "two"),
        ("\ufeffA=b\r", "b"),
    ],
)
def test_a_line_gives_its_value(file: Path, line: str, value: str) -> None:
    file.write_text(f"# keys\n\n{line}\n", "utf-8") if not line.startswith("\ufeff") else file.write_text(line, "utf-8")
    assert setting("A") == value


@pytest.mark.parametrize("line", ["AIzaSecret", "A B=AIzaSecret", "=AIzaSecret", "A='AIzaSecret", 'A="AIza" Secret'])
def test_a_line_that_is_none_is_told_without_what_it_holds(file: Path, line: str) -> None:
    file.write_text(f"B=c\n{line}\n")
    assert said(lambda: setting("B"), BadInput) == ".env:2: must be NAME=value, with quotes closed; mend the line"


def test_a_key_of_the_file_is_used(file: Path) -> None:
    file.write_text("GOOGLE_API_KEY=two\n")
    assert service.key("m", ("GEMINI_API_KEY", "GOOGLE_API_KEY")) == "two"
    assert (
        said(lambda: service.key("m", ("ANTHROPIC_API_KEY",)), NotAvailable) == "m needs a key; set ANTHROPIC_API_KEY"
    )


def test_the_example_is_a_file_without_values() -> None:
    names = ["GEMINI_API_KEY", "ANTHROPIC_API_KEY", "MODEL_PROVIDER", "RAG_BACKEND"]
    assert parsed((ROOT / ".env.example").read_text("utf-8"), ".env.example") == dict.fromkeys(names, "")


def test_git_does_not_see_the_file() -> None:
    lines = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    assert ".env" in lines
    if (ROOT / ".git").exists():
        ignored = subprocess.run(["git", "check-ignore", "-q", ".env.example"], cwd=ROOT)
        assert ignored.returncode == 1


@pytest.mark.parametrize(
    ("value", "shown"),
    [("gpt", "gpt"), ("gemini anthropic", "gemini anthropic"), ("AIzaSyB1234567890abc", ""), ("sk-" + "a" * 40, "")],
)
def test_a_value_that_may_be_a_key_is_not_told(value: str, shown: str) -> None:
    assert told(value) == (shown or "(not told, it looks like no name)")
