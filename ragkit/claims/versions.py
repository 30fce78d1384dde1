"""Documents that contradict each other because one is older: filters before and after ranking, labels, both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from ragkit import metrics, status
from ragkit.answer import Answerer, Quote
from ragkit.claims import lab
from ragkit.claims.claim import Above, AtLeast, AtMost, Claim, Figure, Found, Row, Test
from ragkit.corpus import Folder
from ragkit.dated import Dated
from ragkit.evaluate import retrieved
from ragkit.evidence import SUPERSEDED
from ragkit.files import ROOT
from ragkit.gate import Anything
from ragkit.records import Document, Golden, Outcome, Rate
from ragkit.retrieve import Retriever
from ragkit.scope import ByVersion, InForce, Pinned
from ragkit.system import System
from ragkit.systems import CITED, COSINE, HYBRID

# Filtering before ranking, and after

SEARCH = System("search", gates=(Anything(),))
COPIES = (0, 1, 3, 5, 8)
FIRST = (1, 3, 5)


def with_copies(folder: Folder, many: int, *, above: str = "archive") -> Folder:
    """A folder with so many superseded copies of each document below `above`. What scores the same stands by name, so
    that copies in `archive` come above the current document, and copies in `z` below it."""
    old = [
        Document(f"{above}/{n}/{each.file}", f"---\nstatus: superseded\n---\n\n{each.text}")
        for n in range(many)
        for each in folder.documents
    ]
    return replace(folder, documents=(*old, *folder.documents))


def recalled(folder: Folder, rows: Sequence[Golden], retriever: Retriever, k: int = 5) -> list[bool]:
    """For each row whether all its sources are among the first k hits."""
    answers = replace(SEARCH, retriever=retriever, k=k).on(folder).ask_all([row.question for row in rows])
    return [retrieved(row, answer.ranking, k)[0] == 1 for row, answer in zip(rows, answers, strict=True)]


def _rows(corpus: str, keep: Callable[[Golden], bool]) -> list[Golden]:
    """The answerable rows with sources of both golden files of a corpus."""
    files = (golden for name, golden in lab.OURS if name == corpus)
    rows = (row for golden in files for row in lab.study(corpus, golden).rows)
    return [row for row in rows if row.answerable and row.sources and keep(row)]


def _filters() -> Found:
    kestrel, sdk = (lab.study(name, name).folder for name in ("kestrel", "sdk"))
    rows, questions = list[Row](), _rows("kestrel", lambda row: True)
    found: dict[int, list[list[bool]]] = {}
    for many in COPIES:
        folder = with_copies(kestrel, many)
        found[many] = [recalled(folder, questions, InForce(late=late)) for late in (False, True)]
        rows.append(_sides(f"kestrel, {many} old copies above each document", found[many]))
    folder = with_copies(kestrel, 5, above="z")
    below = [recalled(folder, questions, InForce(late=late)) for late in (False, True)]
    rows.append(_sides("kestrel, 5 old copies below each document", below))
    pinned = _rows("sdk", lambda row: bool(row.version))
    by_k = {k: [recalled(sdk, pinned, Pinned(late=late), k) for late in (False, True)] for k in FIRST}
    rows += [_sides(f"sdk, pinned to a version, among {k}", sides) for k, sides in by_k.items()]
    moved = sum(before != after for before, after in zip(found[0][0], found[COPIES[-1]][0], strict=True))
    figures = (_gain(found[5]), _gain(by_k[5]), Figure.exact(moved, len(questions)))
    return Found(figures, rows)


def _sides(questions: str, sides: Sequence[Sequence[bool]]) -> Row:
    early, late = (Rate(sum(side), len(side)) for side in sides)
    return {"questions": questions, "filtered before ranking": early, "filtered after": late}


def _gain(sides: Sequence[Sequence[bool]]) -> Figure:
    return lab.change(sides[1], sides[0])


STATUS = ROOT / "golden" / "status"

# Which version is cited

FILTERED = COSINE.retriever
WAYS: dict[str, tuple[Retriever, Answerer]] = {
    "nothing": (HYBRID, Quote()),
    "label": (HYBRID, ByVersion()),
    "filter": (FILTERED, Quote()),
    "filter and label": (FILTERED, ByVersion()),
}


def strays(outcome: Outcome) -> bool:
    """Whether an answer cites a passage of another version than the one the row is pinned to."""
    version = outcome.golden.version
    return bool(version) and not all(citation.chunk.is_of(version) for citation in outcome.answer.citations)


@cache
def asked(way: str, *, gate: bool = False) -> tuple[Outcome, ...]:
    """The version questions (q6) of the SDK as the published design answers them, with its filter and its label or
    without; everything is answered unless its gate stays on."""
    retriever, answerer = WAYS[way]
    system = replace(COSINE, retriever=retriever, answerer=answerer, gates=COSINE.gates if gate else (Anything(),))
    found = lab.judged(system, "sdk", "sdk") + lab.judged(system, "sdk", "sdk-probes")
    return tuple(o for o in found if o.golden.category == "q6")


def _pinned(outcomes: Sequence[Outcome], *, pinned: bool = True) -> list[Outcome]:
    return [o for o in outcomes if bool(o.golden.version) is pinned]


def x_07() -> list[Row]:
    """Label against filter against both (X-07) on all q6 questions. What is cited and stated with the gate off, so that
    every question counts; the two errors with the gate on."""
    rows: list[Row] = []
    for way in WAYS:
        pinned, open_ = (_pinned(asked(way), pinned=each) for each in (True, False))
        gated = asked(way, gate=True)
        rows.append({
            **lab.errors(way, gated),
            "cites another version": Rate(sum(map(strays, pinned)), len(pinned)),
            "facts stated, version named": metrics.correctness(pinned),
            "facts of both stated, none named": metrics.correctness(open_),
        })  # fmt: skip
    return rows


DATED: dict[str, tuple[Retriever, Answerer]] = {
    "nothing": (HYBRID, Quote()),
    "label": (HYBRID, Dated()),
    "filter": (InForce(HYBRID), Quote()),
    "filter and label": (InForce(HYBRID), Dated()),
}


def dated() -> list[Row]:
    """The same for current and superseded policies (q6 of kestrel-policies), answered by the design that labels them,
    `cited`: whether the facts stated are those in force, or those of the old version where a question asks for it."""
    truth = status.read_truth(STATUS / "kestrel.csv")
    rows: list[Row] = []
    for way, (retriever, answerer) in DATED.items():
        system = replace(CITED, retriever=retriever, answerer=answerer)
        found = [o for o in lab.judged(system, "kestrel", "kestrel-policies") if o.golden.category == "q6"]
        now, then = (_pinned(found, pinned=each) for each in (False, True))
        old = [any(truth.get(c.chunk.file) == SUPERSEDED for c in o.answer.citations) for o in now]
        rows.append({
            "label": way, "cites a superseded policy": Rate(sum(old), len(old)),
            "facts in force stated": metrics.correctness(now),
            "old facts stated, old asked for": metrics.correctness(then),
        })  # fmt: skip
    return rows


def _cited() -> Found:
    marks = {way: [strays(outcome) for outcome in _pinned(asked(way))] for way in WAYS}
    filtered = marks["filter"]
    figures = (
        Figure.exact(sum(filtered) / len(filtered), len(filtered)),
        lab.change(filtered, marks["nothing"]),
        lab.change(filtered, marks["label"]),
    )
    return Found(figures, x_07())


# Labels by dates and file names


def _labelled() -> Found:
    sets = {
        "made-up cases": (status.cases(STATUS), status.read_truth(STATUS / "cases.csv")),
        "kestrel": (status.labels(lab.study().folder.documents), status.read_truth(STATUS / "kestrel.csv")),
    }
    found = {name: status.accuracy(*pair) for name, pair in sets.items()}
    cases, policies = found.values()
    figures = [Figure.of(each) for each in (cases.every, cases.sure, cases.review, policies.every)]
    rows: list[Row] = [
        {"documents": name, "right": each.every, "right among sure": each.sure, "to review": each.review}
        for name, each in found.items()
    ]
    return Found(tuple(figures), rows)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "H28",
        "Dates and file names suffice to tell current documents from obsolete ones.",
        "S1-06",
        "Small folders that make it hard (no date, a misleading one, two 'final' files, one put in force again) and "
        "the policies of kestrel, labelled by dates and names alone and held against labels by hand. Doubtful ones "
        "would go to a person. Rules and cases have one author.",
        (
            Test("right, made-up cases", AtLeast(0.9)),
            Test("right among those labelled without doubt, made-up cases", AtLeast(0.95)),
            Test("sent to a person, made-up cases", AtMost(0.1)),
            Test("right, kestrel", AtLeast(0.9)),
        ),
        _labelled,
    ),
    Claim(
        "H29",
        "Filters that apply before ranking find the current document where filters after ranking lose it.",
        "S1-20, S3-10",
        "Superseded copies of every document of kestrel, equal in text and above it in order, and all its answerable "
        "questions put to BM25 with the filter before ranking and after; and the questions of the SDK that name a "
        "version. Found means all sources among five hits.",
        (
            Test("found with 5 old copies, filtered before less filtered after", Above()),
            Test("found of questions that name a version, filtered before less filtered after", Above()),
            Test("questions that 8 old copies change where the filter is before ranking", AtMost(0)),
        ),
        _filters,
    ),
    Claim(
        "H44",
        "A version filter removes citations of the wrong version.",
        "S3-10, S3-12",
        "The q6 questions of the SDK that name a version, answered by the published design without its gate: with its "
        "filter and its label, one of them, or neither. Wrong is an answer that cites a passage of another version.",
        (
            Test("answers that cite another version, filtered", AtMost(0)),
            Test("answers that cite another version, with nothing less filtered", Above()),
            Test("answers that cite another version, labelled only less filtered", Above()),
        ),
        _cited,
    ),
)
