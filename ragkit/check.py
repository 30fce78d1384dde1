"""Checks of an answer against the passages it was given, word by word: what it cites, and what no citation covers.

`Marked`, `Numbers` and `Verbatim` judge a draft before it is shown: choices whose `on(corpus)` gives a function from a
draft to a verdict, as with gates. They see how a draft is written; whether a passage says what the sentence with its
marker says, no check here knows.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ragkit.markers import markers, masked, plain, unmarked, unresolved, without_own
from ragkit.numbers import unsupported
from ragkit.records import ANSWER, Answer, Chunk, Draft, Verdict
from ragkit.text import fold, visible

if TYPE_CHECKING:
    from ragkit.corpus import Corpus

Same = Callable[[str, str], bool]
Judge = Callable[[Draft], Verdict]

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_WORD = re.compile(r"[^\W_]+(?:(?:[-'.]|(?<=\d)[,:](?=\d))[^\W_]+)*|[%€$£§]")
_MARKS = r"(?:\s*\[\d+\])*"
_QUOTED = re.compile(rf"\0{_MARKS}")
_LED = re.compile(r"(?:^|(?<=[.!?]\s))(?:(?![.!?]\s)[^\0\n])*: (?=\0\s*\[(\d+)\])", re.MULTILINE)
_SENTENCE = re.compile(rf".+?(?:[.!?]+{_MARKS}(?=\s|$)|$)", re.MULTILINE)
_MARK = re.compile(r"\[(\d+)\]")
_IN_QUOTES = re.compile(
    r"(?<!\w)\"(?=\S)([^\"\n]+)\"(?!\w)|\u201c([^\u201c\u201d]+)\u201d|\u2018([^\u2018\u2019\n]+(?:\u2019\w[^\u2018\u2019\n]*)*)\u2019(?!\w)"
    r"|\u00ab([^\u00ab\u00bb]+)\u00bb|\u201e([^\u201c\u201d\u201e]+)[\u201c\u201d]"
)
_BLOCK_QUOTE = re.compile(r"(?:^[ ]{0,3}>.*\n?)+", re.MULTILINE)
_LEFT_OUT = re.compile(r" ?(?:\[(?:\u2026|\.\.\.)\]|\u2026|\.\.\.) ?")
_SIGNS = re.compile(r"\w")
_MARKUP = re.compile(r"[*`]+")
_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")


class Check(Protocol):
    """A choice of check."""

    def on(self, corpus: Corpus) -> Judge: ...


@dataclass(frozen=True)
class Marked:
    """Rejects (`citation-invalid`) a marker that names no passage, and a factual sentence without a marker."""

    def on(self, corpus: Corpus) -> Judge:
        return _marked


@dataclass(frozen=True)
class Numbers:
    """Rejects (`number-unsupported`) a number that stands in no cited passage, nor, with `sums`, is the sum of two that
    do. Cited is what a marker of the draft names."""

    sums: bool = True

    def on(self, corpus: Corpus) -> Judge:
        def judge(draft: Draft) -> Verdict:
            passages = [shown(chunk) for chunk in cited(draft)]
            missing = dict.fromkeys(n.written for n in unsupported(draft.text, passages, sums=self.sums))
            if not missing:
                return Verdict()
            rule = "stands in no cited passage" + (" and is no sum of two numbers that do" if self.sums else "")
            return Verdict("number-unsupported", next(iter(missing)), f"{', '.join(missing)}: {rule}")

        return judge


@dataclass(frozen=True)
class Verbatim:
    """Rejects (`citation-invalid`) words in quotation marks or a block quote that stand in no cited passage to the
    letter. A last full stop or comma of the quote, what `...` stands for, markup, and the shape of spaces and
    apostrophes do not count."""

    def on(self, corpus: Corpus) -> Judge:
        return _quoted


def cited(draft: Draft) -> tuple[Chunk, ...]:
    """The passages that the markers of a draft name, in their order."""
    found = markers(draft.text, list(map(shown, draft.passages)))
    named = {number for marker in found for number in marker.numbers}
    return tuple(chunk for number, chunk in enumerate(draft.passages, 1) if number in named)


def shown(chunk: Chunk) -> str:
    """A passage as a reader sees it, its headings and the version it is of among it."""
    return "\n".join(filter(None, (*chunk.path, chunk.version, chunk.lead, chunk.text)))


def _marked(draft: Draft) -> Verdict:
    text = without_own(draft.text, list(map(shown, draft.passages)))
    if wrong := unresolved(text, len(draft.passages)):
        return Verdict("citation-invalid", f"[{wrong[0]}]", f"the marker [{wrong[0]}] names no passage it was given")
    if not _SIGNS.search(plain(text)):
        return Verdict("citation-invalid", reason="the draft says nothing")
    if bare := unmarked(text):
        return Verdict("citation-invalid", reason=f"a sentence of {_counted(bare[0])} carries no marker")
    return Verdict()


def _quoted(draft: Draft) -> Verdict:
    passages = cited(draft)
    for quote in quotes(draft.text):
        if not any(_all_stand(quote, chunk) for chunk in passages):
            return Verdict(
                "citation-invalid", reason=f"a quote of {_counted(quote)} stands in no cited passage to the letter"
            )
    return Verdict()


def _counted(text: str) -> str:
    """How long a text is: a reason names none of a document, only where to look in the draft."""
    many = len(text.split())
    return f"{many} word" + "s" * (many != 1)


def quotes(text: str) -> list[str]:
    """What a text quotes: its block quotes, and what stands in quotation marks elsewhere; no markers.

    >>> quotes('It says "25 days a year" [1] of a 5" pipe.\\n\\n> Ask\\n> early. [2]')
    ['Ask\\nearly.', '25 days a year']
    """
    text = masked(text, "")
    blocks = [re.sub(r"^\s*>\s?", "", block[0], flags=re.MULTILINE).strip() for block in _BLOCK_QUOTE.finditer(text)]
    said = [next(filter(None, found.groups())) for found in _IN_QUOTES.finditer(_BLOCK_QUOTE.sub("\n", text))]
    return [quote for quote in (*blocks, *said) if _SIGNS.search(quote)]


def _read(text: str) -> str:
    """A text as it is read aloud: no markup, one kind of space, apostrophe and quotation mark."""
    return " ".join(_MARKUP.sub("", visible(text)).translate(_STRAIGHT).split())


def _all_stand(quote: str, chunk: Chunk) -> bool:
    """Whether the parts of a quote stand in a passage or its headings, in their order."""
    passage = f" {_read(shown(chunk))} "
    parts = [part for part in _LEFT_OUT.split(_read(quote)) if _SIGNS.search(part)]
    at = 0
    for part in parts:
        ends = [_place(form, passage, at) for form in (part, part.rstrip(".,;:!?"))]
        at = max(ends)
        if at < 0:
            return False
    return True


def words(text: str) -> list[str]:
    """The words of a text for comparison; signs that change what a number says are words too.

    >>> words("It’s 1,000 € (10–12 %, 2,5 m).")
    ["it's", '1000', '€', '10-12', '%', '2,5', 'm']
    """
    return _WORD.findall(_THOUSANDS.sub("", fold(text)))


def holds(text: Sequence[str], part: Sequence[str], same: Same = operator.eq) -> bool:
    """Whether the words of a part stand in a row in the text; a part without words stands nowhere.

    >>> holds(["25", "days"], ["days"]), holds(["25", "days"], ["5", "days"]), holds(["x"], [])
    (True, False, False)
    """
    starts = range(len(text) - len(part) + 1) if part else ()
    return any(all(map(same, text[start : start + len(part)], part)) for start in starts)


def support(answer: Answer) -> tuple[int, int]:
    """(claims, supported): each citation is a claim, and so is each sentence of an answer that no citation covers.

    A citation is supported when its quote stands to the letter in a passage that was retrieved. A sentence is covered
    when it is quoted, or carries the marker of a citation, as `v2: "..." [1]` does; what it makes of the quote is not
    checked.
    """
    if answer.outcome != ANSWER:
        return 0, 0
    shown = {hit.chunk.id: hit.chunk for hit in answer.ranking.hits}
    stands = [c.chunk.id in shown and _verbatim(c.quote, shown[c.chunk.id]) for c in answer.citations]
    return len(stands) + len(list(_uncovered(answer))), sum(stands)


def _verbatim(quote: str, chunk: Chunk) -> bool:
    """Whether a quote stands in a chunk as whole words; a table row is quoted below a header that stands elsewhere."""
    passage = " ".join(f"{chunk.lead}\n{chunk.text}".split())
    rows = quote.splitlines() if all("|" in line for line in quote.splitlines()) else [quote]
    parts = [" ".join(row.split()) for row in rows if row.strip()]
    return bool(parts) and all(_stands(part, f" {passage} ") for part in parts)


def _stands(part: str, passage: str) -> bool:
    """Whether a part stands in a passage without cutting a word at either edge."""
    return _place(part, passage, 0) > 0


def _place(part: str, passage: str, start: int) -> int:
    """Where a part that cuts no word ends in a passage with a space at either end; -1 when it does not stand there."""
    at = passage.find(part, start)
    while at > 0:
        edges = (passage[at - 1] + part[0], part[-1] + passage[at + len(part)])
        if not any(all(letter.isalnum() or letter == "_" for letter in edge) for edge in edges):
            return at + len(part)
        at = passage.find(part, at + 1)
    return -1


def _uncovered(answer: Answer) -> Iterator[str]:
    """The sentences that are left of an answer without its quotes and without those that carry a good marker."""
    text = answer.text

    def is_good(mark: str) -> bool:
        return 1 <= int(mark) <= len(answer.citations)

    for quote in sorted((c.quote for c in answer.citations if c.quote.strip()), key=len, reverse=True):
        if quote not in text:  # set in other lines
            text = re.sub(r"\s+".join(map(re.escape, quote.split())), "\0", text)
        text = _QUOTED.sub("\n", _LED.sub(lambda led: "" if is_good(led[1]) else led[0], text.replace(quote, "\0")))
    for sentence in _SENTENCE.findall(text):
        if words(_MARK.sub("", sentence)) and not any(map(is_good, _MARK.findall(sentence))):
            yield sentence
