"""Documents cut into chunks: on their headings, or in windows of words.

A heading chunk runs from its heading to the next one, so that the chunks of a file together rebuild it. A heading with
nothing but deeper headings below it joins the first of them; one with nothing at all gives an empty chunk, which is
listed and never ranked. What is left out (front matter) comes back as a row that says so.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Protocol

from ragkit.records import BadInput, Chunk, Document

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


@dataclass(frozen=True, slots=True)
class Left:
    """Lines of a document that no chunk holds, and why."""

    file: str
    lines: tuple[int, int]
    why: str


class Chunker(Protocol):
    """Cuts a document: its chunks, and a row for all that is in none of them. A frozen dataclass."""

    def __hash__(self) -> int: ...
    def on(self, document: Document) -> tuple[list[Chunk], list[Left]]: ...


@dataclass(frozen=True)
class Headings:
    """One chunk a heading. A section of more than `cap` characters is split between its blocks, list items and table
    rows, with the header of a split table repeated as `lead`; a single longer paragraph, fence or row stays whole. One
    of fewer than `least` is left out, and listed as such."""

    cap: int = 1800
    least: int = 0

    def __post_init__(self) -> None:
        if self.cap < 1:
            raise BadInput(f"Headings(cap={self.cap}): must be at least 1 character")

    def on(self, document: Document) -> tuple[list[Chunk], list[Left]]:
        chunks, left = by_headings(document, cap=self.cap)
        short = [chunk for chunk in chunks if len(chunk.text) < self.least]
        why = f"shorter than {self.least} characters"
        left += [Left(chunk.file, chunk.lines, why) for chunk in short]
        return [chunk for chunk in chunks if chunk not in short], left


@dataclass(frozen=True)
class Windows:
    """Windows of `size` words, each sharing `overlap` words with the one before; an overlap that would not move on is
    clamped to `size - 1`. With `plain` a heading is any line that begins with `#`, which needs no Markdown parser."""

    size: int = 60
    overlap: int = 15
    plain: bool = False

    def __post_init__(self) -> None:
        if self.size < 1 or self.overlap < 0:
            raise BadInput(f"{self}: size must be at least 1 and overlap at least 0 words")

    def on(self, document: Document) -> tuple[list[Chunk], list[Left]]:
        sections = _plain_outline(document) if self.plain else outline(document)
        return by_windows(document, sections, size=self.size, overlap=self.overlap), []


HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*")
_BULLET = re.compile(r"^\s*(?:>\s*)*(?:[-*+]|\d+[.)])\s+|^\s*(?:>\s*)+")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the lines up to the next one; the text above all headings has an empty path."""

    path: tuple[str, ...]
    anchor: str
    lines: tuple[int, int]
    body: int  # first line below the heading


def outline(document: Document) -> list[Section]:
    """The sections of a document in order; together they hold every line below the front matter."""
    return _sections(document, _markdown().parse(document.text))


def _plain_outline(document: Document) -> list[Section]:
    lines = document.text.split("\n")
    heads, fenced = list[tuple[int, re.Match[str]]](), False
    for n, line in enumerate(lines, 1):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        if not fenced and (found := HEADING.fullmatch(line)):
            heads.append((n, found))
    ends = [*(n - 1 for n, _ in heads[1:]), len(lines)]
    path: list[tuple[int, str]] = []
    taken: dict[str, int] = {}
    sections = [Section((), "", (1, (heads[0][0] if heads else len(lines) + 1) - 1), 1)]
    for (n, found), end in zip(heads, ends, strict=False):
        level, title = len(found[1]), found[2].strip()
        path = [(above, name) for above, name in path if above < level] + [(level, title)]
        sections.append(Section(tuple(name for _, name in path), slug(title, taken), (n, end), n + 1))
    return [section for section in sections if section.lines[1] >= section.lines[0]]


def names(document: Document) -> list[str]:
    """What a golden row may name as a source: the file, and `file#anchor` for each of its headings."""
    return [document.file, *(_name(document, section) for section in outline(document) if section.path)]


def blocks(chunk: Chunk) -> Iterator[tuple[int, str, str]]:
    """The paragraphs, list items, fences and table rows of a chunk: first line in the file, text, header of a row.

    A block of HTML may hold nothing that a reader sees.
    """
    above = f"{chunk.lead}\n" if chunk.lead else ""
    lines, shift = (above + chunk.text).split("\n"), chunk.line - above.count("\n")
    header, in_body = "", False
    for token in _markdown(front_matter=False).parse(above + chunk.text):
        if token.map is None or token.nesting < 0:
            continue
        low, high = token.map
        if token.type == "table_open":
            header, in_body = "\n".join(lines[low : low + 2]), False
        elif token.type in ("thead_open", "tbody_open"):
            in_body = token.type == "tbody_open"
        elif token.type == "tr_open" and in_body:
            yield low + shift, lines[low], header
        elif token.type == "paragraph_open":
            yield low + shift, _BULLET.sub("", "\n".join(lines[low:high])), ""
        elif token.type in ("fence", "code_block", "html_block"):
            yield low + shift, "\n".join(lines[low:high]), ""


def by_headings(document: Document, *, cap: int) -> tuple[list[Chunk], list[Left]]:
    """See `Headings`."""
    tokens, source = _markdown().parse(document.text), document.text.split("\n")
    chunks: list[Chunk] = []
    above: tuple[int, tuple[str, ...]] | None = None  # first line and anchors of headings without text of their own
    sections = _sections(document, tokens)
    for here, following in zip_longest(sections, sections[1:]):
        first, names = above or (here.lines[0], ())
        anchors = (*names, _name(document, here))
        bare = not _text(source, here.body, here.lines[1]).strip()
        above = (first, anchors) if bare and following and following.path[:-1] == here.path != () else None
        if above or (bare and not here.path):
            continue
        for n, (low, high, text, lead) in enumerate(_pieces(source, tokens, here, cap), 1):
            chunks.append(Chunk(
                id=_name(document, here) + (f"~{n}" if n > 1 else ""), file=document.file, path=here.path,
                text=text, lead=lead, lines=(first if n == 1 else low, high), line=_first_line(source, low),
                sections=anchors if n == 1 else anchors[-1:],
            ))  # fmt: skip
    front = [token.map for token in tokens if token.type == "front_matter" and token.map]
    return chunks, [Left(document.file, (low + 1, high), "front matter") for low, high in front]


def by_windows(document: Document, sections: Sequence[Section], *, size: int, overlap: int) -> list[Chunk]:
    """See `Windows`. Ends for any size and overlap: each window starts at least one word after the last."""
    words = list(re.finditer(r"\S+", document.text))
    step = size - min(overlap, size - 1)
    breaks = [m.start() for m in re.finditer("\n", document.text)]
    chunks: list[Chunk] = []
    for n, start in enumerate(range(0, max(len(words) - size, 0) + step, step) if words else (), 1):
        low, high = words[start].start(), words[min(start + size, len(words)) - 1].end()
        lines = (bisect_right(breaks, low - 1) + 1, bisect_right(breaks, high - 1) + 1)
        within = [s for s in sections if s.lines[0] <= lines[1] and s.lines[1] >= lines[0]]
        chunks.append(Chunk(
            id=f"{document.file}~{n}", file=document.file, path=within[0].path if within else (),
            text=document.text[low:high], lines=lines, line=lines[0],
            sections=tuple(_name(document, section) for section in within),
        ))  # fmt: skip
    return chunks


@cache
def _markdown(*, front_matter: bool = True) -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.front_matter import front_matter_plugin

    reader = MarkdownIt("commonmark").enable("table")
    return reader.use(front_matter_plugin) if front_matter else reader


def _sections(document: Document, tokens: list[Token]) -> list[Section]:
    last = document.text.rstrip("\n").count("\n") + 1
    heads = [(t, tokens[n + 1]) for n, t in enumerate(tokens) if t.type == "heading_open" and t.level == 0]
    starts = [t.map[0] + 1 for t, _ in heads if t.map]
    front = next((t.map[1] for t in tokens if t.type == "front_matter" and t.map), 0)
    found = [Section((), "", (front + 1, (starts or [last + 1])[0] - 1), front + 1)]
    stack: list[tuple[str, str]] = []
    taken: dict[str, int] = {}
    ends = [*(start - 1 for start in starts[1:]), last][: len(starts)]
    for (head, inline), start, end in zip(heads, starts, ends, strict=True):
        title = _plain(inline)
        stack = [(tag, name) for tag, name in stack if tag < head.tag] + [(head.tag, title)]
        body = head.map[1] + 1 if head.map else start + 1
        found.append(Section(tuple(name for _, name in stack), slug(title, taken), (start, end), body))
    return [s for s in found if s.lines[1] >= s.lines[0]]


def _plain(inline: Token) -> str:
    """The words of a heading without its markup."""
    parts = (" " if t.type == "softbreak" else t.content for t in inline.children or () if t.type != "html_inline")
    return " ".join("".join(parts).split())


def slug(title: str, taken: dict[str, int] | None = None) -> str:
    """The anchor a heading gets on GitHub; a repeated one is numbered through `taken`.

    >>> slug("KX-Code & co."), slug("What's new?")
    ('kx-code--co', 'whats-new')
    """
    kept = (letter for letter in title.lower() if letter in "-_ " or unicodedata.category(letter)[0] in "LNM")
    anchor = wanted = "".join(kept).replace(" ", "-")
    taken = {} if taken is None else taken
    while anchor in taken:
        taken[wanted] += 1
        anchor = f"{wanted}-{taken[wanted]}"
    taken[anchor] = 0
    return anchor


def _name(document: Document, section: Section) -> str:
    return f"{document.file}#{section.anchor}" if section.path else document.file


def _text(source: list[str], low: int, high: int) -> str:
    """Lines low to high (from 1, both included) without blank lines at either end."""
    while low <= high and not source[high - 1].strip():
        high -= 1
    while low <= high and not source[low - 1].strip():
        low += 1
    return "\n".join(source[low - 1 : high])


def _first_line(source: list[str], low: int) -> int:
    """The first line from low on that is not blank, low itself when there is none."""
    return next((n for n in range(low, len(source) + 1) if source[n - 1].strip()), low)


def _pieces(source: list[str], tokens: list[Token], section: Section, cap: int) -> Iterator[tuple[int, int, str, str]]:
    """A section as (first line, last line, text, lead), split where it is longer than `cap` characters."""
    low, end, lead = section.body, section.lines[1], ""
    cuts = list(_cuts(source, tokens, section)) if len(_text(source, low, end)) > cap else []
    ends = [*(line - 1 for line, _ in cuts[1:]), end]
    for (line, row_lead), stop in zip(cuts, ends, strict=False):
        if _text(source, low, line - 1) and len(_text(source, low, stop)) > cap:
            yield low, line - 1, _text(source, low, line - 1), lead
            low, lead = line, row_lead
    yield low, end, _text(source, low, end), lead


def _cuts(source: list[str], tokens: list[Token], section: Section) -> Iterator[tuple[int, str]]:
    """Where a section may be cut: the first line of each block, list item and table row, and the lead it needs there.

    A table's first row stays with the header above it.
    """
    header, rows_from = "", 0
    for token in tokens:
        if token.map is None or token.nesting < 0 or not section.body <= token.map[0] + 1 <= section.lines[1]:
            continue
        line = token.map[0] + 1
        if token.type == "table_open":
            header, rows_from = "\n".join(source[line - 1 : line + 1]), 0
        elif token.type == "tbody_open":
            rows_from = line
        if token.level == 0 or (token.type == "list_item_open" and token.level == 1):
            yield line, ""
        elif token.type == "tr_open" and token.level == 2 and line > rows_from > 0:
            yield line, header
