"""What the README says comes out of commands, and what it names is there."""

from __future__ import annotations

import re

import pytest

from ragkit import report, study, systems
from ragkit.corpus import read
from ragkit.files import ROOT

README = (ROOT / "README.md").read_text("utf-8")
LINKS = re.findall(r"\]\(([^)#:]+)\)", README)


def test_the_bands_are_those_of_eval() -> None:
    run = study.evaluated(
        systems.named(systems.DEFAULT), read(ROOT / "corpus" / "kestrel"), ROOT / "golden" / "kestrel.csv"
    )
    assert "\n".join([run.header, "", *report.bands(run)]) in README


@pytest.mark.parametrize("link", LINKS)
def test_a_link_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()


@pytest.mark.parametrize("name", systems.SYSTEMS)
def test_every_system_is_in_its_table(name: str) -> None:
    assert re.search(rf"^\| .*`{name}`", README, re.MULTILINE)


@pytest.mark.parametrize("target", re.findall(r"(?:`|^)make ([a-z]+)", README, re.MULTILINE))
def test_every_make_target_exists(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
