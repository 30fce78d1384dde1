"""What is fresh: made from the same inputs, and all that was made is still as it was. Contents count, times do not."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ragkit.files import ROOT, fingerprint, results, write_text

# What holds today is no input: the rows it speaks of do not depend on it.
NO_INPUT = ("baseline.csv",)
INPUTS = (
    *("ragkit/**/*.py", "ragkit/data/*", "corpus/**/*.md", "corpus/**/*.csv", "corpus/**/*.npz", "golden/*.csv"),
    *("golden/status/**/*.md", "golden/status/*.csv"),
    "results/commits/*.csv",
    "requirements.lock",
)


def inputs(*patterns: str) -> str:
    """One fingerprint over everything that results may depend on: code, word lists, corpora, questions, the lock."""
    return fingerprint(*_contents(patterns or INPUTS))


def _contents(patterns: Iterable[str]) -> Iterator[str | bytes]:
    for pattern in patterns:
        for path in sorted(ROOT.glob(pattern)):
            if path.is_file() and not path.name.startswith(".") and path.name not in NO_INPUT:
                yield path.relative_to(ROOT).as_posix()
                yield path.read_bytes()


class Record:
    """What good runs made, by name, kept in results/cache/fresh.json; a file that can not be read says nothing."""

    def __init__(self) -> None:
        self._file = results() / "cache" / "fresh.json"
        state: dict[str, Any]
        try:
            state = dict(json.loads(self._file.read_text("utf-8")))
        except (OSError, ValueError, TypeError, RecursionError):
            state = {}
        self._state = {name: entry for name, entry in state.items() if _is_entry(entry)}

    def is_fresh(self, name: str, key: str) -> bool:
        """Whether `name` was made from the inputs of this key and nothing it made has changed since."""
        entry = self._state.get(name, {})
        return entry.get("key") == key and all(_print(results() / n) == known for n, known in entry["made"].items())

    def said(self, name: str) -> list[str]:
        """What the run that made `name` had to say."""
        return list(self._state.get(name, {}).get("said", ()))

    def keep(self, name: str, key: str, made: Iterable[Path], said: Sequence[str] = ()) -> None:
        """Notes what a good run made, and what it said."""
        prints = {label(path): _print(path) for path in made}
        self._state[name] = {"key": key, "made": prints, "said": list(said)}
        self._write()

    def forget(self, names: Iterable[str]) -> None:
        """Until a new run has succeeded nothing vouches for what lies in the places of the old one."""
        for name in names:
            self._state.pop(name, None)
        self._write()

    def _write(self) -> None:
        write_text(self._file, json.dumps(self._state, indent=1))


def _is_entry(entry: object) -> bool:
    made, said = (entry.get("made"), entry.get("said")) if isinstance(entry, dict) else (None, None)
    return isinstance(made, dict) and isinstance(said, list) and all(isinstance(line, str) for line in said)


def label(path: Path) -> str:
    """A path as seen from the results folder: the same wherever the project lies."""
    return Path(os.path.relpath(path, os.path.realpath(results()))).as_posix()


def _print(path: Path) -> str:
    try:
        return fingerprint(path.read_bytes())
    except OSError:
        return "missing"
