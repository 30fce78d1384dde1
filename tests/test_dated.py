"""An answer names the version that it is from, in the text and in the record, and its checks let that pass."""

from __future__ import annotations

from dataclasses import dataclass, replace

import build
import pytest

from ragkit import check, corpus, dated, study
from ragkit.answer import Quote, Said, Say
from ragkit.check import Marked, Numbers, Verbatim
from ragkit.corpus import Corpus, Folder
from ragkit.dated import Dated
from ragkit.fuse import Fused
from ragkit.gate import Anything
from ragkit.records import Answer, Chunk, Citation, Document, Draft, Ranking
from ragkit.retrieve import Lexical
from ragkit.scope import InForce
from ragkit.system import System

NEW = System(
    "dated",
    gates=(Anything(),),
    retriever=InForce(Lexical()),
    answerer=Dated(),
    checks=(Marked(), Numbers(), Verbatim()),
)
PLAIN = replace(NEW, answerer=Quote())
WIND = "How strong may the wind be before I have to stop climbing a mast?"
BORROWED = "How many tools does the workshop lend me at a time?"


def ask(question: str, system: System = NEW) -> Answer:
    return system.on(corpus.read(build.KESTREL)).ask(question)


def test_the_answer_is_from_the_version_in_force_and_names_it() -> None:
    found = ask(WIND)
    assert found.text == (
        "in force from 2024-09-01: "
        "Nobody climbs a mast alone: above 3 m a second person stands at the foot of it. [1]\n"
        "Stop climbing when the wind is stronger than 10 m/s. [2]"
    )
    assert {(c.chunk.file, c.chunk.version, c.chunk.status) for c in found.citations} == {
        ("policies/mast-work-2024.md", "2024-09-01", "current")
    }
    assert check.support(found) == (2, 2)


def test_without_the_filter_a_superseded_version_is_called_so() -> None:
    found = ask(WIND, replace(NEW, retriever=Lexical()))
    assert found.text.startswith("superseded, in force from 2021-03-01: ") and "12 m/s" in found.text
    assert {c.chunk.status for c in found.citations} == {"superseded"}


def test_a_version_in_doubt_is_told_as_one() -> None:
    assert ask("How often is a company mobile replaced?").text.startswith("in force from 2022-05-02, to be reviewed: ")


@pytest.mark.parametrize("question", [BORROWED, "How many days of annual leave do I get?", "How heavy is the KL-40X?"])
def test_of_a_document_without_other_versions_the_answer_is_unchanged(question: str) -> None:
    assert ask(question) == ask(question, PLAIN)


def test_fused_rankings_are_filtered_and_named_too() -> None:
    toy = Fused((Lexical(), Lexical()))
    assert ask(WIND, replace(NEW, retriever=InForce(toy))).text == ask(WIND).text


def test_no_check_stops_a_dated_answer_about_the_policies() -> None:
    file = build.GOLDEN / "kestrel-policies.csv"
    runs = {each: study.evaluated(each, corpus.read(build.KESTREL), file).outcomes for each in (NEW, PLAIN)}
    gates = [{o.golden.id: o.answer.verdict.gate for o in outcomes} for outcomes in runs.values()]
    assert gates[0] == gates[1] and not any(gates[0].values())
    assert all(o.claims == o.supported for o in runs[NEW])


def test_the_filter_brings_the_version_in_force_forward() -> None:
    file, right = build.GOLDEN / "kestrel-policies.csv", []
    for retriever in (Lexical(), InForce(late=True), InForce()):
        outcomes = study.evaluated(replace(NEW, retriever=retriever), corpus.read(build.KESTREL), file).outcomes
        right.append(
            [sum(bool(o.correct) for o in outcomes if bool(o.golden.version) == pinned) for pinned in (False, True)]
        )
    assert right == [[7, 3], [18, 1], [18, 1]]  # of 22 and 5; a question that names an old day loses its passage


# Any answerer


A, B = (Chunk(f"{name}.md~1", f"{name}.md", f"Text {name}.") for name in ("a", "b"))
FOLDER = Folder(
    "made",
    (
        Document("a.md", "# A\n\nIn force from 1 May 2023.\n"),
        Document("a-2.md", "# A\n\nIn force from 1 May 2022.\n"),
        Document("b.md", "# B\n\nText b.\n"),
    ),
)


@dataclass(frozen=True)
class Says:
    """Always the same text about the chunks that it cites."""

    text: str
    cited: tuple[Chunk, ...]

    def on(self, corpus: Corpus) -> Say:
        return lambda ranking: Said(self.text, tuple(Citation(chunk, chunk.text, 1) for chunk in self.cited))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("One. [1]\nTwo. [2]", "in force from 2023-05-01: One. [1]\nTwo. [2]"),
        ("Two. [2]\nOne. [1]\nMore. [1]", "Two. [2]\nin force from 2023-05-01: One. [1]\nMore. [1]"),
        (
            "One. [1]\nTwo. [2]\nOne. [1]",
            "in force from 2023-05-01: One. [1]\nTwo. [2]\nin force from 2023-05-01: One. [1]",
        ),
        ("- One. [1]", "- in force from 2023-05-01: One. [1]"),
        ("| a |\n|---|\n| 1 | [1]", "in force from 2023-05-01: | a |\n|---|\n| 1 | [1]"),
        ("No marker.", "No marker."),
        ("Wrong. [7]", "Wrong. [7]"),
        ("", ""),
    ],
)
def test_the_version_stands_at_the_head_of_what_is_from_it(text: str, told: str) -> None:
    made = corpus.index(FOLDER, NEW.chunker, NEW.analyzer)
    assert Dated(Says(text, (A, B))).on(made)(Ranking("?")).text == told


def test_a_refusal_stays_one() -> None:
    made = corpus.index(FOLDER, NEW.chunker, NEW.analyzer)
    said = Dated().on(made)(Ranking("nothing"))
    assert said == Quote().on(made)(Ranking("nothing")) and said.verdict.refused


@pytest.mark.parametrize(
    ("label", "told"),
    [
        (("current", "2024-05-01", True), "in force from 2024-05-01"),
        (("current", "2024", True), "in force, version 2024"),
        (("current", "", True), "in force, without a date"),
        (("superseded", "", True), "superseded, without a date"),
        (("", "2024-05", False), "one of several versions, in force from 2024-05, to be reviewed"),
    ],
)
def test_what_a_reader_is_told_of_a_label(label: tuple[str, str, bool], told: str) -> None:
    assert dated._told(dated.Label("a.md", *label, "")) == told


# The checks


def test_the_version_of_a_passage_is_part_of_what_a_reader_sees() -> None:
    chunk = replace(A, version="2024-05-01")
    assert check.shown(chunk) == "2024-05-01\nText a."
    judge = Numbers().on(corpus.index(FOLDER, NEW.chunker, NEW.analyzer))
    assert not judge(Draft("?", "in force from 2024-05-01: Text a. [1]", (chunk,))).refused
    assert judge(Draft("?", "in force from 2024-05-01: Text a. [1]", (A,))).gate == "number-unsupported"
    assert judge(Draft("?", "in force from 2024-05-02: Text a. [1]", (chunk,))).gate == "number-unsupported"
