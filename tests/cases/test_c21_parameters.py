"""Case c21: a parameter that is passed is used, or the run does not start."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ragkit import ipynb, notebooks, parameters
from ragkit.files import ROOT
from ragkit.records import BadInput
from tests.toys import code, notebook, printed, use_results

GIVEN = Path(__file__).parent / "c21"


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return use_results(tmp_path, monkeypatch)


def refused(path: Path, *pairs: str, file: Path | None = None) -> str:
    """The message; nothing has run and nothing was written."""
    before = path.read_bytes()
    with pytest.raises(BadInput) as stopped:
        notebooks.run([path], parameters=notebooks.given(pairs, file), progress=False)
    assert path.read_bytes() == before
    assert not list(notebooks.results().rglob("*.ipynb"))
    assert "\n" not in str(stopped.value)
    return str(stopped.value)


def ran(path: Path, *pairs: str, file: Path | None = None) -> tuple[str, dict[str, object]]:
    """What the run printed and what it recorded as in force. The notebook itself stays as it was."""
    before = path.read_bytes()
    (run,) = notebooks.run([path], parameters=notebooks.given(pairs, file), progress=False)
    assert run.status == "ran", run.message
    assert path.read_bytes() == before
    (made,) = (notebooks.results() / "runs").glob("*.ipynb")
    recorded = json.loads((made.with_suffix("") / "parameters.json").read_text()) if pairs or file else {}
    assert ipynb.read(made)["metadata"]["ragkit"]["parameters"] == recorded
    return printed(made), recorded


# --- given -----------------------------------------------------------------------------------------------------------


def copied(name: str, folder: Path) -> Path:
    return Path(shutil.copy(GIVEN / name, folder / name))


def test_a_notebook_without_the_tag_takes_none(tmp_path: Path, results: Path) -> None:
    assert "takes no parameters" in refused(copied("untagged.ipynb", tmp_path), file=GIVEN / "good.yaml")


def test_a_misspelt_name_is_named_with_those_that_exist(tmp_path: Path, results: Path) -> None:
    message = refused(copied("tagged.ipynb", tmp_path), file=GIVEN / "misspelt.yaml")
    assert "`topk`, did you mean `top_k`? It has: top_k, thresholds" in message


def test_a_value_that_is_given_is_used_and_recorded(tmp_path: Path, results: Path) -> None:
    text, recorded = ran(copied("tagged.ipynb", tmp_path), file=GIVEN / "good.yaml")
    assert text == "used 5 [1.0, 2.0]\n"
    assert recorded == {"top_k": 5, "thresholds": [1.0, 2.0]}


def test_a_run_with_the_defaults_records_them_too(tmp_path: Path, results: Path) -> None:
    path = copied("tagged.ipynb", tmp_path)
    assert notebooks.run([path], progress=False)[0].status == "ran"
    assert printed(path) == "used 3 [1.0, 2.0]\n"
    assert ipynb.read(path)["metadata"]["ragkit"] == {"parameters": {"top_k": 3, "thresholds": [1.0, 2.0]}}


@pytest.mark.parametrize(
    ("name", "file", "code"), [("untagged", "good", 2), ("tagged", "misspelt", 2), ("tagged", "good", 0)]
)
def test_the_exit_status_tells(name: str, file: str, code: int, tmp_path: Path, results: Path) -> None:
    path = copied(f"{name}.ipynb", tmp_path)
    command = [sys.executable, "-m", "ragkit", "notebook", str(path), "-f", str(GIVEN / f"{file}.yaml")]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


def test_the_project_s_own_notebooks_check_theirs(tmp_path: Path, results: Path) -> None:
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        source = ipynb.read(path)
        for name in parameters.declared(source, path.name):
            with pytest.raises(BadInput, match=f"no parameter `{name}x`, did you mean `{name}`"):
                parameters.chosen(source, {f"{name}x": "1"}, path.name)


# --- variant a: other names and types, on the command line -----------------------------------------------------------

TYPED = """commit: str = "0000000"  # the commit to look at
floor: float = 0.45
strict: bool = True
strata: list[int] = [1, 2]
names: list = []
limit = 1.5
label = None"""
SHOW = "print(commit, floor, strict, strata, names, limit, sep='|')"


@pytest.mark.parametrize("text", ["12e4567", "1234567", "007", "1e5", "true", "no", "null", "~", "1.0", "2026-11-30"])
def test_text_stays_text(text: str, tmp_path: Path) -> None:
    source = ipynb.read(notebook(tmp_path / "01_typed.ipynb", SHOW, parameters=TYPED))
    (tmp_path / "p.yaml").write_text(f"commit: {text}\n")
    for given in (notebooks.given([f"commit={text}"]), notebooks.given(file=tmp_path / "p.yaml"), {"commit": text}):
        assert parameters.chosen(source, given, "x") == {"commit": text}


def test_typed_values_arrive_as_their_type(tmp_path: Path, results: Path) -> None:
    path = notebook(tmp_path / "01_typed.ipynb", SHOW, parameters=TYPED)
    pairs = ("commit=12e4567", "floor=1", "strict=false", "strata=[4, 5]", "names=a, 'b=c'", "limit=2")
    text, recorded = ran(path, *pairs)
    assert text == "12e4567|1.0|False|[4, 5]|['a', 'b=c']|2.0\n"
    assert recorded["label"] is None


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("floor=high", "`floor` must be float, is 'high'"),
        ("floor=12e4567", "must be float"),
        ("strict=0", "must be bool, is '0'"),
        ("strict=maybe", "must be bool"),
        ("strata=[1, two]", "must be list[int]"),
        ("strata=1.5", "must be list[int]"),
        ("strata=[1", "must be list[int]"),
        ("limit=", "must be float, is ''"),
        ("label=x", "of no known type"),
        ("flor=1", "`flor`, did you mean `floor`?"),
        ("FLOOR=1", "has no parameter `FLOOR`"),
        ("zzz=1", "has no parameter `zzz`. It has: commit, floor, strict"),
        ("floor", "write name=value"),
    ],
)
def test_wrong_values_and_names_stop_before_the_run(pair: str, expected: str, tmp_path: Path, results: Path) -> None:
    assert expected in refused(notebook(tmp_path / "01_typed.ipynb", SHOW, parameters=TYPED), pair)


def test_values_from_python_have_to_be_of_the_type(tmp_path: Path) -> None:
    source = ipynb.read(notebook(tmp_path / "x.ipynb", SHOW, parameters=TYPED))
    assert parameters.chosen(source, {"floor": 1, "strata": [3]}, "x") == {"floor": 1.0, "strata": [3]}
    for wrong in ({"strict": 1}, {"commit": 7}, {"strata": [True]}, {"floor": None}, {"commit": ["a"]}):
        with pytest.raises(BadInput, match="must be"):
            parameters.chosen(source, wrong, "x")


# --- variant b: other ways in which a value could be lost ------------------------------------------------------------


LOST = ("depth = 2", "for depth in (1, 2):\n    pass", "if depth > 9:\n    depth = 9", "depth += 1")


@pytest.mark.parametrize("lost", LOST)
def test_a_name_that_a_later_cell_sets_again(lost: str, tmp_path: Path, results: Path) -> None:
    path = notebook(tmp_path / "01.ipynb", lost, "print(depth)", parameters="depth: int = 2")
    assert "`depth` a second time" in refused(path, "depth=7")


def test_a_second_tagged_cell(tmp_path: Path, results: Path) -> None:
    path = notebook(tmp_path / "01.ipynb", code("depth = 3", tags=["parameters"]), parameters="depth = 2")
    assert "2 cells are tagged" in refused(path, "depth=7")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("depth: 7\ndepth: 8\n", "p.yaml:2: depth is given twice"),
        ("- depth\n", "not a mapping"),
        ("depth\n", "not a mapping"),
        ("", "not a mapping"),
        ("depth: [7\n", "not YAML"),
        ("depth: {a: 1}\n", "must be int"),
        ("depth:\n", "must be int, is ''"),
        ("depth: 7.0\n", "must be int, is '7.0'"),
    ],
)
def test_a_file_that_says_something_else(text: str, expected: str, tmp_path: Path, results: Path) -> None:
    path = notebook(tmp_path / "01.ipynb", parameters="depth: int = 2")
    (tmp_path / "p.yaml").write_text(text)
    assert expected in refused(path, file=tmp_path / "p.yaml")


def test_a_name_given_twice(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="depth is given twice"):
        notebooks.given(["depth=7", "depth=8"])


def test_one_of_several_notebooks_does_not_take_it_and_none_runs(tmp_path: Path, results: Path) -> None:
    paths = [notebook(tmp_path / f"0{n}.ipynb", parameters=f"{name} = 2") for n, name in enumerate(("depth", "width"))]
    with pytest.raises(BadInput, match=r"01\.ipynb: has no parameter `depth`"):
        notebooks.run(paths, parameters={"depth": "7"}, progress=False)
    assert not (results / "runs").exists()


def test_results_of_other_parameters_lie_apart(tmp_path: Path, results: Path) -> None:
    table = "import os\nopen(os.environ['RAGKIT_RESULTS'] + '/depth.csv', 'w').write(f'{depth}')"
    near = "open('near.csv', 'w').write('x')"
    path = notebook(tmp_path / "nb" / "01.ipynb", table, near, parameters="depth: int = 2\nname = 'a/b'")
    ran(path, "depth=7")
    assert (results / "runs" / "01--depth=7" / "depth.csv").read_text() == "7"
    assert not (results / "depth.csv").exists() and not (tmp_path / "nb" / "near.csv").exists()
    made = (results / "runs" / "01--depth=7.ipynb").read_bytes()
    assert notebooks.run([path], progress=False)[0].status == "ran"
    assert notebooks.run([path], parameters={"depth": 7}, progress=False)[0].status == "ran", "never fresh"
    assert (results / "runs" / "01--depth=7.ipynb").read_bytes() == made
    names = [parameters_run(path, results, f"name={text}") for text in ("a/b", "a_b", "a b")]
    assert len(set(names)) == 3, "no two runs share a name"


def parameters_run(path: Path, results: Path, pair: str) -> str:
    from ragkit.stage import Task

    return notebooks._variant(Task(path, results, parameters.chosen(ipynb.read(path), notebooks.given([pair]), "x")))
