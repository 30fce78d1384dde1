"""A folder of Markdown, and the corpus that a chunker and an analyzer make of it."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from ragkit.chunk import Chunker, Headings
from ragkit.files import fingerprint, read_text, reading, shown
from ragkit.forms import kin
from ragkit.records import BadInput, Chunk, Document
from ragkit.text import Analyzer, Passage, Word, atoms, same, stems, visible

TERMS = "terms.csv"
_FRONT = re.compile(r"---\n(.*?\n)---(?:\n|\Z)", re.DOTALL)
VECTORS = "vectors.npz"


@dataclass(frozen=True)
class Folder:
    """What was read from a folder: its documents in the order of their names, and the term dictionary beside them.

    `terms` maps a word to the phrases of the documents that it may stand for, `vectors` is the file of vectors that is
    kept beside the documents, if any.
    """

    name: str
    documents: tuple[Document, ...]
    terms: tuple[tuple[str, tuple[str, ...]], ...] = ()
    vectors: Path | None = None

    @property
    def fingerprint(self) -> str:
        return fingerprint(*(part for d in self.documents for part in (d.file, d.text, d.error)), repr(self.terms))


def read(folder: str | Path) -> Folder:
    """All `.md` files below a folder. A file that can not be read becomes a document with an error, see `readable`."""
    if not str(folder):
        raise BadInput("the name of the corpus is empty; name a folder")
    folder = Path(folder)
    with reading(folder):
        os.listdir(folder)
    files = sorted(_markdown_below(folder), key=lambda path: path.relative_to(folder).as_posix())
    documents = tuple(_document(path, path.relative_to(folder).as_posix()) for path in files)
    terms = read_terms(folder / TERMS) if (folder / TERMS).exists() else ()
    vectors = folder / VECTORS if (folder / VECTORS).exists() else None
    return Folder(Path(os.path.abspath(folder)).name, documents, terms, vectors)


def readable(folder: Folder) -> Folder:
    """The folder itself; stops on the first file that could not be read, since answers from a part mislead."""
    for document in folder.documents:
        if document.error:
            raise BadInput(document.error)
    return folder


def read_terms(path: Path) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The term dictionary: columns `term,means`, optional `note`; `means` holds phrases with `|` between them."""
    rows = csv.DictReader(read_text(path).split("\n"), restkey="more", strict=True)
    try:
        return tuple(_terms(rows, path))
    except csv.Error as error:
        raise BadInput(f"{shown(path)}:{rows.line_num}: {error}; check the quotation marks") from None


def _terms(rows: csv.DictReader[str], path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    if missing := {"term", "means"} - set(rows.fieldnames or ()):
        raise BadInput(f"{shown(path)}:1: no column {sorted(missing)[0]!r}; the columns are term,means,note")
    for row in rows:
        term = (row["term"] or "").strip()
        means = tuple(phrase.strip() for phrase in (row["means"] or "").split("|") if phrase.strip())
        if len(term.split()) != 1 or not means:
            raise BadInput(f"{shown(path)}:{rows.line_num}: needs one word as term and at least one phrase under means")
        if "more" in row:
            raise BadInput(f"{shown(path)}:{rows.line_num}: more cells than columns; put quotes around a comma")
        yield term, means


def _markdown_below(folder: Path) -> Iterable[Path]:
    seen: set[str] = set()  # a linked folder is followed once, so that a loop of links ends
    for parent, folders, names in os.walk(folder, onerror=_not_passed_over, followlinks=True):
        if (real := os.path.realpath(parent)) in seen:
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(parent, name) for name in names if name.lower().endswith(".md") and not name.startswith("."))


def _not_passed_over(error: OSError) -> None:
    with reading(error.filename):
        raise error


def _document(path: Path, name: str) -> Document:
    if path.exists() and not path.is_file():
        return Document(name, "", f"{shown(path)}: is no regular file; remove it or name it otherwise")
    try:
        return Document(name, read_text(path))
    except BadInput as error:
        return Document(name, "", str(error))


class Corpus:
    """The chunks of a folder and the words in them. Chunks without a word to answer from are kept and never ranked."""

    def __init__(self, folder: Folder, *, chunker: Chunker, analyzer: Analyzer) -> None:
        cuts = [chunker.on(document) for document in folder.documents]
        self.folder, self.analyzer = folder, analyzer
        self.dropped = tuple(row for _, dropped in cuts for row in dropped)
        pairs = zip(folder.documents, cuts, strict=True)
        self.all_chunks = tuple(each for document, (cut, _) in pairs for each in _labelled(cut, front(document)))
        self.find = lru_cache(maxsize=4096)(self._find)
        self.passage = lru_cache(maxsize=4096)(self._passage)
        self.memo: dict[Callable[..., Any], dict[Any, Any]] = {}  # what others worked out about this corpus

    @classmethod
    def of_chunks(
        cls,
        chunks: Iterable[Chunk],
        *,
        analyzer: Analyzer | None = None,
        name: str = "chunks",
        vectors: Path | None = None,
    ) -> Corpus:
        """A corpus of ready-made chunks."""
        corpus = cls(Folder(name, (), vectors=vectors), chunker=Headings(), analyzer=analyzer or Analyzer())
        corpus.all_chunks = tuple(chunks)
        return corpus

    def part(self, chunks: Iterable[Chunk]) -> Corpus:
        """A corpus of some of its chunks, with the same documents, words, terms and vectors."""
        found = Corpus(replace(self.folder, documents=()), chunker=Headings(), analyzer=self.analyzer)
        found.folder, found.all_chunks = self.folder, tuple(chunks)
        return found

    @cached_property
    def chunks(self) -> tuple[Chunk, ...]:
        """The chunks that can answer something, in the order of their ids: what is ranked."""
        speaking = (chunk for chunk in self.all_chunks if self.analyzer.speaks(visible(chunk.text)))
        return tuple(sorted(speaking, key=lambda chunk: chunk.id))

    @cached_property
    def empty(self) -> tuple[Chunk, ...]:
        """The chunks that hold no word to answer from."""
        alive = {chunk.id for chunk in self.chunks}
        return tuple(chunk for chunk in self.all_chunks if chunk.id not in alive)

    @cached_property
    def terms(self) -> list[list[str]]:
        """The index terms of each chunk, in step with `chunks`."""
        return [[stem for word in words for stem in stems(word)] for words in self._words]

    @cached_property
    def holders(self) -> dict[str, list[int]]:
        """The places in `chunks` where an index term occurs, in order."""
        found: dict[str, list[int]] = {}
        for n, terms in enumerate(self.terms):
            for term in dict.fromkeys(terms):
                found.setdefault(term, []).append(n)
        return found

    @cached_property
    def spelled(self) -> dict[str, bool]:
        """Every word as written without hyphens, `kxcode`, `wifi`, and whether it is a code."""
        words = {word for words in self._words for word in words}
        return {"".join(atom.form for atom in atoms(word)): bool(word.pieces) for word in sorted(words, key=_code_last)}

    @cached_property
    def continues(self) -> dict[str, set[bool]]:
        """For each piece of a code whether a number (True) or letters (False) follow it somewhere."""
        found: dict[str, set[bool]] = {}
        for word in {word for words in self._words for word in words}:
            for piece, after in pairwise(word.pieces):
                found.setdefault(piece.stem, set()).add(after.form.isdigit())
        return found

    @cached_property
    def free(self) -> frozenset[str]:
        """The terms of whole words and whole codes: all but those that are only a piece of a code."""
        return frozenset(word.stem for words in self._words for word in words)

    def meanings(self, word: Word) -> Iterator[tuple[Word, ...]]:
        """The phrases that the term dictionary gives for a word."""
        for term, phrases in self._dictionary:
            if same(term, word) or (self.analyzer.dictionary == "substring" and term.form in word.form):
                yield from phrases

    @cached_property
    def _dictionary(self) -> list[tuple[Word, tuple[tuple[Word, ...], ...]]]:
        terms = () if self.analyzer.dictionary == "none" else self.folder.terms
        cut = self.analyzer.words
        return [
            (cut(term)[0], tuple(tuple(cut(phrase)) for phrase in means if cut(phrase)))
            for term, means in terms
            if cut(term)
        ]

    @cached_property
    def texts(self) -> list[str]:
        """What a reader sees of each chunk, in step with `chunks`."""
        return [visible(chunk.text) for chunk in self.chunks]

    @cached_property
    def places(self) -> dict[str, int]:
        """The place in `chunks` of each chunk id."""
        return {chunk.id: n for n, chunk in enumerate(self.chunks)}

    @cached_property
    def _forms(self) -> dict[str, dict[str, list[int]]]:
        """For each index term the forms it is written in, and the places where they stand."""
        found: dict[str, dict[str, list[int]]] = {}
        for n, words in enumerate(self._words):
            for form, stem in {(part.form, part.stem): 0 for word in words for part in (word, *word.pieces)}:
                found.setdefault(stem, {}).setdefault(form, []).append(n)
        return found

    def _find(self, phrase: tuple[Word, ...]) -> dict[int, str]:
        """The places in `chunks` that hold a phrase, each with the form that stands there."""
        word = phrase[0]
        if len(phrase) == 1 and not word.pieces:
            forms = sorted(self._forms.get(word.stem, {}), key=lambda form: (form == word.form, form))
            return {n: form for form in forms if kin(word.form, form) for n in self._forms[word.stem][form]}
        found = ((n, self.passage(self.chunks[n]).find(phrase)) for n in sorted(self._candidates(phrase)))
        return {n: form for n, form in found if form}

    def _candidates(self, phrase: Sequence[Word]) -> set[int]:
        """The chunks with all pieces of a phrase, or with the whole as one word."""
        whole = set(self.holders.get(phrase[0].stem, ())) if len(phrase) == 1 else set()
        parts = [self.holders.get(atom.stem, ()) for word in phrase for atom in atoms(word) if not atom.stop]
        return whole.union(set.intersection(*map(set, parts)) if parts else ())

    @cached_property
    def _words(self) -> list[list[Word]]:
        return [self._words_of(chunk) for chunk in self.chunks]

    def _words_of(self, chunk: Chunk) -> list[Word]:
        """All words a chunk is found by: of its headings, its lead and its text."""
        return self.analyzer.words("\n".join((*chunk.path, visible(chunk.lead), visible(chunk.text))))

    def _passage(self, chunk: Chunk) -> Passage:
        """A chunk with its headings, laid out for looking phrases up."""
        place = self.places.get(chunk.id)
        words = self._words_of(chunk) if place is None else self._words[place]
        return Passage(words, visible(f"{chunk.lead}\n{chunk.text}"))


def front(document: Document) -> dict[str, str]:
    """What stands in the front matter of a document, a line a key; nested values are left out.

    >>> front(Document("a.md", "---\\nversion: v2\\n---\\n# A"))
    {'version': 'v2'}
    """
    found = _FRONT.match(document.text)
    lines = (line.partition(":") for line in found[1].split("\n")) if found else ()
    pairs = ((key, value.strip()) for key, colon, value in lines if colon and not key.startswith(" "))
    return {key.strip(): value.strip("'\"") for key, value in pairs if not value.startswith(("[", "{"))}


def _labelled(chunks: Sequence[Chunk], labels: Mapping[str, str]) -> Sequence[Chunk]:
    if not labels:
        return chunks
    version, status, url = (labels.get(name, "") for name in ("version", "status", "url"))
    return [replace(chunk, version=version, status=status, url=url) for chunk in chunks]


def _code_last(word: Word) -> tuple[bool, str]:
    return bool(word.pieces), word.form


@lru_cache(maxsize=8)
def index(folder: Folder, chunker: Chunker, analyzer: Analyzer) -> Corpus:
    """The corpus that a chunker and an analyzer make of a folder; systems that share both share it."""
    return Corpus(folder, chunker=chunker, analyzer=analyzer)
