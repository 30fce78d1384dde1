"""A swap changes one part and means nothing off its scale; a chosen floor makes the errors it is said to make."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache
from typing import Any

import pytest

from ragkit.frontdesk import Bullets
from ragkit.gate import Floor
from ragkit.records import BadInput, Rate
from ragkit.rerank import AsFound, Overlap
from ragkit.retrieve import Lexical
from ragkit.signals import TOP
from ragkit.studies import designs, refit, swaps
from ragkit.studies.designs import Change
from ragkit.studies.inflections import inflected, inflections
from ragkit.study import Study
from ragkit.system import System
from ragkit.systems import COSINE, COVERAGE, FRONT_DESK, SYSTEMS

every_receiver = pytest.mark.parametrize("design", swaps.RECEIVERS, ids=lambda design: design.name)


@cache
def asked() -> tuple[Study, ...]:
    return designs.studies("sdk")


@cache
def crossed() -> list[Any]:
    return swaps.crossed(asked(), [COVERAGE])


@every_receiver
def test_a_swap_changes_one_part(design: System) -> None:
    for swap in swaps.swaps(design):
        differ = {f.name for f in fields(design) if getattr(design, f.name) != getattr(swap.swapped, f.name)}
        field = swaps.FIELDS.get(swap.part, "answerer")
        assert differ == {"name", field} or (swap.part == "answer policy" and swap.why)


@every_receiver
def test_every_other_part_of_the_other_designs_is_tried(design: System) -> None:
    found = [swap for swap in swaps.swaps(design) if swap.part in swaps.FIELDS]
    for part, field in swaps.FIELDS.items():
        named = {name for swap in found if swap.part == part for name in swap.source.split(", ")}
        differ = {d.name for d in designs.DESIGNS[:-1] if getattr(d, field) != getattr(design, field)}
        assert named - {"threshold", swaps.NO_FLOOR.name} == differ


def test_no_design_is_off_its_own_scale() -> None:
    assert not any(map(swaps.meaningless, designs.DESIGNS))


@pytest.mark.parametrize(
    ("system", "why"),
    [
        (replace(FRONT_DESK, retriever=Lexical()), "a floor of 0.095 under TF-IDF, over scores by BM25"),
        (replace(COSINE, gates=FRONT_DESK.gates), "a floor of 0.095 under TF-IDF, over scores by fused ranks"),
        (replace(COVERAGE, answerer=Bullets()), "quotes from a TF-IDF score of 0.095 on, over scores by BM25"),
        (replace(COVERAGE, retriever=SYSTEMS["coverage-hybrid"].retriever), ""),  # as it is published
        (replace(FRONT_DESK, gates=COSINE.gates), ""),  # a cosine is one whatever found the passage
    ],
)
def test_a_floor_means_something_on_its_scale_alone(system: System, why: str) -> None:
    assert swaps.meaningless(system) == why


def test_what_means_nothing_has_a_reason_and_no_numbers() -> None:
    numbers, reasons = swaps.apart(crossed())
    assert len(numbers) + len(reasons) == len(crossed()) and reasons
    for row in crossed():
        assert ("false answers" in row) is not bool(row["not meaningful"])


def test_a_swap_is_set_against_the_design_as_it_is() -> None:
    native = crossed()[0]
    assert native["part"] == "as it is" and native["false answers, points more"] == ""
    for row in crossed()[1:]:
        if not row["not meaningful"]:
            moved = 100 * (row["false refusals"].value - native["false refusals"].value)
            assert row["false refusals, points more"].points == pytest.approx(moved)


def test_a_writer_that_defers_refuses_nothing_more_and_one_that_may_does() -> None:
    may, defers = (next(row for row in crossed() if row["from"] == policy) for policy in swaps.POLICIES)
    assert defers["false refusals, points more"].points == 0 < may["false refusals, points more"].points


@pytest.mark.parametrize("name", ["cited", "cosine", "front-desk"])
def test_what_is_shared_gives_the_same_verdicts(name: str) -> None:
    quick, (study,) = swaps._verdicts(SYSTEMS[name], asked()), asked()
    assert [o.answer for o in quick] == [o.answer for o in study.outcomes(SYSTEMS[name])]


def row(part: str, source: str, answers: Change, refusals: Change, design: str = "coverage") -> dict[str, Any]:
    told = {"false answers, points more": answers, "false refusals, points more": refusals}
    return {"design": design, "part": part, "from": source, **told, "not meaningful": ""}


STILL, UP, DOWN = Change(0, -1, 1), Change(30, 20, 40), Change(-40, -50, -30)
PLANTED = [
    {"design": "coverage", "part": "as it is", "from": "", "not meaningful": ""},
    row("gate", "cosine", UP, DOWN), row("gate", "cited", STILL, Change(9, -2, 20)),
    row("k", "cited, cosine", STILL, STILL),
    {"design": "coverage", "part": "gate", "from": "front-desk", "not meaningful": "off its scale"},
]  # fmt: skip


def test_a_part_moves_an_error_when_no_change_lies_outside_the_interval() -> None:
    gate, k = swaps.by_part(PLANTED)
    assert (gate["swaps"], gate["not meaningful"], k["swaps"], k["not meaningful"]) == (2, 1, 1, 0)
    assert (gate["move false answers"], gate["move false refusals"]) == (1, 1)
    assert (gate["false answers, most"], gate["false refusals, most"]) == (UP, DOWN)
    assert (k["move false answers"], k["move false refusals"]) == (0, 0)


def test_a_difference_is_laid_to_the_part_that_brings_it() -> None:
    found = {(r["other"], r["error"]): r for r in swaps.laid(PLANTED, asked()) if r["design"] == "coverage"}
    assert found["cosine", "false answers"]["gate"] == "+30" and found["cosine", "false refusals"]["gate"] == "-40"
    assert found["cosine", "false answers"]["k"] == "0" and found["cosine", "false answers"]["checks"] == "-"
    assert found["front-desk", "false answers"]["gate"] == ""
    mine, theirs = (designs.both(asked(), [each])[0]["false answers"].value for each in (COVERAGE, COSINE))
    assert found["cosine", "false answers"]["in all"].points == pytest.approx(100 * (theirs - mine))


def test_the_gate_of_coverage_comes_without_its_floor_where_that_is_off_its_scale() -> None:
    off = {"design": "cosine", "part": "gate", "from": "coverage, coverage-hybrid", "not meaningful": "off its scale"}
    rows = [off, row("gate", swaps.NO_FLOOR.name, UP, UP, "cosine")]
    found = [r for r in swaps.laid(rows, asked()) if (r["design"], r["other"]) == ("cosine", "coverage")]
    assert [r["gate"] for r in found] == ["+30", "+30"]


def test_a_picture_tells_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(swaps, "show", lambda figure, alt, name: told.append(alt))
    swaps.forest(PLANTED, name="toy")
    assert "coverage, gate of cosine +30 and -40" in told[0] and "front-desk" not in told[0]


# Floors chosen anew


@pytest.mark.parametrize("name", ["coverage", "front-desk", "cosine", "threshold"])
def test_the_best_floor_makes_as_many_errors_as_it_is_said_to(name: str) -> None:
    (study,) = asked()
    best = refit._best(SYSTEMS[name], study)
    made = designs.outcomes(refit.with_floor(SYSTEMS[name], best.at), [study])
    assert sum(o.right is False for o in made) == best.errors
    assert best.errors <= sum(o.right is False for o in designs.outcomes(SYSTEMS[name], [study]))


def test_a_floor_is_chosen_on_what_it_sees_and_not_on_what_a_reranker_leaves() -> None:
    (study,) = asked()
    found = [refit._best(replace(COSINE, reranker=each), study) for each in (AsFound(), Overlap(1))]
    assert found[0] == found[1]


def test_a_bar_of_its_own_moves_with_the_floor() -> None:
    moved = refit.with_floor(FRONT_DESK, 0.5)
    assert moved.gates == (Floor(TOP, 0.5),) and moved.answerer == Bullets(least=0.5)
    assert refit.with_floor(COVERAGE, 1.0).gates == (Floor(TOP, 1.0), COVERAGE.gates[1])


def test_a_floor_is_told_as_stated_and_as_chosen() -> None:
    threshold, others = SYSTEMS["threshold"], designs.studies("sdk-probes")
    stated, chosen = refit.calibrated(asked()[0], others, [threshold])
    assert stated["at"] == 2.0 and stated["errors where chosen"] == ""
    there, here = (designs.outcomes(refit.with_floor(threshold, chosen["at"]), each) for each in (asked(), others))
    assert chosen["errors where chosen"] == Rate(sum(not o.right for o in there), len(there))
    assert chosen["right"].hits == sum(bool(o.right) for o in here)


def test_a_floor_is_not_judged_on_the_questions_it_was_chosen_on() -> None:
    with pytest.raises(BadInput, match="18 questions are in both"):
        refit.calibrated(asked()[0], (*designs.studies("sdk-probes"), *asked()))


# Stemmers


@pytest.mark.parametrize(
    ("base", "forms"),
    [
        ("address", {"addresses", "addressed", "addressing"}),
        ("hope", {"hopes", "hoped", "hoping"}),
        ("hop", {"hops", "hopped", "hopping"}),
        ("visit", {"visits", "visited", "visiting", "visitted", "visitting"}),
        ("delay", {"delays", "delayed", "delaying"}),
        ("agree", {"agrees", "agreed", "agreeing"}),
        ("tie", {"ties", "tied", "tying"}),
        ("it", set()),
    ],
)
def test_endings_are_put_on_as_they_are_spelled(base: str, forms: set[str]) -> None:
    assert inflections(base) == {base} | forms


def test_words_are_a_pair_when_one_base_has_both() -> None:
    words = {
        "lane",
        "lanes",
        "lan",
        "sit",
        "sits",
        "site",
        "sites",
        "booked",
        "booking",
        "city",
        "cities",
        "planned",
        "plan",
    }
    assert inflected(words) == {
        ("lane", "lanes"), ("sit", "sits"), ("site", "sites"), ("booked", "booking"), ("cities", "city"),
        ("plan", "planned"),
    }  # fmt: skip


def test_a_stemmer_is_counted_by_what_it_joins(monkeypatch: pytest.MonkeyPatch) -> None:
    words = {"lane", "lanes", "lan", "carry", "carried", "insurance", "insurer"}
    monkeypatch.setattr(refit, "vocabulary", lambda studies: words)
    found = {row["stemmer"]: row for row in refit.stemmers(asked())}
    assert {name: row["joined"] for name, row in found.items()} == {
        "snowball": 2, "plural": 1, "suffix": 1, "front-desk": 1, "none": 0,
    }  # fmt: skip
    assert found["snowball"]["such as"] == "insurance/insurer" and found["suffix"]["kin besides"] == 1  # lan, lanes
    assert found["suffix"]["false refusals, points more"] == ""


def test_the_words_are_those_that_are_indexed() -> None:
    words = refit.vocabulary(asked())
    assert "transport" in words and "the" not in words and all(word.isalpha() for word in words)
