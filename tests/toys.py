"""Small notebooks for the tests of what runs and publishes notebooks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
FIGURE = f"""from IPython.display import display
alt = 'A bar: q1 5.2.'
display({{'image/png': '{PIXEL}', 'text/plain': alt}}, metadata={{'image/png': {{'alt': alt}}}}, raw=True)"""


def code(source: str, *, count: int | None = None, outputs: Sequence[dict] = (), tags: Sequence[str] = ()) -> dict:
    return {
        "cell_type": "code",
        "execution_count": count,
        "metadata": {"tags": list(tags)} if tags else {},
        "outputs": list(outputs),
        "source": source,
    }


def prose(source: str) -> dict:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def notebook(path: Path, *cells: dict | str, parameters: str = "") -> Path:
    """Writes a notebook; a text is a code cell, and `parameters` the first one, with its tag."""
    first = [code(parameters, tags=["parameters"])] if parameters else []
    made = [*first, *(code(cell) if isinstance(cell, str) else cell for cell in cells)]
    for number, cell in enumerate(made):
        cell["id"] = f"cell-{number}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path


def printed(path: Path) -> str:
    """Everything that the cells of a notebook wrote to stdout."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", []) if output.get("name") == "stdout"]
    return "".join("".join(output["text"]) for output in outputs)


def files(folder: Path) -> dict[str, str]:
    """The visible files of a folder of results with their texts, the cache left out."""
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "cache" not in path.relative_to(folder).parts
    }


def use_results(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAGKIT_RESULTS", str(folder / "results"))
    monkeypatch.delenv("RAGKIT_CACHE", raising=False)
    return folder / "results"
