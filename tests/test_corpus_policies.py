"""The dated policies of Kestrel Labs and the questions about them are what golden/README.md says of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import date

import build
import labels
import pytest
from labels import Labels

from ragkit.records import Golden

POLICIES = Labels(build.KESTREL, (build.GOLDEN / "kestrel-policies.csv", build.GOLDEN / "kestrel-probes.csv"))
TRUTH = {row["file"]: row["status"] for row in labels.table(build.GOLDEN / "status" / "kestrel.csv")}
TITLES = {
    d.file: next(line for line in d.text.split("\n") if line[:2] == "# ") for d in POLICIES.corpus.folder.documents
}
DIFFER = [row for row in POLICIES.small if row.category == "q6"]
PINNED = [row for row in DIFFER if row.version]


def file(row: Golden) -> str:
    return row.sources[0].partition("#")[0]


def others(row: Golden) -> list[str]:
    """The other versions of the document that a row is about."""
    return [each for each, title in TITLES.items() if title == TITLES[file(row)] and each != file(row)]


@pytest.mark.parametrize("check", labels.CHECKS)
def test_documents_and_questions_fit(check: Callable[[Labels], object]) -> None:
    assert not check(POLICIES)


def test_the_truth_names_each_policy_once() -> None:
    assert sorted(TRUTH) == sorted(each for each in TITLES if each.startswith("policies/"))
    assert set(TRUTH.values()) == {"current", "superseded"}


def test_of_each_policy_one_version_is_in_force() -> None:
    in_force = [TITLES[each] for each, status in TRUTH.items() if status == "current"]
    assert sorted(in_force) == sorted({TITLES[each] for each in TRUTH})


def test_the_questions_are_counted_so_that_none_goes_missing() -> None:
    counted = Counter(row.category for row in POLICIES.small)
    assert counted == {"q6": 23, "q1": 3, "q5": 1, "q3": 2, "q4": 6, "q10": 1}


def test_a_question_on_which_versions_differ_is_answered_from_the_one_in_force_unless_pinned() -> None:
    assert [row.id for row in DIFFER if not row.version and TRUTH[file(row)] != "current"] == []
    assert sum(TRUTH[file(row)] == "superseded" for row in PINNED) >= 4


def test_what_such_a_question_forbids_stands_in_another_version_and_not_in_its_source() -> None:
    said = {row.id: [POLICIES.says(others(row), text) for text in row.forbidden] for row in DIFFER}
    assert [name for name, found in said.items() if not (found and all(found))] == []
    assert [row.id for row in DIFFER for text in row.forbidden if POLICIES.says(row.sources, text)] == []


def test_no_fact_of_such_a_question_stands_in_another_version() -> None:
    assert [row.id for row in DIFFER if all(POLICIES.says(others(row), fact) for fact in row.facts)] == []


def test_a_pinned_question_names_the_date_of_the_version_it_is_about() -> None:
    for row in PINNED:
        day = date.fromisoformat(row.version)
        written = f"{day.day} {day:%B %Y}"
        assert written in row.question and POLICIES.says([file(row)], written), row.id
