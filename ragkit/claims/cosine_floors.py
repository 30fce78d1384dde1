"""Claims about floors under cosines: what passes 0.45, with which model, and by which hits."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragkit import metrics
from ragkit.claims import lab, stand_ins
from ragkit.claims.claim import Above, AtLeast, AtMost, Claim, Figure, Found, Test
from ragkit.claims.floors import FEW, KESTREL, Scores, moved_of
from ragkit.dense import Dense
from ragkit.evaluate import relevant
from ragkit.files import read_text
from ragkit.gate import Floor
from ragkit.public import KEPT
from ragkit.records import REFUSE, Hit, Outcome, Ranking, Rate
from ragkit.rerank import AsFound
from ragkit.retrieve import Retrieve, Retriever
from ragkit.scope import Pinned
from ragkit.signals import FOUND_COSINE, TOP_COSINE, Signal
from ragkit.systems import HYBRID, SYSTEMS

if TYPE_CHECKING:
    from ragkit.corpus import Corpus

COSINE = SYSTEMS["cosine"]
FLOOR, NEAR = 0.45, 0.3  # the gate's, and the least cosine that the vector search of the public code gives


# H38


def constraint() -> Found:
    """What passes 0.45."""
    ours, nulls = lab.verdicts(COSINE), lab.verdicts(COSINE, [("kestrel", "nulls")])
    far = [*lab.within(ours, "q9"), *nulls]
    public = _public(COSINE.name)
    leaks = [rate for name, (rate, _) in public.items() if name != "nomiracl"]  # its large set holds it
    pooled = Rate(sum(rate.hits for rate in leaks), sum(rate.of for rate in leaks))
    strata = sorted({o.golden.category for o in ours}, key=lambda name: int(name[1:]))
    rows = [lab.errors(each, lab.within(ours, each)) for each in strata]
    rows += [lab.errors(each, lab.within(nulls, each)) for each in sorted({o.golden.category for o in nulls})]
    rows += [{"label": name, "false answers": a, "false refusals": r} for name, (a, r) in public.items()]
    near = metrics.false_answers(lab.within(ours, "q4"))
    return Found(tuple(map(Figure.of, (near, metrics.false_answers(far), pooled))), rows)


def _public(system: str) -> dict[str, tuple[Rate, Rate]]:
    """False answers and false refusals of a system on each public set, as they are kept."""
    kept = [row for row in csv.DictReader(read_text(KEPT).splitlines()) if row["name"] == system]
    cells = {(row["set"], row["metric"]): Rate(int(row["hits"]), int(row["of"]), int(row["left_out"]))
             for row in kept if row["metric"] in ("false_answers", "false_refusals")}  # fmt: skip
    names = dict.fromkeys(row["set"] for row in kept)
    return {name: (cells[name, "false_answers"], cells[name, "false_refusals"]) for name in names}


# H39


def embedders() -> Found:
    """0.45 under MiniLM and under stand-ins, each against a floor of its own."""
    small, probes = ({one.label: one for one in _by_embedder(file)} for file in KESTREL)
    gains = [lab.change(one.right(FLOOR), one.right(small[label].best.at)) for label, one in probes.items()]
    floors = [one.best.at for one in probes.values()]
    rows = [{**one.row(FLOOR), "floor of the 30": small[label].best.at, "gained by it": str(gain)}
            for (label, one), gain in zip(probes.items(), gains, strict=True)]  # fmt: skip
    return Found((Figure.exact(max(floors) - min(floors), len(floors)), *gains), rows)


def _by_embedder(file: tuple[str, str]) -> list[Scores]:
    study = lab.study(*file)
    asked = [row.question for row in study.rows]
    found = [("MiniLM", [*study.scores(TOP_COSINE, COSINE).values()])]
    found += stand_ins.scored(study.bot(COSINE).corpus, asked)
    marked = [[[s for s, row in zip(scores, study.rows, strict=True) if row.answerable is side]
               for side in (True, False)] for _, scores in found]  # fmt: skip
    return [Scores(label, *sides) for (label, _), sides in zip(found, marked, strict=True)]


# H40


@dataclass(frozen=True)
class _AtLeast:
    """A retriever without the hits that score `least` or less."""

    retriever: Retriever
    least: float = NEAR

    def on(self, corpus: Corpus) -> Retrieve:
        retrieve = self.retriever.on(corpus)

        def near(questions: Sequence[str], k: int) -> list[Ranking]:
            found = retrieve(questions, k)
            return [replace(r, hits=tuple(hit for hit in r.hits if hit.score > self.least)) for r in found]

        return near


def _by_vectors(ranking: Ranking) -> dict[str, float]:
    """The chunks that the second retriever of a fused ranking found, with their cosines."""
    return {hit.chunk.id: hit.score for part in ranking.parts[1:] for hit in part.hits}


def _known_cosine(ranking: Ranking, corpus: Corpus) -> float:
    known = _by_vectors(ranking)
    return max((known.get(hit.chunk.id, 0.0) for hit in ranking.hits), default=-math.inf)


KNOWN_COSINE = Signal("found_cosine, 0 for keyword-only hits", _known_cosine, "below-cosine")
FUSED = replace(HYBRID, retrievers=(HYBRID.retrievers[0], _AtLeast(Dense())))
OURS = replace(COSINE, reranker=AsFound())  # so that what was found is seen whether it was answered or refused
PUBLIC = replace(OURS, name="cosine, public", retriever=Pinned(FUSED), gates=(Floor(KNOWN_COSINE, FLOOR),))
TRUE = replace(PUBLIC, name="cosine, true of every hit", gates=(Floor(FOUND_COSINE, FLOOR),))


def keyword_only() -> Found:
    """What becomes of answers that keywords alone find, with cosine 0 for them and with their own."""
    found = {system.name: lab.verdicts(system) for system in (PUBLIC, TRUE, OURS)}
    public = found[PUBLIC.name]
    alone = [
        o for o in public if _right(o) and not any(hit.chunk.id in _by_vectors(o.answer.ranking) for hit in _right(o))
    ]
    exact = {label: _refused([o for o in lab.within(each, "q8") if _right(o)]) for label, each in found.items()}
    moved = moved_of(public, found[TRUE.name])
    figures = (exact[PUBLIC.name], _refused(lab.within(alone, "q8")), _refused(alone), moved)
    rows = [{**lab.errors(label, each), "q8, source found, refused": exact[label]} for label, each in found.items()]
    return Found(tuple(map(Figure.of, figures)), rows)


def _right(outcome: Outcome) -> list[Hit]:
    """The hits that hold a source of an answerable row."""
    named = outcome.golden.sources if outcome.golden.answerable else ()
    return [hit for hit in outcome.answer.ranking.hits if any(relevant(hit.chunk, source) for source in named)]


def _refused(outcomes: Sequence[Outcome]) -> Rate:
    return Rate(sum(o.answer.outcome == REFUSE for o in outcomes), len(outcomes))


CLAIMS = (
    Claim(
        "H38",
        "Refusing below a cosine of 0.45 is a constraint in code that holds, where a line in a prompt is a suggestion.",
        "S3-05, S3-25",
        "The system cosine on all six golden files: near misses (q4), and far off-topic or nonsense (q9, nulls.csv); "
        "and its kept figures on four public sets.",
        (
            Test("near misses answered", FEW),
            Test("far off-topic questions and nonsense answered", FEW),
            Test("unanswerable questions of the public sets answered", FEW),
        ),
        constraint,
        "the public log of the design tells of a borderline chunk that passed 0.45 on a must-refuse case and was "
        "caught by the model's wording.",
    ),
    Claim(
        "H39",
        "The floor of 0.45 serves another embedding model as well (our question, the design does not say so).",
        "S3-05",
        "The cosine of the nearest chunk by MiniLM, the only model without a key, and by stand-ins that are no "
        "embedding models, on kestrel: floors chosen on the 30 questions against 0.45, judged on the probes.",
        (
            Test("the highest best floor less the lowest, MiniLM and three stand-ins", AtMost(0.1)),
            *(
                Test(f"right verdicts gained by a floor of its own, {label}", FEW)
                for label in ("MiniLM", *stand_ins.NAMES)
            ),
        ),
        embedders,
    ),
    Claim(
        "H40",
        "A passage that keyword search alone finds can not pass the cosine gate.",
        "S3-13",
        "The system cosine as its public code has it (vector hits above 0.3 only, cosine 0 for one by keywords alone) "
        "on all six golden files: questions whose source is among the hits by keywords alone; and the same with the "
        "true cosine of every hit.",
        (
            Test("questions for exact codes (q8) whose source is found, refused", Above(0.05)),
            Test("those of them whose source is found by keywords alone, refused", AtLeast(0.95)),
            Test("the same in all strata", AtLeast(0.95)),
            Test("verdicts that change when such hits count with their true cosine", AtMost(0.01)),
        ),
        keyword_only,
    ),
)
