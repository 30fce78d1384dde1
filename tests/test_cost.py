"""What errors cost: exact crossings against brute force, and no row that a system failed on."""

from __future__ import annotations

import doctest
import itertools
from fractions import Fraction
from pathlib import Path

import pytest
import toys

from ragkit import cost, error_figures
from ragkit.cost import Crossing, Line
from ragkit.records import ANSWER, ERROR, REFUSE, Answer, BadInput, Golden, Outcome, Rate

ROWS = [Golden(f"k{n}", "?", answerable=n < 6) for n in range(10)]


def run(*outcomes: str) -> list[Outcome]:
    return [Outcome("any", row, Answer("?", said)) for row, said in zip(ROWS, outcomes, strict=True)]


LAX = run(*[ANSWER] * 10)
STRICT = run(*[REFUSE] * 10)
FAIR = run(*[ANSWER] * 4, *[REFUSE] * 5, ANSWER)
RUNS = {"lax": LAX, "strict": STRICT, "fair": FAIR}


def test_the_examples_in_docstrings_hold() -> None:
    assert doctest.testmod(cost).failed == 0


def test_a_line_counts_both_kinds_of_error() -> None:
    fair = cost.lines(RUNS)[2]
    assert (fair.false_refusals, fair.false_answers) == (Rate(2, 6), Rate(1, 4))
    assert [fair.at(c) for c in (1, 5, 20)] == [Fraction(3, 10), Fraction(7, 10), Fraction(22, 10)]


def test_a_row_that_one_system_failed_on_is_in_no_line_and_counted() -> None:
    broken = run(ERROR, *[ANSWER] * 9)
    lax, other = cost.lines({"lax": LAX, "broken": broken})
    assert lax.false_refusals == other.false_refusals == Rate(0, 5, 1)
    assert cost.difference(FAIR, broken, 2).left_out == 1


def test_the_best_changes_where_the_lines_cross() -> None:
    assert cost.crossings(cost.lines(RUNS)) == [Crossing(Fraction(4), "fair", "strict")]
    assert cost.statement(cost.lines(RUNS)) == (
        "The least costly from 1 to 20 false refusals a false answer: fair, from 4 on strict."
    )
    thirds = [Line("a", Rate(1, 9), Rate(4, 9)), Line("b", Rate(5, 9), Rate(1, 9))]
    assert cost.statement(thirds).endswith("a, from 1.33 (4/3) on b.")


GRID = [
    [Line(f"s{n}", Rate(r, 9), Rate(a, 9)) for n, (r, a) in enumerate(pairs)]
    for pairs in itertools.combinations(itertools.product((0, 1, 4, 9), (0, 2, 3, 7)), 3)
]


def test_between_the_crossings_the_best_is_what_a_search_over_all_costs_finds() -> None:
    steps = [Fraction(step, 7) for step in range(7, 141)]
    for lines in GRID:
        changes = cost.crossings(lines)
        assert [each.at for each in changes] == sorted({each.at for each in changes})
        for step in steps:
            passed = [each.after for each in changes if each.at <= step]
            now = passed[-1] if passed else cost.best(lines, 1).system
            assert cost.best(lines, step).system == now


def test_of_equal_lines_the_first_is_the_best_and_nothing_crosses() -> None:
    twins = [Line("a", Rate(1, 5), Rate(1, 5)), Line("b", Rate(1, 5), Rate(1, 5))]
    assert cost.best(twins, 7).system == "a" and cost.crossings(twins) == []


def test_at_the_crossing_the_one_with_fewer_false_answers_counts_as_the_best() -> None:
    lines = cost.lines(RUNS)
    assert lines[1].at(4) == lines[2].at(4) and cost.best(lines, 4).system == "strict"
    assert [len(cost.crossings(lines, low=low, high=high)) for low, high in ((1, 4), (1, 3), (4, 9))] == [1, 0, 0]


def test_a_difference_is_the_mean_of_the_rows_losses() -> None:
    found = cost.difference(LAX, FAIR, 5)
    assert found.mean == pytest.approx(float(cost.lines(RUNS)[0].at(5) - cost.lines(RUNS)[2].at(5)))
    assert found.low < found.mean < found.high and found.pairs == 10
    assert cost.difference(FAIR, LAX, 5).mean == -found.mean


def test_the_table_tells_how_far_each_is_above_the_best() -> None:
    rows = cost.table(RUNS)
    assert [row["above the best at 1"] == "the best" for row in rows] == [False, False, True]
    assert [row["above the best at 20"] == "the best" for row in rows] == [False, True, False]
    assert rows[0]["cost at 20"] == 8.0


@pytest.mark.parametrize("runs", [{}, {"a": LAX, "b": LAX[1:]}, {"a": [*LAX, LAX[0]]}])
def test_runs_over_other_rows_are_bad_input(runs: cost.Runs) -> None:
    with pytest.raises(BadInput):
        cost.lines(runs)
    with pytest.raises(BadInput, match="no question was judged"):
        Line("a", Rate(0, 0), Rate(0, 0)).at(1)


def test_the_curve_names_its_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = toys.use_results(tmp_path, monkeypatch)
    lines = cost.lines(RUNS)
    error_figures.cost_curve(cost.table(RUNS), cost.crossings(lines), name="curve")
    told = capsys.readouterr().out
    assert "lax 0.40, 2.00, 8.00; strict 0.60, 0.60, 0.60; fair 0.30, 0.70, 2.20" in told
    assert "The least costly changes at 4.00 from fair to strict." in told
    assert (folder / "figures" / "curve.png").stat().st_size > 10_000
    error_figures.cost_curve(cost.table({"lax": LAX}), [], name="one")
    assert "changes nowhere" in capsys.readouterr().out
