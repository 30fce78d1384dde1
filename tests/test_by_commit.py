"""The tables of notebook 03, on records made by hand, and that what is kept can be read for good."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import build
import pytest

from ragkit import compare, job, stats, trend
from ragkit.commits import Commit
from ragkit.history import KEPT, Record
from ragkit.records import BadInput
from ragkit.store import Store
from ragkit.studies import by_commit
from tests.pasts import record

GOOD = {"y1": "a", "y2": "a", "n1": "r", "n2": "r"}


def at(day: int, marks: dict[str, str], **options: str) -> Record:
    return replace(record(marks, **options), commit=Commit(f"{day:x}" * 40, f"202602{day:02d}T090000Z"))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = [
        at(1, GOOD),
        at(2, GOOD | {"y1": "r", "n1": "a"}),
        at(3, GOOD, questions="g31"),
        replace(at(4, GOOD), dirty=True),
    ]
    for each in made:
        (tmp_path / each.name).write_text(each.text())
    return Store(None, tmp_path)


def test_a_fixed_span_stays_whatever_comes_later(store: Store) -> None:
    before = [record.text() for record in by_commit.records(store, "2" * 12)]
    later = at(9, GOOD)
    (store.folder / later.name).write_text(later.text())
    assert [record.text() for record in by_commit.records(store, "2" * 12)] == before and len(before) == 2


@pytest.mark.parametrize("until", ["222", "f" * 12, "zzzzzzz"])
def test_a_commit_that_is_not_on_record_is_told(store: Store, until: str) -> None:
    with pytest.raises(BadInput, match="until"):
        by_commit.records(store, until)


def test_a_tree_that_was_not_its_commit_is_no_step(store: Store) -> None:
    assert [record.dirty for record in by_commit.records(store, "4" * 12)] == [False] * 3


def test_flips_are_told_and_so_is_that_there_is_none(store: Store) -> None:
    found = by_commit.records(store, "3" * 12)
    lines = by_commit.flips(found, "passage").splitlines()
    assert lines[:2] == [
        "222222222222 BROKEN y1: answer -> refuse unknown-term (word)",
        "222222222222 BROKEN n1: refuse unknown-term (word) -> answer",
    ]
    assert (
        len(lines) == 4
        and by_commit.flips(found[:1], "passage") == "No row of passage flipped between these 1 commits."
    )


def test_steps_count_what_is_compared(store: Store) -> None:
    first, _ = by_commit.steps(by_commit.records(store, "3" * 12), "passage")
    assert (first["compared"], first["broken"], first["mended"], first["apart"]) == (4, "2: y1, n1", "0", "0")


def test_both_errors_stand_at_the_last_commit(store: Store) -> None:
    (row,) = by_commit.errors(trend.rows(store, until="2" * 12))
    assert str(row["false answers"]) == "1/2" and str(row["false refusals"]) == "1/2"


def test_what_a_size_can_show_is_computed() -> None:
    (row,) = by_commit.sight([30])
    assert row["must turn right"] == compare.detectable(30) == 0.251
    assert row["0 false answers certify"] == stats.certifies(0, 30)


# What is kept


@pytest.mark.parametrize("place", sorted(KEPT.glob("*.csv")), ids=lambda place: place.stem)
def test_a_kept_record_can_be_read_and_is_named_for_what_is_in_it(place: Path) -> None:
    kept = Store(None).read(place.name)
    assert kept.name == place.name and kept.text() == place.read_text("utf-8") and not kept.dirty


def test_the_report_shows_the_work_tree_beside_the_last_kept_commit() -> None:
    if not (build.ROOT / ".git").exists():
        pytest.skip("no git repository here: there is no commit to show")
    (section,) = job._since()
    kept = section.tables[0].columns[1]
    assert "broken" in section.prose[0] and kept in max(path.name for path in KEPT.glob("*.csv"))
