"""The designs with a floor chosen anew and with other stemmers, each judged on questions that it was not chosen on."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from ragkit import metrics, stats
from ragkit.chunk import Headings
from ragkit.corpus import index
from ragkit.forms import STEMMERS, kin
from ragkit.frontdesk import Bullets
from ragkit.gate import Anything, Floor
from ragkit.records import ANSWER, BadInput, Rate
from ragkit.rerank import AsFound
from ragkit.studies.designs import DESIGNS, ERRORS, Studies, bot, moved, outcomes
from ragkit.studies.experiment import Row
from ragkit.studies.inflections import inflected
from ragkit.study import Study
from ragkit.system import System
from ragkit.systems import SYSTEMS
from ragkit.text import Analyzer, visible


def calibrated(chosen_on: Study, judged_on: Studies, systems: Sequence[System] = DESIGNS) -> list[Row]:
    """Each floor of a design as stated, and the one that makes the fewest errors on one set of questions with all else
    as it is; both judged on other questions. A question that another gate refuses is refused whatever the floor."""
    asked = {row.question for study in judged_on for row in study.rows}
    if both := asked.intersection(row.question for row in chosen_on.rows):
        raise BadInput(f"{len(both)} questions are in both: a floor is judged on others than it was chosen on")
    found: list[Row] = []
    for system in (each for each in systems if any(isinstance(gate, Floor) for gate in each.gates)):
        best = _best(system, chosen_on)
        for label, one in (("as stated", system), ("chosen", with_floor(system, best.at))):
            made = outcomes(one, judged_on)
            found.append({
                "system": system.name, "floor": label, "under": str(_floor(one).signal), "at": _floor(one).least,
                "errors where chosen": Rate(best.errors, len(chosen_on.rows)) if label == "chosen" else "",
                **{error: measure(made) for error, measure, _ in ERRORS}, "right": metrics.gate_accuracy(made),
            })  # fmt: skip
    return found


def _floor(system: System) -> Floor:
    return next(gate for gate in system.gates if isinstance(gate, Floor))


def with_floor(system: System, least: float) -> System:
    """The design with another floor; where sentences are taken above a bar of their own, that is the floor too."""
    gates = tuple(replace(gate, least=least) if isinstance(gate, Floor) else gate for gate in system.gates)
    answerer = replace(system.answerer, least=least) if isinstance(system.answerer, Bullets) else system.answerer
    return replace(system, name=f"{system.name} at {least:.3g}", gates=gates, answerer=answerer)


def _best(system: System, study: Study) -> stats.Rule:
    """The best floor for a system. A reranker drops what the floor has seen, so the signal is read before it."""
    signal = _floor(system).signal
    open_ = replace(with_floor(system, -math.inf), name="no floor")
    seen = replace(open_, gates=(Anything(),), reranker=AsFound())
    corpus = bot(seen, study).corpus
    rankings = [o.answer.ranking for o in outcomes(seen, [study])]
    passed = [o.answer.outcome == ANSWER for o in outcomes(open_, [study])]
    values = [signal(r, corpus) if ok else -math.inf for r, ok in zip(rankings, passed, strict=True)]
    pairs = list(zip(study.rows, values, strict=True))
    low, high = ([value for row, value in pairs if row.answerable is side] for side in (True, False))
    return stats.best_threshold(low, high)


def vocabulary(asked: Studies) -> set[str]:
    """The words of the corpora as they are indexed, without stop words, codes and numbers."""
    found: set[str] = set()
    for folder in {study.folder for study in asked}:
        cut = index(folder, Headings(), Analyzer(stemmer="none"))
        words = (
            word
            for chunk in cut.chunks
            for text in (*chunk.path, chunk.text)
            for word in cut.analyzer.words(visible(text))
        )
        found |= {word.form for word in words if not word.stop and not word.pieces and word.form.isalpha()}
    return found


def stemmers(asked: Studies, design: System = SYSTEMS["coverage"]) -> list[Row]:
    """What each stemmer joins of the words of the corpora, counted out: inflections of one base (`inflected`), further
    pairs that `forms.kin` takes for one word, and others; and both errors of a design with it."""
    known, native = vocabulary(asked), outcomes(design, asked)
    pairs, found = inflected(known), []
    for name, make in STEMMERS.items():
        stem, stems = make(), defaultdict(list)
        for word in sorted(known):
            stems[stem(word)].append(word)
        joined = [pair for words in stems.values() for pair in combinations(words, 2)]
        others = [pair for pair in joined if pair not in pairs]
        thrown = sorted(f"{a}/{b}" for a, b in others if not kin(a, b))
        with_it = replace(design, analyzer=replace(design.analyzer, stemmer=name))
        made = native if with_it == design else outcomes(with_it, asked)
        found.append({
            "stemmer": name, "inflected pairs": len(pairs), "joined": len(joined) - len(others),
            "share": (len(joined) - len(others)) / len(pairs), "kin besides": len(others) - len(thrown),
            "thrown together": len(thrown), "such as": ", ".join(thrown[:3]), **moved(made, native),
        })  # fmt: skip
    return found
