"""The one way a text is cut into words: for indexing, asking, gating and checking alike.

English. A word is a run of letters and digits; a code such as `KX-Code`, `QR7` or `Wi-Fi` is one word that also has
pieces. Nothing is dropped for being short. The word lists lie in `ragkit/data/`.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from html import unescape
from importlib import resources
from itertools import accumulate

from ragkit.records import BadInput

STOP_KINDS = ("function", "quantifier", "generic")
DICTIONARIES = ("word", "substring", "none")

_DASHES = str.maketrans({"\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2212": "-", "\u00ad": None})
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u0060": "'", "\u00b4": "'"})
_ACCENTS = re.compile("[\u0300-\u036f]")
_WORD = re.compile(
    r"(?<![^\W_])[^\W\d_](?:\+\+|#)"  # C++, C#
    r"|\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![^\W_])"  # 5,120.50
    r"|\d+(?:\.\d+)+(?![^\W_])"  # 2.5 and 1.20.3
    r"|[^\W_]+(?:[-'_&][^\W_]+)*"
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TARGET = re.compile(r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]*>")
_PIECE = re.compile(r"\d+|[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word as written in lower case, the stem it is filed under, and for a code its pieces."""

    form: str
    stem: str
    stop: bool = False
    pieces: tuple[Word, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Analyzer:
    """How words are cut. Frozen, so that index and question can not be cut in two ways.

    `stemmer` is a name in `STEMMERS`; `stop` are the kinds of words left out (`STOP_KINDS`); with `contractions` off an
    apostrophe splits a word, which leaves the scraps (`isn`, `ve`) that notebook 01 shows. `dictionary` says how a word
    is looked up in a corpus's term dictionary: as a whole word, not at all, or, to show what it breaks, as `substring`.
    """

    stemmer: str = "snowball"
    contractions: bool = True
    stop: tuple[str, ...] = STOP_KINDS
    dictionary: str = "word"

    def __post_init__(self) -> None:
        if self.dictionary not in DICTIONARIES:
            raise BadInput(f"dictionary {self.dictionary!r}: unknown; use one of {', '.join(DICTIONARIES)}")
        if self.stemmer not in STEMMERS:
            raise BadInput(f"stemmer {self.stemmer!r}: unknown; use one of {', '.join(STEMMERS)}")
        if unknown := set(self.stop) - set(STOP_KINDS):
            raise BadInput(f"stop {sorted(unknown)}: unknown; use some of {', '.join(STOP_KINDS)}")

    def words(self, text: str) -> list[Word]:
        """Every word of the text in order, stop words among them."""
        return [word for token in _WORD.findall(fold(text)) for word in self._cut(token)]

    def terms(self, text: str) -> list[str]:
        """What is indexed: the stems of the words that are not stop words, a code whole and in pieces."""
        return [stem for word in self.words(text) for stem in stems(word)]

    def code(self, form: str, words: Iterable[Word]) -> Word:
        """Words as one code. One with a digit has no other forms: `KL-40S` is not the plural of `KL-40`."""
        pieces = tuple(atom for word in words for atom in atoms(word))
        whole = "".join(piece.form for piece in pieces)
        return Word(form, self.stem(whole) if whole.isalpha() else whole, pieces=pieces)

    def _cut(self, token: str) -> tuple[Word, ...]:
        found = self._memo.get(token)
        if found is None:
            found = self._memo[token] = tuple(map(self._word, self._parts(token)))
        return found

    def _parts(self, token: str) -> list[str]:
        if not self.contractions:
            return token.split("'")
        spelled = expand(token)
        return [spelled.replace("'", "-")] if spelled == token else spelled.split()

    def _word(self, token: str) -> Word:
        token = token.replace(",", "")
        pieces = [] if "." in token or "#" in token or "+" in token else _PIECE.findall(token)
        if len(pieces) < 2:
            return Word(token, self.stem(token), self._stops.get(token) in self.stop)
        return self.code(token, map(self._word, pieces))

    @cached_property
    def _memo(self) -> dict[str, tuple[Word, ...]]:
        return {}

    @cached_property
    def _stops(self) -> dict[str, str]:
        return dict(rows("stopwords.csv"))

    @cached_property
    def stem(self) -> Callable[[str], str]:
        """The stem of one word as folded."""
        return STEMMERS[self.stemmer]()


def stems(word: Word) -> Iterator[str]:
    """The index terms of one word: none for a stop word, a code whole and in pieces."""
    if not word.stop:
        yield word.stem
        for piece in word.pieces:
            yield from stems(piece)


def atoms(word: Word) -> tuple[Word, ...]:
    """The pieces of a code, any other word itself."""
    return word.pieces or (word,)


class Passage:
    """A text laid out for looking phrases up: its words in order with codes taken apart, and its codes as one."""

    def __init__(self, words: Iterable[Word], text: str) -> None:
        words = list(words)
        self.text = text
        self._atoms = [atom for word in words for atom in atoms(word)]
        self._edges = {0, *accumulate(len(atoms(word)) for word in words)}
        self._codes = {word.stem: word.form for word in words if word.pieces}
        self._places: dict[str, list[int]] = {}
        for n, atom in enumerate(self._atoms):
            self._places.setdefault(atom.stem, []).append(n)

    def find(self, phrase: Sequence[Word]) -> str:
        """The form in which a phrase stands here, empty when it does not: its words in a row, each in any form of the
        same word, or a code as one word, whichever side spelled it in pieces."""
        if len(phrase) == 1 and (code := self._code(phrase[0])):
            return code
        wanted = [atom for word in phrase for atom in atoms(word)]
        whole = any(word.pieces and not word.stem.isalpha() for word in phrase)  # KL-40 does not stand in KL-40X
        for start in self._places.get(wanted[0].stem, ()):
            here = self._atoms[start : start + len(wanted)]
            apart = not whole or {start, start + len(wanted)} <= self._edges
            if apart and len(here) == len(wanted) and all(map(_same, here, wanted)):
                return " ".join(atom.form for atom in here)
        return ""

    def _code(self, word: Word) -> str:
        places = self._places.get(word.stem, ()) if word.pieces else ()
        return self._codes.get(word.stem, "") or (self._atoms[places[0]].form if places else "")


def _same(a: Word, b: Word) -> bool:
    return a.stem == b.stem and kin(a.form, b.form)


def fold(text: str) -> str:
    """One spelling for letters that look alike: NFKC, lower case, plain hyphens and apostrophes, no accents.

    >>> fold("Crème brûlée, TK\u2011Badge, isn\u2019t")
    "creme brulee, tk-badge, isn't"
    """
    text = unicodedata.normalize("NFKC", text.translate(_QUOTES)).translate(_DASHES).casefold()
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))


def visible(markdown: str) -> str:
    """What a reader sees of a Markdown text: no comments, tags, link targets or pictures, but their descriptions.

    >>> visible("See ![the plan](a.png) and [form F-1](b.pdf).<br><!-- old -->&nbsp;")
    'See the plan and form F-1.  '
    """
    text = _TAG.sub(" ", _TARGET.sub(r"\1", _COMMENT.sub("", markdown)))
    return unescape(text).replace("\xa0", " ") if "&" in text else text


def expand(token: str) -> str:
    """A contraction written out; anything else as it is.

    >>> expand("won't"), expand("haven't"), expand("desk's"), expand("o'brien")
    ('will not', 'have not', 'desk', "o'brien")
    """
    table = _contractions()
    if token in table:
        return table[token]
    ending = next((end for end in table if end.startswith(("'", "n'")) and token.endswith(end)), "")
    head = token.removesuffix(ending)
    return f"{expand(head)} {table[ending]}".strip() if ending and head else token


# --- stems -------------------------------------------------------------------------------------------------------


@cache  # one memo for all analyzers
def _snowball() -> Callable[[str], str]:
    from snowballstemmer.english_stemmer import EnglishStemmer  # the pure one; stemmer("english") may hand out C code

    stem = EnglishStemmer().stemWord
    return lru_cache(maxsize=1 << 16)(lambda word: stem(_irregular().get(word, word)))


def _plural(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


STEMMERS: dict[str, Callable[[], Callable[[str], str]]] = {
    "snowball": _snowball,
    "plural": lambda: _plural,
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


@cache
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


# --- word lists --------------------------------------------------------------------------------------------------


def rows(name: str) -> list[list[str]]:
    """The rows of a word list in `ragkit/data/`, without its header."""
    text = resources.files("ragkit").joinpath("data", name).read_text("utf-8")
    return list(csv.reader(text.splitlines()))[1:]


@cache
def _contractions() -> dict[str, str]:
    return dict(rows("contractions.csv"))


@cache
def _irregular() -> dict[str, str]:
    return dict(rows("irregular.csv"))
