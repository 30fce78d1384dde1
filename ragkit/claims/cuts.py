"""What cutting on headings or in windows does: to citations after an edit, to what is found, to facts on a boundary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from ragkit.check import holds, shown, words
from ragkit.chunk import Chunker, Headings, Windows, blocks, outline
from ragkit.claims import lab
from ragkit.claims.claim import Above, AtLeast, AtMost, Claim, Figure, Found, Row, Test
from ragkit.evaluate import retrieved
from ragkit.gate import Anything
from ragkit.records import Chunk, Document, Golden, Ranking, Rate
from ragkit.system import System
from ragkit.systems import COVERAGE, FRONT_DESK, SYSTEMS
from ragkit.text import split

HEADINGS, WINDOWS = Headings(), Windows(60, 15)  # the windows are those of the published front desk
CHUNKERS: dict[str, Chunker] = {"headings": HEADINGS, "windows": WINDOWS}

# Citations after an edit


@dataclass(frozen=True)
class Edit:
    """A change of a document that leaves every sentence of it as it was."""

    name: str
    of: Callable[[Document], Document]


def _words(many: int) -> str:
    return " ".join(f"new{n}" for n in range(many)) + "."


def _put(text: str) -> Callable[[Document], Document]:
    """Puts a paragraph below the first heading of a document."""

    def put(document: Document) -> Document:
        first = next(section for section in outline(document) if section.path)
        return _at_line(document, first.body - 1, f"\n{text}\n")

    return put


def _renamed(document: Document) -> Document:
    """Its second heading, or the only one, has another word at the end."""
    heads = [section for section in outline(document) if section.path]
    lines = document.text.split("\n")
    place = heads[:2][-1].lines[0] - 1
    return replace(document, text="\n".join([*lines[:place], f"{lines[place]} anew", *lines[place + 1 :]]))


def _namesake(document: Document) -> Document:
    """A section of the same name as its second one stands before that one."""
    second = [section for section in outline(document) if section.path][:2][-1]
    line = document.text.split("\n")[second.lines[0] - 1]
    return _at_line(document, second.lines[0] - 1, f"{line}\n\n{_words(10)}\n")


def _at_line(document: Document, place: int, text: str) -> Document:
    lines = document.text.split("\n")
    return replace(document, text="\n".join([*lines[:place], text, *lines[place:]]))


PARAGRAPH = Edit("a paragraph of 50 words put in early", _put(_words(50)))
EDITS = (
    Edit("a sentence of 5 words put in early", _put(_words(5))),
    PARAGRAPH,
    Edit("the second heading renamed", _renamed),
    Edit("a section of the same name before the second", _namesake),
)


def statements(document: Document) -> list[str]:
    """The sentences, list items and table rows of a document, white space made plain."""
    chunks = HEADINGS.on(document)[0]
    found = ((text, header) for chunk in chunks for _, text, header in blocks(chunk))
    return [_plain(each) for text, header in found for each in ([text] if header else [s for _, s in split(text)])]


def _plain(text: str) -> str:
    return " ".join(text.split())


def holders(chunks: Sequence[Chunk], statement: str) -> list[str]:
    """The ids of the chunks that hold a statement whole, in order."""
    return [chunk.id for chunk in chunks if statement in _plain(chunk.text)]


def kept(document: Document, edit: Edit, chunker: Chunker) -> list[bool | None]:
    """For each statement whether the chunk that is cited for it, the first to hold it, still holds it under its id
    after an edit; None where no chunk holds it whole."""
    before, after = (chunker.on(each)[0] for each in (document, edit.of(document)))
    marks: list[bool | None] = []
    for statement in statements(document):
        cited = holders(before, statement)[:1]
        marks.append(cited[0] in holders(after, statement) if cited else None)
    return marks


# What is found

SEARCH = System("search", gates=(Anything(),))
FIRST = (1, 3, 5)


@cache
def searched(chunker: Chunker) -> tuple[tuple[Golden, Ranking], ...]:
    """The answerable questions with sources, each with what BM25 finds among the chunks of a chunker."""
    found: list[tuple[Golden, Ranking]] = []
    for corpus, golden in lab.OURS:
        outcomes = lab.study(corpus, golden).outcomes(replace(SEARCH, chunker=chunker))
        found += [(o.golden, o.answer.ranking) for o in outcomes if o.golden.answerable and o.golden.sources]
    return tuple(found)


def _recalled(chunker: Chunker, k: int) -> list[bool]:
    """For each question whether all its sources are among the first k hits; a window is of all that it touches."""
    return [retrieved(row, ranking, k)[0] == 1 for row, ranking in searched(chunker)]


def _read(chunker: Chunker, k: int) -> list[bool]:
    """For each question with facts whether the first k hits hold them all, each in one piece."""
    found = []
    for row, ranking in searched(chunker):
        texts = [words(shown(hit.chunk)) for hit in ranking.hits[:k]]
        found += [all(any(holds(text, words(fact)) for text in texts) for fact in row.facts)] if row.facts else []
    return found


def _citations() -> Found:
    rows: list[Row] = []
    marks: dict[str, list[list[bool | None]]] = {}
    for edit in EDITS:
        sides = [[mark for each in _documents() for mark in kept(each, edit, chunker)] for chunker in CHUNKERS.values()]
        marks[edit.name] = sides
        shares = (Rate(side.count(True), len(side) - side.count(None), side.count(None)) for side in sides)
        rows.append({"measured": f"cited as before after: {edit.name}", **dict(zip(CHUNKERS, shares, strict=True))})
    for what, of in (("all sources", _recalled), ("facts", _read)):
        for k in FIRST:
            found = {name: of(chunker, k) for name, chunker in CHUNKERS.items()}
            shares = (Rate(sum(side), len(side)) for side in found.values())
            rows.append({"measured": f"{what} in the first {k}", **dict(zip(CHUNKERS, shares, strict=True))})
    headings, windows = marks[PARAGRAPH.name]
    pairs = [(h is True, w) for h, w in zip(headings, windows, strict=True) if w is not None]
    figures = (
        lab.change([w for _, w in pairs], [h for h, _ in pairs]),
        Figure.of(Rate(headings.count(True), len(headings))),
        *(lab.change(of(WINDOWS, 5), of(HEADINGS, 5)) for of in (_recalled, _read)),
    )
    return Found(figures, rows)


def _documents() -> list[Document]:
    return [document for corpus, golden in lab.OURS[::2] for document in lab.study(corpus, golden).folder.documents]


def x_04() -> list[Row]:
    """Both errors of three gates, each over headings and over windows, on all questions of ours (X-04). The cut that a
    design has itself stays as it is."""
    rows: list[Row] = []
    for system in (SYSTEMS["passage"], COVERAGE, FRONT_DESK):
        own = type(system.chunker)
        for name, chunker in CHUNKERS.items():
            cut = system if own is type(chunker) else replace(system, chunker=chunker)
            rows.append(lab.errors(f"{system.name}, {name}", lab.verdicts(cut)))
    return rows


# A fact on a boundary


def cut_at(length: int, chunker: Windows = WINDOWS) -> Rate:
    """Of all places in a long text, one period of the windows, those at which no window holds `length` words whole."""
    step = chunker.size - min(chunker.overlap, chunker.size - 1)
    many = 3 * (chunker.size + length)
    text = " ".join(f"w{n}" for n in range(many))
    held = [[int(word[1:]) for word in chunk.text.split()] for chunk in chunker.on(Document("a.md", text))[0]]
    places = range(chunker.size, chunker.size + step)
    whole = sum(any(n[0] <= place and place + length - 1 <= n[-1] for n in held) for place in places)
    return Rate(step - whole, step)


def _facts() -> Iterator[tuple[Document, str]]:
    """The key facts of all questions of ours, each once a document that is a source of it and states it."""
    for corpus, golden in lab.OURS:
        study = lab.study(corpus, golden)
        of = {document.file: document for document in study.folder.documents}
        for row in study.rows:
            for file in dict.fromkeys(source.partition("#")[0] for source in row.sources):
                yield from ((of[file], fact) for fact in row.facts if holds(words(of[file].text), words(fact)))


def _boundaries() -> Found:
    own = [(document, each) for document in _documents() for each in statements(document)]
    lengths = [len(each.split()) for _, each in own]
    by_length = {length: cut_at(length) for length in sorted({*lengths, *LENGTHS})}
    facts = list(dict.fromkeys(_facts()))
    split_up = sum(not holders(_windows(document), each) for document, each in own)
    torn = sum(not any(holds(words(c.text), words(fact)) for c in _windows(document)) for document, fact in facts)
    figures = (
        Figure.exact(sum(by_length[length].value for length in lengths) / len(lengths), len(lengths)),
        Figure.exact(split_up / len(own), len(own)),
        Figure.exact(torn / len(facts), len(facts)),
    )
    rows = [
        {
            "words": n,
            "share of places where cut": by_length[n].value,
            "sentences of ours at most as long": Rate(sum(m <= n for m in lengths), len(own)),
        }
        for n in LENGTHS
    ]
    return Found(figures, rows)


LENGTHS = (5, 10, 15, 16, 17, 20, 25, 30, 40, 60, 61)


@cache
def _windows(document: Document) -> list[Chunk]:
    return WINDOWS.on(document)[0]


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "H20",
        "Chunks on headings give stable citation anchors and match how documents are written, windows do not.",
        "S0-57, X-04",
        "Each document of our three corpora is edited and cut again: does the chunk id cited for a sentence still hold "
        "it? And all our answerable questions put to BM25 over either cut: sources and facts among five hits.",
        (
            Test("cited as before after a paragraph was put in early, headings less windows", Above()),
            Test("cited as before after a paragraph was put in early, headings", AtLeast(0.95)),
            Test("all sources in the first five, headings less windows", Above()),
            Test("all facts whole in the first five, headings less windows", Above()),
        ),
        _citations,
    ),
    Claim(
        "H35",
        "Windows of 60 words that overlap by 15 never cut a fact in half.",
        "S2-18",
        "For each length every place of a sentence in a long text, counted out: does one window hold it whole? Taken "
        "over the lengths of our own sentences; then those sentences and the key facts of our questions as they stand.",
        (
            Test("places at which a sentence as long as ours is cut", AtMost(0)),
            Test("sentences of our documents that no window holds whole", AtMost(0)),
            Test("key facts of our questions that no window holds whole", AtMost(0)),
        ),
        _boundaries,
        "true up to 16 words; a sentence of 20 is cut at 16 of 180 places, one of 30 at 46 of 170",
    ),
)
