"""Evaluates commits as they were: each in a worktree of its own, with the packages of its lock, some at a time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from ragkit import corpus, golden, report, study
from ragkit.commits import Commit, Repo, temporary
from ragkit.files import ROOT, cache, fingerprint, fingerprint_files, read_text, results
from ragkit.fresh import inputs
from ragkit.history import Record, Run, Store, parsed, row_print
from ragkit.models import NotAvailable
from ragkit.records import Outcome
from ragkit.systems import SYSTEMS

HARNESS = "ragkit/replay.py"  # commits before it can not be evaluated by `ragkit history record`
LOCK = "requirements.lock"
# What an evaluation reads. What it writes beside the documents, and what holds today, is no input.
READ = (
    "ragkit",
    "corpus",
    ":(glob)golden/*.csv",
    LOCK,
    ":(exclude,top)**/manifest.json",
    ":(exclude,top)**/baseline.csv",
)


def record(repo: Repo) -> Record:
    """Every system on the golden file of each corpus, of the work tree as it is."""
    runs: dict[Run, tuple[Outcome, ...]] = {}
    rows: dict[tuple[str, str], str] = {}
    prints: dict[Run, dict[str, str]] = {}
    code, lock = inputs("ragkit/**/*.py", "ragkit/data/*"), fingerprint_files([ROOT / LOCK])
    for file in sorted((ROOT / "golden").glob("*.csv")):
        place = ROOT / "corpus" / file.stem
        if not place.is_dir():
            continue
        folder = corpus.read(place)
        rows |= {(file.stem, row.id): row_print(row) for row in golden.read(file)}
        questions = fingerprint(*(part for row in golden.read(file) for part in (row.id, rows[file.stem, row.id])))
        for system in SYSTEMS.values():
            run = _evaluated(system, folder, file)
            if run is None:
                continue
            embed = study.embedding(system)
            runs[run.key] = run.outcomes
            prints[run.key] = {
                "documents": folder.fingerprint, "questions": questions, "settings": fingerprint(repr(system)),
                "code": code, "model": fingerprint(embed.key("query")) if embed else "", "lock": lock,
            }  # fmt: skip
    return Record(repo.commit(), bool(repo.changed(READ)), runs, rows, prints)


def _evaluated(system: study.System, folder: corpus.Folder, file: Path) -> report.Run | None:
    """None where the system needs a model that is not there."""
    try:
        return study.evaluated(system, folder, file)
    except NotAvailable:
        return None


@dataclass(frozen=True, slots=True)
class Replayed:
    """What became of a commit: `told` is empty when a record was made, else why there is none."""

    commit: Commit
    told: str = ""


def missing(store: Store, commits: Sequence[Commit]) -> list[Commit]:
    """The commits that have no record of them as they are."""
    wanted = {commit.short for commit in commits}
    known = {record.commit.short for record in store.clean(store.of(wanted))}
    return [commit for commit in commits if commit.short not in known]


def replay(store: Store, commits: Sequence[Commit], *, jobs: int = 2) -> Iterator[Replayed]:
    """Evaluates commits and files their records, as each is done; what was filed stays whatever happens then."""
    assert store.repo is not None
    lock = threading.Lock()  # git makes and removes one worktree at a time
    with temporary(results() / "cache") as place, ThreadPoolExecutor(jobs) as pool:
        tasks = {pool.submit(_replayed, store.repo, commit, Path(place), lock): commit for commit in commits}
        try:
            for task in as_completed(tasks):
                text, told = task.result()
                if text:
                    record = parsed(text, tasks[task].short)
                    told = store.put({record.name: text})
                yield Replayed(tasks[task], "" if text else told)
        finally:
            for task in tasks:
                task.cancel()


def _replayed(repo: Repo, commit: Commit, place: Path, lock: threading.Lock) -> tuple[str, str]:
    """The text of a record, or why there is none."""
    if not repo.holds(commit.sha, HARNESS):
        return "", "is from before there was a harness"
    tree, out = place / commit.sha, place / f"{commit.sha}.csv"
    with lock:
        checkout = repo.worktree(commit.sha, tree)
        folder = checkout.__enter__()
    try:
        python = environment(folder / LOCK, lock)
        own = {
            "PYTHONPATH": str(folder),
            "RAGKIT_RESULTS": str(place / "results"),
            "RAGKIT_CACHE": str(cache().resolve()),
        }
        command = [python, "-m", "ragkit", "history", "record", "--out", str(out)]
        done = subprocess.run(command, cwd=folder, env=os.environ | own, capture_output=True, text=True)
    finally:
        with lock:
            checkout.__exit__(None, None, None)
    if done.returncode or not out.exists():
        last = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
        return "", f"could not be evaluated: {last[:200]}"
    return read_text(out), ""


def environment(lock: Path, guard: threading.Lock) -> str:
    """A Python with the packages of a lock: this one when the lock is ours, else one made for it and kept."""
    if lock.read_bytes() == (ROOT / LOCK).read_bytes():
        return sys.executable
    place = results() / "cache" / "envs" / fingerprint(lock.read_bytes())
    python, stamp = place / "bin" / "python", place / "complete"
    with guard:
        if not stamp.exists():
            shutil.rmtree(place, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", str(place)], check=True, capture_output=True)
            install = (
                "-m",
                "pip",
                "--disable-pip-version-check",
                "--no-input",
                "--quiet",
                "install",
                "--require-hashes",
            )
            subprocess.run([python, *install, "-r", str(lock)], check=True, capture_output=True)
            stamp.touch()
    return str(python)
