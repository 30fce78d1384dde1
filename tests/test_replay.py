"""Commits of this project evaluated as they were, in a clone: what is an input, what a kill leaves, what is found.

What marks a tree that is not its commit: tests/cases, c23.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import build
import pytest

from ragkit import replay
from ragkit.commits import Repo
from tests.pasts import append, git, history, lab, swap


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


def files(project: Path) -> dict[str, bytes]:
    repo = Repo.of(project)
    return {name: repo.blob(sha) for name, sha in repo.kept().items()}


@pytest.fixture(scope="module")
def done(project: Path) -> dict[str, bytes]:
    """All four commits evaluated."""
    ran = history(project, "run", "--missing")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return files(project)


def test_every_commit_has_a_record_and_a_second_run_makes_none(project: Path, done: dict[str, bytes]) -> None:
    assert len(done) == 4
    again = history(project, "run", "--missing")
    assert again.stdout.splitlines() == ["4 commits, 4 have a record"] and files(project) == done


def test_nothing_is_left_behind_and_no_file_is_touched(project: Path, done: dict[str, bytes]) -> None:
    assert git(project, "status", "--porcelain") == "" and len(git(project, "worktree", "list").splitlines()) == 1
    assert not list((project / "results" / "cache").glob("history-*"))


def test_a_change_of_what_is_read_changes_the_key_and_no_other_does(done: dict[str, bytes]) -> None:
    first, readme, stops, golden = (name.split("-")[2] for name in sorted(done))
    assert first == readme and len({readme, stops, golden}) == 3


def test_a_change_is_told_as_what_it_is(project: Path, done: dict[str, bytes]) -> None:
    assert "0 broken, 0 mended" in history(project, "compare", "HEAD~3", "HEAD~2").stdout
    cut = history(project, "compare", "HEAD~2", "HEAD~1").stdout
    assert "BROKEN" in cut and "hoooow" not in cut
    assert "not comparable: k01 is another question" in history(project, "compare", "HEAD~1", "HEAD").stdout
    assert [history(project, "gate", f"HEAD~{n}", f"HEAD~{n - 1}").returncode for n in (3, 2, 1)] == [0, 1, 1]


def test_bisect_evaluates_what_has_no_record(project: Path, done: dict[str, bytes], tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(project), "clone")
    broken = next(
        line.split()[1]
        for line in history(project, "compare", "HEAD~2", "HEAD~1").stdout.splitlines()
        if "BROKEN" in line
    )
    found = history(tmp_path / "clone", "bisect", "HEAD~3", "HEAD", "--row", broken)
    assert found.returncode == 0 and "stopwords.csv" in found.stdout, found.stdout + found.stderr


@pytest.mark.parametrize("seed", range(3))
def test_a_run_that_is_killed_is_taken_up_and_ends_with_the_same_files(
    seed: int, project: Path, done: dict[str, bytes], tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", str(project), "clone")
    clone = tmp_path / "clone"
    command = [sys.executable, "-m", "ragkit", "history", "run", "--missing"]
    own = os.environ | {"PYTHONPATH": str(clone), "RAGKIT_RESULTS": "", "RAGKIT_CACHE": ""}
    running = subprocess.Popen(
        command, cwd=clone, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    time.sleep(random.Random(seed).uniform(0.3, 6))
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    assert history(clone, "run", "--missing").returncode == 0
    assert files(clone) == done
    assert git(clone, "status", "--porcelain") == ""


def test_a_commit_from_before_the_harness_or_that_can_not_run_is_told_and_the_others_run(
    project: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", str(project), "clone")
    clone = tmp_path / "clone"
    append(clone / "ragkit/systems.py", "\nraise SystemExit('broken on purpose')\n")
    git(clone, "commit", "-q", "-a", "-m", "broken", day=6)
    git(clone, "rm", "-q", "ragkit/replay.py")
    git(clone, "commit", "-q", "-m", "no harness", day=7)
    git(clone, "checkout", "-q", "--detach", "HEAD~2")
    ran = history(clone, "run", "HEAD~1..main")
    assert ran.returncode == 1
    assert "could not be evaluated: broken on purpose" in ran.stdout and "from before there was a harness" in ran.stdout
    assert ran.stdout.count("done") == 1 and len(files(clone)) == 1


def test_an_environment_is_made_once_for_another_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    monkeypatch.setenv("RAGKIT_RESULTS", str(tmp_path))
    lock, guard = tmp_path / "other.lock", threading.Lock()
    lock.write_text("# nothing at all\n")
    assert replay.environment(build.ROOT / replay.LOCK, guard) == sys.executable
    made = Path(replay.environment(lock, guard))
    assert made.exists() and made != Path(sys.executable)
    before = made.stat().st_ctime_ns
    assert replay.environment(lock, guard) == str(made) and made.stat().st_ctime_ns == before
