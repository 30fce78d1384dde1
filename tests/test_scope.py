"""Versions: a pinned question sees its own version only, filtered before ranking; an answer says which it is of."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from ragkit.answer import Said, Say
from ragkit.chunk import Headings
from ragkit.corpus import Corpus, Folder, front, index
from ragkit.gate import Anything
from ragkit.records import Answer, Chunk, Citation, Document, Hit, Ranking
from ragkit.retrieve import Lexical
from ragkit.scope import ByVersion, InForce, Pinned, named, versions
from ragkit.system import System
from ragkit.text import Analyzer


def document(name: str, text: str, **labels: str) -> Document:
    head = "".join(f"{key}: {value}\n" for key, value in labels.items())
    return Document(name, f"---\n{head}---\n# Client\n\n{text}\n" if labels else f"# Client\n\n{text}\n")


FOLDER = Folder(
    "sdk",
    (
        document("v1.md", "The client polls every 30 seconds.", version="v1"),
        document("v2.md", "The client streams and never polls.", version="v2"),
        document("both.md", "The client is free.", version="both"),
        document("about.md", "The client has a logo."),
    ),
)


def ask(question: str, **choices: object) -> Answer:
    return System("mine", gates=(Anything(),), **{"retriever": Pinned(), **choices}).on(FOLDER).ask(question)


def files(answer: Answer) -> set[str]:
    return {hit.chunk.file for hit in answer.ranking.hits}


def test_labels_come_from_the_front_matter() -> None:
    assert front(Document("a.md", '---\nversion: "v2"\nlist:\n  inner: 1\nurl: https://x.example/a\n---\n# A')) == {
        "version": "v2", "list": "", "url": "https://x.example/a",
    }  # fmt: skip
    assert front(Document("a.md", "# A\n\n---\nversion: v2\n---\n")) == {}
    made = index(FOLDER, Headings(), Analyzer())
    assert {chunk.file: chunk.version for chunk in made.chunks} == {
        "v1.md": "v1", "v2.md": "v2", "both.md": "both", "about.md": "",
    }  # fmt: skip
    assert versions(made) == ["v1", "v2"]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Does the client poll in v1?", ["v1"]),
        ("Does the V2 client poll?", ["v2"]),
        ("Does version 2 poll?", ["v2"]),
        ("v1 or v2?", ["v1", "v2"]),
        ("Does the client poll 2 times?", []),
        ("Is v2.5 out?", []),
        ("rev1 of the client", []),
        ("v10", []),
    ],
)
def test_the_version_that_a_question_names(question: str, found: list[str]) -> None:
    assert named(question, ["v1", "v2"]) == found


def test_a_pinned_question_sees_its_version_and_what_is_true_of_all() -> None:
    assert files(ask("Does the client poll in v1?")) == {"v1.md", "both.md", "about.md"}
    assert files(ask("Does the client poll in v2?")) == {"v2.md", "both.md", "about.md"}
    assert files(ask("Does the client poll?")) == files(ask("v1 or v2 client?")) == {d.file for d in FOLDER.documents}


def test_filtering_before_ranking_finds_what_filtering_after_loses() -> None:
    crowd = [document(f"old{n}.md", "The client polls and polls, says the client.", version="v1") for n in range(9)]
    folder = Folder("crowd", (*crowd, document("new.md", "The client polls no more.", version="v2")))
    early, late = (
        System("x", gates=(Anything(),), retriever=Pinned(late=late), k=3).on(folder) for late in (False, True)
    )
    assert [hit.chunk.file for hit in early.ask("client polls v2").ranking.hits] == ["new.md"]
    assert late.ask("client polls v2").ranking.hits == ()


def test_superseded_documents_are_not_ranked() -> None:
    folder = Folder(
        "leave",
        (
            document("old.md", "Leave is 20 days of leave.", status="superseded"),
            document("new.md", "Leave is 25 days.", status="current"),
        ),
    )
    found = System("x", gates=(Anything(),), retriever=InForce()).on(folder).ask("leave days")
    assert files(found) == {"new.md"}


def test_what_is_in_force_dates_and_names_tell_too() -> None:
    folder = Folder(
        "leave",
        (
            document("leave.md", "In force from 1 May 2021. Leave is 20 days of leave."),
            document("leave-2.md", "In force from 1 May 2024. Leave is 25 days."),
            document("leave-old.md", "Leave is 15 days of leave."),
            Document("sick.md", "# Sick leave\n\nSick leave is 20 days."),
        ),
    )
    found = System("x", gates=(Anything(),), retriever=InForce()).on(folder).ask("leave days")
    assert files(found) == {"leave-2.md", "sick.md"}


def test_a_document_that_nothing_tells_from_another_stays() -> None:
    folder = Folder("leave", (document("a.md", "Leave is 20 days."), document("b.md", "Leave is 25 days.")))
    assert files(System("x", gates=(Anything(),), retriever=InForce()).on(folder).ask("leave")) == {"a.md", "b.md"}


@pytest.mark.parametrize(("late", "found"), [(False, ["leave-2024.md"]), (True, [])])
def test_obsolete_copies_above_the_version_in_force_crowd_it_out_when_they_are_dropped_after(
    late: bool, found: list[str]
) -> None:
    old = [
        document(f"leave-{year}.md", f"In force from {year}. Leave, leave, leave: 20 days.")
        for year in range(2015, 2021)
    ]
    new = document(
        "leave-2024.md", "In force from 2024. All of us have 25 days of leave a year, to be asked for in time."
    )
    bot = System("x", gates=(Anything(),), retriever=InForce(late=late), k=3).on(Folder("leave", (*old, new)))
    assert [hit.chunk.file for hit in bot.ask("leave days").ranking.hits] == found


@pytest.mark.parametrize("retriever", [InForce(Pinned()), Pinned(InForce())])
def test_a_version_and_what_is_in_force_go_together(retriever: object) -> None:
    old, new = (
        document(f"v2-a-{year}.md", f"In force from {year}. The client polls.", version="v2") for year in (2023, 2024)
    )
    folder = Folder("sdk", (document("v1.md", "The client polls.", version="v1"), old, new))
    found = System("x", gates=(Anything(),), retriever=retriever).on(folder).ask("Does the v2 client poll?")  # type: ignore[arg-type]
    assert files(found) == {"v2-a-2024.md"}


def test_many_questions_are_each_ranked_by_their_own_version() -> None:
    bot = System("mine", gates=(Anything(),), retriever=Pinned()).on(FOLDER)
    questions = ["client v1", "client", "client v2", "client v1"]
    assert bot.ask_all(questions) == [bot.ask(question) for question in questions]


def test_an_answer_says_its_version_and_splits_where_two_differ() -> None:
    one = ask("Does the client poll in v1?", answerer=ByVersion())
    assert one.text.startswith("v1: The client polls every 30 seconds. [1]")
    both = ask("Does the client poll?", answerer=ByVersion())
    assert both.text == "v1: The client polls every 30 seconds. [1]\nv2: The client streams and never polls. [2]"
    assert [citation.chunk.file for citation in both.citations] == ["v1.md", "v2.md"]


def test_what_both_versions_say_is_said_once() -> None:
    found = ask("Is the client free?", answerer=ByVersion())
    assert found.text == "v1 and v2: The client is free. [1]"


def test_a_part_of_a_corpus_keeps_words_and_terms() -> None:
    folder = Folder("a", (document("a.md", "Time off is 25 days."),), terms=(("pto", ("time off",)),))
    made = index(folder, Headings(), Analyzer(stemmer="none"))
    part = made.part(made.all_chunks)
    assert (part.analyzer, part.folder.terms, part.chunks) == (made.analyzer, made.folder.terms, made.chunks)
    (ranking,) = Lexical().on(part)(["pto"], 1)
    assert ranking.hits and isinstance(part, Corpus)


@dataclass(frozen=True)
class Cites:
    """Cites its first passage, and numbers that name none."""

    def on(self, corpus: Corpus) -> Say:
        def say(ranking: Ranking) -> Said:
            chunk = ranking.hits[0].chunk
            return Said("So [1]. Or [0], [2, 3].", (Citation(chunk, chunk.text, 1),))

        return say


def test_a_marker_that_names_nothing_names_nothing_when_parts_are_joined() -> None:
    chunks = [Chunk(name, f"{name}.md", f"Use {name} now.", version=name) for name in ("v1", "v2")]
    say = ByVersion(Cites()).on(Corpus.of_chunks(chunks))
    said = say(Ranking("now?", tuple(Hit(chunk, 1.0) for chunk in chunks)))
    assert said.text == "v1: So [1]. Or [0], [0][0].\nv2: So [2]. Or [0], [0][0]."


def test_a_bracket_within_a_quote_stays_when_parts_are_joined() -> None:
    chunks = [Chunk(name, f"{name}.md", f"The fee of {name} is 5 [3] pounds.", version=name) for name in ("v1", "v2")]
    said = ByVersion().on(Corpus.of_chunks(chunks))(Ranking("fee?", tuple(Hit(chunk, 1.0) for chunk in chunks)))
    assert said.text == "v1: The fee of v1 is 5 [3] pounds. [1]\nv2: The fee of v2 is 5 [3] pounds. [2]"
