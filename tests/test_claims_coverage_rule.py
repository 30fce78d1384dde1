"""H4 to H6, H9 and X-08: each figure reacts to what it claims to measure."""

from __future__ import annotations

from dataclasses import replace

import build
import pytest

from ragkit.claims import coverage_rule, lab
from ragkit.claims.book import claims
from ragkit.claims.claim import Tried
from ragkit.claims.coverage_rule import GATES, Together, named, rescored, x_08
from ragkit.gate import Coverage, Floor
from ragkit.records import REFUSE, Answer, Golden, Outcome, Rate
from ragkit.signals import TOP
from ragkit.system import System
from ragkit.systems import SYSTEMS

LAZY = {name: SYSTEMS[name] for name in ("always-answer", "always-refuse")}


def values(name: str) -> list[float]:
    claim = claims()[name]
    assert claim.measure
    return [figure.value for figure in Tried(claim, claim.measure()).found.figures]


@pytest.mark.parametrize(("name", "answers", "refuses"), [("H5", 1.0, 0.0), ("H6", 0.0, 1.0)])
def test_the_lazy_systems_stand_at_the_ends(
    name: str, answers: float, refuses: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Always answering finds no answer where no word is shared, so its end is nearly reached."""
    monkeypatch.setattr(lab, "PUBLISHED", LAZY["always-answer"])
    assert values(name) == pytest.approx([answers] * 3, abs=0.25)
    monkeypatch.setattr(lab, "PUBLISHED", LAZY["always-refuse"])
    assert values(name) == [refuses] * 3


@pytest.mark.parametrize(("name", "stratum", "label"), [("H5", "q4", False), ("H6", "q2", True)])
def test_each_blind_side_is_tried_on_its_own_stratum(name: str, stratum: str, label: bool) -> None:
    rows = [(corpus, row) for corpus, golden in lab.OURS for row in lab.study(corpus, golden).rows]
    asked = [corpus for corpus, row in rows if row.category == stratum and row.answerable is label]
    measure = claims()[name].measure
    assert measure and [figure.n for figure in measure().figures] == list(map(asked.count, coverage_rule.CORPORA))


def test_a_floor_lets_scores_decide_and_the_rule_alone_does_not() -> None:
    corpus = build.corpus("red sky", "blue sea")
    rankings = [build.ranking("red sky?", corpus, 3.0), build.ranking("a red zebra?", corpus, 3.0)]
    rule, floor = Coverage("retrieved"), Floor(TOP, 0.5)
    for score, expected in ((1e6, [False, True]), (0.0, [False, True])):
        assert rescored(System("rule", gates=(rule,)), corpus, rankings, score) == expected
    assert rescored(System("floor", gates=(floor,)), corpus, rankings, 1e6) == [False, False]
    assert rescored(System("both", gates=(floor, rule)), corpus, rankings, 0.0) == [True, True]


def test_a_floor_alone_is_talked_into_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "PUBLISHED", replace(lab.PUBLISHED, gates=(Floor(TOP, 8.0), Coverage("corpus"))))
    assert values("H4")[2] > 0 and values("H4")[3:] == [0.0, 1.0]  # the rule alone, and with the floor


def test_reasons_are_counted_by_how_many_ideas_are_unknown() -> None:
    def outcome(right: bool | None) -> Outcome:
        return Outcome("toy", Golden("a", "?", False, concepts=("x",)), Answer("?", REFUSE), reason_right=right)

    pairs = [(1, outcome(True)), (1, outcome(True)), (2, outcome(True)), (3, outcome(False))]
    assert (named(pairs), named(pairs, False), named(pairs, True)) == (Rate(3, 4), Rate(2, 2), Rate(1, 2))


def test_naming_the_first_idea_of_several_is_another_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    before = values("H9")
    planted = {"coverage": SYSTEMS["always-refuse"], "retrieved": SYSTEMS["always-refuse"]}
    monkeypatch.setattr(coverage_rule, "SYSTEMS", planted)  # it names no idea at all
    assert before[0] > 0.5 and values("H9") == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(("gate", "same"), [(Together(1), "retrieved"), (Together(), "passage")])
@pytest.mark.parametrize("golden", ["kestrel", "kestrel-probes"])
def test_one_idea_and_all_ideas_are_the_gates_that_there_are(gate: Together, same: str, golden: str) -> None:
    known = lab.study("kestrel", golden)
    systems = [replace(SYSTEMS["passage"], name="", gates=(each,)) for each in (gate, Coverage(same))]
    ours, theirs = ([o.answer.verdict.refused for o in known.outcomes(system)] for system in systems)
    assert ours == theirs


@pytest.mark.parametrize(
    ("gate", "question", "refused"),
    [
        (Together(2, any=True), "when does the shop close?", False),
        (Together(2, any=True, within="sentence"), "when does the shop close?", True),
        (Together(2, any=True, within="sentence"), "when does the shop open?", False),
        (Together(2, any=True, within="sentence"), "when does the shop open for zebras?", False),
        (Together(2, any=True, within="sentence"), "the shop?", False),
        (Together(2), "when does the shop open for zebras?", True),
        (Together(any=True, within="sentence"), "when does the shop open for zebras?", True),
    ],
)
def test_so_many_ideas_stand_together(gate: Together, question: str, refused: bool) -> None:
    corpus = build.corpus("The shop opens at nine. The bakery closes at six.", "A bakery.")
    assert gate.on(corpus)(build.ranking(question, corpus, 2.0, 1.0)).refused is refused


def test_asking_for_more_ideas_answers_no_more() -> None:
    rows = {row["label"]: row for row in x_08("kestrel")}
    answered = {label: rate.hits for label in GATES if isinstance(rate := rows[label]["false answers"], Rate)}
    kept = {label: -rate.hits for label in GATES if isinstance(rate := rows[label]["false refusals"], Rate)}
    for counts in (answered, kept):
        passage, sentence = [*counts.values()][:3], [*counts.values()][3:]
        assert passage == sorted(passage, reverse=True) and sentence == sorted(sentence, reverse=True)
