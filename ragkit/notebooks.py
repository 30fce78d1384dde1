"""Keeps notebooks and what they make up to date: runs what is not fresh, and puts the files of good runs in place."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragkit.files import ROOT, fingerprint, results, shown, write_bytes, write_text
from ragkit.ipynb import FAILED, FRESH, RAN, Run, dumps, joined, normalise, problems, read, tags
from ragkit.parameters import chosen, declared, given, values
from ragkit.records import BadInput
from ragkit.stage import Task, made, play

__all__ = ["FAILED", "FRESH", "RAN", "Run", "given", "normalise", "problems", "run"]

INPUTS = ("ragkit/**/*.py", "ragkit/data/**/*", "corpus/**/*", "golden/**/*", "requirements.lock")


def run(
    paths: Iterable[str | Path],
    *,
    jobs: int = 2,
    parameters: Mapping[str, object] | None = None,
    force: bool = False,
    progress: bool = True,
) -> list[Run]:
    """Runs what is not fresh; notebook and results are replaced when every cell succeeded, and else stay as they are.

    With parameters each notebook runs, and what it makes goes to results/runs/, never in the place of committed files.
    """
    places = list(dict.fromkeys(Path(path).resolve() for path in paths))
    record = results() / "cache" / "fresh.json"
    record.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=record.parent, prefix="stage-", ignore_cleanup_errors=True) as stage:
        tasks = [_task(path, Path(stage, str(number)), parameters or {}) for number, path in enumerate(places)]
        state, keys = _load(record), _keys(places)
        stale = [task for task in tasks if force or task.parameters or not _is_fresh(task.notebook, keys, state)]
        done = {path: Run(path, FRESH) for path in places}
        with contextlib.closing(play(stale, jobs, progress)) as ended:
            _forget(stale, state, record)
            for task, seconds in ended:
                with _ctrl_c_waits():
                    done[task.notebook] = replace(_settle(task), seconds=seconds)
                    if not task.parameters and done[task.notebook].status == RAN:
                        state[_name(task.notebook)] = {"key": keys[task.notebook], "made": _prints(task)}
                        write_text(record, json.dumps(state, indent=1))
    return list(done.values())


def _task(path: Path, stage: Path, wanted: Mapping[str, object]) -> Task:
    return Task(path, stage, chosen(read(path), wanted, shown(path)))


# --- what is fresh ---------------------------------------------------------------------------------------------------


def _keys(paths: Iterable[Path]) -> dict[Path, str]:
    """For each notebook a fingerprint of its cells and of everything else that its results may depend on."""
    inputs = fingerprint(*_inputs())
    keys = {}
    for path in paths:
        cells = [[cell["cell_type"], joined(cell["source"]), tags(cell)] for cell in read(path)["cells"]]
        keys[path] = fingerprint(json.dumps(cells), inputs)
    return keys


def _inputs() -> Iterator[str | bytes]:
    """Names and contents; times do not count."""
    for pattern in INPUTS:
        for path in sorted(ROOT.glob(pattern)):
            if path.is_file() and not path.name.startswith("."):
                yield path.relative_to(ROOT).as_posix()
                yield path.read_bytes()


def _load(record: Path) -> dict[str, Any]:
    """What good runs made, by notebook. A file that can not be read says that nothing is fresh."""
    try:
        return dict(json.loads(record.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return {}


def _is_fresh(path: Path, keys: Mapping[Path, str], state: Mapping[str, Any]) -> bool:
    """Made from the same inputs, and everything that was made is still as it was."""
    entry = state.get(_name(path), {})
    return entry.get("key") == keys[path] and all(_print(results() / n) == known for n, known in entry["made"].items())


def _forget(tasks: Iterable[Task], state: dict[str, Any], record: Path) -> None:
    """Until the new run has succeeded nothing vouches for what lies in the places of the old one."""
    for task in tasks:
        if not task.parameters:
            state.pop(_name(task.notebook), None)
    write_text(record, json.dumps(state, indent=1))


def _name(path: Path) -> str:
    return Path(os.path.relpath(path, results().resolve())).as_posix()


def _print(path: Path) -> str:
    return fingerprint(path.read_bytes()) if path.is_file() else "missing"


def _prints(task: Task) -> dict[str, str]:
    places = [task.notebook, *(place for _, place in made(task))]
    return {_name(place): _print(place) for place in places}


# --- after a run -----------------------------------------------------------------------------------------------------


def _settle(task: Task) -> Run:
    """Moves the files of a good run into their places; of another only the executed notebook is kept, to look into."""
    variant = _variant(task)
    runs = results() / "runs"
    failed = runs / f"{variant}--failed.ipynb"
    failed.unlink(missing_ok=True)
    if task.error:
        kept = ""
        with contextlib.suppress(BadInput):  # a run that ended before its first cell leaves none
            write_text(failed, dumps(normalise(read(task.executed))))
            kept = f"; see {shown(failed)}"
        return Run(task.notebook, FAILED, f"{shown(task.notebook)}: {task.error}{kept}")
    in_force = values(declared(read(task.notebook), shown(task.notebook))) | task.parameters
    apart = runs / variant if task.parameters else None
    if apart:
        shutil.rmtree(apart, ignore_errors=True)
        write_text(apart / "parameters.json", json.dumps(in_force, indent=1) + "\n")
    for staged, place in made(task, apart):
        write_bytes(place, staged.read_bytes())
    notebook = normalise(read(task.executed))
    notebook["metadata"]["ragkit"] = {"parameters": in_force}
    place = runs / f"{variant}.ipynb" if task.parameters else task.notebook
    write_text(place, dumps(notebook))  # last, so that it never tells of results that are not there yet
    return Run(task.notebook, RAN, shown(place))


def _variant(task: Task) -> str:
    """`01_toy--top_k=5`; where a file name can not tell all the parameters, a fingerprint keeps it apart."""
    if not task.parameters:
        return task.notebook.stem
    told = ",".join(f"{name}={value}" for name, value in task.parameters.items())
    safe = re.sub(r"[^\w.,=+-]+", "_", told)[:80]
    return f"{task.notebook.stem}--{safe}" + ("" if safe == told else f"-{fingerprint(told)[:6]}")


@contextlib.contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Holds an interrupt back until the files of a run stand in their places."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)
