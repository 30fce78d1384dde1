"""Refusal gates. Each is a choice whose `on(corpus)` gives a function from a ranking to a verdict.

A gate judges the question as it was asked (`Ranking.question`) and answers any ranking, an empty one too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ragkit.concept import Concept, concepts, form, form_in, holding
from ragkit.records import BadInput, Chunk, Ranking, Verdict
from ragkit.signals import TOP, Signal, rarest, weights

if TYPE_CHECKING:
    from ragkit.corpus import Corpus

Judge = Callable[[Ranking], Verdict]

WITHIN = ("corpus", "retrieved", "passage")


class Gate(Protocol):
    """A choice of gate."""

    def on(self, corpus: Corpus) -> Judge: ...


@dataclass(frozen=True)
class Anything:
    """Refuses only where there is nothing to search (`empty-index`) or nothing was found (`no-match`)."""

    def on(self, corpus: Corpus) -> Judge:
        return lambda ranking: nothing_to_go_by(ranking, corpus) or no_match(ranking) or Verdict()


@dataclass(frozen=True)
class Nothing:
    """Refuses every question: the lazy gate that a one-sided refusal score calls perfect."""

    def on(self, corpus: Corpus) -> Judge:
        return lambda ranking: Verdict("below-floor", reason="this system refuses every question")


@dataclass(frozen=True)
class Floor:
    """Refuses (`below-floor`, `below-cosine`) when a signal is below `least`; a value equal to it answers."""

    signal: Signal = TOP
    least: float = 2.0

    def on(self, corpus: Corpus) -> Judge:
        def judge(ranking: Ranking) -> Verdict:
            found = nothing_to_go_by(ranking, corpus) or no_match(ranking)
            return found or self._held(self.signal(ranking, corpus))

        return judge

    def _held(self, value: float) -> Verdict:
        if value >= self.least:
            return Verdict()
        shown = (f"{value:.2f}", f"{value:.6g}", repr(value))
        told = next(each for each in shown if float(each) < self.least)  # 0.4498 is not told as 0.45
        return Verdict(self.signal.gate, reason=f"{self.signal} is {told}, below the floor of {self.least:g}")


@dataclass(frozen=True)
class Coverage:
    """Refuses when an idea of the question is in no form in the documents (`unknown-term`), and beyond that
    (`no-coverage`) within `retrieved`: when its rarest idea is not in the retrieved text; within `passage`: when no
    single retrieved passage holds all its ideas. Within `corpus` stops at the first test."""

    within: str = "corpus"

    def __post_init__(self) -> None:
        if self.within not in WITHIN:
            raise BadInput(f"within {self.within!r}: unknown; use one of {', '.join(WITHIN)}")

    def on(self, corpus: Corpus) -> Judge:
        further = {"corpus": _passed, "retrieved": _rarest_retrieved, "passage": _all_in_one_passage}[self.within]

        def judge(ranking: Ranking) -> Verdict:
            found = nothing_to_go_by(ranking, corpus) or unknown_term(ranking, corpus)
            return found or no_match(ranking) or further(ranking, corpus)

        return judge


def nothing_to_go_by(ranking: Ranking, corpus: Corpus) -> Verdict | None:
    """The refusal for an empty index or a question without content words."""
    if not corpus.chunks:
        read, empty = len(corpus.folder.documents), len(corpus.empty)
        reason = f"there is nothing to search: {read} files read, none gave text ({empty} sections are empty)"
        return Verdict("empty-index", reason=reason)
    if not concepts(ranking.question, corpus):
        return Verdict("no-match", reason="the question holds no word to look for")
    return None


def no_match(ranking: Ranking) -> Verdict | None:
    """The refusal for a question that shares no word with the documents."""
    return None if ranking.hits else Verdict("no-match", reason="no passage shares a word with the question")


def unknown_term(ranking: Ranking, corpus: Corpus) -> Verdict | None:
    """The refusal for an idea that no document holds; of several it names the last, since English puts what is asked
    about last, and lists the others."""
    unknown = [idea for idea in concepts(ranking.question, corpus) if not holding(idea, corpus)]
    if not unknown:
        return None
    named = _listed(unknown)
    where = (
        f"; {unknown[-1].word} stands only above a section without text" if _only_a_heading(unknown[-1], corpus) else ""
    )
    return Verdict("unknown-term", unknown[-1].word, f"no document says anything about {named}{where}")


def _passed(ranking: Ranking, corpus: Corpus) -> Verdict:
    return Verdict(reason=_matched([hit.chunk for hit in ranking.hits], ranking, corpus))


def _rarest_retrieved(ranking: Ranking, corpus: Corpus) -> Verdict:
    idea = rarest(ranking.question, corpus)[0]
    if any(form(idea, hit.chunk, corpus) for hit in ranking.hits):
        return _passed(ranking, corpus)
    return Verdict(
        "no-coverage", idea.word, f"none of the {len(ranking.hits)} retrieved passages mentions {_listed([idea])}"
    )


def _all_in_one_passage(ranking: Ranking, corpus: Corpus) -> Verdict:
    weight, ideas = dict(weights(ranking.question, corpus)), rarest(ranking.question, corpus)
    chunks = [hit.chunk for hit in ranking.hits]
    lacking = {chunk: [idea for idea in ideas if not form(idea, chunk, corpus)] for chunk in chunks}
    nearest = min(chunks, key=lambda chunk: sum(weight[idea] for idea in lacking[chunk]))
    if not lacking[nearest]:
        return Verdict(reason=_matched([nearest], ranking, corpus))
    named = _listed(lacking[nearest])
    reason = f"no passage holds all of it together; {nearest.heading} says nothing about {named}"
    return Verdict("no-coverage", lacking[nearest][0].word, reason)


def _matched(chunks: Sequence[Chunk], ranking: Ranking, corpus: Corpus) -> str:
    """Where a word was found in another form: `carried -> carry`, so that a reader sees a false match at a glance."""
    ideas = concepts(ranking.question, corpus)
    pairs = ((idea.word, next(filter(None, (form(idea, chunk, corpus) for chunk in chunks)), "")) for idea in ideas)
    return ", ".join(f"{word} -> {found}" for word, found in pairs if found and found != word)


def _only_a_heading(idea: Concept, corpus: Corpus) -> bool:
    return any(form_in(idea, corpus.passage(chunk)) for chunk in corpus.empty)


def _listed(ideas: Sequence[Concept]) -> str:
    return ", ".join(f'"{idea.word}"' for idea in ideas)
