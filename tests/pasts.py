"""Small git repositories, this project as one of them, and records of commits made by hand."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from ragkit.commits import Commit, Repo
from ragkit.files import ROOT
from ragkit.history import PRINTS, Record, Run, row_print
from ragkit.records import ANSWER, ERROR, REFUSE, Answer, Golden, Outcome, Verdict

NEEDED = ("ragkit", "corpus", "golden", "requirements.lock", "pyproject.toml", "README.md", ".gitignore", "Makefile")
RUN: Run = ("passage", "kestrel", "kestrel")
# What becomes of a row: `a` answered with the key facts, `w` answered without, `r` refused, `e` an error.
MARKS = {"a": (ANSWER, True), "w": (ANSWER, False), "r": (REFUSE, None), "e": (ERROR, None)}


def row(name: str, *, must: bool = False, question: str = "") -> Golden:
    """A golden row; those named with a y are answerable."""
    answerable = "y" in name
    there = ("x",) * answerable
    return Golden(name, question or name, answerable, facts=there, must=must, sources=there)


def outcome(golden: Golden, mark: str, system: str = "passage") -> Outcome:
    did, stated = MARKS[mark]
    verdict = Verdict("unknown-term", "word") if did == REFUSE else Verdict()
    error = "it broke" if did == ERROR else ""
    correct = stated if golden.answerable and did == ANSWER else None
    return Outcome(system, golden, Answer(golden.question, did, verdict=verdict, error=error), correct=correct)


def record(
    marks: Mapping[str, str],
    *,
    sha: str = "a" * 40,
    dirty: bool = False,
    must: str = "",
    asked: Mapping[str, str] = {},
    run: Run = RUN,
    **prints: str,
) -> Record:
    """A record of one run: `marks` gives each row its fate, `asked` another question than its id."""
    rows = {name: row(name, must=name in must.split(), question=asked.get(name, "")) for name in marks}
    outcomes = tuple(outcome(rows[name], mark, run[0]) for name, mark in marks.items())
    about = dict.fromkeys(PRINTS, "0") | prints
    known = {(run[2], name): row_print(rows[name]) for name in rows}
    return Record(Commit(sha, "20260201T090000Z"), dirty, {run: outcomes}, known, {run: about})


def git(folder: Path, *words: str, day: int = 1) -> str:
    date = f"2026-02-{day:02d}T10:00:00+01:00"
    who = {f"GIT_{role}_{part}": "x@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    dates = {f"GIT_{role}_DATE": date for role in ("AUTHOR", "COMMITTER")}
    command = ["git", "-c", "protocol.file.allow=always", *words]
    done = subprocess.run(command, cwd=folder, env=os.environ | who | dates, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def repository(folder: Path, commits: int = 1) -> Repo:
    """A repository whose n-th commit holds `n` in the file `n.txt`."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    for n in range(1, commits + 1):
        (folder / "n.txt").write_text(str(n))
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", f"number {n}", day=n)
    return Repo.of(folder)


def lab(place: Path) -> Path:
    """The work tree of this project, as far as an evaluation of one corpus needs it, as a repository of one commit."""
    place.mkdir(parents=True)
    ignore = shutil.ignore_patterns("__pycache__")
    for name in NEEDED:
        source = ROOT / name
        shutil.copytree(source, place / name, ignore=ignore) if source.is_dir() else shutil.copy(source, place / name)
    for other in (path for path in (place / "corpus").iterdir() if path.name != "kestrel"):
        shutil.rmtree(other)
        for file in (place / "golden").glob(f"{other.name}*.csv"):
            file.unlink()
    git(place, "init", "-q", "-b", "main")
    git(place, "add", "-A")
    git(place, "commit", "-q", "-m", "as it is")
    return place


def history(project: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`ragkit history` of such a project, in a process of its own."""
    command = [sys.executable, "-m", "ragkit", "history", *words]
    own = {"PYTHONPATH": str(project), "RAGKIT_RESULTS": "", "RAGKIT_CACHE": ""}
    return subprocess.run(command, cwd=project, env=os.environ | own | environment, capture_output=True, text=True)


def append(path: Path, text: str) -> None:
    """Text at the end of a file, which is made when there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def swap(path: Path, old: str, new: str) -> None:
    """Another word in a file, once; it has to stand there."""
    text = path.read_text("utf-8")
    assert old in text, f"{path.name}: no {old!r}"
    path.write_text(text.replace(old, new, 1), "utf-8")
