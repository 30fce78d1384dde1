"""Lexical retrieval of words that are cut already: build, single questions and a batch, beside rank-bm25 and bm25s."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from tests.bench.clock import Spent, middle, turns
from tests.bench.engines import missing
from tests.bench.table import Row
from tests.bench.worker import Worker

OURS, ORACLE = "ragkit", "rank-bm25"
Workers = Mapping[str, Worker]


@dataclass(frozen=True)
class Size:
    """A corpus, how many times faster than each rival we are to answer there, and how often to look.

    rank-bm25 gets each `every`th question only: all of them would take it minutes at 100,000 chunks.
    """

    chunks: int
    targets: Mapping[str, float]
    questions: int = 1000
    every: int = 1
    rounds: int = 5
    builds: int = 3

    def places(self, engine: str) -> range:
        return range(0, self.questions, self.every if engine == ORACLE else 1)


SIZES = (
    Size(10_000, {ORACLE: 200, "bm25s-numpy": 4}),
    Size(100_000, {ORACLE: 500, "bm25s-numpy": 10, "bm25s-numba": 0.6}, every=16),
)
QUICK = (
    Size(10_000, SIZES[0].targets, every=10, rounds=3, builds=1),
    Size(100_000, SIZES[1].targets, every=50, rounds=3, builds=1),
)


def measure(quick: bool = False) -> list[Row]:
    return [row for size in (QUICK if quick else SIZES) for row in at(size)]


def at(size: Size) -> list[Row]:
    """Each engine has a process of its own and waits there while another works; they take turns, block by block."""
    rivals = [rival for rival in size.targets if not _told_missing(rival)]
    if not rivals:
        return []
    asked = f"{size.questions:,} questions, {len(size.places(ORACLE)):,} of them for {ORACLE}"
    print(f"{size.chunks:,} chunks, {asked}", flush=True)
    with ExitStack() as stack:
        workers = {e: stack.enter_context(Worker(e, size.chunks, size.questions)) for e in (OURS, *rivals)}
        for worker in workers.values():
            worker.do("ready")
        built = _builds(workers, size)
        _same_work(workers, size.places(ORACLE)[:10])
        singles, batches = _singles(workers, size), _batches(workers, size)
    rows = []
    for rival in rivals:
        ours, theirs = _both(singles[OURS], singles[rival])
        questions = len(size.places(rival))
        where, target = f"{size.chunks:,} chunks", size.targets[rival]
        rows += [
            Row(f"{where}, one question, median of {questions:,}", ours, theirs, rival, target),
            Row(f"{where}, a question of a batch of {questions:,}", batches[OURS], batches[rival], rival, target),
        ]
    if ORACLE in rivals:
        rows.append(Row(f"{size.chunks:,} chunks, index build", built[OURS], built[ORACLE], ORACLE, 1))
    return rows


def _told_missing(engine: str) -> bool:
    packages = missing(engine)
    if packages:
        print(f"skipped: {engine}; not installed: {', '.join(packages)} (the extra `bench` brings it)")
    return bool(packages)


def _builds(workers: Workers, size: Size) -> dict[str, Spent]:
    """Only the two that are compared build more than once."""
    spent: dict[str, list[Spent]] = {engine: [] for engine in workers}
    for turn in range(size.builds):
        for engine in turns(workers, turn):
            if turn == 0 or engine in (OURS, ORACLE):
                spent[engine].append(workers[engine].do("build"))
    return {engine: middle(values) for engine, values in spent.items()}


def _same_work(workers: Workers, places: Sequence[int]) -> None:
    """Ends the run when an engine's scores are not ours: its times would say nothing."""
    scores = {engine: worker.do("scores", places) for engine, worker in workers.items()}
    for engine, theirs in scores.items():
        apart = float(np.abs(theirs - scores[OURS]).max())
        if apart > (1e-9 if engine == ORACLE else 1e-4):  # bm25s computes in single precision
            raise SystemExit(f"{engine}: scores differ from ours by {apart:.1e}")


def _singles(workers: Workers, size: Size) -> dict[str, dict[int, Spent]]:
    """What each question takes each engine, in blocks that are spread over the run."""
    spent: dict[str, dict[int, Spent]] = {engine: {} for engine in workers}
    for turn in range(size.rounds):
        for engine in turns(workers, turn):
            block = size.places(engine)[turn :: size.rounds]
            spent[engine].update(zip(block, workers[engine].do("singles", block), strict=True))
    return spent


def _both(ours: Mapping[int, Spent], theirs: Mapping[int, Spent]) -> tuple[Spent, Spent]:
    """Medians over the questions that both were asked, as one of more words takes longer."""
    return middle(ours[place] for place in theirs), middle(theirs.values())


def _batches(workers: Workers, size: Size) -> dict[str, Spent]:
    """rank-bm25, which has no batch, goes through its questions once."""
    spent: dict[str, list[Spent]] = {engine: [] for engine in workers}
    for turn in range(size.rounds):
        for engine in turns(workers, turn):
            if turn == 0 or engine != ORACLE:
                spent[engine].append(workers[engine].do("batch", size.places(engine)))
    return {engine: middle(values) for engine, values in spent.items()}
