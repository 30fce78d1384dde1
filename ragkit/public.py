"""Figures of the systems and signals on the public question sets: ids and numbers, no text of theirs."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ragkit import corpus, golden, metrics, resample, stats
from ragkit.evaluate import recorded, run
from ragkit.files import ROOT, fingerprint_files, read_text, shown
from ragkit.forms import kin
from ragkit.fresh import inputs
from ragkit.models import DOCUMENT, MiniLM
from ragkit.records import BadInput
from ragkit.signals import COSINES, FEW, SIGNALS, nearby
from ragkit.systems import SYSTEMS
from ragkit.vectors import space

COLUMNS = (
    "set", "kind", "name", "metric", "hits", "of", "left_out", "value", "low", "high", "corpus", "questions", "code",
)  # fmt: skip
Row = dict[str, object]
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
        outcomes = run(system.on(folder).ask_all, rows, system=system.name, k=system.k, same=kin)
        whole = sum(map(recorded, outcomes))
        yield {
            **prints, "kind": "system", "name": system.name, "metric": "recorded", "hits": whole, "of": len(rows),
            "left_out": 0, "value": whole / len(rows),
        }  # fmt: skip
        for row in metrics.table(outcomes, "", ""):
            if row["category"] == metrics.ALL and row["metric"] in MEASURES:
                yield {**row, **prints, "kind": "system", "name": system.name}
    answers = first.ask_all([row.question for row in rows])
    rankings = [(row.answerable, answer.ranking) for row, answer in zip(rows, answers, strict=True)]
    for signal in (*SIGNALS, *COSINES):
        sides = ([signal(r, first.corpus) for known, r in rankings if known is side] for side in (True, False))
        for row in _ranked(*sides):
            yield {**prints, "kind": "signal", "name": signal.name, **row}


def _ranked(low: list[float], high: list[float]) -> Iterator[dict[str, object]]:
    """How well a signal tells the classes apart, and what the best floor gets wrong, in sample and left out."""
    of, (least, most) = len(low) + len(high), resample.auroc_interval(low, high)
    yield {"metric": "auroc", "of": of, "value": stats.auroc(low, high), "low": least, "high": most}
    wrong = {
        "errors": stats.best_threshold(low, high).errors,
        "errors_left_out": sum(stats.leave_one_out(low, high)),
        "errors_one_answer": min(len(low), len(high)),
    }
    for name, count in wrong.items():
        yield {"metric": name, "hits": count, "of": of, "left_out": 0, "value": count / of}


def embedded(name: str, documents: Path, questions: Path) -> str:
    """Computes the vectors of a set in one go, so that a bar can tell how long; says how many were there already."""
    folder, asked = corpus.readable(corpus.read(documents)), [row.question for row in golden.read(questions)]
    known = SYSTEMS["always-answer"].on(folder).corpus
    found = space(MiniLM(), known)
    before, start = found.vectors.computed, found.vectors.seconds
    near = found.nearest(asked, FEW)
    texts = list(dict.fromkeys(text for each in near for text in nearby(each, known)))
    found.vectors.of(texts, DOCUMENT)
    new, of = found.vectors.computed - before, len(known.chunks) + len(asked) + len(texts)
    rate = f" at {new / (found.vectors.seconds - start):.0f} a second" if new else ""
    return f"{name}: {of} chunks, questions and sentences, {new} embedded{rate}"


def kept(signals: Sequence[str]) -> tuple[list[Row], list[Row]]:
    """Of the kept table, a row a signal and a column a set: the AUROC with its interval, and how many questions the
    best floor gets wrong, in sample / left out."""
    rows = [row for row in csv.DictReader(read_text(KEPT).splitlines()) if row["kind"] == "signal"]
    cells = {(row["name"], row["set"], row["metric"]): row for row in rows}
    sets = list(dict.fromkeys(row["set"] for row in rows))
    areas: list[Row] = [
        {"signal": name} | {each: _area(cells[name, each, "auroc"]) for each in sets} for name in signals
    ]
    wrong: list[Row] = [{"signal": name} | {each: _wrong(name, each, cells) for each in sets} for name in signals]
    lazy = [cells[signals[0], each, "errors_one_answer"] for each in sets]
    return areas, [
        *wrong,
        {"signal": "(one answer to all)"} | {row["set"]: f"{row['hits']} of {row['of']}" for row in lazy},
    ]


def _area(cell: dict[str, str]) -> str:
    value, low, high = (float(cell[name]) for name in ("value", "low", "high"))
    return f"{value:.2f} ({low:.2f}-{high:.2f})"


def _wrong(name: str, of: str, cells: dict[tuple[str, str, str], dict[str, str]]) -> str:
    return f"{cells[name, of, 'errors']['hits']} / {cells[name, of, 'errors_left_out']['hits']}"
