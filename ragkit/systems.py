"""The systems by name, one line each. The two lazy baselines stand in every table."""

from __future__ import annotations

import os

from ragkit.gate import Anything, Coverage, Floor, Nothing
from ragkit.records import BadInput
from ragkit.signals import TOP
from ragkit.system import System

DEFAULT = "passage"
BACKENDS = ("bm25",)

SYSTEMS = {
    system.name: system
    for system in (
        System("always-answer", gates=(Anything(),)),
        System("always-refuse", gates=(Nothing(),)),
        System("threshold", gates=(Floor(TOP, 2.0),)),
        System("corpus", gates=(Coverage("corpus"),)),
        System("retrieved", gates=(Coverage("retrieved"),)),
        System("passage", gates=(Coverage("passage"),)),
    )
}


def named(name: str) -> System:
    """The system of that name, on the backend that RAG_BACKEND asks for."""
    backend()
    if name not in SYSTEMS:
        raise BadInput(f"system {name!r}: unknown; use one of {', '.join(SYSTEMS)}")
    return SYSTEMS[name]


def backend() -> str:
    """The retrieval backend: the environment variable RAG_BACKEND, `bm25` when it is not set."""
    name = os.environ.get("RAG_BACKEND") or BACKENDS[0]
    if name not in BACKENDS:
        raise BadInput(f"RAG_BACKEND={name}: unknown or not built yet; use one of {', '.join(BACKENDS)}")
    return name
