"""The guilty commit is found wherever it stands, with as few evaluations as halving needs."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit.culprit import _ancestors, first_bad


def line(length: int) -> dict[str, list[str]]:
    return {f"{n:03}": [f"{n - 1:03}"] for n in range(1, length + 1)}


@pytest.mark.parametrize("guilty", range(1, 65))
def test_one_of_64_in_a_line_takes_six_evaluations(guilty: int) -> None:
    found = first_bad(line(64), "064", lambda commit: int(commit) >= guilty)
    assert found.suspects == (f"{guilty:03}",) and len(found.evaluated) <= 6


@pytest.mark.parametrize("length", [1, 2, 3, 5, 100])
def test_any_line_takes_the_logarithm(length: int) -> None:
    for guilty in range(1, length + 1):
        found = first_bad(line(length), f"{length:03}", lambda commit, guilty=guilty: int(commit) >= guilty)
        assert found.suspects == (f"{guilty:03}",) and len(found.evaluated) <= math.ceil(math.log2(length))


@st.composite
def histories(draw: st.DrawFn) -> tuple[dict[str, list[str]], str]:
    """Commits with one or two earlier ones as parents each, and a guilty one among the ancestors of the last."""
    size = draw(st.integers(1, 40))
    parents = {
        f"{n:03}": [f"{p:03}" for p in draw(st.sets(st.integers(max(-1, n - 6), n - 1), min_size=1, max_size=2))]
        for n in range(size)
    }
    last = f"{size - 1:03}"
    parents = {commit: parents[commit] for commit in _ancestors(last, parents)}
    return parents, draw(st.sampled_from(sorted(parents)))


@given(histories())
def test_merged_history_has_one_culprit_too(history: tuple[dict[str, list[str]], str]) -> None:
    parents, guilty = history
    last = max(parents)
    found = first_bad(parents, last, lambda commit: guilty in _ancestors(commit, parents))
    assert found.suspects == (guilty,)
    assert len(found.evaluated) == len(set(found.evaluated)) < len(parents) + (len(parents) == 1)


def test_a_commit_that_can_not_be_judged_is_passed_over_and_suspected_when_it_stands_beside() -> None:
    found = first_bad(line(8), "008", lambda commit: None if commit == "004" else int(commit) >= 5)
    assert found.suspects == ("005", "004")
    found = first_bad(line(8), "008", lambda commit: None if commit == "004" else int(commit) >= 2)
    assert found.suspects == ("002",)
