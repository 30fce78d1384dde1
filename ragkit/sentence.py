"""Sentences, list items and table rows of a chunk."""

from __future__ import annotations

from functools import lru_cache

from ragkit.chunk import blocks
from ragkit.records import Chunk, Citation
from ragkit.text import split


@lru_cache(maxsize=4096)
def sentences(chunk: Chunk) -> tuple[Citation, ...]:
    """The sentences, list items and table rows of a chunk, to the letter, with the line each begins on.

    A table row comes with the header of its table, since a number without its column name says nothing.
    """
    return tuple(
        Citation(chunk, f"{header}\n{sentence}" if header else sentence, line + text[:offset].count("\n"))
        for line, text, header in blocks(chunk)
        for offset, sentence in ([(0, text)] if header else split(text))
    )
