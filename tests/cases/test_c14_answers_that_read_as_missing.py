"""Words that a table reader takes for missing stay the words they are, in every column of a golden file."""

from __future__ import annotations

import csv
import io
from functools import cache
from pathlib import Path

import case
import pytest

from ragkit import evaluate, golden, metrics
from ragkit.files import table
from ragkit.records import ANSWER, REFUSE, Answer, Golden, Outcome, Rate

NAMES = {"expected_answer": "answer", "expected_source": "source"}
FLAGS = {"yes": "true", "no": "false"}

# The answers to the letter, and the ids of the rows that are unanswerable, which are those without an answer.
ANSWERS = {
    "given": ["NA", "None", "null", "n/a", "NA", "", "No", "True"],
    "variant-a": ["N/A", "-", "0", "False", "nan", "", "#N/A", "NaN", "1e5", "NULL", "<NA>", "0070", ""],
    "variant-b": ["N/A", "0", "False", "nan", "", "NIL", "No", ""],
}
UNANSWERABLE = {"given": ["q6"], "variant-a": ["006", "013"], "variant-b": ["-", "1.0"]}

every_folder = pytest.mark.parametrize("folder", case.FOLDERS)


@cache
def mapped(folder: str) -> bytes:
    """The golden file of a folder under the column names of the project; nothing else is changed."""
    with (case.HERE / "c14" / folder / "golden.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    columns = [NAMES.get(name, name) for name in header]
    flag = columns.index("answerable")
    rows = [[FLAGS.get(cell, cell) if n == flag else cell for n, cell in enumerate(row)] for row in rows]
    more = [name for name in golden.NEEDED if name not in columns]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([columns + more, *(row + [""] * len(more) for row in rows)])
    return out.getvalue().encode()


@pytest.fixture
def file(tmp_path: Path, folder: str) -> Path:
    path = tmp_path / "golden.csv"
    path.write_bytes(mapped(folder))
    return path


def run(file: Path, outcome: str) -> list[Outcome]:
    """A system that does the same with every question."""
    rows = golden.read(file)
    return evaluate.run(lambda questions: [Answer(question, outcome) for question in questions], rows, system="s", k=5)


@every_folder
def test_every_row_loads_with_its_answer_to_the_letter(file: Path, folder: str) -> None:
    assert [row.answer for row in golden.read(file)] == ANSWERS[folder]


@every_folder
def test_only_a_row_without_an_answer_has_none(file: Path, folder: str) -> None:
    assert [row.id for row in golden.read(file) if not row.answer] == UNANSWERABLE[folder]


@every_folder
def test_only_the_column_for_it_makes_a_row_unanswerable(file: Path, folder: str) -> None:
    assert [row.id for row in golden.read(file) if not row.answerable] == UNANSWERABLE[folder]


@every_folder
def test_yes_and_no_in_other_columns_stay_text(file: Path, folder: str) -> None:
    assert {type(row.answer) for row in golden.read(file)} == {str}


@every_folder
def test_reading_and_writing_back_gives_the_same_bytes(file: Path, folder: str) -> None:
    golden.write(file.with_name("back.csv"), golden.read(file), columns=golden.header(file))
    assert file.with_name("back.csv").read_bytes() == mapped(folder)


@every_folder
def test_no_row_is_judged_unanswerable_for_its_answer(file: Path, folder: str) -> None:
    count = len(ANSWERS[folder]) - len(UNANSWERABLE[folder])
    assert metrics.right_answers(run(file, ANSWER)) == Rate(count, count)


@every_folder
def test_refusing_a_row_that_has_such_an_answer_is_false(file: Path, folder: str) -> None:
    count = len(ANSWERS[folder]) - len(UNANSWERABLE[folder])
    assert metrics.false_refusals(run(file, REFUSE)) == Rate(count, count)


@every_folder
def test_no_row_is_dropped_from_what_is_kept_of_a_run(file: Path, folder: str) -> None:
    kept = table(evaluate.outcomes_table(run(file, ANSWER), "docs", "golden"), evaluate.COLUMNS)
    ids = [row["id"] for row in csv.DictReader(io.StringIO(kept))]
    assert ids == [row["id"] for row in csv.DictReader(io.StringIO(mapped(folder).decode()))]


@every_folder
def test_the_baseline_keeps_ids_that_read_as_missing(file: Path, folder: str) -> None:
    held = {("s", "docs", "golden"): {o.golden.id: evaluate.held(o) for o in run(file, ANSWER)}}
    golden.write_baseline(file, held)
    assert golden.read_baseline(file) == held


# variant-b has such words in every column


@pytest.fixture
def rows(tmp_path: Path) -> list[Golden]:
    path = tmp_path / "golden.csv"
    path.write_bytes(mapped("variant-b"))
    return golden.read(path)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("id", ["NA", "None", "null", "nan", "-", "0", "False", "1.0"]),
        ("category", ["None", "None", "nan", "nan", "None", "0", "False", "0"]),
        ("version", ["nan", "0", "null", "NaN", "-", "1.0", "", ""]),
        ("concepts", [(), (), (), (), ("null", "None"), (), (), ("nan",)]),
        ("facts", [("N/A",), ("0",), ("False",), ("nan",), (), ("NIL",), ("No",), ()]),
        ("forbidden", [("none",), ("1",), ("True",), ("0",), (), ("NA",), ("Yes",), ()]),
        ("must", [False, False, True, False, False, False, True, False]),
        ("rater2", [True, True, False, None, False, None, True, None]),
        ("note", ["NA", "-", "null", "nan", "None", "0", "FALSE", ""]),
    ],
)
def test_every_other_column_is_read_to_the_letter(rows: list[Golden], name: str, values: list[object]) -> None:
    assert [getattr(row, name) for row in rows] == values


@pytest.mark.parametrize(("said", "right"), [("It says {}.", True), ("It says something else.", False)])
def test_a_row_is_judged_against_such_a_fact_and_not_against_nothing(
    rows: list[Golden], said: str, right: bool
) -> None:
    answers = [(row, Answer(row.question, ANSWER, said.format(*row.facts))) for row in rows if row.answerable]
    assert [evaluate.correct(row, answer) for row, answer in answers] == [right] * 6


def test_a_category_that_reads_as_missing_has_its_own_rates(rows: list[Golden]) -> None:
    outcomes = [Outcome("s", row, Answer(row.question, REFUSE)) for row in rows]
    listed = dict.fromkeys(row["category"] for row in metrics.table(outcomes, "docs", "golden"))
    assert list(listed) == ["all", "0", "False", "None", "nan"]
