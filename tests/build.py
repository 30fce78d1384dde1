"""Records made by hand for the tests of the answering wing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_lowercase

import pytest

from ragkit.corpus import Corpus, Folder
from ragkit.models import Encode, Encoder, MiniLM, NotAvailable
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


def letters(texts: Sequence[str]) -> list[list[int]]:
    """How often each letter stands in a text, and a last number that is never zero."""
    return [[*map(text.count, ascii_lowercase), 1] for text in texts]


TOY = Encoder("toy", lambda: letters)


def fixed(name: str, **rows: Sequence[float]) -> Encoder:
    """A model that knows these texts and no other."""
    return Encoder(name, lambda: lambda texts: [rows[text] for text in texts])


def minilm() -> Encode:
    """The model itself, at some 10 ms a short text; without its packages the test is passed over."""
    try:
        return MiniLM().load()
    except NotAvailable as error:
        pytest.skip(str(error))
