"""Records shared over a remote: nothing is lost, nothing broken travels, nothing of others is replaced unasked."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ragkit.commits import REF, Repo
from ragkit.history import Record
from ragkit.records import BadInput
from ragkit.store import Store
from tests.pasts import git, record, repository

Desks = tuple[Store, Store]


@pytest.fixture
def desks(tmp_path: Path) -> Desks:
    """Two clones of one bare repository."""
    repository(tmp_path / "first", 1)
    git(tmp_path, "clone", "-q", "--bare", "first", "hub.git")
    return _clone(tmp_path, "one"), _clone(tmp_path, "other")


def _clone(place: Path, name: str) -> Store:
    git(place, "clone", "-q", "hub.git", name)
    return Store(Repo.of(place / name), place / name / "kept")


def of(sha: str, mark: str = "a") -> Record:
    return record({"y1": mark}, sha=sha * 40)


def marks(store: Store) -> dict[str, str]:
    """The outcome on each commit."""
    records = store.records(store.names())
    return {each.commit.sha[0]: next(iter(each.runs.values()))[0].answer.outcome for each in records}


def test_what_one_pushes_the_other_pulls_and_no_branch_moves(desks: Desks) -> None:
    one, other = desks
    heads = git(one.git.folder, "ls-remote", "--heads", "origin")
    assert one.pull("origin") == (0, []), "nothing is there yet"
    for sha in "ab":
        one.write(of(sha))
    assert one.push("origin") == (2, [])
    assert other.pull("origin") == (2, []) and other.git.kept() == one.git.kept()
    head = git(other.git.folder, "rev-parse", REF)
    assert other.pull("origin") == (0, []) and git(other.git.folder, "rev-parse", REF) == head, "nothing is written"
    assert other.push("origin") == (2, []) and one.push("origin") == (2, [])
    assert git(one.git.folder, "ls-remote", "--heads", "origin") == heads
    assert not git(other.git.folder, "status", "--porcelain")


def test_one_that_differs_is_named_and_stays_on_its_side_unless_asked(desks: Desks, tmp_path: Path) -> None:
    one, other = desks
    one.write(of("a")), one.write(of("b"))
    other.write(of("a", "r")), other.write(of("c"))
    one.push("origin")
    there, told = other.push("origin")
    assert there == 3 and told == [f"{of('a').name}: another one on origin; this one stays here, that one there"]
    assert marks(other) == {"a": "refuse", "b": "answer", "c": "answer"}
    fresh = _clone(tmp_path, "fresh")
    fresh.pull("origin")
    assert marks(fresh) == {"a": "answer", "b": "answer", "c": "answer"}
    other.push("origin", replace=True)
    again = _clone(tmp_path, "again")
    again.pull("origin")
    assert marks(again) == {"a": "refuse", "b": "answer", "c": "answer"}


def test_what_can_not_be_read_does_not_travel_and_is_mended_by_a_sound_one(desks: Desks, tmp_path: Path) -> None:
    one, other = desks
    one.git.keep({of("a").name: b"broken"})
    one.write(of("b"))
    assert one.push("origin") == (1, [f"{of('a').name}: can not be read here; not pushed"])
    git(one.git.folder, "push", "-q", "--force", "origin", f"{REF}:{REF}")
    assert other.pull("origin") == (1, [f"{of('a').name}: can not be read on origin; left there"])
    other.write(of("a"))
    assert other.push("origin")[0] == 2
    fresh = _clone(tmp_path, "fresh")
    assert fresh.pull("origin") == (2, [])


def test_two_that_push_at_once_lose_nothing(desks: Desks, tmp_path: Path) -> None:
    for store, shas in zip(desks, ("abc", "def"), strict=True):
        for sha in shas:
            store.write(of(sha))
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda store: store.push("origin"), desks))
    assert _clone(tmp_path, "fresh").pull("origin") == (6, [])


@pytest.mark.parametrize("remote", ["nowhere", "--upload-pack=x"])
def test_a_remote_that_is_none_is_told(desks: Desks, remote: str) -> None:
    for call in (desks[0].pull, desks[0].push):
        with pytest.raises(BadInput, match=f"git ls-remote: .*{remote}"):
            call(remote)


def test_a_remote_that_refuses_is_told(desks: Desks, tmp_path: Path) -> None:
    hook = tmp_path / "hub.git" / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    desks[0].write(of("a"))
    with pytest.raises(BadInput, match="not today"):
        desks[0].push("origin")
