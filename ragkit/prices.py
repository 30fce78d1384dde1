"""What a call of a language model costs, by the list in `data/prices.csv`: check it before you rely on it.

The columns: US dollars for a million tokens of the prompt and of the reply, the longest prompt in tokens for which that
holds (empty: any), and the day the list was looked up. Discounts for cached or batched prompts are not known here.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ragkit.files import read_text

FILE = Path(__file__).parent / "data" / "prices.csv"
MILLION = 1_000_000


class Price(NamedTuple):
    """US dollars for a million tokens in and out, for prompts of at most `up_to` tokens."""

    input: float
    output: float
    up_to: float


def cost(model: str, tokens_in: int | None, tokens_out: int | None) -> float | None:
    """US dollars for one call; None for a model, a count of tokens or a length of prompt that has no price.

    >>> cost("claude-opus-5-5", 1000, 100), cost("claude-of-tomorrow", 1000, 100), cost("claude-opus-5-5", None, 100)
    (0.006, None, None)
    """
    price = prices().get(model)
    if price is None or tokens_in is None or tokens_out is None or tokens_in > price.up_to:
        return None
    return (tokens_in * price.input + tokens_out * price.output) / MILLION


@cache
def prices() -> dict[str, Price]:
    """The list by name of model."""
    rows = csv.DictReader(read_text(FILE).splitlines())
    return {
        row["model"]: Price(float(row["input_usd"]), float(row["output_usd"]), float(row["up_to"] or "inf"))
        for row in rows
    }
