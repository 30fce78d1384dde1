"""Numbers in text as values, which of them bear which out, and how often a wrong one would."""

from __future__ import annotations

from datetime import date, time
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragkit.forms import rows
from ragkit.numbers import bears_out, chance, numbers, offered, totals, unsupported
from ragkit.quantity import spelled
from ragkit.records import Rate
from ragkit.units import unit_of, value_of

PIECES = [
    *("25", "1,000", "2.5", "-5", "£", "$", "%", " days", " hours", "p", " to ", "-", "–", " and ", " between ", "[1]"),
    *("two hundred", "twenty-", "five", "half", "May ", "1 May", " 2025", "2025-05-01", "14:00", " pm", "noon", "1/2"),
    *(
        "v1.2",
        "KX-3",
        "²",
        "½",
        "th",
        "third",
        ".",
        ",",
        " ",
        "\n",
        "1. ",
        "million",
        "0044",
        "an hour",
        "&nbsp;",
        "9" * 40,
    ),
]
texts = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=12).map("".join))


def read(text: str) -> list[tuple[str, ...]]:
    """Kind, values and unit of each number."""
    return [(n.kind, *map(str, n.values), *([n.unit] if n.unit else [])) for n in numbers(text)]


# Reading


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1,000 or 1000 or 1 000 or 1 000", [("count", "1000")] * 4),
        ("1,200.50", [("count", "1200.50")]),
        ("90,000,000.1", [("count", "90000000.1")]),
        ("2.5 and .5", [("count", "2.5"), ("count", "0.5")]),
        ("1,000, 2,000", [("count", "1000"), ("count", "2000")]),
        ("2,5", [("code", "2,5")]),
        ("25, 26", [("count", "25"), ("count", "26")]),
        ("−5 and -6 and minus 7", [("count", "-5"), ("count", "-6"), ("count", "-7")]),
        ("- 5 days\n- 6 days", [("measure", "5", "day"), ("measure", "6", "day")]),
        ("twenty-five", [("count", "25")]),
        ("twenty five", [("count", "25")]),
        ("two hundred and fifty-one", [("count", "251")]),
        ("three thousand, two hundred", [("count", "3200")]),
        ("a hundred", [("count", "100")]),
        ("2.5 million", [("count", "2500000.0")]),
        ("two million", [("count", "2000000")]),
        ("one of them, no one", []),
        ("one hour", [("measure", "1", "hour")]),
        ("twenty-one", [("count", "21")]),
        ("often, tent, eighties, fortyish", []),
        ("2½ hours", [("measure", "2.5", "hour")]),
        ("25%", [("percent", "25", "percent")]),
        ("25 per cent, 25 percent, 25 pct", [("percent", "25", "percent")] * 3),
        ("£5, 5 pounds, GBP", [("money", "5", "GBP")] * 2),
        ("£1.5m and £3k", [("money", "1500000.0", "GBP"), ("money", "3000", "GBP")]),
        ("$2bn", [("money", "2000000000", "USD")]),
        ("-£5 and £-5", [("money", "-5", "GBP")] * 2),
        ("45p a mile", [("money", "45", "penny")]),
        ("5 €", [("money", "5", "EUR")]),
        ("25 days", [("measure", "25", "day")]),
        ("25-day notice", [("measure", "25", "day")]),
        ("25 full days", [("measure", "25", "day")]),
        ("25\ndays", [("measure", "25", "day")]),
        ("25 working days, 25 business days", [("measure", "25", "working day")] * 2),
        ("12 readings a minute", [("count", "12")]),
        ("5 m cable of 5mm", [("measure", "5", "metre"), ("measure", "5", "millimetre")]),
        ("5 m/s", [("measure", "5", "metre per second")]),
        ("30 days/year", [("measure", "30", "day")]),
        ("14:00, 2 pm, 2 p.m., 2:00pm, 2.00 pm", [("time", "14:00:00")] * 5),
        ("noon, 12 noon, 12:00, 12 pm", [("time", "12:00:00")] * 4),
        ("12 am, midnight, 0:00", [("time", "00:00:00")] * 3),
        ("09:30:15", [("time", "09:30:15")]),
        ("25:00 and 13 pm", [("code", "25:00"), ("code", "13 pm")]),
        ("1 May 2025, 1st of May 2025, May 1, 2025, May 1st 2025, 2025-05-01, 1.5.2025", [("date", "2025-05-01")] * 6),
        ("13/04/2025 and 04/13/2025", [("date", "2025-04-13")] * 2),
        ("03/04/2025", [("code", "03/04/2025")]),
        ("31 March", [("date", "--03-31")]),
        ("May 2025", [("date", "2025-05")]),
        ("31 February 2025, 2025-13-01", [("code", "31 February 2025"), ("code", "2025-13-01")]),
        ("you may 5 times", [("count", "5")]),
        ("the 28th, the third", [("ordinal", "28"), ("ordinal", "3")]),
        ("twenty-first", [("ordinal", "21")]),
        ("first, wait a second", []),
        ("third-party", []),
        ("10-15 minutes", [("range", "10", "15", "minute")]),
        ("10 to 15 minutes", [("range", "10", "15", "minute")]),
        ("10 minutes to 15 minutes", [("range", "10", "15", "minute")]),
        ("between ten and fifteen", [("range", "10", "15")]),
        ("ten and fifteen", [("count", "10"), ("count", "15")]),
        ("£10-£15, 10-15 %", [("range", "10", "15", "GBP"), ("range", "10", "15", "percent")]),
        ("0.3 to 60 m/s", [("range", "0.3", "60", "metre per second")]),
        ("-25 to 55 °C", [("range", "-25", "55", "degree Celsius")]),
        ("9:00-17:00, 2-3 pm, 11-1 pm", [
            ("range", "09:00:00", "17:00:00"), ("range", "14:00:00", "15:00:00"), ("range", "11:00:00", "13:00:00"),
        ]),
        ("5-8 May 2025", [("range", "2025-05-05", "2025-05-08")]),
        ("1 January to 31 December", [("range", "--01-01", "--12-31")]),
        ("15-10", [("count", "15"), ("count", "10")]),
        ("3 or 4 days", [("count", "3"), ("measure", "4", "day")]),
        ("01632 960 440", [("code", "01632960440")]),
        ("+44 1632 960440", [("code", "441632960440")]),
        ("version 1.20, v1.20, release 1.20", [("code", "1.20")] * 3),
        ("1.20.3 and 24/7", [("code", "1.20.3"), ("code", "24/7")]),
        ("KX-3, KL-40X, E-07, 2FA, A4, 3D, f-12", []),
        ("https://a.example/25 and a25@b.example", []),
        ("mid-2025, up-to-25", [("count", "2025"), ("count", "25")]),
        ("5x, 300k, 1e5", [("code", "5x"), ("code", "300k"), ("code", "1e5")]),
        ("the 1990s, 30s", [("code", "1990s"), ("measure", "30", "second")]),
        ("8am-5pm", [("range", "08:00:00", "17:00:00")]),
        ("20kg-25kg, 20 days-25 days", [("range", "20", "25", "kilogram"), ("range", "20", "25", "day")]),
        ("45%-50%", [("range", "45", "50", "percent")]),
        ("10² is no 102", [("code", "10^2"), ("count", "102")]),
        ("20 m²", [("measure", "20", "square metre")]),
        ("1. Wait 5 minutes\n2. Go\n5. Stay", [("measure", "5", "minute"), ("count", "5")]),
        ("25. [1]", [("count", "25")]),
        ("25 [1], 3 [2-4]", [("count", "25"), ("count", "3")]),
        ("12 [1] 000", [("count", "12"), ("code", "000")]),
        ("12【1】 000", [("count", "12"), ("code", "000")]),
        ("The arr[1] is red.", [("count", "1")]),
        ("[25 days](a25.md)<!-- 7 -->", [("measure", "25", "day")]),
        ("25&nbsp;days", [("measure", "25", "day")]),
    ],
)  # fmt: skip
def test_a_number_and_its_value(text: str, found: list[tuple[str, ...]]) -> None:
    assert read(text) == found


def test_values_are_of_the_types_for_them() -> None:
    found = numbers("25 days, by 14:00 on 1 May 2025, by 31 March")
    assert [number.values[0] for number in found] == [Decimal(25), time(14), date(2025, 5, 1), "--03-31"]


def test_the_written_form_is_that_of_the_text() -> None:
    assert [n.written for n in numbers("Ten to Twelve days, £1,200.00 on 1 May 2025")] == [
        "Ten to Twelve days",
        "£1,200.00",
        "1 May 2025",
    ]


@given(st.integers(0, 10**9), st.sampled_from(["", "days", "£", "%"]))
def test_a_number_is_read_back_in_any_writing(value: int, unit: str) -> None:
    front, back = (unit, "") if unit == "£" else ("", f" {unit}")
    writings = [f"{front}{value:{form}}{back}" for form in ("d", ",", ".2f", ",.2f")]
    writings += [f"{front}{value:,}{back}".replace(",", space) for space in " \u00a0\u202f\u2009"]
    assert {(n.kind, *n.values) for text in writings for n in numbers(text)} == {
        ({"": "count", "days": "measure", "£": "money", "%": "percent"}[unit], Decimal(value))
    }


@given(st.dates())
def test_a_date_is_read_back_in_any_writing(day: date) -> None:
    month = day.strftime("%B")
    writings = [day.isoformat(), f"{day.day} {month} {day.year:04}", f"{month} {day.day}, {day.year:04}"]
    writings += [f"{day.day} {month[:3]} {day.year:04}"]
    assert [number.values for text in writings for number in numbers(text)] == [(day,)] * 4


@given(st.times())
def test_a_time_is_read_back_in_any_writing(hour: time) -> None:
    said = hour.replace(second=0, microsecond=0)
    writings = [f"{said:%H:%M}", f"{said:%I:%M} {'p.m.' if said.hour >= 12 else 'a.m.'}", f"{said:%I:%M%p}"]
    assert [number.values for text in writings for number in numbers(text)] == [(said,)] * 3


SPELLED = {value: word for word, value, place in rows("number_words.csv") if place in ("one", "teen", "ten")}


def in_words(value: int) -> str:
    if value >= 1000:
        return f"{in_words(value // 1000)} thousand {in_words(value % 1000) if value % 1000 else ''}".strip()
    if value >= 100:
        return f"{SPELLED[str(value // 100)]} hundred{f' and {in_words(value % 100)}' if value % 100 else ''}"
    if str(value) in SPELLED:
        return SPELLED[str(value)]
    return f"{SPELLED[str(value // 10 * 10)]}-{SPELLED[str(value % 10)]}"


@given(st.integers(2, 999_999))
def test_number_words_are_read_back(value: int) -> None:
    assert value_of(in_words(value)) == value
    assert [number.values for number in numbers(f"{in_words(value)} seats")] == [(Decimal(value),)]


# Units


def test_every_spelling_of_a_unit_names_one_unit() -> None:
    words = [word for *_, spellings in rows("units.csv") for word in spellings.split("|")]
    assert len(set(words)) == len(words)


def test_every_unit_counts_in_a_unit_that_is_one() -> None:
    for name, kind, base, factor, _ in rows("units.csv"):
        found = unit_of(name)
        assert found and (found.kind, found.base, found.factor) == (kind, base, Fraction(factor))
        assert base in ("cent", "GBP") or (unit_of(base) and unit_of(base).factor == 1)


@pytest.mark.parametrize("sign", ["MB", "mw", "Kg", "GB"])
def test_case_counts_in_signs_only(sign: str) -> None:
    assert (unit_of(sign) is not None) == (sign in ("MB", "GB"))


# What bears out what


@pytest.mark.parametrize(
    ("there", "here"),
    [
        ("1000", "1,000"),
        ("2.5", "2.50"),
        ("twenty-five", "25"),
        ("25 days", "25"),
        ("25", "25 days"),
        ("25 days in a year", "25 days"),
        ("one hour", "60 minutes"),
        ("an hour", "1 hour"),
        ("72 hours", "3 days"),
        ("210 g", "0.21 kg"),
        ("two years", "24 months"),
        ("£0.45", "45p"),
        ("2 pm", "14:00"),
        ("1 May 2025", "2025-05-01"),
        ("1 May 2025", "1 May"),
        ("1 May 2025", "May 2025"),
        ("1 May 2025", "2025"),
        ("28 May", "the 28th"),
        ("10-12 days", "10 days"),
        ("10-12 days", "12 days"),
        ("10-12 days", "from 10 to 12 days"),
        ("5-8 May", "8 May"),
        ("firmware 4.2", "4.2"),
        ("four", "4"),
        ("8th", "eighth"),
    ],
)
def test_the_same_in_another_writing_is_borne_out(there: str, here: str) -> None:
    assert unsupported(here, [there], sums=False) == []


@pytest.mark.parametrize(
    ("there", "here"),
    [
        ("150", "50"),
        ("2.5", "25"),
        ("25", "25 %"),
        ("25 %", "25"),
        ("£25", "25"),
        ("25", "£25"),
        ("£25", "$25"),
        ("60 days", "60 minutes"),
        ("5 days", "5 working days"),
        ("5 working days", "5 days"),
        ("1 working day", "24 hours"),
        ("1 month", "30 days"),
        ("1 metre", "1 minute"),
        ("40 seats", "40 days"),
        ("25", "-25"),
        ("2 am", "14:00"),
        ("2:30", "14:30"),
        ("May 2025", "1 May 2025"),
        ("1 May", "1 May 2025"),
        ("1 May 2024", "1 May 2025"),
        ("1 May 2025", "1"),
        ("28", "28th"),
        ("28th", "28"),
        ("10-12", "11"),
        ("10 and 12", "10-12"),
        ("10-12", "10-13"),
        ("1.2", "version 1.20"),
        ("version 1.2", "version 1.20"),
        ("5,120 pounds", "5120"),
        ("01632 960 440", "960"),
        ("900,000,001", "90,000,000.1"),
        ("KX-25", "25"),
        ("[25](25.md)", "26"),
    ],
)
def test_what_only_looks_alike_is_not(there: str, here: str) -> None:
    assert unsupported(here, [there], sums=False) != []


@pytest.mark.parametrize(
    ("passages", "here", "whole"),
    [
        (["25 days", "20"], "45 days", True),
        (["25 days", "20"], "45", True),
        (["25 days, 3 more"], "28", True),
        (["25 days, 3 more", "after 5 years"], "30", False),
        (["25 days"], "50 days", False),
        (["25 days", "25 days"], "50 days", False),
        (["£12", "£7.50"], "£19.50", True),
        (["£12", "7.50"], "£19.50", False),
        (["£12", "€7.50"], "£19.50", False),
        (["5 %", "10 %"], "15 %", True),
        (["1 hour", "30 minutes"], "90 minutes", True),
        (["10-20 days", "5 days"], "25 days", True),
        (["1 May", "20"], "21", False),
        (["14:00", "2 hours"], "16:00", False),
        (["1 day", "2 days", "4 days"], "7 days", False),
        (["the 3rd", "the 4th"], "7", False),
        (["20 seats", "25 days"], "45 days", False),
        (["20 seats", "25 beds"], "45", True),
    ],
)
def test_the_sum_of_two_is_borne_out_where_they_can_be_added(passages: list[str], here: str, whole: bool) -> None:
    assert (unsupported(here, passages) == []) == whole
    assert unsupported(here, passages, sums=False) != []


def test_a_sum_says_what_it_is_of() -> None:
    assert [total.written for total in totals(["25 days", "20 more"])] == ["25 days + 20"]


@given(texts)
@example("12 [1] 000")
@example("1. 2. 3")
@example("5-8 May 2025 to 9")
def test_no_text_makes_it_fail_and_each_bears_itself_out(text: str) -> None:
    assert unsupported(text, [text]) == unsupported(text, [text], sums=False) == []


@given(texts, st.lists(texts, max_size=3), texts)
def test_a_further_passage_takes_nothing_away(text: str, passages: list[str], further: str) -> None:
    missing = unsupported(text, passages)
    assert [n for n in unsupported(text, [*passages, further]) if n not in missing] == []
    assert [n for n in missing if n not in unsupported(text, passages, sums=False)] == []


@given(texts)
def test_without_a_passage_nothing_is_borne_out(text: str) -> None:
    assert unsupported(text, []) == unsupported(text, [""]) == numbers(text)


@given(texts)
def test_each_number_of_a_range_is_offered(text: str) -> None:
    there = offered(text)
    assert all(any(bears_out(one, end) for one in there) for number in numbers(text) for end in number.ends)


def test_spelling_twice_changes_no_number() -> None:
    text = "2½ h, 12 000 m², −5"
    assert read(spelled(text)) == read(text)


# Chance


@pytest.mark.parametrize(
    ("passages", "sums", "unit", "hits"),
    [
        ([], True, "", 0),
        (["25 days"], True, "", 1),
        (["25 days"], True, "days", 1),
        (["25 days"], True, "hours", 0),
        (["25 days, 3 more"], False, "", 2),
        (["25 days, 3 more"], True, "", 3),
        (["25 days, 3 more"], True, "days", 3),
        (["£25 and £3"], True, "", 0),
        (["£25 and £3"], True, "pounds", 3),
        (["1, 2, 4, 8, 16, 32"], False, "", 6),
        (["1, 2, 4, 8, 16, 32"], True, "", 21),
        (["250 days"], True, "", 0),
    ],
)
def test_chance_counts_the_whole_numbers_that_would_pass(passages: list[str], sums: bool, unit: str, hits: int) -> None:
    assert chance(passages, sums=sums, unit=unit) == Rate(hits, 100)
