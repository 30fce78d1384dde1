"""The harness of `make bench` on a tiny corpus and on numbers made up; what it measures is not judged here."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragkit.commits import Repo
from ragkit.history import KEPT
from tests.bench import __main__ as bench
from tests.bench import history, lexical, table
from tests.bench.clock import Spent
from tests.bench.corpus import Zipf


def row(ours: float, rival: float, *, target: float, faster: bool = True) -> table.Row:
    return table.Row("a", Spent(ours, 2 * ours), Spent(rival, rival), "b", target, faster)


FASTER, SLOWER, NEAR, FAR, NOTHING = (
    row(0.001, 0.2, target=200),
    row(0.001, 0.199, target=200),
    row(2.5, 1, target=2.5, faster=False),
    row(2.6, 1, target=2.5, faster=False),
    row(0, 1, target=200),
)


def test_every_ratio_has_its_row() -> None:
    rows = lexical.at(lexical.Size(300, {"rank-bm25": 1}, questions=20, every=2, rounds=2, builds=1))
    assert [(row.what, row.name) for row in rows] == [
        ("300 chunks, one question, median of 10", "rank-bm25"),
        ("300 chunks, a question of a batch of 10", "rank-bm25"),
        ("300 chunks, index build", "rank-bm25"),
    ]


def test_a_long_past_has_its_row_a_command() -> None:
    rows = history.at(4, few=2, rounds=1)
    assert [(row.what, row.name, row.target, row.faster) for row in rows] == [
        ("ragkit history compare, 4 records", "2 records", 1.5, False),
        ("ragkit history gate, 4 records", "2 records", 1.5, False),
    ]
    assert all(row.ours.cpu > 0 < row.rival.cpu for row in rows)


def test_the_records_of_a_long_past_are_of_full_size_and_the_last_two_are_of_commits(tmp_path: Path) -> None:
    repo = Repo.of(history.project(tmp_path / "lab", 5))
    kept = repo.kept()
    names = [name.split("-")[1] for name in sorted(kept)]
    assert len(set(names)) == 5 and names[-2:] == [commit.short for commit in repo.commits("HEAD")]
    full = max(KEPT.glob("*.csv")).stat().st_size
    assert {*map(len, repo.blobs(list(kept.values())))} == {full}


def test_an_engine_that_is_not_installed_is_named_and_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lexical, "missing", lambda engine: ["numba"])
    rows = lexical.at(lexical.Size(300, {"bm25s-numba": 0.6}, questions=2, rounds=1, builds=1))
    assert rows == []
    assert "skipped: bm25s-numba; not installed: numba" in capsys.readouterr().out


@pytest.mark.parametrize(("a_row", "holds"), [(FASTER, True), (SLOWER, False), (NEAR, True), (FAR, False)])
def test_a_target_is_a_least_or_a_most(a_row: table.Row, holds: bool) -> None:
    assert a_row.holds == holds


def test_a_ratio_that_can_not_be_formed_does_not_hold() -> None:
    assert not NOTHING.holds


@pytest.mark.parametrize(("rows", "code"), [([FASTER, NEAR], 0), ([FASTER, FAR], 1), ([NOTHING], 1)])
def test_a_missed_target_ends_with_1(
    rows: list[table.Row], code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = {"lexical": lambda quick: rows, "ask": lambda quick: [FAR]}
    assert bench.main(["--only", "lexical", "--out", str(tmp_path / "bench.csv")], parts) == code
    assert ("NO" in capsys.readouterr().out) == (code == 1)
    assert len((tmp_path / "bench.csv").read_text("utf-8").splitlines()) == 1 + len(rows)


def test_the_table_shows_times_ratio_and_target() -> None:
    head, line = table.text([FASTER]).splitlines()
    assert head.split() == list(table.HEAD)
    assert line.split() == ["a", "1.000", "ms", "200.0", "ms", "b", "200", ">=", "200", "yes", "100"]


def test_the_corpus_is_the_same_every_time_and_its_questions_stand_in_it() -> None:
    corpus = Zipf(200)
    chunks, questions = corpus.chunks(), corpus.questions(20)
    assert (chunks, questions) == (Zipf(200).chunks(), Zipf(200).questions(20))
    for question in questions:
        assert 3 <= len(set(question)) == len(question) <= 10
        assert any(set(question) <= set(chunk) for chunk in chunks)
