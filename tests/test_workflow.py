"""Workflow files call make targets and hold no logic of their own: what runs there runs on a desk too."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from ragkit.files import ROOT
from tests.pasts import git

PULL = yaml.safe_load((ROOT / ".github/workflows/eval.yml").read_text("utf-8"))["jobs"]["commit"]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))


def logic(text: str) -> Iterator[str]:
    """Steps that are more than an action or one make target."""
    for name, job in yaml.safe_load(text)["jobs"].items():
        for step in job.get("steps", []):
            command = str(step.get("run", "")).strip()
            target = re.fullmatch(r"make ([a-z-]+)(?: [A-Z]+=[\w.-]+)?", command)
            if "run" in step and (not target or target[1] not in TARGETS):
                yield f"{name}: {command}"
            if "shell" in step or "defaults" in job:
                yield f"{name}: sets a shell"


def test_there_is_one_and_it_runs_the_tests() -> None:
    assert any("run: make test" in path.read_text("utf-8") for path in WORKFLOWS)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_steps_are_make_targets(path) -> None:  # noqa: ANN001
    assert list(logic(path.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    "step",
    ["run: pytest", "run: make test || true", "run: make nothing", "run: |\n        make test\n        make report",
     "run: make test && make report", "run: pip install .", "{run: make test, shell: python}"],
)  # fmt: skip
def test_anything_else_is_found(step: str) -> None:
    assert list(logic(f"jobs:\n  a:\n    steps:\n    - {step}\n"))


def test_ci_calls_the_same_target() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert script.rstrip().endswith("\nmake test")
    lines = re.sub(r"(?m)^(#|missing\(\)|.*chromium).*$", "", script)
    assert not re.search(r"\b(pip|apt-get|pytest)\b(?!.*missing)", lines), "make installs what the tests need"


# Did this commit make it worse?


def test_the_verdict_comes_after_all_that_tells_why_and_the_whole_history_is_there() -> None:
    steps = PULL["steps"]
    assert [step["run"] for step in steps if "run" in step] == [
        "make compare", "make summary", "make comment", "make gate",
    ]  # fmt: skip
    assert steps[-1] == {"run": "make gate"} and steps[0]["with"]["fetch-depth"] == 0


def test_a_fork_can_not_comment_and_does_not_try() -> None:
    (comment,) = (step for step in PULL["steps"] if step.get("run") == "make comment")
    assert comment["if"] == "github.event.pull_request.head.repo.full_name == github.repository"
    assert set(comment["env"]) == {"GH_TOKEN", "PR"}


def test_the_targets_do_what_the_workflow_asks_of_them(project: Path, tmp_path: Path) -> None:
    """The commit before last cuts the stop list."""
    page, gh = tmp_path / "job.md", tmp_path / "bin" / "gh"
    gh.parent.mkdir()
    gh.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{tmp_path}/said"\n')
    gh.chmod(0o755)
    own = {"PATH": f"{gh.parent}:{os.environ['PATH']}", "PYTHONPATH": str(project), "RAGKIT_RESULTS": ""}
    own |= {"RAGKIT_CACHE": "", "GITHUB_STEP_SUMMARY": str(page), "BASE": "HEAD~1", "PR": "7"}

    def make(target: str) -> subprocess.CompletedProcess[str]:
        command = ["make", "--silent", target, f"PY={sys.executable}"]
        return subprocess.run(command, cwd=project, env=os.environ | own, capture_output=True, text=True)

    git(project, "checkout", "-q", "--detach", "HEAD~1")
    compared = make("compare")
    assert compared.returncode == 0, compared.stdout + compared.stderr
    assert "going on with the records that are here" in compared.stdout, "there is no remote"
    made = {path.name for path in (project / "results/runs/pair").iterdir()}
    assert made == {"page.html", "summary.md", "junit.xml", "smaller.json", "bigger.json"}
    assert make("summary").returncode == 0 and page.read_text("utf-8").startswith("### ragkit: ")
    assert make("comment").returncode == 0
    said = (tmp_path / "said").read_text().split("\n")
    assert said[:3] == ["pr", "comment", "7"] and said[-2] == "results/runs/pair/summary.md"
    stopped = make("gate")
    assert stopped.returncode != 0 and stopped.stdout.startswith("STOP: passage kestrel kestrel: ")
    own["BASE"] = "HEAD"
    assert make("gate").stdout == "may be merged\n"
