"""Faithfulness is a mean over answers that claim something: a refusal has none, and no evidence supports nothing."""

from __future__ import annotations

import csv
import io
import math
from functools import cache

import case
import pytest

from ragkit import evaluate, metrics, report
from ragkit.files import table
from ragkit.records import ANSWER, REFUSE, Answer, Chunk, Citation, Golden, Hit, Outcome, Ranking, Rate

RATES = {
    "given": {
        "faithfulness": Rate(1.5, 4, 1),
        "without_claims": Rate(1, 5),
        "right_refusals": Rate(2, 3),
        "false_refusals": Rate(1, 5),
        "refusal_precision": Rate(2, 3),
    },
    "variant-a": {
        "faithfulness": Rate(2, 4, 2),
        "without_claims": Rate(2, 6),
        "right_refusals": Rate(2, 4),
        "false_refusals": Rate(2, 6),
        "refusal_precision": Rate(2, 4),
    },
    "variant-b": {
        "faithfulness": Rate(0, 0, 2),
        "without_claims": Rate(1, 1, 1),
        "right_refusals": Rate(2, 2),
        "false_refusals": Rate(1, 2, 1),
        "refusal_precision": Rate(2, 3, 1),
    },
}
# The ids of right and of false refusals, and of the answers that claim nothing.
KINDS = {
    "given": (["a4", "a8"], ["a3"], ["a7"]),
    "variant-a": (["m7", "m10"], ["m3", "m9"], ["m5", "m8"]),
    "variant-b": (["s1", "s2"], ["s3"], ["s5"]),
}
BY_METRIC = [(folder, name) for folder, rates in RATES.items() for name in rates]

every_folder = pytest.mark.parametrize("folder", case.FOLDERS)
# No evidence is nothing retrieved, or a passage without text.
every_kind_of_nothing = pytest.mark.parametrize("empty", [True, False], ids=["empty-passage", "no-passage"])


def ranking(characters: int, empty: bool) -> Ranking:
    hit = Hit(Chunk("c", "a.md", "e" * characters), 1.0)
    return Ranking("q", (hit,) if characters or empty else ())


@cache
def outcomes(folder: str, empty: bool = False) -> list[Outcome]:
    return [
        Outcome(
            "s",
            Golden(row["id"], "q", row["expect"] == ANSWER),
            Answer("q", row["outcome"], ranking=ranking(int(row["evidence_chars"]), empty)),
            claims=int(row["claims"]),
            supported=int(row["claims_supported"]),
        )
        for row in case.table(case.HERE / "c17" / folder / "answers.csv")
    ]


def expected(folder: str) -> dict[str, float | None]:
    rows = case.table(case.HERE / "c17" / folder / "expected.csv")
    return {row["id"]: float(row["faithful"]) if row["faithful"] else None for row in rows}


# Each answer


@every_kind_of_nothing
@every_folder
def test_only_an_answer_that_claims_something_has_a_figure(folder: str, empty: bool) -> None:
    assert {o.golden.id: metrics.faithful(o) for o in outcomes(folder, empty)} == expected(folder)


@every_folder
def test_a_figure_that_is_missing_is_kept_as_missing(folder: str) -> None:
    kept = table(evaluate.outcomes_table(outcomes(folder), "docs", folder), ("id", "faithful"))
    cells = {row["id"]: row["faithful"] for row in csv.DictReader(io.StringIO(kept))}
    assert {id for id, cell in cells.items() if not cell} == {id for id, f in expected(folder).items() if f is None}


@pytest.mark.parametrize("outcome", [REFUSE, ANSWER])
def test_a_sentence_that_says_it_does_not_know_is_a_claim_only_in_an_answer(outcome: str) -> None:
    answer = Answer("q", outcome, "I do not know.", ranking=ranking(9, False))
    assert evaluate.judge(Golden("u", "q", False), answer, system="s", k=5).claims == (outcome == ANSWER)


def test_a_quote_from_no_evidence_is_not_supported() -> None:
    chunk = Chunk("c", "a.md", "The lake is deep.")
    answer = Answer("q", ANSWER, chunk.text, (Citation(chunk, chunk.text, 1),), ranking=Ranking("q"))
    assert metrics.faithful(evaluate.judge(Golden("a", "q", True), answer, system="s", k=5)) == 0


# The rates


@every_kind_of_nothing
@pytest.mark.parametrize(("folder", "name"), BY_METRIC)
def test_the_rate(folder: str, name: str, empty: bool) -> None:
    assert dict(metrics.MEASURES)[name](outcomes(folder, empty)) == RATES[folder][name]


@pytest.mark.parametrize(("folder", "mean"), [("given", 0.375), ("variant-a", 0.5)])
def test_the_mean(folder: str, mean: float) -> None:
    assert metrics.faithfulness(outcomes(folder)).value == mean


def test_a_mean_over_no_answer_is_not_defined() -> None:
    assert math.isnan(metrics.faithfulness(outcomes("variant-b")).value)


@pytest.mark.parametrize("folder", ["given", "variant-a"])
def test_refusals_change_nothing_about_the_mean(folder: str) -> None:
    without = [o for o in outcomes(folder) if o.answer.outcome != REFUSE]
    assert metrics.faithfulness(without) == metrics.faithfulness(outcomes(folder))


@every_folder
def test_refusals_are_counted_apart_as_right_and_false(folder: str) -> None:
    refused = [o for o in outcomes(folder) if o.answer.outcome == REFUSE]
    found = [[o.golden.id for o in refused if o.right is right] for right in (True, False)]
    assert tuple(found) == KINDS[folder][:2]


@every_folder
def test_answers_without_a_claim_are_those_the_rate_counts(folder: str) -> None:
    found = [o.golden.id for o in outcomes(folder) if metrics.without_claims([o]) == Rate(1, 1)]
    assert found == KINDS[folder][2]


# What is shown


def shown(folder: str, name: str) -> str:
    return {str(row["measure"]): str(row["value"]) for row in report.measures(outcomes(folder))}[name]


@pytest.mark.parametrize(
    ("folder", "said"),
    [("given", "0.375 (mean of 4, 1 left out)"), ("variant-a", "0.500 (mean of 4, 2 left out)")],
)
def test_the_mean_is_shown_with_how_many_it_is_over(folder: str, said: str) -> None:
    assert shown(folder, "faithfulness") == said


def test_a_mean_over_no_answer_is_shown_as_none() -> None:
    assert shown("variant-b", "faithfulness").startswith("n/a")


def test_a_mean_over_no_answer_says_how_many_it_leaves_out() -> None:
    assert "2 left out" in shown("variant-b", "faithfulness")


@every_folder
def test_answers_without_a_claim_are_kept_as_such(folder: str) -> None:
    kept = metrics.table(outcomes(folder), "docs", folder)
    (row,) = (row for row in kept if (row["category"], row["metric"]) == ("all", "without_claims"))
    assert Rate(row["hits"], row["of"], row["left_out"]) == RATES[folder]["without_claims"]
