"""The systems by name, one line each. The two lazy baselines stand in every table."""

from __future__ import annotations

from dataclasses import replace

from ragkit.check import Marked, Numbers
from ragkit.chunk import Headings, Windows
from ragkit.dated import Dated
from ragkit.dense import Dense
from ragkit.frontdesk import BAR, REFUSAL, Bullets, Tally
from ragkit.fuse import Fused
from ragkit.gate import Anything, Coverage, Floor, Nothing
from ragkit.generate import Generate
from ragkit.records import BadInput
from ragkit.rerank import Overlap
from ragkit.retrieve import Lexical
from ragkit.scope import ByVersion, InForce, Pinned
from ragkit.settings import setting, told
from ragkit.signals import FOUND_COSINE, TOP
from ragkit.system import System
from ragkit.text import Analyzer
from ragkit.written import Model, by

DEFAULT = "passage"
BACKENDS = ("bm25", "hybrid")
HYBRID = Fused((Lexical(), Dense()))
THOUSANDTHS = replace(HYBRID, weights=(500.0, 500.0), pool=12)  # scores as one design prints them

FRONT_DESK = System(
    "front-desk", gates=(Floor(TOP, BAR),), chunker=Windows(60, 15, plain=True), retriever=Tally(), k=3,
    analyzer=Analyzer(stemmer="front-desk", dictionary="none"), answerer=Bullets(), refusal=REFUSAL,
)  # fmt: skip

# The published designs, a line each; what their texts leave open stands in data/cards.csv.
COVERAGE = System(
    "coverage", gates=(Floor(TOP, 0.5), Coverage("retrieved")), chunker=Headings(1800, least=80), k=4,
    analyzer=Analyzer(stemmer="suffix"),
)  # fmt: skip
CITED = System(
    "cited", gates=(Anything(),), retriever=InForce(HYBRID), answerer=Dated(), checks=(Marked(), Numbers()), k=6,
)  # fmt: skip
COSINE = System(
    "cosine", gates=(Floor(FOUND_COSINE, 0.45),), chunker=Headings(1500), retriever=Pinned(HYBRID), k=12,
    reranker=Overlap(6), answerer=ByVersion(),
)  # fmt: skip

SYSTEMS = {
    system.name: system
    for system in (
        System("always-answer", gates=(Anything(),)),
        System("always-refuse", gates=(Nothing(),)),
        System("threshold", gates=(Floor(TOP, 2.0),)),
        System("corpus", gates=(Coverage("corpus"),)),
        System("retrieved", gates=(Coverage("retrieved"),)),
        System("passage", gates=(Coverage("passage"),)),
        System("retrieved-hybrid", gates=(Coverage("retrieved"),), retriever=HYBRID),
        System("passage-hybrid", gates=(Coverage("passage"),), retriever=HYBRID),
        COVERAGE,
        replace(COVERAGE, name="coverage-hybrid", retriever=THOUSANDTHS),
        CITED,
        FRONT_DESK,
        COSINE,
    )
}
LEXICAL = tuple(system for system in SYSTEMS.values() if system.retriever == Lexical())


def named(name: str) -> System:
    """The system of that name; with RAG_BACKEND=hybrid a lexical one becomes `<name>-hybrid`."""
    asked = backend()
    if name not in SYSTEMS:
        raise BadInput(f"system {name!r}: unknown; use one of {', '.join(SYSTEMS)}")
    system = SYSTEMS[name]
    if asked == "hybrid" and system.name == "threshold":
        raise BadInput("threshold: its floor is one under BM25 scores, and fused scores are ranks; use --system cosine")
    if asked == "hybrid" and system in LEXICAL:
        return SYSTEMS.get(f"{name}-hybrid") or replace(system, name=f"{name}-hybrid", retriever=HYBRID)
    return system


def asking(system: System, generate: Generate) -> System:
    """The system with its answers written by a language model instead of quoted; `cosine` has it defer to the gate, as
    that design does. BadInput for a system that only quotes by design."""
    defer = system.name == COSINE.name
    try:
        answerer = by(system.answerer, Model(generate, defer), defer=defer)
    except BadInput:
        said = "quotes by design, no model writes here; use another system, or --no-llm"
        raise BadInput(f"{system.name}: {said}") from None
    return replace(system, name=f"{system.name}+{generate.key().split()[0]}", answerer=answerer)


def backend() -> str:
    """The retrieval backend: RAG_BACKEND of the environment or of `.env`, `bm25` when it is not set."""
    name = setting("RAG_BACKEND") or BACKENDS[0]
    if name not in BACKENDS:
        raise BadInput(f"RAG_BACKEND={told(name)}: unknown; use one of {', '.join(BACKENDS)}")
    return name
