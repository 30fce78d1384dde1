"""Whole processes beside the least that any such process costs: a notebook run again, and one question asked."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

from tests.bench.clock import ROOT, interleaved
from tests.bench.table import Row

NOTEBOOK = ROOT / "notebooks" / "01_threshold_or_coverage.ipynb"
RUN = """
import sys
from ragkit import notebooks
[run] = notebooks.run(sys.argv[1:], force=True, progress=False)
sys.exit(run.message if run.status == notebooks.FAILED else 0)
"""


def notebook(quick: bool = False) -> list[Row]:
    """Copies run, and what they make stays with them: nothing committed is replaced."""
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder, "notebooks", name) for name in (NOTEBOOK.name, "empty.ipynb")]
        places[0].parent.mkdir()
        shutil.copyfile(NOTEBOOK, places[0])
        places[1].write_text(_notebook("import matplotlib.pyplot\nimport pandas\nimport ragkit"), encoding="utf-8")
        commands = {place.name: [sys.executable, "-c", RUN, str(place)] for place in places}
        spent = interleaved(commands, 1 if quick else 5, RAGKIT_RESULTS=str(Path(folder, "results")))
    ours, floor = spent.values()
    return [Row(f"notebook {NOTEBOOK.stem} again", ours, floor, "an empty notebook", 2.5, faster=False)]


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
