"""The one way a text is cut into words: for indexing, asking, gating and checking alike.

English. A word is a run of letters and digits; a code such as `KX-Code`, `QR7` or `Wi-Fi` is one word that also has
pieces. Nothing is dropped for being short. The word lists lie in `ragkit/data/`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from html import unescape
from itertools import accumulate

from ragkit.forms import STEMMERS, kin, rows
from ragkit.records import BadInput

STOP_KINDS = ("function", "quantifier", "generic")
DICTIONARIES = ("word", "substring", "none")

_DASHES = str.maketrans({"\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2212": "-", "\u00ad": None})
_QUOTES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\u0060\u00b4\u2032\u201b\u1fbf\u2035\u02b9\ua78c\uff07", "'"))
_ACCENTS = re.compile("[\u0300-\u036f]")
_WORD = re.compile(
    r"(?<![^\W_])[^\W\d_](?:\+\+|#)"  # C++, C#
    r"|\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![^\W_])"  # 5,120.50
    r"|\d+(?:\.\d+)+(?![^\W_])"  # 2.5 and 1.20.3
    r"|[^\W_]+(?:(?:[-'_&]|(?<=\d)\.(?=\d))[^\W_]+)*"  # words, codes, v4.2
)
CODE = r"^ {0,3}(?P<fence>`{3,}|~{3,}).*?(?:^ {0,3}(?P=fence)|\Z)|(?<!`)(?P<tick>`+)(?!`).+?(?<!`)(?P=tick)(?!`)"
_MARKUP = re.compile(
    rf"(?P<code>{CODE})"
    r"|<!--.*?(?:-->|\Z)"  # a comment
    r"|!?\[(?P<said>[^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)"  # a link or picture
    r"|</?[a-zA-Z][a-zA-Z0-9-]*(?:\s[^<>]*)?/?>",  # a tag
    re.DOTALL | re.MULTILINE,
)
_PIECE = re.compile(r"\d+|[^\W\d_]+")
_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9£$€])")


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

    def speaks(self, text: str) -> bool:
        """Whether a text holds anything but stop words."""
        tokens = (match[0] for match in _WORD.finditer(fold(text)))
        return any(not word.stop for token in tokens for word in self._cut(token))

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
            if apart and len(here) == len(wanted) and all(map(same, here, wanted)):
                return " ".join(atom.form for atom in here)
        return ""

    def _code(self, word: Word) -> str:
        places = self._places.get(word.stem, ()) if word.pieces else ()
        return self._codes.get(word.stem, "") or (self._atoms[places[0]].form if places else "")


def same(a: Word, b: Word) -> bool:
    """Whether two words are forms of one word."""
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
    """What a reader sees of a Markdown text: no comments, tags, link targets or pictures, but their descriptions; code
    is left as it is.

    >>> visible("See ![the plan](a.png) and [form F-1](b.pdf).<br><!-- old -->&nbsp;")
    'See the plan and form F-1.   '
    """
    text = _MARKUP.sub(lambda found: found["code"] or found["said"] or " ", markdown)
    return unescape(text).replace("\xa0", " ") if "&" in text else text


def expand(token: str) -> str:
    """A contraction written out; anything else as it is.

    >>> expand("won't"), expand("haven't"), expand("desk's"), expand("o'brien")
    ('will not', 'have not', 'desk', "o'brien")
    """
    table = _contractions()
    if token in table or "'" not in token:
        return table.get(token, token)
    ending = next((end for end in table if end.startswith(("'", "n'")) and token.endswith(end)), "")
    head = token.removesuffix(ending)
    return f"{expand(head)} {table[ending]}".strip() if ending and head else token


@cache
def _contractions() -> dict[str, str]:
    return dict(rows("contractions.csv"))


def split(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text, each with its offset.

    >>> list(split("See No. 5, e.g. on leave. It says 25."))
    [(0, 'See No. 5, e.g. on leave.'), (26, 'It says 25.')]
    """
    start = 0
    ends = (m.end() for m in _END.finditer(text) if not _abbreviated(text, m))
    for end in (*ends, len(text)):
        if sentence := text[start:end].strip():
            yield start + (len(text[start:end]) - len(text[start:end].lstrip())), sentence
        start = end


def _abbreviated(text: str, gap: re.Match[str]) -> bool:
    """Whether the full stop before a gap belongs to an abbreviation or an initial and ends no sentence."""
    before_gap = text[max(0, gap.start() - 64) : gap.start()]
    word = re.search(r"([^\W\d_]+)\.$", before_gap)
    if word is None or not gap[0].isspace():
        return False
    if re.search(r"(?:\b[^\W\d_]\.){2,}$", before_gap):  # e.g., U.S.
        return True
    before = "any" if len(word[1]) == 1 and word[1].isupper() else _abbreviations().get(word[1].casefold())
    return before == "any" or (before == "digit" and text[gap.end()].isdigit())


@cache
def _abbreviations() -> dict[str, str]:
    """Abbreviations, and whether they are such before anything or only before a digit: `No. 5`."""
    return {word: before for word, before in rows("abbreviations.csv")}
