"""What evaluations of commits gave, one file a run: a line a system and question, counts and no fractions.

A file is named for its commit and for what went into it, `20260201T090000Z-a1f0c22b9d3e-1f2e3d4c.csv`; the same inputs
have the same name. A later measurement takes the place of an earlier one, and of others of the same commit as it is on
the same questions; what was replaced stays in the history of the ref.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragkit.commits import REF, Commit, Repo
from ragkit.files import ROOT, fingerprint, read_text, shown, table, write_text
from ragkit.metrics import faithful
from ragkit.records import ANSWER, Answer, BadInput, Chunk, Citation, Golden, Hit, Outcome, Ranking, Verdict

KEPT = ROOT / "results" / "commits"
PRINTS = ("documents", "questions", "settings", "code", "model", "lock")
COLUMNS = (
    "commit", "date", "dirty", "system", "corpus", "golden", "id", "row", "category", "answerable", "must", "facts",
    "concepts", "sources", "outcome", "gate", "concept", "cites", "claims", "supported", "found", "rank", "correct",
    "reason_right", "error", *PRINTS,
)  # fmt: skip
NAME = re.compile(r"(\d{8}T\d{6}Z)-([0-9a-f]{12})-([0-9a-f]{8})\.csv")
SOME = Chunk("kept", "kept.md", "kept")  # stands for a passage or a quote, whose text is not kept

Run = tuple[str, str, str]  # system, corpus, golden


@dataclass(frozen=True)
class Record:
    """One evaluation of a commit: the outcomes of each system on each golden file, as far as they are kept.

    `rows` has the fingerprint of each golden row, `prints` what went into each run.
    """

    commit: Commit
    dirty: bool
    runs: Mapping[Run, tuple[Outcome, ...]]
    rows: Mapping[tuple[str, str], str]
    prints: Mapping[Run, Mapping[str, str]]

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
        return table(list(self._lines()), COLUMNS)

    def _lines(self) -> Iterator[dict[str, object]]:
        for run, outcomes in self.runs.items():
            about = dict(zip(("system", "corpus", "golden"), run, strict=True))
            head = {"commit": self.commit.sha, "date": self.commit.date, "dirty": self.dirty, **about}
            for outcome in outcomes:
                row = {"row": self.rows[run[2], outcome.golden.id]}
                yield head | row | _cells(outcome) | dict(self.prints[run])


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
    }  # fmt: skip


def parsed(text: str, name: str) -> Record:
    """The record of a file; BadInput with the place when it is none."""
    runs: dict[Run, list[Outcome]] = {}
    prints: dict[Run, dict[str, str]] = {}
    try:
        rows = list(csv.DictReader(text.splitlines(), restkey="more", strict=True))
        if not rows or not set(COLUMNS) <= set(rows[0]):
            raise BadInput(f"{name}: is no record of a commit, or one without a row{_remedy(name)}")
        for cells in rows:
            run = cells["system"], cells["corpus"], cells["golden"]
            runs.setdefault(run, []).append(_outcome(cells))
            prints[run] = {each: cells[each] for each in PRINTS}
    except csv.Error as error:
        raise BadInput(f"{name}: {error}{_remedy(name)}") from None
    except (ValueError, TypeError, ZeroDivisionError):
        line = sum(map(len, runs.values())) + 2
        raise BadInput(f"{name}:{line}: a cell that can not be read{_remedy(name)}") from None
    rows_by_id = {(cells["golden"], cells["id"]): cells["row"] for cells in rows}
    commit = Commit(rows[0]["commit"], rows[0]["date"])
    found = Record(commit, rows[0]["dirty"] == "true", {run: tuple(o) for run, o in runs.items()}, rows_by_id, prints)
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
    golden = Golden(
        cells["id"], "", _flag(cells["answerable"]), category=cells["category"], must=_flag(cells["must"]),
        sources=tuple(map(str, range(sources))), facts=("kept",) * int(cells["facts"]),
        concepts=("kept",) * int(cells["concepts"]),
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
    )  # fmt: skip


def _flag(cell: str) -> bool:
    if cell not in ("true", "false"):
        raise ValueError(cell)
    return cell == "true"


def _maybe(cell: str) -> bool | None:
    return _flag(cell) if cell else None


def _replaced(old: Record, new: Record) -> bool:
    """Whether a record gives way: it has the same inputs, or both are of the commit as it is, on the same questions."""
    asked = [{run: each.prints[run]["questions"] for run in each.prints} for each in (old, new)]
    return old.name == new.name or (old.commit == new.commit and not (old.dirty or new.dirty) and asked[0] == asked[1])


class Store:
    """The kept files of results/commits, and those on the repository's own ref where there is git."""

    def __init__(self, repo: Repo | None, folder: Path | None = None) -> None:
        self.repo, self.folder = repo, folder or KEPT

    @property
    def git(self) -> Repo:
        """The repository; bad input where there is none."""
        if self.repo is None:
            raise BadInput("this needs the project's git repository")
        return self.repo

    def names(self, *, until: str = "") -> list[str]:
        """The names of all records by date of commit, up to those of the commit `until`."""
        on_ref = self.repo.kept() if self.repo else {}
        files = (path.name for path in self.folder.glob("*.csv"))
        found = sorted(name for name in {*on_ref, *files} if NAME.fullmatch(name))
        if not until:
            return found
        ends = [n for n, name in enumerate(found, 1) if len(until) >= 7 and short_of(name).startswith(until[:12])]
        if not ends:
            raise BadInput(
                f"until {until!r}: no record of that commit; name one of ragkit history show by 7 digits or more"
            )
        return found[: max(ends)]

    def of(self, commits: Collection[str]) -> list[str]:
        """The names of the records of commits, which are given by the first 12 digits. Where there is git only those on
        the ref count: a file may come from the very branch that is judged."""
        names = sorted(self.repo.kept()) if self.repo else self.names()
        return [name for name in names if short_of(name) in commits]

    def read(self, name: str) -> Record:
        """The record of that name."""
        return self.records([name])[0]

    def clean(self, names: Sequence[str]) -> list[Record]:
        """Those of some records that are of a commit as it is."""
        return [record for record in self.records(names) if not record.dirty]

    def records(self, names: Sequence[str]) -> list[Record]:
        """The records of these names; what the ref has is later than a file, which is a copy."""
        on_ref = self.repo.kept() if self.repo else {}
        there = [name for name in names if name in on_ref]
        blobs = self.repo.blobs([on_ref[name] for name in there]) if self.repo and there else []
        texts = {name: blob.decode("utf-8", "replace") for name, blob in zip(there, blobs, strict=True)}
        return [parsed(texts[name], name) if name in texts else self._file(name) for name in names]

    def _file(self, name: str) -> Record:
        place = self.folder / name
        if not place.exists():
            raise BadInput(f"{name}: no record of that name; ragkit history show lists them")
        return parsed(read_text(place), shown(place))

    def write(self, record: Record) -> str:
        """Puts a record on the ref, in place of earlier ones of the same commit as it is on the same questions; says
        so when one had another result, or came of other inputs."""
        if not self.repo:
            raise BadInput(
                "no git repository here, and records are filed on a ref of it; make one with git init and a commit"
            )
        found, broken = self._sound(self.of([record.commit.short]))
        old = [each for each in found if _replaced(each, record)]
        gone = [name for name in (*broken, *(each.name for each in old)) if name != record.name]
        self.repo.keep({record.name: record.text().encode("utf-8")}, without=gone)
        told = [f"{name}: {record.name} stands now" for name in gone]
        if any(each.name == record.name and each.text() != record.text() for each in old):
            told.append(f"{record.name}: same inputs, other result; the later one stands now")
        return "; ".join(told)

    def _sound(self, names: Sequence[str]) -> tuple[list[Record], list[str]]:
        """The records that can be read, and the names of the others."""
        found, broken = [], []
        for name in names:
            try:
                found.append(self.read(name))
            except BadInput:
                broken.append(name)
        return found, broken

    def known(self, commits: Collection[str]) -> set[str]:
        """Of some commits, given by the first 12 digits, those that have a sound record of them as they are."""
        return {record.commit.short for record in self._sound(self.of(commits))[0] if not record.dirty}

    def forget(self, names: Sequence[str]) -> None:
        """Takes records off the ref; they stay in its past."""
        if absent := [name for name in names if name not in self.git.kept()]:
            raise BadInput(f"{absent[0]}: no record of that name on {REF}; ragkit history show --all lists them")
        self.git.keep({}, without=names)

    def keep(self, records: Sequence[Record]) -> list[Path]:
        """Copies records into results/commits, to be committed."""
        places = [self.folder / record.name for record in records]
        for record, place in zip(records, places, strict=True):
            write_text(place, record.text())
        return places


def short_of(name: str) -> str:
    """The first 12 digits of the commit that a record is named for, empty when it is no such name."""
    found = NAME.fullmatch(name)
    return found[2] if found else ""
