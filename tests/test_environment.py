"""pyproject.toml, the locks and environment.yml can not drift apart. No registry is asked."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ragkit.files import ROOT

LOCKS = {
    "requirements.lock": ("models", "test"),
    "requirements-lab.lock": ("models", "test", "lab"),
    "requirements-bench.lock": ("models", "test", "bench"),
}
PIN = re.compile(r"([A-Za-z0-9._-]+)==([^\s;\\]+)(?: ; [^\\]+)?")
OPTION = r"--(?:extra-)?index-url|--find-links|(?:^|\s)-[eifr]\s"
ANOTHER_SOURCE = re.compile(OPTION + r"|https?://|file:|(?:^|[\s=@])\.{0,2}/")


def project(root: Path = ROOT) -> dict:
    return tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]


def problems(text: str, wanted: list[str]) -> list[str]:
    """What is wrong with a lock that has to bring `wanted`."""
    found = []
    pins: dict[str, list[str]] = {}
    entries = re.sub(r"\\\n\s*", "", re.sub(r"^\s*#.*\n", "", text, flags=re.M)).splitlines()
    for entry in filter(None, entries):
        pin = PIN.match(entry)
        if not pin:
            found.append(f"not a pin: {entry[:60]}")
            continue
        pins.setdefault(canonicalize_name(pin[1]), []).append(pin[2])
        if not re.search(r"--hash=sha256:[0-9a-f]{64}(\s|$)", entry):
            found.append(f"no hash: {pin[0]}")
    found += [f"another source: {line}" for line in entries if ANOTHER_SOURCE.search(line.partition("--hash")[0])]
    for requirement in map(Requirement, wanted):
        versions = pins.get(canonicalize_name(requirement.name), [])
        if not versions or not all(requirement.specifier.contains(version, prereleases=True) for version in versions):
            found.append(f"{requirement} is locked as {versions or 'nothing'}")
    return found


def pins(name: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (ROOT / name).read_text("utf-8").splitlines():
        if pin := PIN.match(line):
            found.setdefault(canonicalize_name(pin[1]), []).append(pin[2])
    return found


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_brings_what_is_declared_and_nothing_from_elsewhere(name: str) -> None:
    declared = project()
    extras = [line for extra in LOCKS[name] for line in declared["optional-dependencies"][extra]]
    assert problems((ROOT / name).read_text("utf-8"), [*declared["dependencies"], *extras]) == []


@pytest.mark.parametrize("name", [name for name in LOCKS if name != "requirements.lock"])
def test_a_larger_lock_has_the_versions_of_the_smaller(name: str) -> None:
    run, larger = pins("requirements.lock"), pins(name)
    assert {package: larger.get(package) for package in run} == run


def test_the_build_backend_is_in_the_lock() -> None:
    """The editable install then needs no isolation and downloads nothing."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    (backend,) = map(Requirement, tomllib.loads(text)["build-system"]["requires"])
    (version,) = pins("requirements.lock")[canonicalize_name(backend.name)]
    assert str(backend.specifier) == f"=={version}"


def test_conda_brings_the_interpreter_and_the_lab_lock() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))
    assert set(environment) == {"name", "channels", "dependencies"}, "conda ignores other keys; a prefix is a machine's"
    *from_conda, from_pip = environment["dependencies"]
    python = re.fullmatch(r"python=(\d+\.\d+)", from_conda[0])
    assert python and Requirement(f"python{project()['requires-python']}").specifier.contains(f"{python[1]}.0")
    assert from_conda[1:] == ["pip"], "any other package of conda's could drift from the lock"
    assert from_pip == {"pip": ["-r requirements-lab.lock"]}, "one file with hashes: pip takes no editable beside it"
    assert environment["channels"] == ["conda-forge", "nodefaults"]


GOOD = "a==1.0 ; python_version < '4' \\\n    --hash=sha256:" + "0" * 64 + "\n    # via x\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a==1.0\n", "no hash"),
        ("a==1.0 \\\n    --hash=md5:00\n", "no hash"),
        ("a>=1.0 \\\n    --hash=sha256:" + "0" * 64, "not a pin"),
        ("", "locked as nothing"),
        (GOOD.replace("1.0", "0.9"), "locked as ['0.9']"),
        (GOOD + "--index-url https://example.org/simple\n", "another source"),
        (GOOD + "--find-links wheels\n", "another source"),
        (GOOD + "b @ file:///srv/b.whl\n", "another source"),
        (GOOD + "-e .\n", "another source"),
        (GOOD + "./b\n", "another source"),
    ],
)
def test_the_checks_of_a_lock_find(text: str, expected: str) -> None:
    assert problems(GOOD, ["a>=1"]) == []
    assert expected in "\n".join(problems(text, ["a>=1"]))
