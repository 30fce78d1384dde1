"""Case c22: a run that breaks half way leaves what was there, says so, and no report shows half of it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ragkit import notebooks, publish
from ragkit.files import ROOT
from ragkit.ipynb import Run
from tests.toys import files, notebook, printed, use_results

GIVEN = Path(__file__).parent / "c22"
YESTERDAY = (GIVEN / "rows-from-yesterday.csv").read_text()


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return use_results(tmp_path, monkeypatch)


def fails(path: Path) -> Run:
    """Fails, and leaves the notebook and all that lies beside it as they were, and no stage."""
    before = files(path.parent)
    (run,) = notebooks.run([path], progress=False)
    assert run.status == "failed"
    assert "\n" not in run.message
    assert files(path.parent) == before
    assert [entry.name for entry in (notebooks.results() / "cache").iterdir()] == ["fresh.json"]
    return run


def report(run: Run, folder: Path) -> str:
    return publish.build([publish.Section("Summary")], [run], folder / "report.html").read_text("utf-8")


# --- given -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def breaks(tmp_path: Path, results: Path) -> Path:
    """The notebook writes into the folder it stands in, where yesterday's file lies under the final name."""
    (tmp_path / "nb").mkdir()
    shutil.copy(GIVEN / "rows-from-yesterday.csv", tmp_path / "nb" / "rows.csv")
    return Path(shutil.copy(GIVEN / "breaks.ipynb", tmp_path / "nb" / "breaks.ipynb"))


def test_the_failure_names_cell_error_and_place(breaks: Path, results: Path) -> None:
    kept = results / "runs" / "breaks--failed.ipynb"
    run = fails(breaks)
    assert run.message == f"{breaks}: cell [3], line 1: RuntimeError: the judge went away; see {kept}"
    assert (breaks.parent / "rows.csv").read_text() == YESTERDAY
    assert "the judge went away" in kept.read_text()
    assert list(files(results)) == ["runs/breaks--failed.ipynb"]


def test_without_yesterday_s_file_there_is_none(breaks: Path) -> None:
    (breaks.parent / "rows.csv").unlink()
    fails(breaks)
    assert [entry.name for entry in breaks.parent.iterdir()] == ["breaks.ipynb"]


def test_the_exit_status_is_one(breaks: Path) -> None:
    command = [sys.executable, "-m", "ragkit", "notebook", str(breaks)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "cell [3]" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_report_says_that_the_newest_run_failed(breaks: Path, tmp_path: Path) -> None:
    html = report(fails(breaks), tmp_path)
    top, _, rest = html.partition("<h2>")
    assert "The newest run failed in 1 of 1 notebooks" in top
    assert "the judge went away" in top
    assert "The newest run of this notebook failed" in rest
    mended = notebook(breaks, "print('good')")
    (run,) = notebooks.run([mended], progress=False)
    assert "newest run" not in report(run, tmp_path)


def test_a_good_run_takes_the_mark_away_and_replaces_the_rows(breaks: Path, results: Path) -> None:
    fails(breaks)
    text = breaks.read_text()
    breaks.write_text(text.replace("raise RuntimeError('the judge went away')", "pass"))
    assert notebooks.run([breaks], progress=False)[0].status == "ran"
    assert (breaks.parent / "rows.csv").read_text() == "id,outcome\nq1,answer\nq2,refuse\n"
    assert files(results) == {}


def test_a_failure_is_not_forgotten_when_nothing_else_changed(tmp_path: Path, results: Path) -> None:
    """It failed for a reason outside of it: the next report must not call the older result fresh."""
    path = notebook(tmp_path / "nb" / "01.ipynb", f"assert not __import__('os').path.exists({str(tmp_path / 'off')!r})")
    assert notebooks.run([path], progress=False)[0].status == "ran"
    (tmp_path / "off").touch()
    assert notebooks.run([path], force=True, progress=False)[0].status == "failed"
    assert notebooks.run([path], progress=False)[0].status == "failed"


# --- variant a: several results, in the place where ragkit writes them, and an error deep in a call -------------------

ROWS = """import os, pathlib
tables = pathlib.Path(os.environ['RAGKIT_RESULTS'], 'tables')
tables.mkdir(exist_ok=True)
(tables / 'outcomes.csv').write_text('id,right\\nq1,true\\n')
(tables / 'second.csv').write_text('half')"""


def test_an_error_within_a_call_after_two_tables(tmp_path: Path, results: Path) -> None:
    (results / "tables").mkdir(parents=True)
    (results / "tables" / "outcomes.csv").write_text(YESTERDAY)
    deep = "import statistics\nvalues = []\n\nprint('before'); statistics.mean(values)"
    relative = "open('../results/tables/outcomes.csv', 'a').write('half')"
    run = fails(notebook(tmp_path / "nb" / "05_deep.ipynb", ROWS, relative, deep, "print('never')"))
    assert "05_deep.ipynb: cell [3], line 4: StatisticsError: mean requires" in run.message
    assert files(results / "tables") == {"outcomes.csv": YESTERDAY}
    assert printed(results / "runs" / "05_deep--failed.ipynb") == "before\n"


def test_the_good_one_of_two_is_kept_and_the_other_is_not(tmp_path: Path, results: Path) -> None:
    good = notebook(tmp_path / "nb" / "01_good.ipynb", ROWS)
    other = ROWS.replace("outcomes", "other").replace("second", "third")
    bad = notebook(tmp_path / "nb" / "02_bad.ipynb", other, "1 / 0")
    assert [run.status for run in notebooks.run([good, bad], progress=False)] == ["ran", "failed"]
    assert sorted(files(results / "tables")) == ["outcomes.csv", "second.csv"]
    assert [run.status for run in notebooks.run([good, bad], progress=False)] == ["fresh", "failed"]


# --- variant b: the kernel dies, the code does not parse, a cell ends the run as if all were well, interrupts ------


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import os\nos._exit(3)", "DeadKernelError"),
        ("a = = 1", "cell [2], line 1: SyntaxError"),
        ("import sys\nsys.exit(0)", "cell [2]: SystemExit: 0"),
        ("raise SystemExit", "cell [2]: SystemExit"),
        ("raise KeyboardInterrupt", "cell [2], line 1: KeyboardInterrupt"),
    ],
)
def test_a_run_that_ends_in_another_way(source: str, expected: str, tmp_path: Path, results: Path) -> None:
    path = notebook(tmp_path / "nb" / "01.ipynb", ROWS, source, "open('late.csv', 'w').close()")
    run = fails(path)
    assert expected in run.message
    assert list(files(results)) == ["runs/01--failed.ipynb"]


def interrupted(path: Path, when: Callable[[], bool], *, group: bool) -> subprocess.CompletedProcess[str]:
    """Runs a notebook in a process of its own and sends it a real Ctrl-C as soon as `when` holds."""
    script = f"from ragkit import notebooks; notebooks.run([{str(path)!r}], force=True)"
    child = subprocess.Popen(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_for(when, or_end_of=child)
    (os.killpg if group else os.kill)(child.pid, signal.SIGINT)
    _, said = child.communicate(timeout=30)
    return subprocess.CompletedProcess(child.args, child.returncode, "", said)


def wait_for(what: Callable[[], bool], or_end_of: subprocess.Popen[str] | None = None) -> None:
    end = time.monotonic() + 30
    while not what():
        assert time.monotonic() < end, "waited in vain"
        assert or_end_of is None or or_end_of.poll() is None, "ended too early"
        time.sleep(0.05)


def is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    state = Path(f"/proc/{process}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.mark.parametrize("group", [False, True], ids=["one process", "as the terminal sends it"])
def test_an_interrupt(group: bool, tmp_path: Path, results: Path) -> None:
    (results / "tables").mkdir(parents=True)
    (results / "tables" / "outcomes.csv").write_text(YESTERDAY)
    mark = tmp_path / "kernel"
    sleep = f"import time\npathlib.Path({str(mark)!r}).write_text(str(os.getpid()))\ntime.sleep(60)"
    path = notebook(tmp_path / "nb" / "01_slow.ipynb", ROWS, sleep)
    before = path.read_bytes()
    done = interrupted(path, lambda: mark.exists() and bool(mark.read_text()), group=group)
    assert done.returncode != 0
    assert done.stderr.strip().splitlines()[-1] == "KeyboardInterrupt"
    assert path.read_bytes() == before
    assert files(results) == {"tables/outcomes.csv": YESTERDAY}
    assert [entry.name for entry in (results / "cache").iterdir()] == ["fresh.json"]
    wait_for(lambda: is_gone(int(mark.read_text())))


def test_a_notebook_of_the_project_is_interrupted(tmp_path: Path, results: Path) -> None:
    for original in sorted((ROOT / "notebooks").glob("*.ipynb"))[:1]:
        (tmp_path / "nb").mkdir()
        path = Path(shutil.copy(original, tmp_path / "nb"))
        before = path.read_bytes()

        def has_begun() -> bool:
            made = list((results / "cache").glob("stage-*/0/executed.ipynb"))
            return bool(made) and bool(re.search(r'"execution_count": 1[0-9]', made[0].read_text("utf-8")))

        assert interrupted(path, has_begun, group=True).returncode != 0
        assert path.read_bytes() == before
        assert files(results) == {}
        time.sleep(1)  # a kernel that went on would write its next table by then
        assert [entry.name for entry in (results / "cache").iterdir()] == ["fresh.json"]
