"""The public question sets: every one runs without an error, and the kept figures are what the code computes."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragkit import public, study, systems
from ragkit.corpus import read
from ragkit.files import cell
from ragkit.records import BadInput
from ragkit.signals import COSINES

KEPT = list(csv.DictReader(public.KEPT.read_text("utf-8").splitlines()))
NAMES = sorted({row["set"] for row in KEPT})
REASON = f"RAGKIT_DATA names no folder: {len(NAMES)} public sets not run ({', '.join(NAMES)})"
needs_data = pytest.mark.skipif(not Path(os.environ.get("RAGKIT_DATA") or "/nowhere").is_dir(), reason=REASON)


@needs_data
@pytest.mark.parametrize("name", NAMES)
def test_a_set_runs_without_an_error(name: str) -> None:
    documents, questions = public.sets()[name]
    run = study.evaluated(systems.named(systems.DEFAULT), read(documents), questions)
    assert len(run.outcomes) >= 40
    assert {o.answer.outcome for o in run.outcomes} == {"answer", "refuse"}


# Vectors are not kept for these sets and may differ in the last digit from one processor to the next.
MODEL = {signal.name for signal in COSINES} | {
    one.name for one in systems.SYSTEMS.values() if one not in systems.LEXICAL
}
NEAR = {"value": 0.01, "low": 0.02, "high": 0.02, "hits": 2}


def differs(row: dict[str, str], kept: dict[str, str]) -> list[str]:
    """The columns in which a fresh row is not the kept one, as far as it can be the same."""
    near = NEAR if row["name"] in MODEL else {}
    same = {c: abs(float(row[c]) - float(kept[c])) <= near[c] for c in near if row[c] and kept[c]}
    return [c for c in public.COLUMNS if c != "code" and not same.get(c, row[c] == kept[c])]


@needs_data
@pytest.mark.parametrize("name", ["nomiracl", "mtrag-cloud"])
def test_the_kept_figures_are_what_the_code_computes(name: str) -> None:
    fresh = [{c: cell(row.get(c)) for c in public.COLUMNS} for row in public.measured(name, *public.sets()[name])]
    held = [row for row in KEPT if row["set"] == name]
    assert [differs(*rows) for rows in zip(fresh, held, strict=True)] == [[]] * len(held)


def test_every_system_ran_on_every_set_with_a_whole_record_of_each_row() -> None:
    found = {(row["set"], row["name"]): row for row in KEPT if row["metric"] == "recorded"}
    assert found.keys() == {(name, system) for name in NAMES for system in systems.SYSTEMS}
    assert [key for key, row in found.items() if row["hits"] != row["of"]] == []


@needs_data
def test_a_second_look_embeds_nothing() -> None:
    public.embedded("nomiracl", *public.sets()["nomiracl"])
    assert ", 0 embedded" in public.embedded("nomiracl", *public.sets()["nomiracl"])


@needs_data
def test_every_set_is_kept() -> None:
    assert sorted(public.sets()) == NAMES


def test_no_text_of_a_set_is_kept() -> None:
    def words() -> Iterator[int]:
        for row in KEPT:
            yield from (len(value.split()) for value in row.values())

    assert max(words()) == 1


@pytest.mark.parametrize("folder", ["", "nowhere"])
def test_a_missing_folder_is_told(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGKIT_DATA", folder)
    with pytest.raises(BadInput, match="RAGKIT_DATA"):
        public.sets()
