"""Citation markers in a drafted answer: where they stand, which passages they name, and what carries none.

A marker is numbers of up to three digits in square brackets: `[1]`, `[1, 2]`, `[1; 2]`, `[1-3]`, `[1 and 2]`, or in
the brackets of other scripts. `[0]` is a marker that names nothing. These are none: years (`[2024]`), links
(`[1](a.md)`, `[text][1]`, `[1]: a.md`), footnotes (`[^1]`), `\\[1]`, `[[1]]`, what stands in code, an index (`arr[1]`).
A bracket glued to a word is taken for an index unless the writer glues markers: one of them ends a clause, and no
marker of the text stands apart.

Each factual sentence carries its own marker, within it, before or after its full stop, or alone on the next line; each
table row one; a quote or a block of code one, in it or in the part before or after. No factual sentence: a question;
a first sentence of function words ("Yes, you can."); and, above something else, the header of a table, a heading
without a full stop and a line that ends in a colon, the last two without digits. English.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragkit.text import CODE, Analyzer, split, visible

_BESIDE = 12  # signs that must stand beside a bracket in a passage too, for it to be quoted
_CODE = re.compile(CODE, re.DOTALL | re.MULTILINE)
_NUMBER = "[0-9\uff10-\uff19]{1,3}"
_ITEM = rf"{_NUMBER}(?:\s?[-\u2010-\u2014\u2212]\s?{_NUMBER})?"
_LIST = rf"\s?{_ITEM}(?:\s?(?:[,;&]|and)\s?{_ITEM})*\s?"
_ONE = rf"(?:[\[\uff3b]{_LIST}[\]\uff3d]|\u3010{_LIST}(?:\u2020[^\u3010\u3011\n]*)?\u3011)"
_BRACKET = re.compile(_ONE)
_NAMED = re.compile(_ITEM)
_CLAUSE_END = re.compile(rf"(?:[ \t]?{_ONE})*[ \t]*(?:[.,;:!?)|\"\u201d\u2019]|$)", re.MULTILINE)
_INDEXED = re.compile(r"(?:(?<![^\W_])[^\W\d_]|\w*_\w*)$")  # x[1], my_list[1]

_MARK, _GAP = "\x01", "\x02"
_RUN = re.compile(rf"{_MARK}(?:[\s,]*{_MARK})*")
_AFTER = re.compile(
    rf"(?<![.!?])([.!?]+[\"'\u201d\u2019)*_]*)[ \t]*{_MARK}(?=[ \t]*(?:$|[ \t]\W?[A-Z0-9]))", re.MULTILINE
)
_ALONE = re.compile(rf"(?<![.!?])([.!?]*[\"'\u201d\u2019)*_]*)[ \t]*\n[ \t]*{_MARK}[ \t]*$", re.MULTILINE)
_LINE_END = re.compile(rf"{_MARK}(?=[ \t]*\n\W?[A-Z0-9])")  # the next line says another thing
_QUOTED = re.compile(r"(?<!\w)[\"\u201c][^\"\u201c\u201d\n]+[\"\u201d](?!\w)")

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_RULED = re.compile(r"[\s|:=*_+-]+")
_HEADING = re.compile(r" {0,3}#{1,6}\s+|(?=\*\*[^*]+\*\*:?\s*$)|(?=__[^_]+__:?\s*$)")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_DEFINED = re.compile(r" {0,3}\[[^\]]+\]:\s")
_LABEL = re.compile(r"^(?:\*\*|__)([^*_\n\d]+?)[.:]?(?:\*\*|__)[.:]?\s+(?=\S)")
_STRESS = re.compile(r"\*+(?=\S)|(?<=\S)\*+|(?<!\w)_+(?=\w)|(?<=[^\W_])_+(?!\w)|(?<=[.!?:])_+(?!\w)")
_ENGLISH = Analyzer()


@dataclass(frozen=True, slots=True)
class Marker:
    """One bracket: its place in the text and the numbers that it names, a range written out."""

    start: int
    end: int
    numbers: tuple[int, ...]


@dataclass(slots=True)
class _Part:
    """Lines that belong together: `text` is cut into sentences, all other kinds are one thing."""

    kind: str
    text: str


def markers(text: str, passages: Sequence[str] = ()) -> list[Marker]:
    """The markers of a text in order, without the brackets that stand in a passage beside the same words: those are its
    own, and quoted.

    >>> [marker.numbers for marker in markers("Two [1][3], more [1, 2; 5-7]. Code `[4]`, link [8](a.md), [2024].")]
    [(1,), (3,), (1, 2, 5, 6, 7)]
    >>> [marker.numbers for marker in markers("Glued[1] as they are[2]. None[0].")], markers("The item arr[1] is red.")
    ([(1,), (2,), (0,)], [])
    >>> [m.numbers for m in markers("The fee is 5 pounds [3] for all. [1]", ["The fee is 5 pounds [3] for all."])]
    [(1,)]
    """
    shown = _CODE.sub(lambda code: re.sub(r"[^\n]", "\0", code[0]), text)
    found = list(_BRACKET.finditer(shown))
    ends = {bracket.end() for bracket in found}
    brackets = [bracket for bracket in found if _free(shown, bracket, ends)]
    glued = _glued(shown, brackets)
    if not _glues(shown, brackets, glued):
        brackets = [bracket for bracket in brackets if bracket not in glued]
    all_of = [Marker(*bracket.span(), _named(bracket[0])) for bracket in brackets]
    return [marker for marker in all_of if not any(_own(text, marker, passage) for passage in passages)]


def rewritten(text: str, found: Iterable[Marker], by: Callable[[Marker], str]) -> str:
    """A text with another text in the place of some of its markers, which stand in order.

    >>> rewritten("One [1], two [2].", markers("One [1], two [2]."), lambda marker: f"({marker.numbers[0]})")
    'One (1), two (2).'
    """
    parts, last = list[str](), 0
    for marker in found:
        parts += (text[last : marker.start], by(marker))
        last = marker.end
    return "".join((*parts, text[last:]))


def without_own(text: str, passages: Sequence[str]) -> str:
    """A text without the brackets that are quoted from passages."""
    real = {marker.start for marker in markers(text, passages)}
    return rewritten(text, [marker for marker in markers(text) if marker.start not in real], lambda marker: "")


def _own(text: str, marker: Marker, passage: str) -> bool:
    """Whether a bracket stands in a passage behind the same signs, from the head of the line where they are few; or
    before the same signs."""
    low, high = marker.start - _BESIDE, marker.end + _BESIDE
    head = text.rfind("\n", 0, marker.start)  # -1 in the first line
    behind = text[low : marker.end] if low > head else "\n" + text[head + 1 : marker.end]
    ahead = text[marker.start : high]
    alone = behind[0] == "\n" and marker.start == head + 1  # a bracket at the head of a line says nothing by itself
    return (not alone and behind in f"\n{passage}") or (high <= len(text) and ahead in passage)


def _free(text: str, bracket: re.Match[str], ends: set[int]) -> bool:
    """Whether a bracket is no part of a link, a longer bracket or a word that follows."""
    before, after = text[: bracket.start()][-1:], text[bracket.end() :][:1]
    if before in ("\\", "[", "!") or (before == "]" and bracket.start() not in ends):
        return False
    if after in ("(", "]", "_") or after.isalnum() or (after == "[" and not _BRACKET.match(text, bracket.end())):
        return False
    return not _DEFINED.match(text[text.rfind("\n", 0, bracket.start()) + 1 : bracket.end() + 2])


def _glued(text: str, brackets: list[re.Match[str]]) -> set[re.Match[str]]:
    """The brackets that stand directly at a word, those behind another such bracket among them."""
    glued: set[re.Match[str]] = set()
    ends: set[int] = set()
    for bracket in brackets:
        if bracket[0][0] == "[" and (bracket.start() in ends or re.match(r"\w", text[: bracket.start()][-1:])):
            glued.add(bracket)
            ends.add(bracket.end())
    return glued


def _glues(text: str, brackets: list[re.Match[str]], glued: set[re.Match[str]]) -> bool:
    """Whether who wrote a text sets its markers at the word."""
    apart = any(text[: bracket.start()][-1:].isspace() for bracket in brackets)
    words = (text[max(0, b.start() - 40) : b.start()] for b in glued if _CLAUSE_END.match(text, b.end()))
    return not apart and any(not _INDEXED.search(word) for word in words)


def _named(bracket: str) -> tuple[int, ...]:
    named: list[int] = []
    for item in _NAMED.findall(bracket.partition("\u2020")[0]):
        low, *high = map(int, re.findall(_NUMBER, item))
        named += range(low, high[0] + 1) if high and high[0] > low else [low, *high]
    return tuple(named)


def unresolved(text: str, of: int) -> list[int]:
    """The numbers in markers that name none of so many passages, each once.

    >>> unresolved("One [1], none [0], more [2-4].", of=3)
    [0, 4]
    """
    named = dict.fromkeys(number for marker in markers(text) for number in marker.numbers)
    return [number for number in named if not 1 <= number <= of]


def plain(text: str) -> str:
    """A text without its markers and the space before them.

    >>> plain("Leave is 25 days [1], or [2][3] more.")
    'Leave is 25 days, or more.'
    """
    while found := markers(text):
        for marker in reversed(found):
            before, after = text[: marker.start], text[marker.end :]
            space = "" if not after or after[0].isspace() or after[0] in ".,;:!?)|" else before[len(before.rstrip()) :]
            text = before.rstrip(" \t") + space[-1:] + after
    return text


def masked(text: str, mask: str) -> str:
    """A text with another text in place of each marker.

    >>> masked("Two [1][2].", "*")
    'Two **.'
    """
    for marker in reversed(markers(text)):
        text = text[: marker.start] + mask + text[marker.end :]
    return text


def unmarked(text: str) -> list[str]:
    """The factual sentences of a text that carry no marker.

    >>> unmarked("Yes. Leave is 25 days [1]. It may be carried over. Until March.[2] Is that all?")
    ['It may be carried over.']
    >>> unmarked("Said:\\n- 25 days [1]\\n- 5 more\\n\\n| Zone | Days |\\n|---|---|\\n| 1 | 2 [2] |\\n| 2 | 4 |")
    ['5 more', '| 2 | 4 |']
    >>> unmarked("Yes.")
    ['Yes.']
    """
    shown = visible(masked(re.sub(f"[\0{_MARK}{_GAP}]", "", text), _MARK))
    parts = list(_parts(_RUN.sub(lambda run: run[0].replace(",", " "), shown)))
    claims = [claim for part in parts for claim in _claims(part, parts)]
    told = [(said, marked, kind) for said, marked, kind in claims if re.search(r"\w", said)]
    facts = [n for n, (said, _, kind) in enumerate(told) if not _exempt(said, kind, first=n == 0)]
    above_nothing = range(facts[-1] + 1 if facts else 0, len(told))
    kept = [*facts, *(n for n in above_nothing if told[n][2] != "question")]
    return [told[n][0] for n in kept if not told[n][1]]


def _exempt(said: str, kind: str, *, first: bool) -> bool:
    leads = kind == "heading" or said.endswith(":")
    return (
        kind in ("header", "question")
        or (leads and not said.endswith((".", "!")) and not re.search(r"\d", said))
        or (first and not _ENGLISH.speaks(said))
    )


def _claims(part: _Part, parts: list[_Part]) -> Iterator[tuple[str, bool, str]]:
    """What a part says, whether it carries a marker, and what kind of saying it is."""
    if part.kind == "whole":
        near = [pair for pair in pairwise(parts) if part in pair]
        yield _bare(part.text), _MARK in part.text or any(_MARK in o.text for pair in near for o in pair), part.kind
        return
    if part.kind != "text":
        yield _bare(part.text), _MARK in part.text, part.kind
        return
    even = _RUN.sub(_MARK, _STRESS.sub("", part.text))
    moved = _AFTER.sub(rf"{_MARK}\1", _ALONE.sub(rf"{_MARK}\1", even))
    shadow = _QUOTED.sub(lambda quote: re.sub(r"\s", _GAP, quote[0]), _LINE_END.sub(".", moved))
    shadow = shadow.translate(str.maketrans(f"\u201c\u201d\u2018\u2019{_MARK}", "\"\"''0"))
    for start, sentence in split(shadow):
        said = moved[start : start + len(sentence)]
        question = _bare(said).rstrip("\"'\u201d\u2019)*_ ").endswith("?")
        yield _bare(said), _MARK in said, "question" if question else part.kind


def _bare(said: str) -> str:
    return re.sub(rf"[ \t]*{_MARK}", "", said).strip()


def _parts(text: str) -> Iterator[_Part]:
    """The parts of a Markdown text in order; rules between them and targets of links are left out."""
    part: _Part | None = None
    fence, tabled = "", False
    for line in text.split("\n"):
        opened = _FENCE.match(line)
        kind, said = ("whole", "" if opened else line) if fence else _kind(line)
        tabled = "|" in line and (tabled or kind == "ruled")
        if kind == "ruled" and tabled and part and "|" in part.text and "\n" not in part.text:
            part.kind = "header"
        if tabled and kind == "text":
            kind, said = "row", line
        joins = part and part.kind == kind and kind in ("text", "whole") and (fence or not _BULLET.match(line))
        if part and joins:
            part.text += f"\n{said}"
        elif part:
            yield part
        if not joins:
            part = _Part(kind, said) if kind not in ("", "ruled") else None
        if opened and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else opened[1]
    if part:
        yield part


def _kind(line: str) -> tuple[str, str]:
    """What a line is, and what it says without the signs that make it so."""
    if not line.strip() or _DEFINED.match(line):
        return "", ""
    if _RULED.fullmatch(line):
        return "ruled", ""
    if _FENCE.match(line):
        return "whole", _FENCE.sub("", line)
    if line.lstrip().startswith(">"):
        return "whole", line.lstrip().lstrip("> ")
    if heading := _HEADING.match(line):
        return "heading", line[heading.end() :].strip("*_# ")
    if line.lstrip().startswith("|"):
        return "row", line
    return "text", _LABEL.sub("", _BULLET.sub("", line, count=1))
