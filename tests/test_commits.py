"""Git as the history needs it, in repositories of every shape."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ragkit.commits import REF, Repo
from ragkit.records import BadInput
from tests.pasts import git, repository


def test_a_commit_is_known_by_any_name_and_its_date_is_in_utc(tmp_path: Path) -> None:
    repo = repository(tmp_path, 2)
    found = repo.commit("HEAD~1")
    assert (found.sha, found.date) == (git(tmp_path, "rev-parse", "HEAD~1"), "20260201T090000Z")
    assert found.short == found.sha[:12]


@pytest.mark.parametrize("name", ["nowhere", "", "--all", "-x", "HEAD:n.txt", "a b"])
def test_what_is_no_commit_is_told(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="commit"):
        repository(tmp_path).commit(name)


def test_commits_come_parents_first_with_merges(tmp_path: Path) -> None:
    repo = repository(tmp_path, 2)
    git(tmp_path, "checkout", "-q", "-b", "side", "HEAD~1")
    (tmp_path / "side.txt").write_text("x")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "side", day=5)
    git(tmp_path, "checkout", "-q", "main")
    git(tmp_path, "merge", "-q", "--no-ff", "-m", "both", "side", day=6)
    order = [each.sha for each in repo.commits("HEAD")]
    parents = repo.parents("HEAD")
    assert len(order) == 4 and order[-1] == repo.commit().sha and len(parents[order[-1]]) == 2
    assert all(order.index(parent) < order.index(sha) for sha in order for parent in parents[sha])


def test_no_git_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="in no git repository"):
        Repo.of(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInput, match="git is not installed"):
        Repo.of(tmp_path)


def test_a_repository_without_a_commit_is_told(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    with pytest.raises(BadInput, match="HEAD"):
        Repo.of(tmp_path).commit()


def test_a_shallow_clone_says_so(tmp_path: Path) -> None:
    repository(tmp_path / "whole", 3)
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{tmp_path}/whole", "part")
    part = Repo.of(tmp_path / "part")
    assert part.commit().date == "20260203T090000Z" and len(part.commits("HEAD")) == 1
    with pytest.raises(BadInput, match="shallow: git fetch --unshallow"):
        part.commit("HEAD~1")


def detached(tmp_path: Path) -> Path:
    repository(tmp_path / "a", 2)
    git(tmp_path / "a", "checkout", "-q", "--detach", "HEAD~1")
    return tmp_path / "a"


def a_worktree(tmp_path: Path) -> Path:
    repository(tmp_path / "a", 2)
    git(tmp_path / "a", "worktree", "add", "-q", "--detach", "../b", "HEAD~1")
    return tmp_path / "b"


def a_submodule(tmp_path: Path) -> Path:
    repository(tmp_path / "inner", 1)
    repository(tmp_path / "outer", 1)
    git(tmp_path / "outer", "submodule", "add", "-q", f"file://{tmp_path}/inner", "sub")
    return tmp_path / "outer" / "sub"


@pytest.mark.parametrize("made", [detached, a_worktree, a_submodule])
def test_any_checkout_has_its_commit_a_worktree_and_a_ref(made: object, tmp_path: Path) -> None:
    repo = Repo.of(made(tmp_path))  # type: ignore[operator]
    assert repo.commit().date == "20260201T090000Z" and repo.changed(["."]) == []
    with repo.worktree("HEAD", tmp_path / "tree") as folder:
        assert (folder / "n.txt").read_text() == "1"
    repo.keep({"a.csv": b"1"})
    assert repo.blobs([repo.kept()["a.csv"]]) == [b"1"]


def test_a_folder_inside_a_repository_has_its_own_paths(tmp_path: Path) -> None:
    repository(tmp_path, 1)
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "x.txt").write_text("x")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "lab", day=2)
    repo = Repo.of(tmp_path / "lab")
    assert repo.holds("HEAD", "x.txt") and not repo.holds("HEAD~1", "x.txt") and repo.file("HEAD", "x.txt") == b"x"
    with repo.worktree("HEAD", tmp_path.parent / f"{tmp_path.name}-tree") as folder:
        assert [path.name for path in folder.iterdir()] == ["x.txt"]


def test_changed_files_and_unknown_ones_are_found_below_the_paths_only(tmp_path: Path) -> None:
    repo = repository(tmp_path, 1)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "new file.txt").write_text("x")
    (tmp_path / "n.txt").write_text("other")
    assert repo.changed(["in"]) == ["in/new file.txt"] and sorted(repo.changed(["."])) == ["in/new file.txt", "n.txt"]
    assert repo.changed([".", ":(exclude)n.txt"]) == ["in/new file.txt"]


def test_a_worktree_goes_with_its_block_whatever_happens(tmp_path: Path) -> None:
    repo, place = repository(tmp_path / "a", 1), tmp_path / "tree"
    place.mkdir()
    (place / "left over").touch()
    with pytest.raises(RuntimeError), repo.worktree("HEAD", place):
        assert not (place / "left over").exists()
        raise RuntimeError
    assert not place.exists() and git(tmp_path / "a", "worktree", "list").count("\n") == 0


def test_what_is_ignored_counts_only_where_it_may_be_read(tmp_path: Path) -> None:
    repo = repository(tmp_path, 1)
    (tmp_path / ".gitignore").write_text(".venv*\n*.draft.md\n__pycache__/\n.gitignore\n")
    for name in (".venv/x.py", "corpus/__pycache__/x.pyc", "corpus/a.draft.md", "elsewhere/b.draft.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert repo.changed(["corpus", ":(exclude,top)**/manifest.json"]) == ["corpus/a.draft.md"]


def test_hooks_of_the_user_do_not_run_in_worktrees(tmp_path: Path) -> None:
    repo = repository(tmp_path / "a", 1)
    (tmp_path / "post-checkout").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "post-checkout").chmod(0o755)
    git(tmp_path / "a", "config", "core.hooksPath", str(tmp_path))
    with repo.worktree("HEAD", tmp_path / "tree") as folder:
        assert (folder / "n.txt").exists()


def test_worktrees_that_a_kill_left_half_made_are_forgotten_and_no_others(tmp_path: Path) -> None:
    repo = repository(tmp_path / "a", 1)
    for name in ("cache/gone", "cache/there", "elsewhere"):
        git(tmp_path / "a", "worktree", "add", "-q", "--detach", "--lock", str(tmp_path / name))
    for name in ("cache/gone", "elsewhere"):
        shutil.rmtree(tmp_path / name)
    repo.forget(tmp_path / "cache")
    left = git(tmp_path / "a", "worktree", "list", "--porcelain")
    assert "gone" not in left and "cache/there" in left and "elsewhere" in left


def test_the_ref_touches_no_branch_no_index_and_no_file(tmp_path: Path) -> None:
    repo = repository(tmp_path, 1)
    (tmp_path / "n.txt").write_text("mine")
    git(tmp_path, "add", "-A")
    before = git(tmp_path, "status", "--porcelain"), git(tmp_path, "rev-parse", "HEAD"), git(tmp_path, "branch")
    repo.keep({"a.csv": b"1", "b.csv": b"2"})
    repo.keep({"b.csv": b"3"})
    after = git(tmp_path, "status", "--porcelain"), git(tmp_path, "rev-parse", "HEAD"), git(tmp_path, "branch")
    assert after == before
    kept = repo.kept()
    assert dict(zip(kept, repo.blobs(list(kept.values())), strict=True)) == {"a.csv": b"1", "b.csv": b"3"}
    assert git(tmp_path, "rev-list", "--count", REF) == "2"


def test_many_writers_lose_nothing(tmp_path: Path) -> None:
    repo = repository(tmp_path, 1)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: repo.keep({f"{n}.csv": b"x"}), range(12)))
    assert sorted(repo.kept()) == sorted(f"{n}.csv" for n in range(12))
