"""What documents, their gaps and the questions about them must hold of each other, whatever they are about.

Each check gives what breaks it: nothing when all is well.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import build

from ragkit import check, corpus, golden, text
from ragkit.chunk import Headings, names
from ragkit.corpus import Corpus
from ragkit.records import Golden
from ragkit.text import Analyzer, Word, atoms, kin

PLAIN = Analyzer(dictionary="none")
KINDS = {word for words, _ in text.rows("kinds.csv") for word in words.split("|")}  # `how long` asks for a value
ANSWERABLE = {"q1": True, "q2": True, "q3": False, "q4": False, "q5": True, "q7": True, "q9": False}


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@dataclass(frozen=True)
class Labels:
    """A folder of documents and the golden files about it."""

    place: Path
    files: tuple[Path, ...]

    @classmethod
    def of(cls, name: str) -> Labels:
        """A corpus of ours with its small set and its probes."""
        return cls(build.ROOT / "corpus" / name, tuple(build.GOLDEN / f"{name}{end}.csv" for end in ("", "-probes")))

    @cached_property
    def corpus(self) -> Corpus:
        """The documents as the systems see them, but without the term dictionary."""
        return Corpus(corpus.readable(corpus.read(self.place)), chunker=Headings(), analyzer=PLAIN)

    @cached_property
    def small(self) -> list[Golden]:
        return golden.read(self.files[0])

    @cached_property
    def probes(self) -> list[Golden]:
        return golden.read(self.files[1])

    @property
    def rows(self) -> list[Golden]:
        return self.small + self.probes

    @cached_property
    def gaps(self) -> list[tuple[str, str]]:
        return [(row["topic"], word) for row in table(self.place / "gaps.csv") for word in row["words"].split("|")]

    @cached_property
    def sections(self) -> set[str]:
        return {name for document in self.corpus.folder.documents for name in names(document)}

    @cached_property
    def forms(self) -> dict[str, set[str]]:
        """Every word of the documents that is not a stop word, in pieces too, by its stem."""
        found: dict[str, set[str]] = {}
        words = [word for document in self.corpus.folder.documents for word in PLAIN.words(document.text)]
        for part in [part for word in words for part in (word, *word.pieces) if not part.stop]:
            found.setdefault(part.stem, set()).add(part.form)
        return found

    def known(self, word: Word) -> bool:
        """Whether the documents hold a word as a whole, in any form."""
        forms = self.forms.get(word.stem, set())
        return word.form in forms or any(kin(word.form, form) for form in forms)

    def unknown(self, question: str) -> list[str]:
        """The content words of a question that are in no document, the term dictionary aside."""
        words = [word for word in PLAIN.words(question) if not (word.stop or word.form in KINDS)]
        return [word.form for word in words if not self.known(word)]

    def says(self, sources: Collection[str], fact: str) -> bool:
        """Whether a text stands in the named sections: to the letter, and in whole words as facts are judged."""
        named = set(sources)
        chunks = [c for c in self.corpus.all_chunks if c.file in named or named.intersection(c.sections)]
        said = " ".join(" ".join(f"{chunk.lead} {chunk.text}" for chunk in chunks).split())
        return fact.casefold() in said.casefold() and check.holds(check.words(said), check.words(fact))


# The documents


def every_gap_is_in_no_document_in_any_form(of: Labels) -> object:
    cut = {word: [atom for whole in PLAIN.words(word) for atom in atoms(whole)] for _, word in of.gaps}
    return [word for word, parts in cut.items() if any(map(of.known, parts))]


def every_gap_is_listed_once(of: Labels) -> object:
    return [word for word, count in Counter(word for _, word in of.gaps).items() if count > 1]


def nothing_of_the_documents_is_left_out_but_front_matter(of: Labels) -> object:
    return [row for row in of.corpus.dropped if row.why != "front matter"] + [chunk.id for chunk in of.corpus.empty]


def every_phrase_of_the_dictionary_stands_in_the_documents(of: Labels) -> object:
    terms = of.corpus.folder.terms
    return [(term, said) for term, means in terms for said in means if not of.corpus.find(tuple(PLAIN.words(said)))]


# The questions


def every_source_is_a_section_that_exists(of: Labels) -> object:
    return [row.id for row in of.rows if not set(row.sources) <= of.sections]


def an_answerable_row_has_answer_source_and_facts_and_no_other_has(of: Labels) -> object:
    given = {row.id: {bool(row.answer), bool(row.sources), bool(row.facts)} for row in of.rows}
    return [row.id for row in of.rows if given[row.id] != {row.answerable}]


def every_fact_stands_verbatim_in_a_source(of: Labels) -> object:
    return [(row.id, fact) for row in of.rows for fact in row.facts if not of.says(row.sources, fact)]


def nothing_forbidden_is_part_of_the_right_answer(of: Labels) -> object:
    return [row.id for row in of.rows if any(_said(text, row) for text in row.forbidden)]


def a_concept_or_an_alternative_of_it_is_in_the_words_of_the_question(of: Labels) -> object:
    named = [row for row in of.rows if row.concepts]
    return [row.id for row in named if not any(_stems(c) <= _stems(row.question) for c in row.concepts)]


def a_stratum_is_answerable_or_not(of: Labels) -> object:
    return [row.id for row in of.rows if ANSWERABLE.get(row.category, row.answerable) != row.answerable]


def the_strata_are_those_of_the_readme(of: Labels) -> object:
    listed = re.findall(r"^\| (q\d+) \|", (build.GOLDEN / "README.md").read_text("utf-8"), re.MULTILINE)
    return {row.category for row in of.rows} - set(listed)


def no_question_is_asked_twice(of: Labels) -> object:
    asked = Counter(tuple(PLAIN.terms(row.question)) or row.question for row in of.rows)
    return [question for question, count in asked.items() if count > 1]


def no_id_stands_twice(of: Labels) -> object:
    return [id for id, count in Counter(row.id for row in of.rows).items() if count > 1]


def a_near_miss_holds_no_word_that_is_in_no_document(of: Labels) -> object:
    near = [row for row in of.rows if row.category == "q4"]
    return {row.id: of.unknown(row.question) for row in near if of.unknown(row.question)}


def a_paraphrase_or_absent_topic_holds_a_word_that_is_in_no_document(of: Labels) -> object:
    return [row.id for row in of.rows if row.category in ("q2", "q3") and not of.unknown(row.question)]


def the_concept_of_an_absent_topic_is_in_no_document(of: Labels) -> object:
    absent = [(row.id, concept) for row in of.rows if row.category == "q3" for concept in row.concepts]
    return [(id, concept) for id, concept in absent if of.corpus.find(tuple(PLAIN.words(concept)))]


def _said(text: str, row: Golden) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", part, re.IGNORECASE) for part in (row.answer, *row.facts))


def _stems(text: str) -> set[str]:
    return {atom.stem for word in PLAIN.words(text) for atom in atoms(word)}


CHECKS: tuple[Callable[[Labels], object], ...] = (
    every_gap_is_in_no_document_in_any_form,
    every_gap_is_listed_once,
    nothing_of_the_documents_is_left_out_but_front_matter,
    every_phrase_of_the_dictionary_stands_in_the_documents,
    every_source_is_a_section_that_exists,
    an_answerable_row_has_answer_source_and_facts_and_no_other_has,
    every_fact_stands_verbatim_in_a_source,
    nothing_forbidden_is_part_of_the_right_answer,
    a_concept_or_an_alternative_of_it_is_in_the_words_of_the_question,
    a_stratum_is_answerable_or_not,
    the_strata_are_those_of_the_readme,
    no_question_is_asked_twice,
    no_id_stands_twice,
    a_near_miss_holds_no_word_that_is_in_no_document,
    a_paraphrase_or_absent_topic_holds_a_word_that_is_in_no_document,
)
