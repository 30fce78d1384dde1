"""Sentences, list items and table rows of a chunk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from ragkit.chunk import blocks
from ragkit.forms import rows
from ragkit.records import Chunk, Citation

_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9£$€])")


@lru_cache(maxsize=4096)
def sentences(chunk: Chunk) -> tuple[Citation, ...]:
    """The sentences, list items and table rows of a chunk, to the letter, with the line each begins on.

    A table row comes with the header of its table, since a number without its column name says nothing.
    """
    return tuple(
        Citation(chunk, f"{header}\n{sentence}" if header else sentence, line + text[:offset].count("\n"))
        for line, text, header in blocks(chunk)
        for offset, sentence in ([(0, text)] if header else _split(text))
    )


def _split(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    ends = (m.end() for m in _END.finditer(text) if not _abbreviated(text, m))
    for end in (*ends, len(text)):
        if sentence := text[start:end].strip():
            yield start + (len(text[start:end]) - len(text[start:end].lstrip())), sentence
        start = end


def _abbreviated(text: str, gap: re.Match[str]) -> bool:
    """Whether the full stop before a gap belongs to an abbreviation or an initial and ends no sentence."""
    before_gap = text[: gap.start()]
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
