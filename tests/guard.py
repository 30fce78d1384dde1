"""The guard of committed notebooks: why one should not be committed as it is, most of which nbval can not see."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragkit.files import ROOT, read_text, shown
from ragkit.ipynb import INJECTED, dumps, joined, normalise, read, tags
from ragkit.parameters import declared, reassigned, values
from ragkit.records import BadInput

CELL_LINES, FILE_BYTES = 12, 1_000_000
WIDGET = "application/vnd.jupyter.widget-view+json"
NOT_PORTABLE = re.compile(r"\b0x[0-9a-f]{8,}|/(?:home|Users|tmp|root|var/folders)/[\w.-]+|[A-Z]:\\+Users\\+\w+")


def problems(path: str | Path) -> Iterator[str]:
    """Why a notebook should not be committed as it is; most of it nbval can not see. Cells are named by their `[n]`."""
    text = read_text(path)
    notebook = read(path)
    yield from _parameter_problems(notebook, path)
    for number, cell in enumerate(code_cells(notebook), start=1):
        findings = itertools.chain(_source_problems(cell), _count_problems(cell, number), _output_problems(cell))
        yield from (f"cell [{number}]: {finding}" for finding in findings)
    if any(cell["cell_type"] == "code" and not joined(cell["source"]).strip() for cell in notebook["cells"]):
        yield "has an empty code cell; delete it"
    if len(text.encode()) > FILE_BYTES:
        yield f"has {len(text.encode()) / 1e6:.1f} MB; keep it under 1 MB"
    if text != dumps(normalise(notebook)):
        yield "is not normalised; run it through `ragkit notebook`"


def _parameter_problems(notebook: dict[str, Any], path: str | Path) -> Iterator[str]:
    try:
        known = declared(notebook, shown(path))
    except BadInput as error:
        yield str(error).removeprefix(f"{shown(path)}: ")
        return
    yield from reassigned(notebook, set(known))
    stored = notebook["metadata"].get("ragkit", {}).get("parameters")
    if stored is not None and stored != values(known):
        yield "was run with other parameters than it declares; run it again"


def _source_problems(cell: dict[str, Any]) -> Iterator[str]:
    source = joined(cell["source"])
    if len(source.splitlines()) > CELL_LINES:
        yield f"has {len(source.splitlines())} lines; keep it to {CELL_LINES}"
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except SyntaxError:
        yield "is not plain Python"
        return
    if any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for node in nodes):
        yield "defines a function or class; move it into ragkit, with a test"


def _count_problems(cell: dict[str, Any], number: int) -> Iterator[str]:
    if cell.get("execution_count") != number:
        yield f"has the count {cell.get('execution_count')}; run the notebook from top to bottom"
    if INJECTED in tags(cell):
        yield "was put in by a run with other parameters; commit a run with the defaults"


def _output_problems(cell: dict[str, Any]) -> Iterator[str]:
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if output["output_type"] == "error":
            yield f"holds the error {output.get('ename')}"
        if output.get("name") == "stderr":
            yield f"holds a warning or other stderr: {joined(output['text']).strip()[:60]!r}"
        if WIDGET in data:
            yield "holds a widget, which is blank outside Jupyter"
        yield from _figure_problems(output)
        texts = [joined(value) for mime, value in data.items() if mime.startswith("text/")]
        for found in sorted(_not_portable("\n".join([*texts, joined(output.get("text", ""))]))):
            yield f"shows {found!r}, which differs on the next machine"


def _figure_problems(output: dict[str, Any]) -> Iterator[str]:
    for mime in output.get("data", {}):
        if mime.startswith("image/"):
            alt = output.get("metadata", {}).get(mime, {}).get("alt", "")
            if not alt.strip():
                yield "shows a figure without alt text"
            elif joined(output["data"].get("text/plain", "")) != alt:
                yield "shows a figure whose text/plain is not its alt text, so that nbval would miss a change"


def _not_portable(text: str) -> set[str]:
    """Patterns of any machine, or else the place of this project."""
    found = set(NOT_PORTABLE.findall(text))
    return found or ({str(ROOT)} if str(ROOT) in text and ROOT.parent != ROOT else set())


def code_cells(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The cells that a run counts: code, and not empty."""
    return (cell for cell in notebook["cells"] if cell["cell_type"] == "code" and joined(cell["source"]).strip())
