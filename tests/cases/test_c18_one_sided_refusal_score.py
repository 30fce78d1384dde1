"""Both kinds of error stand side by side, and a system that always answers or always refuses passes nowhere.

A folder holds a golden file, three recorded runs over it, their counts by hand, and a golden file of one class.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import case
import pytest

from ragkit import evaluate, golden, metrics, report, tables
from ragkit.records import ANSWER, Answer, Golden, Rate

LAZY = ("always-answer", "always-refuse")
SYSTEMS = (*LAZY, "careful")
SIDES = {"false answers", "false refusals"}

# What a lazy system breaks where the careful one is the baseline.
BROKEN = {
    ("given", "always-answer"): ("q5",),
    ("given", "always-refuse"): ("q1", "q2", "q4"),
    ("variant-a", "always-answer"): ("x1", "x2", "x4"),
    ("variant-a", "always-refuse"): ("r1", "r2"),
    ("variant-b", "always-answer"): ("10", "11", "12", "13", "14", "15", "16", "17"),
    ("variant-b", "always-refuse"): ("07",),
}
HELD = {("given", "careful"): 4, ("given", "always-answer"): 4, ("given", "always-refuse"): 2} | {
    ("variant-a", "careful"): 5, ("variant-a", "always-answer"): 3, ("variant-a", "always-refuse"): 5,
    ("variant-b", "careful"): 9, ("variant-b", "always-answer"): 1, ("variant-b", "always-refuse"): 9,
}  # fmt: skip
NO_ANSWERABLE = "no answerable question: false refusals can not be computed"
NO_UNANSWERABLE = "no unanswerable question: false answers can not be computed"
ONE_SIDED = {"given": NO_ANSWERABLE, "variant-a": NO_UNANSWERABLE, "variant-b": NO_ANSWERABLE}
UNDEFINED = {NO_ANSWERABLE: "false_refusals", NO_UNANSWERABLE: "false_answers"}

Ragkit = Callable[..., tuple[int, str, str]]

every_folder = pytest.mark.parametrize("folder", case.FOLDERS)
every_system = pytest.mark.parametrize("system", SYSTEMS)
every_lazy_system = pytest.mark.parametrize("system", LAZY)


def asked(id: str) -> str:
    return f"How deep is lake {id}?"


def questions(folder: str, name: str = "golden") -> list[Golden]:
    rows = case.table(case.HERE / "c18" / folder / f"{name}.csv")
    return [Golden(row["id"], asked(row["id"]), row["expect"] == ANSWER) for row in rows]


@cache
def run(folder: str, system: str) -> report.Run:
    """A recorded run, put through the evaluation like any system."""
    kept = {asked(r["id"]): r["outcome"] for r in case.table(case.HERE / "c18" / folder / f"{system}.csv")}
    return over(folder, questions(folder), system, kept.__getitem__)


def one_class(folder: str, system: str) -> report.Run:
    return over(folder, questions(folder, "golden-one-class"), system, lambda _: system.removeprefix("always-"))


def over(folder: str, rows: list[Golden], system: str, outcome: Callable[[str], str]) -> report.Run:
    outcomes = evaluate.run(lambda batch: [Answer(q, outcome(q)) for q in batch], rows, system=system, k=5)
    return report.Run(system, "docs", folder, 1, "bm25", tuple(outcomes))


def counts() -> list[tuple[str, str, str, Rate]]:
    return [
        (folder, row["system"], row["metric"], Rate(int(row["hits"]), int(row["of"])))
        for folder in case.FOLDERS
        for row in case.table(case.HERE / "c18" / folder / "expected.csv")
    ]


@pytest.mark.parametrize(("folder", "system", "metric", "rate"), counts())
def test_the_counts(folder: str, system: str, metric: str, rate: Rate) -> None:
    assert dict(metrics.MEASURES)[metric](run(folder, system).outcomes) == rate


# The pass rule


@every_folder
@every_lazy_system
def test_no_lazy_system_passes(folder: str, system: str) -> None:
    assert not all(map(evaluate.held, run(folder, system).outcomes))


@pytest.mark.parametrize(("folder", "system"), HELD)
def test_how_many_rows_hold_is_said(folder: str, system: str) -> None:
    outcomes = run(folder, system).outcomes
    assert f"{HELD[folder, system]} of {len(outcomes)} hold" in "\n".join(report.bands(run(folder, system)))


@pytest.mark.parametrize(("folder", "system"), BROKEN)
def test_turning_a_careful_system_into_a_lazy_one_breaks_rows(folder: str, system: str) -> None:
    baseline = {o.golden.id: evaluate.held(o) for o in run(folder, "careful").outcomes}
    assert set(evaluate.compare(baseline, run(folder, system).outcomes).broken) == set(BROKEN[folder, system])


@every_folder
@every_lazy_system
def test_a_lazy_system_gains_nothing_over_chance(folder: str, system: str) -> None:
    assert metrics.youden_j(run(folder, system).outcomes) == 0


@every_folder
@every_lazy_system
@pytest.mark.parametrize("derived", [name for name, _ in metrics.DERIVED])
def test_a_single_number_falls_when_the_system_is_lazy(derived: str, folder: str, system: str) -> None:
    measure = dict(metrics.DERIVED)[derived]
    assert measure(run(folder, system).outcomes) < measure(run(folder, "careful").outcomes)


# Side by side


def beside(names: list[str]) -> bool:
    """Whether two names that mean the two kinds of error, or of success, stand next to each other."""
    places = [n for n, name in enumerate(names) if name.replace("_", " ") in SIDES]
    return len(places) == 2 and places[1] - places[0] == 1


def test_both_directions_stand_beside_each_other_in_the_refusal_table() -> None:
    (row,) = report.refusals([run("given", "careful")])
    assert beside(list(row))


def test_both_directions_stand_beside_each_other_in_what_eval_shows() -> None:
    assert beside([str(row["measure"]) for row in report.measures(run("given", "careful").outcomes)])


def test_both_directions_stand_beside_each_other_in_what_is_kept() -> None:
    kept = metrics.table(run("given", "careful").outcomes, "docs", "given")
    assert beside([str(row["metric"]) for row in kept])


def test_both_bands_are_first_in_what_eval_says() -> None:
    first = [line.split()[0] for line in report.bands(run("given", "careful"))[:2]]
    assert first == ["ANSWERABLE", "UNANSWERABLE"]


@every_folder
def test_the_refusal_table_shows_both_directions_of_every_system(folder: str) -> None:
    rows = report.refusals([run(folder, system) for system in SYSTEMS])
    by_hand = {(system, metric): rate for where, system, metric, rate in counts() if where == folder}
    expected = [(s, by_hand[s, "false_answers"], by_hand[s, "false_refusals"]) for s in SYSTEMS]
    assert [(row["system"], row["false answers"], row["false refusals"]) for row in rows] == expected


@every_folder
@every_system
def test_the_data_hold_both_directions(folder: str, system: str) -> None:
    data = report.as_json(run(folder, system), evaluate.Changes((), (), (), ()))
    found = [(data[side]["hits"], data[side]["of"]) for side in ("answerable", "unanswerable")]
    by_hand = {metric: (r.hits, r.of) for where, name, metric, r in counts() if (where, name) == (folder, system)}
    assert found == [by_hand["right_answers"], by_hand["right_refusals"]]


def test_nothing_is_called_refusal_accuracy() -> None:
    shown = report.measures(run("given", "careful").outcomes)
    (table,) = report.refusals([run("given", "careful")])
    names = [name for name, _ in (*metrics.MEASURES, *metrics.DERIVED)]
    names += [*report.SHOWN, *table, *(str(row["measure"]) for row in shown)]
    assert [name for name in names if re.search("refus.*accura|accura.*refus", name)] == []


# One class


@every_folder
def test_both_figures_of_two_classes_can_be_computed(folder: str) -> None:
    assert metrics.one_sided(run(folder, "careful").outcomes) == ""


@every_folder
@every_lazy_system
def test_the_figure_that_can_not_be_computed_is_named(folder: str, system: str) -> None:
    assert metrics.one_sided(one_class(folder, system).outcomes) == ONE_SIDED[folder]


@every_folder
@every_lazy_system
def test_the_bands_say_it_in_plain_words(folder: str, system: str) -> None:
    assert f"one-sided set: {ONE_SIDED[folder]}" in report.bands(one_class(folder, system))


@every_folder
@every_lazy_system
def test_the_figure_is_no_number(folder: str, system: str) -> None:
    measure = dict(metrics.MEASURES)[UNDEFINED[ONE_SIDED[folder]]]
    assert math.isnan(measure(one_class(folder, system).outcomes).value)


@every_folder
@every_lazy_system
@pytest.mark.parametrize("derived", [name for name, _ in metrics.DERIVED])
def test_no_number_is_derived_from_one_class(derived: str, folder: str, system: str) -> None:
    assert math.isnan(dict(metrics.DERIVED)[derived](one_class(folder, system).outcomes))


@every_folder
@every_lazy_system
def test_the_refusal_table_shows_that_it_is_missing(folder: str, system: str) -> None:
    header, ((*cells,),) = tables.texts(report.refusals([one_class(folder, system)]))
    missing = UNDEFINED[ONE_SIDED[folder]].replace("_", " ")
    assert cells[header.index(missing)] == "n/a (0 questions)"


# The command


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ragkit: Ragkit) -> Ragkit:
    """`ragkit eval` over rows on a folder of one document."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Lake\n\nThe lake is deep.\n")
    monkeypatch.chdir(tmp_path)

    def run(rows: list[Golden], *words: str) -> tuple[int, str, str]:
        golden.write(tmp_path / "asked.csv", rows)
        return ragkit("eval", "--corpus", "docs", "--golden", "./asked.csv", *words)

    return run


@every_folder
@every_lazy_system
def test_eval_says_what_one_class_can_not_tell(folder: str, system: str, judged: Ragkit) -> None:
    _, out, _ = judged(questions(folder, "golden-one-class"), "--system", system)
    assert f"\none-sided set: {ONE_SIDED[folder]}\n" in out


@every_folder
@every_lazy_system
def test_eval_shows_both_directions_of_a_lazy_system(folder: str, system: str, judged: Ragkit) -> None:
    _, out, _ = judged(questions(folder), "--system", system)
    by_hand = {metric: rate for where, name, metric, rate in counts() if (where, name) == (folder, system)}
    found = {name: re.search(rf"^{name.replace('_', ' ')} +(\d+/\d+) ", out, re.MULTILINE)[1] for name in by_hand}
    assert found == {name: repr(rate) for name, rate in by_hand.items()}
