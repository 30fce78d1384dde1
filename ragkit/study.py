"""Systems run over golden rows: where the two wings meet, for the command line and for notebooks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path

from ragkit import chunk, corpus, evaluate, golden, report
from ragkit.files import ROOT
from ragkit.forms import kin
from ragkit.gate import Floor
from ragkit.records import Golden, Outcome
from ragkit.signals import COVERAGE_PASSAGE, TOP, Signal
from ragkit.system import Bot, System
from ragkit.systems import SYSTEMS

PUBLISHED = SYSTEMS["retrieved"]  # the published rule: unknown ideas, then the rarest idea in the retrieved text


def evaluated(system: System, folder: corpus.Folder, file: str | Path, *, backend: str = "bm25") -> report.Run:
    """A system run over a golden file, with all that a report says of it."""
    sections = {name for document in corpus.readable(folder).documents for name in chunk.names(document)}
    rows, bot = golden.read(file, sections=sections), system.on(folder)
    outcomes = evaluate.run(
        bot.ask_all,
        rows,
        system=system.name,
        k=system.k,
        same=kin,
        signals=lambda ranking: {"coverage": COVERAGE_PASSAGE(ranking, bot.corpus)},
    )
    silent = len(bot.corpus.empty)
    return report.Run(
        system.name, folder.name, Path(file).stem, len(bot.corpus.chunks), backend, tuple(outcomes), silent
    )


class Study:
    """A corpus of this project and one of its golden files, with the bots and outcomes made so far.

    `corpus` is a folder below `corpus/`, `golden` a file below `golden/` without its ending.
    """

    def __init__(self, corpus_name: str = "kestrel", golden_name: str = "kestrel") -> None:
        self.folder = corpus.readable(corpus.read(ROOT / "corpus" / corpus_name))
        self.rows = golden.read(ROOT / "golden" / f"{golden_name}.csv")
        self.bot: Callable[[System], Bot] = lru_cache(maxsize=None)(lambda system: system.on(self.folder))
        self.outcomes: Callable[[System], list[Outcome]] = lru_cache(maxsize=None)(self._outcomes)

    def _outcomes(self, system: System) -> list[Outcome]:
        """One outcome a row with its verdict; what was said is not judged here."""
        answers = self.bot(system).ask_all([row.question for row in self.rows])
        return [Outcome(system.name, row, answer) for row, answer in zip(self.rows, answers, strict=True)]

    @cached_property
    def by_id(self) -> dict[str, Golden]:
        """The golden rows by id."""
        return {row.id: row for row in self.rows}

    def scores(self, signal: Signal = TOP, system: System = PUBLISHED) -> dict[str, float]:
        """The value of a signal for each row, by id."""
        bot = self.bot(system)
        return {o.golden.id: signal(o.answer.ranking, bot.corpus) for o in self.outcomes(system)}

    def classes(self, scores: dict[str, float]) -> tuple[dict[str, float], dict[str, float]]:
        """Scores of the answerable and of the unanswerable rows."""
        sides = ({row.id for row in self.rows if row.answerable is side} for side in (True, False))
        first, second = ({name: scores[name] for name in scores if name in side} for side in sides)
        return first, second


def floor(least: float, *, name: str = "best floor") -> System:
    """The floor under BM25's top score as a system, to be judged on rows it was not chosen on."""
    return replace(SYSTEMS["threshold"], name=name, gates=(Floor(TOP, least),))
