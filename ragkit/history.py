"""What evaluations of commits gave, one file a run: a line a system and question, counts and no fractions.

A file is named for its commit and for what went into it, `20260201T090000Z-a1f0c22b9d3e-1f2e3d4c.csv`; the same inputs
have the same name. A later measurement takes the place of an earlier one, and of others of the same commit as it is on
the same questions; what was replaced stays in the history of the ref.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ragkit.commits import Commit
from ragkit.files import ROOT, cell, fingerprint, table
from ragkit.metrics import faithful
from ragkit.records import ANSWER, Answer, BadInput, Chunk, Citation, Golden, Hit, Outcome, Ranking, Verdict

KEPT = ROOT / "results" / "commits"
PRINTS = ("documents", "questions", "settings", "code", "model", "lock")
COLUMNS = (
    "commit", "date", "dirty", "system", "corpus", "golden", "id", "row", "category", "answerable", "must", "facts",
    "concepts", "sources", "outcome", "gate", "concept", "cites", "claims", "supported", "found", "rank", "correct",
    "reason_right", "error", *PRINTS, "version", "version_correct", "cites_line", "check",
)  # fmt: skip
ADDED = ("version", "version_correct", "cites_line")  # older records have no such columns: there they are not judged
NAME = re.compile(r"(\d{8}T\d{6}Z)-([0-9a-f]{12})-([0-9a-f]{8})\.csv")
MOST = 10_000  # citations of an answer that a record can tell of
SOME = Chunk("kept", "kept.md", "kept")  # stands for a passage or a quote, whose text is not kept

Run = tuple[str, str, str]  # system, corpus, golden


@dataclass(frozen=True)
class Record:
    """One evaluation of a commit: the outcomes of each system on each golden file, as far as they are kept.

    `rows` has the fingerprint of each golden row, `prints` what went into each run. It is written with the `columns` it
    was read with.
    """

    commit: Commit
    dirty: bool
    runs: Mapping[Run, tuple[Outcome, ...]]
    rows: Mapping[tuple[str, str], str]
    prints: Mapping[Run, Mapping[str, str]]
    columns: tuple[str, ...] = COLUMNS

    @property
    def name(self) -> str:
        return f"{self.commit.date}-{self.commit.short}-{self._key()}.csv"

    def _key(self) -> str:
        """Eight digits over everything that went into the runs: other inputs, another key."""
        parts = [str(self.dirty)]
        for run in sorted(self.runs):
            labels = sorted((o.golden.id, o.golden.category, str(o.golden.must)) for o in self.runs[run])
            parts += [*run, *map(self.prints[run].__getitem__, PRINTS), *itertools.chain(*labels)]
        return fingerprint(*parts)[:8]

    def text(self) -> str:
        """The record as the text of its file."""
        return table(list(self._lines()), self.columns)

    def _lines(self) -> Iterator[dict[str, object]]:
        for run, outcomes in self.runs.items():
            about = dict(zip(("system", "corpus", "golden"), run, strict=True))
            head = {"commit": self.commit.sha, "date": self.commit.date, "dirty": self.dirty, **about}
            for outcome in outcomes:
                row = {"row": self.rows[run[2], outcome.golden.id]}
                cells = head | row | _cells(outcome) | dict(self.prints[run])
                cells = {name: value for name, value in cells.items() if name in self.columns}
                yield cells | {"check": _check({name: cell(value) for name, value in cells.items()})}


def _check(cells: Mapping[str, str]) -> str:
    """The check sum of a line."""
    return fingerprint(*(cells[name] for name in COLUMNS if name != "check" and name in cells))


def row_print(row: Golden) -> str:
    """The fingerprint of a golden row: its label and all that it is judged by, the note and `must` left out."""
    parts = (row.sources, row.concepts, row.facts, row.forbidden)
    return fingerprint(row.question, str(row.answerable), row.version, *("\n".join(part) for part in parts))


def _cells(outcome: Outcome) -> dict[str, object]:
    row, answer = outcome.golden, outcome.answer
    sources = len(set(row.sources))
    supported = faithful(outcome)
    return {
        "id": row.id, "category": row.category, "answerable": row.answerable, "must": row.must,
        "facts": len(row.facts), "concepts": len(row.concepts), "sources": sources, "outcome": answer.outcome,
        "gate": answer.verdict.gate, "concept": answer.verdict.concept, "cites": len(answer.citations),
        "claims": outcome.claims, "supported": None if supported is None else round(supported * outcome.claims),
        "found": None if outcome.recall is None else round(outcome.recall * sources), "rank": outcome.rank,
        "correct": outcome.correct, "reason_right": outcome.reason_right, "error": " ".join(answer.error.split()),
        "version": row.version, "version_correct": outcome.version_correct, "cites_line": outcome.cites_line,
    }  # fmt: skip


def parsed(text: str, name: str, *, fresh: bool = False) -> Record:
    """The record of a file; BadInput with the place when it is none. A `fresh` one comes from the code of some commit,
    which may write no check sums."""
    runs: dict[Run, list[Outcome]] = {}
    prints: dict[Run, dict[str, str]] = {}
    try:
        rows = list(csv.DictReader(text.splitlines(), restkey="more", strict=True))
        needed = set(COLUMNS[:-1] if fresh else COLUMNS) - set(ADDED)
        if not rows or not needed <= set(rows[0]):
            raise BadInput(f"{name}: is no record of a commit, or one without a row{_remedy(name)}")
        for cells in rows:
            if (not fresh and cells["check"] != _check(cells)) or any(
                cells[name] != rows[0][name] for name in COLUMNS[:3]
            ):
                raise ValueError
            run = cells["system"], cells["corpus"], cells["golden"]
            runs.setdefault(run, []).append(_outcome(cells))
            prints[run] = {each: cells[each] for each in PRINTS}
    except csv.Error as error:
        raise BadInput(f"{name}: {error}{_remedy(name)}") from None
    except (ValueError, TypeError, ZeroDivisionError):
        line = sum(map(len, runs.values())) + 2
        raise BadInput(f"{name}:{line}: a cell that is not as it was written{_remedy(name)}") from None
    rows_by_id = {(cells["golden"], cells["id"]): cells["row"] for cells in rows}
    commit = Commit(rows[0]["commit"], rows[0]["date"])
    kept, columns = (
        {run: tuple(o) for run, o in runs.items()},
        tuple(n for n in COLUMNS if n == "check" or n in rows[0]),
    )
    found = Record(commit, rows[0]["dirty"] == "true", kept, rows_by_id, prints, columns)
    if NAME.fullmatch(Path(name).name) and found.name != Path(name).name:
        raise BadInput(f"{name}: is not named for what is in it, or not whole{_remedy(name)}")
    return found


def _remedy(name: str) -> str:
    short = short_of(Path(name).name)
    return (f"; make it anew: ragkit history run {short}^!" if short else "") + (
        "; remove the file" if "/" in name else f"; take it away: ragkit history forget {name}"
    )


def _outcome(cells: Mapping[str, str]) -> Outcome:
    """An outcome as far as it is kept; texts that are not kept stand as placeholders, so that it can be counted."""
    sources, found, cites = int(cells["sources"]), cells["found"], int(cells["cites"])
    if not (
        0 <= int(found or 0) <= sources and 0 <= int(cells["supported"] or 0) <= int(cells["claims"]) and cites < MOST
    ):
        raise ValueError
    golden = Golden(
        cells["id"], "", _flag(cells["answerable"]), category=cells["category"], must=_flag(cells["must"]),
        sources=tuple(map(str, range(sources))), facts=("kept",) * int(cells["facts"]),
        concepts=("kept",) * int(cells["concepts"]), version=cells.get("version", ""),
    )  # fmt: skip
    answer = Answer(
        "", cells["outcome"], citations=(Citation(SOME, "kept", 1),) * cites, error=cells["error"],
        verdict=Verdict(cells["gate"], cells["concept"]),
        ranking=Ranking("", (Hit(SOME, 1.0),) if cells["outcome"] == ANSWER else ()),
    )  # fmt: skip
    return Outcome(
        cells["system"], golden, answer, int(cells["claims"]), int(cells["supported"] or 0),
        int(cells["rank"]) if cells["rank"] else None, int(found) / sources if found else None,
        _maybe(cells["correct"]), _maybe(cells["reason_right"]),
        version_correct=_maybe(cells.get("version_correct", "")), cites_line=_maybe(cells.get("cites_line", "")),
    )  # fmt: skip


def _flag(cell: str) -> bool:
    if cell not in ("true", "false"):
        raise ValueError(cell)
    return cell == "true"


def _maybe(cell: str) -> bool | None:
    return _flag(cell) if cell else None


def short_of(name: str) -> str:
    """The first 12 digits of the commit that a record is named for, empty when it is no such name."""
    found = NAME.fullmatch(name)
    return found[2] if found else ""
