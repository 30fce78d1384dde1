"""What is kept does not depend on the hash seed: tables byte for byte, for three seeds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from ragkit.files import ROOT

# The tables of the main job, and those that the notebooks write, their cells run without a kernel.
SCRIPT = """
import json
from ragkit import figures, job
from ragkit.files import ROOT
figures.show = lambda *args: None
job.keep(job.evaluated()[0])
for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
    cells = [c["source"] for c in json.loads(path.read_text("utf-8"))["cells"] if c["cell_type"] == "code"]
    exec("\\n".join("".join(source) for source in cells), {})
"""


def test_tables_are_the_same_bytes_for_three_seeds(tmp_path: Path) -> None:
    running = []
    for seed in ("0", "1", "4242"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "RAGKIT_RESULTS": str(tmp_path / seed)}
        running.append(subprocess.Popen([sys.executable, "-c", SCRIPT], env=environment, cwd=ROOT / "notebooks"))
    assert [process.wait() for process in running] == [0, 0, 0]
    first, *others = [
        {path.name: path.read_bytes() for path in (tmp_path / seed / "tables").iterdir()} for seed in ("0", "1", "4242")
    ]
    assert len(first) > 5
    assert all(other == first for other in others)
