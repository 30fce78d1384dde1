"""What was measured: one row a ratio, shown as a table, kept as CSV, and judged."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.clock import Spent

HEAD = ("what", "ours", "rival", "ratio", "target", "holds", "wall")
NOTE = "Times and ratio are processor time; `wall` is the ratio by the clock, which a busy machine distorts."


@dataclass(frozen=True)
class Row:
    """Our time and that of a rival, by whose ratio the row is judged.

    `faster`: we are to be faster by a factor, rival / ours is at least the target. Else the rival is a floor to stay
    near to: ours / rival is at most the target.
    """

    what: str
    ours: Spent
    rival: Spent
    name: str
    target: float
    faster: bool = True

    @property
    def ratio(self) -> float:
        return self._ratio(self.ours.cpu, self.rival.cpu)

    @property
    def wall(self) -> float:
        return self._ratio(self.ours.wall, self.rival.wall)

    @property
    def holds(self) -> bool:
        return self.ratio >= self.target if self.faster else self.ratio <= self.target

    def cells(self) -> tuple[str, ...]:
        target = f"{'>=' if self.faster else '<='} {self.target:g}"
        rival = f"{shown(self.rival.cpu)}  {self.name}"
        holds = "yes" if self.holds else "NO"
        return self.what, shown(self.ours.cpu), rival, f"{self.ratio:.4g}", target, holds, f"{self.wall:.4g}"

    def _ratio(self, ours: float, rival: float) -> float:
        above, below = (rival, ours) if self.faster else (ours, rival)
        return above / below if below > 0 else math.nan


def shown(seconds: float) -> str:
    """
    >>> shown(0.0000612), shown(0.0215), shown(7.5)
    ('0.061 ms', '21.5 ms', '7.50 s')
    """
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1000:.1f} ms" if seconds >= 0.01 else f"{seconds * 1000:.3f} ms"


def text(rows: Sequence[Row]) -> str:
    lines = [HEAD, *(row.cells() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def write(rows: Sequence[Row], path: Path) -> None:
    """As CSV, all in seconds."""
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(("what", "rival", "ours_cpu", "ours_wall", "rival_cpu", "rival_wall", *HEAD[3:]))
        out.writerows((row.what, row.name, *row.ours, *row.rival, *row.cells()[3:]) for row in rows)


def exit_code(rows: Sequence[Row]) -> int:
    """1 when a target is missed; a ratio that could not be formed counts as missed."""
    return 0 if all(row.holds for row in rows) else 1
