"""The main job: what it says, what it keeps, and that a row of the baseline that breaks or is gone is a finding."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from ragkit import golden, job, report
from ragkit.notebooks import FAILED, Run
from ragkit.records import BadInput
from ragkit.systems import SYSTEMS


@pytest.fixture(scope="module")
def runs() -> list[report.Run]:
    return job.evaluated()[0]


def findings(runs: list[report.Run], *played: Run) -> list[str]:
    return [line for line in job._lines(runs, played) if line.startswith(job.FINDING)]


def test_nothing_is_found_today(runs: list[report.Run]) -> None:
    assert findings(runs) == []


def test_the_lines_are_header_bands_and_place(runs: list[report.Run]) -> None:
    lines = job._lines(runs, [])
    assert lines[0].startswith(
        "backend: bm25   corpus: kestrel (89 chunks)   system: passage   golden: kestrel (30 rows)"
    )
    assert [line.split()[0] for line in lines[2:4]] == ["ANSWERABLE", "UNANSWERABLE"]
    assert lines[-1].endswith("report.html")


@pytest.mark.parametrize("name", ["k07", "gone"], ids=["a row that fails", "a row that was deleted"])
def test_a_known_row_that_does_not_hold_is_a_finding(
    runs: list[report.Run], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    golden.write_baseline(tmp_path / "baseline.csv", {("passage", "kestrel", "kestrel"): {name: True}})
    monkeypatch.setattr(job, "BASELINE", tmp_path / "baseline.csv")
    assert findings(runs) == [f"{job.FINDING}passage kestrel kestrel: no longer hold or not asked: {name}"]


def test_a_failed_notebook_is_a_finding(runs: list[report.Run]) -> None:
    assert findings(runs, Run(Path("01.ipynb"), FAILED, "01.ipynb: cell [3]")) == [f"{job.FINDING}01.ipynb: cell [3]"]


def test_every_golden_file_meets_every_system(runs: list[report.Run]) -> None:
    assert len({run.key for run in runs}) == len(runs) == 7 * len(SYSTEMS)


def test_the_refusal_table_comes_first_with_both_errors(runs: list[report.Run]) -> None:
    first = next(job._sections(runs)).tables[0]
    assert first.columns[:3] == ["system", "false answers", "false refusals"]
    assert [row[0] for row in first.rows][:2] == ["always-answer", "always-refuse"]


def test_a_trial_run_writes_nothing_beside_the_documents(
    runs: list[report.Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGKIT_RESULTS", str(tmp_path))
    places = [job._indexed(folder) for folder, _ in job._corpora()] + job.keep(runs)
    assert all(place.is_relative_to(tmp_path) and place.is_file() for place in places)


@pytest.mark.parametrize(
    "text", ["a,b\n1,2\n", "set,kind,name,metric,hits,of,left_out\nx,system,y,false_answers,a,b,c\n"]
)
def test_a_kept_public_table_of_another_shape_is_told(
    runs: list[report.Run], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGKIT_RESULTS", str(tmp_path))
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "public.csv").write_text(text)
    with pytest.raises(BadInput, match="make public"):
        list(job._sections(runs))


def test_the_public_areas_are_the_kept_ones() -> None:
    kept = job.results() / "tables" / "public.csv"
    rows = list(csv.DictReader(kept.read_text("utf-8").splitlines()))
    area = next(float(r["value"]) for r in rows if (r["set"], r["name"], r["metric"]) == ("clapnq", "top", "auroc"))
    shown = job._public(kept).tables[1]
    assert shown.rows[[row[0] for row in shown.rows].index("top")][shown.columns.index("clapnq")] == f"{area:.2f}"
