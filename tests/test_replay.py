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
from ragkit.records import BadInput
from tests.pasts import append, git, history


def files(project: Path) -> dict[str, bytes]:
    repo = Repo.of(project)
    kept = repo.kept()
    return dict(zip(kept, repo.blobs(list(kept.values())), strict=True))


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


def test_the_page_of_two_commits_shows_what_each_of_them_cites(
    project: Path, done: dict[str, bytes], tmp_path: Path
) -> None:
    """With `how` no stop word, `how much` is a question about what no document says."""
    ran = history(project, "compare", "HEAD~2", "HEAD~1", "--html", str(tmp_path / "page.html"))
    assert ran.returncode == 0 and "BROKEN" in ran.stdout, ran.stdout + ran.stderr
    html = (tmp_path / "page.html").read_text("utf-8")
    cards = html.split('<article class="card">')[1:]
    assert len(cards) == ran.stdout.count("BROKEN") + ran.stdout.count("mended ") + ran.stdout.count("other ")
    card = next(card for card in cards if "broken</span>" in card and "must be answered" in card)
    before, now = card.split("<h4>now</h4>")
    assert ".md &gt;" in before.split("<figcaption>")[1] and "&#34;how&#34;" in now and "<blockquote>" not in now
    assert "asked again" not in html.split("<article")[1]
    assert not git(project, "status", "--porcelain") and git(project, "worktree", "list").count("\n") == 0


def test_an_old_commit_on_new_questions_can_be_compared_and_is_marked(project: Path, done: dict[str, bytes]) -> None:
    stopped = history(project, "gate", "HEAD~1", "HEAD")
    assert (stopped.returncode, "k01 is another question, or has another label" in stopped.stdout) == (1, True)
    ran = history(project, "run", "HEAD~1^!", "--questions", "HEAD")
    name = ran.stdout.split()[-1]
    assert ran.returncode == 0 and name.endswith(".csv") and name not in done, ran.stdout + ran.stderr
    passed = history(project, "gate", name, "HEAD")
    assert (passed.returncode, passed.stdout) == (0, "may be merged\n")
    told = history(project, "compare", name, "HEAD").stdout
    assert "30 rows compared" in told and "before: not the commit as it is" in told
    assert history(project, "run", "--missing").stdout.splitlines() == ["4 commits, 4 have a record"]
    git(project, "update-ref", "refs/ragkit/history", "refs/ragkit/history~1")


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


def test_a_commit_without_questions_is_told_and_the_others_run(project: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(project), "clone")
    clone = tmp_path / "clone"
    git(clone, "rm", "-q", "-r", "corpus/kestrel")
    git(clone, "commit", "-q", "-m", "no corpus", day=6)
    ran = history(clone, "run", "HEAD~2..HEAD")
    assert ran.returncode == 1 and ran.stdout.count("done") == 1 and len(files(clone)) == 1
    assert "could not be evaluated: ragkit: nothing to evaluate: no folder of corpus/" in ran.stdout


def test_a_question_over_two_lines_is_asked_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "golden").mkdir()
    (tmp_path / "golden/a.csv").write_bytes(b'id,question\r\n1,"one\ntwo"\r\n')
    monkeypatch.setattr(replay, "ROOT", tmp_path)
    assert replay.questions(Repo(tmp_path, tmp_path), None) == {("a", "1"): "one\ntwo"}


def test_no_model_is_asked_again_whatever_the_settings_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_PROVIDER", "no-such-model")
    wanted = ("passage", "kestrel", "How many days of annual leave do I get?")
    found = replay.asked(Repo(tmp_path, tmp_path), None, [wanted])[wanted]
    assert (found.outcome, found.error) == ("answer", "") and found.citations


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


def test_packages_that_can_not_be_installed_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    monkeypatch.setenv("RAGKIT_RESULTS", str(tmp_path))
    lock = tmp_path / "other.lock"
    lock.write_text("no-such-package-of-any-kind @ file:///nowhere/at/all.whl\n")
    with pytest.raises(BadInput, match=r"the packages of its requirements\.lock can not be installed: ERROR"):
        replay.environment(lock, threading.Lock())
