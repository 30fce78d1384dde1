"""The notebook as a file: read, normalised, written and guarded. Runs nothing and needs no Jupyter package.

Does not check that a file is valid by the notebook schema; what runs it does.
"""

from __future__ import annotations

import ast
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragkit.files import ROOT, read_text, shown
from ragkit.parameters import declared, reassigned, values
from ragkit.records import BadInput

FRESH, RAN, FAILED = "fresh", "ran", "failed"
CELL_LINES, FILE_BYTES = 12, 1_000_000
INJECTED = "injected-parameters"
VOLATILE = ("papermill", "widgets", "signature", "toc", "orig_nbformat")
VOLATILE_IN_CELL = ("papermill", "execution", "ExecuteTime", "collapsed", "scrolled", "trusted")
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
LANGUAGE = {"file_extension": ".py", "mimetype": "text/x-python", "name": "python", "pygments_lexer": "ipython3"}
WIDGET = "application/vnd.jupyter.widget-view+json"
NOT_PORTABLE = re.compile(r"\b0x[0-9a-f]{8,}|/(?:home|Users|tmp|root|var/folders)/[\w.-]+|[A-Z]:\\+Users\\+\w+")


@dataclass(frozen=True, slots=True)
class Run:
    """What became of a notebook: still fresh, ran, or failed, and then `message` names the cell and the error."""

    notebook: Path
    status: str
    message: str = ""
    seconds: float = 0.0

    @property
    def bad_input(self) -> bool:
        """Whether a cell ended because of what it was given, and not because of what it did."""
        return any(f": {name}: " in self.message for name in ("BadInput", "NotAvailable"))


def read(path: str | Path) -> dict[str, Any]:
    """The notebook as JSON holds it: texts are strings or lists of lines."""
    try:
        notebook = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        place = f"{shown(path)}:{error.lineno}"
        raise BadInput(f"{place}: not a notebook ({error.msg}); open and save it in Jupyter") from None
    if not isinstance(notebook, dict) or notebook.get("nbformat") != 4 or not isinstance(notebook.get("cells"), list):
        raise BadInput(f"{shown(path)}: not a notebook of format 4; open and save it in Jupyter")
    return notebook


def dumps(notebook: dict[str, Any]) -> str:
    """The layout that Jupyter saves, so that opening and saving a notebook changes nothing."""
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def joined(text: str | list[str]) -> str:
    """A text of a notebook, whichever way it is stored.

    >>> joined(["a\\n", "b"]) == joined("a\\nb")
    True
    """
    return "".join(text)


def tags(cell: dict[str, Any]) -> list[str]:
    """The tags of a cell, none when it has no such list."""
    return cell["metadata"].get("tags", [])


def code_cells(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The cells that a run counts: code, and not empty."""
    return (cell for cell in notebook["cells"] if cell["cell_type"] == "code" and joined(cell["source"]).strip())


# --- normalise -------------------------------------------------------------------------------------------------------


def normalise(notebook: dict[str, Any]) -> dict[str, Any]:
    """Drops in place what differs between two runs. Counts stay: nbval compares no cell without one."""
    for key in VOLATILE:
        notebook["metadata"].pop(key, None)
    notebook["metadata"].update(kernelspec=dict(KERNEL), language_info=dict(LANGUAGE))
    seen: set[str] = set()
    for place, cell in enumerate(notebook["cells"]):
        _normalise_cell(cell)
        if INJECTED in tags(cell):
            cell["id"] = INJECTED  # papermill draws a new one in each run
        if cell.get("id") in seen or "id" not in cell:
            cell["id"] = f"{cell.get('id', 'cell')}-{place}"
        seen.add(cell["id"])
    notebook["nbformat_minor"] = max(notebook.get("nbformat_minor", 5), 5)
    return notebook


def _normalise_cell(cell: dict[str, Any]) -> None:
    for key in VOLATILE_IN_CELL:
        cell["metadata"].pop(key, None)
    if not tags(cell):
        cell["metadata"].pop("tags", None)
    cell["source"] = joined(cell["source"]).splitlines(keepends=True)
    if cell["cell_type"] == "code":
        kept = [] if "nbval-ignore-output" in tags(cell) else cell.get("outputs", [])
        cell["outputs"] = [_normalise_output(output) for output in _merged(kept)]


def _merged(outputs: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """One output for each stretch of a stream: where a kernel cuts its stdout is a matter of timing."""
    for stream, group in itertools.groupby(outputs, key=lambda output: output.get("name", "")):
        if stream:
            text = "".join(joined(output["text"]) for output in group)
            yield {"name": stream, "output_type": "stream", "text": text}
        else:
            yield from group


def _normalise_output(output: dict[str, Any]) -> dict[str, Any]:
    if "text" in output:
        output["text"] = joined(output["text"]).splitlines(keepends=True)
    for mime, value in output.get("data", {}).items():
        if mime.startswith("text/") or mime in ("image/svg+xml", "application/javascript"):
            output["data"][mime] = joined(value).splitlines(keepends=True)
    if "traceback" in output:
        output["traceback"] = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in output["traceback"]]
    return output


# --- guard -----------------------------------------------------------------------------------------------------------


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
