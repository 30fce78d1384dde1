"""Whether what an answer cites is the right place, held against the documents themselves: version, section and line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from ragkit.records import ANSWER, EVERY, Answer, Chunk, Citation, Golden
from ragkit.text import visible


@dataclass(frozen=True)
class Places:
    """The documents of a corpus as chunks that do not overlap, one for each heading or part of it."""

    chunks: tuple[Chunk, ...]

    @cached_property
    def versions(self) -> dict[str, str]:
        """The version of each file, empty for what is true of all."""
        return {chunk.file: "" if chunk.version in EVERY else chunk.version for chunk in self.chunks}

    def at(self, file: str, line: int) -> Chunk | None:
        """The chunk that a line of a file belongs to."""
        return next((c for c in self.chunks if c.file == file and c.lines[0] <= line <= c.lines[1]), None)


def relevant(chunk: Chunk, source: str) -> bool:
    """Whether a chunk holds text of a source: `file.md`, or `file.md#anchor` for one section of it."""
    return source == chunk.file or source in chunk.sections


def version_correct(golden: Golden, answer: Answer, places: Places) -> bool | None:
    """Whether an answer is of the version that is asked about: all it cites is of that version or true of all. Where a
    row names no version and its sources are of several, whether it cites each of them.

    None for what did not answer, and where the row or the documents know no versions. Citing nothing is wrong: such an
    answer tells no version.
    """
    of = places.versions
    if answer.outcome != ANSWER or not any(of.values()):
        return None
    cited = {of.get(citation.chunk.file) for citation in answer.citations}
    if golden.version:
        return bool(cited) and cited <= {golden.version, ""}
    wanted = {of.get(source.partition("#")[0], "") for source in golden.sources} - {""}
    return wanted <= cited if len(wanted) > 1 else None


def cites_line(golden: Golden, answer: Answer, places: Places) -> bool | None:
    """Whether any citation of an answer lies in a source of its row and stands at the line it names; None for what did
    not answer, for unanswerable rows and for rows without a source. Citing nothing is wrong."""
    if answer.outcome != ANSWER or not golden.answerable or not golden.sources:
        return None
    return any(_in_source(citation, golden, places) for citation in answer.citations)


def _in_source(citation: Citation, golden: Golden, places: Places) -> bool:
    chunk = places.at(citation.chunk.file, citation.line)
    if chunk is None or not any(relevant(chunk, source) for source in golden.sources):
        return False
    return stands(citation.quote, citation.line, chunk)


def stands(quote: str, line: int, chunk: Chunk) -> bool:
    """Whether a quote begins at a line of a chunk, as whole words, to the letter or as a reader sees it. Of a table row
    below its header the row counts."""
    lines = chunk.text.split("\n")[line - chunk.line :] if line >= chunk.line else []
    rows = quote.strip().splitlines()
    said = rows[-1] if rows and all("|" in row for row in rows) else quote
    return bool(lines) and (_begins(said, lines) or _begins(_read(said), list(map(_read, lines))))


def _read(text: str) -> str:
    """A text without markup."""
    return re.sub(r"[*`]+", "", visible(text))


def _begins(quote: str, lines: list[str]) -> bool:
    """Whether the first place where a quote stands in some lines is in the first of them."""
    words, first = " ".join(quote.split()), " ".join(lines[0].split())
    if not words:
        return False
    found = re.search(_whole(words), " ".join(" ".join(lines).split()))
    return found is not None and found.start() < len(first)


def _whole(words: str) -> str:
    """The pattern of some words that cuts no word at either edge."""
    before, after = (r"(?<!\w)" * words[0].isalnum(), r"(?!\w)" * words[-1].isalnum())
    return before + re.escape(words) + after
