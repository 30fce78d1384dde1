"""The nouns of the suite: one frozen record for each step from a document to a rate.

Document -> Chunk -> Hit -> Ranking -> Verdict -> Answer -> Outcome -> Rate
                                                    Golden --^
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, fields

ANSWER, REFUSE, ERROR = "answer", "refuse", "error"
EVERY = ("", "both")  # versions of what is true of all


class BadInput(Exception):
    """Input that stops the run: one line that names the place and the remedy."""


class ModelFailed(Exception):
    """A model or service that failed for good: one line that names it and what it said."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file of a corpus as text; `error` says why there is none."""

    file: str
    text: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document that is ranked and cited.

    `text` is what stands in the file below the heading, to the letter, from line `line` on. `lead` is what a reader
    needs above it (the header rows of a table that was split) and is no part of the file's rebuild. `lines` are the
    first and last line of the file that belong to the chunk, headings included; lines count from 1. `sections` are the
    `file#anchor` of every heading it holds text of; a text above all headings has the bare file name.
    """

    id: str
    file: str
    text: str
    path: tuple[str, ...] = ()
    lines: tuple[int, int] = (1, 1)
    line: int = 1
    sections: tuple[str, ...] = ()
    lead: str = ""
    page: int | None = None
    version: str = ""
    status: str = ""
    url: str = ""

    def is_of(self, version: str) -> bool:
        """Whether it is true of a version: of that one, or of every one."""
        return self.version in (version, *EVERY)

    @property
    def heading(self) -> str:
        """`leave.md > Leave > Carry over`, the way a citation names it."""
        return " > ".join((self.file, *self.path))

    @property
    def link(self) -> str:
        """The address to open, empty when there is none or it is not one of the web."""
        return self.url if re.fullmatch(r"https?://[^\s<>\"\x00-\x1f\x7f]+", self.url, re.IGNORECASE) else ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk found for a question. Scores of two questions do not compare."""

    chunk: Chunk
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """The hits for one question as it was asked, best first; equal scores stand by chunk id.

    `parts` are the rankings that a fused one was made of.
    """

    question: str
    hits: tuple[Hit, ...] = ()
    parts: tuple[Ranking, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a gate decided: `gate` is empty when the question may be answered, else it names the gate that refused."""

    gate: str = ""
    concept: str = ""
    reason: str = ""

    @property
    def refused(self) -> bool:
        return bool(self.gate)


@dataclass(frozen=True, slots=True)
class Citation:
    """A sentence or table row as it stands in a chunk, and the line of the file where it begins."""

    chunk: Chunk
    quote: str
    line: int

    @property
    def place(self) -> str:
        """`leave.md > Leave, line 8, page 3, v2`: page and version where they are known."""
        page = "" if self.chunk.page is None else f"page {self.chunk.page}"
        return ", ".join(filter(None, (self.chunk.heading, f"line {self.line}", page, self.chunk.version)))


@dataclass(frozen=True, slots=True)
class Spent:
    """What language models took: calls, tokens and US dollars that are known, and how many calls have no known cost.

    A replayed call counts with what it took when it was made.
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    unpriced: int = 0

    def __add__(self, other: Spent) -> Spent:
        return Spent(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def __str__(self) -> str:
        rest = f" and {self.unpriced} without a known price" * (self.unpriced > 0)
        return f"{self.calls} calls, {self.tokens_in} + {self.tokens_out} tokens, {self.cost:.4f} USD{rest}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system said to one question. `outcome` is answer, refuse or error, and is never read from wording.

    `withheld` is a draft that a check stopped: it is kept for the record and shown to nobody.
    """

    question: str
    outcome: str
    text: str = ""
    citations: tuple[Citation, ...] = ()
    verdict: Verdict = Verdict()
    ranking: Ranking = Ranking("")
    error: str = ""
    withheld: str = ""
    spent: Spent = Spent()


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer that was written for a question and not yet shown; passage 1 is what its marker `[1]` names."""

    question: str
    text: str
    passages: tuple[Chunk, ...] = ()


@dataclass(frozen=True, slots=True)
class Golden:
    """A question with its label, one row of a golden file (columns: golden/README.md)."""

    id: str
    question: str
    answerable: bool
    answer: str = ""
    sources: tuple[str, ...] = ()
    category: str = ""
    version: str = ""
    concepts: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    must: bool = False
    rater2: bool | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A golden row and what a system made of it. `None` means not judged, which is neither right nor wrong.

    `supported` of `claims` statements of the answer are borne out by the passage they cite. `rank` is the place of
    the first relevant hit, 0 when none was found. `recall` is the share of the row's sources among the first k hits.
    `version_correct` and `cites_line` judge what is cited (`places.py`).
    """

    system: str
    golden: Golden
    answer: Answer
    claims: int = 0
    supported: int = 0
    rank: int | None = None
    recall: float | None = None
    correct: bool | None = None
    reason_right: bool | None = None
    signals: dict[str, float] = field(default_factory=dict)
    version_correct: bool | None = None
    cites_line: bool | None = None

    @property
    def right(self) -> bool | None:
        """True for an answered answerable or a refused unanswerable row; None where the system failed."""
        if self.answer.outcome == ERROR:
            return None
        return (self.answer.outcome == ANSWER) == self.golden.answerable


@dataclass(frozen=True, slots=True)
class Rate:
    """Counts, not a fraction: `hits` of `of` rows, and how many were left out because they could not be judged.

    >>> Rate(5, 6)
    5/6
    >>> Rate(0, 0).value
    nan
    """

    hits: float
    of: int
    left_out: int = 0

    @property
    def value(self) -> float:
        return self.hits / self.of if self.of else math.nan

    def __repr__(self) -> str:
        return f"{self.hits:g}/{self.of}" + (f" ({self.left_out} left out)" if self.left_out else "")
