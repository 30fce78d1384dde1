"""Keeps notebooks and what they make up to date: runs what is not fresh, and puts the files of good runs in place."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import signal
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ragkit.files import fingerprint, results, shown, write_bytes, write_text
from ragkit.fresh import Record, inputs, label
from ragkit.ipynb import FAILED, FRESH, RAN, Run, dumps, joined, normalise, read, tags
from ragkit.parameters import chosen, declared, given, values
from ragkit.records import BadInput
from ragkit.stage import Task, made, play

__all__ = ["FAILED", "FRESH", "RAN", "Run", "given", "normalise", "run"]


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
    cache = results() / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="stage-", ignore_cleanup_errors=True) as stage:
        tasks = [_task(path, Path(stage, str(number)), parameters or {}) for number, path in enumerate(places)]
        record, keys = Record(), _keys(places)
        stale = [task for task in tasks if force or task.parameters or not _is_fresh(task, keys, record)]
        done = {path: Run(path, FRESH) for path in places}
        with contextlib.closing(play(stale, jobs, progress)) as ended:
            record.forget(label(task.notebook) for task in stale if not task.parameters)
            for task, seconds in ended:
                with _ctrl_c_waits():
                    done[task.notebook] = replace(_settle(task), seconds=seconds)
                    if not task.parameters and done[task.notebook].status == RAN:
                        record.keep(label(task.notebook), keys[task.notebook], _made(task))
    return list(done.values())


def _is_fresh(task: Task, keys: Mapping[Path, str], record: Record) -> bool:
    return record.is_fresh(label(task.notebook), keys[task.notebook])


def _task(path: Path, stage: Path, wanted: Mapping[str, object]) -> Task:
    return Task(path, stage, chosen(read(path), wanted, shown(path)))


def _keys(paths: Iterable[Path]) -> dict[Path, str]:
    """For each notebook a fingerprint of its cells and of everything else that its results may depend on."""
    common, keys = inputs(), {}
    for path in paths:
        cells = [[cell["cell_type"], joined(cell["source"]), tags(cell)] for cell in read(path)["cells"]]
        keys[path] = fingerprint(json.dumps(cells), common)
    return keys


def _made(task: Task) -> list[Path]:
    return [task.notebook, *(place for _, place in made(task))]


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
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)
