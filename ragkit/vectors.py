"""Vectors of texts, each computed once, and the chunks of a corpus in the space of a model.

A vector is kept in half precision under the hash of its text, its task and its model: in the file beside the documents,
which is only read here, and in results/cache. A cosine is a sum in double precision over kept vectors, so that the same
vectors give the same cosines on any machine and in any batch.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ragkit.concept import remembered
from ragkit.files import cache, reading, shown, write_bytes
from ragkit.models import DOCUMENT, QUERY, Embed, Encode
from ragkit.records import BadInput, Chunk, ModelFailed
from ragkit.text import visible

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ragkit.corpus import Corpus

TOGETHER = 100  # texts that are computed between two writes to the cache
WAIT = 600.0  # seconds for another process that computes
MANY = 512  # texts from which on a bar is shown
QUESTIONS = 128  # questions compared with all chunks at a time
CLOSE = 4e-3  # four times what half precision can take from the length of two vectors


class Vectors:
    """The vectors of one model. What neither the kept file nor the cache holds is computed and put into the cache.

    `computed` counts the texts for which the model was asked, in `seconds`.
    """

    def __init__(self, embed: Embed, kept: Path | None = None) -> None:
        self.embed, self._file = embed, kept
        self._known: dict[bytes, NDArray[np.float16]] | None = None
        self._encode: Encode | None = None
        self.computed, self.seconds = 0, 0.0

    def of(self, texts: Sequence[str], task: str) -> NDArray[np.float16]:
        """Unit vectors. Shape (texts, dimensions)."""
        if self._known is None:
            self._known = read(self._file) if self._file else {}
        keys = [_key(text, self.embed.key(task)) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if missing:
            with _Cache() as kept:
                self._known |= kept.get(missing)
                self._compute({key: text for key, text in missing.items() if key not in self._known}, task, kept)
        found = [self._known[key] for key in keys]
        if len({len(vector) for vector in found}) > 1:
            raise ModelFailed(
                f"{self.embed.key(task)}: gave vectors of other dimensions before; name the model otherwise"
            )
        return np.stack(found) if found else np.zeros((0, 0), np.float16)

    def save(self, file: Path, texts: Iterable[tuple[str, str]]) -> int:
        """Writes the vectors of (text, task) pairs to a file, and how many they are; the same texts, the same bytes."""
        pairs = list(dict.fromkeys(texts))
        for task in (QUERY, DOCUMENT):
            self.of([text for text, of in pairs if of == task], task)
        known, keys = self._known or {}, sorted({_key(text, self.embed.key(task)) for text, task in pairs})
        hashes = np.frombuffer(b"".join(keys), np.uint8).reshape(len(keys), 16)
        vectors = np.stack([known[key] for key in keys]) if keys else np.zeros((0, 0), np.float16)
        out = io.BytesIO()
        np.savez(out, hashes=hashes, vectors=vectors, check=_check(hashes.tobytes() + vectors.tobytes()))
        write_bytes(file, out.getvalue())
        return len(keys)

    def _compute(self, missing: dict[bytes, str], task: str, kept: _Cache) -> None:
        if not missing:
            return
        assert self._known is not None
        encode, keys = self._encode or self.embed.load(), sorted(missing, key=lambda key: len(missing[key]))
        self._encode = encode
        with _bar(len(keys)) as advance:
            for first in range(0, len(keys), TOGETHER):
                part = keys[first : first + TOGETHER]
                with kept.alone():  # what another process computed meanwhile is there by now
                    self._known |= kept.get(part)
                    left, start = [key for key in part if key not in self._known], time.perf_counter()
                    if left:
                        found = _unit(encode([missing[key] for key in left], task), len(left), self.embed.key(task))
                        made = dict(zip(left, found, strict=True))
                        kept.put(made)
                        self._known |= made
                advance(len(part))
                self.computed, self.seconds = self.computed + len(left), self.seconds + time.perf_counter() - start


def _unit(vectors: NDArray[np.float32], texts: int, model: str) -> NDArray[np.float16]:
    """Vectors of length one; stops on what is none."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True) if vectors.ndim == 2 else np.zeros(0)
    if len(lengths) != texts or not np.isfinite(lengths).all() or not lengths.all():
        raise ModelFailed(f"{model}: gave no vector for some of {texts} texts (shape {vectors.shape})")
    return (vectors / lengths).astype(np.float16)


def _check(data: bytes) -> NDArray[np.uint8]:
    """Eight bytes that tell whether what was kept is still as it was."""
    return np.frombuffer(hashlib.sha256(data).digest()[:8], np.uint8)


def _key(text: str, model: str) -> bytes:
    return hashlib.sha256(f"{model}\n{text}".encode("utf-8", "surrogatepass")).digest()[:16]


def read(file: Path) -> dict[bytes, NDArray[np.float16]]:
    """The vectors of a file that `Vectors.save` wrote, by the hash of their text and model."""
    from zipfile import BadZipFile

    with reading(file):
        kept = io.BytesIO(file.read_bytes())
    try:
        with np.load(kept, allow_pickle=False) as data:
            hashes, vectors, check = data["hashes"], data["vectors"], data["check"]
        right = (hashes.dtype, vectors.dtype, vectors.ndim) == (np.uint8, np.float16, 2)
        if not right or hashes.shape != (len(vectors), 16):
            raise ValueError
        if not np.array_equal(check, _check(hashes.tobytes() + vectors.tobytes())):
            raise ValueError
    except (ValueError, KeyError, TypeError, RuntimeError, EOFError, BadZipFile):
        raise BadInput(f"{shown(file)}: no file of vectors; restore it or run ragkit index --vectors") from None
    return {row.tobytes(): vector for row, vector in zip(hashes, vectors, strict=True)}


class _Cache:
    """results/cache/vectors.sqlite: vectors by hash. Safe against a kill and a second process."""

    def __init__(self) -> None:
        self._file = cache() / "vectors.sqlite"

    def __enter__(self) -> _Cache:
        import sqlite3  # late: no lexical question needs it

        self._error = sqlite3.Error
        with self._told():
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(self._file, timeout=WAIT, isolation_level=None)
            made = "create table if not exists checked (key blob primary key, vector blob) without rowid"
            try:
                self._base.execute(made)
            except sqlite3.Error:
                self._base.close()
                raise
        return self

    def __exit__(self, *error: object) -> None:
        self._base.close()

    def get(self, keys: Iterable[bytes]) -> dict[bytes, NDArray[np.float16]]:
        """Those of the keys that are there and as they were put there."""
        with self._told():
            asked = "select vector from checked where key = ?"
            rows = {key: self._base.execute(asked, (key,)).fetchone() for key in keys}
        kept = {key: row[0] for key, row in rows.items() if row and isinstance(row[0], bytes)}
        whole = {key: data[:-8] for key, data in kept.items() if data[-8:] == _check(data[:-8]).tobytes()}
        return {key: np.frombuffer(data, np.float16) for key, data in whole.items()}

    def put(self, vectors: dict[bytes, NDArray[np.float16]]) -> None:
        plain = {key: vector.tobytes() for key, vector in vectors.items()}
        rows = [(key, data + _check(data).tobytes()) for key, data in plain.items()]
        with self._told():
            self._base.executemany("insert or replace into checked values (?, ?)", rows)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """No other process writes meanwhile; what is put stays when the block ends well."""
        with self._told():
            self._base.execute("begin immediate")
        try:
            yield
        except BaseException:
            self._base.rollback()
            raise
        with self._told():
            self._base.execute("commit")

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (self._error, OSError) as error:
            place, said = (error.filename, error.strerror) if isinstance(error, OSError) else (self._file, error)
            raise BadInput(
                f"{shown(place)}: {said}; remove the file, allow writing there, or name another folder in RAGKIT_CACHE"
            ) from None


@contextlib.contextmanager
def _bar(of: int) -> Iterator[Callable[[int], None]]:
    """A bar on stderr for many texts: how many are done, and how many a second."""
    if of < MANY:
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("embedding"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"))
    with Progress(*columns, console=Console(file=sys.stderr, force_jupyter=False)) as progress:
        bar, start = progress.add_task("", total=of, rate=""), time.perf_counter()

        def advance(done: int) -> None:
            total = progress.tasks[0].completed + done
            progress.update(bar, advance=done, rate=f"{total / (time.perf_counter() - start):.0f} texts/s")

        yield advance


class Space:
    """The chunks of a corpus, and texts beside them, in the space of a model."""

    def __init__(self, embed: Embed, corpus: Corpus) -> None:
        self.vectors, self._corpus = Vectors(embed, corpus.folder.vectors), corpus
        self._chunks: NDArray[np.float32] | None = None

    def nearest(self, questions: Sequence[str], k: int) -> list[Near]:
        """For each question the places of the k nearest chunks and their cosines, nearest first, equal ones by id."""
        if not self._corpus.chunks:
            return [Near(np.zeros(0, np.intp), np.zeros(0))] * len(questions)
        if self._chunks is None:
            texts = [shown_text(chunk) for chunk in self._corpus.chunks]
            self._chunks = self.vectors.of(texts, DOCUMENT).astype(np.float32)
        asked = self.vectors.of(questions, QUERY).astype(np.float32)
        parts = (asked[first : first + QUESTIONS] for first in range(0, len(asked), QUESTIONS))
        return [
            self._near(row, about, k) for part in parts for row, about in zip(part, part @ self._chunks.T, strict=True)
        ]

    def _near(self, question: NDArray[np.float32], about: NDArray[np.float32], k: int) -> Near:
        """The k nearest by exact cosine, taken from the chunks whose product `about` comes close to the k-th best."""
        assert self._chunks is not None
        cut = max(len(about) - k, 0)
        places = np.flatnonzero(about >= np.partition(about, cut)[cut] - CLOSE)
        found = cosines(question, self._chunks[places])
        best = (-found).argsort(kind="stable")[:k]
        return Near(places[best], found[best])

    def likeness(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """The cosine of each text to a question."""
        return cosines(self.vectors.of([question], QUERY)[0], self.vectors.of(texts, DOCUMENT))


class Near(NamedTuple):
    """Places in `corpus.chunks` and the cosines there, nearest first."""

    places: NDArray[np.intp]
    cosines: NDArray[np.float64]


def cosines(question: NDArray[Any], rows: NDArray[Any]) -> NDArray[np.float64]:
    """The cosine of each row to a vector, each row by itself and in double precision. Shape (rows,)."""
    asked, rows = question.astype(np.float64), rows.astype(np.float64)
    return (rows * asked).sum(axis=1) / np.sqrt((rows * rows).sum(axis=1) * (asked * asked).sum())


@remembered
def space(embed: Embed, corpus: Corpus) -> Space:
    """The space of a model over a corpus, made once."""
    return Space(embed, corpus)


def shown_text(chunk: Chunk) -> str:
    """What a chunk is embedded as: its headings, and what a reader sees of it."""
    return "\n".join(filter(None, (" > ".join(chunk.path), visible(chunk.lead), visible(chunk.text))))
