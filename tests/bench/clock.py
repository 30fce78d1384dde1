"""Time in seconds, of this process and of commands."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Spent(NamedTuple):
    """Processor time, of all threads and ended children, and time by the clock on the wall."""

    cpu: float
    wall: float


class Stopwatch:
    """Times its block: `with Stopwatch() as watch: ...`, then `watch.spent`."""

    def __enter__(self) -> Stopwatch:
        self._start = Spent(time.process_time(), time.perf_counter())
        return self

    def __exit__(self, *error: object) -> None:
        cpu, wall = time.process_time(), time.perf_counter()
        self.spent = Spent(cpu - self._start.cpu, wall - self._start.wall)


def middle(spent: Iterable[Spent]) -> Spent:
    """The median of each clock."""
    return Spent(*map(median, zip(*spent, strict=True)))


def turns(names: Iterable[str], turn: int) -> list[str]:
    """The names in the order of that turn, so that none is always first.

    >>> turns("abc", 1)
    ['b', 'c', 'a']
    """
    order = list(names)
    first = turn % len(order)
    return order[first:] + order[:first]


def interleaved(commands: Mapping[str, Sequence[str]], rounds: int, **extra: str) -> dict[str, Spent]:
    """What each command takes, the median, after one run that is not counted; `extra` are environment variables."""
    spent: dict[str, list[Spent]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name in turns(commands, turn):
            spent[name].append(_run(commands[name], os.environ | extra))
    return {name: middle(values[1:]) for name, values in spent.items()}


def _run(command: Sequence[str], environment: Mapping[str, str]) -> Spent:
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"ended with {process.returncode}: {' '.join(command)}")
    return Spent(used.ru_utime + used.ru_stime, time.perf_counter() - start)
