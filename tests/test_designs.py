"""The designs side by side: every part has its card, every row counts once, and all are asked the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import pytest

from ragkit import compare, corpus, evaluate
from ragkit.chunk import Windows
from ragkit.forms import rows
from ragkit.records import ANSWER, ERROR, REFUSE, Answer, BadInput, Citation, Document, Golden, Outcome, Rate
from ragkit.scripted import Fabricator, Faithful
from ragkit.studies import designs
from ragkit.study import Study
from ragkit.system import System
from ragkit.systems import SYSTEMS

CARDS = rows("cards.csv")
every_design = pytest.mark.parametrize("design", designs.DESIGNS, ids=lambda design: design.name)


@cache
def small() -> tuple[Study, ...]:
    return designs.studies("clinic, sdk")


# Cards


def test_every_part_of_every_design_has_a_card_and_no_card_is_left_over() -> None:
    wanted = {(design.name, part) for design in designs.DESIGNS for part in designs.PARTS}
    assert {(system, part) for system, part, *_ in CARDS} == wanted


def test_a_card_names_its_source_once_and_says_something() -> None:
    assert {source for _, _, source, _ in CARDS} == set(designs.SOURCES)
    assert max(Counter((system, part, source) for system, part, source, _ in CARDS).values()) == 1
    assert all(note.strip() for *_, note in CARDS)


@every_design
def test_the_value_on_a_card_is_that_of_the_system(design: System) -> None:
    values = {row["part"]: row["value"] for row in designs.cards(design) if row["value"]}
    assert tuple(values) == designs.PARTS
    assert values["gate"] == repr(design.gates) and values["normaliser"] == repr(design.analyzer)
    changed = {row["part"]: row["value"] for row in designs.cards(replace(design, k=99)) if row["value"]}
    assert {part for part in values if values[part] != changed[part]} == {"k"} and changed["k"] == "99"


def test_what_knows_of_versions_is_told() -> None:
    cards = [row for design in designs.DESIGNS for row in designs.cards(design)]
    found = {row["system"]: row["value"] for row in cards if row["part"] == "versions" and row["value"]}
    assert (
        found["cosine"] == "Pinned, ByVersion" and found["cited"].startswith("InForce") and found["coverage"] == "none"
    )


@every_design
def test_what_no_text_states_is_assumed(design: System) -> None:
    told = {part: {row["rests on"] for row in designs.cards(design) if row["part"] == part} for part in designs.PARTS}
    assert all("assumed" in told[part] or told[part] <= {"stated", "public"} for part in told)
    assert "assumed" in told["answerer"]  # a model writes in all of them but one, and none is asked here
    (counts,) = designs.resting([design])
    assert sum(counts[source] for source in designs.SOURCES) == len(designs.cards(design))


# Verdicts


def test_files_go_with_the_corpus_they_are_named_for() -> None:
    found = designs.by_corpus(designs.studies("kestrel-probes,clinic,clinic-probes"))
    assert {name: len(part) for name, part in found.items()} == {"kestrel": 1, "clinic": 2}


def test_every_row_is_in_one_stratum_and_in_all() -> None:
    systems = (*designs.LAZY, designs.ORACLE)
    found = designs.strata(small(), systems)
    for name, part in designs.by_corpus(small()).items():
        here = [row for row in found if row["corpus"] == name]
        sums = {
            kind: sum(row["always-refuse"].of for row in here if (row["stratum"] == "all") is kind)
            for kind in (True, False)
        }
        assert sums == dict.fromkeys((True, False), sum(len(study.rows) for study in part))


def test_the_oracle_makes_no_error_and_the_lazy_ones_all_of_one_kind() -> None:
    found = {row["label"]: row for row in designs.both(small(), (*designs.LAZY, designs.ORACLE))}
    assert not any(found[designs.ORACLE.name][error].hits for error in ("false answers", "false refusals"))
    assert found["always-refuse"]["false refusals"].value == 1 and found["always-refuse"]["false answers"].hits == 0
    assert found["always-answer"]["false answers"].value > 0.7
    assert found["always-refuse"]["points above chance"].points == 0
    assert found[designs.ORACLE.name]["points above chance"].points == 100
    (told,) = designs.reasons(small(), [designs.ORACLE])
    assert told["refused and names it"].value == 1


def test_a_corpus_is_cut_once_for_the_systems_that_cut_alike() -> None:
    (study, _) = small()
    first, second = (designs.bot(SYSTEMS[name], study).corpus for name in ("threshold", "passage"))
    assert first is second


def test_a_comparison_counts_the_rows_that_one_of_two_gets_wrong() -> None:
    system, study = SYSTEMS["threshold"], small()[0]
    answers, refusals = designs.against([study], [system])
    pair = evaluate.paired(study.outcomes(system), study.outcomes(designs.OURS))
    labels = {row.id: row.answerable for row in study.rows}
    for found, side in ((answers, False), (refusals, True)):
        assert found["only it"] == sum(labels[name] is side for name in pair.only_b)
        assert found["only passage"] == sum(labels[name] is side for name in pair.only_a)
        assert found["points more"].points == pytest.approx(100 * (found["wrong"].value - found["passage wrong"].value))


def test_all_comparisons_of_the_table_are_one_family() -> None:
    systems = (SYSTEMS["threshold"], SYSTEMS["coverage"], designs.OURS, designs.ORACLE)
    found = designs.against(small(), systems)
    assert len(found) == 2 * 2 * 2  # corpora, systems but the other and the oracle, errors
    p = [compare.mcnemar_exact(row["only it"], row["only passage"]) for row in found]
    assert [row["p (Holm)"] for row in found] == [designs._p(each) for each in compare.holm(p)]
    assert any(row["p"] != row["p (Holm)"] for row in found)


def test_a_failed_row_stops_a_comparison() -> None:
    failed = Outcome("s", Golden("a1", "?", True), Answer("?", ERROR, error="broke"))
    with pytest.raises(BadInput, match="^a1: the system failed"):
        designs.wrong([failed], True)


def test_a_change_points_up_when_there_is_more_of_it_after() -> None:
    assert designs.change([False] * 4, [True] * 4).points == 100 and designs.change([True], [False]).points == -100


def test_the_least_costly_is_told_for_each_corpus_and_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {system.name: designs.outcomes(system, small()) for system in designs.LAZY}
    monkeypatch.setattr(designs, "runs", lambda asked: made)
    found = designs.least_costly(small())
    assert [row["corpus"] for row in found] == ["clinic", "sdk", "all"]
    assert "always-answer, from" in str(found[-1]["told"])


# What is said, and what is withheld

TOY = corpus.Folder("toy", (Document("a.md", "# A\n\nOne is here.\n\n## B\n\nTwo is here.\n"),))


@pytest.mark.parametrize(("source", "right"), [("a.md#b", True), ("a.md#a", False), ("a.md", True)])
def test_a_quote_is_of_the_section_its_line_is_in_and_not_of_all_that_its_window_touches(
    source: str, right: bool
) -> None:
    (window, *_), _ = Windows(60, 15).on(TOY.documents[0])
    assert {"a.md#a", "a.md#b"} <= set(window.sections)
    said = Answer("?", ANSWER, "Two is here. [1]", (Citation(window, "Two is here.", 7),))
    outcome = Outcome("s", Golden("a1", "?", True, sources=(source,)), said)
    assert designs._cites(outcome, SimpleNamespace(folder=TOY)) is right  # type: ignore[arg-type]


def test_what_is_said_is_counted_over_what_is_answered_and_over_all() -> None:
    found = {row["system"]: row for row in designs.answers(small(), [SYSTEMS["coverage"], *designs.LAZY])}
    row, refuses = found["coverage"], found["always-refuse"]
    assert row["facts right, of the answered"].hits == row["of all with facts"].hits
    assert row["facts right, of the answered"].of < row["of all with facts"].of
    assert refuses["answered"].hits == refuses["of all with facts"].hits == refuses["quotes the source"].of == 0


def test_a_check_withholds_what_was_made_up_and_its_false_alarms_stand_apart() -> None:
    found = {row["drafts by"]: row for row in designs.withheld(small()[:1], writers=(Faithful(), Fabricator("[1]")))}
    assert found["Faithful()"]["altered drafts withheld"] == Rate(0, 0)
    made_up = found["Fabricator(marker='[1]')"]
    assert made_up["sound drafts withheld"] == Rate(0, 0)
    assert made_up["altered drafts withheld"].hits == made_up["citation-invalid"] + made_up["number-unsupported"] > 0


def test_without_checks_nothing_is_withheld() -> None:
    bare = replace(SYSTEMS["cited"], checks=())
    found = designs.withheld(small()[:1], bare, writers=(Fabricator(),))
    assert all(row["sound drafts withheld"].hits == row["altered drafts withheld"].hits == 0 for row in found)


def test_a_refusal_by_label_is_no_answer() -> None:
    row = Golden("a1", "?", False, concepts=("dog",))
    assert designs._labelled(row).answer.outcome == REFUSE and designs._labelled(row).right
