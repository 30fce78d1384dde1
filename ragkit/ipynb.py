"""The notebook as a file: read, normalised and written. Runs nothing and needs no Jupyter package.

Does not check that a file is valid by the notebook schema; what runs it does.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragkit.files import read_text, shown
from ragkit.records import BadInput

FRESH, RAN, FAILED = "fresh", "ran", "failed"
INJECTED = "injected-parameters"
VOLATILE = ("papermill", "widgets", "signature", "toc", "orig_nbformat")
VOLATILE_IN_CELL = ("papermill", "execution", "ExecuteTime", "collapsed", "scrolled", "trusted")
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
LANGUAGE = {"file_extension": ".py", "mimetype": "text/x-python", "name": "python", "pygments_lexer": "ipython3"}


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
