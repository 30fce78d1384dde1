"""Loads the folder of a case and asks a system its questions. Its column names are mapped here and nowhere else."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from ragkit import corpus, systems
from ragkit.gate import Coverage, Nothing
from ragkit.records import Answer, Chunk
from ragkit.system import Bot, System

HERE = Path(__file__).parent
FOLDERS = ("given", "variant-a", "variant-b")
NAMES = ("c01", "c02", "c04", "c05", "c06", "c07", "c08", "c09", "c10", "c11")
QUESTIONS = ("questions.csv", "golden.csv")
CASES = tuple(f"{name}/{folder}" for name in NAMES for folder in FOLDERS)

DEFAULT = systems.SYSTEMS[systems.DEFAULT]
# Ours: a published design is rebuilt with its faults. With vectors the order of hits, and so the quoted section, may
# move with every word.
ALL = tuple(system for system in systems.LEXICAL if system != systems.COVERAGE)
SEARCHING = tuple(system for system in ALL if not any(isinstance(gate, Nothing) for gate in system.gates))
COVERAGE = tuple(system for system in ALL if any(isinstance(gate, Coverage) for gate in system.gates))

every_system = pytest.mark.parametrize("system", ALL, ids=lambda system: system.name)
every_searching_system = pytest.mark.parametrize("system", SEARCHING, ids=lambda system: system.name)
every_coverage_system = pytest.mark.parametrize("system", COVERAGE, ids=lambda system: system.name)


@dataclass(frozen=True)
class Row:
    """A question of a case: what must come of it, and the passage that must be cited for it."""

    case: str
    id: str
    question: str
    expect: str
    source: str = ""
    contains: str = ""

    def __str__(self) -> str:
        return f"{self.case}/{self.id}"


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def folders(name: str) -> tuple[str, ...]:
    return tuple(case for case in CASES if case.startswith(name))


def rows(*cases: str) -> list[Row]:
    """The questions of folders such as `c04/variant-a`; c02 keeps them in `golden.csv`."""
    files = ((case, path) for case in cases for path in (HERE / case / name for name in QUESTIONS) if path.exists())
    return [Row(case, **row) for case, path in files for row in table(path)]


def known_misses() -> set[tuple[str, str]]:
    """The rows that words alone can not get right, by case and id."""
    return {(row["case"], row["id"]) for row in table(HERE / "known_misses.csv")}


def each(*cases: str, expect: str = "") -> pytest.MarkDecorator:
    """One test for each question of the folders but the known misses."""
    missed = known_misses()
    found = [row for row in rows(*cases) if (row.case, row.id) not in missed and expect in ("", row.expect)]
    return pytest.mark.parametrize("row", found, ids=str)


def folder(case: str) -> corpus.Folder:
    return corpus.readable(corpus.read(HERE / case / "corpus"))


def chunks(case: str) -> list[Chunk]:
    """The ready-made chunks of a folder; the heading column holds a path."""
    found = table(HERE / case / "chunks.csv")
    return [Chunk(row["chunk_id"], "chunks.csv", row["text"], tuple(row["heading"].split(" > "))) for row in found]


def on_chunks(system: System, ready: Iterable[Chunk]) -> Bot:
    return Bot(system, corpus.Corpus.of_chunks(ready, analyzer=system.analyzer))


@cache
def bot(case: str, system: System = DEFAULT) -> Bot:
    """A system on the corpus of a folder."""
    ready_made = (HERE / case / "chunks.csv").exists()
    return on_chunks(system, chunks(case)) if ready_made else system.on(folder(case))


@cache
def ask(row: Row, system: System = DEFAULT) -> Answer:
    return bot(row.case, system).ask(row.question)


def cited(answer: Answer) -> str:
    """The passages that an answer cites, as a reader sees them."""
    return "\n".join(f"{citation.chunk.lead}\n{citation.chunk.text}" for citation in answer.citations)


def miss(row: Row, answer: Answer) -> str:
    """What is wrong with an answer; empty when nothing is."""
    if answer.outcome != row.expect:
        return f"{answer.outcome} instead of {row.expect} ({answer.verdict.gate or 'no gate'}: {answer.verdict.reason})"
    if answer.outcome == "refuse":
        return ""
    first = answer.citations[0].chunk
    if row.source not in (first.heading, first.id):
        return f"cites {first.heading} instead of {row.source}"
    return "" if row.contains in cited(answer) else f"{row.contains!r} is not in the cited passages"
