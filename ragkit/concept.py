"""The ideas of a question, and where a text holds one of them in any of its forms.

An idea is a content word, a code, or a code written in pieces (`KL 40X`). A text holds it through the same word in
another inflection, the code in another spelling, a phrase of the term dictionary, or, for a word that only says what
kind of value is asked for (`cost`), through a value of that kind.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from ragkit.records import Chunk
from ragkit.text import Analyzer, Word, joined, kin, rows


@dataclass(frozen=True, slots=True)
class Concept:
    """One idea as it was asked, and the phrases any of which stands for it, its own words first."""

    word: str
    phrases: tuple[tuple[Word, ...], ...]


class Vocabulary(Protocol):
    """What is asked of a corpus here, see `corpus.Corpus`."""

    analyzer: Analyzer

    @property
    def chunks(self) -> Sequence[Chunk]: ...
    @property
    def holders(self) -> Mapping[str, Sequence[int]]: ...
    @property
    def codes(self) -> frozenset[str]: ...
    @property
    def free(self) -> frozenset[str]: ...
    def words_of(self, chunk: Chunk) -> list[Word]: ...
    def meanings(self, word: Word) -> Iterator[tuple[Word, ...]]: ...


def concepts(question: str, corpus: Vocabulary) -> list[Concept]:
    """The distinct ideas of a question in the order they stand."""
    words, n, found = corpus.analyzer.words(question), 0, {}
    while n < len(words):
        size = _code_length(words[n:], corpus)
        if size > 1:
            code = _as_one(words[n : n + size], corpus.analyzer)
            found.setdefault(code.stem, Concept(code.form, ((code,),)))
        elif not words[n].stop:
            found.setdefault(words[n].stem, Concept(words[n].form, ((words[n],), *corpus.meanings(words[n]))))
        n += size
    return list(found.values())


def _code_length(words: Sequence[Word], corpus: Vocabulary) -> int:
    """How many of the first words make one code, 1 when they make none.

    Words that the corpus writes as one do. So does a word that the corpus has only as a piece of a code with the word
    after it: `QR 9` is a code of its own, and is not answered from `QR-7` and `bay 9`.
    """
    first = words[0]
    known = first.stem in corpus.holders
    for size in range(min(3, len(words)), 1, -1):
        stem = corpus.analyzer.stem(joined(words[:size]))
        if stem in corpus.codes or (stem in corpus.holders and not known and not first.stop):
            return size
    piece = known and first.stem not in corpus.free | corpus.codes and not first.stop
    return 2 if piece and len(words) > 1 and not words[1].stop else 1


def _as_one(words: Sequence[Word], analyzer: Analyzer) -> Word:
    """Neighbouring words as one code, as if they had been written with hyphens."""
    atoms = tuple(atom for word in words for atom in _atoms(word))
    return Word(" ".join(word.form for word in words), analyzer.stem(joined(words)), pieces=atoms)


class Passage:
    """A text laid out for looking ideas up: its words in order with codes taken apart, and its codes as one."""

    def __init__(self, words: Iterable[Word], text: str) -> None:
        words = list(words)
        self.text = text
        self.atoms = [atom for word in words for atom in _atoms(word)]
        self.codes = {word.stem: word.form for word in words if word.pieces}
        self._places: dict[str, list[int]] = {}
        for n, atom in enumerate(self.atoms):
            self._places.setdefault(atom.stem, []).append(n)

    def form(self, concept: Concept) -> str:
        """The form under which the text holds an idea, empty when it does not."""
        found = next(filter(None, map(self._phrase, concept.phrases)), "")
        return found or _value(concept, self.text)

    def _phrase(self, phrase: Sequence[Word]) -> str:
        if len(phrase) == 1 and (found := self._code(phrase[0])):
            return found
        atoms = [atom for word in phrase for atom in _atoms(word)]
        for start in self._places.get(atoms[0].stem, ()):
            here = self.atoms[start : start + len(atoms)]
            if len(here) == len(atoms) and all(map(_same, here, atoms)):
                return " ".join(atom.form for atom in here)
        return ""

    def _code(self, word: Word) -> str:
        """A code that the text writes as one, whichever side spelled it in pieces."""
        if word.stem in self.codes:
            return self.codes[word.stem]
        places = self._places.get(word.stem, ()) if word.pieces else ()
        return self.atoms[places[0]].form if places else ""


def passage(chunk: Chunk, corpus: Vocabulary) -> Passage:
    """A chunk with its headings, as a text to look ideas up in."""
    return Passage(corpus.words_of(chunk), f"{chunk.lead}\n{chunk.text}")


def holding(concept: Concept, corpus: Vocabulary) -> dict[int, str]:
    """The chunks that hold an idea: places in `corpus.chunks`, each with the form that stands there."""
    places = {n for phrase in concept.phrases for n in _candidates(phrase, corpus)}
    forms = ((n, passage(corpus.chunks[n], corpus).form(concept)) for n in sorted(places))
    values = ((n, _value(concept, chunk.text)) for n, chunk in enumerate(corpus.chunks)) if _kind(concept) else ()
    return {n: form for n, form in (*values, *forms) if form}


def _candidates(phrase: Sequence[Word], corpus: Vocabulary) -> set[int]:
    """The chunks that may hold a phrase: all its pieces, or the whole as one word."""
    whole = set(corpus.holders.get(phrase[0].stem, ())) if len(phrase) == 1 else set()
    atoms = [corpus.holders.get(atom.stem, ()) for word in phrase for atom in _atoms(word) if not atom.stop]
    return whole.union(set.intersection(*map(set, atoms)) if atoms else ())


def rarity(holders: int, chunks: int) -> float:
    """How much an idea tells: the BM25 weight ln(1 + (N - n + 0.5) / (n + 0.5)) of one held by n of N chunks."""
    return math.log(1 + (chunks - holders + 0.5) / (holders + 0.5))


def _atoms(word: Word) -> tuple[Word, ...]:
    return word.pieces or (word,)


def _same(a: Word, b: Word) -> bool:
    return a.stem == b.stem and kin(a.form, b.form)


def _value(concept: Concept, text: str) -> str:
    """A value of the kind that an idea such as `cost` asks for."""
    kind = _kind(concept)
    match = kind.search(text) if kind else None
    return match[0] if match else ""


def _kind(concept: Concept) -> re.Pattern[str] | None:
    return _kinds().get(concept.phrases[0][0].form)


@cache
def _kinds() -> dict[str, re.Pattern[str]]:
    found = {}
    for words, pattern in rows("kinds.csv"):
        found |= {form: re.compile(pattern, re.IGNORECASE) for word in words.split("|") for form in (word, f"{word}s")}
    return found
