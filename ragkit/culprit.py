"""The commit that broke a row or moved a measure, found with the fewest evaluations, on merged history too.

A commit is bad when what is asked about it is so, and a child of a bad commit is taken to be bad: one change is looked
for, from good to bad.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Parents = Mapping[str, Sequence[str]]
Bad = Callable[[str], bool | None]


@dataclass(frozen=True, slots=True)
class Found:
    """The first bad commits (one, unless commits beside it could not be judged), and what was evaluated on the way."""

    suspects: tuple[str, ...]
    evaluated: tuple[str, ...]
    met_good: bool = False


def first_bad(parents: Parents, bad: str, is_bad: Bad) -> Found:
    """Bisects the commits of `parents`, all of which are ancestors of `bad` or itself and none of a good commit.

    Each step evaluates the commit that splits the rest most evenly: one of n commits in a line takes log2(n) steps,
    rounded up. A commit that `is_bad` can not judge (None) is passed over for one beside it.
    """
    left, evaluated, unknown, met_good = _ancestors(bad, parents), list[str](), set[str](), False
    while commit := _middle(left, bad, parents, unknown):
        verdict = is_bad(commit)
        evaluated.append(commit)
        if verdict is None:
            unknown.add(commit)
        elif verdict:
            bad, left = commit, _ancestors(commit, parents) & left
        else:
            met_good = True
            left -= _ancestors(commit, parents)
    return Found((bad, *sorted(left & unknown)), tuple(evaluated), met_good)


def _middle(left: set[str], bad: str, parents: Parents, unknown: set[str]) -> str | None:
    """The commit whose verdict leaves the fewest whichever way it goes; None when only the bad one is left."""
    sizes = {commit: len(_ancestors(commit, parents) & left) for commit in left - unknown - {bad}}
    return min(sizes, key=lambda commit: (max(sizes[commit], len(left) - sizes[commit]), commit), default=None)


def _ancestors(commit: str, parents: Parents) -> set[str]:
    """A commit and all it comes from, as far as they are in `parents`."""
    found, ahead = set[str](), [commit]
    while ahead:
        one = ahead.pop()
        if one not in found and one in parents:
            found.add(one)
            ahead += parents[one]
    return found
