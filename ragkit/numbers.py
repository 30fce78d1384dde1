"""Numbers of a drafted answer held against the passages it cites.

A number stands in a passage when its value does, however it is written: `1,000` is 1000, `2.50` is 2.5, `25` is
twenty-five, 14:00 is 2 pm, and units that convert exactly are one (`1 hour` is 60 minutes, 2 years are 24 months; a
working day is no day, 60 minutes no 60 days). The rest of the rule, on the side of doubt:

- Per cent and money need the same sign in the passage, other units may be missing there (as in a table) unless another
  thing is counted: `40 seats` bears out no 40 days. A number without a unit stands for any but per cent and money.
- A date may say less than the passage (`May 2025` of `1 May 2025`, `2025` as well), never more; `28th` is borne out by
  a date. A range bears out itself and its ends, nothing between, and is borne out by a range only. A code is compared
  as written.
- The sum is one of two different numbers in one unit, or of one with a unit and one that counts nothing named; of
  counts, measures, money and per cent, not of dates, times, ordinals and codes.

What it can not see: the right number said of the wrong thing, and what `ragkit/quantity.py` does not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, time
from decimal import Decimal
from fractions import Fraction
from itertools import combinations

from ragkit.markers import masked
from ragkit.quantity import Number, calendar_day, singles, spelled
from ragkit.records import Rate
from ragkit.text import visible
from ragkit.units import Unit, unit_of

SUMMED = ("count", "measure", "money", "percent")

_LINK = re.compile(r"[ ]?-[ ]?|\s(?:to|until|till)\s|\sand\s")
_BETWEEN = re.compile(r"\bbetween\s(?:the\s)?$", re.IGNORECASE)
_EACH = re.compile(r"\b(an?)\s([A-Za-z]{3,})\b", re.IGNORECASE)


def numbers(text: str) -> list[Number]:
    """The numbers of a text in order, markers left out.

    >>> [(n.kind, *map(str, n.values), n.unit) for n in numbers("25 days, £1,200.50 [1], 8 % by 2 pm")]
    [('measure', '25', 'day'), ('money', '1200.50', 'GBP'), ('percent', '8', 'percent'), ('time', '14:00:00', '')]
    >>> [(n.kind, *map(str, n.values), n.unit) for n in numbers("Ten to 15 minutes for KX-3, on 1 May 2025, the 3rd.")]
    [('range', '10', '15', 'minute'), ('date', '2025-05-01', ''), ('ordinal', '3', '')]
    """
    shown = spelled(visible(masked(text, "\0")))
    read: list[tuple[int, int, Number]] = []
    for start, end, number in singles(shown):
        if read and (pair := _pair(shown, read[-1], (start, end, number))):
            read[-1] = pair
        else:
            read.append((start, end, number))
    return [number for _, _, number in read]


def _pair(text: str, left: tuple[int, int, Number], right: tuple[int, int, Number]) -> tuple[int, int, Number] | None:
    """Two numbers as a range when the text says so and the first is the lower."""
    (start, low_end, low), (high_start, end, high) = left, right
    link = text[low_end:high_start]
    if not _LINK.fullmatch(link) or (link.strip() == "and" and not _BETWEEN.search(text[:start][-16:])):
        return None
    low = _in_the_terms_of(low, high)
    if low.ends or high.ends or not _ordered(low, high):
        return None
    written = " ".join(text[start:end].split())
    return start, end, Number(written, "range", (*low.values, *high.values), high.unit or low.unit, ends=(low, high))


def _in_the_terms_of(low: Number, high: Number) -> Number:
    """The lower end of a range with the unit, the half of the day or the month that only the upper has: `2-3 pm`."""
    value, last = low.values[0], high.values[0]
    if low.kind != "count" or not isinstance(value, Decimal):
        return low
    if high.kind in SUMMED[1:]:
        return replace(low, kind=high.kind, unit=high.unit, of="")
    if value != int(value):
        return low
    if isinstance(last, time) and 0 < value <= 12:
        hours = [hour for hour in (int(value) % 12 + 12, int(value) % 12) if hour < last.hour]
        return replace(low, kind="time", values=(time(hours[0]),)) if hours else low
    if high.kind == "date":
        year, month, day = _calendar(last)
        first = calendar_day(str(year) if year else None, month, str(value)) if day else None
        return replace(low, kind="date", values=(first,)) if first else low
    return low


def _ordered(low: Number, high: Number) -> bool:
    """Whether two numbers are of one sort, and the first is the lower."""
    if low.kind == high.kind == "date":
        return str(low.values[0]) != str(high.values[0])
    if low.kind == high.kind == "time":
        return low.values != high.values
    ours, theirs = _size(low), _size(high)
    return low.kind == high.kind and ours is not None and theirs is not None and ours[0] == theirs[0] and ours < theirs


def _size(number: Number) -> tuple[str, Fraction] | None:
    """What a number counts in and how many of that it is."""
    value = number.values[0]
    if number.kind not in (*SUMMED, "ordinal") or not isinstance(value, Decimal):
        return None
    unit = unit_of(number.unit)
    return (unit.base, Fraction(value) * unit.factor) if unit else (number.kind, Fraction(value))


def _calendar(value: object) -> tuple[int, int, int]:
    """Year, month and day of a date, 0 for what it does not say."""
    if isinstance(value, date):
        return value.year, value.month, value.day
    said = str(value)
    year, month, *day = said.removeprefix("--").split("-") if not said.startswith("--") else ("0", *said[2:].split("-"))
    return int(year or 0), int(month), int(day[0]) if day else 0


def bears_out(there: Number, here: Number) -> bool:
    """Whether a number in a passage bears out one in an answer.

    >>> one = lambda text: numbers(text)[0]
    >>> bears_out(one("one hour"), one("60 minutes")), bears_out(one("25 percent"), one("25"))
    (True, False)
    """
    if here.kind == "range" or there.kind == "range":
        pairs = zip(there.ends, here.ends, strict=False)
        return here.kind == there.kind and all(bears_out(*ends) for ends in pairs)
    if there.kind == "date":
        return _dated(_calendar(there.values[0]), here)
    if "code" in (there.kind, here.kind):
        return _code(there) == _code(here) and here.kind in ("code", "count")
    if here.kind in ("time", "ordinal", "date"):
        return (there.kind, there.values) == (here.kind, here.values)
    return _counts(there, here)


def _code(number: Number) -> str:
    return str(number.values[0]) if number.kind == "code" else number.written


def _dated(there: tuple[int, int, int], here: Number) -> bool:
    """Whether a date is all that is said here: a date with nothing else or nothing more, its day or its year."""
    if here.kind == "date":
        return all(said in (0, stands) for stands, said in zip(there, _calendar(here.values[0]), strict=True))
    if here.kind == "ordinal":
        return here.values[0] == there[2]
    return here.kind == "count" and there[0] > 999 and here.values[0] == there[0]


def _counts(there: Number, here: Number) -> bool:
    if there.kind not in SUMMED:
        return False
    if here.kind == "count":
        return there.kind in ("count", "measure") and there.values == here.values
    if here.kind == "measure" and there.kind == "count":
        return not there.of and there.values == here.values
    return there.kind == here.kind and _size(there) == _size(here)


def offered(passage: str) -> list[Number]:
    """What a passage bears out: its numbers, the ends of its ranges, and 1 for `an hour`."""
    found = numbers(passage)
    ends = [end for number in found for end in number.ends]
    units = [(each[0], unit) for each in _EACH.finditer(passage) if (unit := unit_of(each[2]))]
    return [*found, *ends, *(Number(said, unit.kind, (Decimal(1),), unit.name) for said, unit in units)]


def totals(passages: Iterable[str]) -> list[Number]:
    """The sums of two different numbers that stand in passages.

    >>> [f"{n.written} = {n.values[0]} {n.unit}" for n in totals(["You get 25 days.", "After 5 years: 3 more."])]
    ['25 days + 3 = 28 day', '5 years + 3 = 8 year']
    """
    found = [n for passage in passages for each in numbers(passage) for n in (each.ends or (each,))]
    distinct = {_size(number): number for number in reversed(found) if number.kind in SUMMED}
    pairs = combinations(reversed(distinct.values()), 2)
    return [total for a, b in pairs if (total := _sum(a, b))]


def _sum(a: Number, b: Number) -> Number | None:
    """The sum of two numbers in one unit; one that counts nothing named takes the unit of the other."""
    first, second = a.values[0], b.values[0]
    if not isinstance(first, Decimal) or not isinstance(second, Decimal):
        return None
    written, unit = f"{a.written} + {b.written}", unit_of(a.unit or b.unit)
    if a.unit == b.unit or _open(a, b) or _open(b, a):
        kind = a.kind if a.unit else b.kind
        return Number(written, kind, (first + second,), unit.name if unit else "")
    return _converted(written, a, b)


def _open(a: Number, b: Number) -> bool:
    return a.kind == "count" and not a.of and b.kind == "measure"


def _converted(written: str, a: Number, b: Number) -> Number | None:
    """The sum of two numbers in two units of one sort, in the smaller of them."""
    units = [unit for number in (a, b) if (unit := unit_of(number.unit))]
    if len(units) < 2 or units[0].base != units[1].base:
        return None
    unit = min(units, key=_factor)
    value = sum(
        Fraction(Decimal(str(n.values[0]))) * u.factor / unit.factor for n, u in zip((a, b), units, strict=True)
    )
    return Number(written, unit.kind, (Decimal(value.numerator) / Decimal(value.denominator),), unit.name)


def _factor(unit: Unit) -> Fraction:
    return unit.factor


def unsupported(text: str, passages: Sequence[str], *, sums: bool = True) -> list[Number]:
    """The numbers of a text that stand in no passage, nor, with `sums`, are the sum of two that do.

    >>> [number.written for number in unsupported("45 days, or 25, not 40 %.", ["25 days, 20 more, 40 seats"])]
    ['40 %']
    >>> [number.written for number in unsupported("45 days [1].", ["25 days, 20 more"], sums=False)]
    ['45 days']
    """
    there = _there(passages, sums=sums)
    return [number for number in numbers(text) if not any(bears_out(one, number) for one in there)]


def _there(passages: Sequence[str], *, sums: bool) -> list[Number]:
    return [n for passage in passages for n in offered(passage)] + (totals(passages) if sums else [])


def chance(passages: Sequence[str], *, sums: bool = True, unit: str = "") -> Rate:
    """How many of the whole numbers from 1 to 100 the rule would accept, without a unit or with one: the share of
    figures out of the air that these passages let pass.

    >>> chance(["You get 25 days.", "After 5 years: 3 more."]), chance(["25 days", "5 years: 3 more"], sums=False)
    (5/100, 3/100)
    >>> chance(["You get 25 days.", "After 5 years: 3 more."], unit="days")
    3/100
    """
    there = _there(passages, sums=sums)
    tried = [number for n in range(1, 101) for number in numbers(f"{n} {unit}")]
    return Rate(sum(any(bears_out(one, number) for one in there) for number in tried), len(tried))
