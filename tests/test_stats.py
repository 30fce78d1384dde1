"""Values computed beforehand, other libraries where they define the same thing, brute force where none does."""

from __future__ import annotations

import doctest
import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragkit import risk, stats

INF = math.inf
# a made-up score for 18 answerable and 12 unanswerable questions; a result about no system
A = [8.4, 10.3, 8.4, 9.6, 10.0, 9.5, 6.8, 7.8, 8.7, 10.4, 11.6, 11.0, 5.8, 7.6, 6.6, 7.6, 10.8, 10.0]
U = [5.2, 5.4, 2.8, 10.9, 8.8, 7.5, 4.8, 8.0, 7.0, 6.5, 9.7, 7.6]
WRONG = [False] * len(A) + [True] * len(U)
FIXED = settings(derandomize=True, database=None, deadline=None)
scores = st.lists(st.sampled_from([-INF, -2.0, 0.0, 0.5, 1.0, 3.5, INF]), max_size=6)
risks = st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=6)


def near(value: object) -> object:
    return pytest.approx(value, abs=1e-6)


def test_examples() -> None:
    assert doctest.testmod(stats).failed == 0


def test_mean_defined() -> None:
    assert stats.mean_defined([1.0, math.nan, None, 0.0]) == (0.5, 2)
    assert math.isnan(stats.mean_defined([None])[0])


# One proportion

ONE_PROPORTION = [  # hits, of, Wilson 95 %, Clopper-Pearson 95 %
    (6, 6, (0.609666, 1), (0.540742, 1)),
    (10, 10, (0.722467, 1), (0.691503, 1)),
    (16, 16, (0.806392, 1), (0.794093, 1)),
    (18, 18, (0.824121, 1), (0.814698, 1)),
    (30, 30, (0.886487, 1), (0.884297, 1)),
    (0, 12, (0, 0.242494), (0, 0.264648)),
    (1, 12, (0.014865, 0.353880), (0.002108, 0.384796)),
    (0, 30, (0, 0.113513), (0, 0.115703)),
    (15, 18, (0.607780, 0.941634), (0.585823, 0.964215)),
    (25, 30, (0.664356, 0.926635), (0.652788, 0.943578)),
    (28, 30, (0.786765, 0.981523), (0.779265, 0.991822)),
]


@pytest.mark.parametrize(("hits", "of", "wilson", "exact"), ONE_PROPORTION)
def test_intervals(hits: int, of: int, wilson: tuple[float, float], exact: tuple[float, float]) -> None:
    assert stats.wilson(hits, of) == near(wilson)
    assert stats.clopper_pearson(hits, of) == near(exact)


def test_intervals_end_exactly_at_0_and_1() -> None:
    assert stats.wilson(0, 12)[0] == 0 and stats.wilson(12, 12)[1] == 1
    assert stats.clopper_pearson(0, 12)[0] == 0 and stats.clopper_pearson(12, 12)[1] == 1


def test_nothing_counted_has_no_interval() -> None:
    assert all(map(math.isnan, (*stats.wilson(0, 0), *stats.clopper_pearson(0, 0), stats.certifies(0, 0))))


@pytest.mark.parametrize("function", [stats.wilson, stats.clopper_pearson, stats.upper_bound, stats.lower_bound])
def test_more_hits_than_questions_is_an_error(function: object) -> None:
    for hits, of in ((7, 6), (-1, 6), (1, 0)):
        with pytest.raises(ValueError, match="no proportion"):
            function(hits, of)


def test_one_sided_bounds() -> None:
    lows = [stats.lower_bound(n, n) for n in (6, 10, 16, 18, 30)]
    assert lows == near([0.606962, 0.741134, 0.829250, 0.846682, 0.904966])
    assert [stats.lower_bound(*x) for x in ((15, 18), (25, 30), (28, 30))] == near([0.623321, 0.681029, 0.804674])
    assert [stats.upper_bound(*x) for x in ((0, 12), (1, 12), (0, 30))] == near([0.220922, 0.338681, 0.095034])
    assert stats.upper_bound(0, 12) == pytest.approx(1 - 0.05 ** (1 / 12), rel=1e-12)


def test_intervals_agree_with_statsmodels() -> None:
    interval = pytest.importorskip("statsmodels.stats.proportion").proportion_confint
    for of in (1, 6, 12, 30):
        for hits in range(of + 1):
            assert stats.wilson(hits, of) == pytest.approx(interval(hits, of, method="wilson"), abs=1e-9)
            assert stats.clopper_pearson(hits, of) == pytest.approx(interval(hits, of, method="beta"), abs=1e-9)


def test_intervals_agree_with_scipy() -> None:
    test = pytest.importorskip("scipy.stats").binomtest
    rng = random.Random(3)
    for of in (1, 7, 18, 60, 400):
        hits, delta = rng.randrange(of + 1), rng.uniform(0.01, 0.2)
        asked = test(hits, of).proportion_ci(1 - delta, "exact")
        assert stats.clopper_pearson(hits, of, 1 - delta) == pytest.approx(tuple(asked), abs=1e-9)
        assert stats.wilson(hits, of) == pytest.approx(tuple(test(hits, of).proportion_ci(method="wilson")), abs=1e-9)
        below = test(hits, of, alternative="less").proportion_ci(1 - delta, "exact")
        assert stats.upper_bound(hits, of, delta) == pytest.approx(below.high, abs=1e-9)
        above = test(hits, of, alternative="greater").proportion_ci(1 - delta, "exact")
        assert stats.lower_bound(hits, of, delta) == pytest.approx(above.low, abs=1e-9)
        p = test(hits, of, 0.3, alternative="less").pvalue
        assert stats.binomial_cdf(hits, of, 0.3) == pytest.approx(p, rel=1e-8)


def test_large_samples_agree_with_scipy() -> None:
    scipy_stats = pytest.importorskip("scipy.stats")
    for hits, of, p in ((0, 5000, 0.001), (200, 5000, 0.05), (2499, 5000, 0.5), (5, 5, 0.2), (3, 9, 0.0), (3, 9, 1.0)):
        assert stats.binomial_cdf(hits, of, p) == pytest.approx(scipy_stats.binom.cdf(hits, of, p), rel=1e-8)


@FIXED
@given(st.integers(0, 40), st.integers(1, 40), st.floats(0.001, 0.999))
def test_the_binomial_sums_to_one_from_both_ends(hits: int, of: int, p: float) -> None:
    rest = stats.binomial_cdf(of - hits - 1, of, 1 - p)
    assert stats.binomial_cdf(hits, of, p) + rest == pytest.approx(1, abs=1e-9)


def test_certifies_the_published_table() -> None:
    table = {  # with no, one, two false answers at 90 %, then at 95 %
        6: (0.3187, 0.5103, 0.6668, 0.3930, 0.5818, 0.7287),
        12: (0.1746, 0.2875, 0.3855, 0.2209, 0.3387, 0.4381),
        18: (0.1201, 0.1995, 0.2694, 0.1533, 0.2377, 0.3103),
        30: (0.0739, 0.1236, 0.1678, 0.0950, 0.1486, 0.1953),
        59: (0.0383, 0.0643, 0.0877, 0.0495, 0.0779, 0.1029),
        100: (0.0228, 0.0383, 0.0523, 0.0295, 0.0466, 0.0616),
    }
    for n, row in table.items():
        values = [stats.certifies(k, n, delta) for delta in (0.10, 0.05) for k in range(3)]
        assert values == pytest.approx(row, abs=5.1e-5)


def test_n_needed() -> None:
    table = {  # with none to three false answers at 90 %, then at 95 %
        0.20: (11, 18, 25, 32, 14, 22, 30, 37),
        0.10: (22, 38, 52, 65, 29, 46, 61, 76),
        0.05: (45, 77, 105, 132, 59, 93, 124, 153),
        0.02: (114, 194, 265, 333, 149, 236, 313, 386),
        0.01: (230, 388, 531, 667, 299, 473, 628, 773),
    }
    for alpha, row in table.items():
        assert tuple(stats.n_needed(alpha, delta, k) for delta in (0.10, 0.05) for k in range(4)) == row


@pytest.mark.parametrize("bad", [(0, 0.05), (1, 0.05), (0.1, 0), (0.1, 1), (0.1, 0.05, -1)])
def test_n_needed_for_the_impossible_is_an_error_and_no_endless_loop(bad: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        stats.n_needed(*bad)


@FIXED
@given(st.integers(0, 3), st.floats(0.02, 0.5), st.sampled_from([0.05, 0.1]))
def test_n_needed_and_certifies_say_the_same(k: int, alpha: float, delta: float) -> None:
    n = stats.n_needed(alpha, delta, k)
    assert stats.certifies(k, n, delta) <= alpha + 1e-12
    assert n == k + 1 or stats.certifies(k, n - 1, delta) > alpha


# Scores of two classes


def fewest_errors(answerable: list[float], unanswerable: list[float]) -> int:
    return stats.best_threshold(answerable, unanswerable).errors


def certificate(answerable: list[float], unanswerable: list[float]) -> list[stats.Inversion]:
    return stats.certificate(*({str(n): score for n, score in enumerate(side)} for side in (answerable, unanswerable)))


def test_auroc() -> None:
    assert stats.auroc([1.76], [10.08]) == 0
    assert stats.auroc([1, 2], [1, 2]) == 0.5
    assert stats.auroc(A, U) == 163 / 216
    assert stats.auroc([INF], [0]) == 1 and stats.auroc([-INF], [-INF]) == 0.5
    assert math.isnan(stats.auroc([], [1])) and math.isnan(stats.auroc([1], []))


@pytest.mark.parametrize("function", [stats.auroc, stats.sweep, stats.gap, certificate, stats.leave_one_out])
def test_a_score_of_nan_is_an_error(function: object) -> None:
    for groups in (([math.nan], [0.0]), ([0.0], [1.0, math.nan])):
        with pytest.raises(ValueError, match="nan"):
            function(*groups)


@FIXED
@given(scores, scores)
def test_auroc_counts_pairs(a: list[float], u: list[float]) -> None:
    pairs = [(x > y) + (x == y) / 2 for x in a for y in u]
    assert stats.auroc(a, u) == pytest.approx(sum(pairs) / len(pairs) if pairs else math.nan, nan_ok=True)


def test_auroc_agrees_with_scikit_learn_and_scipy() -> None:
    sklearn, scipy = pytest.importorskip("sklearn.metrics"), pytest.importorskip("scipy.stats")
    assert stats.auroc(A, U) == near(sklearn.roc_auc_score([not wrong for wrong in WRONG], A + U))
    assert stats.auroc(A, U) == near(scipy.mannwhitneyu(A, U).statistic / (len(A) * len(U)))
    rng = random.Random(1)
    for n_pos, n_neg in ((1, 1), (1, 9), (18, 12), (150, 150)):
        pos, neg = ([rng.gauss(mean, 1) for _ in range(n)] for mean, n in ((0.7, n_pos), (0, n_neg)))
        truth = [1] * n_pos + [0] * n_neg
        assert stats.auroc(pos, neg) == pytest.approx(sklearn.roc_auc_score(truth, pos + neg), abs=1e-12)
        assert stats.auroc(pos, neg) == scipy.mannwhitneyu(pos, neg).statistic / (n_pos * n_neg)


def test_the_sweep_of_the_toy_set() -> None:
    best = [rule for rule in stats.sweep(A, U) if rule.errors == 8]
    assert [(rule.at, rule.false_refusals, rule.false_answers) for rule in best] == [
        (near(5.6), 0, 8),
        (near(6.55), 1, 7),
        (near(7.55), 3, 5),
    ]
    assert fewest_errors(A, U) == len(certificate(A, U)) == 8
    assert stats.gap(A, U) == near(-5.1)


def test_the_sweep_has_one_rule_more_than_distinct_scores() -> None:
    rules = stats.sweep(A, U)
    assert len(rules) == len({*A, *U}) + 1
    assert (rules[0].false_refusals, rules[0].false_answers) == (0, len(U))
    assert (rules[-1].false_refusals, rules[-1].false_answers) == (len(A), 0)


@FIXED
@given(scores, scores)
def test_no_threshold_beats_the_sweep_and_the_certificate_proves_it(a: list[float], u: list[float]) -> None:
    fewest = fewest_errors(a, u)
    finite = [-INF, *(x + step for x in (-2.0, 0.0, 0.5, 1.0, 3.5) for step in (0, 0.1))]
    grid = min(sum(x < t for x in a) + sum(x >= t for x in u) for t in finite)
    assert fewest <= min(grid, len(a))
    pairs = certificate(a, u)
    assert fewest == len(pairs)
    assert all(pair.low <= pair.high for pair in pairs)
    assert len({pair.answerable for pair in pairs}) == len({pair.unanswerable for pair in pairs}) == len(pairs)
    assert (fewest == 0) == (not a or not u or stats.gap(a, u) > 0)


@FIXED
@given(scores, scores)
def test_every_rule_costs_what_it_says(a: list[float], u: list[float]) -> None:
    for rule in stats.sweep(a, u):
        assert rule.false_refusals == sum(not rule.answers(score) for score in a)
        assert rule.false_answers == sum(rule.answers(score) for score in u)


def test_neighbouring_floats_are_told_apart() -> None:
    above = math.nextafter(1.0, 2.0)
    assert fewest_errors([above], [1.0]) == 0
    assert fewest_errors([1.0], [above]) == 1


def test_a_tie_across_the_classes_is_inseparable() -> None:
    assert fewest_errors([1.0], [1.0]) == 1 and stats.gap([1.0], [1.0]) == 0


def test_no_hit_scores_minus_infinity_and_can_be_refused() -> None:
    assert fewest_errors([0.2], [-INF]) == 0


def test_the_certificate_names_questions_by_id() -> None:
    pairs = stats.certificate({"a1": 1.0, "a2": 5.0}, {"u1": 2.0, "u2": 0.5})
    assert pairs == [stats.Inversion("a1", "u1", 1.0, 2.0)]


def test_gap_of_one_class_is_undefined() -> None:
    assert math.isnan(stats.gap([], [1.0])) and math.isnan(stats.gap([1.0], []))


def test_the_best_threshold_errs_more_on_questions_it_has_not_seen() -> None:
    assert stats.best_threshold(A, U) == stats.Rule(near(7.55), 3, 5)
    assert stats.leave_one_out(A, U) == (6, 8)  # 14 errors, where the trivial rule that answers all makes 12
    assert fewest_errors(A, U) == 8 and stats.sweep(A, U)[0] == stats.Rule(-INF, 0, 12)


def test_leave_one_out_against_leaving_out_one() -> None:
    rng = random.Random(0)
    for _ in range(40):
        a, u = ([rng.randrange(5) for _ in range(rng.randrange(5))] for _ in range(2))
        refused = sum(x < stats.best_threshold(a[:i] + a[i + 1 :], u).at for i, x in enumerate(a))
        answered = sum(x >= stats.best_threshold(a, u[:i] + u[i + 1 :]).at for i, x in enumerate(u))
        assert stats.leave_one_out(a, u) == (refused, answered)


# Risk and coverage


def test_aurc() -> None:
    assert risk.aurc([3, 2, 1, 0], [0, 0, 0, 1]) == 0.0625
    assert risk.aurc([2, 1], [1, 0]) == 0.75  # the code published with the paper gives 0.5
    assert risk.aurc([1, 1, 1, 1], [1, 0, 1, 0]) == 0.5
    assert risk.aurc([3, 2, 2, 2, 1], [0, 1, 0, 1, 0]) == near(0.335556)
    assert math.isnan(risk.aurc([], []))
    assert risk.aurc(A + U, WRONG) == near(0.241200)
    assert risk.aurc_optimal(30, 12) == near(0.100073)
    assert risk.e_aurc(A + U, WRONG) == near(0.141127)
    assert math.isnan(risk.aurc_optimal(0, 0))


@FIXED
@given(risks)
def test_a_tie_counts_as_the_mean_over_its_orders(rows: list[tuple[int, bool]]) -> None:
    by_order = []
    for order in itertools.permutations(rows):
        flags = [wrong for _, wrong in sorted(order, key=lambda row: -row[0])]
        by_order.append(sum(sum(flags[:i]) / i for i in range(1, len(flags) + 1)) / len(flags))
    confidence, wrong = zip(*rows, strict=True)
    assert risk.aurc(confidence, wrong) == pytest.approx(sum(by_order) / len(by_order))
    assert risk.e_aurc(confidence, wrong) >= -1e-12


def test_coverage_at_risk() -> None:
    assert risk.coverage_at_risk(A + U, WRONG, 0.1) == near(2 / 30)
    assert risk.coverage_at_risk(A + U, WRONG, 0.2) == near(0.5)
    assert risk.coverage_at_risk([1], [True], 0.1) == 0
    assert math.isnan(risk.coverage_at_risk([], [], 0.1))


def test_the_curve_has_points_only_at_distinct_scores() -> None:
    assert risk.risk_coverage([2, 1, 1], [False, True, False]) == [(1 / 3, 0.0), (1.0, 1 / 3)]
    assert risk.risk_coverage(A + U, WRONG)[-1] == (1.0, 0.4)


def test_confidence_and_outcome_of_unequal_length_are_an_error() -> None:
    with pytest.raises(ValueError, match="zip"):
        risk.aurc([1, 2], [True])


def test_a_confidence_of_nan_is_an_error() -> None:
    with pytest.raises(ValueError, match="nan"):
        risk.aurc([1.0, math.nan], [True, False])


@given(st.lists(st.integers(0, 8).map(float), max_size=9), st.lists(st.integers(0, 8).map(float), max_size=9))
@settings(max_examples=600)
def test_leave_one_out_by_definition(low: list[float], high: list[float]) -> None:
    refused = sum(not stats.best_threshold([*low[:n], *low[n + 1 :]], high).answers(s) for n, s in enumerate(low))
    answered = sum(stats.best_threshold(low, [*high[:n], *high[n + 1 :]]).answers(s) for n, s in enumerate(high))
    assert stats.leave_one_out(low, high) == (refused, answered)
