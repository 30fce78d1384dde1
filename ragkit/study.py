"""Systems run over golden rows: where the two wings meet, for the command line and for notebooks."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import accumulate, chain, pairwise
from pathlib import Path

from ragkit import chunk, corpus, evaluate, exchange, golden, reply, report
from ragkit.dense import Dense
from ragkit.files import ROOT
from ragkit.forms import kin
from ragkit.gate import Floor
from ragkit.models import DOCUMENT, QUERY, Embed, MiniLM
from ragkit.places import Places
from ragkit.records import BadInput, Golden, Outcome, Ranking
from ragkit.retrieve import Retriever
from ragkit.scope import InForce, Pinned
from ragkit.sentence import sentences
from ragkit.signals import COVERAGE_PASSAGE, TOP, Signal, cosine_signals
from ragkit.system import Bot, System
from ragkit.systems import DEFAULT, FRONT_DESK, SYSTEMS
from ragkit.text import visible
from ragkit.vectors import Vectors, shown_text
from ragkit.vectors import read as read_vectors

PUBLISHED = SYSTEMS["retrieved"]  # the published rule: unknown ideas, then the rarest idea in the retrieved text


def evaluated(system: System, folder: corpus.Folder, file: str | Path) -> report.Run:
    """A system run over a golden file, with all that a report says of it."""
    rows, bot = _rows(folder, file), system.on(folder)
    outcomes = evaluate.run(
        bot.ask_all,
        rows,
        system=system.name,
        k=system.k,
        same=kin,
        signals=_kept_signals(bot),
        places=_places(folder),
    )
    chunks, silent = len(bot.corpus.chunks), len(bot.corpus.empty)
    return report.Run(system.name, folder.name, Path(file).stem, chunks, backend(system), tuple(outcomes), silent)


def backend(system: System) -> str:
    """What a system retrieves by: `bm25`, `dense` or `hybrid`, another retriever by its name."""
    known = {"Lexical": "bm25", "Dense": "dense", "Fused": "hybrid"}
    name = type(innermost(system.retriever)).__name__
    return known.get(name, name)


def innermost(retriever: Retriever) -> Retriever:
    """The retriever without the filters around it."""
    return innermost(retriever.retriever) if isinstance(retriever, Pinned | InForce) else retriever


def asked(system: exchange.Foreign, folder: corpus.Folder, file: str | Path, *, progress: bool = False) -> report.Run:
    """A system that is not ours run over a golden file. It does not see the folder, which says what sources there are.

    Whatever is printed meanwhile, by a function or where it stands, goes to standard error.
    """
    rows, ours = _rows(folder, file), SYSTEMS[DEFAULT]
    if system.name in SYSTEMS:
        raise BadInput(f"name {system.name!r}: one of our systems has it; use another")
    with redirect_stdout(sys.stderr):
        ask_all = system.ready(progress=progress)
        outcomes = evaluate.run(ask_all, rows, system=system.name, k=ours.k, same=kin, places=_places(folder))
    known = corpus.index(folder, ours.chunker, ours.analyzer)
    return report.Run(
        system.name, folder.name, Path(file).stem, len(known.chunks), system.target.kind,
        tuple(map(reply.judged, outcomes)), len(known.empty),
    )  # fmt: skip


def _places(folder: corpus.Folder) -> Places:
    """The documents as what is cited is held against them, however a system cuts them."""
    return Places(corpus.index(folder, SYSTEMS[DEFAULT].chunker, SYSTEMS[DEFAULT].analyzer).all_chunks)


def _rows(folder: corpus.Folder, file: str | Path) -> list[Golden]:
    sections = {name for document in corpus.readable(folder).documents for name in chunk.names(document)}
    return golden.read(file, sections=sections)


def _kept_signals(bot: Bot) -> Callable[[Ranking], dict[str, float]]:
    """The signals that outcomes.csv keeps; a cosine only where the system has vectors."""
    embed, kept = embedding(bot.system), {"coverage": COVERAGE_PASSAGE}
    if embed:
        kept["cosine"] = cosine_signals(embed)[0]
    return lambda ranking: {name: of(ranking, bot.corpus) for name, of in kept.items()}


def embedding(system: System) -> Embed | None:
    """The embedding model that a system retrieves with, if any."""
    retriever = innermost(system.retriever)
    parts = getattr(retriever, "retrievers", (retriever,))
    return next((part.embed for part in parts if isinstance(part, Dense)), None)


def keep_vectors(folder: Path) -> int:
    """Writes vectors.npz into a corpus folder, and how many there are in it; what is there already is not computed."""
    found, kept = corpus.readable(corpus.read(folder)), None
    with contextlib.suppress(BadInput):  # a broken file is what this replaces
        kept = found.vectors if found.vectors and read_vectors(found.vectors) else None
    return Vectors(MiniLM(), kept).save(folder / corpus.VECTORS, embedded_texts(found, ours=_is_ours(folder)))


def _is_ours(folder: Path) -> bool:
    return folder.resolve().parent == (ROOT / "corpus").resolve()


def embedded_texts(folder: corpus.Folder, *, ours: bool = True) -> list[tuple[str, str]]:
    """What systems embed of a corpus, each text with its task: its chunks and their sentences.

    For a corpus of this project also what its studies embed: the chunks with their words dealt out anew, windows of
    words, and the questions of the golden files that are named for it, and of nulls.csv.
    """
    full = SYSTEMS[DEFAULT].on(folder).corpus
    known = (full, shuffled(full), FRONT_DESK.on(folder).corpus) if ours else (full,)
    texts = [shown_text(each) for one in known for each in one.chunks]
    texts += [visible(each.quote) for part in full.chunks for each in sentences(part)]
    names = (folder.name, f"{folder.name}-*", "nulls") if ours else ()
    files = sorted(file for name in names for file in (ROOT / "golden").glob(f"{name}.csv"))
    asked = [row.question for file in files for row in golden.read(file)]
    return [(text, DOCUMENT) for text in texts if text.strip()] + [(text, QUERY) for text in asked]


def shuffled(of: corpus.Corpus) -> corpus.Corpus:
    """The chunks of a corpus, each as long as before, with all words dealt out anew: documents that say nothing."""
    words = [visible(each.text).split() for each in of.chunks]
    dealt = list(chain.from_iterable(words))
    random.Random(0).shuffle(dealt)
    ends = pairwise(accumulate(map(len, words), initial=0))
    texts = (" ".join(dealt[first:last]) for first, last in ends)
    chunks = [replace(each, text=text, path=(), lead="") for each, text in zip(of.chunks, texts, strict=True)]
    return corpus.Corpus.of_chunks(
        chunks, analyzer=of.analyzer, name=f"{of.folder.name} shuffled", vectors=of.folder.vectors
    )


class Study:
    """A corpus of this project and one of its golden files, with the bots and outcomes made so far.

    `corpus` is a folder below `corpus/`, `golden` a file below `golden/` without its ending.
    """

    def __init__(self, corpus_name: str = "kestrel", golden_name: str = "kestrel") -> None:
        if not corpus_name or not golden_name:
            raise BadInput("a study needs the name of a corpus and of a golden file; one of them is empty")
        self.folder = corpus.readable(corpus.read(ROOT / "corpus" / corpus_name))
        self.rows = golden.read(ROOT / "golden" / f"{golden_name}.csv")
        self.bot: Callable[[System], Bot] = lru_cache(maxsize=None)(lambda system: system.on(self.folder))
        self.outcomes: Callable[[System], list[Outcome]] = lru_cache(maxsize=None)(self._outcomes)

    def _outcomes(self, system: System) -> list[Outcome]:
        """One outcome a row with its verdict; what was said is not judged here."""
        answers = self.bot(system).ask_all([row.question for row in self.rows])
        return [Outcome(system.name, row, answer) for row, answer in zip(self.rows, answers, strict=True)]

    @cached_property
    def by_id(self) -> dict[str, Golden]:
        """The golden rows by id."""
        return {row.id: row for row in self.rows}

    def scores(self, signal: Signal = TOP, system: System = PUBLISHED) -> dict[str, float]:
        """The value of a signal for each row, by id."""
        bot = self.bot(system)
        return {o.golden.id: signal(o.answer.ranking, bot.corpus) for o in self.outcomes(system)}

    def classes(self, scores: dict[str, float]) -> tuple[dict[str, float], dict[str, float]]:
        """Scores of the answerable and of the unanswerable rows."""
        sides = ({row.id for row in self.rows if row.answerable is side} for side in (True, False))
        first, second = ({name: scores[name] for name in scores if name in side} for side in sides)
        return first, second

    def sides(self, signal: Signal, system: System = PUBLISHED) -> tuple[list[float], list[float]]:
        """The values of a signal for the answerable and for the unanswerable rows."""
        low, high = self.classes(self.scores(signal, system))
        return [*low.values()], [*high.values()]


def floor(least: float, signal: Signal = TOP, *, name: str = "best floor") -> System:
    """A floor under a signal as a system, to be judged on rows it was not chosen on."""
    return replace(SYSTEMS["threshold"], name=name, gates=(Floor(signal, least),))


def embedding_model(name: str) -> Embed:
    """The embedding model of that name: `minilm`, which needs no key, or `gemini`."""
    if name == "minilm":
        return MiniLM()
    if name == "gemini":
        from ragkit.backends.gemini import Gemini

        return Gemini()
    raise BadInput(f"model {name!r}: unknown; use minilm or gemini")
