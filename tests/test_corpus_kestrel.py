"""The Kestrel documents and questions are what golden/README.md and gaps.csv say of them."""

from __future__ import annotations

import csv
import re
from collections import Counter
from functools import cache
from pathlib import Path

import build
import pytest

from ragkit import corpus, golden, text
from ragkit.chunk import Headings, names
from ragkit.corpus import Corpus
from ragkit.records import Golden
from ragkit.text import Analyzer, Word, atoms, kin

PLAIN = Analyzer(dictionary="none")
FILES = ("kestrel.csv", "kestrel-probes.csv")
KINDS = {word for words, _ in text.rows("kinds.csv") for word in words.split("|")}  # `how long` asks for a value


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def kestrel() -> Corpus:
    """The documents as the systems see them, but without the term dictionary."""
    return Corpus(corpus.readable(corpus.read(build.KESTREL)), chunker=Headings(), analyzer=PLAIN)


@cache
def rows(*files: str) -> tuple[Golden, ...]:
    return tuple(row for file in files for row in golden.read(build.GOLDEN / file))


@cache
def forms() -> dict[str, set[str]]:
    """Every word of the documents that is not a stop word, in pieces too, by its stem."""
    found: dict[str, set[str]] = {}
    words = [word for document in kestrel().folder.documents for word in PLAIN.words(document.text)]
    for part in [part for word in words for part in (word, *word.pieces) if not part.stop]:
        found.setdefault(part.stem, set()).add(part.form)
    return found


def known(word: Word) -> bool:
    """Whether the documents hold a word as a whole, in any form."""
    return word.form in forms().get(word.stem, ()) or any(kin(word.form, form) for form in forms().get(word.stem, ()))


def unknown(question: str) -> list[str]:
    """The content words of a question that are in no document, the term dictionary aside."""
    return [word.form for word in PLAIN.words(question) if not (word.stop or word.form in KINDS or known(word))]


# What is left out on purpose

GAPS = [(row["topic"], word) for row in table(build.KESTREL / "gaps.csv") for word in row["words"].split("|")]


@pytest.mark.parametrize(("topic", "word"), GAPS)
def test_a_gap_is_in_no_document_in_any_form(topic: str, word: str) -> None:
    assert not any(known(atom) for cut in PLAIN.words(word) for atom in atoms(cut)), topic


def test_a_gap_is_listed_once() -> None:
    words = [word for _, word in GAPS]
    assert [word for word, count in Counter(words).items() if count > 1] == []


# The documents


def test_there_are_at_least_26_chunks_under_headings() -> None:
    assert sum(bool(chunk.path) for chunk in kestrel().chunks) >= 26


def test_nothing_of_the_documents_is_left_out() -> None:
    assert (kestrel().dropped, kestrel().empty) == ((), ())


PHRASES = [(term, phrase) for term, means in corpus.read_terms(build.KESTREL / "terms.csv") for phrase in means]


@pytest.mark.parametrize(("term", "phrase"), PHRASES)
def test_a_phrase_of_the_dictionary_stands_in_the_documents(term: str, phrase: str) -> None:
    assert kestrel().find(tuple(PLAIN.words(phrase))), term


# The questions


@cache
def sections() -> set[str]:
    return {name for document in kestrel().folder.documents for name in names(document)}


def test_every_source_is_a_section_that_exists() -> None:
    assert [row.id for row in rows(*FILES) if not set(row.sources) <= sections()] == []


def test_an_answerable_row_has_answer_source_and_facts_and_no_other_has() -> None:
    given = {row.id: {bool(row.answer), bool(row.sources), bool(row.facts)} for row in rows(*FILES)}
    assert [row.id for row in rows(*FILES) if given[row.id] != {row.answerable}] == []


def lacking(row: Golden) -> list[str]:
    """The facts that do not stand verbatim in a source."""
    chunks = [chunk for chunk in kestrel().all_chunks if set(chunk.sections) & set(row.sources)]
    said = " ".join(f"{chunk.lead} {chunk.text}" for chunk in chunks).casefold()
    return [fact for fact in row.facts if fact.casefold() not in " ".join(said.split())]


def test_every_fact_stands_verbatim_in_a_source() -> None:
    assert {row.id: lacking(row) for row in rows(*FILES) if lacking(row)} == {}


def said(text: str, row: Golden) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", part, re.IGNORECASE) for part in (row.answer, *row.facts))


def test_nothing_forbidden_is_part_of_the_right_answer() -> None:
    assert [row.id for row in rows(*FILES) if any(said(text, row) for text in row.forbidden)] == []


def stems(text: str) -> set[str]:
    return {atom.stem for word in PLAIN.words(text) for atom in atoms(word)}


def test_a_concept_or_an_alternative_of_it_is_in_the_words_of_the_question() -> None:
    named = [row for row in rows(*FILES) if row.concepts]
    assert [row.id for row in named if not any(stems(c) <= stems(row.question) for c in row.concepts)] == []


ANSWERABLE = {"q1": True, "q2": True, "q3": False, "q4": False, "q5": True, "q7": True, "q9": False}


def test_a_stratum_is_answerable_or_not() -> None:
    assert [row.id for row in rows(*FILES) if ANSWERABLE.get(row.category, row.answerable) != row.answerable] == []


def test_the_strata_are_those_of_the_readme() -> None:
    listed = re.findall(r"^\| (q\d+) \|", (build.GOLDEN / "README.md").read_text("utf-8"), re.MULTILINE)
    assert {row.category for row in rows(*FILES)} <= set(listed)


def test_there_are_30_questions_a_commit() -> None:
    assert len(rows("kestrel.csv")) == 30


@pytest.mark.parametrize(("category", "least"), [("q2", 4), ("q4", 5)])
def test_the_questions_a_commit_hold_enough_of_a_stratum(category: str, least: int) -> None:
    assert sum(row.category == category for row in rows("kestrel.csv")) >= least


def test_at_least_13_questions_a_commit_are_unanswerable() -> None:
    assert sum(not row.answerable for row in rows("kestrel.csv")) >= 13


@pytest.mark.parametrize("topic", ["crypto", "sabbatical", "parental", "CEO", "revenue", "dog"])
def test_the_questions_a_commit_ask_for_the_six_gaps(topic: str) -> None:
    named = re.compile(rf"\b{topic}\b", re.IGNORECASE)
    assert [row.id for row in rows("kestrel.csv") if not row.answerable and named.search(row.question)]


def test_the_probes_are_counted_so_that_none_goes_missing() -> None:
    """A row that is added is added here too; none is taken away because a gate fails it."""
    counted = Counter(row.category for row in rows("kestrel-probes.csv"))
    assert counted == {"q1": 36, "q2": 49, "q3": 40, "q4": 60, "q5": 28, "q7": 25, "q8": 28, "q9": 19, "q10": 29}


@pytest.mark.parametrize("category", ["q1", "q2", "q3", "q4"])
def test_there_are_at_least_25_probes_of_a_stratum(category: str) -> None:
    assert sum(row.category == category for row in rows("kestrel-probes.csv")) >= 25


def test_no_question_is_asked_twice() -> None:
    asked = Counter(tuple(PLAIN.terms(row.question)) or row.question for row in rows(*FILES))
    assert [question for question, count in asked.items() if count > 1] == []


def test_no_id_stands_twice() -> None:
    assert [id for id, count in Counter(row.id for row in rows(*FILES)).items() if count > 1] == []


def test_a_near_miss_holds_no_word_that_is_in_no_document() -> None:
    near = [row for row in rows(*FILES) if row.category == "q4"]
    assert {row.id: unknown(row.question) for row in near if unknown(row.question)} == {}


@pytest.mark.parametrize("category", ["q2", "q3"])
def test_a_paraphrase_or_absent_topic_holds_a_word_that_is_in_no_document(category: str) -> None:
    assert [row.id for row in rows(*FILES) if row.category == category and not unknown(row.question)] == []
