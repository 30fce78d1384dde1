"""A golden file saved by a spreadsheet gives the same rows, or one line: which file, what is wrong, what to do.

`forms.csv` says how each file of a folder was saved, and what must be said of it: nothing when it loads.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import case
import pytest

from ragkit import golden
from ragkit.records import BadInput, Golden

ENDS = {"LF": "\n", "CRLF": "\r\n", "CR": "\r"}
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
FLAGS = {"yes": "true", "no": "false"}

IDS = {
    "given": ["01", "02", "03", "04"],
    "variant-a": ["007", "0042", "00", "1e3", "010"],
    "variant-b": ["0001", "0002", "09", "0", "00.10"],
}
BROKEN = {
    "given": ("02", "Mill Lane 4\nArdmore"),
    "variant-a": ("0042", "Dear guests,\n\nmind the step"),
    "variant-b": ("0002", "Mill Street 8\n1204 Genève"),
}

Table = list[list[str]]
Ragkit = Callable[..., tuple[int, str, str]]


def plain(folder: str) -> Table:
    """The cells of a folder as its plain file has them."""
    with (case.HERE / "c15" / folder / "golden-plain.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def mapped(cells: Table) -> Table:
    """The same under the column names of the project."""
    header = ["id", "question", "answerable", "answer", "source", "category"]
    return [header, *([id, question, FLAGS[flag], answer, "", ""] for id, question, flag, answer in cells[1:])]


@dataclass(frozen=True)
class Form:
    """A way to save a table, with what must be said of the file; empty when it loads."""

    folder: str
    file: str
    encoding: str
    mark: str
    separator: str
    ends: str
    first: str
    line: str
    said: str

    def __str__(self) -> str:
        return f"{self.folder}/{self.file}"

    @property
    def message(self) -> str:
        return f"{self.file}:{self.line}: {self.said}"

    def saved(self, cells: Table) -> bytes:
        out = io.StringIO(newline="")
        out.write("\ufeff" * (self.mark == "yes") + (self.first + ENDS[self.ends]) * bool(self.first))
        csv.writer(out, delimiter=SEPARATORS[self.separator], lineterminator=ENDS[self.ends]).writerows(cells)
        return out.getvalue().encode(self.encoding)


FORMS = [Form(folder, **row) for folder in case.FOLDERS for row in case.table(case.HERE / "c15" / folder / "forms.csv")]
PLAIN = Form("", "golden-plain.csv", "utf-8", "no", "comma", "LF", "", "", "")

every_folder = pytest.mark.parametrize("folder", case.FOLDERS)
every_form = pytest.mark.parametrize("form", FORMS, ids=str)
every_refused = pytest.mark.parametrize("form", [form for form in FORMS if form.said], ids=str)
every_loaded = pytest.mark.parametrize("form", [form for form in FORMS if not form.said], ids=str)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own folder, in which every result would land."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Slip\n\nThe rope is 2,5 m long.\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGKIT_RESULTS", str(tmp_path / "results"))
    return tmp_path


def put(home: Path, form: Form, cells: Table) -> Path:
    (home / form.file).write_bytes(form.saved(cells))
    return home / form.file


def read(home: Path, form: Form, cells: Table) -> list[Golden]:
    return golden.read(put(home, form, cells))


def message(path: Path) -> str:
    with pytest.raises(BadInput) as stopped:
        golden.read(path)
    return str(stopped.value)


def files(home: Path) -> dict[str, bytes]:
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in home.rglob("*") if path.is_file()}


@every_form
def test_the_file_holds_the_plain_rows_saved_that_way(form: Form) -> None:
    assert (case.HERE / "c15" / form.folder / form.file).read_bytes() == form.saved(plain(form.folder))


# The rows


@every_folder
def test_ids_keep_their_zeros_and_no_row_is_lost_or_made(folder: str, home: Path) -> None:
    assert [row.id for row in read(home, PLAIN, mapped(plain(folder)))] == IDS[folder]


@every_folder
def test_a_line_break_stays_inside_its_cell(folder: str, home: Path) -> None:
    id, answer = BROKEN[folder]
    assert {row.id: row.answer for row in read(home, PLAIN, mapped(plain(folder)))}[id] == answer


@every_loaded
def test_what_loads_gives_exactly_the_plain_rows(form: Form, home: Path) -> None:
    cells = mapped(plain(form.folder))
    assert read(home, form, cells) == read(home, PLAIN, cells)


@every_loaded
def test_what_loads_is_written_back_as_the_plain_file(form: Form, home: Path) -> None:
    cells = mapped(plain(form.folder))
    path = put(home, form, cells)
    golden.write(path, golden.read(path), columns=golden.header(path))
    assert path.read_bytes() == PLAIN.saved(cells)


# The line that is said


@every_refused
def test_the_line_names_file_fault_and_remedy(form: Form, home: Path) -> None:
    assert message(put(home, form, mapped(plain(form.folder)))) == form.message


@every_refused
def test_it_names_the_fault_too_where_columns_have_other_names(form: Form) -> None:
    assert message(case.HERE / "c15" / form.folder / form.file).endswith(f"{form.folder}/{form.message}")


# The command


@every_refused
@pytest.mark.parametrize("more", [(), ("--accept",), ("--json",)], ids=" ".join)
def test_eval_stops_with_that_line(form: Form, more: tuple[str, ...], home: Path, ragkit: Ragkit) -> None:
    put(home, form, mapped(plain(form.folder)))
    assert ragkit("eval", "--corpus", "docs", "--golden", f"./{form.file}", *more) == (
        2,
        "",
        f"ragkit: {form.message}\n",
    )


@every_refused
def test_eval_writes_nothing(form: Form, home: Path, ragkit: Ragkit) -> None:
    put(home, form, mapped(plain(form.folder)))
    before = files(home)
    ragkit("eval", "--corpus", "docs", "--golden", f"./{form.file}", "--accept")
    assert files(home) == before


@every_loaded
def test_eval_of_what_loads_keeps_every_id(form: Form, home: Path, ragkit: Ragkit) -> None:
    put(home, form, mapped(plain(form.folder)))
    ragkit("eval", "--corpus", "docs", "--golden", f"./{form.file}", "--accept")
    (held,) = golden.read_baseline(home / "baseline.csv").values()
    assert list(held) == IDS[form.folder]
