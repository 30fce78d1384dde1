"""Tables for people: rates with their counts and intervals, frames of text with fixed decimals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ragkit.files import results, table, write_text
from ragkit.records import Rate
from ragkit.stats import wilson

if TYPE_CHECKING:
    from pandas import DataFrame

Row = Mapping[str, object]


def rate(value: Rate, of: str = "questions") -> str:
    """Counts first, then Wilson's 95 % interval; `of` is what is counted.

    >>> rate(Rate(5, 6)), rate(Rate(0, 0)), rate(Rate(0, 0, 2), "claims")
    ('5/6 (44-97 %)', 'n/a (0 questions)', 'n/a (0 claims, 2 left out)')
    """
    left = f", {value.left_out} left out" if value.left_out else ""
    if not value.of:
        return f"n/a (0 {of}{left})"
    low, high = wilson(value.hits, value.of)
    return f"{value.hits:g}/{value.of} ({100 * low:.0f}-{100 * high:.0f} %{left})"


def number(value: object, decimals: int = 2) -> str:
    """A cell as text: fixed decimals, `n/a` for what is not defined, yes and no for truth.

    >>> number(1.756), number(float("nan")), number(None), number(True), number(3)
    ('1.76', 'n/a', '', 'yes', '3')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Rate):
        return rate(value)
    if isinstance(value, float):
        return "n/a" if math.isnan(value) else f"{value:.{decimals}f}"
    return str(value)


def texts(rows: Iterable[Row], columns: Sequence[str] = (), *, decimals: int = 2) -> tuple[list[str], list[list[str]]]:
    """The header and the cells of some rows as text, in the order of `columns`, else of the first row."""
    rows = list(rows)
    header = list(columns or (rows[0] if rows else ()))
    return header, [[number(row.get(column), decimals) for column in header] for row in rows]


def keep(rows: Iterable[Row], name: str) -> None:
    """Writes rows as results/tables/<name>.csv."""
    rows = list(rows)
    write_text(results() / "tables" / f"{name}.csv", table(rows, list(rows[0]) if rows else ()))


def frame(rows: Iterable[Row], columns: Sequence[str] = (), *, decimals: int = 2) -> DataFrame:
    """Rows as a data frame of text, which prints whole and the same everywhere."""
    import pandas as pd

    pd.set_option(
        "display.max_colwidth", None, "display.width", 250, "display.max_rows", None, "display.max_columns", None
    )
    header, cells = texts(rows, columns, decimals=decimals)
    shown = pd.DataFrame(cells, columns=header)
    if header:
        shown = shown.set_index(header[0]).rename_axis(index=None, columns=header[0])  # one row of headings, not two
    return shown
