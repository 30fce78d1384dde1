"""Answers that say from which version of a document they are: the one that is in force, or one that it replaced."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragkit.answer import Answerer, Quote, Said, Say
from ragkit.evidence import CURRENT, SUPERSEDED
from ragkit.markers import markers
from ragkit.records import Citation, Ranking
from ragkit.status import Label, labels

if TYPE_CHECKING:
    from ragkit.corpus import Corpus

_BULLET = re.compile(r"^\s*(?:[-*+]\s+)?")


@dataclass(frozen=True)
class Dated:
    """Says from which version of a document an answer is, where there are several: `in force from 2025-04-01: ...`. The
    cited chunks carry the version and the status, so that a record of the answer has them. All else stays as it is."""

    answerer: Answerer = Quote()

    def on(self, corpus: Corpus) -> Say:
        say = self.answerer.on(corpus)
        known = {label.file: label for label in labels(corpus.folder.documents) if label.others}

        def dated(ranking: Ranking) -> Said:
            said = say(ranking)
            cited = [known.get(citation.chunk.file) for citation in said.citations]
            pairs = zip(said.citations, cited, strict=True)
            return replace(said, text=_led(said.text, cited), citations=tuple(_of(*pair) for pair in pairs))

        return dated


def _of(citation: Citation, label: Label | None) -> Citation:
    if label is None:
        return citation
    return replace(citation, chunk=replace(citation.chunk, version=label.version, status=label.status))


def _led(text: str, cited: Sequence[Label | None]) -> str:
    """A text with the version named at the head of each run of lines whose markers are of one document."""
    said, last = list[str](), None
    for piece in _pieces(text):
        numbers = [number for marker in markers(piece) for number in marker.numbers if 0 < number <= len(cited)]
        label = cited[numbers[0] - 1] if numbers else None
        bullet = _BULLET.match(piece)
        at = bullet.end() if bullet else 0
        said.append(f"{piece[:at]}{_told(label)}: {piece[at:]}" if label and label != last else piece)
        last = label
    return "\n".join(said)


def _pieces(text: str) -> Iterator[str]:
    """The lines of a text, each together with those above it that end in no marker: the rows of a table, say."""
    lines: list[str] = []
    for line in text.split("\n"):
        lines.append(line)
        if markers(line):
            yield "\n".join(lines)
            lines = []
    if lines:
        yield "\n".join(lines)


def _told(label: Label) -> str:
    """The version of a document as a reader is told it, and whether that is in doubt.

    >>> _told(Label("a.md", "superseded", "2023-05-01", False, "")), _told(Label("a.md", "current", "v2", True, ""))
    ('superseded, in force from 2023-05-01, to be reviewed', 'in force, version v2')
    """
    day = re.fullmatch(r"\d{4}-\d\d(?:-\d\d)?", label.version)
    status = {CURRENT: "" if day else "in force", SUPERSEDED: SUPERSEDED}.get(label.status, "one of several versions")
    version = f"{'in force from' if day else 'version'} {label.version}" if label.version else "without a date"
    return ", ".join(filter(None, (status, version, "" if label.sure else "to be reviewed")))
