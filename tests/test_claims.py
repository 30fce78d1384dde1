"""Claims: rules, verdicts from figures alone, and the table that is kept."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path

import build
import pytest
import toys

from ragkit.claims import book
from ragkit.claims.claim import FAILED, MET, Above, AtLeast, AtMost, Claim, Figure, Found, Test, Tried, verdict
from ragkit.records import BadInput, Rate

GRID = [Figure.exact(value) for value in (-math.inf, -1.0, 0.0, 0.5, 1.0, math.inf)] + [Figure(0.5, -9, 9, 1)]


@pytest.mark.parametrize(
    ("rule", "figure", "mark"),
    [
        (AtMost(0.5), Figure(0.4, 0.3, 0.5, 9), "met"),
        (AtMost(0.5), Figure(0.6, 0.51, 0.7, 9), "failed"),
        (AtMost(0.5), Figure(0.4, 0.3, 0.51, 9), "open"),
        (AtLeast(0.5), Figure(0.6, 0.5, 0.7, 9), "met"),
        (AtLeast(0.5), Figure(0.4, 0.3, 0.49, 9), "failed"),
        (AtLeast(0.5), Figure(0.4, 0.3, 0.5, 9), "open"),
        (Above(), Figure(0.1, 0.01, 0.2, 9), "met"),
        (Above(), Figure(-0.1, -0.2, 0.0, 9), "failed"),
        (Above(), Figure(0.0, -0.1, 0.1, 9), "open"),
        (Above(), Figure.exact(0.0), "failed"),
        (AtMost(0.5), Figure.of(Rate(0, 0)), "open"),
    ],
)
def test_a_rule_asks_for_the_whole_interval(rule: AtMost, figure: Figure, mark: str) -> None:
    assert rule(figure) == mark


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        (("met", "met"), "confirmed"),
        (("met", "failed"), "partly"),
        (("met", "open"), "partly"),
        (("failed", "failed"), "refuted"),
        (("failed", "open"), "refuted"),
        (("open", "open"), "not decidable here"),
        ((), "not decidable here"),
    ],
)
def test_the_verdict_follows_from_the_marks(marks: tuple[str, ...], said: str) -> None:
    assert verdict(marks) == said


def test_a_rate_is_a_figure_with_wilsons_interval() -> None:
    figure = Figure.of(Rate(5, 6, 2))
    assert (figure.value, figure.n, figure.left_out) == (5 / 6, 6, 2)
    assert (round(figure.low, 3), round(figure.high, 3)) == (0.436, 0.970)


every_claim = pytest.mark.parametrize("name", book.claims())


@every_claim
def test_a_claim_is_whole(name: str) -> None:
    claim = book.claims()[name]
    assert claim.says.endswith(".") and claim.experiment.endswith(".") and claim.rows
    assert bool(claim.measure) == bool(claim.tests) != bool(claim.waits)


@every_claim
def test_another_figure_is_another_verdict(name: str) -> None:
    """Whatever is found, some other figures give each of two verdicts: none is typed by hand."""
    claim = book.claims()[name]
    if claim.measure:
        tried = [Tried(claim, Found((figure,) * len(claim.tests))) for figure in GRID]
        assert len({one.verdict for one in tried}) >= 2
        assert all({MET, FAILED} <= {test.rule(figure) for figure in GRID} for test in claim.tests)


def test_there_are_46_claims_and_36_of_them_are_tried() -> None:
    found = book.claims()
    assert list(found) == [f"H{n}" for n in range(1, 47)]
    assert sum(claim.measure is not None for claim in found.values()) >= 36


def test_a_planted_figure_changes_the_kept_verdict(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    toys.use_results(tmp_path, monkeypatch)
    claim = Claim("H1", "One.", "S0-1", "Counted.", (Test("share", AtMost(0.5)),), lambda: Found((Figure.exact(0.4),)))
    kept = []
    for planted in (claim, replace(claim, measure=lambda: Found((Figure.exact(0.6),)))):
        monkeypatch.setattr(book, "claims", lambda planted=planted: {"H1": planted})
        book.tried.cache_clear()
        book.keep()
        kept += list(csv.DictReader((tmp_path / "results" / "tables" / "claims.csv").read_text("utf-8").splitlines()))
    book.tried.cache_clear()
    assert [(row["verdict"], row["figure"]) for row in kept] == [("confirmed", "0.400000"), ("refuted", "0.600000")]


def test_the_kept_table_is_what_the_experiments_find() -> None:
    with (build.ROOT / "results" / "tables" / "claims.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    cheap = "H43"
    assert rows[cheap]["verdict"] == book.tried(cheap).verdict
    assert [row["where"] for row in rows.values() if row["figure"] and "#cell-" not in row["where"]] == []


def test_an_unknown_claim_is_bad_input() -> None:
    with pytest.raises(BadInput, match="claim 'H99': unknown; use one of"):
        book.tried("H99")
