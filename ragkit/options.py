"""Options that commands share, and what they name: folders, golden files; and how rows are printed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragkit.files import ROOT, shown
from ragkit.records import BadInput
from ragkit.systems import SYSTEMS, asking, named

if TYPE_CHECKING:
    from ragkit.corpus import Folder
    from ragkit.system import System

CorpusOption = Annotated[
    str, typer.Option("--corpus", metavar="DIR", help="folder of Markdown, or the name of one in corpus/")
]
SystemOption = Annotated[str, typer.Option("--system", help=f"one of {', '.join(SYSTEMS)}")]
ModelOption = Annotated[
    str, typer.Option("--model", metavar="NAME", help="a language model writes the answer: gemini or anthropic")
]
NoLlmOption = Annotated[bool, typer.Option("--no-llm", help="no model, whatever MODEL_PROVIDER says")]
JsonOption = Annotated[bool, typer.Option("--json", help="print data instead of text")]


def chosen(system: str, model: str = "", *, no_llm: bool = False) -> System:
    """The system of that name. A language model writes for it when one is named, here or in MODEL_PROVIDER, unless
    `no_llm` says otherwise; what was recorded is replayed, without a key."""
    from ragkit import providers

    if model and no_llm:
        raise BadInput(f"--model {model} and --no-llm name a model and none; give one of them")
    recorded = None if no_llm else providers.named(model)
    return asking(named(system), recorded) if recorded else named(system)


def folder(name: str) -> Folder:
    """The folder of documents that is named, as it is read."""
    from ragkit import corpus

    return corpus.read(place(name))


def place(name: str) -> Path | str:
    """The folder of that name, or the one in corpus/; the empty name stays empty, which is no folder."""
    kept = ROOT / "corpus" / name
    return kept if not Path(name).exists() and os.sep not in name and kept.is_dir() else name


def golden_file(name: str, folder: Folder) -> Path:
    """The golden file of that name, or the one named like the corpus."""
    kept = ROOT / "golden" / f"{name or folder.name}.csv"
    if not name and not kept.exists():
        raise BadInput(f"{folder.name}: no golden file {shown(kept)}; name one with --golden FILE")
    return kept if not name or (not Path(name).exists() and os.sep not in name and kept.exists()) else Path(name)


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Rows under their header in columns; nothing where there is no row."""
    widths = [max(len(row[n]) for row in (header, *rows)) for n in range(len(header))]
    for row in (header, *rows) if rows else ():
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
