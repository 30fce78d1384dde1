"""Values computed beforehand, other libraries where they define the same thing, brute force where none does."""

from __future__ import annotations

import doctest
import itertools
import math
import random
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragkit import compare

FIXED = settings(derandomize=True, database=None, deadline=None)
counts = st.integers(0, 40)
proportions = st.integers(1, 40).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))
chances = st.lists(st.floats(0, 1), max_size=8)


def near(value: object) -> object:
    return pytest.approx(value, abs=1e-6)


def test_examples() -> None:
    assert doctest.testmod(compare).failed == 0


# Right and wrong on the same questions


def test_mcnemar() -> None:
    pairs = [(0, 0), (0, 5), (0, 6), (1, 7), (1, 8), (2, 9), (2, 10), (0, 9)]
    values = [1, 0.0625, 0.03125, 0.070312, 0.039062, 0.065430, 0.038574, 0.003906]
    assert [compare.mcnemar_exact(*pair) for pair in pairs] == near(values)
    assert compare.mcnemar_midp(0, 5) == 0.03125 and compare.mcnemar_midp(1, 7) == near(0.039062)
    assert compare.mcnemar_midp(0, 0) == compare.mcnemar_midp(3, 3) == 1
    assert compare.mcnemar_exact(1000, 1200) == compare.mcnemar_exact(1200, 1000) < 0.001


def test_mcnemar_is_the_exact_sign_flip_test() -> None:
    for b, c in itertools.product(range(5), range(6)):
        sums = [sum(signs) for signs in itertools.product((1, -1), repeat=b + c)]
        assert compare.mcnemar_exact(b, c) == near(sum(abs(s) >= abs(b - c) for s in sums) / len(sums))
        assert compare.mcnemar_exact(b, c) == compare.permutation([1] * b + [-1] * c + [0] * 3)


def test_mcnemar_agrees_with_statsmodels_and_scipy() -> None:
    mcnemar = pytest.importorskip("statsmodels.stats.contingency_tables").mcnemar
    test = pytest.importorskip("scipy.stats").binomtest
    rng = random.Random(0)
    for b, c in ((0, 9), (3, 7), (4, 4), *((rng.randrange(60), rng.randrange(1, 60)) for _ in range(30))):
        assert compare.mcnemar_exact(b, c) == near(mcnemar([[20, b], [c, 1]], exact=True).pvalue)
        assert compare.mcnemar_exact(b, c) == pytest.approx(test(b, b + c).pvalue, rel=1e-9)


@pytest.mark.parametrize("function", [compare.mcnemar_exact, compare.mcnemar_midp])
def test_a_count_below_0_is_an_error(function: Callable[..., float]) -> None:
    for pair in ((-1, 3), (3, -1), (-1, -1)):
        with pytest.raises(ValueError, match="-1.*0 or more"):
            function(*pair)
    with pytest.raises(ValueError, match="-1.*0 or more"):
        compare.newcombe_paired(3, 1, 1, -1)


# Differences of proportions


def test_newcombe_of_two_classes() -> None:
    assert compare.newcombe(15, 18, 7, 12) == near((0.25, -0.067466, 0.535186))
    assert compare.newcombe(17, 18, 0, 12) == near((0.944444, 0.628827, 0.990125))
    assert compare.newcombe(10, 10, 0, 6) == near((1, 0.521058, 1))


def test_newcombe_agrees_with_statsmodels() -> None:
    interval = pytest.importorskip("statsmodels.stats.proportion").confint_proportions_2indep
    rng = random.Random(2)
    cases = [(rng.randrange(a + 1), a, rng.randrange(b + 1), b) for a in (1, 6, 18, 150) for b in (1, 12, 150)]
    for case in [(10, 10, 0, 6), (0, 6, 10, 10), *cases]:
        asked = interval(*case, method="newcomb", compare="diff")
        assert compare.newcombe(*case)[1:] == pytest.approx(asked, abs=1e-9)


@FIXED
@given(proportions, proportions)
def test_newcombe_holds_its_difference_and_turns_with_the_order(a: tuple[int, int], b: tuple[int, int]) -> None:
    difference, low, high = compare.newcombe(*a, *b)
    assert -1 - 1e-12 <= low <= difference <= high <= 1 + 1e-12
    assert compare.newcombe(*b, *a) == pytest.approx((-difference, -high, -low), abs=1e-12)


def test_newcombe_of_the_same_questions() -> None:
    assert compare.newcombe_paired(36, 12, 2, 0) == near((0.2, 0.056930, 0.340428))  # published with the method
    assert compare.newcombe_paired(20, 0, 9, 1) == near((-0.3, -0.479168, -0.112365))
    # what R's contingencytables gives for the examples of Fagerland, Lydersen & Laake 2014
    assert compare.newcombe_paired(1, 1, 7, 12) == pytest.approx((-0.2857, -0.5069, -0.0256), abs=5e-5)
    assert compare.newcombe_paired(59, 6, 16, 80) == pytest.approx((-0.0621, -0.1186, -0.0046), abs=5e-5)


@FIXED
@given(counts, counts, counts, counts)
def test_newcombe_paired_holds_its_difference_and_turns(both: int, a: int, b: int, neither: int) -> None:
    difference, low, high = compare.newcombe_paired(both, a, b, neither)
    if not both + a + b + neither:
        return
    assert -1 - 1e-12 <= low <= difference <= high <= 1 + 1e-12
    assert compare.newcombe_paired(both, b, a, neither) == pytest.approx((-difference, -high, -low), abs=1e-12)
    assert compare.newcombe_paired(neither, a, b, both) == pytest.approx((difference, low, high), abs=1e-12)


@FIXED
@given(counts, counts)
def test_without_a_correlation_the_questions_might_as_well_be_others(both: int, only_a: int) -> None:
    if of := both + only_a:  # a is always right
        assert compare.newcombe_paired(both, only_a, 0, 0) == compare.newcombe(of, of, both, of)


def test_without_questions_there_is_no_difference() -> None:
    for found in (compare.newcombe(0, 0, 1, 2), compare.newcombe(1, 2, 0, 0), compare.newcombe_paired(0, 0, 0, 0)):
        assert all(map(math.isnan, found)) and len(found) == 3


@pytest.mark.parametrize("case", [(7, 6, 1, 2), (1, 2, -1, 6), (1, 0, 1, 2)])
def test_more_hits_than_questions_is_an_error(case: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="no proportion"):
        compare.newcombe(*case)


# A family of tests


def test_holm() -> None:
    assert compare.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    family = [compare.mcnemar_exact(0, 2), compare.mcnemar_exact(0, 7)]
    assert family == [0.5, 0.015625] and compare.holm(family) == [0.5, 0.03125]
    assert compare.holm([]) == [] and compare.holm([0.9, 0.8]) == [1, 1]


def test_holm_agrees_with_statsmodels() -> None:
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    rng = random.Random(4)
    for size in range(1, 12):
        family = [rng.random() ** 3 for _ in range(size)]
        assert compare.holm(family) == pytest.approx(multipletests(family, method="holm")[1], rel=1e-12)


@FIXED
@given(chances)
def test_holm_keeps_the_order_and_makes_no_p_smaller(family: list[float]) -> None:
    adjusted = compare.holm(family)
    assert all(p <= more <= 1 for p, more in zip(family, adjusted, strict=True))
    ranked = [more for _, more in sorted(zip(family, adjusted, strict=True))]
    assert ranked == sorted(ranked)
    assert adjusted[::-1] == compare.holm(family[::-1])


@pytest.mark.parametrize("bad", [math.nan, -0.1, 1.1])
def test_a_p_that_is_none_is_an_error(bad: float) -> None:
    with pytest.raises(ValueError, match=f"p-value 1 is {bad}: leave out"):
        compare.holm([0.5, bad])


# Graded measures


def test_permutation_agrees_with_scipy() -> None:
    scipy_stats = pytest.importorskip("scipy.stats")
    rng = random.Random(5)
    for size in (2, 5, 11):
        a, b = ([rng.gauss(mean, 1) for _ in range(size)] for mean in (0.8, 0))
        asked = scipy_stats.permutation_test(
            (a, b),
            lambda x, y, axis: (x - y).mean(axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=1 << size,
        )
        assert compare.permutation([x - y for x, y in zip(a, b, strict=True)]) == pytest.approx(asked.pvalue, rel=1e-12)


@FIXED
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=7))
def test_permutation_counts_all_signs(differences: list[int]) -> None:
    sums = [
        sum(sign * d for sign, d in zip(signs, differences, strict=True))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    p = sum(abs(total) >= abs(sum(differences)) for total in sums) / len(sums)
    assert compare.permutation(differences) == p
    assert compare.permutation([d / 10 for d in differences]) == p  # tenths tie although their floats do not
    assert compare.permutation([d * 1e-15 for d in differences]) == p


def test_permutation_by_drawing() -> None:
    rng = random.Random(9)
    differences = [rng.choice((-3, -2, -1, 1, 2, 3, 4)) for _ in range(40)]
    sums = Counter({0: 1})
    for d in differences:
        sums = Counter({total: sums[total - d] + sums[total + d] for total in range(-200, 201)})
    exact = sum(n for total, n in sums.items() if abs(total) >= abs(sum(differences))) / 2**40
    assert compare.permutation(differences) == pytest.approx(exact, abs=0.02)
    assert 0.05 < exact < 0.95
    assert compare.permutation([d / 10 for d in differences]) == compare.permutation(differences)
    assert compare.permutation(differences) == compare.permutation([*differences, 0, 0])
    assert compare.permutation(differences) != compare.permutation(differences, seed=1)


def test_a_drawn_p_is_never_0_and_an_exact_one_needs_no_seed() -> None:
    assert compare.permutation([1.0] * 60, draws=99) == 0.01
    assert compare.permutation([1.0] * 20, draws=99) == compare.permutation([1.0] * 20, seed=1) == 2 / 2**20
    assert compare.permutation([1.0] * 21, draws=99) == 0.01
    assert compare.permutation([0.0, 0.0]) == 1


@pytest.mark.parametrize("bad", [[], [math.nan], [1.0, math.inf]])
def test_permutation_of_what_is_no_difference_is_an_error(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="all finite"):
        compare.permutation(bad)
    with pytest.raises(ValueError, match="0 draws"):
        compare.permutation([1.0], draws=0)


# What a number of questions can show

SEES = {12: (0.578, 0.728), 18: (0.404, 0.549), 30: (0.251, 0.389), 60: (0.129, 0.251), 100: (0.078, 0.192)}


def test_power() -> None:
    assert compare.power(30, 0.2) == pytest.approx(0.5725, abs=5e-5)
    assert compare.power(30, 0.1) == pytest.approx(0.0732, abs=5e-5)
    assert compare.power(30, 0.25) < 0.8 < compare.power(30, 0.252)
    assert compare.power(12, 0.49) == pytest.approx(
        sum(math.comb(12, k) * 0.49**k * 0.51 ** (12 - k) for k in range(6, 13))
    )
    assert compare.power(30, 0.0) == compare.power(5, 1.0) == 0 and compare.power(6, 1.0) == 1


@FIXED
@given(st.integers(1, 14), st.floats(0, 0.6), st.floats(0, 0.4), st.sampled_from([0.01, 0.05, 0.0625, 0.9]))
def test_power_sums_over_all_counts(n: int, gain: float, loss: float, alpha: float) -> None:
    total = math.fsum(
        math.comb(n, b) * math.comb(n - b, c) * gain**b * loss**c * max(0.0, 1 - gain - loss) ** (n - b - c)
        for b in range(n + 1)
        for c in range(n + 1 - b)
        if compare.mcnemar_exact(b, c) <= alpha
    )
    assert compare.power(n, gain, loss, alpha) == pytest.approx(total, abs=1e-12)
    assert compare.power(n, loss, gain, alpha) == pytest.approx(total, abs=1e-12)


@FIXED
@given(st.integers(1, 60), st.floats(0, 0.5), st.sampled_from([0.01, 0.05, 0.2]))
def test_where_nothing_changes_the_test_finds_it_no_more_often_than_alpha(n: int, share: float, alpha: float) -> None:
    assert compare.power(n, share, share, alpha) <= alpha


@pytest.mark.parametrize("n", SEES)
def test_the_shares_that_can_be_seen(n: int) -> None:
    assert (compare.detectable(n), compare.detectable(n, loss=0.05)) == SEES[n]
    for loss in (0.0, 0.05):
        share = compare.detectable(n, loss)
        assert compare.power(n, share, loss) >= 0.8 > compare.power(n, share - 0.001, loss)


def test_more_regressions_than_gains_are_not_what_is_looked_for() -> None:
    assert compare.power(200, 0.0, 0.05) > 0.8  # all of it for the worse
    assert compare.detectable(200) == 0.04 and compare.detectable(200, loss=0.05) == 0.139


def test_what_cannot_be_seen_at_all_is_nan() -> None:
    assert math.isnan(compare.detectable(5)) and compare.detectable(6) == 0.964
    assert all(math.isnan(compare.detectable(30, loss=loss)) for loss in (0.3, 0.5, 0.9, 1.0))


def test_fewest_flips() -> None:
    assert [compare.fewest_flips(alpha) for alpha in (0.05, 0.1, 0.0625, 0.01)] == [6, 5, 5, 8]
    for bad in (0, 1, math.nan):
        with pytest.raises(ValueError, match="alpha"):
            compare.fewest_flips(bad)


@pytest.mark.parametrize(
    ("n", "gain", "loss", "alpha"),
    [(0, 0.1, 0, 0.05), (9, -0.1, 0.2, 0.05), (9, 0.1, -0.1, 0.05), (9, 0.8, 0.3, 0.05), (9, 0.1, 0, 0), (9, 0.1, 0, 1)]
    + [(9, math.nan, 0, 0.05), (9, 0.1, math.nan, 0.05)],
)
def test_power_of_what_cannot_be_is_an_error(n: int, gain: float, loss: float, alpha: float) -> None:
    with pytest.raises(ValueError, match=f"^n {n}, gain {gain}, loss {loss}, alpha {alpha}: give"):
        compare.power(n, gain, loss, alpha)


def test_detectable_of_what_cannot_be_is_an_error() -> None:
    for loss in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="give"):
            compare.detectable(30, loss)
    with pytest.raises(ValueError, match="^n 0"):
        compare.detectable(0)
