"""Checks of an answer against the passages it was given, word by word: what it cites, and what no citation covers."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence

from ragkit.records import ANSWER, Answer, Chunk
from ragkit.text import fold

Same = Callable[[str, str], bool]

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_WORD = re.compile(r"[^\W_]+(?:(?:[-'.]|(?<=\d)[,:](?=\d))[^\W_]+)*|[%€$£§]")
_MARKS = r"(?:\s*\[\d+\])*"
_QUOTED = re.compile(rf"\0{_MARKS}")
_SENTENCE = re.compile(rf".+?(?:[.!?]+{_MARKS}(?=\s|$)|$)", re.MULTILINE)
_MARK = re.compile(r"\[(\d+)\]")


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
    when it is quoted, or carries the marker of a citation; what it makes of the quote is not checked.
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
    at = passage.find(part)
    while at > 0:
        edges = (passage[at - 1] + part[0], part[-1] + passage[at + len(part)])
        if not any(all(letter.isalnum() or letter == "_" for letter in edge) for edge in edges):
            return True
        at = passage.find(part, at + 1)
    return False


def _uncovered(answer: Answer) -> Iterator[str]:
    """The sentences that are left of an answer without its quotes and without those that carry a good marker."""
    text = answer.text
    for quote in sorted((c.quote for c in answer.citations if c.quote.strip()), key=len, reverse=True):
        if quote not in text:  # set in other lines
            text = re.sub(r"\s+".join(map(re.escape, quote.split())), "\0", text)
        text = _QUOTED.sub("\n", text.replace(quote, "\0"))
    for sentence in _SENTENCE.findall(text):
        marks = [int(mark) for mark in _MARK.findall(sentence)]
        if words(_MARK.sub("", sentence)) and not any(1 <= mark <= len(answer.citations) for mark in marks):
            yield sentence
