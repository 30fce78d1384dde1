"""Case c23: a result is filed under the commit that gave it; what differs from the commit is marked and told apart.

The six steps are those of `c23/steps.md`, taken in a repository that holds this project.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import case
import numpy as np
import pytest

from ragkit import trend, vectors
from ragkit.commits import Repo
from ragkit.history import PRINTS, Record
from ragkit.store import Store
from tests.pasts import append, git, history, lab, record, swap

STEPS = re.findall(r"^\d\. ([^:]+):", (case.HERE / "c23" / "steps.md").read_text("utf-8"), re.M)
CLEAN, FILE, CODE, NEW = "Clean", "Changed file", "Changed code", "New file"
OUTPUT, NOTE = "Own output", "Changed note"
PAGE = "corpus/kestrel/leave.md"
ROW = "z1,Is there a zebra?,false,,,q3,zebra,,,,\n"

Change = Callable[[Path], object]


@dataclass(frozen=True)
class Filed:
    """What a run said that it filed, and what stands there."""

    name: str
    mark: str
    record: Record

    @property
    def key(self) -> str:
        return self.name.removesuffix(".csv").split("-")[2]

    def others(self, than: Filed) -> set[str]:
        """Which of what went into it is not the same, by the fingerprints that it keeps of each."""
        runs = self.record.prints.keys() & than.record.prints.keys()
        return {
            part for run in runs for part in PRINTS if self.record.prints[run][part] != than.record.prints[run][part]
        }


# What is done to a clean folder before the run, and which fingerprints must tell; the steps, then others like them.
TOLD: dict[str, tuple[Change, set[str]]] = {
    FILE: (lambda lab: append(lab / PAGE, "\nOne more sentence.\n"), {"documents"}),
    CODE: (lambda lab: swap(lab / "ragkit/data/stopwords.csv", "how,", "hoooow,"), {"code"}),
    NEW: (lambda lab: append(lab / "corpus/kestrel/new.md", "# New\n\nA new page.\n"), {"documents"}),
    "another sentence": (lambda lab: append(lab / PAGE, "\nOne other sentence.\n"), {"documents"}),
    "another stop word": (lambda lab: append(lab / "ragkit/data/stopwords.csv", "zebra,function\n"), {"code"}),
    "another new file": (lambda lab: append(lab / "corpus/kestrel/new.md", "# New\n\nA page.\n"), {"documents"}),
    "a new folder": (lambda lab: append(lab / "corpus/kestrel/more/new.md", "# New\n\nA page.\n"), {"documents"}),
    "staged": (lambda lab: (append(lab / PAGE, "\nStaged.\n"), git(lab, "add", "-A")), {"documents"}),
    "two files": (lambda lab: [TOLD[step][0](lab) for step in (FILE, CODE)], {"documents", "code"}),
    "a term": (lambda lab: append(lab / "corpus/kestrel/terms.csv", "zebra,striped horse,\n"), {"documents"}),
    "a question": (lambda lab: append(lab / "golden/kestrel.csv", ROW), {"questions"}),
    "a label": (lambda lab: append(lab / "golden/kestrel.csv", ROW.replace("q3,zebra", "q3,horse")), {"questions"}),
    "a setting": (lambda lab: swap(lab / "ragkit/systems.py", "0.45", "0.46"), {"settings", "code"}),
    "a new module": (lambda lab: append(lab / "ragkit/more.py", '"""More."""\n'), {"code"}),
    "packages": (lambda lab: append(lab / "requirements.lock", "# one more\n"), {"lock"}),
}
SAME: dict[str, Change] = {
    CLEAN: lambda lab: None,
    OUTPUT: lambda lab: history(lab, "record"),
    NOTE: lambda lab: append(lab / "README.md", "more\n"),
    "a kept record": lambda lab: (history(lab, "record"), history(lab, "keep", "HEAD")),
    "a table": lambda lab: append(lab / "results/tables/own.csv", "a\n"),
    "the manifest": lambda lab: append(lab / "corpus/kestrel/manifest.json", "\n"),
    "the baseline": lambda lab: append(lab / "golden/baseline.csv", "passage,kestrel,kestrel,z1,true\n"),
}
ALL = {name: change for name, (change, _) in TOLD.items()} | SAME


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lab(tmp_path_factory.mktemp("project") / "lab")


@pytest.fixture(scope="module")
def filed(project: Path) -> Callable[[str], Filed]:
    """What the run after a change of the clean folder gave; each is run once."""

    @cache
    def run(name: str) -> Filed:
        clear(project)
        ALL[name](project)
        ran = history(project, "record")
        assert ran.returncode == 0, ran.stderr
        found, _, mark = ran.stdout.strip().partition(" ")
        return Filed(found, mark, Store(Repo.of(project), project / "none").read(found))

    return run


def clear(project: Path) -> None:
    git(project, "reset", "-q", "--hard")
    git(project, "clean", "-q", "-f", "-d")


def test_the_steps_are_those_of_the_case() -> None:
    assert STEPS == [CLEAN, FILE, CODE, NEW, OUTPUT, NOTE]


def test_a_clean_folder_is_filed_under_the_plain_commit(project: Path, filed: Callable[[str], Filed]) -> None:
    clean, head = filed(CLEAN), git(project, "rev-parse", "HEAD")
    assert clean.mark == "" and not clean.record.dirty
    assert clean.record.commit.sha == head and clean.name.startswith(f"20260201T090000Z-{head[:12]}-")


@pytest.mark.parametrize("change", TOLD)
def test_a_folder_that_differs_is_marked_and_its_fingerprints_tell_in_what(
    change: str, project: Path, filed: Callable[[str], Filed]
) -> None:
    found, clean = filed(change), filed(CLEAN)
    assert found.mark == "(not the commit as it is)" and found.record.dirty
    assert found.record.commit == clean.record.commit and found.key != clean.key
    assert found.others(clean) == TOLD[change][1]


@pytest.mark.parametrize("change", SAME)
def test_what_a_run_writes_and_no_run_reads_has_the_fingerprint_of_the_commit(
    change: str, filed: Callable[[str], Filed]
) -> None:
    found, clean = filed(change), filed(CLEAN)
    assert found.name == clean.name and found.others(clean) == set() and found.mark == ""


def test_no_two_runs_with_different_inputs_have_the_same_key(filed: Callable[[str], Filed]) -> None:
    pairs = combinations([CLEAN, *TOLD], 2)
    assert [pair for pair in pairs if filed(pair[0]).key == filed(pair[1]).key] == []


def test_a_commit_that_is_evaluated_while_the_folder_differs_is_itself(
    project: Path, filed: Callable[[str], Filed], tmp_path: Path
) -> None:
    clean = filed(CLEAN)
    git(tmp_path, "clone", "-q", str(project), "clone")
    for change in (FILE, CODE, NEW):
        ALL[change](tmp_path / "clone")
    ran = history(tmp_path / "clone", "run", "--last", "1")
    assert ran.returncode == 0, ran.stdout
    store = Store(Repo.of(tmp_path / "clone"), tmp_path / "none")
    assert store.names() == [clean.name] and store.read(clean.name).text() == clean.record.text()


def test_the_trend_shows_marked_results_apart(project: Path, filed: Callable[[str], Filed]) -> None:
    made = {name: filed(name) for name in (CLEAN, FILE, CODE)}
    clear(project)
    short = made[CLEAN].record.commit.short
    rows = [line.split() for line in history(project, "show").stdout.splitlines() if "kestrel" in line]
    assert [row[0] for row in rows].count(short) == 1 and [row[0] for row in rows].count(f"{short}*") >= 2
    data = json.loads(history(project, "show", "--json").stdout)
    assert [entry["dirty"] for entry in data] == [row[0].endswith("*") for row in rows]


def test_the_picture_leaves_marked_results_out(tmp_path: Path) -> None:
    store = Store(None, tmp_path)
    for each in (record({"y1": "a"}), record({"y1": "r"}, dirty=True, code="1")):
        (tmp_path / each.name).write_text(each.text())
    found = trend.rows(store)
    assert [str(point.rates["false_refusals"]) for point in found] == ["0/1", "1/1"]
    assert "false refusals of passage 0/1 at aaaaaaaaaaaa to 0/1 at aaaaaaaaaaaa" in trend.drawn(found)[1]


def other_vectors(place: Path) -> None:
    """The same texts, each with the vector of another; a whole file, as `ragkit index --vectors` would write it."""
    with np.load(place) as data:
        hashes, turned = data["hashes"], np.roll(data["vectors"], 1, axis=0)
    with place.open("wb") as file:
        np.savez(file, hashes=hashes, vectors=turned, check=vectors._check(hashes.tobytes() + turned.tobytes()))


MORE: dict[str, Change] = {
    "a row that must hold": lambda lab: swap(lab / "golden/kestrel.csv", "25 days,,true,", "25 days,,,"),
    "a category": lambda lab: swap(lab / "golden/kestrel.csv", "leave.md#annual-leave,q1", "leave.md#annual-leave,q2"),
    "vectors": lambda lab: other_vectors(lab / "corpus/kestrel/vectors.npz"),
}


@pytest.mark.parametrize("change", MORE)
def test_what_changes_the_record_changes_the_key(change: str, project: Path) -> None:
    clear(project)
    store = Store(Repo.of(project), project / "none")
    clean = history(project, "record").stdout.split()[0]
    before = store.read(clean).runs
    MORE[change](project)
    name = history(project, "record").stdout.split()[0]
    assert store.read(name).runs != before, "this changes nothing"
    assert name != clean


def test_a_marked_result_never_takes_the_place_of_the_plain_commit(project: Path) -> None:
    clear(project)
    assert history(project, "record").returncode == 0
    swap(project / "golden/kestrel.csv", "25 days,,true,", "25 days,,true,a note")
    assert "not the commit as it is" in history(project, "record").stdout
    compared = history(project, "compare", "HEAD", "HEAD")
    assert compared.returncode == 0, compared.stderr


def test_a_file_that_git_ignores_counts_when_it_is_read(project: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(project), "clone")
    append(tmp_path / "clone/.git/info/exclude", "*.draft.md\n")
    append(tmp_path / "clone/corpus/kestrel/leave.draft.md", "# Draft\n\nAnnual leave is 30 days.\n")
    assert "not the commit as it is" in history(tmp_path / "clone", "record").stdout


def test_a_commit_made_during_a_run_does_not_get_its_results(project: Path, tmp_path: Path) -> None:
    """The folder is read as it was at the first commit; the second one, which changes it, comes while that goes on."""
    git(tmp_path, "clone", "-q", str(project), "clone")
    clone = tmp_path / "clone"
    meanwhile = f"""
import subprocess, sys
from pathlib import Path
from ragkit import study
from ragkit.__main__ import main
read = study.evaluated
def evaluated(*given):
    found = read(*given)
    if given[0].name == "passage-hybrid":
        page = Path({str(clone / PAGE)!r})
        page.write_text("# Leave\\n\\n## Annual leave\\n\\nNone.\\n\\n## Carry over\\n\\nNone.\\n")
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x", "commit", "-qam", "x"], cwd={str(clone)!r})
    return found
study.evaluated = evaluated
sys.argv = ["ragkit", "history", "record"]
main()
"""
    first = git(clone, "rev-parse", "HEAD")
    own = os.environ | {"PYTHONPATH": str(clone), "RAGKIT_RESULTS": "", "RAGKIT_CACHE": ""}
    ran = subprocess.run([sys.executable, "-c", meanwhile], cwd=clone, env=own, capture_output=True, text=True)
    assert ran.returncode == 0 and git(clone, "rev-parse", "HEAD") != first, ran.stderr
    found = Store(Repo.of(clone), clone / "none").read(ran.stdout.split()[0])
    assert found.dirty or found.commit.sha == first


def test_the_picture_says_how_many_it_leaves_out(tmp_path: Path) -> None:
    """With none, one and two marked results its text is another each time."""
    store, told = Store(None, tmp_path), []
    for each in (record({"y1": "a"}), *(record({"y1": "r"}, dirty=True, code=code) for code in "12")):
        (tmp_path / each.name).write_text(each.text())
        told.append(trend.drawn(trend.rows(store))[1])
    assert len(set(told)) == 3
