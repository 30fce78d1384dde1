"""Whether a free text refuses, read from its wording: for a system that is not ours and returns nothing else.

English and German, by the phrases in `ragkit/data/refusals.csv`. Our own systems state their outcome, and it is never
read from words. How often the reading is wrong is measured on `golden/detect/`; print `told()` wherever it was used.

A phrase is words in a row: `a|b` is either, a name in capitals a list of words, `-ordnung` a German compound with that
head, `*` up to eight words within a clause, `**` up to fourteen across commas, `^` the start of a clause.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from ragkit.files import ROOT, read_text
from ragkit.forms import rows
from ragkit.records import Rate
from ragkit.tables import number
from ragkit.text import expand, fold

LABELLED = ROOT / "golden" / "detect" / "refusals.csv"

_DOUBLE = re.compile("[\u201c-\u201f\u00ab\u00bb\u2039\u203a\u301d\u301e]")
_CITED = re.compile(r"\[[^\[\]]{0,24}\]|\u3010[^\u3010\u3011]{0,24}\u3011|\(\s*(?:[^()\s]+(?:\s+[^()\s]+){0,2})?\s*\)")
_LISTED = re.compile(r"(?<=[.!?\])])\s+(?:sources?|references?|quellen?|belege?)\s*:.*", re.DOTALL)
_SAID = r"(?:[^'\"]|(?<=\w)'(?=\w)){1,300}"
_QUOTED = re.compile(rf"\"[^\"]{{1,300}}\"|(?<!\w)'{_SAID}'(?!\w)")
_ALL_QUOTED = re.compile(rf"(^|:)\s*([\"'])({_SAID})\2[\s.]*$")
_END = re.compile(r"((?<![.!?-])[.!?;:-](?<!\S-)[.!?-]*)(?=[\s\"')*_]|$)")
_SHORT = re.compile(r"(?<![^\W_])[^\W_]+'[^\W_]+")
_TOKEN = re.compile(r"[^\W_]+(?:[-'./][^\W_]+)*|,")
_RELATIVE = re.compile(
    r"(?<=[^ ,]) (?:who|which|that) (?:do|does|did|is|are|was|were|can|could|have|has|will) not(?= )"
)
_INSET = re.compile(r" , (?:die|der|das|dem|den|deren|dessen|who|which|whose) [^,]* ,(?= )")
_GAPS = {"*": r"(?: [^ ,]+){0,8}?", "**": r"(?: [^ ]+){0,14}?", "^": "^"}

_IS = re.compile(r"^(that|there|it|what|who|here)'s$")
_DIGIT = re.compile(r"\d")
_SHAPES = {
    "turn": r" ,(?:{0})(?= )| but(?= )",
    "aside": r"(?: ,)?(?:{0})(?: ,)?(?= )",
    "lead": r"(?:{0}) [^,]*,",
    "mid": r"(?<=[^ ,])(?:{0}) [^,]*(?= )",
    "whole": r"^(?:{0}) $",
    "fault": r"^(?:{0})(?= )",
}

_PLAIN = "(?:{0})(?= )"
REFUSAL, FINAL, ASKING, FILLER, FACT = "refusal", "final", "asking", "filler", "fact"
ROLES = (FINAL, "whole", REFUSAL, ASKING, FILLER)  # the stronger first


class Part(NamedTuple):
    """A part of a text by what it does, with the words that show it; of a fact all its words."""

    does: str
    words: str


def refused(text: str) -> bool:
    """Whether a text gives nothing of what was asked and says so, or asks back instead.

    A text that also states a fact is an answer: whether that fact was asked for can not be seen without the question.
    False is not yet an answer: an empty text and the error text of a service are False too, and the caller's to count
    as errors.

    >>> refused("The handbook [1] does not say."), refused("No, dogs are not allowed."), refused("")
    (True, False, False)
    """
    return bool(why(text))


def why(text: str) -> str:
    """The words that made a text a refusal, folded and written out; empty when it is none.

    >>> why("I’m sorry, the leaflet doesn’t mention dogs."), why("Not before 9.")
    ('leaflet does not mention', '')
    """
    parts = list(_parts(text))
    facts = [n for n, part in enumerate(parts) if part.does == FACT]
    asking = [part for part in parts if part.does == ASKING]
    deciding = [part for part in parts if part.does in (REFUSAL, FINAL)]
    if deciding and facts:
        deciding = [part for part in parts[facts[-1] :] if part.does == FINAL]
    elif not deciding and len(facts) < 2 and not any(_DIGIT.search(parts[n].words) for n in facts):
        deciding = asking
    return deciding[0].words if deciding else ""


def _parts(text: str) -> Iterator[Part]:
    """What each part of a text does; nothing when no phrase can decide, nor for the error text of a service."""
    clauses = list(_clauses(text))
    decides = any(_likely(set(clause.split()), ROLES[:-1]) for clause, _ in clauses)
    if decides and not _rule("fault").search(clauses[0][0]):
        for clause, end in clauses:
            for part in _rule("turn").split(clause):
                yield from _read(_bare(part), end)


def _clauses(text: str) -> Iterator[tuple[str, str]]:
    """The words of each clause and the sign after it, without citations, and `quoted` for whatever is quoted."""
    text = fold(_DOUBLE.sub('"', text)).replace("\u2014", " - ")
    text = _CITED.sub(" ", text).replace("cannot", "can not")
    if ":" in text:
        text = _LISTED.sub("", text)
    if '"' in text or "'" in text:
        text = _QUOTED.sub(" quoted ", _ALL_QUOTED.sub(r"\1 \3", text))
        text = _SHORT.sub(lambda found: _written_out(found[0]), text)
    parts = _END.split(text.replace("(", ",").replace(")", ","))
    for clause, end in zip(parts[::2], [*parts[1::2], ""], strict=True):
        yield f" {' '.join(_TOKEN.findall(clause))} ", end[:1]


def _written_out(token: str) -> str:
    return _IS.sub(r"\1 is", token) if _IS.match(token) else expand(token)


def _bare(part: str) -> str:
    """A part without asides, conditions, indirect questions and relative clauses: their words decide nothing."""
    words = set(part.split())
    part = _cut("aside", words, _cut("harmless", words, part.rstrip() + " "))
    if "," in words:
        part = _INSET.sub("", part)
        main = _rule("lead").match(part) and part.partition(",")[2]
        part = main or part
    return _cut("mid", words, _RELATIVE.sub("", part) if "not" in words else part)


def _cut(role: str, words: set[str], part: str) -> str:
    return part if words.isdisjoint(_ends(role)) else _rule(role).sub("", part)


def _read(part: str, end: str) -> Iterator[Part]:
    """What a part does; after a refusal a further clause with a number is a fact."""
    role, found = _found(part)
    words = part.replace(",", " ").split()
    if found and role != FILLER:
        yield Part(REFUSAL if role == "whole" else role, found[0].strip())
        for clause in part[found.end() :].split(" ,")[1:]:
            if _DIGIT.search(clause) and not _rule("lead").match(clause + " ,"):
                yield Part(FACT, clause.strip())
    elif not found and end != "?" and (len(words) > 1 or _DIGIT.search(part)) and not (end == ":" and len(words) < 8):
        yield Part(FACT, " ".join(words))


def _found(part: str) -> tuple[str, re.Match[str] | None]:
    """The strongest role that a phrase in a part has, and its first match."""
    tried = [(p.role, p.pattern.search(part)) for p in _likely(set(part.split()), ROLES)]
    found = [(role, match) for role, match in tried if match]
    return min(found, key=lambda f: (ROLES.index(f[0]), f[1].start(), -f[1].end()), default=("", None))


def _likely(words: set[str], roles: Iterable[str]) -> list[_Phrase]:
    """The phrases of some roles that have a word for each of their steps."""
    index = _index()
    phrases = {phrase for word in index.keys() & words for phrase in index[word] if phrase.role in roles}
    return [phrase for phrase in phrases if not any(map(words.isdisjoint, phrase.needs))]


@dataclass(frozen=True, eq=False)
class _Phrase:
    """A phrase as an expression; it can only match where one word of each of its needs is."""

    role: str
    pattern: re.Pattern[str]
    needs: tuple[frozenset[str], ...]


@cache
def _index() -> dict[str, list[_Phrase]]:
    """Every phrase that gives a part its role, under the words of the step with the longest: they are rare."""
    index: dict[str, list[_Phrase]] = {}
    for role in ROLES:
        for phrase in _phrases(role):
            made = _Phrase(role, re.compile(_SHAPES.get(role, _PLAIN).format(_expression(phrase))), _needs(phrase))
            for word in max(made.needs, key=lambda words: min(map(len, words))):
                index.setdefault(word, []).append(made)
    return index


def _needs(phrase: list[str]) -> tuple[frozenset[str], ...]:
    """For each step of a phrase the words one of which must be there; steps that allow compounds are left out."""
    steps = [{word.rpartition(" ")[2] for word in _words(step)} for step in phrase]
    return tuple(frozenset(words) for words in steps if words and not any(word[0] == "-" for word in words))


@cache
def _ends(role: str) -> frozenset[str]:
    return frozenset(word for phrase in _phrases(role) for word in _needs(phrase)[-1])


@cache
def _rule(role: str) -> re.Pattern[str]:
    """All phrases of a role as one expression over words with a space before and after each."""
    return re.compile(_SHAPES.get(role, _PLAIN).format("|".join(map(_expression, _phrases(role)))))


def _phrases(role: str) -> list[list[str]]:
    return [phrase.split() for _, name, phrase in rows("refusals.csv") if name == role]


def _expression(phrase: Iterable[str]) -> str:
    return "".join(_GAPS.get(step) or f" (?:{'|'.join(sorted(map(_open, _words(step))))})" for step in phrase)


def _open(word: str) -> str:
    return rf"[^ ,]{{3,}}{word[1:]}" if word.startswith("-") else word


@cache
def _words(step: str) -> frozenset[str]:
    """The words that a step of a phrase allows; none for a gap."""
    return frozenset(fold(word) for option in step.split("|") for word in _lists().get(option, [option])) - set(_GAPS)


@cache
def _lists() -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    for _, name, phrase in rows("refusals.csv"):
        if name.isupper():
            lists.setdefault(name, []).extend(phrase.split("|"))
    return lists


class Labelled(NamedTuple):
    """A row of the labelled texts (columns: golden/detect/README.md)."""

    id: str
    lang: str
    kind: str
    refusal: bool
    text: str
    split: str
    note: str


def labelled() -> list[Labelled]:
    """The labelled texts in order; they lie in the project, not in the installed package."""
    cells = csv.reader(io.StringIO(read_text(LABELLED), newline=""))
    return [
        Labelled(id_, lang, kind, refusal == "true", text, split, note)
        for id_, lang, kind, refusal, text, split, note in list(cells)[1:]
    ]


def misread(rows: Iterable[Labelled]) -> tuple[Rate, Rate]:
    """The two rates of error: texts that are no refusal called one, and refusals missed."""
    seen = [(row.refusal, refused(row.text)) for row in rows]
    false = [said for refusal, said in seen if not refusal]
    missed = [not said for refusal, said in seen if refusal]
    return Rate(sum(false), len(false)), Rate(sum(missed), len(missed))


def told() -> str:
    """One line on how far the reading can be trusted, to be printed wherever it was used."""
    held = [row for row in labelled() if row.split == "held"]
    false, missed = misread(held)
    return (
        f"outcomes read from wording; on {len(held)} held-out texts of our own the detector takes "
        f"{number(false)} others for refusals and misses {number(missed)} refusals"
    )
