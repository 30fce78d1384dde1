"""Values computed beforehand, scipy on the same resamples, and one resample after the other where no library has it."""

from __future__ import annotations

import doctest
import math
import random
import tracemalloc
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragkit import resample, stats

INF = math.inf
FIXED = settings(derandomize=True, database=None, deadline=None)
# made up: a score for 18 answerable and 12 unanswerable questions, and ranks; a result about no system
A = [8.4, 10.3, 8.4, 9.6, 10.0, 9.5, 6.8, 7.8, 8.7, 10.4, 11.6, 11.0, 5.8, 7.6, 6.6, 7.6, 10.8, 10.0]
U = [5.2, 5.4, 2.8, 10.9, 8.8, 7.5, 4.8, 8.0, 7.0, 6.5, 9.7, 7.6]
RANKS = [1, 1, 1, 5, 1, 1, 1, 1, 2, 1, 1, 1, 5, 0, 1, 1, 3, 2]
MRR = [1 / rank if rank else 0.0 for rank in RANKS]
values = st.lists(st.integers(-20, 20).map(float), min_size=2, max_size=12)
scores = st.lists(st.sampled_from([-INF, -2.0, 0.0, 0.5, 1.0, INF]), min_size=1, max_size=6)


def drawn(size: int, resamples: int, seed: int = 0, group: int = 0) -> np.ndarray:
    """The positions that a seed stands for, in a stream that numpy has frozen."""
    return np.random.RandomState([seed, group]).randint(size, size=(resamples, size), dtype=np.int64)


def test_examples() -> None:
    assert doctest.testmod(resample).failed == 0


# Means


def test_the_interval_of_the_toy_set() -> None:
    assert sum(MRR) / len(MRR) == pytest.approx(0.762963, abs=1e-6)
    assert resample.bca(MRR) == pytest.approx((0.569, 0.900), abs=0.02)


@pytest.mark.parametrize("statistic", [np.mean, np.median, np.std])
@pytest.mark.parametrize("size", [15, 30, 120])
def test_bca_agrees_with_scipy(size: int, statistic: Callable[..., object]) -> None:
    bootstrap = pytest.importorskip("scipy.stats").bootstrap
    sample = np.random.RandomState(size).lognormal(size=size)
    for seed, level in ((0, 0.95), (7, 0.8)):
        same = SimpleNamespace(bootstrap_distribution=statistic(sample[drawn(size, 9_999, seed)], axis=-1))
        asked = bootstrap(
            (sample,), statistic, n_resamples=0, bootstrap_result=same, method="BCa", confidence_level=level
        ).confidence_interval
        assert resample.bca(sample, statistic, seed=seed, level=level) == pytest.approx(tuple(asked), rel=1e-9)


def test_bca_of_other_draws_is_the_same_but_for_chance() -> None:
    bootstrap = pytest.importorskip("scipy.stats").bootstrap
    for size in (20, 60):
        sample = np.random.RandomState(size).exponential(size=size)
        low, high = bootstrap((sample,), np.mean, rng=np.random.default_rng(1)).confidence_interval
        assert resample.bca(sample) == pytest.approx((low, high), abs=0.05 * (high - low))


def test_ties_with_what_was_seen_count_half_although_their_floats_differ() -> None:
    for sample in ([1.0, 2.0, 4.0, 7.0], [1.0, 2.0, 3.0, 6.0, 7.0]):
        low, high = resample.bca(sample)
        assert resample.bca([value / 10 for value in sample]) == pytest.approx((low / 10, high / 10), rel=1e-9)


@FIXED
@given(values, st.integers(-5, 5))
def test_bca_lies_within_the_values_and_moves_with_them(sample: list[float], by: int) -> None:
    low, high = resample.bca(sample, resamples=200)
    if len(set(sample)) == 1:
        assert math.isnan(low) and math.isnan(high)
        return
    assert min(sample) <= low <= high <= max(sample)
    moved = resample.bca([value + by for value in sample], resamples=200)
    assert moved == pytest.approx((low + by, high + by), abs=1e-9)
    mirrored = resample.bca([-value for value in sample], resamples=200)
    assert mirrored == pytest.approx((-high, -low), abs=1e-9)


@pytest.mark.parametrize("sample", [[], [0.5], [1.0] * 12, [0.1] * 7])
def test_bca_of_equal_values_is_undefined(sample: list[float]) -> None:
    assert all(map(math.isnan, resample.bca(sample)))


def test_a_higher_level_gives_no_narrower_interval() -> None:
    sample = [0.0] * 199 + [1.0]  # as skewed as can be: the acceleration turns the order of far ends around
    intervals = [resample.bca(sample, level=level) for level in (0.8, 0.95, 0.999, 1 - 1e-12)]
    assert intervals == sorted(intervals, key=lambda ends: (-ends[0], ends[1]))


def test_bca_that_resampling_cannot_correct_is_undefined() -> None:
    assert all(map(math.isnan, resample.bca([0.0, 1, 1, 1, 1, 1], np.median)))  # no single value moves it
    assert all(map(math.isnan, resample.bca([0.0, 1.0, 5.0], resamples=1)))  # all resamples on one side


@pytest.mark.parametrize("bad", [math.nan, INF, None])
def test_a_value_that_is_none_is_an_error(bad: float) -> None:
    with pytest.raises(ValueError, match="value 1 is not a finite number: leave out"):
        resample.bca([0.5, bad, bad])


# Two systems on the same questions


def test_pairs_without_a_value_are_left_out_and_counted() -> None:
    rng = random.Random(0)
    a, b = ([rng.random() for _ in range(20)] for _ in range(2))
    found = resample.paired_bootstrap([*a, None, 0.5, math.nan], [*b, 0.5, math.nan, None])
    differences = [x - y for x, y in zip(a, b, strict=True)]
    assert (found.pairs, found.left_out) == (20, 3)
    assert found.mean == pytest.approx(sum(differences) / 20)
    assert (found.low, found.high) == resample.bca(differences)
    assert found.low < found.mean < found.high


def test_the_paired_interval_agrees_with_scipy() -> None:
    bootstrap = pytest.importorskip("scipy.stats").bootstrap
    rng = np.random.RandomState(3)
    a = rng.exponential(size=25)
    b = a + rng.normal(0.3, 0.2, size=25)
    low, high = bootstrap(
        (a, b), lambda x, y, axis: (x - y).mean(axis=axis), paired=True, vectorized=True, rng=np.random.default_rng(1)
    ).confidence_interval
    found = resample.paired_bootstrap(a, b)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.05 * (high - low))
    back = resample.paired_bootstrap(b, a)
    assert (back.mean, back.low, back.high) == pytest.approx((-found.mean, -found.high, -found.low))


def test_pairs_that_tell_nothing() -> None:
    same = resample.paired_bootstrap([1.0, 0.5], [1.0, 0.5])
    assert (same.mean, same.pairs, same.left_out) == (0, 2, 0) and math.isnan(same.low)
    none = resample.paired_bootstrap([None], [1.0])
    assert math.isnan(none.mean) and math.isnan(none.high) and (none.pairs, none.left_out) == (0, 1)


def test_pairs_of_unequal_length_or_infinite_are_an_error() -> None:
    with pytest.raises(ValueError, match="zip"):
        resample.paired_bootstrap([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="finite"):
        resample.paired_bootstrap([1.0, INF], [1.0, 0.0])


# AUROC


def test_the_auroc_of_the_toy_set() -> None:
    assert resample.auroc_interval(A, U) == pytest.approx((0.560, 0.921), abs=0.02)
    assert resample.auroc_interval(A, U) == (
        121 / 216,
        199.5 / 216,
    )  # to the bit: nothing is rounded, the stream is frozen


@pytest.mark.parametrize(("pos", "neg"), [(A, U), ([INF, 1.0, 1.0, -INF], [1.0, -INF, 0.0]), ([2.0], [1.0, 2.0, 3.0])])
def test_the_auroc_of_one_resample_after_the_other(pos: list[float], neg: list[float]) -> None:
    rows = zip(drawn(len(pos), 300, 5, 0), drawn(len(neg), 300, 5, 1), strict=True)
    areas = [stats.auroc([pos[n] for n in p], [neg[n] for n in u]) for p, u in rows]
    low, high = np.quantile(areas, (0.05, 0.95))
    assert resample.auroc_interval(pos, neg, 300, seed=5, level=0.9) == pytest.approx((low, high), abs=1e-12)


def test_the_difference_of_one_resample_after_the_other() -> None:
    rng = random.Random(8)
    a, b = (([rng.gauss(mean, 1) for _ in range(9)], [rng.gauss(0, 1) for _ in range(7)]) for mean in (1.5, 0.5))
    differences = []
    for p, u in zip(drawn(9, 300, 0, 0), drawn(7, 300, 0, 1), strict=True):
        one, other = (stats.auroc([pos[n] for n in p], [neg[n] for n in u]) for pos, neg in (a, b))
        differences.append(one - other)
    low, high = np.quantile(differences, (0.025, 0.975))
    assert resample.auroc_difference(*a, *b, resamples=300) == pytest.approx((low, high), abs=1e-12)
    assert resample.auroc_difference(*b, *a, resamples=300) == pytest.approx((-high, -low), abs=1e-12)


def test_the_same_questions_cancel() -> None:
    assert resample.auroc_difference(A, U, A, U) == (0, 0)
    low, high = resample.auroc_difference(A, U, [score + 0.3 for score in A], U)
    alone_low, alone_high = resample.auroc_interval(A, U)
    assert high - low < (alone_high - alone_low) / 3


@FIXED
@given(scores, scores)
def test_the_auroc_lies_between_0_and_1_and_turns_with_the_classes(pos: list[float], neg: list[float]) -> None:
    low, high = resample.auroc_interval(pos, neg, 50)
    assert 0 <= low <= high <= 1
    if stats.auroc(pos, neg) in (0, 1):
        assert low == high == stats.auroc(pos, neg)
    turned = resample.auroc_interval([-score for score in pos], [-score for score in neg], 50)
    assert turned == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_an_empty_class_is_undefined() -> None:
    for pos, neg in (([], [1.0]), ([1.0], []), ([], [])):
        assert all(map(math.isnan, resample.auroc_interval(pos, neg)))
        assert all(map(math.isnan, resample.auroc_difference(pos, neg, pos, neg)))


def test_a_score_of_nan_is_an_error() -> None:
    for pos, neg in (([math.nan], [0.0]), ([0.0], [1.0, math.nan])):
        with pytest.raises(ValueError, match="nan"):
            resample.auroc_interval(pos, neg)
        with pytest.raises(ValueError, match="nan"):
            resample.auroc_difference([0.0], [0.0, 1.0], pos, neg)


def test_signals_on_other_questions_do_not_compare() -> None:
    for pos, neg in (([1.0], [0.0]), ([1.0, 2.0], [0.0]), ([1.0, 2.0], [0.0, 0.0])):
        with pytest.raises(ValueError, match="same questions"):
            resample.auroc_difference([1.0], [0.0, 0.0], pos, neg)


# All of them

ALL = {
    "bca": lambda **plan: resample.bca(MRR, **plan),
    "paired": lambda **plan: resample.paired_bootstrap(MRR, A, **plan),
    "auroc": lambda **plan: resample.auroc_interval(A, U, **plan),
    "difference": lambda **plan: resample.auroc_difference(A, U, MRR, U, **plan),
}
each = pytest.mark.parametrize("name", ALL)


@each
def test_the_seed_decides_every_byte_and_the_size_of_a_portion_none(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, other = repr(ALL[name]()), repr(ALL[name](seed=1))
    assert first == repr(ALL[name](seed=0)) != other
    whole = repr(ALL[name](resamples=500))
    for cells in (1, 7_000):
        monkeypatch.setattr(resample, "CELLS", cells)
        assert repr(ALL[name](resamples=500)) == whole


@each
def test_a_plan_that_cannot_be_is_an_error(name: str) -> None:
    for plan in ({"resamples": 0}, {"level": 0}, {"level": 1}, {"level": math.nan}):
        with pytest.raises(ValueError, match="resamples.*level.*give"):
            ALL[name](**plan)


def test_the_memory_is_bounded() -> None:
    rng = random.Random(0)
    pos, neg = ([rng.random() for _ in range(150)] for _ in range(2))
    tracemalloc.start()
    resample.auroc_difference(pos, neg, neg, pos)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6  # bytes; all positions at once take 24e6, their counts as much
