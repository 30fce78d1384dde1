"""All claims by id, tried once, shown and written to results/tables/claims.csv."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache

from ragkit.claims import (
    answers,
    checks,
    cosine_floors,
    coverage_rule,
    cuts,
    documents,
    embeddings,
    floors,
    retrievers,
    running,
    scale,
    scores,
    versions,
    word_steps,
)
from ragkit.claims.claim import CONFIRMED, OPEN, PARTLY, REFUTED, WAITS, Claim, Figure, Row, Tried
from ragkit.files import ROOT, read_text, results, table, write_text
from ragkit.records import BadInput
from ragkit.tables import frame

NOTEBOOK = "notebooks/05_claims_tried.ipynb"
COLUMNS = ("id", "claim", "verdict", "figure", "low", "high", "n", "where")


def claims() -> dict[str, Claim]:
    """Every claim in the order of its number."""
    modules = (
        answers,
        checks,
        cosine_floors,
        coverage_rule,
        cuts,
        documents,
        embeddings,
        floors,
        retrievers,
        running,
        scale,
        scores,
        versions,
        word_steps,
    )
    found = [claim for module in modules for claim in module.CLAIMS]
    return {claim.id: claim for claim in sorted(found, key=lambda claim: int(claim.id.removeprefix("H")))}


@cache
def tried(name: str) -> Tried:
    """A claim with what its experiment finds, run once; BadInput for an id that no claim has."""
    known = claims()
    if name not in known:
        raise BadInput(f"claim {name!r}: unknown; use one of {', '.join(known)}")
    claim = known[name]
    return Tried(claim, claim.measure()) if claim.measure else Tried(claim)


def told(name: str) -> str:
    """The claim, its experiment, each test with its figure, and the verdict, as Markdown."""
    one = tried(name)
    claim = one.claim
    tests = [
        f"- {test.what}: **{figure}** (must be {test.rule}: {mark})"
        for test, figure, mark in zip(claim.tests, one.found.figures, one.marks, strict=True)
    ]
    reported = [f"Reported, not rerun: {claim.reported}"] if claim.reported else []
    parts = [f"**{claim.id}** ({claim.rows}). {claim.says}", claim.experiment, "\n".join(tests), *reported]
    return "\n\n".join([*filter(None, parts), f"**{one.verdict}**"])


def show(name: str) -> None:
    """Displays a claim as `told` has it, and the rows its figures come from."""
    from IPython.display import display

    said, rows = told(name), tried(name).found.rows
    display({"text/markdown": said, "text/plain": said}, raw=True)
    if rows:
        display(frame(rows))


def summary() -> list[Row]:
    """A row a claim: verdict and first figure."""
    return [
        {"id": one.claim.id, "claim": one.claim.says, "verdict": one.verdict, "figure": str(_first(one) or "")}
        for one in map(tried, claims())
    ]


def counts() -> list[Row]:
    """How many claims came to which verdict."""
    found = Counter(one.verdict.partition(":")[0] for one in map(tried, claims()))
    return [{"verdict": name, "claims": found[name]} for name in (CONFIRMED, PARTLY, REFUTED, OPEN, WAITS)]


def keep() -> None:
    """Writes claims.csv; `where` is the cell of the notebook that tries the claim."""
    cells = dict(_cells())
    rows = []
    for one in map(tried, claims()):
        first = _first(one)
        numbers = (first.value, first.low, first.high, first.n) if first else ("", "", "", "")
        where = f"{NOTEBOOK}#{cells[one.claim.id]}" if one.claim.id in cells else ""
        cell = (one.claim.id, one.claim.says, one.verdict, *numbers, where)
        rows.append(dict(zip(COLUMNS, cell, strict=True)))
    write_text(results() / "tables" / "claims.csv", table(rows, COLUMNS))


def _first(one: Tried) -> Figure | None:
    return one.found.figures[0] if one.found.figures else None


def _cells() -> Iterator[tuple[str, str]]:
    """The claims that cells of the notebook call for, each with the id of the first such cell."""
    seen: set[str] = set()
    for cell in json.loads(read_text(ROOT / NOTEBOOK))["cells"]:
        source = "".join(cell["source"])
        for name in claims():
            if cell["cell_type"] == "code" and f'"{name}"' in source and name not in seen:
                seen.add(name)
                yield name, cell["id"]
