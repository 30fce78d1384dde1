"""Units of measure and number words: what they are worth. The tables lie in `ragkit/data/`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from ragkit.forms import rows


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: what it counts in (`base`), and how many of that it is."""

    name: str
    kind: str
    base: str
    factor: Fraction


@cache
def _units() -> dict[str, Unit]:
    """Every spelling of every unit; one of up to two letters is a sign, in which case counts."""
    made = [(Unit(name, kind, base, Fraction(factor)), words) for name, kind, base, factor, words in rows("units.csv")]
    return {word: unit for unit, words in made for word in (*words.split("|"), unit.name)}


def unit_of(name: str) -> Unit | None:
    """A unit by any of its spellings.

    >>> unit_of("hrs").name, unit_of("Minutes").factor, unit_of("seats")
    ('hour', Fraction(60, 1), None)
    """
    return _units().get(name) or (_units().get(name.lower()) if len(name) > 2 else None)


@cache
def words() -> dict[str, tuple[int, str]]:
    """Number words with value and place, and the months."""
    return {word.lower(): (int(value), place) for word, value, place in rows("number_words.csv")}


@cache
def functions() -> frozenset[str]:
    """Words that are no name of anything."""
    return frozenset(word for word, _ in rows("stopwords.csv"))


def any_of(*places: str) -> str:
    """The number words of some places as alternatives of an expression."""
    return "|".join(word for word, _, place in rows("number_words.csv") if place in places)


@cache
def cardinal() -> str:
    """An expression for a number in words."""
    small = rf"(?:(?:{any_of('ten')})(?:[\s-](?:{any_of('one')}))?|{any_of('teen')}|{any_of('one')})\b"
    hundred = rf"(?:(?:{small}|an?)[\s-]hundred\b(?:\s(?:and\s)?{small})?|{small})"
    thousand = rf"(?:(?:{hundred}|an?)[\s-]thousand\b(?:,?\s(?:and\s)?{hundred})?|{hundred})"
    return rf"(?:{thousand}|an?)[\s-](?:million|billion)\b(?:,?\s(?:and\s)?{thousand})?|{thousand}"


@cache
def ordinal() -> str:
    """An expression for ordinals in words, from `third` on: `first` and `second` are more often no numbers."""
    single = any_of("nth").split("|")
    late = "|".join(word for word in single if words()[word][0] > 2)
    return rf"(?:{any_of('ten')})-(?:{'|'.join(single)})|{any_of('tieth', 'teenth')}|(?:{late})(?![\s-]part)"


def value_of(written: str) -> int:
    """The value of number words.

    >>> value_of("two hundred and fifty-one thousand"), value_of("a hundred"), value_of("forty-second")
    (251000, 100, 42)
    """
    total = part = 0
    for word in re.findall(r"[a-z]+", written.lower()):
        value, place = words().get(word, (1, "one") if word in ("a", "an") else (0, "one"))
        if place != "scale":
            part += value
        elif value == 100:
            part *= value
        else:
            total, part = total + part * value, 0
    return total + part
