"""`ragkit history` where much is on record beside the same where little is: a comparison reads what it compares."""

from __future__ import annotations

import hashlib
import sys
import tempfile
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from ragkit.commits import Commit, Repo
from ragkit.store import Store
from tests.bench.clock import interleaved
from tests.bench.table import Row
from tests.pasts import append, git, lab

FEW, MANY = 10, 1000
WORDS = ("compare", "gate")
RUN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from ragkit.__main__ import main; main()"  # the package there


def measure(quick: bool = False) -> list[Row]:
    return at(MANY, rounds=5 if quick else 15)


def at(many: int, *, few: int = FEW, rounds: int) -> list[Row]:
    """Whole processes that look at the last two commits, with so many records and with few."""
    with tempfile.TemporaryDirectory() as folder:
        projects = {count: project(Path(folder, str(count)), count) for count in (many, few)}
        rows = []
        for word in WORDS:
            command = ("history", word, "HEAD~1", "HEAD")
            commands = {str(n): [sys.executable, "-c", RUN, str(place), *command] for n, place in projects.items()}
            ours, floor = interleaved(commands, rounds, RAGKIT_RESULTS=folder).values()
            rows.append(
                Row(f"ragkit history {word}, {many:,} records", ours, floor, f"{few} records", 1.5, faster=False)
            )
    return rows


def project(place: Path, records: int) -> Path:
    """This project as a repository of two commits; they have the last of so many records, each of full size."""
    append(lab(place) / "README.md", "more\n")
    git(place, "commit", "-q", "-a", "-m", "more", day=2)
    repo, kept = Repo.of(place), Store(None)
    full, last = kept.read(kept.names()[-1]), repo.commits("HEAD")
    day = datetime.strptime(last[0].date, "%Y%m%dT%H%M%SZ")
    before = [Commit(_digest(n)[:40], f"{day - timedelta(hours=n):%Y%m%dT%H%M%SZ}") for n in range(records - 2, 0, -1)]
    files = {}
    for commit in [*before, *last]:
        prints = {run: {**parts, "code": _digest(commit.sha)[:16]} for run, parts in full.prints.items()}
        made = replace(full, commit=commit, prints=prints)
        files[made.name] = made.text().encode()
    repo.keep(files)
    return place


def _digest(value: object) -> str:
    return hashlib.sha256(str(value).encode()).hexdigest()
