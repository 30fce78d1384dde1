"""Numbers in English text as values: counts, measures, per cent, money, dates, times, ordinals, ranges, codes.

Units are those of `ragkit/data/units.csv`, a word between number and unit is passed over (`5 full days`), and a
`working day` is no `day`. `1,000`, `1 000` and `1000` are one number, `2,5` is a code, compared as written. Codes too
are telephone numbers, versions, fractions, `5x`, and dates that can be read two ways. Codes with letters (`KX-3`,
`2FA`), addresses of the web and the numbers of list items are no numbers. Not read: halves and thirds in words,
`first`, `second`, `once`, `twice`, `dozen`, and `one` without a unit.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from functools import cache

from ragkit.units import Unit, any_of, cardinal, functions, ordinal, unit_of, value_of, words

Value = Decimal | date | time | str


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written, its kind, and its value; a date without year or day is text as in ISO 8601 (`--03-31`).

    `unit` is its name in `units.csv`. `of` is the word behind a number without unit. A range has two values, and its
    ends as numbers of their own.
    """

    written: str
    kind: str
    values: tuple[Value, ...]
    unit: str = ""
    of: str = ""
    ends: tuple[Number, ...] = ()


_SPACE = re.compile(r"(?<=\d)[\u00a0\u2007\u2009\u202f](?=\d{3}(?!\d))")
_POWER = re.compile("(?<=[^\\W_])([\u00b2\u00b3\u00b9\u2070\u2074-\u2079]+)")
_FRACTION = re.compile("(?<![0-9])([0-9]*)[ \u2009]?([\u00bc-\u00be\u2150-\u215e])")
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"))
_ITEM = re.compile(r"^([ \t>]*)(\d{1,2})([.)])(?=[ \t]+[^\s\0])", re.MULTILINE)

_DIGITS = r"\d{1,3}(?:,\d{3})+(?!\d|,\d)(?:\.\d+)?|\d{1,3}(?:\ \d{3})+(?![\d ]*\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_NTH = r"(?:st|nd|rd|th)"
_MERIDIEM = r"(?P<half>[ap])\.?m\b\.?"


@cache
def _token() -> re.Pattern[str]:
    month, start = rf"(?-i:{any_of('month')})\b\.?", r"(?<![\w.])(?<![A-Za-z]-)"
    return re.compile(
        rf"""
        (?P<skip>https?://\S+|\b[\w.+-]{{1,64}}@\S+|www\.\S+)
        |{start}(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})(?![\w-])
        |{start}(?P<dotted>\d{{1,2}}(?P<by>[./])\d{{1,2}}(?P=by)\d{{4}})(?![\w/])
        |{start}(?P<d1>\d{{1,2}}){_NTH}?(?:\s+of)?\s+(?P<m1>{month})(?:,?\s+(?P<y1>\d{{4}})\b(?![.:,]\d))?
        |{start}(?P<m2>{month})\s+(?P<d2>\d{{1,2}}){_NTH}?(?![\w:%])(?![.,-]\d)(?:,?\s+(?P<y2>\d{{4}})\b(?![.:,]\d))?
        |{start}(?P<m3>{month}),?\s+(?P<y3>\d{{4}})\b(?![.:,]\d)
        |{start}(?P<clock>\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?![\d:])(?:\s?{_MERIDIEM})?)
        |{start}(?P<hour>\d{{1,2}}(?:\.\d{{2}})?\s?{_MERIDIEM.replace("half", "half2")})
        |\b(?:12\s)?(?P<named>noon|midnight|midday)\b
        |(?P<phone>\+\d[\d ()-]{{6,}}\d|(?<![\w.,:/-])0\d{{2,}}(?:[ -]\d{{2,}})*(?![\w.,:]\w))
        |\b(?:version|release|firmware|v)[.\s]?\s?(?P<version>\d+(?:\.\d+)+)
        |{start}(?P<code>\d+(?:\.\d+){{2,}}|\d+(?:/\d+)+|(?!\d{{1,3}}(?:,\d{{3}})+(?!\d|,\d))\d+(?:,\d+)+|\d+\^\d+|\d{{3}}0s)(?!\w)
        |{start}(?P<nth>\d+){_NTH}\b
        |(?<![\w-])(?P<wordnth>{ordinal()})\b
        |(?P<sign>(?<![\w.)%\]-])-|\bminus\s)?(?:(?P<coin>[£$€¥])\s?(?P<coinsign>-)?)?
          (?:(?<![\w.])(?<![A-Za-z_]-)(?P<digits>{_DIGITS})|(?<![\w-])(?P<word>{cardinal()}))
        """,
        re.VERBOSE | re.IGNORECASE,
    )


_TO_A_SECOND = re.compile(r"(?<=\d)(\s?[a-z\u00b0%]{1,12}C?)-(?=[\d£$€])")  # 8am-5pm
_PREFIXED = re.compile(r"\b([a-z]{2,}|[A-Z][a-z]{2,})-(?=\d)")  # mid-2025
_SCALE = re.compile(r"\s?(thousand|million|billion)\b", re.IGNORECASE)
_COIN_SCALE = re.compile(r"(k|m|bn)\b", re.IGNORECASE)
_BEHIND = re.compile(r"(?P<gap>[\s-]?)(?P<word>[%£$€¥°℃]C?F?\b|[%£$€¥°]|[A-Za-z][A-Za-z/]*(?:\^\d)?)")
_THEN = re.compile(r"[\s-](?P<word>[A-Za-z][A-Za-z/]*)")
_GLUED = "\0"
_LOWER = re.compile(r"[\d.,]*\d[a-z]+\w*")  # 5x
_WORKING = ("working", "business")


def spelled(text: str) -> str:
    """A text with one spelling of dashes, spaces and fractions, without the numbers of list items.

    >>> spelled("1. Wait 2\u00bd h at \u22125 to 12\u202f000 m\u00b2")
    ' Wait 2.5 h at -5 to 12,000 m^2'
    """
    text = _FRACTION.sub(_decimal, _SPACE.sub(",", text))
    text = _POWER.sub(r"^\1", text)
    text = unicodedata.normalize("NFKC", text).translate(_DASHES)
    text = re.sub(r"\bper\scent\b", "percent", text, flags=re.IGNORECASE)
    return _PREFIXED.sub(r"\1 ", _TO_A_SECOND.sub(r"\1 - ", _without_item_numbers(text)))


def _decimal(found: re.Match[str]) -> str:
    value = Decimal(str(round(unicodedata.numeric(found[2]), 6)))
    return str(int(found[1] or 0) + value) if len(found[1]) < 20 else found[0]


def _without_item_numbers(text: str) -> str:
    """List items count from 1; another number that begins a line is one."""
    due = 1

    def cut(item: re.Match[str]) -> str:
        nonlocal due
        if int(item[2]) not in (1, due):
            return item[0]
        due = int(item[2]) + 1
        return item[1]

    return _ITEM.sub(cut, text)


def singles(text: str) -> Iterator[tuple[int, int, Number]]:
    """Every number of a text as spelled, with its place; the ends of a range apart."""
    at = 0
    while found := _token().search(text, at):
        at = max(found.end(), at + 1)
        read = next((read for group, read in _READ.items() if found.group(group)), None)
        if read and (made := read(found, text)):
            number, end = made
            yield found.start() + len(found[0]) - len(found[0].lstrip()), end, number
            at = max(end, at)


Read = tuple[Number, int] | None


def _told(found: re.Match[str], kind: str, value: Value | None) -> Read:
    """A number that ends with its match; what is no date or time after all is a code."""
    written = " ".join(found[0].split())
    if value is None:
        return Number(written, "code", (written,)), found.end()
    return Number(written, kind, (value,)), found.end()


def calendar_day(year: str | None, month: int, day: str | None) -> Value | None:
    """A date, or what is said of one; None where no calendar has it.

    >>> calendar_day("2025", 2, "28"), calendar_day(None, 3, "31"), calendar_day("2025", 5, None)
    (datetime.date(2025, 2, 28), '--03-31', '2025-05')
    """
    try:
        full = date(int(year or 2000), month, int(day or 1))
    except ValueError:
        return None
    if year and day:
        return full
    return f"--{full:%m-%d}" if day else f"{full.year:04}-{full:%m}"


def _iso(found: re.Match[str], text: str) -> Read:
    year, month, day = found["iso"].split("-")
    return _told(found, "date", calendar_day(year, int(month), day))


def _dotted(found: re.Match[str], text: str) -> Read:
    """Day first with full stops; with slashes only what can not be read in two ways."""
    first, second, year = re.split(r"[./]", found["dotted"])
    if "/" in found["dotted"]:
        day, month = sorted((first, second), key=int, reverse=True)
        return _told(found, "date", calendar_day(year, int(month), day) if int(day) > 12 or first == second else None)
    return _told(found, "date", calendar_day(year, int(second), first))


def _named_month(found: re.Match[str], text: str) -> Read:
    month = words()[(found["m1"] or found["m2"] or found["m3"]).rstrip(".").lower()][0]
    year = found["y1"] or found["y2"] or found["y3"]
    return _told(found, "date", calendar_day(year, month, found["d1"] or found["d2"]))


def _clock(found: re.Match[str], text: str) -> Read:
    if found["named"]:
        return _told(found, "time", time(0 if found["named"].lower() == "midnight" else 12))
    half = (found["half"] or found["half2"] or "").lower()
    hour, minute, second = [*map(int, re.findall(r"\d+", found["clock"] or found["hour"])), 0, 0][:3]
    if half and not 1 <= hour <= 12:
        return _told(found, "time", None)
    try:
        return _told(found, "time", time(hour % 12 + 12 * (half == "p") if half else hour, minute, second))
    except ValueError:
        return _told(found, "time", None)


def _code(found: re.Match[str], text: str) -> Read:
    written = found["phone"] or found["version"] or found["code"]
    value = re.sub(r"\D", "", written) if found["phone"] else written
    return Number(" ".join(found[0].split()), "code", (value,)), found.end()


def _nth(found: re.Match[str], text: str) -> Read:
    return _told(found, "ordinal", Decimal(found["nth"]) if found["nth"] else Decimal(value_of(found["wordnth"])))


def _count(found: re.Match[str], text: str) -> Read:
    """A number with its sign, scale and unit; None for a code such as `2FA`, and for the pronoun `one`."""
    value = Decimal(re.sub(r"[ ,]", "", found["digits"])) if found["digits"] else Decimal(value_of(found["word"]))
    end = found.end()
    scale = _SCALE.match(text, end) or (_COIN_SCALE.match(text, end) if found["coin"] else None)
    if scale:
        short = {"k": 1000, "m": 10**6, "bn": 10**9}
        value, end = value * (short.get(scale[1].lower()) or words()[scale[1].lower()][0]), scale.end()
    value = -value if found["sign"] or found["coinsign"] else value
    unit, of, end = (unit_of(found["coin"]), "", end) if found["coin"] else _behind(text, end)
    if of == _GLUED and found["digits"] and (code := _LOWER.match(text, found.start("digits"))):
        return Number(code[0], "code", (code[0],)), code.end()
    if of == _GLUED or (unit is None and (found["word"] or "").lower() == "one"):
        return None
    written = " ".join(text[found.start() : end].split())
    return Number(written, unit.kind if unit else "count", (value,), unit.name if unit else "", of), end


def _behind(text: str, end: int) -> tuple[Unit | None, str, int]:
    """The unit behind a number and where it ends, else the word behind it; `_GLUED` for letters that make it a code."""
    first = _BEHIND.match(text, end)
    if first is None:
        return None, "", end
    word, glued = first["word"], not first["gap"]
    if unit := unit_of(word) or unit_of(word.partition("/")[0]):
        return unit, "", first.end()
    if glued or (first["gap"] == "-" and (len(word) == 1 or not word.islower())):
        return None, _GLUED, end
    then = _THEN.match(text, first.end())
    unit = unit_of(then["word"]) if then and word.lower() not in functions() and len(then["word"]) > 2 else None
    if unit and then:
        working = word.lower() in _WORKING and unit.name == "day"
        return (unit_of("working day") if working else unit), "", then.end()
    return None, "" if word.lower() in functions() else word.lower(), end


_READ: dict[str, Callable[[re.Match[str], str], Read]] = {
    "iso": _iso, "dotted": _dotted, "m1": _named_month, "m2": _named_month, "m3": _named_month, "clock": _clock,
    "hour": _clock, "named": _clock, "phone": _code, "version": _code, "code": _code, "nth": _nth, "wordnth": _nth,
    "digits": _count, "word": _count,
}  # fmt: skip
