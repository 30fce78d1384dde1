"""Where a notebook runs: in a process of its own, on a stage from which its files are moved only when the run is good.

The kernel's RAGKIT_RESULTS and working folder lie on the stage, so whatever it writes through ragkit, or by a name
relative to the notebook, can be moved as a whole or thrown away. Not held back is what it writes by an absolute path,
or into another folder that was there before.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import re
import shutil
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from ragkit.files import cache, results, write_text

CELL_SECONDS = 900
COPY_BYTES = 16_000_000  # a larger file beside a notebook is linked to the stage


@dataclass(frozen=True, slots=True)
class Task:
    """A notebook with the parameters of a run and the folder for its stage."""

    notebook: Path
    stage: Path
    parameters: dict[str, object] = field(default_factory=dict)

    @property
    def executed(self) -> Path:
        """The notebook with its outputs, as far as it came."""
        return self.stage / "executed.ipynb"

    @property
    def results(self) -> Path:
        """What RAGKIT_RESULTS names for the kernel."""
        return self.stage / "results"

    @property
    def around(self) -> Path:
        """Stands for the folder that the notebook's folder lies in."""
        return self.stage / "around"

    @property
    def error(self) -> str:
        """Why the run is not good, in a line, or nothing."""
        said = self.stage / "error"
        return said.read_text("utf-8") if said.is_file() else "the process ended before the notebook did"


def play(tasks: Sequence[Task], jobs: int, progress: bool) -> Generator[tuple[Task, float], None, None]:
    """The tasks as they end, with their seconds. When the caller leaves early, what still runs is stopped."""
    waiting, running = deque(tasks), dict[Any, tuple[BaseProcess, Task, float]]()
    context = multiprocessing.get_context()
    if tasks:
        import_papermill()  # once: a forked process has it already
    with _bar(len(tasks), progress) as draw:
        try:
            while waiting or running:
                while waiting and len(running) < max(jobs, 1):
                    process: BaseProcess = context.Process(target=_execute, args=(waiting[0],))
                    process.start()
                    running[process.sentinel] = (process, waiting.popleft(), time.monotonic())
                draw([task.notebook.stem for _, task, _ in running.values()], len(tasks) - len(waiting) - len(running))
                for sentinel in wait(list(running), timeout=0.2):
                    process, task, start = running.pop(sentinel)
                    process.join()
                    yield task, time.monotonic() - start
        finally:
            _stop([process for process, _, _ in running.values()])


def _stop(processes: Sequence[BaseProcess]) -> None:
    """A kernel that is left alone would finish its cell first, and write on a stage that is gone."""
    import psutil

    kernels = []
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            kernels += psutil.Process(process.pid).children(recursive=True)
        process.terminate()
    for process in processes:
        process.join(5)
        if process.is_alive():
            process.kill()
            process.join()
    for kernel in kernels:
        with contextlib.suppress(psutil.NoSuchProcess):
            kernel.kill()
            kernel.wait(5)


@contextlib.contextmanager
def _bar(total: int, progress: bool) -> Iterator[Callable[[Sequence[str], int], None]]:
    """Redrawn by hand: a thread that draws could hold a lock at the moment when a process is forked."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    shown = progress and console.is_terminal
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console, auto_refresh=False, transient=True, disable=not shown) as bar:
        line = bar.add_task("", total=total)
        yield lambda names, ended: bar.update(line, description=", ".join(names), completed=ended, refresh=True)


def import_papermill() -> Any:  # noqa: ANN401 - a module
    """Without rfc3987_syntax, which JupyterLab brings: it compiles a grammar for two seconds in each process."""
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    import papermill

    return papermill


# --- in the process of the notebook ----------------------------------------------------------------------------------


def _execute(task: Task) -> None:
    """Leaves on the stage the executed notebook, a log, and `error`, which is empty after a good run."""
    signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C reaches the parent, which stops this process and its kernel
    task.results.mkdir(parents=True)
    log = os.open(task.stage / "log", os.O_WRONLY | os.O_CREAT)
    os.dup2(log, 1)  # kernels write to the terminal as they start and end, across the progress bar
    os.dup2(log, 2)
    logging.getLogger("papermill").setLevel(logging.ERROR)
    papermill = import_papermill()
    try:
        _set(task)
        kept = str(cache().resolve())
        os.environ.update(RAGKIT_RESULTS=str(task.results), RAGKIT_CACHE=kept, JUPYTER_PREFER_ENV_PATH="1")
        error = _stopped(papermill.execute_notebook(task.notebook, task.executed, **_settings(task)))
    except papermill.PapermillExecutionError as failure:
        error = _in_cell(failure)
    except Exception as failure:  # whatever ends a run is told in a line, and in full in the log
        logging.exception("the run ended early")
        error = f"{type(failure).__name__}: {_first_line(str(failure))}"
    write_text(task.stage / "error", error)


def _settings(task: Task) -> dict[str, Any]:
    """Kernels are reached by files on the stage: two that start at once can be given the same port, and one dies."""
    from traitlets.config import Config

    return {
        "parameters": task.parameters,
        "cwd": task.around / task.notebook.parent.name,
        "kernel_name": "python3",
        "language": "python",
        "progress_bar": False,
        "execution_timeout": CELL_SECONDS,
        "config": Config(KernelManager={"transport": "ipc" if os.name == "posix" else "tcp"}),
    }


def _in_cell(failure: Any) -> str:  # noqa: ANN401 - papermill has no types
    """`cell [3], line 1: ValueError: …`; the line is the one of the cell that the error passed through."""
    traceback = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(failure.traceback))
    place = re.search(r"Cell In\[\d+\], line (\d+)", traceback)
    line = f", line {place[1]}" if place else ""
    return f"cell [{failure.exec_count}]{line}: {_named(failure)}"


def _stopped(notebook: Any) -> str:  # noqa: ANN401 - nbformat has no types
    """papermill takes `sys.exit(0)` for a good end, but the cells below it have not run."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                return f"cell [{cell.execution_count}]: {_named(output)}"
    return ""


def _named(error: Any) -> str:  # noqa: ANN401 - of papermill or of an output
    return f"{error.ename}: {_first_line(error.evalue)}".removesuffix(": ")


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def _set(task: Task) -> None:
    """The surroundings of the notebook, two folders deep: files as copies, folders as links, an own results folder."""
    home = task.notebook.parent
    folder = task.around / home.name
    folder.mkdir(parents=True)
    for entry in (*_visible(home.parent), *_visible(home)):
        place = (task.around if entry.parent == home.parent else folder) / entry.name
        if entry == home:
            continue
        if entry.resolve() == results().resolve():
            place.symlink_to(task.results)
        elif _is_small(entry):
            shutil.copyfile(entry, place)
            os.utime(place, (0, 0))  # a later time tells that the run wrote it
        else:
            place.symlink_to(entry)


def _is_small(entry: Path) -> bool:
    readable = entry.is_file() and os.access(entry, os.R_OK)
    return readable and entry.suffix != ".ipynb" and entry.stat().st_size <= COPY_BYTES


def _visible(folder: Path) -> Iterator[Path]:
    return (entry for entry in folder.iterdir() if not entry.name.startswith((".", "__pycache__")))


# --- after a good run ------------------------------------------------------------------------------------------------


def made(task: Task, apart: Path | None = None) -> Iterator[tuple[Path, Path]]:
    """Each file that the run wrote, and its place: where the notebook meant it, or all in the folder `apart`."""
    yield from _files(task.results, apart or results())
    yield from _files(task.around, apart or task.notebook.parent.parent)


def _files(folder: Path, goal: Path) -> Iterable[tuple[Path, Path]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        hidden = any(part.startswith((".", "__pycache__")) for part in name.parts)
        if not hidden and path.is_file() and not path.is_symlink() and path.stat().st_mtime:
            yield path, goal / name
