"""A row that ended in an error stands in no rate, is counted beside every rate, and is nobody's gain.

`run-a.csv` and `run-b.csv` of a folder are replayed as systems; `expected.csv` holds the counts by hand, with the least
and the most that a rate could be over all its rows.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import case
import pytest

from ragkit import evaluate, metrics, report
from ragkit.records import ANSWER, ERROR, REFUSE, Answer, Chunk, Citation, Golden, Hit, Outcome, Ranking, Rate

PASSAGE = Chunk("c", "a.md", "This stands here.")
STANDS, MADE_UP = Citation(PASSAGE, "This stands here.", 1), Citation(PASSAGE, "This is made up.", 1)
QUOTES = {"1": (STANDS,), "0.5": (STANDS, MADE_UP), "0": (MADE_UP,), "": ()}

FAILED = {
    "given": ["q03", "q04", "q05", "q09"],
    "variant-a": ["w3", "w5", "w9", "w11"],
    "variant-b": ["z5", "n1", "n2", "n3", "n4"],
}
# Of the rows that both scored: how many each got right, and the ids that only one of the two did.
BOTH = {
    "given": (Rate(6, 6), Rate(6, 6), (), ()),
    "variant-a": (Rate(7, 8), Rate(7, 8), (), ()),
    "variant-b": (Rate(3, 4), Rate(3, 4), ("z4",), ("z3",)),
}
# Run B against a baseline of what held in run A: the ids that broke, and those that were mended.
CHANGES = {"given": (("q03", "q04"), ()), "variant-a": (("w5",), ()), "variant-b": (("z4", "z5", "n3"), ("z3",))}

every_folder = pytest.mark.parametrize("folder", case.FOLDERS)


def rows(folder: str, name: str) -> list[dict[str, str]]:
    return case.table(case.HERE / "c16" / folder / f"run-{name}.csv")


def replay(row: dict[str, str], question: str) -> Answer:
    """The answer of a recorded row; an error is raised, as a system would."""
    if row["outcome"] == ERROR:
        raise RuntimeError(row["error"])
    quotes = QUOTES[row["faithful"]]
    text = "\n".join(citation.quote for citation in quotes)
    return Answer(question, row["outcome"], text, quotes, ranking=Ranking(question, (Hit(PASSAGE, 1.0),)))


@cache
def run(folder: str, name: str) -> report.Run:
    """A recorded run, put through the evaluation like any system."""
    kept = {f"What of {row['id']}?": row for row in rows(folder, name)}
    asked = [Golden(row["id"], question, row["expect"] == ANSWER) for question, row in kept.items()]
    ask_all = evaluate.each(lambda question: replay(kept[question], question))
    outcomes = evaluate.run(ask_all, asked, system=name, k=5)
    return report.Run(name, "docs", folder, 1, "bm25", tuple(outcomes))


def counted(least: str = "") -> list[tuple[str, dict[str, str]]]:
    """The rows of counts; with `least`, those that have bounds."""
    found = [
        (folder, row) for folder in case.FOLDERS for row in case.table(case.HERE / "c16" / folder / "expected.csv")
    ]
    return [(folder, row) for folder, row in found if not least or row[least]]


def label(value: object) -> str:
    return f"{value['run']}-{value['metric']}" if isinstance(value, dict) else str(value)


def every_count(least: str = "") -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("folder", "row"), counted(least), ids=label)


def rate(row: dict[str, str]) -> Rate:
    return Rate(float(row["hits"]), int(row["of"]), int(row["left_out"]))


# The counts


@every_count()
def test_an_error_is_left_out_of_a_rate_and_counted(folder: str, row: dict[str, str]) -> None:
    assert dict(metrics.MEASURES)[row["metric"]](run(folder, row["run"]).outcomes) == rate(row)


@every_count("least")
def test_the_bounds_are_over_all_rows(folder: str, row: dict[str, str]) -> None:
    found = metrics.bounds(dict(metrics.MEASURES)[row["metric"]](run(folder, row["run"]).outcomes))
    assert found == (Rate(int(row["least"]), int(row["all"])), Rate(int(row["most"]), int(row["all"])))


@every_folder
def test_a_run_without_errors_is_whole(folder: str) -> None:
    assert metrics.errors(run(folder, "a").outcomes) == []


@every_folder
def test_errors_are_listed_by_id(folder: str) -> None:
    assert metrics.errors(run(folder, "b").outcomes) == FAILED[folder]


@every_folder
def test_an_error_is_neither_a_refusal_nor_a_wrong_answer(folder: str) -> None:
    failed = [o for o in run(folder, "b").outcomes if o.golden.id in FAILED[folder]]
    assert {(o.answer.outcome, o.right, o.claims) for o in failed} == {(ERROR, None, 0)}


@every_folder
def test_what_failed_is_kept_in_one_line(folder: str) -> None:
    kept = {row["id"]: row["error"] for row in evaluate.outcomes_table(run(folder, "b").outcomes, "docs", folder)}
    said = {row["id"]: row["error"].split() for row in rows(folder, "b") if row["outcome"] == ERROR}
    assert {id: kept[id] for id in said} == {id: " ".join(["RuntimeError:", *words]) for id, words in said.items()}


# What is shown


def line(folder: str, name: str, start: str) -> str:
    """The one line of the bands that begins so, empty where there is none."""
    return "\n".join(line for line in report.bands(run(folder, name)) if start in line)


@every_folder
def test_a_run_with_errors_is_marked_as_incomplete_with_the_ids(folder: str) -> None:
    failed = FAILED[folder]
    said = f"INCOMPLETE: {len(failed)} rows ended in an error and stand in no rate: {', '.join(failed)}"
    assert said in report.bands(run(folder, "b"))


@every_folder
def test_a_whole_run_is_not_marked(folder: str) -> None:
    assert line(folder, "a", "INCOMPLETE") == ""


@every_folder
def test_the_total_shows_its_counts_and_what_is_left_out(folder: str) -> None:
    rows = case.table(case.HERE / "c16" / folder / "expected.csv")
    (row,) = (row for row in rows if (row["run"], row["metric"]) == ("b", "gate_accuracy"))
    said = f"{row['hits']}/{row['of']} ({row['left_out']} left out) right; {row['least']} of {row['all']} hold"
    assert line(folder, "b", " hold ").startswith(said)


BANDS = {"right_answers": "ANSWERABLE ", "right_refusals": "UNANSWERABLE"}


@pytest.mark.parametrize(
    ("folder", "row"), [(folder, row) for folder, row in counted() if row["metric"] in BANDS], ids=label
)
def test_each_band_says_how_many_rows_it_leaves_out(folder: str, row: dict[str, str]) -> None:
    (band,) = (x for x in report.bands(run(folder, row["run"])) if x.startswith(BANDS[row["metric"]]))
    assert (f"{row['left_out']} left out" in band) is (row["left_out"] != "0")


@pytest.mark.parametrize("folder", ["given", "variant-a"])
def test_the_bound_on_false_answers_says_how_many_rows_it_leaves_out(folder: str) -> None:
    left_out = metrics.false_answers(run(folder, "b").outcomes).left_out
    assert f"{left_out} left out" in line(folder, "b", "falsely answered")


SHOWN = [(folder, row) for folder, row in counted() if row["metric"] in report.SHOWN]


@pytest.mark.parametrize(("folder", "row"), SHOWN, ids=label)
def test_every_measure_shown_says_how_many_rows_it_leaves_out(folder: str, row: dict[str, str]) -> None:
    shown = {str(m["measure"]): str(m["value"]) for m in report.measures(run(folder, row["run"]).outcomes)}
    assert (f"{row['left_out']} left out" in shown[row["metric"].replace("_", " ")]) is (row["left_out"] != "0")


@pytest.mark.parametrize(
    ("folder", "row"), [(f, row) for f, row in SHOWN if row["metric"] != "faithfulness" and row["of"] != "0"], ids=label
)
def test_every_proportion_shown_has_its_counts(folder: str, row: dict[str, str]) -> None:
    shown = {str(m["measure"]): str(m["value"]) for m in report.measures(run(folder, row["run"]).outcomes)}
    assert shown[row["metric"].replace("_", " ")].startswith(f"{row['hits']}/{row['of']} (")


@pytest.mark.parametrize(
    ("folder", "name", "said"),
    [
        ("given", "a", "0.571 (mean of 7)"),
        ("given", "b", "1.000 (mean of 4, 4 left out)"),
        ("variant-a", "a", "0.571 (mean of 7)"),
        ("variant-a", "b", "0.625 (mean of 4, 4 left out)"),
        ("variant-b", "a", "0.429 (mean of 7)"),
        ("variant-b", "b", "1.000 (mean of 3, 5 left out)"),
    ],
)
def test_faithfulness_is_shown_with_the_answers_it_is_a_mean_of(folder: str, name: str, said: str) -> None:
    (shown,) = (m["value"] for m in report.measures(run(folder, name).outcomes) if m["measure"] == "faithfulness")
    assert shown == said


@every_count()
def test_every_rate_that_is_kept_has_its_counts(folder: str, row: dict[str, str]) -> None:
    kept = report.as_json(run(folder, row["run"]), evaluate.Changes((), (), (), ()))["metrics"]
    (found,) = (m for m in kept if m["metric"] == row["metric"])
    assert (found["hits"], found["of"], found["left_out"]) == (float(row["hits"]), int(row["of"]), int(row["left_out"]))


@every_folder
def test_the_errors_stand_in_the_data_too(folder: str) -> None:
    data = report.as_json(run(folder, "b"), evaluate.Changes((), (), (), ()))
    assert data["errors"] == FAILED[folder]


@every_folder
def test_every_failed_row_is_listed_as_an_error(folder: str) -> None:
    listed = [row["id"] for row in report.failures(run(folder, "b").outcomes) if str(row["why"]).startswith("error: ")]
    assert listed == FAILED[folder]


# Two runs


def paired(folder: str) -> evaluate.Paired:
    return evaluate.paired(run(folder, "a").outcomes, run(folder, "b").outcomes)


@every_folder
def test_rows_that_one_of_two_runs_did_not_score_are_left_out(folder: str) -> None:
    assert list(paired(folder).left_out) == FAILED[folder]


@every_folder
def test_only_rows_that_both_scored_are_compared(folder: str) -> None:
    assert paired(folder).scored == BOTH[folder][0].of


@pytest.mark.parametrize("name", ["a", "b"])
@every_folder
def test_what_each_run_got_right_of_the_rows_that_both_scored(folder: str, name: str) -> None:
    scored = [o for o in run(folder, name).outcomes if o.golden.id not in paired(folder).left_out]
    assert metrics.gate_accuracy(scored) == BOTH[folder]["ab".index(name)]


@every_folder
def test_the_runs_differ_by_no_failed_row(folder: str) -> None:
    assert (paired(folder).only_a, paired(folder).only_b) == BOTH[folder][2:]


@every_folder
def test_no_difference_is_found(folder: str) -> None:
    assert paired(folder).p == 1.0


@every_folder
def test_against_the_baseline_an_error_mends_nothing_and_breaks_what_held(folder: str) -> None:
    baseline = {o.golden.id: evaluate.held(o) for o in run(folder, "a").outcomes}
    found = evaluate.compare(baseline, run(folder, "b").outcomes)
    assert (found.broken, found.mended) == CHANGES[folder]


@every_folder
def test_a_run_that_only_lost_rows_holds_on_no_more_of_them(folder: str) -> None:
    first, second = (sum(map(evaluate.held, run(folder, name).outcomes)) for name in "ab")
    assert second <= first


# The opposite fault


def test_a_failed_call_of_a_judge_is_no_zero() -> None:
    judged = Outcome("s", Golden("j1", "q", True, facts=("7 rooms",)), Answer("q", ANSWER), correct=True)
    run = [judged, replace(judged, correct=None), replace(judged, correct=None), replace(judged, correct=False)]
    assert metrics.correctness(run) == Rate(1, 2, left_out=2)


def test_two_runs_compare_only_where_the_judge_of_both_spoke() -> None:
    asked = [Golden(name, "q", True, facts=("7 rooms",)) for name in ("j1", "j2", "j3")]
    first = [Outcome("s", row, Answer("q", ANSWER), correct=True) for row in asked]
    second = [replace(o, correct=correct) for o, correct in zip(first, (True, None, False), strict=True)]
    found = evaluate.paired(first, second, right=lambda o: o.correct)
    assert (found.scored, found.only_a, found.left_out) == (2, ("j3",), ("j2",))


def test_a_run_of_errors_alone_has_no_rate() -> None:
    failed = [replace(o, answer=Answer("q", ERROR)) for o in run("given", "a").outcomes]
    assert {(m(failed).hits, m(failed).of) for _, m in metrics.MEASURES} == {(0, 0)}


def test_the_error_s_wording_makes_no_refusal() -> None:
    (outcome,) = (o for o in run("variant-a", "b").outcomes if o.golden.id == "w11")
    assert outcome.answer.outcome != REFUSE and outcome.answer.error == "RuntimeError: I do not know"
