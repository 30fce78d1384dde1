"""The numbers of cases c16 to c18 and of a toy set, built by hand."""

from __future__ import annotations

import doctest
import math

import pytest

from ragkit import metrics
from ragkit.records import ANSWER, ERROR, REFUSE, Answer, Chunk, Citation, Golden, Hit, Outcome, Ranking, Rate

A, U = True, False
EVIDENCE = Ranking("q", (Hit(Chunk("c", "a.md", "text"), 1.0),))
NO_TEXT = Ranking("q", (Hit(Chunk("c", "a.md", " "), 1.0),))


def row(
    name: str,
    answerable: bool,
    outcome: str,
    *,
    system: str = "s",
    category: str = "",
    concepts: tuple[str, ...] = (),
    facts: tuple[str, ...] = (),
    sources: tuple[str, ...] = (),
    version: str = "",
    cites: int = 0,
    ranking: Ranking = EVIDENCE,
    **judged: object,
) -> Outcome:
    golden = Golden(
        name, "q", answerable, category=category, concepts=concepts, facts=facts, sources=sources, version=version
    )
    answer = Answer("q", outcome, citations=(Citation(Chunk("c", "a.md", "text"), "text", 1),) * cites, ranking=ranking)
    return Outcome(system, golden, answer, **judged)


def shown(rate: Rate) -> str:
    return repr(rate)


def test_examples() -> None:
    assert doctest.testmod(metrics).failed == 0


# c16: errors that lift the score


def run_a() -> list[Outcome]:
    faithful = {1: 1, 2: 1, 3: 0, 4: 0, 6: 1, 7: 1}
    rows = [row(f"q{n:02}", A, ANSWER, claims=1, supported=yes) for n, yes in faithful.items()]
    rows += [row("q05", A, REFUSE), row("q08", U, REFUSE), row("q10", U, REFUSE)]
    return [*rows, row("q09", U, ANSWER, claims=1, supported=0)]


def run_b() -> list[Outcome]:
    failed = ("q03", "q04", "q05", "q09")
    return [row(o.golden.id, o.golden.answerable, ERROR) if o.golden.id in failed else o for o in run_a()]


def test_a_run_without_errors() -> None:
    run = run_a()
    assert metrics.gate_accuracy(run) == Rate(8, 10)
    assert metrics.faithfulness(run) == Rate(4, 7)
    assert metrics.false_refusals(run) == Rate(1, 7)
    assert metrics.false_answers(run) == Rate(1, 3)
    assert metrics.errors(run) == []


def test_an_error_is_left_out_and_lifts_no_rate_over_all_rows() -> None:
    run = run_b()
    assert sorted(metrics.errors(run)) == ["q03", "q04", "q05", "q09"]
    rate = metrics.gate_accuracy(run)
    assert rate == Rate(6, 6, left_out=4)
    assert [shown(bound) for bound in metrics.bounds(rate)] == ["6/10", "10/10"]
    assert metrics.false_answers(run) == Rate(0, 2, 1) and metrics.false_refusals(run) == Rate(0, 4, 3)
    assert metrics.faithfulness(run) == Rate(4, 4, 4)


@pytest.mark.parametrize("name", [name for name, _ in metrics.MEASURES])
def test_an_error_is_no_hit_in_any_measure(name: str) -> None:
    judged = {"claims": 1, "supported": 1, "rank": 1, "recall": 1.0, "correct": True, "reason_right": True}
    judged |= {"version_correct": True, "cites_line": True, "cites": 1, "sources": ("a.md",), "version": "v1"}
    failed = [row(f"e{label}", label, ERROR, facts=("f",), concepts=("c",), **judged) for label in (A, U)]
    rate = dict(metrics.MEASURES)[name](failed)
    assert (rate.hits, rate.of) == (0, 0) and rate.left_out > 0


# c17: faithfulness of a refusal


def test_faithfulness_is_a_mean_over_answers_that_make_claims() -> None:
    run = [
        row("a1", A, ANSWER, claims=2, supported=2),
        row("a2", A, ANSWER, claims=2, supported=1),
        row("a3", A, REFUSE),
        row("a4", U, REFUSE, ranking=Ranking("q")),
        row("a5", A, ANSWER, claims=1, supported=1, ranking=Ranking("q")),
        row("a6", U, ANSWER, claims=1, supported=0),
        row("a7", A, ANSWER),
        row("a8", U, REFUSE),
    ]
    assert [metrics.faithful(o) for o in run] == [1, 0.5, None, None, 0, 0, None, None]
    rate = metrics.faithfulness(run)
    assert (rate.value, rate.of, rate.left_out) == (0.375, 4, 1)
    assert metrics.without_claims(run) == Rate(1, 5)
    assert metrics.right_refusals(run) == Rate(2, 3) and metrics.false_refusals(run) == Rate(1, 5)


def test_evidence_without_text_supports_nothing() -> None:
    assert metrics.faithful(row("a", A, ANSWER, claims=1, supported=1, ranking=NO_TEXT)) == 0


# c18: a one-sided refusal score


def careful(*outcomes: str) -> list[Outcome]:
    return [row(f"q{n}", n <= 4, outcome) for n, outcome in enumerate(outcomes, 1)]


CAREFUL = careful(ANSWER, ANSWER, REFUSE, ANSWER, REFUSE, ANSWER)


@pytest.mark.parametrize(
    ("run", "right_refusals", "false_refusals", "j"),
    [
        (careful(*[REFUSE] * 6), "2/2", "4/4", 0),
        (careful(*[ANSWER] * 6), "0/2", "0/4", 0),
        (CAREFUL, "1/2", "1/4", 0.25),
    ],
)
def test_the_lazy_systems_gain_nothing(run: list[Outcome], right_refusals: str, false_refusals: str, j: float) -> None:
    assert shown(metrics.right_refusals(run)) == right_refusals
    assert shown(metrics.false_refusals(run)) == false_refusals
    assert metrics.youden_j(run) == j and metrics.balanced_accuracy(run) == (1 + j) / 2


def test_both_directions_stand_side_by_side_in_every_table() -> None:
    names = [name for name, _ in (*metrics.MEASURES, *metrics.DERIVED)]
    assert names[:4] == ["false_answers", "false_refusals", "right_refusals", "right_answers"]
    assert all(getattr(metrics, name) is measure for name, measure in (*metrics.MEASURES, *metrics.DERIVED))


def test_one_class_leaves_the_other_figure_undefined() -> None:
    run = [row(f"u{n}", U, REFUSE) for n in range(3)]
    assert metrics.false_answers(run) == Rate(0, 3)
    assert math.isnan(metrics.false_refusals(run).value)
    assert math.isnan(metrics.balanced_accuracy(run)) and math.isnan(metrics.youden_j(run))
    assert metrics.one_sided(run) == "no answerable question: false refusals can not be computed"
    assert metrics.one_sided([row("a", A, ANSWER)]) == "no unanswerable question: false answers can not be computed"
    assert metrics.one_sided(CAREFUL) == ""


# A toy set of 18 and 12: a threshold (3 false refusals, 7 false answers) and a yes-no gate (1 and 0)


def toy(false_refusals: int, false_answers: int) -> list[Outcome]:
    rows = [row(f"a{n}", A, REFUSE if n < false_refusals else ANSWER) for n in range(18)]
    return rows + [row(f"u{n}", U, ANSWER if n < false_answers else REFUSE) for n in range(12)]


def test_the_decision_table_of_the_toy_set() -> None:
    floor, gate = toy(3, 7), toy(1, 0)
    measures = (metrics.false_answers, metrics.false_refusals, metrics.gate_accuracy, metrics.coverage)
    assert [shown(measure(floor)) for measure in measures] == ["7/12", "3/18", "20/30", "22/30"]
    assert metrics.refusal_precision(floor).value == 0.625 and shown(metrics.refusal_precision(gate)) == "12/13"
    assert metrics.balanced_accuracy(floor) == pytest.approx(0.625) and metrics.youden_j(floor) == pytest.approx(0.25)
    assert metrics.balanced_accuracy(gate) == pytest.approx(0.972222, abs=1e-6)
    assert metrics.effective_reliability(floor) == Rate(8, 30)
    assert metrics.effective_reliability(gate) == Rate(17, 30)


def test_balanced_accuracy_agrees_with_scikit_learn() -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    run = toy(3, 7)
    truth, said = [o.golden.answerable for o in run], [o.answer.outcome == ANSWER for o in run]
    assert metrics.balanced_accuracy(run) == pytest.approx(sklearn.balanced_accuracy_score(truth, said))


def test_a_system_that_never_refuses_has_no_refusal_precision() -> None:
    assert math.isnan(metrics.refusal_precision([row("a", A, ANSWER), row("u", U, ANSWER)]).value)


def test_a_wrong_answer_costs_c_whichever_way_it_is_wrong() -> None:
    run = [
        row("a", A, ANSWER, correct=True),
        row("b", A, ANSWER, correct=True),
        row("c", A, ANSWER, correct=False),
        row("u", U, ANSWER),
        row("r", A, REFUSE),
    ]
    assert metrics.effective_reliability(run, 2) == Rate(1 + 1 - 2 - 2, 5)


# Retrieval


def test_mrr_and_recall_of_the_toy_set() -> None:
    ranks = [1, 1, 1, 5, 1, 1, 1, 1, 2, 1, 1, 1, 5, 0, 1, 1, 3, 2]
    run = [row(f"a{n}", A, ANSWER, rank=rank, recall=float(0 < rank <= 3)) for n, rank in enumerate(ranks)]
    run += [row("u", U, REFUSE)]
    assert metrics.mrr(run).value == pytest.approx(0.762963, abs=1e-6)
    assert metrics.recall(run) == metrics.hit_rate(run) == Rate(15, 18)


def test_a_row_without_a_source_is_left_out_of_retrieval_and_counted() -> None:
    run = [row("a", A, ANSWER, rank=2, recall=0.5), row("b", A, REFUSE), row("u", U, REFUSE)]
    assert metrics.mrr(run) == Rate(0.5, 1, 1) and metrics.recall(run) == Rate(0.5, 1, 1)
    assert metrics.hit_rate(run) == Rate(1, 1, 1)


# Content


def test_correctness_is_over_answered_answerable_rows_with_facts() -> None:
    run = [
        row("a", A, ANSWER, facts=("f",), correct=True),
        row("b", A, ANSWER, facts=("f",), correct=False),
        row("c", A, REFUSE, facts=("f",)),
        row("d", A, ANSWER),
        row("e", A, ERROR, facts=("f",)),
        row("u", U, ANSWER, facts=("f",), correct=True),
    ]
    assert metrics.correctness(run) == Rate(1, 2, 1)


def test_the_reason_counts_for_right_refusals_with_a_concept() -> None:
    run = [
        row("a", U, REFUSE, concepts=("c",), reason_right=True),
        row("b", U, REFUSE, concepts=("c",), reason_right=False),
        row("c", U, REFUSE),
        row("d", U, ANSWER, concepts=("c",)),
        row("e", U, ERROR, concepts=("c",)),
        row("f", A, REFUSE, concepts=("c",), reason_right=True),
    ]
    assert metrics.reason_right(run) == Rate(1, 2, 1)


def test_version_and_line_and_whether_anything_is_cited() -> None:
    source = ("a.md",)
    run = [
        row("a", A, ANSWER, sources=source, version="v1", cites=1, version_correct=True, cites_line=True),
        row("b", A, ANSWER, sources=source, cites=2, version_correct=False, cites_line=False),
        row("c", A, ANSWER, sources=source, version="v1"),
        row("d", A, ANSWER, cites=1),
        row("e", A, REFUSE, sources=source, version="v1"),
        row("f", U, ANSWER, version="v2", cites=1, version_correct=True),
        row("g", A, ERROR, sources=source, version="v1"),
        row("h", U, REFUSE),
    ]
    assert metrics.version_correct(run) == Rate(2, 3, 2)
    assert metrics.citation_present(run) == Rate(4, 5, 1)
    assert metrics.cites_line(run) == Rate(1, 2, 2)


# The table


def tabled(run: list[Outcome]) -> dict[tuple[object, object, object], dict[str, object]]:
    return {(r["system"], r["category"], r["metric"]): r for r in metrics.table(run, "kestrel", "probes")}


def test_the_table_has_every_measure_for_each_system_and_category() -> None:
    run = [row("a", A, ANSWER, category="q2"), row("u", U, REFUSE, category="q1"), row("a", A, REFUSE, system="t")]
    names = [name for name, _ in (*metrics.MEASURES, *metrics.DERIVED)]
    groups = [("s", "all"), ("s", "q1"), ("s", "q2"), ("t", "all")]
    assert list(tabled(run)) == [(*group, name) for group in groups for name in names]
    assert all(set(r) <= set(metrics.COLUMNS) for r in metrics.table(run, "kestrel", "probes"))
    assert [tabled(run)["s", category, "coverage"]["hits"] for category in ("all", "q1", "q2")] == [1, 0, 1]


def test_a_row_of_the_table() -> None:
    found = tabled(toy(0, 1))["s", "all", "false_answers"]
    assert (found["corpus"], found["golden"]) == ("kestrel", "probes")
    assert [repr(found[name]) for name in ("hits", "of", "left_out")] == ["1", "12", "0"]
    assert [found["value"], found["low"], found["high"]] == pytest.approx([1 / 12, 0.014865, 0.353880], abs=1e-6)


def test_what_can_not_be_computed_is_nan_in_the_table() -> None:
    found = tabled([row("u", U, REFUSE)])
    for name in ("false_refusals", "recall", "faithfulness", "balanced_accuracy"):
        assert math.isnan(found["s", "all", name]["value"])


def test_means_have_no_interval_and_proportions_do() -> None:
    whole = tabled([row("a", A, ANSWER, recall=1.0, rank=1, claims=1, supported=1), row("b", A, ANSWER, recall=0.0)])
    part = tabled([row("a", A, ANSWER, recall=0.5, rank=2), row("b", A, ANSWER, recall=0.5, rank=2)])
    assert not math.isnan(whole["s", "all", "recall"]["low"])
    assert math.isnan(part["s", "all", "recall"]["low"]) and part["s", "all", "recall"]["hits"] == 1
    assert not math.isnan(part["s", "all", "hit_rate"]["low"])
    assert all(math.isnan(whole["s", "all", name]["low"]) for name in metrics.MEANS)
