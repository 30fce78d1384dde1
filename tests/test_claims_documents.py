"""Losses are named where they are and not elsewhere; a header is worth what only it says."""

from __future__ import annotations

import pytest
from build import folder

from ragkit.chunk import Headings
from ragkit.claims.documents import FILES, PARTS, Loss, in_tables, reconciled, tables, told
from ragkit.corpus import index
from ragkit.manifest import manifest
from ragkit.records import Golden, Rate
from ragkit.text import Analyzer

LONG = "Leave is 25 days a year, and whoever needs more asks the office in good time before the summer begins."
TWO = folder(
    a=f"# A\n\n{LONG}\n\n## Short\n\nNone on Sunday.\n", b=f"# B\n\n{LONG} {LONG} {LONG}\n\n## More\n\n{LONG}\n"
)


@pytest.mark.parametrize("loss", FILES, ids=lambda loss: loss.name)
def test_a_lost_file_is_named(loss: Loss) -> None:
    assert told(loss, [TWO])["by reconciliation"] == Rate(2, 2)


def test_a_lost_file_is_named_alone() -> None:
    before, after = (manifest(index(each, Headings(), Analyzer())) for each in (TWO, folder(b=TWO.documents[1].text)))
    assert reconciled(before, after) == {"a.md"} and reconciled(before, before) == set()


@pytest.mark.parametrize(("loss", "files", "listed"), [(PARTS[0], 2, 0), (PARTS[1], 2, 2), (PARTS[2], 1, 1)])
def test_a_lost_part_is_at_best_listed(loss: Loss, files: int, listed: int) -> None:
    row = told(loss, [TWO])
    assert (row["by reconciliation"], row["by lists of sections"]) == (Rate(0, files), Rate(listed, files))


def test_where_nothing_is_lost_nothing_is_counted() -> None:
    assert told(Loss("none"), [TWO])["by reconciliation"] == Rate(0, 0)


TABLE = """# Devices

Our devices are light.

| Device | Weight | Price |
|---|---|---|
| KL-1 | 5 kg | 12 pounds |
| KL-2 | 7 kg | 15 pounds |
"""


def asked(question: str) -> list[float]:
    row = Golden("1", question, True, sources=("a.md#devices",), facts=("7 kg",))
    made = folder(a=TABLE)
    assert in_tables([row], index(made, Headings(), Analyzer()).chunks) == [row]
    return [figure.value for figure in tables([(made, [row])]).figures[:3]]


def test_what_only_the_header_says_is_not_found_without_it() -> None:
    assert asked("Which weight?") == [0, 1, 1]


def test_what_the_row_says_is_found_without_a_header() -> None:
    assert asked("What about the KL-2?") == [1, 0, 0]


def test_a_fact_beside_the_table_or_in_its_header_is_no_table_question() -> None:
    chunks = index(folder(a=TABLE), Headings(), Analyzer()).chunks
    rows = [
        Golden(fact, "?", True, sources=("a.md#devices",), facts=(fact,)) for fact in ("light", "Price", "12 pounds")
    ]
    assert [row.id for row in in_tables(rows, chunks)] == ["12 pounds"]
