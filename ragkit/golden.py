"""Golden files and the baseline: questions with labels and what holds today, read as text with nothing guessed.

`NA`, `None`, `null` and `007` stay what they are. Whatever is not in the form stops with one line before anything is
scored. In a cell `;` stands between sources and `|` between concepts, facts and forbidden texts.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from ragkit.files import read_text, shown, table, write_text
from ragkit.records import BadInput, Golden

NEEDED = ("id", "question", "answerable", "answer", "source", "category")
OPTIONAL = ("version", "concept", "facts", "forbidden", "must", "rater2", "note")
BASELINE = ("system", "corpus", "golden", "id", "holds")
ALL = "all"  # the category that stands for every row in a table of rates
SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "vertical bars"}

Row = dict[str, str]
Held = dict[tuple[str, str, str], dict[str, bool]]


def read(path: str | Path, *, sections: Collection[str] | None = None) -> list[Golden]:
    """The rows of a golden file in order.

    `sections` are all `file` and `file#anchor` of the corpus; when given, a source outside them is bad input.
    """
    rows: list[Golden] = []
    seen: set[str] = set()
    for place, cells in _table(path, NEEDED, OPTIONAL):
        rows.append(_row(place, cells))
        _check(place, rows[-1], seen)
        if sections is not None:
            _check_sources(place, rows[-1].sources, sections)
        seen.add(rows[-1].id)
    return rows


def header(path: str | Path) -> tuple[str, ...]:
    """The columns of a golden file in its own order, for `write`."""
    return tuple(next(_lines(_text(path), shown(path)))[1])


def write(path: str | Path, rows: Sequence[Golden], *, columns: Sequence[str] = ()) -> None:
    """Reading a file and writing it with its `header` gives the same bytes, but for what is normalised.

    That is: no byte-order mark, LF line ends, quotes only where needed, no blank lines, no spaces around `;` and `|`
    and nothing empty between them, `false` for an empty `must`. Without `columns`: the needed ones and those in use.
    """
    cells = [_cells(row) for row in rows]
    used = [name for name in OPTIONAL if any(row[name] not in ("", "false") for row in cells)]
    write_text(path, table(cells, columns or [*NEEDED, *used]))


def read_baseline(path: str | Path) -> Held:
    """What is known to hold, by (system, corpus, golden) and then by id."""
    held: Held = {}
    for place, cells in _table(path, BASELINE, ()):
        key, name = (cells["system"], cells["corpus"], cells["golden"]), cells["id"]
        for column in BASELINE[:-1]:
            _filled(place, column, cells[column])
        if name in held.setdefault(key, {}):
            raise BadInput(f"{place}: id {name!r} stands twice for {', '.join(key)}; remove one of the rows")
        held[key][name] = _flag(place, "holds", cells["holds"])
    return held


def write_baseline(path: str | Path, held: Mapping[tuple[str, str, str], Mapping[str, bool]]) -> None:
    """The counterpart of `read_baseline`, in the order given."""
    rows = [
        {"system": system, "corpus": corpus, "golden": golden, "id": name, "holds": holds}
        for (system, corpus, golden), ids in held.items()
        for name, holds in ids.items()
    ]
    write_text(path, table(rows, BASELINE))


def _row(place: str, cells: Row) -> Golden:
    return Golden(
        id=cells["id"],
        question=cells["question"],
        answerable=_flag(place, "answerable", cells["answerable"]),
        answer=cells["answer"],
        sources=_parts(cells["source"], ";"),
        category=cells["category"],
        version=cells.get("version", ""),
        concepts=_parts(cells.get("concept", ""), "|"),
        facts=_parts(cells.get("facts", ""), "|"),
        forbidden=_parts(cells.get("forbidden", ""), "|"),
        must=_flag(place, "must", cells.get("must") or "false"),
        rater2=_flag(place, "rater2", cells["rater2"]) if cells.get("rater2") else None,
        note=cells.get("note", ""),
    )


def _cells(row: Golden) -> dict[str, str]:
    """The counterpart of `_row`.

    >>> row = Golden("q1", "How long?", True, sources=("a.md", "b.md#c"))
    >>> _cells(row)["source"], _row("", _cells(row)) == row
    ('a.md;b.md#c', True)
    """
    return {
        "id": row.id,
        "question": row.question,
        "answerable": str(row.answerable).lower(),
        "answer": row.answer,
        "source": ";".join(row.sources),
        "category": row.category,
        "version": row.version,
        "concept": "|".join(row.concepts),
        "facts": "|".join(row.facts),
        "forbidden": "|".join(row.forbidden),
        "must": str(row.must).lower(),
        "rater2": "" if row.rater2 is None else str(row.rater2).lower(),
        "note": row.note,
    }


def _parts(cell: str, separator: str) -> tuple[str, ...]:
    """
    >>> _parts("25 days | 5 years|", "|")
    ('25 days', '5 years')
    """
    return tuple(part for raw in cell.split(separator) if (part := raw.strip()))


def _check(place: str, row: Golden, seen: Collection[str]) -> None:
    _filled(place, "id", row.id)
    _filled(place, "question", row.question)
    if row.id in seen:
        raise BadInput(f"{place}: id {row.id!r} stands in an earlier row too; give each row its own")
    if row.category == ALL:
        raise BadInput(f"{place}: category {ALL!r} names the sum of all categories; use another word")


def _check_sources(place: str, sources: Sequence[str], sections: Collection[str]) -> None:
    for source in sources:
        if source not in sections:
            raise BadInput(f"{place}: source {source!r} is not in the corpus; {_nearest(source, sections)}")


def _nearest(source: str, sections: Collection[str]) -> str:
    """The remedy for a source that does not exist: a heading of the same file before one of another."""
    file = source.partition("#")[0]
    same = [name for name in sections if name.startswith(file + "#")] if file in sections else []
    near = _closest(source, same) or (file if file in sections else _closest(source, sections))
    return f"the nearest is {near!r}" if near else "use a file.md or file.md#anchor of the corpus"


def _filled(place: str, column: str, cell: str) -> None:
    if not cell.strip():
        raise BadInput(f"{place}: {column} is empty; fill it in")


def _flag(place: str, column: str, cell: str) -> bool:
    if cell in ("true", "false"):
        return cell == "true"
    remedy = "write it in small letters" if cell.casefold() in ("true", "false") else "write true or false"
    raise BadInput(f"{place}: {column} must be true or false, is {cell!r}; {remedy}")


def _table(path: str | Path, needed: Sequence[str], optional: Sequence[str]) -> Iterator[tuple[str, Row]]:
    """The place `file:line` of each row, where the row begins, with its cells by column."""
    text, file = _text(path), shown(path)
    known = (*needed, *optional)
    _check_separator(f"{file}:1", text.lstrip("\n").partition("\n")[0], known)
    lines = _lines(text, file)
    first, columns = next(lines)
    _check_header(f"{file}:{first}", columns, needed, known)
    empty = True
    for line, cells in lines:
        if len(cells) != len(columns):
            said = f"{len(cells)} {'cell' if len(cells) == 1 else 'cells'} where the header has {len(columns)}"
            raise BadInput(f"{file}:{line}: {said}; put a cell that holds a comma in quotation marks")
        empty = False
        yield f"{file}:{line}", dict(zip(columns, cells, strict=True))
    if empty:
        raise BadInput(f"{file}:{first}: no rows below the header; add some")


def _text(path: str | Path) -> str:
    text, file = read_text(path), shown(path)
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise BadInput(f"{file}:{line}: holds a NUL byte; save the file as text in UTF-8")
    if not text.strip():
        raise BadInput(f"{file}:1: the file is empty; begin it with a line that names the columns")
    return text


def _lines(text: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """Each row with the line where it begins; blank lines are passed over."""
    reader = csv.reader(io.StringIO(text), strict=True)
    begin = 1
    try:
        for cells in reader:
            if cells:
                yield begin, cells
            begin = reader.line_num + 1
    except csv.Error as error:
        remedy = "close each quotation mark, and write one inside a cell as two"
        raise BadInput(f"{file}:{begin}: the quotation marks do not pair ({error}); {remedy}") from None


def _check_header(place: str, columns: Sequence[str], needed: Sequence[str], known: Sequence[str]) -> None:
    allowed = f"the columns are {','.join(known)}"
    for name, times in Counter(columns).items():
        if not name.strip():
            raise BadInput(f"{place}: column {columns.index(name) + 1} has no name; {allowed}")
        if name not in known:
            near = _closest(name.strip().casefold(), known)
            meant = f" (did you mean {near!r}?)" if near else ""
            raise BadInput(f"{place}: unknown column {name!r}{meant}; {allowed}")
        if times > 1:
            raise BadInput(f"{place}: column {name!r} stands {times} times; keep one")
    if missing := [name for name in needed if name not in columns]:
        raise BadInput(f"{place}: no column {', '.join(map(repr, missing))}; {allowed}")


def _check_separator(place: str, line: str, known: Collection[str]) -> None:
    """Spreadsheets separate as their country writes numbers; told from the first line before it is cut at commas."""
    if line.startswith("sep="):
        raise BadInput(f"{place}: begins with a spreadsheet's 'sep=' line; remove that line and save with commas")
    found = {mark: len({cell.strip(' "') for cell in line.split(mark)} & set(known)) for mark in (",", *SEPARATORS)}
    best = max(found, key=lambda mark: found[mark])
    if best in SEPARATORS and found[best] > found[","]:
        raise BadInput(f"{place}: separated by {SEPARATORS[best]}; save it with commas")


def _closest(name: str, names: Collection[str]) -> str:
    """
    >>> _closest("anwser", NEEDED)
    'answer'
    """
    from difflib import get_close_matches  # only needed once something is wrong

    return next(iter(get_close_matches(name, names, n=1)), "")
