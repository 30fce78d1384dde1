"""Generated examples are the same in every run: no clock, no random start value, nothing kept between runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from ragkit import __main__ as cli
from ragkit import settings as kept
from tests.pasts import git, lab, swap

settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.load_profile("fixed")


@pytest.fixture(autouse=True)
def no_env_file(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What somebody has in a file `.env`, and the model they named, decides nothing here."""
    monkeypatch.delenv("MODEL_PROVIDER", raising=False)
    monkeypatch.setattr(kept, "FILE", tmp_path_factory.getbasetemp() / "no.env")


@pytest.fixture
def ragkit(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """The command line in this process: exit code, output and errors."""

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ragkit", *words])
        try:
            cli.main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        return code, *capsys.readouterr()

    return run


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The work tree as a repository: as it is, another README, another stop list, another golden row."""
    place = lab(tmp_path_factory.mktemp("project") / "lab")
    changes = (
        ("README.md", "# ragkit", "# another"),
        ("ragkit/data/stopwords.csv", "how,", "hoooow,"),
        ("golden/kestrel.csv", "How many days of annual leave do I get?", "How much annual leave do I get?"),
    )
    for day, (name, old, new) in enumerate(changes, 2):
        swap(place / name, old, new)
        git(place, "commit", "-q", "-a", "-m", name, day=day)
    return place
