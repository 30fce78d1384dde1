"""Workflow files call make targets and hold no logic of their own: what runs there runs on a desk too."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import yaml

from ragkit.files import ROOT

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
    assert not re.search(r"\b(pip|apt-get|pytest)\b(?!.*missing)", re.sub(r"(?m)^(#|missing\(\)).*$", "", script))
