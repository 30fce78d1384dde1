"""What is said to raise the risk of a false answer: vectors (H15), and more documents (H16).

The filler of H16 is text of ours: sentences of another corpus, dealt into documents. There are few, so each stands in
many documents, and the vocabulary is complete after a few dozen of them: more documents are more noise, not more words.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from ragkit import metrics, resample, stats
from ragkit.claims import lab
from ragkit.claims.claim import Above, Claim, Figure, Found, Row, Test
from ragkit.corpus import Folder, read
from ragkit.dense import Dense
from ragkit.evaluate import retrieved
from ragkit.files import ROOT
from ragkit.gate import Coverage, Floor
from ragkit.records import Chunk, Document, Outcome, Rate
from ragkit.sentence import sentences
from ragkit.signals import TOP
from ragkit.stats import Rule
from ragkit.system import System
from ragkit.systems import SYSTEMS
from ragkit.text import visible

REFUSED = 0.2  # share of the answerable questions that a floor may refuse
HYBRID = SYSTEMS["coverage-hybrid"]
BACKENDS = {"bm25": lab.PUBLISHED, "hybrid": HYBRID, "dense": replace(lab.PUBLISHED, name="dense", retriever=Dense())}
SIZES = (80, 800)
TOPICS = {"off-topic": "sdk", "on-topic": "clinic"}
SECTIONS, SENTENCES = 6, 4  # of a document, about as many as kestrel's have
GATES = {
    "coverage": lab.PUBLISHED,
    "floor": replace(lab.PUBLISHED, name="floor", gates=(Floor(TOP, 2.0),)),
    "passage": replace(lab.PUBLISHED, name="passage", gates=(Coverage("passage"),)),
}


# H15: floors at equal false refusals.
def strictest(answerable: Sequence[float], unanswerable: Sequence[float], most: int) -> Rule:
    """The highest floor that refuses at most so many answerable questions."""
    return [rule for rule in stats.sweep(answerable, unanswerable) if rule.false_refusals <= most][-1]


def _floors() -> Found:
    sides = {name: lab.study().sides(TOP, system) for name, system in BACKENDS.items()}
    chosen = {name: _chosen(system) for name, system in BACKENDS.items()}
    rows = [_floored(name, "kestrel", chosen[name], *sides[name]) for name in BACKENDS]
    changes, areas = [], []
    for name in ("hybrid", "dense"):
        least, pair = equal(sides[name], sides["bm25"])
        rows += [_floored(of, f"probes, as {name}", rule, *sides[of]) for of, rule in ((name, least), ("bm25", pair))]
        changes.append(_more(pair, least, sides["bm25"][1], sides[name][1]))
        areas.append(_less(sides["bm25"], sides[name]))
    apart = [_more(chosen["bm25"], chosen[name], sides["bm25"][1], sides[name][1]) for name in ("hybrid", "dense")]
    return Found((*changes, *apart, *areas), [*rows, *_coverage()])


def equal(one: tuple[list[float], list[float]], other: tuple[list[float], list[float]]) -> tuple[Rule, Rule]:
    """Floors under two scores of the same questions that refuse as many answerable ones, as near to REFUSED as both
    can come from below."""
    most = int(REFUSED * len(one[0]))
    while True:
        found = strictest(*one, most), strictest(*other, most)
        if found[0].false_refusals == found[1].false_refusals:
            return found
        most = min(rule.false_refusals for rule in found)


def _chosen(system: System) -> Rule:
    """The floor that the small set would ship."""
    answerable, unanswerable = lab.study("kestrel", "kestrel").sides(TOP, system)
    return strictest(answerable, unanswerable, int(REFUSED * len(answerable)))


def _more(before: Rule, after: Rule, scores: Sequence[float], others: Sequence[float]) -> Figure:
    """How much larger a share of the unanswerable questions the second floor answers."""
    return lab.change([before.answers(score) for score in scores], [after.answers(score) for score in others])


def _less(first: tuple[list[float], list[float]], second: tuple[list[float], list[float]]) -> Figure:
    """The AUROC of the first score less that of the second, on the same questions."""
    low, high = resample.auroc_difference(*first, *second)
    return Figure(stats.auroc(*first) - stats.auroc(*second), low, high, len(first[0]) + len(first[1]))


def _floored(name: str, where: str, rule: Rule, answerable: Sequence[float], unanswerable: Sequence[float]) -> Row:
    return {
        "gate": f"floor under {name}", "chosen on": where, "floor": rule.at,
        "false answers": _share([rule.answers(score) for score in unanswerable]),
        "false refusals": _share([not rule.answers(score) for score in answerable]),
    }  # fmt: skip


def _coverage() -> list[Row]:
    """The published gate itself on both backends."""
    rows: list[Row] = []
    for name in ("bm25", "hybrid"):
        answered: dict[bool, list[bool]] = {True: [], False: []}
        for outcome in lab.study().outcomes(BACKENDS[name]):
            answered[outcome.golden.answerable].append(not outcome.answer.verdict.refused)
        rows.append({
            "gate": f"coverage, {name}", "chosen on": "as published", "floor": float("nan"),
            "false answers": _share(answered[False]), "false refusals": _share([not each for each in answered[True]]),
        })  # fmt: skip
    return rows


# H16: more documents.
@cache
def filler(corpus: str, documents: int) -> tuple[Document, ...]:
    """Documents whose sections have a heading and sentences of a corpus, drawn for each document by its number."""
    chunks = SYSTEMS["always-answer"].on(read(ROOT / "corpus" / corpus)).corpus.chunks
    headings = sorted({chunk.path[-1] for chunk in chunks if chunk.path})
    pool = sorted({text for chunk in chunks for text in _prose(chunk)})
    return tuple(_document(n, headings, pool) for n in range(documents))


def _prose(chunk: Chunk) -> list[str]:
    """The sentences of a chunk, without table rows and code."""
    found = [visible(each.quote).strip() for each in sentences(chunk)]
    return [text for text in found if text.endswith((".", "!", "?")) and not set(text) & set("|`\n")]


def _document(n: int, headings: Sequence[str], pool: Sequence[str]) -> Document:
    draw = random.Random(n)
    parts = [
        f"## {heading}\n\n{' '.join(draw.sample(pool, SENTENCES))}\n" for heading in draw.sample(headings, SECTIONS)
    ]
    return Document(f"filler-{n:03}.md", "\n".join(parts))


def among(folder: Folder, topic: str, size: int) -> Folder:
    """The folder with as much filler as makes it a folder of `size` documents."""
    own = folder.documents
    return replace(folder, documents=own + filler(TOPICS[topic], max(0, size - len(own))))


def _grown() -> Found:
    own = lab.study().folder
    folders = {("none", len(own.documents)): own}
    folders |= {(topic, size): among(own, topic, size) for topic in TOPICS for size in SIZES}
    made = {(gate, *key): _asked(GATES[gate], folder) for key, folder in folders.items() for gate in GATES}
    before = {gate: made[gate, "none", len(own.documents)] for gate in GATES}
    most = {(gate, topic): made[gate, topic, max(SIZES)] for gate in GATES for topic in TOPICS}
    more = [
        lab.change(leaks(before[gate]), leaks(most[gate, topic]))
        for gate in ("coverage", "floor")
        for topic in ("on-topic", "off-topic")
    ]
    hidden = lab.change(gaps(most["coverage", "on-topic"]), gaps(before["coverage"]))
    rows = [
        {"gate": gate, "filler": topic, "documents": size, **_told(asked)}
        for (gate, topic, size), asked in made.items()
    ]
    return Found((*more, hidden), rows)


@dataclass(frozen=True)
class Asked:
    """The outcomes of the probes on a folder, and how many terms its index has."""

    outcomes: tuple[Outcome, ...]
    terms: int = 0


def _asked(system: System, folder: Folder) -> Asked:
    bot, rows = system.on(folder), lab.study().rows
    answers = bot.ask_all([row.question for row in rows])
    found = zip(rows, answers, strict=True)
    outcomes = [Outcome(system.name, r, a, recall=retrieved(r, a.ranking, system.k)[0]) for r, a in found]
    return Asked(tuple(outcomes), len(bot.corpus.holders))


def leaks(asked: Asked) -> list[bool]:
    """For each unanswerable probe whether it is answered."""
    return [not o.answer.verdict.refused for o in asked.outcomes if not o.golden.answerable]


def gaps(asked: Asked) -> list[bool]:
    """For each unanswerable probe whether it is refused for a word that no document has."""
    return [o.answer.verdict.gate == "unknown-term" for o in asked.outcomes if not o.golden.answerable]


def _told(asked: Asked) -> Row:
    return {
        "terms": asked.terms, "false answers": _share(leaks(asked)),
        "false refusals": metrics.false_refusals(asked.outcomes),
        "unanswerable, unknown-term": _share(gaps(asked)), "recall at 4": metrics.recall(asked.outcomes).value,
    }  # fmt: skip


def _share(marks: Sequence[bool]) -> Rate:
    return Rate(sum(marks), len(marks))


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "H15",
        "Adding semantics raises the risk of answering what the documents do not say.",
        "S0-44",
        "A floor under the score of BM25, of the fusion and of the cosine, on kestrel's 314 probes. Each is the "
        f"strictest that refuses at most 1 in {1 / REFUSED:.0f} answerable questions: chosen on the probes themselves, "
        "in sample and at equal counts; then on kestrel's 30 and judged on the probes. Then AUROC, over all floors.",
        (
            Test("share of unanswerable answered, hybrid less BM25, equal false refusals", Above()),
            Test("the same, dense less BM25", Above()),
            Test("floors chosen on kestrel's 30 (false refusals on the probes differ), hybrid less BM25", Above()),
            Test("the same, dense less BM25", Above()),
            Test("AUROC of BM25 less that of hybrid", Above()),
            Test("AUROC of BM25 less that of dense", Above()),
        ),
        _floors,
    ),
    Claim(
        "H16",
        "Scale hides hallucination: among 800 documents the gaps become invisible that 8 documents show.",
        "S0-46",
        "Kestrel's 314 probes to the published gate and to its first floor, 2.0, over kestrel's own documents, then "
        "among filler up to 80 and 800 documents: sentences of the SDK (off-topic) or of the clinic's desk (on-topic), "
        "dealt into documents. Few sentences, each in many documents: the vocabulary is complete before 80, so that "
        "this tries more noise and not more words.",
        (
            Test("share of unanswerable answered by coverage, 800 on-topic less none", Above()),
            Test("the same, off-topic", Above()),
            Test("share of unanswerable answered by the floor, 800 on-topic less none", Above()),
            Test("the same, off-topic", Above()),
            Test("share of unanswerable refused as unknown-term, none less 800 on-topic", Above()),
        ),
        _grown,
        "800 library docstrings as off-topic filler: still 6 of 6 refused",
    ),
)
