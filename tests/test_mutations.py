"""Planted regressions: each is a change, each harmless one is none, and the sets are drawn as said."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from ragkit.records import Rate
from ragkit.studies import mutations
from ragkit.studies.mutations import HARMLESS, PLANTED, Effect, Mutation, seen
from tests.pasts import outcome, row


@cache
def effect(mutation: Mutation) -> Effect:
    (found,) = mutations.effects([mutation], "kestrel", ["kestrel", "kestrel-probes"])
    return found


def test_there_are_at_least_15_and_no_two_share_a_name() -> None:
    names = [mutation.name for mutation in (*PLANTED, *HARMLESS)]
    assert len(PLANTED) >= 15 and len(set(names)) == len(names)


UNSEEN = ("RRF: ranks from zero",)  # other scores, the same order


@pytest.mark.parametrize("mutation", PLANTED, ids=lambda mutation: mutation.name)
def test_a_planted_regression_changes_something(mutation: Mutation) -> None:
    found = effect(mutation)
    assert (any(found.marks) or bool(found.moved())) is (mutation.name not in UNSEEN)


@pytest.mark.parametrize("mutation", HARMLESS, ids=lambda mutation: mutation.name)
def test_a_harmless_change_changes_nothing(mutation: Mutation) -> None:
    found = effect(mutation)
    assert not any(found.marks) and found.moved() == []


def test_ranks_from_zero_are_other_scores() -> None:
    (mutation,) = (each for each in PLANTED if each.name in UNSEEN)
    before, after = (
        [o.answer.ranking.hits[0].score for o in side if o.answer.ranking.hits]
        for side in (effect(mutation).before, effect(mutation).after)
    )
    assert before != after and len(before) == len(after)


def made(broken: int, mended: int, same: int) -> Effect:
    marks = [("a", "r")] * broken + [("r", "a")] * mended + [("a", "a")] * same
    names = [f"{'y' if n % 2 else 'n'}{n}" for n in range(len(marks))]
    sides = []
    for side in (0, 1):
        answers = [
            m[side] if "y" in name else {"a": "r", "r": "a"}[m[side]] for name, m in zip(names, marks, strict=True)
        ]
        sides.append(tuple(outcome(row(name), mark) for name, mark in zip(names, answers, strict=True)))
    return Effect(Mutation("x"), *sides)


def test_marks_are_those_of_the_rows() -> None:
    assert made(2, 1, 3).marks == [-1, -1, 1, 0, 0, 0]


def test_a_set_of_all_rows_sees_what_is_broken_and_a_set_without_flips_nothing() -> None:
    assert seen(made(1, 0, 29), 30, 20) == (Rate(20, 20), Rate(0, 20))
    assert seen(made(6, 0, 24), 30, 20) == (Rate(20, 20), Rate(20, 20))
    assert seen(made(0, 6, 24), 30, 20) == (Rate(0, 20), Rate(0, 20))


def test_a_small_set_sees_one_broken_row_as_often_as_it_holds_it() -> None:
    rows, _ = seen(made(1, 0, 99), 20, 2000)
    assert rows.value == pytest.approx(0.2, abs=0.04)


def test_the_draw_is_the_same_each_time() -> None:
    assert seen(made(3, 1, 40), 20, 50) == seen(made(3, 1, 40), 20, 50)


def test_what_slips_through_is_named() -> None:
    quiet = replace(made(0, 0, 4), mutation=Mutation("quiet"))
    assert "Nothing at all shows 1: quiet." in mutations.slipped([quiet, made(1, 0, 4)])
    assert mutations.alarms([quiet]).startswith("False alarms: 0 of 1")
    assert mutations.alarms([made(1, 0, 4)]).startswith("False alarms: 1 of 1")
