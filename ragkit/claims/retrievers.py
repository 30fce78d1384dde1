"""What a verdict and a score owe to the retriever: H10, H17 and H24."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from statistics import fmean, median

from ragkit import evaluate, metrics, resample
from ragkit.claims import lab
from ragkit.claims.claim import Above, AtLeast, AtMost, Claim, Figure, Found, Row, Test
from ragkit.concept import Concept, concepts, holding
from ragkit.corpus import Corpus, Folder
from ragkit.postings import Postings
from ragkit.records import REFUSE, Golden, Hit, Outcome, Ranking, Rate
from ragkit.retrieve import BM25, Retrieve, query
from ragkit.signals import TOP
from ragkit.study import Study
from ragkit.system import System
from ragkit.systems import SYSTEMS

HYBRID = SYSTEMS["coverage-hybrid"]
KS = range(1, 11)
LOW = 2.0  # the floor that the design had before its gate
COMMON = 0.1  # a common word stands in a tenth of the chunks or more
BANDS = (0.0, 0.02, 0.05, COMMON, 0.25, 1.0)
WITH_TERMS = (("kestrel", "kestrel"), ("kestrel", "kestrel-probes"), ("clinic", "clinic"), ("clinic", "clinic-probes"))


# H10: another retriever under the same gate.
@dataclass(frozen=True)
class Blind:
    """Ranks all chunks in an order drawn for the question, whatever it says; every score is 1."""

    seed: int = 0

    def on(self, corpus: Corpus) -> Retrieve:
        def ranked(question: str, k: int) -> Ranking:
            order = random.Random(f"{self.seed} {question}").sample(corpus.chunks, len(corpus.chunks))
            return Ranking(question, tuple(Hit(chunk, 1.0) for chunk in order[:k]))

        return lambda questions, k: [ranked(question, k) for question in questions]


BACKENDS = (lab.PUBLISHED, HYBRID, replace(lab.PUBLISHED, name="random", retriever=Blind()))


def _same_verdicts() -> Found:
    study = lab.study()
    variants = {(s.name, k): study.outcomes(replace(s, k=k)) for s in BACKENDS for k in KS}
    base, other = (variants[name, lab.PUBLISHED.k] for name in ("coverage", "coverage-hybrid"))
    unknown = [n for n, row in enumerate(zip(*variants.values(), strict=True)) if "unknown-term" in _gates(row)]
    changed = (
        differ(variants.values()),
        differ([base, other]),
        differ([[outcomes[n] for n in unknown] for outcomes in variants.values()]),
    )
    of = (len(base), len(base), len(unknown))
    rows = [
        {
            "retriever": name, "k": k, "false answers": metrics.false_answers(outcomes),
            "false refusals": metrics.false_refusals(outcomes), "verdict unlike bm25, k 4": differ([base, outcomes]),
            **{gate: _gates(outcomes)[gate] for gate in ("unknown-term", "no-coverage", "below-floor", "no-match")},
        }
        for (name, k), outcomes in variants.items()
        if k in (min(KS), lab.PUBLISHED.k, max(KS))
    ]  # fmt: skip
    return Found(tuple(map(Figure.exact, changed, of)), rows)


def differ(variants: Iterable[Sequence[Outcome]]) -> int:
    """How many questions are answered by one and refused by another."""
    return sum(len({o.answer.outcome for o in row}) > 1 for row in zip(*variants, strict=True))


def _gates(outcomes: Iterable[Outcome]) -> Counter[str]:
    return Counter(o.answer.verdict.gate for o in outcomes if o.answer.outcome == REFUSE)


# H17: what BM25 gives for how much is shared.
@dataclass(frozen=True)
class Shared:
    """A question, its terms that the index has, its ideas that any document holds, and its BM25 score, 0 for none.

    Of a code that no document has, pieces may be in the index: terms without an idea.
    """

    row: Golden
    terms: tuple[str, ...]
    ideas: tuple[Concept, ...]
    score: float


def shared(study: Study) -> Iterator[Shared]:
    """What each row of a study shares with the documents."""
    corpus, scores = study.bot(lab.PUBLISHED).corpus, study.scores(TOP, lab.PUBLISHED)
    for row in study.rows:
        terms = tuple(term for term in query(row.question, corpus) if term in corpus.holders)
        ideas = tuple(idea for idea in concepts(row.question, corpus) if holding(idea, corpus))
        yield Shared(row, terms, ideas, max(scores[row.id], 0.0))


def lone(corpus: Corpus) -> list[tuple[float, float]]:
    """For each word of the documents the share of the chunks it stands in, and the highest score of a question that
    shares this word alone."""
    postings, of = Postings(corpus.terms, BM25()), len(corpus.chunks)
    return [(len(places) / of, float(postings.scores([t]).max())) for t, places in corpus.holders.items()]


def _honesty() -> Found:
    every = [each for name in ("kestrel-probes", "nulls") for each in shared(lab.study("kestrel", name))]
    none = [each.score for each in every if not each.terms]
    pieces = [each.score for each in every if each.terms and not each.ideas]
    one = [each.score for each in every if len(each.ideas) == 1 and not each.row.answerable]
    words = lone(lab.study().bot(lab.PUBLISHED).corpus)
    common = [score for share, score in words if share >= COMMON]
    figures = (
        Figure.exact(max(none), len(none)),
        Figure.of(_at_least(one)),
        Figure.exact(_at_least(common).value, len(common)),
    )
    rows = [
        _scored("questions that share no term", none),
        _scored("that share pieces of codes only", pieces),
        _scored("unanswerable, one shared idea", one),
    ]
    for low, high in pairwise(BANDS):
        within = [score for share, score in words if low <= share < high or share == high == 1]
        rows.append(_scored(f"one word, in {100 * low:.0f} to {100 * high:.0f} % of the chunks", within))
    return Found(figures, rows)


def _scored(label: str, scores: Sequence[float]) -> Row:
    return {
        "shared": label, "n": len(scores), "lowest": min(scores), "median": median(scores), "highest": max(scores),
        f"at least {LOW:g}": _at_least(scores),
    }  # fmt: skip


def _at_least(scores: Iterable[float]) -> Rate:
    marks = [score >= LOW for score in scores]
    return Rate(sum(marks), len(marks))


# H24: the term dictionary, shorter and longer.
SIZES = ("none", "odd half", "even half", "all")


def cut(folder: Folder, size: str) -> Folder:
    """The folder with a part of its term dictionary."""
    terms = {"none": (), "odd half": folder.terms[::2], "even half": folder.terms[1::2], "all": folder.terms}[size]
    return replace(folder, terms=terms)


def reworded(rows: Iterable[Golden], folder: Folder) -> Iterator[Golden]:
    """The answerable rows that hold a phrase of the term dictionary, with the term of its first such entry instead: the
    word that people use for what the documents call otherwise."""
    entries = [(term, phrase) for term, phrases in folder.terms for phrase in phrases]
    for row in rows:
        asked = ((t, re.compile(rf"\b{re.escape(p)}\b", re.IGNORECASE)) for t, p in entries if row.answerable)
        found = (phrase.sub(term, row.question) for term, phrase in asked if phrase.search(row.question))
        yield from (replace(row, question=question) for question in islice(found, 1))


def _asked(system: System, size: str, *, words: bool) -> list[Outcome]:
    """The outcomes with a part of the dictionary, of the questions as they are or reworded, each with its recall."""
    found = []
    for corpus, golden in WITH_TERMS:
        folder, rows = lab.study(corpus, golden).folder, lab.study(corpus, golden).rows
        rows = [*reworded(rows, folder)] if words else rows
        answers = system.on(cut(folder, size)).ask_all([row.question for row in rows])
        pairs = zip(rows, answers, strict=True)
        found += [Outcome(system.name, r, a, recall=evaluate.retrieved(r, a.ranking, system.k)[0]) for r, a in pairs]
    return found


def _dictionary() -> Found:
    made = {
        (words, system.name, size): _asked(system, size, words=words)
        for words in (True, False) for system in (lab.PUBLISHED, HYBRID) for size in SIZES
    }  # fmt: skip
    bm25, hybrid = ([made[True, s.name, size] for size in ("all", "none")] for s in (lab.PUBLISHED, HYBRID))
    losses = zip(lost(*bm25), lost(*hybrid), strict=True)
    gone = [n for n, (full, less) in enumerate(zip(*bm25, strict=True)) if _answers(full) and not _answers(less)]
    figures = (
        _mean([first - second for first, second in losses]),
        Figure.exact(sum(_answers(hybrid[1][n]) for n in gone), len(gone)),
        lab.change(*([not _answers(outcome) for outcome in outcomes] for outcomes in hybrid)),
    )
    rows = [
        {
            "questions": "reworded" if words else "as they are", "backend": name, "dictionary": size,
            "recall at 4": metrics.recall(outcomes).value, "false refusals": metrics.false_refusals(outcomes),
            "of these unknown-term": _gates(o for o in outcomes if o.golden.answerable)["unknown-term"],
        }
        for (words, name, size), outcomes in made.items()
    ]  # fmt: skip
    return Found(figures, rows)


def _answers(outcome: Outcome) -> bool:
    return not outcome.answer.verdict.refused


def lost(full: Sequence[Outcome], less: Sequence[Outcome]) -> list[float]:
    """The recall that each question with a source loses."""
    pairs = [(a.recall, b.recall) for a, b in zip(full, less, strict=True)]
    return [a - b for a, b in pairs if a is not None and b is not None]


def _mean(values: Sequence[float]) -> Figure:
    """The mean with its BCa bootstrap interval over questions."""
    return Figure(fmean(values), *resample.bca(values), len(values))


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "H10",
        "The gate asks the documents and not the index, so the verdict is the same whichever retriever is on.",
        "S0-21, S0-45, S0-67",
        "The published coverage gate on kestrel's 314 probes over BM25, the hybrid and a retriever that draws chunks "
        "at random with scores above the floor, k from 1 to 10; counted out, one question is enough to refute.",
        (
            Test("questions whose verdict depends on the retriever or on k", AtMost(0)),
            Test("the same between BM25 and hybrid at the published k", AtMost(0)),
            Test("of those that any of them refuses as unknown-term", AtMost(0)),
        ),
        _same_verdicts,
        "by construction for unknown-term; no-coverage depends on the hits; no fused score is below the floor",
    ),
    Claim(
        "H17",
        "BM25 is honest: what shares no word with the documents scores nothing, and what shares little scores low.",
        "S0-43",
        "Kestrel's probes and the null questions by how many of their ideas any document holds; then every word of the "
        f"documents as the only one that is shared. Low is below {LOW:g}, the design's own first floor.",
        (
            Test("highest score of a question that shares no term with the index", AtMost(0)),
            Test(f"unanswerable questions that share one idea and score {LOW:g} or more", AtMost(0.1)),
            Test("common words, in a tenth of the chunks or more, that score so alone", AtMost(0.1)),
        ),
        _honesty,
        "zero overlap gives 0.00, one shared common word up to 4.83",
    ),
    Claim(
        "H24",
        "The hybrid reduces the need for a term dictionary that is kept by hand; it does not remove it.",
        "S0-99",
        "The published gate on BM25 and on the hybrid, with all entries of the dictionary, every other one and none. "
        "Asked are the answerable questions of kestrel and clinic that hold a phrase of the dictionary, with the term "
        "in its place, by rule and so at times ungrammatical. The interval of a recall is by BCa bootstrap.",
        (
            Test("recall at 4 lost without the dictionary, BM25 less hybrid", Above()),
            Test("answers that BM25 loses to refusals without it and the hybrid keeps", AtLeast(1)),
            Test("larger share refused without it than with it, hybrid", Above()),
        ),
        _dictionary,
    ),
)
