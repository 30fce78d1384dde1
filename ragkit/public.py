"""Figures of the systems and signals on the public question sets: ids and numbers, no text of theirs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ragkit import corpus, golden, metrics, stats
from ragkit.evaluate import run
from ragkit.files import ROOT, fingerprint_files, shown
from ragkit.forms import kin
from ragkit.fresh import inputs
from ragkit.records import BadInput
from ragkit.signals import SIGNALS
from ragkit.system import Bot
from ragkit.systems import SYSTEMS

COLUMNS = (
    "set", "kind", "name", "metric", "hits", "of", "left_out", "value", "low", "high", "corpus", "questions", "code",
)  # fmt: skip
MEASURES = ("false_answers", "false_refusals", "balanced_accuracy", "recall", "mrr")
KEPT = ROOT / "results" / "tables" / "public.csv"


def sets() -> dict[str, tuple[Path, Path]]:
    """The corpus folder and the question file of each set below RAGKIT_DATA, by name."""
    data = os.environ.get("RAGKIT_DATA")
    if not data or not Path(data).is_dir():
        raise BadInput(f"RAGKIT_DATA={data or ''}: no such folder; name the folder that holds the public question sets")
    found = {}
    for file in sorted(Path(data).glob("*/questions*.csv")):
        size = file.stem.removeprefix("questions")
        found[file.parent.name + size] = (file.parent / f"corpus{size}", file)
    if not found:
        raise BadInput(f"{shown(data)}: no */questions.csv in it; name the folder that holds the public question sets")
    return found


def measured(name: str, documents: Path, questions: Path) -> Iterator[dict[str, object]]:
    """The rows of public.csv for one set: every system, and the AUROC of each signal."""
    folder, rows = corpus.readable(corpus.read(documents)), golden.read(questions)
    prints = {
        "set": name, "corpus": folder.fingerprint, "questions": fingerprint_files([questions]),
        "code": inputs("ragkit/**/*.py", "ragkit/data/*"),
    }  # fmt: skip
    first = SYSTEMS["always-answer"].on(folder)
    for system in SYSTEMS.values():
        bot = Bot(system, first.corpus)
        outcomes = run(bot.ask_all, rows, system=system.name, k=system.k, same=kin)
        for row in metrics.table(outcomes, "", ""):
            if row["category"] == metrics.ALL and row["metric"] in MEASURES:
                yield {**row, **prints, "kind": "system", "name": system.name}
    answers = first.ask_all([row.question for row in rows])
    rankings = [(row.answerable, answer.ranking) for row, answer in zip(rows, answers, strict=True)]
    for signal in SIGNALS:
        sides = ([signal(r, first.corpus) for known, r in rankings if known is side] for side in (True, False))
        value, of = stats.auroc(*sides), len(rows)
        yield {**prints, "kind": "signal", "name": signal.name, "metric": "auroc", "of": of, "value": value}
