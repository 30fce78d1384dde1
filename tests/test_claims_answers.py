"""Experiments about answers: each figure moves with what it is said to count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import build
import pytest

from ragkit.answer import Quote
from ragkit.check import Marked
from ragkit.claims import answers, lab
from ragkit.claims.claim import Tried
from ragkit.evaluate import judge
from ragkit.gate import Anything, Floor, Nothing
from ragkit.records import ANSWER, REFUSE, Answer, Chunk, Citation, Golden, Outcome, Ranking, Rate
from ragkit.rerank import AsFound, Overlap
from ragkit.scripted import Fabricator, Faithful, SecondGuesser
from ragkit.signals import TOP
from ragkit.systems import COSINE, COVERAGE, SYSTEMS

CLAIMS = {claim.id: claim for claim in answers.CLAIMS}
V1, V2, BOTH = (
    Chunk(name, f"{name}.md", f"Said of {name}.", sections=(f"{name}.md#a",), version=name)
    for name in ("v1", "v2", "both")
)


@pytest.fixture(autouse=True, scope="module")
def small() -> Iterator[None]:
    """Two small golden files instead of all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lab, "OURS", (("clinic", "clinic"), ("sdk", "sdk")))
        yield


def tried(name: str) -> Tried:
    measure = CLAIMS[name].measure
    assert measure
    return Tried(CLAIMS[name], measure())


def outcome(
    text: str = "", *cited: Chunk, answerable: bool = True, withheld: str = "", found: bool = True, **golden: object
) -> Outcome:
    """A row that is answered with a text, or refused where there is none."""
    citations = tuple(Citation(chunk, chunk.text, 1) for chunk in cited)
    ranking = (
        build.ranking("q", build.corpus(*[chunk.text for chunk in cited] or ["x"]), 1.0) if found else Ranking("q")
    )
    row = Golden("x", "q", answerable, **golden)  # type: ignore[arg-type]
    answer = Answer("q", ANSWER if text else REFUSE, text, citations, ranking=ranking, withheld=withheld)
    return judge(row, answer, system="s", k=5)


# H34


def test_tempted_is_an_answer_with_a_wrong_fact_that_its_row_names() -> None:
    rows = [
        outcome("It is 5 pounds.", forbidden=("5 pounds",)),
        outcome("It is 25 pounds.", forbidden=("5 pounds",)),
        outcome("It is 5 pounds."),
        outcome("", forbidden=("5 pounds",)),
        outcome("It is 5 pounds.", answerable=False, forbidden=("5 pounds",)),
    ]
    assert answers.tempted(rows) == Rate(1, 2)


def test_to_the_letter_is_what_stands_in_a_retrieved_passage() -> None:
    made = build.corpus("One. Two.")
    (chunk,) = made.chunks

    def said(quote: str) -> Outcome:
        answer = Answer(
            "q", ANSWER, f"{quote} [1]", (Citation(chunk, quote, 1),), ranking=build.ranking("q", made, 1.0)
        )
        return judge(Golden("x", "q", True), answer, system="s", k=5)

    assert answers.verbatim([said("One."), said("Three.")]) == Rate(1, 2)


def test_quotes_are_true_to_the_letter_and_not_always_right() -> None:
    found = tried("H34")
    right, false_answers, letter = found.found.figures
    assert letter.value == 1.0 and 0 < right.value < letter.value and false_answers.value > 0.5
    strata = [row for row in found.found.rows if row["stratum"] != "all"]
    (total,) = (row for row in found.found.rows if row["stratum"] == "all")
    for column in ("to the letter", "right", "false answers"):
        assert sum(row[column].hits for row in strata) == total[column].hits  # type: ignore[attr-defined]


# H41


@pytest.mark.parametrize(
    ("gate", "hits"), [(Nothing(), 0), (Anything(), 2), (Floor(TOP, 5.0), 0), (Floor(TOP, 1.0), 2)]
)  # fmt: skip
def test_what_a_gate_refuses_is_emptied_and_nothing_else(gate: Nothing, hits: int) -> None:
    made = build.corpus("Leave is 25 days.", "Leave is paid.")
    ranking = build.ranking("How many days of leave?", made, 2.0, 1.0)
    assert len(answers.Emptied(gate).on(made)(ranking).hits) == hits
    assert len(answers.Emptied(gate, Overlap(1)).on(made)(ranking).hits) == min(hits, 1)


def test_what_is_emptied_is_what_the_design_refuses() -> None:
    system = answers.emptied(Faithful())
    assert isinstance(system.reranker, answers.Emptied) and system.reranker.then == COSINE.reranker != AsFound()
    refused = {o.golden.id for o in answers.outcomes(COSINE) if o.answer.verdict.gate}
    empty = {o.golden.id for o in answers.outcomes(system) if not o.answer.ranking.hits}
    assert refused == empty and empty


def test_shown_from_nothing_counts_empty_results_only() -> None:
    rows = [outcome("A figure.", found=False), outcome(found=False), outcome("An answer."), outcome()]
    assert answers.shown_from_nothing(rows) == Rate(1, 2)


def test_an_invented_figure_is_shown_unless_a_check_stops_it() -> None:
    found = tried("H41")
    assert found.verdict == "refuted" and {figure.value for figure in found.found.figures} == {1.0}
    rows = {row["script"]: row for row in found.found.rows}
    assert all(row["checks of cited"].hits == 0 for row in rows.values())  # type: ignore[attr-defined]
    assert rows[str(Faithful())]["no check"].hits == 0  # type: ignore[attr-defined]
    marked = answers.shown_from_nothing(answers.outcomes(answers.emptied(Fabricator("[1]"), Marked())))
    assert marked.hits == 0 < marked.of


# H42


def test_gained_is_what_is_answered_by_the_one_that_defers_alone() -> None:
    may = [outcome("Yes."), outcome(), outcome(), outcome(answerable=False)]
    must = [outcome("Yes."), outcome("Yes."), outcome(), outcome("Yes.", answerable=False)]
    gain, cost = (answers.gained(may, must, answerable=side) for side in (True, False))
    assert (gain.value, gain.n, cost.value, cost.n) == (pytest.approx(1 / 3), 3, 1.0, 1)
    assert answers.gained(must, may, answerable=True).value == -gain.value


def test_a_writer_that_never_refuses_gains_nothing_by_deferring() -> None:
    may, must = answers.policies(COVERAGE, SecondGuesser(least=0.0))
    assert [o.answer.text for o in may] == [o.answer.text for o in must]
    never, quoted = answers.policies(COVERAGE, SecondGuesser(least=2.0))
    assert {o.answer.outcome for o in never} == {REFUSE}
    quotes = [o.answer.text for o in answers.outcomes(replace(COVERAGE, answerer=Quote()))]
    assert [o.answer.text for o in quoted] == quotes and any(quotes)


def test_gates_have_the_last_word_under_both_policies() -> None:
    for system in (COSINE, COVERAGE):
        refused = {o.golden.id for o in answers.outcomes(system) if o.answer.verdict.gate}
        for found in answers.policies(system):
            assert refused <= {o.golden.id for o in found if o.answer.outcome == REFUSE}


def test_both_policies_stand_in_the_table_for_each_design() -> None:
    rows = answers.x_02()
    assert [row["label"] for row in rows[:2]] == ["coverage, may refuse", "coverage, defers"] and len(rows) == 8
    for may, must in zip(rows[::2], rows[1::2], strict=True):
        assert must["false refusals"].hits <= may["false refusals"].hits  # type: ignore[attr-defined]
        assert must["false answers"].hits >= may["false answers"].hits  # type: ignore[attr-defined]


# H45


def test_presence_and_rightness_of_a_citation_are_counted_apart() -> None:
    rows = [
        outcome("Yes.", V1, sources=("v1.md#a",)),
        outcome("Yes.", V2, sources=("v1.md#a",)),
        outcome("Yes.", sources=("v1.md#a",)),
        outcome(sources=("v1.md#a",)),
        outcome("Yes.", V1, answerable=False),
    ]
    assert answers.present(rows) == Rate(3, 4)
    assert answers.right_of_all(rows) == Rate(1, 3)


def test_the_right_version_is_that_of_the_question_or_of_all() -> None:
    rows = [
        outcome("Yes.", V1, BOTH, version="v1"),
        outcome("Yes.", V1, V2, version="v1"),
        outcome("Yes.", V2),
        outcome("Yes.", version="v1"),
        outcome("Yes.", V2, answerable=False, version="v1"),
    ]
    assert answers.right_version(rows) == Rate(1, 2)


def test_every_answer_is_cited_and_not_every_citation_is_right() -> None:
    rows = {row["system"]: row for row in tried("H45").found.rows}
    assert list(rows) == list(SYSTEMS)
    row = rows["always-answer"]
    assert row["with a citation"].value == 1.0 > row["of the right section"].value  # type: ignore[attr-defined]
    assert row["of the right section"].value > row["right of all with one"].value  # type: ignore[attr-defined]


#


def test_what_came_of_an_answerable_question() -> None:
    rows = [
        outcome("25 days.", facts=("25 days",)),
        outcome("26 days.", facts=("25 days",)),
        outcome(facts=("25 days",), withheld="26 days."),
        outcome(facts=("25 days",)),
        outcome("25 days."),
        outcome("25 days.", answerable=False, facts=("25 days",)),
    ]
    assert answers.worth(rows) == {"right": Rate(1, 4), "wrong": Rate(1, 4), "withheld": Rate(1, 4)}


def test_quotes_and_a_faithful_script_are_worth_the_same_and_a_fabricator_nothing() -> None:
    rows = {row["label"]: row for row in answers.x_05()}
    same = ("right", "wrong", "withheld", "false answers", "false refusals")
    assert [rows["quotes"][name] for name in same] == [rows[str(Faithful())][name] for name in same]
    invented = rows[str(Fabricator("[1]"))]
    assert (invented["right"].hits, invented["wrong"].hits) == (0, 0) and invented["withheld"].value == 1.0  # type: ignore[attr-defined]


def test_no_script_is_called_a_model() -> None:
    rows: Sequence[object] = [*answers.x_02(), *answers.x_05(), *tried("H41").found.rows, *tried("H42").found.rows]
    assert all("model" not in str(row).casefold() for row in rows)
