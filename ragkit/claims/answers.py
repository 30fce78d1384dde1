"""Claims about what answers are worth: quotes to the letter, empty results, who may refuse, citations that are there.

Where answers are written, scripts write them: they show what a design lets through, not what a language model does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragkit import metrics, reply
from ragkit.answer import Quote
from ragkit.check import Check, holds, words
from ragkit.claims import lab
from ragkit.claims.claim import Above, AtLeast, AtMost, Claim, Figure, Found, Row, Test
from ragkit.claims.drafts import outcomes, writing
from ragkit.gate import Gate
from ragkit.records import ANSWER, Outcome, Rate
from ragkit.rerank import AsFound, Rerank, Reranker
from ragkit.scripted import SCRIPTS, Fabricator, Faithful, SecondGuesser
from ragkit.system import System
from ragkit.systems import CITED, COSINE, COVERAGE, FRONT_DESK, SYSTEMS
from ragkit.written import Writer

if TYPE_CHECKING:
    from ragkit.corpus import Corpus

ALL, FEW = AtLeast(0.95), AtMost(0.05)  # what "always" and "never" may come to over questions like these
DESIGNS = (COSINE, COVERAGE, CITED, FRONT_DESK)


def _answered(found: Sequence[Outcome], *, answerable: bool) -> list[Outcome]:
    return [o for o in found if o.answer.outcome == ANSWER and o.golden.answerable is answerable]


# Quotes


def verbatim(found: Sequence[Outcome]) -> Rate:
    """Statements of answers that stand in a retrieved passage to the letter."""
    return Rate(sum(outcome.supported for outcome in found), sum(outcome.claims for outcome in found))


def tempted(found: Sequence[Outcome]) -> Rate:
    """Answers that state a tempting wrong fact, of those to answerable questions that name one."""
    named = [o for o in _answered(found, answerable=True) if o.golden.forbidden]
    stated = [any(holds(words(o.answer.text), words(fact)) for fact in o.golden.forbidden) for o in named]
    return Rate(sum(stated), len(stated))


def _quotes() -> Found:
    found = lab.everywhere(FRONT_DESK)
    rates = (metrics.correctness(found), metrics.false_answers(found), verbatim(found))
    strata = sorted({outcome.golden.category for outcome in found})
    groups = {"all": found} | {name: lab.within(found, name) for name in strata}
    rows = [
        {
            "stratum": name,
            "to the letter": verbatim(group),
            "right": metrics.correctness(group),
            "states a tempting wrong fact": tempted(group),
            "false answers": metrics.false_answers(group),
        }
        for name, group in groups.items()
    ]
    return Found(tuple(map(Figure.of, rates)), rows)


# Nothing to go by


INVENTING = Fabricator(), Fabricator("[1]")


@dataclass(frozen=True)
class Emptied:
    """A gate in the place of a reranker: where it refuses, the answer is written all the same, to an empty result."""

    gate: Gate
    then: Reranker = AsFound()

    def on(self, corpus: Corpus) -> Rerank:
        judge, rerank = self.gate.on(corpus), self.then.on(corpus)
        return lambda ranking: replace(ranking, hits=()) if judge(ranking).refused else rerank(ranking)


def emptied(script: Writer, *checks: Check) -> System:
    """The design `cosine` as its tool works: what its gate refuses reaches the writer as an empty result."""
    (gate,) = COSINE.gates
    return writing(script, replace(COSINE, gates=(), reranker=Emptied(gate, COSINE.reranker)), *checks)


def shown_from_nothing(found: Sequence[Outcome]) -> Rate:
    """Empty results to which something was shown as an answer."""
    empty = [outcome for outcome in found if not outcome.answer.ranking.hits]
    return Rate(sum(outcome.answer.outcome == ANSWER for outcome in empty), len(empty))


def _nothing() -> Found:
    def shown(script: Writer, *checks: Check) -> Rate:
        return shown_from_nothing(outcomes(emptied(script, *checks)))

    rows = [
        {"script": str(script), "no check": shown(script), "checks of cited": shown(script, *CITED.checks)}
        for script in (*INVENTING, Faithful())
    ]
    return Found(tuple(Figure.of(shown(script)) for script in INVENTING), rows)


# Who has the last word

GUESSER = SecondGuesser()


def policies(system: System, script: Writer = GUESSER) -> tuple[list[Outcome], list[Outcome]]:
    """The outcomes of a system whose writer may refuse what the gates passed, and of the same that defers to them."""
    may, must = (outcomes(writing(script, system, *system.checks, defer=defer)) for defer in (False, True))
    return may, must


def gained(may: Sequence[Outcome], must: Sequence[Outcome], *, answerable: bool) -> Figure:
    """How much larger the share of answered questions is when the writer defers."""
    pairs = [(a, b) for a, b in zip(may, must, strict=True) if a.golden.answerable is answerable]
    first, second = ([pair[n].answer.outcome == ANSWER for pair in pairs] for n in (0, 1))
    return lab.change(first, second)


def _deferring() -> Found:
    figures = [gained(*policies(gate), answerable=side) for gate in (COSINE, COVERAGE) for side in (True, False)]
    rows = [
        lab.errors(f"{system.name}, {script}, {policy}", found)
        for system in (COSINE, COVERAGE)
        for script in (SecondGuesser(0.5), GUESSER, SecondGuesser(1.0))
        for policy, found in zip(("may refuse", "defers"), policies(system, script), strict=True)
    ]
    return Found(tuple(figures), rows)


def x_02() -> list[Row]:
    """Both answer policies over each design's gates; the front desk, which quotes by design, has a writer here too."""
    return [
        lab.errors(f"{system.name}, {policy}", found)
        for system in (COVERAGE, CITED, replace(FRONT_DESK, answerer=Quote()), COSINE)
        for policy, found in zip(("may refuse", "defers"), policies(replace(system, checks=())), strict=True)
    ]


# Citations


def present(found: Sequence[Outcome]) -> Rate:
    """Answers with a citation."""
    answers = [outcome for outcome in found if outcome.answer.outcome == ANSWER]
    return Rate(sum(bool(outcome.answer.citations) for outcome in answers), len(answers))


def right_version(found: Sequence[Outcome]) -> Rate:
    """Answers whose every citation is of the version that the question is pinned to, or of all."""
    pinned = [o for o in _answered(found, answerable=True) if o.golden.version and o.answer.citations]
    right = [all(c.chunk.is_of(o.golden.version) for c in o.answer.citations) for o in pinned]
    return Rate(sum(right), len(right))


def right_of_all(found: Sequence[Outcome]) -> Rate:
    """Answers that cite a source of their row, of all with a citation: where there is no answer, none is right."""
    unanswerable = _answered(found, answerable=False)
    right, wrong = reply.cited(found), [o for o in unanswerable if o.answer.citations]
    return Rate(right.hits, right.of + len(wrong))


def _citations() -> Found:
    figures = [Figure.of(reply.cited(outcomes(system))) for system in DESIGNS]
    figures.append(Figure.of(right_version(outcomes(COSINE))))
    rows = [
        {
            "system": system.name,
            "with a citation": present(outcomes(system)),
            "of the right section": reply.cited(outcomes(system)),
            "of the right version": right_version(outcomes(system)),
            "right of all with one": right_of_all(outcomes(system)),
        }
        for system in SYSTEMS.values()
    ]
    return Found(tuple(figures), rows)


# Quoted or written


def x_05() -> list[Row]:
    """The design `cited` with its quotes, and with each script in their place: both errors, and what came of the
    answerable questions with facts. The judge looks for facts: an answer that denies one may count as right."""
    tried = {"quotes": CITED} | {str(script): writing(script, CITED, *CITED.checks) for script in SCRIPTS}
    return [
        {**lab.errors(label, found), **worth(found)}
        for label, found in zip(tried, map(lab.everywhere, tried.values()), strict=True)
    ]


def worth(found: Sequence[Outcome]) -> dict[str, Rate]:
    """What came of the answerable questions that have facts; the rest of them was refused."""
    rows = [outcome for outcome in found if outcome.golden.answerable and outcome.golden.facts]
    right, wrong = (sum(outcome.correct is side for outcome in rows) for side in (True, False))
    withheld = sum(bool(outcome.answer.withheld) for outcome in rows)
    return {name: Rate(n, len(rows)) for name, n in (("right", right), ("wrong", wrong), ("withheld", withheld))}


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "H34",
        "An answer that only quotes can not turn a fact into a falsehood: there is no path to an invented answer.",
        "S2-12, S2-13",
        "The design `front-desk` quotes for every question of ours. Its quotes are held against the passages, its "
        "answers against the golden facts.",
        (
            Test("answers to answerable questions that state the facts and nothing forbidden", ALL),
            Test("unanswerable questions that are answered with quotes", FEW),
            Test("statements that stand in a retrieved passage to the letter", ALL),
        ),
        _quotes,
        "faithfulness 1 and correctness 0 on a question about a late fee, answered with another fee",
    ),
    Claim(
        "H41",
        "A result set that is empty leaves a model nothing to make an answer of.",
        "S3-02, S3-07",
        "What the gate of the design `cosine` refuses reaches a script as an empty result, as from that design's tool, "
        "for every question of ours. Two scripts make a figure up whatever they are given; as in that design, no check "
        "stands behind them.",
        (
            Test("empty results to which an invented figure is shown", FEW),
            Test("empty results to which an invented figure with a marker is shown", FEW),
        ),
        _nothing,
    ),
    Claim(
        "H42",
        "A writer that defers to the gate refuses less of what can be answered, and answers no more of what can not.",
        "S3-20, S3-21, S3-22",
        "A script refuses where no passage holds 0.8 of the question's ideas by rarity. Behind the gates of `cosine` "
        "and of `coverage` it has the last word, or the gate has, for every question of ours.",
        (
            Test("cosine: how many more answerable questions are answered when the writer defers", Above()),
            Test("cosine: how many more unanswerable questions are answered when the writer defers", FEW),
            Test("coverage: how many more answerable questions are answered when the writer defers", Above()),
            Test("coverage: how many more unanswerable questions are answered when the writer defers", FEW),
        ),
        _deferring,
        "10 of 12 became 12 of 12; no near miss among them, so that the cost could not show",
    ),
    Claim(
        "H45",
        "An answer that carries a citation carries a right one.",
        "S3-18",
        "Of the answers of each system to answerable questions of ours: whether there is a citation, whether any is of "
        "a source of the golden row, and, where the question names a version, whether none is of another.",
        (
            *(Test(f"{system.name}: cited answers with a citation of a golden source", ALL) for system in DESIGNS),
            Test("cosine: cited answers to questions that name a version with citations of no other", ALL),
        ),
        _citations,
        "a question about the protocol passes with citations of the two versions of the SDK only",
    ),
)
