"""The SDK's documents, of two versions, and their questions are what golden/README.md and gaps.csv say of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import labels
import pytest
from labels import PLAIN, Labels

from ragkit import check
from ragkit.records import Golden

SDK = Labels.of("sdk")
DOCUMENTS = {document.file: document.text for document in SDK.corpus.folder.documents}
FRONT = re.compile(r"\A---\n(?:.*\n)*?version: (v1|v2|both)\n(?:.*\n)*?---\n")
VERSIONS = {file: found[1] for file, text in DOCUMENTS.items() if (found := FRONT.match(text))}
OTHER = {"v1": "v2", "v2": "v1"}
PINNED = [row for row in SDK.rows if row.version]
UNPINNED = [row for row in SDK.rows if row.category == "q6" and not row.version]


@pytest.mark.parametrize("check", [*labels.CHECKS, labels.the_concept_of_an_absent_topic_is_in_no_document])
def test_documents_and_questions_fit(check: Callable[[Labels], object]) -> None:
    assert not check(SDK)


# The documents


def test_every_document_says_which_version_it_is_about() -> None:
    assert set(DOCUMENTS) == set(VERSIONS)


def test_the_name_of_a_file_is_true_to_its_version() -> None:
    named = {file: file[:2] if file.startswith(("v1-", "v2-")) else "both" for file in DOCUMENTS}
    assert named == VERSIONS


def test_there_are_documents_of_either_version_and_of_both() -> None:
    counted = Counter(VERSIONS.values())
    assert counted["v1"] >= 3 and counted["v2"] >= 3 and 2 <= counted["both"] <= 3
    assert 2000 <= sum(len(text.split()) for text in DOCUMENTS.values()) <= 3500


def test_a_document_of_one_version_holds_code() -> None:
    assert [file for file, text in DOCUMENTS.items() if VERSIONS[file] != "both" and "\n```" not in text] == []


def written(version: str, words: str) -> bool:
    """Whether some document of a version says it, in whole words."""
    said = (check.words(text) for file, text in DOCUMENTS.items() if VERSIONS[file] == version)
    return any(check.holds(text, check.words(words)) for text in said)


def holders(words: str) -> set[str]:
    """The versions whose documents hold these words in any form."""
    places = SDK.corpus.find(tuple(PLAIN.words(words)))
    return {VERSIONS[SDK.corpus.chunks[place].file] for place in places}


CONFLICTS = [
    ("fetch_latest", "net.latest"), ("30 seconds", "10 seconds"), ("8443", "9443"), ("Long polling", "The stream"),
    ("pip install skerrykit", "pip install skerrykit-core"), ("tide_table", "alert"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), CONFLICTS)
def test_the_versions_differ(old: str, new: str) -> None:
    assert [written(version, old) for version in OTHER] == [True, False]
    assert [written(version, new) for version in OTHER] == [False, True]


# The questions


def of_protocol(row: Golden) -> bool:
    return any(source.startswith("protocol.md") for source in row.sources)


def test_the_18_questions_have_the_mix_of_the_published_set() -> None:
    asked = [row for row in SDK.small if row.answerable]
    free = [row for row in asked if not row.version and not of_protocol(row)]
    mix = [len(asked), sum(bool(row.version) for row in asked), sum(map(of_protocol, asked)), len(free)]
    assert (len(SDK.small), mix) == (18, [13, 5, 3, 5])
    assert sum(row.category == "q6" for row in free) >= 3


def test_four_of_the_unanswerable_are_far_off_and_one_is_near() -> None:
    assert Counter(row.category for row in SDK.small if not row.answerable) == {"q9": 4, "q4": 1}


def test_the_probes_are_counted_so_that_none_goes_missing() -> None:
    """A row that is added is added here too; none is taken away because a gate fails it."""
    counted = Counter(row.category for row in SDK.probes)
    assert counted == {"q1": 4, "q2": 4, "q3": 5, "q4": 6, "q5": 3, "q6": 30, "q7": 2, "q8": 8, "q9": 2, "q10": 4}


def test_probes_of_two_versions_are_pinned_both_ways_and_not_at_all() -> None:
    asked = Counter((row.version, row.answerable) for row in SDK.probes if row.category == "q6")
    assert asked == {("v1", True): 8, ("v2", True): 8, ("v1", False): 4, ("v2", False): 3, ("", True): 7}


def test_a_question_names_the_version_that_it_is_pinned_to_and_no_other() -> None:
    named = {row.id: re.findall(r"\bv\d\b", row.question) for row in SDK.rows}
    assert [row.id for row in SDK.rows if named[row.id] != [row.version] * bool(row.version)] == []


def version(source: str) -> str:
    return VERSIONS[source.partition("#")[0]]


def test_a_pinned_row_is_answered_from_its_version() -> None:
    assert [row.id for row in PINNED if not {version(source) for source in row.sources} <= {row.version, "both"}] == []


def differ(row: Golden) -> bool:
    """Whether a row has one source of each version, each with a fact that the other has not."""
    said = [{fact for fact in row.facts if SDK.says([source], fact)} for source in row.sources]
    return [version(source) for source in row.sources] == ["v1", "v2"] and all((said[0] - said[1], said[1] - said[0]))


def test_an_unpinned_row_has_the_facts_of_both_versions() -> None:
    assert [row.id for row in UNPINNED if not differ(row)] == []


def test_what_a_pinned_row_forbids_stands_in_the_other_version_and_not_in_its_own_source() -> None:
    forbidden = [(row, text) for row in PINNED for text in row.forbidden]
    assert [(row.id, text) for row, text in forbidden if not written(OTHER[row.version], text)] == []
    assert [(row.id, text) for row, text in forbidden if SDK.says(row.sources, text)] == []


def test_a_pinned_row_forbids_the_tempting_fact_or_notes_that_there_is_none() -> None:
    bare = [row for row in PINNED if row.category == "q6" and not row.forbidden]
    assert not [row.id for row in SDK.small if row in bare]
    assert [row.id for row in bare if "to mix up" not in row.note] == []


ABSENT = [(row, text) for row in PINNED if not row.answerable for text in (*row.concepts, *row.forbidden)]


def test_what_a_pinned_row_is_refused_for_stands_in_the_other_version_only() -> None:
    assert [(row.id, text) for row, text in ABSENT if holders(text) != {OTHER[row.version]}] == []
