"""The ideas of a question, and where a text holds one of them in any of its forms.

An idea is a content word, a code, or a code written in pieces (`KL 40X`). A text holds it through the same word in
another inflection, the code in another spelling, a phrase of the term dictionary, or, for a word that only says what
kind of value is asked for (`cost`), through a value of that kind.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from typing import TYPE_CHECKING, TypeVar

from ragkit.forms import rows
from ragkit.records import Chunk
from ragkit.text import Passage, Word, atoms, same

if TYPE_CHECKING:
    from ragkit.corpus import Corpus

K = TypeVar("K")
V = TypeVar("V")
MOST = 10_000  # things remembered of one kind


@dataclass(frozen=True, slots=True)
class Concept:
    """One idea as it was asked, and the phrases any of which stands for it, its own words first."""

    word: str
    phrases: tuple[tuple[Word, ...], ...]


def remembered(function: Callable[[K, Corpus], V]) -> Callable[[K, Corpus], V]:
    """Works a thing out once a corpus, and forgets it with the corpus."""

    @wraps(function)
    def recalled(thing: K, corpus: Corpus) -> V:
        memo: dict[K, V] = corpus.memo.setdefault(function, {})
        if len(memo) >= MOST:
            memo.clear()
        value = memo.get(thing)
        if value is None:
            value = memo[thing] = function(thing, corpus)
        return value

    return recalled


@remembered  # retrieval, gates, signals and answers all ask for the ideas of the same question
def concepts(question: str, corpus: Corpus) -> tuple[Concept, ...]:
    """The distinct ideas of a question in the order they stand."""
    words, n = corpus.analyzer.words(question), 0
    found: list[Concept] = []
    twins: dict[str, list[Word]] = {}  # the words so far by their stem
    while n < len(words):
        code, size = _code(words[n : n + 3], corpus)
        word = code or words[n]
        n += size
        if not word.stop and not any(same(word, other) for other in twins.get(word.stem, ())):
            found.append(Concept(word.form, ((word,), *(() if code else corpus.meanings(word)))))
            twins.setdefault(word.stem, []).append(word)
    return tuple(found)


def _code(words: Sequence[Word], corpus: Corpus) -> tuple[Word | None, int]:
    """The first few words as one code, and how many they are; None and 1 when they are none.

    Words that the corpus writes as one are. So is a word that the corpus has only as a piece of codes together with the
    word after it, when codes go on like that, with a number or with letters: `QR 9` is a code of its own, and is not
    answered from `QR-7` and `bay 9`.
    """
    first = words[0]
    known = first.stem in corpus.holders
    for size in range(len(words), 1, -1):
        is_code = corpus.spelled.get("".join(atom.form for word in words[:size] for atom in atoms(word)))
        if is_code or (is_code is False and not known and not first.stop):
            return _as_one(words[:size], corpus), size
    bound = known and first.stem not in corpus.free and not first.stop
    if bound and len(words) > 1 and not words[1].stop:
        after = atoms(words[1])[0].form.isdigit()
        return (_as_one(words[:2], corpus), 2) if after in corpus.continues.get(first.stem, ()) else (None, 1)
    return None, 1


def _as_one(words: Sequence[Word], corpus: Corpus) -> Word:
    return corpus.analyzer.code(" ".join(word.form for word in words), words)


def form(concept: Concept, chunk: Chunk, corpus: Corpus) -> str:
    """The form under which a chunk of the corpus holds an idea, empty when it does not."""
    return holding(concept, corpus).get(corpus.places.get(chunk.id, -1), "")


def form_in(concept: Concept, passage: Passage) -> str:
    """The form under which any text holds an idea, empty when it does not."""
    return next(filter(None, map(passage.find, concept.phrases)), "") or _value(concept, passage.text)


@remembered
def holding(concept: Concept, corpus: Corpus) -> dict[int, str]:
    """The chunks that hold an idea: places in `corpus.chunks`, each with the form that stands there."""
    found = {n: form for phrase in reversed(concept.phrases) for n, form in corpus.find(phrase).items()}
    if kind := _kind(concept):
        found = {n: match[0] for n, text in enumerate(corpus.texts) if (match := kind.search(text))} | found
    return found


def rarity(holders: int, chunks: int) -> float:
    """How much an idea tells: the BM25 weight ln(1 + (N - n + 0.5) / (n + 0.5)) of one held by n of N chunks."""
    return math.log(1 + (chunks - holders + 0.5) / (holders + 0.5))


def _value(concept: Concept, text: str) -> str:
    """A value of the kind that an idea such as `cost` asks for."""
    kind = _kind(concept)
    match = kind.search(text) if kind else None
    return match[0] if match else ""


def _kind(concept: Concept) -> re.Pattern[str] | None:
    return _kinds().get(concept.phrases[0][0].form)


@cache
def _kinds() -> dict[str, re.Pattern[str]]:
    found: dict[str, re.Pattern[str]] = {}
    for words, pattern in rows("kinds.csv"):
        found |= {form: re.compile(pattern, re.IGNORECASE) for word in words.split("|") for form in (word, f"{word}s")}
    return found
