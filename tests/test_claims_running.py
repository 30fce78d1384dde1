"""Calls are counted where they are made, and a regression shows where rows break."""

from __future__ import annotations

from dataclasses import replace

import build
from build import folder
from pasts import outcome, row

from ragkit.claims.running import Cost, costs, most, shows
from ragkit.dense import Dense
from ragkit.fuse import Fused
from ragkit.gate import Anything, Coverage
from ragkit.records import Rate
from ragkit.retrieve import Lexical
from ragkit.scope import ByVersion, Pinned
from ragkit.studies.mutations import Effect, Mutation
from ragkit.system import System

FOLDER = folder(
    v1="---\nversion: v1\n---\n# Leave\n\nLeave is 25 days.\n",
    v2="---\nversion: v2\n---\n# Leave\n\nLeave is 30 days.\n",
)
SYSTEM = System("toy", gates=(Coverage("corpus"),))
FUSED = Pinned(Fused((Lexical(), Dense(build.TOY))))


def test_a_refusal_is_no_call_and_an_answer_is_one() -> None:
    assert costs(SYSTEM, FOLDER, ["How long is leave?", "Is there a sauna?"]) == [
        Cost("", 1, 0),
        Cost("unknown-term", 0, 0),
    ]


def test_a_call_before_the_gate_would_be_counted() -> None:
    assert [cost.written for cost in costs(replace(SYSTEM, gates=(Anything(),)), FOLDER, ["Leave in a sauna?"])] == [1]


def test_an_answer_for_each_version_is_a_call_for_each() -> None:
    assert costs(replace(SYSTEM, answerer=ByVersion()), FOLDER, ["How long is leave?"]) == [Cost("", 2, 0)]


def test_a_question_is_embedded_before_it_is_refused() -> None:
    assert costs(replace(SYSTEM, retriever=FUSED), FOLDER, ["Is there a sauna?"]) == [Cost("unknown-term", 0, 1)]


def effect(broken: int, same: int) -> Effect:
    names = [f"y{n}" for n in range(broken + same)]
    after = ["r"] * broken + ["a"] * same
    sides = [
        [outcome(row(name), mark) for name, mark in zip(names, marks, strict=True)]
        for marks in ("a" * len(names), after)
    ]
    return Effect(Mutation("x"), *map(tuple, sides))


def test_most_sets_see_what_breaks_many_rows() -> None:
    """One row of 100 is in a set of 20 one time in five, and one that breaks is never significant."""
    assert most([effect(1, 99), effect(10, 90), effect(0, 100)], 20) == (Rate(1, 3), Rate(0, 3))
    assert most([effect(60, 40)], 20) == (Rate(1, 1), Rate(1, 1))


def test_a_change_that_breaks_nothing_does_not_show() -> None:
    assert shows(effect(1, 9)) and not shows(effect(0, 10))
