"""Records made by hand for the tests of the answering wing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ragkit.corpus import Corpus, Folder
from ragkit.records import Chunk, Document, Hit, Ranking
from ragkit.text import Analyzer

ROOT = Path(__file__).resolve().parents[1]
KESTREL = ROOT / "corpus" / "kestrel"
GOLDEN = ROOT / "golden"


def chunk(text: str, *path: str, id: str = "a") -> Chunk:
    return Chunk(id, "a.md", text, path)


def corpus(*texts: str, terms: Mapping[str, str] | None = None, analyzer: Analyzer | None = None) -> Corpus:
    """A corpus of ready-made chunks with the ids 000, 001 and so on, in this order."""
    chunks = [chunk(text, id=f"{n:03}") for n, text in enumerate(texts)]
    made = Corpus.of_chunks(chunks, analyzer=analyzer)
    made.folder = Folder("made", (), tuple((term, tuple(means.split("|"))) for term, means in (terms or {}).items()))
    return made


def folder(**files: str) -> Folder:
    """A folder of documents: `folder(a="# A")` holds the file a.md."""
    return Folder("made", tuple(Document(f"{name}.md", text) for name, text in files.items()))


def ranking(question: str, corpus: Corpus, *scores: float) -> Ranking:
    """The first chunks of a corpus with these scores, in this order."""
    return Ranking(question, tuple(map(Hit, corpus.chunks, scores)))
