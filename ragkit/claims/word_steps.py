"""H7 and H8: the steps that cut words for the published coverage rule, and stemmers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from ragkit.claims import lab
from ragkit.claims.claim import Above, AtLeast, AtMost, Claim, Figure, Found, Row, Test
from ragkit.claims.coverage_rule import CORPORA, errors, everywhere
from ragkit.forms import STEMMERS, kin
from ragkit.records import Outcome, Rate
from ragkit.studies import experiment
from ragkit.studies.mutations import OneSided
from ragkit.system import System
from ragkit.text import Analyzer

if TYPE_CHECKING:
    from ragkit.corpus import Corpus

ENOUGH = 0.05  # what is enough may fail once in twenty

STEPS = tuple(label for label in experiment.STEPS if label != "nothing")


def without(step: str, system: System = lab.PUBLISHED) -> System:
    """A system with one step of `experiment.STEPS` left out of its analyzer."""
    changed, full = experiment.STEPS[step], Analyzer()
    parts = {f.name: getattr(changed, f.name) for f in fields(full)}
    left_out = {name: value for name, value in parts.items() if value != getattr(full, name)}
    return replace(system, analyzer=replace(system.analyzer, **left_out))


def _steps() -> Found:
    whole = everywhere(lab.PUBLISHED)
    cut = {step: everywhere(without(step)) for step in STEPS}
    figures = tuple(refused_more(whole, each) for each in cut.values())
    rows: list[Row] = [
        {"left out": step, **errors(each), "newly refused": turned(whole, each)}
        for step, each in {"nothing": whole, **cut}.items()
    ]
    return Found(figures, rows)


def refused_more(before: Sequence[Outcome], after: Sequence[Outcome]) -> Figure:
    """How much larger the share of answerable questions that are refused is after than before."""
    sides = ([o.answer.verdict.refused for o in side if o.golden.answerable] for side in (before, after))
    return lab.change(*sides)


def vocabulary(corpus: Corpus) -> list[str]:
    """The words of a corpus that are neither codes nor stop words, as written, in the order of the alphabet."""
    cut = corpus.analyzer.words
    words = (form for form, code in corpus.spelled.items() if form.isalpha() and not code)
    return sorted(form for form in words if len(form) > 2 and not any(word.stop for word in cut(form)))


def plurals(words: Sequence[str]) -> list[tuple[str, str]]:
    """The words that stand there with an `s` too, by the rules of spelling and by no stemmer: battery, batteries."""
    known = set(words)
    pairs = ((word, _with_s(word)) for word in words)
    return [pair for pair in pairs if pair[1] in known]


def _with_s(word: str) -> str:
    if re.search("[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return word + ("es" if re.search("(s|x|z|ch|sh)$", word) else "s")


def joined(pairs: Sequence[tuple[str, str]], stem: Callable[[str], str]) -> Rate:
    """The pairs that have one stem."""
    return Rate(sum(stem(a) == stem(b) for a, b in pairs), len(pairs))


def collided(words: Sequence[str], stem: Callable[[str], str]) -> Rate:
    """The words that share their stem with a word that is no form of them."""
    filed: defaultdict[str, list[str]] = defaultdict(list)
    for word in words:
        filed[stem(word)].append(word)
    return Rate(sum(any(not kin(word, other) for other in filed[stem(word)]) for word in words), len(words))


def _stemmers() -> Found:
    known = [vocabulary(lab.study(name, name).bot(lab.PUBLISHED).corpus) for name in CORPORA]
    pairs = sorted({pair for words in known for pair in plurals(words)})
    words, rows = sorted({word for each in known for word in each}), []
    made = {name: everywhere(_stemmed(name)) for name in STEMMERS}
    for name, stemmer in STEMMERS.items():
        stem = stemmer()
        one = {"stemmer": name, "joined": joined(pairs, stem), "collided": collided(words, stem)}
        rows.append(one | errors(made[name]) | {"refused, not by snowball": turned(made["snowball"], made[name])})
    one_sided = everywhere(OneSided(**vars(lab.PUBLISHED)))
    rows.append({"stemmer": "suffix, questions only", **errors(one_sided)})
    suffix = STEMMERS["suffix"]()
    figures = (
        Figure.of(joined(pairs, suffix)),
        Figure.of(collided(words, suffix)),
        refused_more(made["snowball"], made["suffix"]),
        refused_more(made["suffix"], one_sided),
    )
    return Found(figures, rows)


def _stemmed(stemmer: str) -> System:
    return replace(lab.PUBLISHED, analyzer=replace(lab.PUBLISHED.analyzer, stemmer=stemmer))


def turned(before: Sequence[Outcome], after: Sequence[Outcome], most: int = 6) -> str:
    """How many answerable rows are refused after and not before, and the ids of the first."""
    pairs = [pair for pair in zip(before, after, strict=True) if pair[0].golden.answerable]
    ids = [b.golden.id for a, b in pairs if b.answer.verdict.refused > a.answer.verdict.refused]
    return ": ".join(filter(None, (str(len(ids)), ", ".join(ids[:most]) + " ..." * (len(ids) > most))))


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "H7",
        "Each step that cuts words is needed: without it questions are refused that the documents answer.",
        "S0-32..37",
        "The published rule with one step of its analyzer left out at a time, on all our golden files: how much the "
        "share of answerable questions that are refused rises, on the same questions.",
        tuple(Test(f"more false refusals when left out: {step}", Above(0)) for step in STEPS),
        _steps,
        reported="without quantifiers and generic verbs 2 false refusals, contractions 1, stemming 1, dictionary 2",
    ),
    Claim(
        "H8",
        "A crude stemmer is enough as long as it is the same for documents and questions.",
        "S0-38",
        "A list of suffixes, the crude stemmer, over the words of our three corpora that stand there with and without "
        "an s, and as the published rule's stemmer on all our golden files beside Snowball and beside itself on "
        "questions only. Enough is what fails at most once in twenty.",
        (
            Test("pairs of a word with and without s that it joins", AtLeast(1 - ENOUGH)),
            Test("words that it throws together with a word that is no form of them", AtMost(ENOUGH)),
            Test("more false refusals than with Snowball", AtMost(ENOUGH)),
            Test("more false refusals with it on questions only", Above(0)),
        ),
        _stemmers,
        reported="5 of 24 pairs not joined (price, device); a question on dead lanes is refused for lan",
    ),
)
