"""Whole processes beside the least that any such process costs: a notebook run again, and one question asked."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

from tests.bench.clock import ROOT, interleaved
from tests.bench.table import Row

NOTEBOOKS = sorted((ROOT / "notebooks").glob("0[12]_*.ipynb"))
RUN = """
import sys
from ragkit import notebooks
runs = notebooks.run(sys.argv[1:], force=True, progress=False)
sys.exit(" ".join(run.message for run in runs if run.status == notebooks.FAILED) or 0)
"""


def notebook(quick: bool = False) -> list[Row]:
    """The first two notebooks beside as many empty ones. Copies run, and what they make stays with them."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "notebooks")
        place.mkdir()
        empty = [place / f"empty_{n}.ipynb" for n, _ in enumerate(NOTEBOOKS)]
        for each, path in zip(NOTEBOOKS, empty, strict=True):
            shutil.copyfile(each, place / each.name)
            path.write_text(_notebook("import matplotlib.pyplot\nimport pandas\nimport ragkit"), encoding="utf-8")
        groups = {"ours": [place / each.name for each in NOTEBOOKS], "empty": empty}
        commands = {name: [sys.executable, "-c", RUN, *map(str, paths)] for name, paths in groups.items()}
        ours, floor = interleaved(commands, 1 if quick else 5, RAGKIT_RESULTS=str(Path(folder, "results"))).values()
    what = f"{len(NOTEBOOKS)} notebooks again"
    return [Row(what, ours, floor, f"{len(NOTEBOOKS)} empty notebooks", 2.5, faster=False)]


def ask(quick: bool = False) -> list[Row]:
    commands = {
        "ragkit ask": [sys.executable, "-m", "ragkit", "ask", "What's a KX-Code?"],
        "import numpy": [sys.executable, "-c", "import numpy"],
    }
    ours, floor = interleaved(commands, 9 if quick else 15).values()
    return [Row("ragkit ask, whole process", ours, floor, "import numpy", 4, faster=False)]


def _notebook(source: str) -> str:
    code = {"cell_type": "code", "execution_count": None, "id": "a", "metadata": {}, "outputs": [], "source": source}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps({"cells": [code], "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5})
