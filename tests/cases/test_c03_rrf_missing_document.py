"""Only a ranking that holds a document adds to its fused score, and equal scores stand by id."""

from __future__ import annotations

import ast
import itertools
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field

import case
import pytest

from ragkit.files import ROOT
from ragkit.fuse import reciprocal_ranks


@dataclass(frozen=True)
class Fusion:
    """Some rankings to be fused, and by hand: the documents in tiers of equal score, and their scores."""

    name: str
    k: float
    rankings: list[list[str]]
    weights: list[float] = field(default_factory=list)
    tiers: list[list[str]] = field(default_factory=list)
    scores: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name

    def fused(self) -> list[tuple[str, float]]:
        return reciprocal_ranks(self.rankings, k=self.k, weights=self.weights)

    def order(self) -> list[str]:
        return [name for name, _ in self.fused()]


def fusions() -> list[Fusion]:
    found = []
    for folder in case.FOLDERS:
        given = json.loads((case.HERE / "c03" / folder / "rankings.json").read_text("utf-8"))
        expected = json.loads((case.HERE / "c03" / folder / "expected-order.json").read_text("utf-8"))
        for one, by_hand in zip(given["sets"], expected, strict=True):
            assert one["name"] == by_hand["name"]
            rankings, weights = list(one["rankings"].values()), one.get("weights", [])
            name = f"{folder}/{one['name']}"
            found.append(Fusion(name, given["k"], rankings, weights, by_hand["tiers"], by_hand["scores"]))
    return found


FUSIONS = fusions()
BY_NAME = {fusion.name: fusion for fusion in FUSIONS}
every_fusion = pytest.mark.parametrize("fusion", FUSIONS, ids=str)


@every_fusion
def test_only_rankings_that_hold_a_document_add_to_its_score(fusion: Fusion) -> None:
    assert dict(fusion.fused()) == pytest.approx(fusion.scores, abs=5e-7)


@every_fusion
def test_the_order_is_that_of_the_tiers_and_by_id_inside_a_tier(fusion: Fusion) -> None:
    assert fusion.order() == [name for tier in fusion.tiers for name in sorted(tier)]


@every_fusion
def test_documents_of_one_tier_have_the_same_score_to_the_last_bit(fusion: Fusion) -> None:
    scores = dict(fusion.fused())
    assert [len({scores[name] for name in tier}) for tier in fusion.tiers] == [1] * len(fusion.tiers)


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("given/both-agree-low", "p9"),
        ("given/equal-depth", "p9"),
        ("variant-a/found-by-three", "d3"),
        ("variant-b/twice-under-weights", "k"),
    ],
)
def test_what_all_agree_on_comes_first(name: str, first: str) -> None:
    assert BY_NAME[name].order()[0] == first


def test_ranks_start_at_one() -> None:
    assert reciprocal_ranks([["a"]], k=60) == [("a", 1 / 61)]


@every_fusion
def test_a_ranking_that_never_returned_a_document_adds_nothing(fusion: Fusion) -> None:
    longer = [*fusion.rankings, [f"other-{n}" for n in range(9)]]
    weights = [*fusion.weights, 7.0] if fusion.weights else []
    fused = dict(reciprocal_ranks(longer, k=fusion.k, weights=weights))
    assert {name: fused[name] for name in fusion.scores} == dict(fusion.fused())


# Ties


def test_the_rule_for_ties_is_written_down() -> None:
    assert "equal ones by id" in (reciprocal_ranks.__doc__ or "")


@every_fusion
def test_the_order_of_the_rankings_does_not_matter(fusion: Fusion) -> None:
    pairs = list(zip(fusion.rankings, fusion.weights or [1.0] * len(fusion.rankings), strict=True))
    orders = set()
    for turned in itertools.permutations(pairs):
        rankings, weights = zip(*turned, strict=True)
        orders.add(tuple(name for name, _ in reciprocal_ranks(rankings, k=fusion.k, weights=weights)))
    assert orders == {tuple(fusion.order())}


def test_the_order_is_the_same_for_three_hash_seeds() -> None:
    script = "import json, sys; from ragkit.fuse import reciprocal_ranks as fuse; print(fuse(json.loads(sys.argv[1])))"
    rankings = json.dumps(BY_NAME["given/disjoint"].rankings)
    printed = []
    for seed in ("0", "1", "4242"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", script, rankings]
        printed.append(subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True).stdout)
    assert len(set(printed)) == 1


# Nothing found


@pytest.mark.parametrize(
    ("rankings", "order"),
    [
        ([["a", "b"], []], ["a", "b"]),
        ([[], ["b", "a"]], ["b", "a"]),
        ([[], [], ["c"]], ["c"]),
        ([[], []], []),
        ([[]], []),
        ([], []),
    ],
)
def test_an_empty_ranking_is_no_error(rankings: list[list[str]], order: list[str]) -> None:
    assert [name for name, _ in reciprocal_ranks(rankings)] == order


# A fused score is no confidence


@pytest.mark.parametrize("module", ["gate", "signals", "risk", "stats", "metrics", "evaluate"])
def test_nothing_that_decides_or_compares_questions_fuses(module: str) -> None:
    tree = ast.parse((ROOT / "ragkit" / f"{module}.py").read_text("utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    named = {
        f"{node.module}.{name.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    whole = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    assert "ragkit.fuse" not in imported | named | whole


def test_that_it_is_no_confidence_is_written_down() -> None:
    assert "A fused score is no confidence" in (reciprocal_ranks.__doc__ or "")
