"""Prices: a list with a date, and no number where it does not reach."""

from __future__ import annotations

import csv
from datetime import date

import pytest

from ragkit import prices
from ragkit.prices import cost
from ragkit.providers import PROVIDERS

ROWS = list(csv.DictReader(prices.FILE.read_text("utf-8").splitlines()))


@pytest.mark.parametrize(
    ("model", "tokens_in", "tokens_out", "dollars"),
    [
        ("gemini-3.8-flash", 1_000_000, 0, 0.75),
        ("gemini-3.8-flash", 0, 1_000_000, 3.75),
        ("claude-sonnet-5-5", 1_000, 100, 0.003),
        ("claude-haiku-5-5", 100_000, 0, 0.01),
        ("claude-haiku-5-5", 100_001, 0, None),
        ("claude-haiku", 1, 1, None),
        ("claude-sonnet-5-5", None, 1, None),
        ("claude-sonnet-5-5", 1, None, None),
        ("", 1, 1, None),
    ],
)
def test_a_call_costs(model: str, tokens_in: int | None, tokens_out: int | None, dollars: float | None) -> None:
    found = cost(model, tokens_in, tokens_out)
    assert found == (dollars if dollars is None else pytest.approx(dollars, rel=1e-12))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["model"])
def test_a_price_has_a_day_and_a_warning(row: dict[str, str]) -> None:
    assert date.fromisoformat(row["as_of"]) and row["note"].startswith("check before you rely on it")
    assert 0 < float(row["input_usd"]) < float(row["output_usd"]) < 100


def test_no_model_stands_twice() -> None:
    assert len({row["model"] for row in ROWS}) == len(ROWS) == len(prices.prices())


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_default_model_has_a_price(name: str) -> None:
    assert PROVIDERS[name]().key().split()[1] in prices.prices()
