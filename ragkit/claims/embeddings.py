"""What the numbers of embeddings say: H12 to H14, H18, and the contradictions X-03 and X-09.

They are those of the published coverage design on its own chunks: fused scores, and the cosines behind them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from ragkit import public
from ragkit.claims import lab
from ragkit.claims.claim import Above, AtLeast, AtMost, Claim, Figure, Found, Row, Test
from ragkit.models import MiniLM
from ragkit.records import Rate
from ragkit.signals import SAME_FIRST, TOP, TOP_COSINE
from ragkit.studies import confidence, rank_arithmetic
from ragkit.systems import SYSTEMS, THOUSANDTHS

PRINTED = (15.75, 16.26, 16.13, 16.13, 16.26)  # the fused scores of five unanswerable questions, as published
SURE = 0.45  # the cosine from which another of the designs answers
USABLE = 0.7  # "no acceptable discrimination" lies below (Hosmer & Lemeshow 2000, section 5.2.4)
FACTORS = (0.1, 0.2, 0.5, 2.0, 5.0, 10.0)
KINDS = ("q4", "q3", "q9")
HYBRID = SYSTEMS["coverage-hybrid"]


# H12, X-09: what a fused score is made of.
def _printed() -> Found:
    scores, cosines = _fused_and_cosine(unanswerable=True)
    sure = [cosine >= SURE for score, cosine in zip(scores, cosines, strict=True) if score >= min(PRINTED)]
    reached = _reached()
    rows: list[Row] = [
        {
            "printed": printed,
            "ranks that give it": " or ".join(map(str, reached.get(printed, []))),
            "unanswerable probes with it": len(found := _near(printed, scores, cosines)),
            "their lowest cosine": min(found, default=float("nan")),
            "median": median(found) if found else float("nan"),
            "highest": max(found, default=float("nan")),
        }
        for printed in sorted({*PRINTED, max(reached)})
    ]
    rows.append({"printed": f"{min(PRINTED)} to {max(reached)}", "ranks that give it": _density(reached)})
    return Found((Figure.exact(len(of_no_rank(PRINTED, reached)), len(PRINTED)), Figure.of(_share(sure))), rows)


def of_no_rank(printed: Iterable[float], reached: Iterable[float]) -> list[float]:
    """The printed scores that no pair of ranks gives."""
    return sorted(set(printed) - set(reached))


def _density(reached: Iterable[float]) -> str:
    """How many values of two decimals up there a pair of ranks gives: so likely is a chance hit."""
    up_there = [score for score in set(reached) if score >= min(PRINTED)]
    return f"{len(up_there)} of {round(100 * (max(up_there) - min(PRINTED))) + 1} values"


def _reached() -> dict[float, list[rank_arithmetic.Ranks]]:
    """Every score that a first place can have, to the two decimals that are printed, with the ranks that give it."""
    retriever = replace(THOUSANDTHS, weights=(0.5, 0.5))  # told in thousandths by `reachable`
    found: dict[float, list[rank_arithmetic.Ranks]] = {}
    for ranks, score in rank_arithmetic.reachable(retriever).items():
        found.setdefault(round(score, 2), []).append(ranks)
    return found


def _fused_and_cosine(*, unanswerable: bool = False) -> tuple[list[float], list[float]]:
    """For each probe the fused score of the first chunk, to two decimals, and the cosine of the nearest."""
    study = lab.study()
    ids = [row.id for row in study.rows if not (unanswerable and row.answerable)]
    scores, cosines = (study.scores(signal, HYBRID) for signal in (TOP, TOP_COSINE))
    return [round(scores[name], 2) for name in ids], [cosines[name] for name in ids]


def _near(printed: float, scores: Sequence[float], cosines: Sequence[float]) -> list[float]:
    return [cosine for score, cosine in zip(scores, cosines, strict=True) if score == printed]


def _share(marks: Sequence[bool]) -> Rate:
    return Rate(sum(marks), len(marks))


def x_09() -> list[Row]:
    """The probes by their fused score: how many have an answer, and for how many the cosine itself is sure."""
    scores, cosines = _fused_and_cosine()
    answerable, reached = [row.answerable for row in lab.study().rows], sorted(_reached())
    bands = (
        ("first by both", reached[-1], reached[-1]), ("as printed for unanswerable", min(PRINTED), reached[-2]),
        ("found by both, lower", reached[1], min(PRINTED) - 0.01), ("found by one", reached[0], reached[0]),
    )  # fmt: skip
    rows: list[Row] = []
    for label, low, high in bands:
        within = [n for n, score in enumerate(scores) if low <= score <= high]
        rows.append({
            "label": label, "has an answer": _share([answerable[n] for n in within]),
            f"cosine at least {SURE:g}": _share([cosines[n] >= SURE for n in within]),
        })  # fmt: skip
    return rows


# H13, X-03: the raw cosine.
def _separation() -> Found:
    study = lab.study()
    cosines = study.scores(TOP_COSINE, HYBRID)
    answerable, unanswerable = study.classes(cosines)
    of = {kind: [cosines[row.id] for row in study.rows if row.category == kind] for kind in KINDS}
    figures = (_area(answerable.values(), unanswerable.values()), *(_area(answerable.values(), of[k]) for k in KINDS))
    rows = [_areas(*each) for each in lab.OURS]
    (cosine, bm25), _ = public.kept([TOP_COSINE.name, TOP.name])
    published = [
        {"questions": name, "source": "public", TOP_COSINE.name: cosine[name], TOP.name: bm25[name]}
        for name in cosine
        if name != "signal"
    ]
    return Found(figures, [*rows, *published])


def _area(answerable: Iterable[float], unanswerable: Iterable[float]) -> Figure:
    return lab.area([*answerable], [*unanswerable])


def _areas(corpus: str, golden: str) -> Row:
    study = lab.study(corpus, golden)
    areas = {
        signal.name: lab.area(*study.sides(signal, system))
        for signal, system in ((TOP_COSINE, HYBRID), (TOP, lab.PUBLISHED))
    }
    told = {name: f"{area.value:.2f} ({area.low:.2f}-{area.high:.2f})" for name, area in areas.items()}
    return {"questions": golden, "source": "ours", **told}


def x_03() -> list[Row]:
    """The cosine of the nearest chunk by kind of question, answerable and not, and where nothing can be right."""
    found = confidence.groups(lab.study(), lab.study("kestrel", "nulls"), TOP_COSINE)
    return [{"label": f"{row['questions']} ({row['kind']})", **row} for row in confidence.spread(found, SURE)]


# H14: two retrievers that agree.
def _same_first() -> Found:
    figures = tuple([lab.area(*lab.study().sides(SAME_FIRST, HYBRID))] * 2)
    rows: list[Row] = []
    for corpus, golden in lab.OURS:
        study = lab.study(corpus, golden)
        same, other = study.sides(SAME_FIRST, HYBRID)
        area = lab.area(same, other)
        rows.append({
            "questions": golden, "AUROC": area.value, "low": area.low, "high": area.high,
            "answerable, same first": _share([value == 1 for value in same]),
            "unanswerable, same first": _share([value == 1 for value in other]),
        })  # fmt: skip
    return Found(figures, rows)


# H18: another scale.
def _scales() -> Found:
    rows: list[Any] = rank_arithmetic.rescaled(lab.study(), MiniLM(), FACTORS)
    by_rank, by_sum = ([row[name] for row in rows] for name in rank_arithmetic.FUSIONS)
    moved = sum(rate.hits for rate in by_rank)
    most = max(by_sum, key=lambda rate: rate.hits)
    return Found((Figure.exact(moved, sum(rate.of for rate in by_rank)), Figure.of(most)), rows)


PROBES = "kestrel's 314 probes"
CLAIMS: tuple[Claim, ...] = (
    Claim(
        "H12",
        "The scores that the hybrid prints for unanswerable questions, 15.75 to 16.26, lie near the top of the range: "
        "the embedding model was confident.",
        "S0-40, S0-41",
        "Every score that a first place can have in the published fusion is enumerated from ranks alone. On "
        f"{PROBES}, the unanswerable ones that score as high as the printed ones are held against their raw cosine.",
        (
            Test("printed scores, of five, that ranks alone do not give", AtLeast(1)),
            Test(f"unanswerable probes scoring 15.75 or more whose cosine is at least {SURE:g}", AtLeast(0.5)),
        ),
        _printed,
        "the five are 1000 x (0.5 / (60 + r1) + 0.5 / (60 + r2)): ranks (1, 2), (1, 3) or (2, 2), (3, 4); top 16.39",
    ),
    Claim(
        "H13",
        'Embeddings can not say "I don\'t know": there is always a neighbour, and its cosine is the same '
        "whether or not the answer is there.",
        "S0-42, X-03",
        f"AUROC of the cosine of the nearest chunk on {PROBES}: answerable against unanswerable, then against each "
        "kind of unanswerable question alone. Other sets and BM25 stand in the table, the public ones as kept.",
        (
            Test("AUROC, all", AtMost(USABLE)),
            Test("AUROC against near misses (q4)", AtMost(USABLE)),
            Test("AUROC against absent topics (q3)", AtMost(USABLE)),
            Test("AUROC against off-topic and nonsense (q9)", AtMost(USABLE)),
        ),
        _separation,
        "AUROC 0.750 with character n-grams as a stand-in for a model",
    ),
    Claim(
        "H14",
        "When BM25 and the vectors put different chunks first, that alone is a sign that the answer is not there.",
        "S0-40, S0-100",
        f"AUROC of agreement on the first chunk, yes or no, on {PROBES}; the other sets stand in the table.",
        (
            Test("AUROC: better than chance", Above(0.5)),
            Test("the same: good enough to gate by", AtLeast(USABLE)),
        ),
        _same_first,
        "all five printed scores are below the maximum; AUROC 0.917 with a stand-in that reads characters as BM25 does",
    ),
    Claim(
        "H18",
        "Fusion by ranks does not care how scores are scaled; a weighted sum of scores does.",
        "S0-59, S0-62",
        f"The BM25 scores of {PROBES} are told on other scales, times {FACTORS[0]:g} to {FACTORS[-1]:g}; counted is "
        "how many questions get another first chunk.",
        (
            Test("other first chunks by reciprocal ranks, over all scales", AtMost(0)),
            Test("questions with another first chunk by weighted sum, the scale that moves most", Above()),
        ),
        _scales,
    ),
)
