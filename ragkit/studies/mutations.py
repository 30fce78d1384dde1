"""Planted regressions for notebook 10: what a careless commit might do, and how many questions it takes to see it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ragkit import evaluate, metrics, study
from ragkit.answer import Quote
from ragkit.chunk import Headings, Left, Windows
from ragkit.compare import mcnemar_exact
from ragkit.corpus import Corpus, Folder, read
from ragkit.evaluate import held
from ragkit.files import ROOT
from ragkit.fuse import Fused
from ragkit.gate import Anything, Coverage, Floor, Nothing
from ragkit.records import Chunk, Document, Outcome, Rate
from ragkit.retrieve import BM25, Lexical
from ragkit.signals import FOUND_COSINE
from ragkit.stats import wilson
from ragkit.system import Bot, System
from ragkit.systems import HYBRID, SYSTEMS
from ragkit.text import Analyzer

Row = dict[str, object]
MEASURES = ("false_answers", "false_refusals", "recall", "correctness", "faithfulness")


@dataclass(frozen=True)
class Mutation:
    """A change for the worse, or none: of the system, of the documents, or of how an outcome is judged."""

    name: str
    base: str = "passage"
    system: Callable[[System], System] = lambda system: system
    documents: Callable[[Folder], Folder] = lambda folder: folder
    judged: Callable[[Sequence[Outcome]], Sequence[Outcome]] = lambda outcomes: outcomes


def _with(**choices: object) -> Callable[[System], System]:
    return lambda system: replace(system, **choices)  # type: ignore[arg-type]


@dataclass(frozen=True)
class OneSided(System):
    """Stems the questions and not the documents."""

    def on(self, folder: Folder) -> Bot:
        unstemmed = replace(self.analyzer, stemmer="none")
        corpus = Corpus(folder, chunker=self.chunker, analyzer=unstemmed)
        assert corpus.terms is not None  # cut before the analyzer is another
        corpus.analyzer = self.analyzer
        return Bot(self, corpus)


def _one_sided(system: System) -> System:
    return OneSided(**vars(system))


@dataclass(frozen=True)
class Without:
    """A chunker that changes what was cut on headings."""

    change: Callable[[Chunk], Chunk | None]

    def on(self, document: Document) -> tuple[list[Chunk], list[Left]]:
        chunks, left = Headings().on(document)
        return [new for chunk in chunks if (new := self.change(chunk))], left


def _long(chunk: Chunk) -> Chunk | None:
    return chunk if len(chunk.text.split()) >= 25 else None


def _bare(chunk: Chunk) -> Chunk | None:
    return replace(chunk, path=())


def _rewritten(change: Callable[[str], str], folder: Folder) -> Folder:
    return replace(folder, documents=tuple(replace(each, text=change(each.text)) for each in folder.documents))


def _without_headers(text: str) -> str:
    """Tables keep their shape and lose what stands in their first row."""
    return re.sub(
        r"^\|.*\|\n(?=\|[ :|-]+\|\n)", lambda found: re.sub(r"[^|\n]+", " ", found[0]), text, flags=re.MULTILINE
    )


def _without_last_section(text: str) -> str:
    """The heading stays, what stands below it is lost."""
    above, _, last = text.rpartition("\n#")
    return f"{above}\n#{last.split(chr(10))[0]}\n" if above else text


def _without_digits(text: str) -> str:
    """Headings keep theirs: a golden row whose section is gone stops the run as bad input."""
    return re.sub(r"^(?!#).*$", lambda line: re.sub(r"\d", "", line[0]), text, flags=re.MULTILINE)


def _wrong_ids(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Retrieval is judged by the sources of the row before."""
    changed = []
    for n, outcome in enumerate(outcomes):
        golden = replace(outcome.golden, sources=outcomes[n - 1].golden.sources)
        recall, rank = evaluate.retrieved(golden, outcome.answer.ranking, 5)
        changed.append(replace(outcome, recall=recall, rank=rank))
    return changed


def _unjudged(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [replace(outcome, correct=None) for outcome in outcomes]


def _same_words(folder: Folder) -> Folder:
    return _rewritten(lambda text: text.replace("\n\n", "\n\n\n"), folder)


def _turned(folder: Folder) -> Folder:
    return replace(folder, documents=folder.documents[::-1])


# One line a mutation.
PLANTED = (
    Mutation(
        "stop list: generic words and quantifiers are content", system=_with(analyzer=Analyzer(stop=("function",)))
    ),
    Mutation("stop list emptied", system=_with(analyzer=Analyzer(stop=()))),
    Mutation("contractions not expanded", system=_with(analyzer=Analyzer(contractions=False))),
    Mutation("no stemmer", system=_with(analyzer=Analyzer(stemmer="none"))),
    Mutation("stemmer on the questions only", system=_one_sided),
    Mutation("term dictionary emptied", system=_with(analyzer=Analyzer(dictionary="none"))),
    Mutation("term dictionary by substring", system=_with(analyzer=Analyzer(dictionary="substring"))),
    Mutation("one hit instead of five", system=_with(k=1)),
    Mutation("chunks of 20 words", system=_with(chunker=Windows(20, 0))),
    Mutation("headings not indexed", system=_with(chunker=Without(_bare))),
    Mutation("short sections dropped", system=_with(chunker=Without(_long))),
    Mutation("table headers dropped", documents=partial(_rewritten, _without_headers)),
    Mutation("text of the last section of each document lost", documents=partial(_rewritten, _without_last_section)),
    Mutation("digits lost in conversion", documents=partial(_rewritten, _without_digits)),
    Mutation("BM25 without saturation and length", system=_with(retriever=Lexical(BM25(k1=0, b=0)))),
    Mutation("gate off", system=_with(gates=(Anything(),))),
    Mutation("gate always on", system=_with(gates=(Nothing(),))),
    Mutation("gate asks for known words only", system=_with(gates=(Coverage("corpus"),))),
    Mutation("one sentence instead of two", system=_with(answerer=Quote(1))),
    Mutation("RRF: ranks from zero", "passage-hybrid", _with(retriever=replace(HYBRID, k=HYBRID.k - 1))),
    Mutation("RRF: vectors only", "passage-hybrid", _with(retriever=Fused(HYBRID.retrievers, weights=(0.0, 1.0)))),
    Mutation("cosine floor 0.45 -> 0.40", "cosine", _with(gates=(Floor(FOUND_COSINE, 0.40),))),
    Mutation("cosine floor 0.45 -> 0.60", "cosine", _with(gates=(Floor(FOUND_COSINE, 0.60),))),
    Mutation("recall counted on the wrong ids", judged=_wrong_ids),
    Mutation("key facts not judged", judged=_unjudged),
)
# Commits that change nothing that matters.
HARMLESS = (
    Mutation("nothing"),
    Mutation("documents in another order", documents=_turned),
    Mutation("more blank lines", documents=_same_words),
    Mutation("another name of the system", system=_with(name="renamed")),
    Mutation("nothing, fused rankings", "passage-hybrid"),
    Mutation("nothing, cosine floor", "cosine"),
)


def outcomes(mutation: Mutation, corpus: str, files: Iterable[str]) -> list[Outcome]:
    """What a mutated system makes of all rows of some golden files."""
    folder = mutation.documents(read(ROOT / "corpus" / corpus))
    system = mutation.system(SYSTEMS[mutation.base])
    rows = [o for file in files for o in study.evaluated(system, folder, ROOT / "golden" / f"{file}.csv").outcomes]
    return [*mutation.judged(rows)]


@dataclass(frozen=True)
class Effect:
    """A mutation beside its base, row by row."""

    mutation: Mutation
    before: tuple[Outcome, ...]
    after: tuple[Outcome, ...]

    @property
    def marks(self) -> list[int]:
        """For each row -1 when it is broken, 1 when it is mended, else 0."""
        return [held(after) - held(before) for before, after in zip(self.before, self.after, strict=True)]

    def moved(self) -> list[str]:
        """The measures that are another over all rows, each with its counts before and after."""
        pairs = {name: [dict(metrics.MEASURES)[name](side) for side in (self.before, self.after)] for name in MEASURES}
        return [f"{name.replace('_', ' ')} {old} -> {new}" for name, (old, new) in pairs.items() if old != new]


def effects(mutations: Iterable[Mutation], corpus: str, files: Sequence[str]) -> list[Effect]:
    """Every mutation beside the system it was made of."""
    known: dict[str, tuple[Outcome, ...]] = {}
    found = []
    for mutation in mutations:
        base = mutation.base
        known[base] = known.get(base) or tuple(outcomes(Mutation("", base), corpus, files))
        found.append(Effect(mutation, known[base], tuple(outcomes(mutation, corpus, files))))
    return found


def seen(effect: Effect, size: int, draws: int) -> tuple[Rate, Rate]:
    """Of so many sets of a size, drawn from all rows with both classes in their share, those in which a row breaks, and
    those in which the change for the worse is significant (exact McNemar, p <= 0.05)."""
    marks, rng = effect.marks, random.Random(0)
    kinds = [[n for n, o in enumerate(effect.before) if o.golden.answerable is kind] for kind in (True, False)]
    sizes = [round(size * len(kind) / len(marks)) for kind in kinds]
    broken = significant = 0
    for _ in range(draws):
        drawn = [
            marks[n] for kind, many in zip(kinds, sizes, strict=True) for n in rng.sample(kind, min(many, len(kind)))
        ]
        lost, won = drawn.count(-1), drawn.count(1)
        broken += lost > 0
        significant += lost > won and mcnemar_exact(lost, won) <= 0.05
    return Rate(broken, draws), Rate(significant, draws)


def table(found: Sequence[Effect], sizes: Sequence[int], draws: int) -> list[Row]:
    """A row a mutation: what it breaks and mends over all rows, and in how many of the drawn sets a row breaks."""
    rows = []
    for each in found:
        rates = {size: seen(each, size, draws) for size in sizes}
        rows.append({
            "mutation": each.mutation.name, "system": each.mutation.base,
            "broken": each.marks.count(-1), "mended": each.marks.count(1),
            **{f"seen by {size}": row for size, (row, _) in rates.items()},
            **{f"p <= 0.05 with {size}": p for size, (_, p) in rates.items()},
        })  # fmt: skip
    return rows


def figures(found: Sequence[Effect]) -> list[Row]:
    """A row a mutation: the measures that moved, over all rows."""
    return [{"mutation": each.mutation.name, "moved": "; ".join(each.moved()) or "none"} for each in found]


def slipped(found: Sequence[Effect]) -> str:
    """The mutations that break no row at all, and the most of them that are seen by a figure."""
    quiet = [each for each in found if -1 not in each.marks]
    blind = [each.mutation.name for each in quiet if not each.moved()]
    told = [each.mutation.name for each in quiet if each.moved()]
    return (
        f"{len(quiet)} of {len(found)} break no row.\n"
        f"Of those a measure moves for {len(told)}: {'; '.join(told) or '-'}.\n"
        f"Nothing at all shows {len(blind)}: {'; '.join(blind) or '-'}."
    )


def alarms(found: Sequence[Effect]) -> str:
    """How often a harmless change would have stopped a merge."""
    wrong = sum(-1 in each.marks for each in found)
    low, high = wilson(wrong, len(found))
    return f"False alarms: {wrong} of {len(found)} harmless changes ({100 * low:.0f}-{100 * high:.0f} %)."
