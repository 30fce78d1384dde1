"""Case c24: one point a commit and golden file, the latest measurement, however often a run was made.

Each line of `c24/history.csv`, in the order of the runs, becomes a record: 20 answerable rows, the others not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import case
import pytest

from ragkit import ipynb, notebooks, parameters, tables, trend
from ragkit.commits import REF, Repo
from ragkit.comparison import compare
from ragkit.files import ROOT
from ragkit.history import Record
from ragkit.store import Store
from ragkit.studies import by_commit
from tests.pasts import git, history, lab, record, repository
from tests.toys import use_results

Line = dict[str, str]

LINES: list[Line] = sorted(case.table(case.HERE / "c24" / "history.csv"), key=lambda line: line["run_time"])
ANSWERABLE = [f"y{n:02}" for n in range(20)]
MEASURES = ("recall", "false_refusals", "false_answers")
POINTS = [
    ("a1f0c22", "g30", 0.80, 3, 2),
    ("b77e010", "g30", 0.90, 2, 1),
    ("0e12345", "g30", 0.90, 2, 1),
    ("a1f0c22", "g31", 0.65, 6, 0),
    ("c90d4aa", "g31", 0.70, 5, 0),
]


def lines(commit: str = "", golden: str = "") -> list[Line]:
    return [line for line in LINES if commit in ("", line["commit"]) and golden in ("", line["golden"])]


def measured(line: Line) -> Record:
    """A measurement as this project keeps one."""
    others = [f"n{n:02}" for n in range(int(line["golden"].removeprefix("g")) - len(ANSWERABLE))]
    found = ANSWERABLE[: round(len(ANSWERABLE) * float(line["recall"]))]
    marks = dict.fromkeys(ANSWERABLE, "a") | dict.fromkeys(others, "r")
    marks |= dict.fromkeys(ANSWERABLE[: int(line["false_refusals"])], "r")
    marks |= dict.fromkeys(others[: int(line["false_answers"])], "a")
    made = record(marks, sha=line["commit"].ljust(40, "0"), questions=line["golden"])
    runs = {
        run: tuple(replace(o, recall=float(o.golden.id in found) if o.golden.answerable else None) for o in outcomes)
        for run, outcomes in made.runs.items()
    }
    return replace(made, commit=replace(made.commit, date=re.sub("[-:]", "", line["commit_time"])), runs=runs)


def filed(store: Store, measurements: Sequence[Line] = LINES) -> list[str]:
    """Files one measurement after the other; gives what is said of each."""
    return [store.write(measured(line)) for line in measurements]


def points(store: Store) -> list[tuple[str, str, float, int, int]]:
    """The trend, as the case tells it."""
    found = []
    for point in trend.rows(store):
        recall, refusals, answers = (point.rates[name] for name in MEASURES)
        found.append((point.commit[:7], point.questions, recall.value, int(refusals.hits), int(answers.hits)))
    return found


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(repository(tmp_path / "repo"), tmp_path / "kept")


def repo(store: Store) -> Repo:
    assert store.repo is not None
    return store.repo


# --- given -----------------------------------------------------------------------------------------------------------


def test_the_measurements_are_those_of_the_case() -> None:
    assert len(LINES) == 7 and len({line["commit"] for line in LINES}) == 4


def test_the_trend_has_one_point_a_commit_and_golden_file_and_that_is_the_latest(store: Store) -> None:
    filed(store)
    assert points(store) == POINTS


def test_a_commit_measured_with_another_model_is_still_one_point(store: Store) -> None:
    filed(store)
    other = measured(lines("b77e010")[-1])
    (prints,) = other.prints.values()
    store.write(replace(other, prints={run: {**prints, "model": "other"} for run in other.prints}))
    assert len(store.names()) == 5 and points(store) == POINTS


def test_a_changed_result_is_pointed_out_and_the_earlier_one_stands_in_the_past_of_the_ref(store: Store) -> None:
    said = filed(store)
    first, same, last = map(measured, lines("b77e010"))
    assert first.name == same.name == last.name and first.text() == same.text() != last.text()
    assert [line for line in said if line] == [f"{last.name}: same inputs, other result; the later one stands now"]
    commits = git(repo(store).folder, "log", "--format=%H", REF, "--", last.name).split()
    assert [repo(store).file(commit, last.name).decode() for commit in commits] == [last.text(), first.text()]


@pytest.mark.parametrize(("golden", "told"), [("g30", ["2: y02, n01", "0"]), ("g31", ["1: y05"])])
def test_a_change_is_told_from_one_commit_to_the_next_on_the_same_questions(
    golden: str, told: list[str], store: Store
) -> None:
    filed(store, lines(golden=golden))
    steps = by_commit.steps(by_commit.records(store, store.read(store.names()[-1]).commit.short), "passage")
    assert [step["mended"] for step in steps] == told and {step["broken"] for step in steps} == {"0"}
    assert all(step["from"] != step["to"] and step["apart"] == "0" for step in steps)


def test_names_of_commits_stay_text(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filed(store)
    name = "0e1234500000"
    assert [Path(each).name.split("-")[1] for each in store.of([name])] == [name]
    assert store.names(until="0e12345") == [each for each in store.names() if "c90d4aa" not in each]
    found = trend.rows(store)
    assert tables.frame(trend.texts(found)).index[2] == name
    results = use_results(tmp_path, monkeypatch)
    tables.keep(by_commit.measured(found), "trend")
    assert {row["commit"] for row in case.table(results / "tables" / "trend.csv")} >= {name, "a1f0c2200000"}
    notebook = ipynb.read(ROOT / "notebooks" / "03_golden_by_commit.ipynb")
    given = parameters.chosen(notebook, notebooks.given(["until=0e12345"]), "03")
    assert given["until"] == "0e12345"


def test_a_measurement_taken_twice_is_there_once(store: Store) -> None:
    filed(store)
    names, versions = store.names(), repo(store).git("rev-list", "--count", REF)
    assert filed(store, [lines(*each[:2])[-1] for each in POINTS]) == [""] * 5
    assert store.names() == names and len(names) == 5 and points(store) == POINTS
    assert repo(store).git("rev-list", "--count", REF) == versions


def at_once(store: Store, measurements: Sequence[Line]) -> None:
    """Each files one of them, all at the same moment."""
    gate = Barrier(len(measurements))

    def file(line: Line) -> None:
        made = measured(line)
        gate.wait()
        store.write(made)

    with ThreadPoolExecutor(len(measurements)) as pool:
        list(pool.map(file, measurements))


def test_two_runs_at_the_same_moment_leave_both_or_one(store: Store) -> None:
    first, _, last = lines("b77e010")
    at_once(store, [first, last])
    (name,) = store.names()
    assert store.read(name).text() in (measured(first).text(), measured(last).text())
    at_once(store, [line for line in LINES if line not in (first, last)])
    assert len(store.names()) == 5 and [point[:2] for point in points(store)] == [point[:2] for point in POINTS]


# --- by the commands, of a real project ------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return lab(tmp_path / "lab")


def test_the_trend_that_is_shown_says_where_the_questions_change(project: Path) -> None:
    filed(Store(Repo.of(project), project / "none"))
    shown = history(project, "show", "--all")
    head, *rows = shown.stdout.splitlines()
    assert [row[:7] for row in rows] == [point[0] for point in POINTS], shown.stderr
    assert ["(other questions)" in row for row in rows] == [False, False, False, True, False]
    data = json.loads(history(project, "show", "--all", "--json").stdout)
    assert [(row["commit"][:7], row["questions"]) for row in data] == [point[:2] for point in POINTS]
    assert [[*row["recall"]] for row in data] == [[round(20 * point[2]), 20] for point in POINTS]


def test_a_run_again_and_two_at_the_same_moment_add_nothing(project: Path) -> None:
    assert history(project, "record").returncode == 0
    before, rows = Repo.of(project).kept(), history(project, "show", "--all").stdout
    assert history(project, "record").returncode == 0
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: history(project, "record"), range(2)))
    assert [ran.returncode for ran in both] == [0, 0], both
    assert Repo.of(project).kept() == before and len(before) == 1
    assert history(project, "show", "--all").stdout == rows


# --- never -----------------------------------------------------------------------------------------------------------


def test_no_line_of_the_picture_goes_from_one_golden_file_to_another(store: Store) -> None:
    filed(store)
    figure, told = trend.drawn(trend.rows(store))
    assert "recall of passage 16/20 at a1f0c2200000 to 18/20 at 0e1234500000" in told
    assert "recall of passage 13/20 at a1f0c2200000 to 14/20 at c90d4aa00000" in told
    for axes in figure.axes:
        assert sorted(len(line.get_xdata()) for line in axes.lines if line.get_marker() == "o") == [2, 3]
        assert sum(line.get_linestyle() == ":" for line in axes.lines if line.get_marker() != "o") == 1


def test_a_comparison_over_different_golden_files_says_which_rows_it_leaves_out() -> None:
    (pair,) = compare(measured(lines("0e12345")[0]), measured(lines("c90d4aa")[0]))
    assert pair.apart == {"n10": "is missing before"} and pair.scored == 30


# --- variants --------------------------------------------------------------------------------------------------------


def test_the_order_in_which_commits_are_measured_does_not_count(store: Store) -> None:
    """A past that is measured backwards; of one commit the later measurement still comes later."""
    filed(store, sorted(LINES, key=lambda line: line["commit_time"], reverse=True))
    assert points(store) == POINTS


def test_kept_files_without_git_have_the_same_points(store: Store) -> None:
    filed(store)
    store.keep(store.records(store.names()))
    assert points(Store(None, store.folder)) == POINTS == points(store)


def test_commits_that_are_the_same_number_are_not_the_same_commit(store: Store) -> None:
    """As floats the first three are 0."""
    names = ("0e12345", "0e54321", "0000000", "1e1", "01e1")
    filed(store, [LINES[0] | {"commit": name} for name in names])
    assert len(trend.rows(store)) == len(names)


def steps(store: Store) -> list[tuple[str, str]]:
    found = by_commit.steps(by_commit.records(store, "c90d4aa"), "passage")
    return [(str(step["from"])[:7], str(step["to"])[:7]) for step in found]


def test_no_change_is_told_from_a_commit_to_itself(store: Store) -> None:
    filed(store)
    assert [step for step in steps(store) if step[0] == step[1]] == []


def test_a_change_is_told_between_commits_on_the_same_golden_file(store: Store) -> None:
    filed(store)
    assert sorted(steps(store)) == [("a1f0c22", "b77e010"), ("a1f0c22", "c90d4aa"), ("b77e010", "0e12345")]


@pytest.mark.parametrize("models", [("0", "1"), ("1", "0"), ("0", "2"), ("2", "0")])
def test_the_latest_measurement_is_shown_whatever_its_name(models: tuple[str, str], store: Store) -> None:
    first, _, last = map(measured, lines("b77e010"))
    for each, model in zip((first, last), models, strict=True):
        (prints,) = each.prints.values()
        store.write(replace(each, prints={run: {**prints, "model": model} for run in each.prints}))
    assert [point[2] for point in points(store)] == [0.90]


def test_a_later_measurement_is_shown_though_an_earlier_one_is_a_kept_file(store: Store) -> None:
    first, _, last = map(measured, lines("b77e010"))
    store.write(first)
    store.keep([first])
    assert "the later one stands now" in store.write(last)
    assert [point[2] for point in points(store)] == [0.90]


@pytest.mark.parametrize("golden", ["g30", "g31"])
def test_compare_takes_the_same_golden_file_of_both_commits(golden: str, project: Path) -> None:
    """The first commit was measured on both golden files, the second on one."""
    git(project, "commit", "-q", "--allow-empty", "-m", "second", day=2)
    store = Store(Repo.of(project), project / "none")
    first, second = repo(store).commits("HEAD")
    for commit, questions in ((first, "g30"), (first, "g31"), (second, golden)):
        store.write(replace(measured(lines(golden=questions)[0]), commit=commit))
    (told,) = json.loads(history(project, "compare", "HEAD~1", "HEAD", "--json").stdout)
    assert told["apart"] == {}


def test_bisect_by_a_measure_does_not_compare_other_golden_files_unsaid(project: Path) -> None:
    for day in (2, 3):
        git(project, "commit", "-q", "--allow-empty", "-m", str(day), day=day)
    store = Store(Repo.of(project), project / "none")
    measurements = [lines("b77e010")[-1], lines("0e12345")[0], lines("c90d4aa")[0]]
    for commit, line in zip(repo(store).commits("HEAD"), measurements, strict=True):
        store.write(replace(measured(line), commit=commit))
    ran = history(project, "bisect", "HEAD~2", "HEAD", "--metric", "recall")
    assert "questions" in ran.stdout + ran.stderr, ran.stdout
