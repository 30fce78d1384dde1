"""What is lost between a document and its index, and whether anyone is told: the manifest, table headers, review."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ragkit.check import holds, shown, words
from ragkit.chunk import Chunker, Headings, blocks
from ragkit.claims import lab
from ragkit.claims.claim import Above, AtLeast, AtMost, Claim, Figure, Found, Row, Test
from ragkit.corpus import Folder, index
from ragkit.evaluate import correct, relevant
from ragkit.gate import Anything
from ragkit.manifest import Manifest, manifest
from ragkit.records import REFUSE, Answer, Chunk, Document, Golden, Rate
from ragkit.studies.mutations import PLANTED
from ragkit.system import System
from ragkit.systems import COVERAGE
from ragkit.text import Analyzer, visible

# What the manifest tells of a loss

WHOLE = COVERAGE.chunker  # the published chunker: it drops what is shorter than 80 characters
ALL = Headings()


@dataclass(frozen=True)
class Loss:
    """A way to lose a file or a part of one: what is left of the document, None when it is gone, and how it is cut."""

    name: str
    left: Callable[[Document], Document | None] = lambda document: document
    chunker: Chunker = ALL


def _planted(name: str) -> Callable[[Folder], Folder]:
    return next(each.documents for each in PLANTED if each.name == name)


def _last_section(document: Document) -> Document:
    return _planted("text of the last section of each document lost")(Folder("", (document,))).documents[0]


def _headings(document: Document) -> Document:
    return replace(document, text="\n\n".join(line for line in document.text.split("\n") if line.startswith("#")))


FILES = (
    Loss("the file is gone", lambda document: None),
    Loss("the file can not be read", lambda document: replace(document, text="", error="can not be read")),
    Loss("the file is empty", lambda document: replace(document, text="")),
    Loss("headings alone are left", _headings),
)
PARTS = (
    Loss("half of the file is read", lambda document: replace(document, text=document.text[: len(document.text) // 2])),
    Loss("the last section has lost its text", _last_section),
    Loss("short sections are dropped", chunker=WHOLE),
)


def reconciled(before: Manifest, after: Manifest) -> set[str]:
    """The files that a comparison of sets names: no longer there, not read, or without a chunk."""
    silent = {entry.id for entry in after.files if entry.error or not entry.chunks}
    return silent | {entry.id for entry in before.files} - {entry.id for entry in after.files}


def listed(before: Manifest, after: Manifest) -> set[str]:
    """The files of which a section or lines are newly listed as empty or left out."""
    new = {*after.empty, *after.dropped} - {*before.empty, *before.dropped}
    return {entry.id for entry in before.files if any(line.startswith(entry.id) for line in new)}


def _rehashed(before: Manifest, after: Manifest) -> set[str]:
    known = {entry.id: entry.hash for entry in before.files}
    return {entry.id for entry in after.files if entry.hash != known[entry.id]}


def told(loss: Loss, folders: Iterable[Folder]) -> Row:
    """A loss planted in one file after the other, where it loses something: the files that each reading names, it alone
    among all files of the folder."""
    named: list[tuple[bool, ...]] = []
    for folder in folders:
        before = manifest(index(folder, ALL, Analyzer()))
        for document in folder.documents:
            left = loss.left(document)
            if left and _pieces(left, loss.chunker) == _pieces(document, ALL):
                continue
            kept = [left if each == document else each for each in folder.documents]
            after = manifest(index(replace(folder, documents=tuple(filter(None, kept))), loss.chunker, Analyzer()))
            named.append(tuple(document.file in read(before, after) for read in (reconciled, listed, _rehashed)))
    columns = zip(*named, strict=True) if named else ((), (), ())
    names = ("by reconciliation", "by lists of sections", "by another hash")
    return {"loss": loss.name, **{name: Rate(sum(seen), len(named)) for name, seen in zip(names, columns, strict=True)}}


def _pieces(document: Document, chunker: Chunker) -> list[tuple[str, str]]:
    return [(chunk.id, chunk.text) for chunk in chunker.on(document)[0]]


def dropped_questions() -> Row:
    """What the published system says to the answerable questions whose section its chunker has dropped."""
    found = []
    for corpus, golden in lab.OURS:
        study = lab.study(corpus, golden)
        held = {name for chunk in study.bot(COVERAGE).corpus.all_chunks for name in chunk.sections}
        found += [o for o in study.outcomes(COVERAGE) if "#" in "".join(o.golden.sources) and _lost(o.golden, held)]
    refused = [o.answer.outcome == REFUSE for o in found]
    return {
        "questions on it": len(found),
        "refused": refused.count(True),
        "answered from elsewhere": refused.count(False),
    }


def _lost(row: Golden, held: set[str]) -> bool:
    return any(source not in held for source in row.sources if "#" in source)


def _losses() -> Found:
    folders = [lab.study(corpus, golden).folder for corpus, golden in lab.OURS[::2]]
    files, parts = ([told(loss, folders) for loss in each] for each in (FILES, PARTS))
    asked = dropped_questions()
    rows = [*({**row, **dict.fromkeys(asked)} for row in [*files, *parts[:-1]]), {**parts[-1], **asked}]
    figures = (
        _share(files, "by reconciliation"),
        _share(parts, "by reconciliation"),
        _share(parts, "by lists of sections"),
    )
    return Found(figures, rows)


def _share(rows: Sequence[Row], column: str) -> Figure:
    """The share over all planted losses, counted out."""
    rates = [rate for row in rows if isinstance(rate := row[column], Rate)]
    of = sum(rate.of for rate in rates)
    return Figure.exact(sum(rate.hits for rate in rates) / of, of)


# What a table is worth without its header

SEARCH = System("search", gates=(Anything(),))
HEADERLESS = _planted("table headers dropped")
CUTS = {"whole": ALL, "a row a chunk": Headings(cap=1)}  # the latter repeats the header above each row as its lead
FIRST = (1, 3, 5)

Tabular = tuple[Folder, list[Golden]]


def in_tables(rows: Iterable[Golden], chunks: Sequence[Chunk]) -> list[Golden]:
    """The rows with a source in which a single table row, its header aside, holds all their facts. Sums (q7) are left
    out: a row that holds their result does so by chance."""
    return [row for row in rows if row.facts and row.category != "q7" and _in_a_row(row, chunks)]


def _in_a_row(row: Golden, chunks: Sequence[Chunk]) -> bool:
    sources = [chunk for chunk in chunks if any(relevant(chunk, source) for source in row.sources)]
    return any(_states(row, text) for chunk in sources for _, text, header in blocks(chunk) if header)


def _states(row: Golden, text: str) -> bool:
    said = words(visible(text))
    return all(holds(said, words(fact)) for fact in row.facts)


def found(row: Golden, answer: Answer, k: int) -> bool:
    """Whether one of the first k hits is of a source of the row and holds all its facts."""
    hits = [hit.chunk for hit in answer.ranking.hits[:k]]
    return any(_states(row, shown(chunk)) for chunk in hits if any(relevant(chunk, each) for each in row.sources))


def _asked(cut: str, change: Callable[[Folder], Folder], questions: Sequence[Tabular]) -> list[tuple[Golden, Answer]]:
    system, pairs = replace(SEARCH, chunker=CUTS[cut]), list[tuple[Golden, Answer]]()
    for folder, rows in questions:
        pairs += zip(rows, system.on(change(folder)).ask_all([row.question for row in rows]), strict=True)
    return pairs


def tables(questions: Sequence[Tabular]) -> Found:
    """Table questions put to tables whole and cut into rows, with their headers and without."""
    marks: dict[tuple[str, bool], list[bool]] = {}
    stated: dict[tuple[str, bool], list[bool]] = {}
    rows = []
    for cut, change in itertools.product(CUTS, (lambda folder: folder, HEADERLESS)):
        key = cut, change is not HEADERLESS
        pairs = _asked(cut, change, questions)
        marks[key] = [found(row, answer, 5) for row, answer in pairs]
        stated[key] = [correct(row, answer) is True for row, answer in pairs]
        shares = {f"found in {k}": Rate(sum(found(*pair, k) for pair in pairs), len(pairs)) for k in FIRST}
        rows.append({"table": cut, "header": key[1], **shares, "facts stated": Rate(sum(stated[key]), len(pairs))})
    figures = (
        Figure.of(Rate(sum(marks["whole", False]), len(marks["whole", False]))),
        *(lab.change(marks[cut, False], marks[cut, True]) for cut in CUTS),
        *(lab.change(stated[cut, False], stated[cut, True]) for cut in CUTS),
    )
    return Found(figures, rows)


def _tables() -> Found:
    studies = [lab.study(corpus, golden) for corpus, golden in lab.OURS]
    return tables([(each.folder, in_tables(each.rows, each.bot(SEARCH).corpus.all_chunks)) for each in studies])


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "H11",
        "The same questions get the same verdicts whether documents were written as Markdown or come out of PDFs and "
        "sheets.",
        "S0-20",
        "A corpus as Markdown beside the same one read out of PDFs and sheets, verdicts compared question by question.",
        waits="ingestion",
    ),
    Claim(
        "H19",
        "The manifest makes a loss visible: a document that is missing, failed or gave no text is named.",
        "S0-63..66",
        "Losses planted in one file after the other of our three corpora: of the whole file, and of parts of it. What "
        "names the file: a comparison of sets (missing, failed, empty), our lists of empty and dropped sections, a "
        "hash kept from before. A PDF that is an image waits for ingestion.",
        (
            Test("losses of a whole file that the reconciliation names", AtLeast(1)),
            Test("losses of a part of a file that the reconciliation names", AtLeast(1)),
            Test("losses of a part of a file that our lists of sections name", AtLeast(1)),
        ),
        _losses,
        "whole files confirmed; 2 of 28 sections vanished by the 80-character minimum and reconciliation was silent",
    ),
    Claim(
        "H21",
        "A number without its column header is worthless to retrieval.",
        "S0-54",
        "All questions of our corpora whose facts stand in one table row (sums aside), answered whatever is found by "
        "BM25: tables whole or a row a chunk, the header (repeated above each row where they are cut) there or blank. "
        "Found means that a hit of the source, among the first five, holds the facts.",
        (
            Test("found though the headers are blank, tables whole", AtMost(0.5)),
            Test("found with headers less found without, tables whole", Above()),
            Test("found with headers less found without, a row a chunk", Above()),
            Test("facts stated with headers less without, tables whole", Above()),
            Test("facts stated with headers less without, a row a chunk", Above()),
        ),
        _tables,
    ),
    Claim(
        "H31",
        "A person's approval resumes the very run that was suspended.",
        "S1-22",
        "Kill the process between suspension and approval, approve twice, decline.",
        waits="ingestion and its review queue",
    ),
)
