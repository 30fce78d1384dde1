"""Notebooks are run, kept fresh and guarded; for lost parameters and broken runs see tests/cases, c21 and c22."""

from __future__ import annotations

import doctest
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from ragkit import fresh, ipynb, notebooks, parameters
from ragkit.files import ROOT
from ragkit.records import BadInput
from tests.guard import WIDGET, problems
from tests.toys import FIGURE, PIXEL, code, files, notebook, printed, use_results

TABLE = """import os, pathlib
place = pathlib.Path(os.environ['RAGKIT_RESULTS'], 'tables', '{name}.csv')
place.parent.mkdir(exist_ok=True)
place.write_text('id,value\\nq1,{value}\\n')"""


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return use_results(tmp_path, monkeypatch)


def statuses(*paths: Path, **options: bool) -> list[str]:
    return [run.status for run in notebooks.run(paths, progress=False, **options)]


# --- the committed notebooks -----------------------------------------------------------------------------------------


def test_committed_notebooks_pass_the_guard() -> None:
    found = {path.name: list(problems(path)) for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
    assert {name: listed for name, listed in found.items() if listed} == {}


# --- the guard -------------------------------------------------------------------------------------------------------


def output(data: dict, alt: str = "") -> dict:
    return {"output_type": "display_data", "data": data, "metadata": {"image/png": {"alt": alt}} if alt else {}}


def figure(text: str, alt: str) -> dict:
    return output({"image/png": PIXEL, "text/plain": text}, alt)


def stream(text: str, name: str = "stdout") -> dict:
    return {"output_type": "stream", "name": name, "text": text}


ERROR = {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": []}
BROKEN = {
    "not run": (code("a = 1"), "has the count None"),
    "run twice": (code("a = 1", count=7), "has the count 7"),
    "error": (code("a = 1", count=1, outputs=[ERROR]), "holds the error ValueError"),
    "warning": (code("a = 1", count=1, outputs=[stream("careful", "stderr")]), "stderr: 'careful'"),
    "widget": (code("a = 1", count=1, outputs=[output({WIDGET: {}})]), "holds a widget"),
    "address": (code("a = 1", count=1, outputs=[stream("<f at 0x7f3a9c001230>")]), "0x7f3a9c001230"),
    "home": (code("a = 1", count=1, outputs=[stream("/home/ada/x.csv")]), "/home/ada"),
    "temporary": (code("a = 1", count=1, outputs=[output({"text/html": ["<b>/tmp/run-3/x</b>"]})]), "/tmp/run-3"),
    "project": (code("a = 1", count=1, outputs=[output({"text/plain": f"{ROOT}/x"})]), "on the next machine"),
    "no alt": (code("a = 1", count=1, outputs=[output({"image/png": PIXEL})]), "figure without alt text"),
    "other alt": (code("a = 1", count=1, outputs=[figure("<Figure>", "q1 5")]), "text/plain is not its alt text"),
    "function": (code("def f():\n    return 1", count=1), "defines a function"),
    "class": (code("if True:\n    class A: pass", count=1), "defines a function or class"),
    "magic": (code("%time a = 1", count=1), "not plain Python"),
    "long": (code("\n".join(["a = 1"] * 13), count=1), "has 13 lines"),
    "injected": (code("a = 1", count=1, tags=["injected-parameters"]), "with other parameters"),
    "empty": (code("  "), "empty code cell"),
    "big": (code("a = 1", count=1, outputs=[stream("x" * 1_000_001)]), "keep it under 1 MB"),
}


def written(path: Path, *cells: dict) -> Path:
    notebook(path, *cells)
    path.write_text(ipynb.dumps(ipynb.normalise(ipynb.read(path))))
    return path


@pytest.mark.parametrize("kind", BROKEN)
def test_guard_finds(kind: str, tmp_path: Path) -> None:
    cell, expected = BROKEN[kind]
    (problem,) = problems(written(tmp_path / "x.ipynb", cell))
    assert expected in problem


def test_guard_passes_a_notebook_as_it_should_be(tmp_path: Path) -> None:
    first = code("top_k: int = 3", count=1, tags=["parameters"])
    second = code("1", count=2, outputs=[figure("A bar: q1 5.2.", "A bar: q1 5.2.")])
    assert list(problems(written(tmp_path / "x.ipynb", first, second))) == []


def test_guard_finds_what_stands_between_cells(tmp_path: Path) -> None:
    tagged = code("top_k = 3", count=1, tags=["parameters"])
    again = written(tmp_path / "again.ipynb", tagged, code("top_k = 4", count=2))
    twice = written(tmp_path / "twice.ipynb", tagged, code("a = 1", count=2, tags=["parameters"]))
    loose = notebook(tmp_path / "loose.ipynb", code("a = 1", count=1))
    assert "`top_k` a second time" in "".join(problems(again))
    assert "2 cells are tagged" in "".join(problems(twice))
    assert list(problems(loose)) == ["is not normalised; run it through `ragkit notebook`"]


def test_guard_finds_a_stored_run_with_other_parameters(tmp_path: Path) -> None:
    path = written(tmp_path / "x.ipynb", code("top_k = 3", count=1, tags=["parameters"]))
    stored = ipynb.read(path) | {"metadata": ipynb.read(path)["metadata"] | {"ragkit": {"parameters": {"top_k": 5}}}}
    path.write_text(ipynb.dumps(stored))
    assert list(problems(path)) == ["was run with other parameters than it declares; run it again"]


# --- normalise -------------------------------------------------------------------------------------------------------


def test_normalised_is_what_jupyter_saves_and_stays_so(tmp_path: Path) -> None:
    shown = output({"image/png": PIXEL, "text/plain": "two\nlines", "application/json": {"b": 1, "a": "x\ny"}})
    outputs = [stream("1\n"), stream("2\n"), shown]
    path = notebook(tmp_path / "x.ipynb", code("a = 1\nb = 'é'", count=1, outputs=outputs))
    once = ipynb.dumps(ipynb.normalise(ipynb.read(path)))
    path.write_text(once)
    assert ipynb.dumps(ipynb.normalise(ipynb.read(path))) == once
    assert nbformat.writes(nbformat.reads(once, as_version=4)) + "\n" == once
    assert printed(path) == "1\n2\n"
    assert len(json.loads(once)["cells"][0]["outputs"]) == 2, "one output for each stretch of a stream"


def test_three_runs_give_the_same_bytes(tmp_path: Path, results: Path) -> None:
    loop = "for n in range(3):\n    print(n, flush=True)"
    path = notebook(tmp_path / "nb" / "01_toy.ipynb", loop, FIGURE, TABLE.format(name="a", value=1))
    runs = []
    for _ in range(3):
        assert statuses(path, force=True) == ["ran"]
        runs.append((path.read_bytes(), files(results)))
    assert runs[0] == runs[1] == runs[2]
    assert list(problems(path)) == []
    assert runs[0][1] == {"tables/a.csv": "id,value\nq1,1\n"}


# --- freshness -------------------------------------------------------------------------------------------------------


def test_only_what_is_not_fresh_runs(tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fresh, "ROOT", tmp_path)
    one = notebook(tmp_path / "nb" / "01_one.ipynb", TABLE.format(name="one", value=1))
    two = notebook(tmp_path / "nb" / "02_two.ipynb", TABLE.format(name="two", value=2))
    assert statuses(one, two) == ["ran", "ran"]
    assert statuses(one, two) == ["fresh", "fresh"]
    os.utime(one)
    assert statuses(one, two) == ["fresh", "fresh"], "times do not count"
    notebook(two, TABLE.format(name="two", value=3))
    assert statuses(one, two) == ["fresh", "ran"], "a changed notebook"
    (results / "tables" / "one.csv").write_text("id,value\nq1,99\n")
    assert statuses(one, two) == ["ran", "fresh"], "a tampered table"
    assert (results / "tables" / "one.csv").read_text() == "id,value\nq1,1\n"
    (results / "tables" / "two.csv").unlink()
    tampered = json.loads(one.read_text())
    tampered["cells"][0]["outputs"] = [stream("7")]
    one.write_text(ipynb.dumps(tampered))
    assert statuses(one, two) == ["ran", "ran"], "a tampered output and a deleted table"
    (tmp_path / "requirements.lock").write_text("numpy==3")
    assert statuses(one, two) == ["ran", "ran"], "another lock"


INPUTS = ("ragkit/gate.py", "ragkit/data/stop.csv", "corpus/k/a.md", "golden/k.csv", "requirements.lock")


@pytest.mark.parametrize("part", INPUTS)
def test_a_key_covers_code_data_and_lock(part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fresh, "ROOT", tmp_path)
    path = notebook(tmp_path / "notebooks" / "x.ipynb", "a = 1")
    place = tmp_path / part
    place.parent.mkdir(parents=True, exist_ok=True)
    keys = []
    for text in ("a", "b"):
        place.write_text(text)
        keys.append(notebooks._keys([path])[path])
    assert keys[0] != keys[1]
    place.rename(place.with_stem("renamed"))
    assert notebooks._keys([path])[path] != keys[1]


# --- the run itself --------------------------------------------------------------------------------------------------


def test_two_run_at_a_time(tmp_path: Path, results: Path) -> None:
    meet = """import pathlib, time
pathlib.Path('{own}').touch()
end = time.monotonic() + 30
while not pathlib.Path('{other}').exists():
    assert time.monotonic() < end, 'alone'
    time.sleep(0.05)"""
    left, right = str(tmp_path / "left"), str(tmp_path / "right")
    paths = [
        notebook(tmp_path / "nb" / "01.ipynb", meet.format(own=left, other=right)),
        notebook(tmp_path / "nb" / "02.ipynb", meet.format(own=right, other=left)),
    ]
    assert statuses(*paths) == ["ran", "ran"]


def test_the_surroundings_are_those_of_the_notebook(tmp_path: Path, results: Path) -> None:
    (tmp_path / "nb").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "nb" / "near.csv").write_text("near")
    (tmp_path / "data" / "far.csv").write_text("far")
    (tmp_path / "top.csv").write_text("top")
    path = notebook(
        tmp_path / "nb" / "01.ipynb",
        "for name in ('near.csv', '../data/far.csv', '../top.csv'):\n    print(open(name).read())",
        "open('new.csv', 'w').write('new'); open('../top.csv', 'w').write('changed')",
        "import ipykernel\nassert ipykernel.connect.get_connection_info(unpack=True)['transport'] == 'ipc'",
        "open('../results/also.csv', 'w').write('also'); open('.hidden', 'w').close()",
    )
    assert statuses(path) == ["ran"]
    assert printed(path).split() == ["near", "far", "top"]
    assert sorted(entry.name for entry in (tmp_path / "nb").iterdir()) == ["01.ipynb", "near.csv", "new.csv"]
    assert (tmp_path / "top.csv").read_text() == "changed"
    assert files(results) == {"also.csv": "also"}
    assert [entry.name for entry in (results / "cache").iterdir()] == ["fresh.json"], "the stage is gone"


def test_a_notebook_has_the_cache_of_the_project(tmp_path: Path, results: Path) -> None:
    path = notebook(tmp_path / "notebooks" / "01_a.ipynb", "from ragkit.files import cache\nprint(cache())")
    assert statuses(path) == ["ran"]
    assert printed(path).strip() == str((results / "cache").resolve())


def test_what_a_person_edits_during_a_run_stays(tmp_path: Path, results: Path) -> None:
    (tmp_path / "nb").mkdir()
    note = tmp_path / "nb" / "note.csv"
    note.write_text("before")
    path = notebook(tmp_path / "nb" / "01.ipynb", f"open({str(note)!r}, 'w').write('edited')")
    assert statuses(path) == ["ran"]
    assert note.read_text() == "edited"


def test_no_grammar_is_compiled_and_names_are_shown(tmp_path: Path) -> None:
    """A stand-in for the package that JupyterLab brings tells when it is imported."""
    (tmp_path / "rfc3987_syntax.py").write_text(f"open({str(tmp_path / 'imported')!r}, 'w').close()\n")
    path = notebook(tmp_path / "nb" / "01_named.ipynb", "1 + 1")
    script = f"from ragkit import notebooks, publish; publish.build([], notebooks.run([{str(path)!r}]), 'report.html')"
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)]),
        "RAGKIT_RESULTS": str(tmp_path / "results"),
        "FORCE_COLOR": "1",
    }
    done = subprocess.run([sys.executable, "-c", script], env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "imported").exists()
    assert "01_named" in done.stderr and "WARNING" not in done.stderr, "a bar with names, and no noise of a kernel"
    assert done.stdout == ""


def test_an_interrupt_waits_for_the_files_of_a_run(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), notebooks._ctrl_c_waits():
        signal.raise_signal(signal.SIGINT)
        (tmp_path / "whole").touch()
    assert (tmp_path / "whole").exists()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(
    ("text", "expected"),
    [("{", "x.ipynb:1: not a notebook"), ("[]", "not a notebook of format 4"), ('{"nbformat": 3}', "format 4")],
)
def test_what_is_no_notebook_is_bad_input(text: str, expected: str, tmp_path: Path, results: Path) -> None:
    (tmp_path / "x.ipynb").write_text(text)
    with pytest.raises(BadInput, match=expected):
        notebooks.run([tmp_path / "x.ipynb"])
    with pytest.raises(BadInput, match="no such file"):
        notebooks.run([tmp_path / "y.ipynb"])


def test_examples_in_docstrings() -> None:
    assert all(doctest.testmod(module).failed == 0 for module in (ipynb, parameters, notebooks))
