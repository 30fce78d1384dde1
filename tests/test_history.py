"""Records of commits: what is kept can be counted as it was, and the same inputs have the same name."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import build
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit import history, metrics, study
from ragkit.commits import REF, Repo
from ragkit.corpus import read
from ragkit.files import table
from ragkit.history import COLUMNS, Record, parsed
from ragkit.records import BadInput, Golden, Rate
from ragkit.store import Store
from ragkit.systems import SYSTEMS
from tests.pasts import RUN, git, record, repository


@cache
def real() -> Record:
    folder, file = read(build.KESTREL), build.GOLDEN / "kestrel.csv"
    runs = {
        run.key: run.outcomes
        for name in ("passage", "always-answer")
        for run in [study.evaluated(SYSTEMS[name], folder, file)]
    }
    rows = {("kestrel", o.golden.id): history.row_print(o.golden) for o in next(iter(runs.values()))}
    prints = {run: dict.fromkeys(history.PRINTS, "0") for run in runs}
    return Record(record({"y1": "a"}).commit, False, runs, rows, prints)


@pytest.mark.parametrize("measure", dict(metrics.MEASURES).values(), ids=dict(metrics.MEASURES))
def test_a_kept_run_has_every_measure_of_the_run_itself(measure: object) -> None:
    kept = parsed(real().text(), "x")
    assert {run: measure(kept.runs[run]) for run in kept.runs} == {
        run: measure(real().runs[run]) for run in real().runs
    }  # type: ignore[operator]


def test_a_record_that_is_read_is_written_as_it_was() -> None:
    assert parsed(real().text(), "x").text() == real().text()
    assert parsed(real().text(), "x").name == real().name


@cache
def versioned() -> Record:
    """A run on documents of two versions, where version and line of what is cited are judged."""
    run = study.evaluated(SYSTEMS["always-answer"], read(build.ROOT / "corpus" / "sdk"), build.GOLDEN / "sdk.csv")
    rows = {("sdk", o.golden.id): history.row_print(o.golden) for o in run.outcomes}
    return Record(
        record({"y1": "a"}).commit, False, {run.key: run.outcomes}, rows, {run.key: dict.fromkeys(history.PRINTS, "0")}
    )


@pytest.mark.parametrize("measure", [metrics.version_correct, metrics.cites_line, metrics.citation_present])
def test_a_kept_run_has_what_was_judged_of_its_citations(measure: Callable[[object], Rate]) -> None:
    (before,), (kept,) = versioned().runs.values(), parsed(versioned().text(), "x").runs.values()
    assert measure(kept) == measure(before) and measure(before).of > 5


def without(text: str, names: Sequence[str]) -> str:
    """The text of a record as code wrote it that knew no such columns."""
    rows = [
        {name: cell for name, cell in each.items() if name not in names} for each in csv.DictReader(text.splitlines())
    ]
    return table([row | {"check": history._check(row)} for row in rows], list(rows[0]))


def test_a_record_from_before_citations_were_judged_is_read_and_judges_none() -> None:
    old = parsed(without(versioned().text(), history.ADDED), versioned().name)
    assert old.name == versioned().name and old.text() == without(versioned().text(), history.ADDED)
    (outcomes,) = old.runs.values()
    assert {(o.version_correct, o.cites_line, o.golden.version) for o in outcomes} == {(None, None, "")}
    assert metrics.version_correct(outcomes) == Rate(0, 0) and metrics.false_answers(outcomes).of > 0


def test_columns_that_were_taken_away_are_told() -> None:
    rows = list(csv.DictReader(versioned().text().splitlines()))
    cut = table(rows, [name for name in COLUMNS if name not in history.ADDED])
    with pytest.raises(BadInput, match="a cell that is not as it was written"):
        parsed(cut, "x.csv")


def test_no_question_and_no_text_is_kept() -> None:
    text = real().text()
    assert "annual leave" not in text and not any(o.golden.question in text for o in real().runs[RUN])


marks = st.dictionaries(st.sampled_from(["y1", "y2", "n1", "n2", "y3"]), st.sampled_from("awre"), min_size=1)


@given(marks, st.booleans())
def test_any_record_survives_its_file(given_marks: dict[str, str], dirty: bool) -> None:
    made = record(given_marks, dirty=dirty)
    kept = parsed(made.text(), "x")
    assert kept.text() == made.text() and kept.dirty is dirty and kept.commit == made.commit


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", ",".join(COLUMNS) + "\n"])
def test_what_is_no_record_is_told(text: str) -> None:
    with pytest.raises(BadInput, match="is no record of a commit"):
        parsed(text, "x.csv")


@pytest.mark.parametrize(("cell", "other"), [("true", "maybe"), (",1,", ",one,")])
def test_a_broken_cell_is_told_with_its_line(cell: str, other: str) -> None:
    text = record({"y1": "a"}).text()
    head, line = text.splitlines()
    assert cell in line
    with pytest.raises(BadInput, match=r"x\.csv:2"):
        parsed(f"{head}\n{line.replace(cell, other, 1)}\n", "x.csv")


def test_a_cell_that_was_changed_is_told() -> None:
    """Whatever it says, and though the name would still fit."""
    made = record({"y1": "a", "n1": "r"})
    for old, new in ((",refuse,", ",answer,"), (",1,0,1,", ",1,0,2,"), ("2026", "2025"), (",false,", ",true,")):
        assert old in made.text()
        for n in range(made.text().count(old)):
            parts = made.text().split(old)
            other = old.join(parts[: n + 1]) + new + old.join(parts[n + 1 :])
            with pytest.raises(BadInput, match="a cell that is not as it was written|not named for"):
                parsed(other, made.name)


def test_the_code_of_an_older_commit_writes_no_check_sums() -> None:
    lines = [line.rpartition(",")[0] for line in record({"y1": "a"}).text().splitlines()]
    assert parsed("\n".join(lines), "x", fresh=True).text() == record({"y1": "a"}).text()
    with pytest.raises(BadInput, match="is no record"):
        parsed("\n".join(lines), "x")


@pytest.mark.parametrize(
    ("name", "value"), [("found", "9"), ("found", "-1"), ("supported", "99"), ("cites", "1000000000")]
)
def test_counts_that_can_not_be_are_no_record(name: str, value: str) -> None:
    cells = dict(zip(COLUMNS, record({"y1": "a"}).text().splitlines()[1].split(","), strict=True)) | {name: value}
    cells["check"] = history._check(cells)
    with pytest.raises(BadInput, match="a cell that is not as it was written"):
        parsed(",".join(COLUMNS) + "\n" + ",".join(cells.values()), "x")


# The name


@pytest.mark.parametrize("what", history.PRINTS)
def test_another_input_is_another_name(what: str) -> None:
    assert record({"y1": "a"}).name != record({"y1": "a"}, **{what: "1"}).name


def test_a_tree_that_was_not_its_commit_and_other_labels_have_other_names() -> None:
    """What is kept of a row and stands in no fingerprint of it, and the mark."""
    names = {record({"y1": "a"}).name, record({"y1": "a"}, dirty=True).name, record({"y1": "a"}, must="y1").name}
    assert len(names) == 3


def test_another_result_of_the_same_inputs_has_the_same_name() -> None:
    assert record({"y1": "a"}).name == record({"y1": "r"}).name


@pytest.mark.parametrize(
    "change",
    [
        {"question": "x"},
        {"answerable": False},
        {"facts": ("x",)},
        {"forbidden": ("x",)},
        {"sources": ("x",)},
        {"concepts": ("x",)},
    ],
)
def test_a_row_that_is_judged_by_something_else_has_another_fingerprint(change: dict[str, object]) -> None:
    row = Golden("k1", "why", True, sources=("a", "b"), facts=("c",))
    other = Golden(
        **{"id": "k1", "question": "why", "answerable": True, "sources": ("a", "b"), "facts": ("c",)} | change
    )
    assert history.row_print(row) != history.row_print(other)
    assert history.row_print(row) == history.row_print(
        Golden("k2", "why", True, "x", ("a", "b"), "q", facts=("c",), note="n")
    )


# The store


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return repository(tmp_path / "repo", 1)


@pytest.fixture
def store(repo: Repo, tmp_path: Path) -> Store:
    return Store(repo, tmp_path / "kept")


def test_the_same_run_twice_is_one_file(store: Store) -> None:
    first, again = record({"y1": "a"}), record({"y1": "a"})
    assert store.write(first) == "" == store.write(again)
    assert store.names() == [first.name] and store.read(first.name).text() == first.text()


def test_another_result_for_the_same_inputs_stands_now_and_is_told(store: Store, repo: Repo) -> None:
    store.write(record({"y1": "a"}))
    assert "same inputs, other result" in store.write(record({"y1": "r"}))
    assert store.read(store.names()[0]).text() == record({"y1": "r"}).text()
    assert repo.git("rev-list", "--count", "refs/ragkit/history") == "2", "the earlier one is in the history of the ref"


def test_a_commit_as_it_is_has_one_record_for_the_same_questions(store: Store, repo: Repo) -> None:
    """With another model, say: the later measurement stands, the earlier one is in the past of the ref."""
    earlier, later, dirty = record({"y1": "a"}), record({"y1": "r"}, model="1"), record({"y1": "w"}, dirty=True)
    other = record({"y1": "w"}, questions="1")
    for each in (earlier, dirty, other):
        assert store.write(each) == ""
    assert store.write(later) == f"{earlier.name}: {later.name} stands now"
    assert sorted(store.names()) == sorted(each.name for each in (later, dirty, other))
    assert git(repo.folder, "show", f"{REF}~1:{earlier.name}") == earlier.text().strip()


def test_kept_files_are_copies_and_are_read_without_git(store: Store) -> None:
    made = record({"y1": "a"})
    store.write(made)
    (place,) = store.keep([made])
    alone = Store(None, store.folder)
    assert (
        place.read_text() == made.text()
        and alone.names() == [made.name]
        and alone.read(made.name).runs == made_again(made)
    )


def made_again(made: Record) -> object:
    return parsed(made.text(), "x").runs


def test_without_git_nothing_is_filed_and_that_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no git repository"):
        Store(None, tmp_path).write(record({"y1": "a"}))


def test_a_name_that_is_not_there_is_told(store: Store) -> None:
    with pytest.raises(BadInput, match="no record of that name"):
        store.read("x.csv")


def test_the_records_of_a_commit_are_found_by_its_hash_which_stays_text(store: Store) -> None:
    shas = ["0e12345" + "0" * 33, "a" * 40]
    for sha in shas:
        store.write(record({"y1": "a"}, sha=sha))
    assert [store.read(name).commit.sha for name in store.of([shas[0][:12]])] == [shas[0]]


def test_other_files_beside_the_records_are_left_alone(store: Store) -> None:
    store.folder.mkdir()
    (store.folder / "notes.csv").write_text("x")
    assert store.names() == []
