"""Why a row fails, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragkit import job, report, study, systems
from ragkit.corpus import read
from ragkit.files import ROOT
from ragkit.records import ANSWER, ERROR, REFUSE, Answer, Chunk, Citation, Golden, Outcome, Verdict

CITED = (Citation(Chunk("a.md#b", "a.md", "x", ("A", "B")), "x", 1),) * 2
REFUSED = Answer("?", REFUSE, verdict=Verdict("no-match", "x", "nothing found"))


@pytest.mark.parametrize(
    ("answerable", "answer", "why"),
    [
        (False, Answer("?", ANSWER, "x", CITED), "must be refused, was answered from a.md > A > B"),
        (False, Answer("?", ANSWER, "x"), "must be refused, was answered from what it does not cite"),
        (True, Answer("?", ANSWER, "x", CITED), "answered from a.md > A > B without the key facts 5 | 6 or with 7"),
        (True, REFUSED, "must be answered, was refused (no-match): nothing found"),
        (True, Answer("?", ERROR, error="it broke"), "error: it broke"),
    ],
)
def test_a_row_that_does_not_hold_says_why(answerable: bool, answer: Answer, why: str) -> None:
    row = Golden("k1", "?", answerable, facts=("5", "6"), forbidden=("7",))
    outcome = Outcome("s", row, answer, correct=False if answerable else None)
    assert [each["why"] for each in report.failures([outcome])] == [why]


def test_a_row_that_does_not_hold_tells_page_version_and_address_of_what_it_cites() -> None:
    chunk = Chunk("a.md#b", "a.md", "x", ("A",), page=3, version="v2", url="https://example.org/a?b=1&c=2")
    for url, told in ((chunk.url, ", https://example.org/a?b=1&c=2"), ("javascript:alert(1)", "")):
        answer = Answer("?", ANSWER, "x", (Citation(replace(chunk, url=url), "x", 1),))
        (row,) = report.failures([Outcome("s", Golden("k1", "?", False), answer)])
        assert row["why"] == f"must be refused, was answered from a.md > A (page 3, v2{told})"


# Version, line, refusal


def run(corpus: str, system: str = "always-answer") -> report.Run:
    return study.evaluated(systems.SYSTEMS[system], read(ROOT / "corpus" / corpus), ROOT / "golden" / f"{corpus}.csv")


def shown(run: report.Run) -> list[str]:
    return [str(row["measure"]) for row in report.measures(run.outcomes)]


def test_measures_of_citations_stand_where_they_can_be_judged() -> None:
    citations = ["version correct", "citation present", "cites line"]
    assert shown(run("sdk"))[-3:] == citations
    assert shown(run("kestrel"))[-2:] == citations[1:] and "version correct" not in shown(run("kestrel"))
    assert not set(citations) & set(shown(run("kestrel", "always-refuse")))


def test_the_report_tells_what_every_system_cites() -> None:
    runs = [run("sdk"), run("kestrel", "passage"), run("kestrel", "always-refuse")]
    (section,) = (each for each in job._sections(runs) if each.title == "Citations")
    assert {table.caption: table.columns for table in section.tables} == {
        "What every system cites on sdk": [
            *("system", "version-correct", "cites anything", "cites the source line", "refuses"),
        ],
        "What every system cites on kestrel": ["system", "cites anything", "cites the source line", "refuses"],
    }
    first, second = section.tables[1].rows
    assert first[0] == "passage" and first[1].startswith("9/9") and first[2].startswith("7/8")
    assert second[1:] == ["n/a (0 questions)", "n/a (0 questions)", "15/15 (80-100 %)"]
