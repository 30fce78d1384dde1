"""Filters before and after ranking, and which version is cited."""

from __future__ import annotations

import pytest
from build import folder

from ragkit.claims.versions import DATED, asked, dated, recalled, strays, with_copies
from ragkit.records import ANSWER, Answer, Chunk, Citation, Golden, Outcome
from ragkit.retrieve import Lexical
from ragkit.scope import InForce

FOLDER = folder(leave="# Leave\n\nLeave is 25 days.\n", parking="# Parking\n\nParking is free.\n")
ROWS = [Golden("1", "How many days of leave?", True, sources=("leave.md#leave",))]


@pytest.mark.parametrize("k", [1, 2, 5])
def test_a_filter_after_ranking_finds_what_fewer_than_k_old_copies_hide(k: int) -> None:
    """The oracle: with n equal copies above it the current section has rank n + 1."""
    for n in range(k + 2):
        made = with_copies(FOLDER, n)
        assert recalled(made, ROWS, InForce(late=True), k) == [n < k]
        assert recalled(made, ROWS, InForce(), k) == [True]
        assert recalled(made, ROWS, Lexical(), k) == [n < k]


def test_copies_below_hide_nothing() -> None:
    assert recalled(with_copies(FOLDER, 9, above="z"), ROWS, InForce(late=True), 1) == [True]


@pytest.mark.parametrize(
    ("pinned", "cited", "wrong"),
    [
        ("v1", ["v1"], False),
        ("v1", ["v2"], True),
        ("v1", ["v1", "v2"], True),
        ("v1", ["v1", "both", ""], False),
        ("", ["v1", "v2"], False),
        ("v1", [], False),
    ],
)
def test_an_answer_strays_when_it_cites_another_version(pinned: str, cited: list[str], wrong: bool) -> None:
    chunks = [Chunk(str(n), "a.md", "x", version=version) for n, version in enumerate(cited)]
    answer = Answer("?", ANSWER, citations=tuple(Citation(chunk, "x", 1) for chunk in chunks))
    assert strays(Outcome("s", Golden("1", "?", True, version=pinned), answer)) is wrong


def test_the_ways_differ_in_the_filter_and_the_label_alone() -> None:
    assert {o.golden.category for o in asked("label")} == {"q6"}
    hits = [hit for o in asked("filter") if o.golden.version == "v1" for hit in o.answer.ranking.hits]
    assert {hit.chunk.version for hit in hits} == {"v1", "both"}
    ranked = [[o.answer.ranking.hits for o in asked(way)] for way in ("nothing", "label")]
    assert ranked[0] == ranked[1]
    assert all(o.answer.text.startswith(("v1", "v2")) for o in asked("label"))


def test_the_filter_keeps_superseded_policies_out_of_the_answers() -> None:
    rows = {str(row["label"]): row for row in dated()}
    assert list(rows) == list(DATED)
    cites = {way: row["cites a superseded policy"].hits for way, row in rows.items()}
    assert cites["filter"] == cites["filter and label"] == 0 < cites["nothing"]
    assert len({row["facts in force stated"].of for row in rows.values()}) == 1
