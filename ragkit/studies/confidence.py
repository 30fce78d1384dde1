"""The second half of notebook 02: what a raw cosine says about an answer being there."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from ragkit import resample, risk, stats
from ragkit.concept import concepts, holding
from ragkit.records import Ranking, Rate
from ragkit.signals import TOP, Signal
from ragkit.studies.experiment import Row, thresholds
from ragkit.study import PUBLISHED, Study, shuffled
from ragkit.system import System

RESAMPLES = 1_999  # enough for the two decimals that are shown
KINDS = ("answerable", "unanswerable", "null")


@dataclass(frozen=True, slots=True)
class Group:
    """Some questions, what they are to the corpus (one of KINDS), and the values of a signal, sorted."""

    name: str
    kind: str
    values: tuple[float, ...]


def groups(study: Study, nulls: Study, signal: Signal) -> list[Group]:
    """A signal by stratum, and what it gives where nothing can be right: questions that are about another place or are
    no language, and the study's own questions put to documents whose words were dealt out anew."""
    scores, null = study.scores(signal), nulls.scores(signal)
    values: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for row in study.rows:
        values[row.category, KINDS[not row.answerable]].append(scores[row.id])
    for row in nulls.rows:
        values[row.category, "null"].append(null[row.id])
    empty = shuffled(study.bot(PUBLISHED).corpus)
    values["shuffled documents", "null"] = [signal(Ranking(row.question), empty) for row in study.rows]
    found = [Group(name, kind, tuple(sorted(each))) for (name, kind), each in values.items()]
    return sorted(found, key=lambda group: (KINDS.index(group.kind), -median(group.values), group.name))


def spread(found: Sequence[Group], floor: float) -> list[Row]:
    """The range of each group, and how many of it a floor lets through."""
    rows = []
    for group in found:
        quarter, middle, three_quarters = np.quantile(group.values, (0.25, 0.5, 0.75))
        rows.append({
            "questions": group.name, "kind": group.kind, "n": len(group.values), "lowest": group.values[0],
            "quarter": quarter, "median": middle, "three quarters": three_quarters, "highest": group.values[-1],
            f"at least {floor:g}": Rate(sum(value >= floor for value in group.values), len(group.values)),
        })  # fmt: skip
    return rows


def honesty(nulls: Study, cosine: Signal) -> list[Row]:
    """Where nothing can be right: how often BM25 finds no shared word, and what both say of the rest."""
    raw, near, rows = nulls.scores(TOP), nulls.scores(cosine), []
    for name in sorted({row.category for row in nulls.rows}):
        ids = [row.id for row in nulls.rows if row.category == name]
        found = sorted(raw[each] for each in ids if raw[each] > -math.inf)
        rows.append({
            "questions": name, "no shared word: no score": Rate(len(ids) - len(found), len(ids)),
            "BM25 of the rest, median": median(found) if found else math.nan,
            "highest": found[-1] if found else math.nan,
            "cosine, median": median(near[each] for each in ids),
        })  # fmt: skip
    return rows


def one_word(nulls: Study, cosine: Signal, category: str) -> list[Row]:
    """The five questions of a kind that share one idea with the documents and score highest for it."""
    raw, near, bot = nulls.scores(TOP), nulls.scores(cosine), nulls.bot(PUBLISHED)
    shared = {
        row.id: [idea.word for idea in concepts(row.question, bot.corpus) if holding(idea, bot.corpus)]
        for row in nulls.rows
        if row.category == category
    }
    ids = sorted((name for name, words in shared.items() if len(words) == 1), key=lambda name: -raw[name])
    return [
        {"id": n, "question": nulls.by_id[n].question, "shared": shared[n][0], "BM25": raw[n], "cosine": near[n]}
        for n in ids[:5]
    ]


def ranked(study: Study, signals: Iterable[tuple[Signal, System]]) -> list[Row]:
    """How well each signal tells the classes apart, and what its best floor gets wrong, in sample and left out.

    `answered at 10 % risk` is the share of all questions that can be answered, surest first, while no more than a tenth
    of those answered have no answer.
    """
    rows = []
    for signal, system in signals:
        (row,) = thresholds(study, [signal], system=system)
        low, high = study.sides(signal, system)
        least, most = resample.auroc_interval(low, high, RESAMPLES)
        rows.append({
            "signal": signal.name if system == PUBLISHED else f"{signal.name}, {system.name}",
            "AUROC": row["AUROC"], "95 %": f"{least:.2f}-{most:.2f}",
            **{column: row[column] for column in row if column not in ("signal", "AUROC")},
            "answered at 10 % risk": risk.coverage_at_risk([*low, *high], [False] * len(low) + [True] * len(high), 0.1),
        })  # fmt: skip
    return rows


def close_calls(study: Study, signal: Signal, other: Signal) -> str:
    """How sharp the best floor under a signal is, and how far the signal is from another on the same questions."""
    low, high = study.sides(signal)
    low_other, high_other = study.sides(other)
    rules, best = stats.sweep(low, high), stats.best_threshold(low, high)
    near = [rule.at for rule in rules if rule.errors <= best.errors + 1]
    more = stats.auroc(low, high) - stats.auroc(low_other, high_other)
    least, most = resample.auroc_difference(low, high, low_other, high_other, RESAMPLES)
    return (
        f"{len(near)} of {len(rules)} rules under {signal} make at most one error more than the best: floors from "
        f"{min(near):.2f} to {max(near):.2f}.\n"
        f"AUROC of {signal} less that of {other}, on the same questions: {more:.2f} (95 % {least:.2f} to {most:.2f})."
    )
