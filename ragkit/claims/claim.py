"""A claim, what is measured to try it, and the verdict that follows from the figures alone.

A claim has tests; each names what is measured and the rule that its figure must meet. A figure meets a rule, fails it,
or leaves it open because the rule's bound lies within its interval. Tests left open are set aside: the claim is
confirmed when all others are met and none is open, refuted when all others fail, partly borne out when there are both,
or when some are met and some open, and not decidable here when every test is open.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ragkit.records import Rate
from ragkit.stats import wilson

CONFIRMED, REFUTED, PARTLY, OPEN, WAITS = "confirmed", "refuted", "partly", "not decidable here", "waits"
MET, FAILED, UNDECIDED = "met", "failed", "open"

Row = Mapping[str, object]


@dataclass(frozen=True)
class Figure:
    """A number with its 95 % interval, taken over n questions, sentences or pairs. What is counted out and not sampled
    has an interval of no width (`exact`)."""

    value: float
    low: float
    high: float
    n: int
    left_out: int = 0

    @classmethod
    def of(cls, rate: Rate) -> Figure:
        """A rate with Wilson's interval; open to every rule when it is over nothing."""
        low, high = wilson(rate.hits, rate.of) if rate.of else (math.nan, math.nan)
        return cls(rate.value, low, high, rate.of, rate.left_out)

    @classmethod
    def exact(cls, value: float, n: int = 1) -> Figure:
        return cls(value, value, value, n)

    def __str__(self) -> str:
        interval = f" ({self.low:.3g} to {self.high:.3g})" if self.low < self.high else ""
        return f"{self.value:.3g}{interval}, n = {self.n}" + f", {self.left_out} left out" * bool(self.left_out)


class Rule(Protocol):
    """What a figure must meet; it prints as it is read."""

    def __call__(self, figure: Figure) -> str: ...


@dataclass(frozen=True)
class AtMost:
    """Met when the whole interval lies at or below the bound, failed when it lies above."""

    bound: float

    def __call__(self, figure: Figure) -> str:
        return MET if figure.high <= self.bound else FAILED if figure.low > self.bound else UNDECIDED

    def __str__(self) -> str:
        return f"at most {self.bound:.3g}"


@dataclass(frozen=True)
class AtLeast:
    """Met when the whole interval lies at or above the bound, failed when it lies below."""

    bound: float

    def __call__(self, figure: Figure) -> str:
        return MET if figure.low >= self.bound else FAILED if figure.high < self.bound else UNDECIDED

    def __str__(self) -> str:
        return f"at least {self.bound:.3g}"


@dataclass(frozen=True)
class Above:
    """Met when the whole interval lies above the bound (for differences: above 0), failed when it lies at or below."""

    bound: float = 0.0

    def __call__(self, figure: Figure) -> str:
        return MET if figure.low > self.bound else FAILED if figure.high <= self.bound else UNDECIDED

    def __str__(self) -> str:
        return f"above {self.bound:.3g}"


@dataclass(frozen=True)
class Test:
    """What is measured, and what it must come to if the claim is true."""

    __test__ = False  # for pytest: no test of ours

    what: str
    rule: Rule


@dataclass(frozen=True)
class Found:
    """What an experiment gives: a figure for each test in their order, and rows that show where they come from."""

    figures: tuple[Figure, ...]
    rows: Sequence[Row] = ()


@dataclass(frozen=True)
class Claim:
    """A claim in a sentence, the rows of the requirements it stands in, and how it is tried.

    `reported` is what was measured on the designs' own material before; it is not rerun here. `waits` names what a
    claim without an experiment waits for.
    """

    id: str
    says: str
    rows: str
    experiment: str
    tests: tuple[Test, ...] = ()
    measure: Callable[[], Found] | None = None
    reported: str = ""
    waits: str = ""


@dataclass(frozen=True)
class Tried:
    """A claim with what was found; its verdict is computed anew each time it is asked for."""

    claim: Claim
    found: Found = Found(())

    @property
    def marks(self) -> tuple[str, ...]:
        """What each figure makes of its rule."""
        return tuple(test.rule(figure) for test, figure in zip(self.claim.tests, self.found.figures, strict=True))

    @property
    def verdict(self) -> str:
        return verdict(self.marks) if self.claim.measure else f"{WAITS}: {self.claim.waits}"


def verdict(marks: Sequence[str]) -> str:
    """What follows for a claim from its tests; see the head of this module.

    >>> verdict([MET, MET]), verdict([MET, FAILED]), verdict([FAILED, UNDECIDED]), verdict([UNDECIDED])
    ('confirmed', 'partly', 'refuted', 'not decidable here')
    """
    known = {mark for mark in marks if mark != UNDECIDED}
    if not known:
        return OPEN
    if known == {FAILED}:
        return REFUTED
    return CONFIRMED if set(marks) == {MET} else PARTLY
