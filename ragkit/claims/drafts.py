"""Drafts that scripts write to the passages of the design `cited`, before its checks; what checks make of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from ragkit.check import Check
from ragkit.claims import lab
from ragkit.concept import remembered
from ragkit.corpus import Corpus
from ragkit.records import ANSWER, Chunk, Draft, Golden, Outcome, Ranking, Rate
from ragkit.retrieve import Retrieve, Retriever
from ragkit.scripted import Faithful
from ragkit.system import System
from ragkit.systems import CITED
from ragkit.text import visible
from ragkit.written import Writer, by

NOTHING = Corpus.of_chunks(())  # these checks look at a draft alone


@remembered
def _retrieve(retriever: Retriever, corpus: Corpus) -> Retrieve:
    return retriever.on(corpus)


@remembered
def _ranking(asked: tuple[Retriever, str, int], corpus: Corpus) -> Ranking:
    retriever, question, k = asked
    return _retrieve(retriever, corpus)([question], k)[0]


@dataclass(frozen=True)
class Once:
    """A retriever that ranks for each question once a corpus: many scripts write to the same passages."""

    retriever: Retriever

    def on(self, corpus: Corpus) -> Retrieve:
        return lambda questions, k: [_ranking((self.retriever, question, k), corpus) for question in questions]


def writing(script: Writer, system: System = CITED, *checks: Check, defer: bool = False) -> System:
    """A system with its answers written by a script, and with these checks in the place of its own."""
    policy = ", defers" if defer else ""
    answerer = by(system.answerer, script, defer=defer)
    name, retriever = f"{system.name} by {script}{policy}", Once(system.retriever)
    return replace(system, name=name, retriever=retriever, answerer=answerer, checks=checks)


def outcomes(system: System) -> list[Outcome]:
    """One outcome a question of every golden file of ours, with its verdict alone."""
    return [outcome for file in lab.OURS for outcome in lab.study(*file).outcomes(system)]


def draft(outcome: Outcome) -> Draft:
    """What was shown, as it lay before the checks."""
    answer = outcome.answer
    return Draft(answer.question, answer.text, tuple(citation.chunk for citation in answer.citations))


@cache
def drafts(script: Writer) -> dict[str, Draft]:
    """The drafts of a script by the id of their question; where it refuses there is none."""
    written = outcomes(writing(script))
    return {outcome.golden.id: draft(outcome) for outcome in written if outcome.answer.outcome == ANSWER}


@cache
def faulty(script: Writer) -> dict[str, Draft]:
    """The drafts of a script that differ from the faithful ones in what they say or cite: those that hold its fault."""
    true = {name: _read(each) for name, each in drafts(Faithful()).items()}
    return {name: each for name, each in drafts(script).items() if _read(each) != true.get(name)}


def _read(each: Draft) -> tuple[str, tuple[Chunk, ...]]:
    return visible(each.text), each.passages


def stops(each: Draft, *checks: Check) -> bool:
    """Whether any of the checks stops a draft."""
    return any(check.on(NOTHING)(each).refused for check in checks)


def stopped(of: Iterable[Draft], *checks: Check) -> Rate:
    """How many of some drafts are stopped."""
    marks = [stops(each, *checks) for each in of]
    return Rate(sum(marks), len(marks))


def golden_drafts(corpus: str) -> list[tuple[Golden, Draft]]:
    """The golden answers about a corpus, each with markers for the passages of its sources before its full stop."""
    found = []
    for known in (lab.study(*file) for file in lab.OURS if file[0] == corpus):
        chunks = known.bot(CITED).corpus.chunks
        for row in known.rows:
            if row.answerable:
                passages = tuple(c for s in row.sources for c in chunks if s in (*c.sections, c.file))
                marks = "".join(f"[{n}]" for n in range(1, len(passages) + 1))
                found.append((row, Draft(row.question, f"{row.answer.rstrip('.')} {marks}.", passages)))
    return found
