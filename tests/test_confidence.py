"""The tables of notebook 02 about raw cosines, on values made by hand where a table only arranges them."""

from __future__ import annotations

import math
from functools import cache
from statistics import median

import pytest

from ragkit import figures, public, stats
from ragkit.records import Rate
from ragkit.signals import COSINES, SIGNALS, TOP, TOP_COSINE
from ragkit.studies import confidence
from ragkit.studies.confidence import Group
from ragkit.study import PUBLISHED, Study

GROUPS = [Group("q1", "answerable", (0.2, 0.45, 0.7, 0.9)), Group("q4", "unanswerable", (0.1,))]


@cache
def small() -> Study:
    return Study("kestrel", "kestrel")


@cache
def nulls() -> Study:
    return Study("kestrel", "nulls")


@cache
def groups() -> list[Group]:
    return confidence.groups(small(), nulls(), TOP_COSINE)


def test_every_question_and_every_null_is_in_one_group_and_the_rows_meet_shuffled_documents_too() -> None:
    sizes = {kind: sum(len(group.values) for group in groups() if group.kind == kind) for kind in confidence.KINDS}
    assert sizes == {"answerable": 15, "unanswerable": 15, "null": len(nulls().rows) + 30}


def test_the_values_of_a_group_are_sorted_and_those_of_its_rows() -> None:
    scores = small().scores(TOP_COSINE)
    (q3,) = (group for group in groups() if group.name == "q3")
    assert list(q3.values) == sorted(scores[row.id] for row in small().rows if row.category == "q3")


def test_groups_stand_by_kind_and_then_by_median() -> None:
    order = [(confidence.KINDS.index(group.kind), -median(group.values)) for group in groups()]
    assert order == sorted(order)


def test_a_spread_counts_a_value_at_the_floor_as_let_through() -> None:
    first, second = confidence.spread(GROUPS, 0.45)
    assert (first["at least 0.45"], second["at least 0.45"]) == (Rate(3, 4), Rate(0, 1))
    assert (first["lowest"], first["median"], first["highest"]) == (0.2, pytest.approx(0.575), 0.9)
    assert second["quarter"] == second["median"] == second["three quarters"] == 0.1


def test_invented_words_have_no_bm25_score_and_always_a_cosine() -> None:
    rows = {row["questions"]: row for row in confidence.honesty(nulls(), TOP_COSINE)}
    invented = rows["pseudo-words"]
    assert invented["no shared word: no score"] == Rate(15, 15) and math.isnan(invented["BM25 of the rest, median"])
    assert rows["word salad"]["no shared word: no score"] == Rate(0, 15)
    assert all(row["cosine, median"] > 0 for row in rows.values())


def test_a_question_with_one_shared_word_has_a_score() -> None:
    rows = confidence.one_word(nulls(), TOP_COSINE, "elsewhere")
    scores = [row["BM25"] for row in rows]
    assert len(rows) == 5 and scores == sorted(scores, reverse=True) and min(scores) > 0
    assert all(str(row["shared"]) in str(row["question"]).casefold() for row in rows)


def test_a_signal_is_told_with_interval_errors_and_what_can_be_answered() -> None:
    (row,) = confidence.ranked(small(), [(TOP, PUBLISHED)])
    low, high = ([*side.values()] for side in small().classes(small().scores(TOP)))
    assert row["AUROC"] == stats.auroc(low, high) and row["errors"] == Rate(stats.best_threshold(low, high).errors, 30)
    least, most = map(float, str(row["95 %"]).split("-"))
    assert least < stats.auroc(low, high) < most
    assert 0 <= row["answered at 10 % risk"] <= 1


def test_close_calls_are_those_of_the_sweep() -> None:
    told = confidence.close_calls(small(), TOP_COSINE, TOP)
    rules = stats.sweep(*(side.values() for side in small().classes(small().scores(TOP_COSINE))))
    near = [rule for rule in rules if rule.errors <= min(rule.errors for rule in rules) + 1]
    assert told.startswith(f"{len(near)} of {len(rules)} rules under top_cosine")


def test_a_picture_tells_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(figures, "show", lambda figure, alt, name: told.append(alt))
    figures.strips(GROUPS, floor=0.45, label="cosine", name="x")
    assert "answerable q1 own words (4) 0.20, 0.57, 0.90" in told[0] and "near miss (1) 0.10, 0.10, 0.10" in told[0]


# The kept public table


def test_the_kept_table_has_every_signal_on_every_set() -> None:
    names = [signal.name for signal in (*SIGNALS, *COSINES)]
    areas, wrong = public.kept(names)
    assert [row["signal"] for row in areas] == names and [row["signal"] for row in wrong][:-1] == names
    assert len({tuple(row) for row in (*areas, *wrong)}) == 1


PUBLISHED_AUROC = {"clapnq": 0.86, "mtrag-cloud": 0.94, "squad2": 0.61, "nomiracl": 0.83}


@pytest.mark.parametrize("name", PUBLISHED_AUROC)
def test_the_top_cosine_ranks_the_public_sets_as_was_found_before(name: str) -> None:
    (row,), _ = public.kept(["top_cosine"])
    assert float(str(row[name]).split()[0]) == pytest.approx(PUBLISHED_AUROC[name], abs=0.03)
