"""Files appear whole or not at all, and the same content gives the same bytes."""

from __future__ import annotations

import csv
import io
import math
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit import files
from ragkit.records import BadInput

# Reading


def test_a_text_is_read_with_plain_line_ends_and_no_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes("\ufeffone\r\ntwo\rthree\n".encode())
    assert files.read_text(path) == "one\ntwo\nthree\n"


def test_bytes_that_are_not_utf_8_are_named_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.md").write_bytes(b"one\ntwo \x92")
    with pytest.raises(BadInput, match="^a.md:2: not UTF-8 .byte 0x92.; save the file as UTF-8$"):
        files.read_text("a.md")


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (FileNotFoundError(), "check the path"),
        (PermissionError(), "chmod"),
        (IsADirectoryError(), "name a file"),
        (NotADirectoryError(), "name a folder"),
        (OSError(36, "File name too long"), "File name too long; name another path"),
    ],
)
def test_what_the_file_system_objects_to_becomes_one_line(error: OSError, remedy: str) -> None:
    with pytest.raises(BadInput, match=remedy) as caught, files.reading("a.md"):
        raise error
    assert str(caught.value).startswith("a.md: ") and "\n" not in str(caught.value)


def test_another_error_is_not_swallowed() -> None:
    with pytest.raises(KeyError), files.reading("a.md"):
        raise KeyError


def test_a_path_is_shown_as_a_person_would_type_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert files.shown(tmp_path / "golden" / "a.csv") == "golden/a.csv"


def test_a_path_elsewhere_is_shown_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert files.shown("/elsewhere/a.csv") == "/elsewhere/a.csv"


def test_results_go_where_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGKIT_RESULTS", "/elsewhere")
    assert files.results() == Path("/elsewhere")


def test_results_go_below_the_project_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGKIT_RESULTS", "")
    assert files.results() == files.ROOT / "results"


@pytest.mark.parametrize(("named", "place"), [("", "/elsewhere/cache"), ("/kept", "/kept")])
def test_the_cache_goes_with_the_results_unless_it_is_named(
    named: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGKIT_RESULTS", "/elsewhere")
    monkeypatch.setenv("RAGKIT_CACHE", named)
    assert files.cache() == Path(place)


# Writing


def test_a_file_is_written_with_its_folders(tmp_path: Path) -> None:
    files.write_text(tmp_path / "a" / "b" / "c.txt", "é\n")
    assert (tmp_path / "a" / "b" / "c.txt").read_bytes() == "é\n".encode()


def test_a_written_file_may_be_read_by_others(tmp_path: Path) -> None:
    files.write_text(tmp_path / "a", "x")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o644


def test_a_file_that_holds_these_bytes_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    os.utime(tmp_path / "a", (1, 1))
    files.write_text(tmp_path / "a", "x")
    assert (tmp_path / "a").stat().st_mtime == 1


def test_other_bytes_replace_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    files.write_text(tmp_path / "a", "y")
    assert (tmp_path / "a").read_text() == "y"


@pytest.mark.parametrize("step", ["replace", "chmod"])
def test_a_write_that_breaks_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def broken(*args: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "a").write_text("old")
    monkeypatch.setattr(os, step, broken)
    with pytest.raises(KeyboardInterrupt):
        files.write_text(tmp_path / "a", "new")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "old")]


# Tables


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, ""),
        (math.nan, ""),
        (True, "true"),
        (False, "false"),
        (1.5, "1.500000"),
        (-0.0, "0.000000"),
        (7, "7"),
        ("NA", "NA"),
        ("", ""),
        (math.inf, "inf"),
    ],
)
def test_a_value_in_a_table(value: object, cell: str) -> None:
    assert files.cell(value) == cell


def test_a_column_without_a_value_is_empty() -> None:
    assert files.table([{"b": 1}], ["a", "b"]) == "a,b\n,1\n"


@given(
    st.lists(
        st.tuples(st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"])), st.text('ab,"\n ')),
        max_size=4,
    )
)
def test_a_table_reads_as_it_was_written(rows: list[tuple[str, str]]) -> None:
    written = files.table(({"x": a, "y": b} for a, b in rows), ["x", "y"])
    assert list(csv.reader(io.StringIO(written, newline=""))) == [["x", "y"], *map(list, rows)]


# Fingerprints


@given(st.lists(st.text("ab", max_size=3), max_size=4), st.lists(st.text("ab", max_size=3), max_size=4))
def test_only_the_same_parts_have_the_same_fingerprint(a: list[str], b: list[str]) -> None:
    assert (files.fingerprint(*a) == files.fingerprint(*b)) == (a == b)


def test_text_and_its_bytes_have_one_fingerprint() -> None:
    assert files.fingerprint("é") == files.fingerprint("é".encode())


def test_the_fingerprint_of_files_is_of_names_and_content_and_not_of_times(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_text(name)
    before = files.fingerprint_files(tmp_path / name for name in "ab")
    os.utime(tmp_path / "a", (1, 1))
    assert files.fingerprint_files(tmp_path / name for name in "ba") == before


@pytest.mark.parametrize("change", ["name", "content"])
def test_the_fingerprint_of_files_changes_with_a_name_or_a_byte(tmp_path: Path, change: str) -> None:
    path = tmp_path / "a"
    path.write_text("x")
    before = files.fingerprint_files([path])
    other = path.rename(tmp_path / "b") if change == "name" else path
    if change == "content":
        other.write_text("y")
    assert files.fingerprint_files([other]) != before
