"""What is on record of the commits that a command names, made where that is asked for."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

from ragkit import replay, trend
from ragkit.commits import Commit
from ragkit.culprit import Found
from ragkit.evaluate import held
from ragkit.files import read_text
from ragkit.history import Record, Run, parsed
from ragkit.records import BadInput
from ragkit.store import Store

HERE = "."  # names the work tree as it is


def pair(store: Store, before: str, after: str) -> tuple[Record, Record]:
    """The records of two sides; of several of a commit those on the same questions, else the last."""
    pairs = list(itertools.product(records(store, before), records(store, after)))
    return max(reversed(pairs), key=lambda pair: len(_asked(pair[0]) & _asked(pair[1])))


def _asked(record: Record) -> set[tuple[str, ...]]:
    return {(*run, prints["questions"]) for run, prints in record.prints.items()}


def records(store: Store, name: str) -> list[Record]:
    """The records of a commit, of the work tree as it is, or of a file."""
    if name == HERE:
        return [parsed(replay.record(store.git).text(), "the work tree")]  # as far as a record is kept
    if name.endswith(".csv"):
        on_ref = store.repo is not None and name in store.repo.kept()
        if store.repo and not on_ref and not Path(name).exists():
            raise BadInput(f"{name}: no record of that name on the ref; name a file by its path")
        return [store.read(name) if on_ref else parsed(read_text(name), name)]
    return of(store, name)


def of(store: Store, name: str) -> list[Record]:
    """The records of a commit as it is."""
    commit = store.git.commit(name)
    clean = store.clean(store.of([commit.short]))
    if not clean:
        raise BadInput(f"no record of {commit.short}; make it with ragkit history run {commit.short}^!")
    return clean


def questions(store: Store, name: str) -> dict[tuple[str, str], str]:
    """The questions of a side by golden file and id, none where there is no git to ask."""
    if store.repo is None or name.endswith(".csv"):
        return {}
    return replay.questions(store.repo, None if name == HERE else store.repo.commit(name))


def judge(
    store: Store, asked: tuple[str, str], row: str, metric: str, ends: tuple[Commit, Commit]
) -> Callable[[str], bool | None]:
    """Whether a commit is bad, None where that can not be told: its record is taken from the store, else made.

    `asked` are a system and a golden file. A row is judged where it is the same as at the bad end, which is evaluated
    at once; of the good end a record is looked at where there is one, and none is made.
    """
    if bool(row) == bool(metric):
        raise BadInput("history bisect: name one of --row ID and --metric NAME")

    def found(sha: str) -> tuple[Record, Run] | None:
        commit = store.git.commit(sha)
        wanted = replay.missing(store, [commit])
        told = [each.told for each in replay.replay(store, wanted) if not each.name] if wanted else []
        if told and sha == ends[1].sha:
            raise BadInput(f"{commit.short}: {told[0]}; name another commit")
        records = store.clean(store.of([commit.short]))[-1:]
        return next(((record, run) for record in records for run in record.runs if run[::2] == asked), None)

    good = "" if replay.missing(store, ends[:1]) else ends[0].sha
    if metric:
        return trend.worse(metric, found, good, ends[1].sha)

    def broken(sha: str, like: str = "") -> tuple[str, bool | None]:
        record, run = found(sha) or (None, None)
        outcome = {o.golden.id: o for o in record.runs[run]}.get(row) if record and run else None
        label = record.rows[run[2], row] if record and run and outcome else ""
        return label, None if outcome is None or (like and label != like) else not held(outcome)

    label, bad = broken(ends[1].sha)
    if not bad:
        state = "is not there" if bad is None else "holds"
        raise BadInput(f"row {row!r} of {' on '.join(asked)}: {state} at {ends[1].short}; name another row or commit")
    if good and broken(good, label)[1]:
        raise BadInput(f"row {row!r}: does not hold at {ends[0].short} either; name an earlier commit")
    return lambda sha: broken(sha, label)[1]


def caveat(store: Store, found: Found, good: Commit) -> str:
    """What a search that met no good commit leaves open, when the good end has no record either."""
    if found.met_good or not replay.missing(store, [good]):
        return ""
    return (
        f"{good.short} was not looked at, it may have been so already; ragkit history run {good.short}^! and look again"
    )
