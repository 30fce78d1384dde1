"""The forms of English words: stems, and whether two words are forms of one. The word lists lie in `ragkit/data/`."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from importlib import resources


def rows(name: str) -> list[list[str]]:
    """The rows of a word list in `ragkit/data/`, without its header."""
    text = resources.files("ragkit").joinpath("data", name).read_text("utf-8")
    return list(csv.reader(text.splitlines()))[1:]


@cache
def _irregular() -> dict[str, str]:
    return dict(rows("irregular.csv"))


@cache  # one memo for all analyzers
def _snowball() -> Callable[[str], str]:
    from snowballstemmer.english_stemmer import EnglishStemmer  # the pure one; stemmer("english") may hand out C code

    @lru_cache(maxsize=1 << 16)
    def stem(word: str) -> str:
        return str(EnglishStemmer().stemWord(_irregular().get(word, word)))  # it has state: one a word, for threads

    return stem


def _plural(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _front_desk(word: str) -> str:
    """The stemmer of a published front-desk bot: `ing` or `ed` off a word of more than four letters, then an `s`."""
    if len(word) > 4:
        word = next((word.removesuffix(end) for end in ("ing", "ed") if word.endswith(end)), word)
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _suffix(word: str) -> str:
    """The first ending of a list off a word that keeps three letters: what a careful afternoon gives. `lanes` is `lan`,
    and `price` is not one word with `prices`."""
    for end, instead in _SUFFIXES:
        if word.endswith(end) and not word.endswith("ss") and len(word) - len(end) + len(instead) >= 3:
            return word[: -len(end)] + instead
    return word


_SUFFIXES = (("ies", "y"), ("ied", "y"), ("ments", ""), ("ment", ""), ("ing", ""), ("es", ""), ("ed", ""), ("s", ""))

STEMMERS: dict[str, Callable[[], Callable[[str], str]]] = {
    "snowball": _snowball,
    "plural": lambda: _plural,
    "suffix": lambda: _suffix,
    "front-desk": lambda: _front_desk,
    "none": lambda: str,
}

# An ending, what may stand in its place, and the shortest base.
_INFLECTIONS = (
    ("ies", ("y", "ie"), 2), ("es", ("", "e"), 2), ("s", ("",), 2),
    ("ied", ("y", "ie"), 2), ("ed", ("", "e"), 2), ("ing", ("", "e"), 2),
)  # fmt: skip
# Left out on purpose are -ity, -ness, -ous, -ive, -ic and most of -al: they join business with busy.
_DERIVATIONS = (
    ("ment", ("",), 3), ("ation", ("", "e"), 4), ("ion", ("", "e"), 4), ("val", ("v", "ve"), 3), ("wal", ("w",), 3),
    ("able", ("", "e"), 4), ("ly", ("", "le"), 4), ("bility", ("ble",), 3),
)  # fmt: skip


def kin(a: str, b: str) -> bool:
    """Whether two words with one stem are forms of one word, and not two words that a stemmer threw together.

    They are when they have an inflection in common, or when one is derived from the other; two words derived from one
    base are not.

    >>> kin("carried", "carry"), kin("payments", "payment"), kin("cancellation", "cancelling")
    (True, True, True)
    >>> kin("university", "universal"), kin("business", "busy"), kin("conversation", "conversion")
    (False, False, False)
    """
    if a == b:
        return True
    ours, other = _inflected(a), _inflected(b)
    return not (ours.isdisjoint(other) and _derived(ours).isdisjoint(other) and _derived(other).isdisjoint(ours))


@lru_cache(maxsize=1 << 16)
def _inflected(word: str) -> frozenset[str]:
    """The word itself and what may stand under its inflection."""
    word = word.replace("-", "").replace("_", "").replace("&", "")
    word = _irregular().get(word, word)
    once = {word, *_without(word, _INFLECTIONS)}
    return frozenset(once.union(*(_without(base, _INFLECTIONS) for base in once)))


def _derived(words: frozenset[str]) -> set[str]:
    return {form for word in words for base in _without(word, _DERIVATIONS) for form in _inflected(base)}


def _without(word: str, endings: Sequence[tuple[str, tuple[str, ...], int]]) -> Iterator[str]:
    for ending, replacements, least in endings:
        base = word.removesuffix(ending)
        if base != word and len(base) >= least and not (ending == "s" and base.endswith("s")):
            yield from (base + replacement for replacement in replacements)
            if ending in ("ed", "ing", "ation") and len(base) > 3 and base[-1] == base[-2]:
                yield base[:-1]
