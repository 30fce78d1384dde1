"""A number is the same however it is written, and another that looks like it is not; only cited passages count.

`numbers.csv` of a folder: an answer, the passages that it cites in the order of its markers, others, the verdict, and
in the variants the number that is named. Where a person has to look at a row, this check refuses it.
"""

from __future__ import annotations

import csv
from dataclasses import replace

import case
import pytest

from ragkit.check import Numbers
from ragkit.corpus import Corpus
from ragkit.markers import markers
from ragkit.numbers import numbers
from ragkit.records import Chunk, Draft, Verdict

NAMED = {
    "n03": "50",
    "n04": "25 days",
    "n05": "40%",
    "n08": "45 days",
    "n10": "2026",
    "n11": "Version 1.20",
    "n13": "$40",
    "n16": "5120",
}
ROWS = [row for folder in case.FOLDERS for row in case.table(case.HERE / "c19" / folder / "numbers.csv")]
REFUSED = [row for row in ROWS if row["verdict"] != "ok"]
NOTHING = Corpus.of_chunks(())
NO_SUMS = ("n07", "b01", "b04")

each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
each_refused = pytest.mark.parametrize("row", REFUSED, ids=lambda row: row["id"])


def draft(row: dict[str, str]) -> Draft:
    """The cited passages stand where the markers say, the others in the places between and after."""
    named = list(dict.fromkeys(number for marker in markers(row["answer"]) for number in marker.numbers))
    texts = row["cited_passages"].split("|") if len(named) > 1 else [row["cited_passages"]]  # a table has bars too
    cited = dict(zip(named, texts, strict=True))
    others = [text for text in row["other_passages"].split("|") if text]
    places = range(1, max(named) + len(others) + 1)
    texts = [cited[place] if place in cited else others.pop() if others else "Nothing." for place in places]
    return Draft("q", row["answer"], tuple(Chunk(str(n), "a.md", text) for n, text in enumerate(texts)))


def verdict(row: dict[str, str], *, sums: bool = True) -> Verdict:
    return Numbers(sums=sums).on(NOTHING)(draft(row))


@each_row
def test_the_verdict_is_as_given_and_what_a_person_must_see_does_not_pass(row: dict[str, str]) -> None:
    assert verdict(row).refused == (row["verdict"] != "ok"), verdict(row).reason


@each_refused
def test_the_number_is_named_and_no_other(row: dict[str, str]) -> None:
    named = row.get("named") or NAMED[row["id"]]
    said = verdict(row)
    assert (said.gate, said.concept) == ("number-unsupported", named)
    assert said.reason.startswith(f"{named}: ")


@each_row
def test_the_strict_rule_differs_in_sums_only(row: dict[str, str]) -> None:
    assert verdict(row, sums=False).refused == (row["verdict"] != "ok" or row["id"] in NO_SUMS)


@each_row
def test_a_number_is_never_accepted_from_a_passage_that_is_not_cited(row: dict[str, str]) -> None:
    given = draft(row)
    named = {number for marker in markers(given.text) for number in marker.numbers}
    moved = tuple(replace(chunk, text="Nothing.") if n in named else chunk for n, chunk in enumerate(given.passages, 1))
    tempting = (
        *moved,
        *(chunk for n, chunk in enumerate(given.passages, 1) if n in named),
        Chunk("own", "a.md", given.text),
    )
    assert Numbers().on(NOTHING)(replace(given, passages=tempting)).refused == bool(numbers(given.text))


def test_each_row_stands_once_and_there_are_enough_of_our_own() -> None:
    assert len({row["answer"] + row["cited_passages"] + row["other_passages"] for row in ROWS}) == len(ROWS)
    assert len([row for row in ROWS if "named" in row]) >= 40


def test_the_file_is_read_with_its_signs() -> None:
    with (case.HERE / "c19/given/numbers.csv").open(encoding="utf-8", newline="") as file:
        assert any("\u2212" in row["cited_passages"] for row in csv.DictReader(file))
