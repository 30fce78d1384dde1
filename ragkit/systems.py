"""The systems by name, one line each. The two lazy baselines stand in every table."""

from __future__ import annotations

import os
from dataclasses import replace

from ragkit.chunk import Windows
from ragkit.dense import Dense
from ragkit.frontdesk import BAR, REFUSAL, Bullets, Tally
from ragkit.fuse import Fused
from ragkit.gate import Anything, Coverage, Floor, Nothing
from ragkit.records import BadInput
from ragkit.retrieve import Lexical
from ragkit.signals import TOP, TOP_COSINE
from ragkit.system import System
from ragkit.text import Analyzer

DEFAULT = "passage"
BACKENDS = ("bm25", "hybrid")
HYBRID = Fused((Lexical(), Dense()))

FRONT_DESK = System(
    "front-desk", gates=(Floor(TOP, BAR),), chunker=Windows(60, 15, plain=True), retriever=Tally(), k=3,
    analyzer=Analyzer(stemmer="front-desk", dictionary="none"), answerer=Bullets(), refusal=REFUSAL,
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
        System("cosine", gates=(Floor(TOP_COSINE, 0.45),), retriever=HYBRID),
        FRONT_DESK,
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
        return replace(system, name=f"{name}-hybrid", retriever=HYBRID)
    return system


def backend() -> str:
    """The retrieval backend: the environment variable RAG_BACKEND, `bm25` when it is not set."""
    name = os.environ.get("RAG_BACKEND") or BACKENDS[0]
    if name not in BACKENDS:
        raise BadInput(f"RAG_BACKEND={' '.join(name.split())}: unknown; use one of {', '.join(BACKENDS)}")
    return name
