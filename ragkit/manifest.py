"""What an index holds of each file, so that a loss is loud and specific."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from ragkit.corpus import Corpus
from ragkit.files import fingerprint
from ragkit.records import Chunk, Document


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the corpus. `covered` is the share of its characters, white space aside, that stand in chunks."""

    id: str
    chunks: int
    words: int
    covered: float
    hash: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files of a corpus; `empty` are files and sections that gave nothing, `dropped` are lines left out."""

    corpus: str
    files: tuple[Entry, ...]
    empty: tuple[str, ...]
    dropped: tuple[str, ...]

    @property
    def chunks(self) -> int:
        return sum(entry.chunks for entry in self.files)


def manifest(corpus: Corpus) -> Manifest:
    """The manifest of a corpus, one entry a file that was found, read or not."""
    ranked: dict[str, list[Chunk]] = {}
    for chunk in corpus.chunks:
        ranked.setdefault(chunk.file, []).append(chunk)
    documents = corpus.folder.documents
    spans: dict[str, list[tuple[int, int]]] = {}
    for chunk in corpus.all_chunks:
        spans.setdefault(chunk.file, []).append(chunk.lines)
    silent = [d.file for d in documents if not d.error and d.file not in ranked]
    hollow = [f"{c.heading}, line {c.lines[0]}" for c in corpus.empty if c.file in ranked]
    left = [f"{row.file}:{row.lines[0]}-{row.lines[1]}: {row.why}" for row in corpus.dropped]
    files = tuple(
        _entry(document, ranked.get(document.file, []), spans.get(document.file, [])) for document in documents
    )
    return Manifest(corpus.folder.name, files, (*silent, *hollow), tuple(left))


def as_json(found: Manifest) -> str:
    """The manifest as it is kept beside the documents."""
    rows = [asdict(entry) | {"covered": round(entry.covered, 4)} for entry in found.files]
    data = {"corpus": found.corpus, "files": rows, "empty": list(found.empty), "dropped": list(found.dropped)}
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _entry(document: Document, chunks: list[Chunk], spans: list[tuple[int, int]]) -> Entry:
    words = sum(len(chunk.text.split()) for chunk in chunks)
    return Entry(
        document.file, len(chunks), words, _covered(document, spans), fingerprint(document.text), document.error
    )


def _covered(document: Document, spans: list[tuple[int, int]]) -> float:
    sizes = [len("".join(line.split())) for line in document.text.split("\n")]
    held = {line for low, high in spans for line in range(low, high + 1)}
    total = sum(sizes)
    return sum(size for line, size in enumerate(sizes, 1) if line in held) / total if total else 0.0
