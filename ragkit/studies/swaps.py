"""One part of a design at a time in the place of another's: what a difference between two designs can be laid to.

A floor under a retriever's score means something on that retriever's scale alone. A swap that takes it off its scale is
named with the reason, and has no numbers.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from ragkit.check import Check
from ragkit.corpus import Corpus
from ragkit.figures import BLUE, GREY, ORANGE, show
from ragkit.frontdesk import Bullets, Tally
from ragkit.fuse import Fused
from ragkit.gate import Coverage, Floor, Gate
from ragkit.records import Outcome
from ragkit.retrieve import Retriever
from ragkit.scripted import SecondGuesser
from ragkit.signals import TOP
from ragkit.studies.designs import DESIGNS, ERRORS, Studies, bot, change, moved, outcomes, wrong
from ragkit.studies.experiment import Row
from ragkit.study import innermost
from ragkit.system import System
from ragkit.systems import SYSTEMS
from ragkit.written import by

RECEIVERS = tuple(SYSTEMS[name] for name in ("coverage", "cited", "front-desk", "cosine"))
FIELDS = {
    "chunker": "chunker", "normaliser": "analyzer", "retriever": "retriever", "k": "k", "gate": "gates",
    "answerer": "answerer", "checks": "checks",
}  # fmt: skip
NO_FLOOR = replace(SYSTEMS["coverage"], name="coverage without floor", gates=(Coverage("retrieved"),))
POLICIES = ("script: may refuse", "script: defers")  # the same script, and whether the gates have the last word


@dataclass(frozen=True)
class Swap:
    """A design with a part from elsewhere; `why` says why it means nothing."""

    design: System
    part: str
    source: str
    swapped: System
    why: str = ""


def scale(retriever: Retriever) -> str:
    """The scale that a retriever's scores live on."""
    inner = innermost(retriever)
    if isinstance(inner, Fused):
        return "fused ranks x 1000" if inner.weights else "fused ranks"
    return "TF-IDF" if isinstance(inner, Tally) else "BM25"


def _homes() -> dict[Gate, set[str]]:
    """For each floor under a retriever's score the scales of the designs that have it."""
    found: defaultdict[Gate, set[str]] = defaultdict(set)
    for design in DESIGNS:
        for gate in design.gates:
            if isinstance(gate, Floor) and gate.signal == TOP:
                found[gate].add(scale(design.retriever))
    return found


def meaningless(system: System) -> str:
    """Why nothing can be read off a system: a floor or a bar that is off its scale. Empty when something can."""
    here, homes = scale(system.retriever), _homes()
    for gate in system.gates:
        if gate in homes and here not in homes[gate]:
            return f"a floor of {_least(gate):g} under {' or '.join(sorted(homes[gate]))}, over scores by {here}"
    if isinstance(system.answerer, Bullets) and here != "TF-IDF":
        return f"quotes from a TF-IDF score of {system.answerer.least:g} on, over scores by {here}"
    return ""


def _least(gate: Gate) -> float:
    return gate.least if isinstance(gate, Floor) else math.nan


def swaps(design: System) -> list[Swap]:
    """Every part of the other designs in the place of this one's; parts that are equal stand once, by the names of all
    that have them. Of `threshold` only its gate is published."""
    found = []
    for part, field in FIELDS.items():
        sources: dict[Any, list[str]] = defaultdict(list)
        for donor in (*DESIGNS, NO_FLOOR) if part == "gate" else DESIGNS[:-1]:
            sources[getattr(donor, field)].append(donor.name)
        for value, names in sources.items():
            if value != getattr(design, field):
                swapped = replace(design, name=f"{design.name} with {part} of {names[0]}", **{field: value})
                found.append(Swap(design, part, ", ".join(names), swapped, meaningless(swapped)))
    return [*found, *_policies(design)]


def _policies(design: System) -> Iterator[Swap]:
    for name in POLICIES:
        if isinstance(design.answerer, Bullets):
            yield Swap(design, "answer policy", name, design, "quotes by design: nobody writes who could refuse")
        else:
            written = by(design.answerer, SecondGuesser(), defer=name == POLICIES[1])
            yield Swap(design, "answer policy", name, replace(design, name=f"{design.name}, {name}", answerer=written))


def crossed(asked: Studies, designs: Sequence[System] = RECEIVERS) -> list[Row]:
    """For each swap both errors, and how many points they are more than the design's own, on the same questions. The
    intervals are those of one look each."""
    return [row for design in designs for row in _crossed(design, asked)]


def _crossed(design: System, asked: Studies) -> Iterator[Row]:
    native = outcomes(design, asked)
    yield {"design": design.name, "part": "as it is", "from": "", **moved(native, native), "not meaningful": ""}
    for swap in swaps(design):
        told = {} if swap.why else moved(_verdicts(swap.swapped, asked), native)
        row: Row = {"design": design.name, "part": swap.part, "from": swap.source}
        yield {**row, **told, "not meaningful": swap.why}


@dataclass(frozen=True)
class Shared:
    """A retriever or a check that works a thing out once for all the systems that have it."""

    part: Retriever | Check

    def on(self, corpus: Corpus) -> Callable[..., Any]:
        return _shared(self.part, corpus)  # type: ignore[arg-type]


@cache
def _shared(part: Retriever | Check, corpus: Corpus) -> Callable[..., Any]:
    work = cache(part.on(corpus))  # of questions and k, or of a draft
    return lambda first, *rest: work(tuple(first) if isinstance(first, list) else first, *rest)


def _verdicts(system: System, asked: Studies) -> list[Outcome]:
    """One outcome a row with its verdict alone."""
    quick = replace(system, retriever=Shared(system.retriever), checks=tuple(map(Shared, system.checks)))
    made = ((study, bot(quick, study).ask_all([row.question for row in study.rows])) for study in asked)
    return [Outcome(system.name, row, a) for study, each in made for row, a in zip(study.rows, each, strict=True)]


def forest(rows: Sequence[Mapping[str, Any]], *, name: str) -> None:
    """A panel a design: how many points of a hundred each swap adds to its two errors, with 95 % intervals."""
    from matplotlib.figure import Figure

    drawn = [row for row in rows if row["from"] and not row["not meaningful"]]
    designs = list(dict.fromkeys(row["design"] for row in drawn))
    sizes = [sum(row["design"] == design for row in drawn) for design in designs]
    figure = Figure(figsize=(8, 0.21 * sum(sizes) + 0.5 * len(designs) + 0.6), layout="constrained")
    panels = figure.subplots(len(designs), sharex=True, squeeze=False, height_ratios=sizes)[:, 0]
    for axes, design in zip(panels, designs, strict=True):
        here = [row for row in drawn if row["design"] == design]
        for (error, *_), colour, marker, aside in zip(ERRORS, (ORANGE, BLUE), "Xo", (-0.16, 0.16), strict=True):
            found = [row[f"{error}, points more"] for row in here]
            points, places = [each.points for each in found], [n + aside for n in range(len(here))]
            reach = [[each.points - each.low for each in found], [each.high - each.points for each in found]]
            label = error if design == designs[0] else None
            axes.errorbar(points, places, xerr=reach, fmt=marker, color=colour, ms=5, elinewidth=1, label=label)
        axes.axvline(0, color=GREY, lw=1)
        axes.set(yticks=range(len(here)), yticklabels=[f"{row['part']}: {row['from']}" for row in here], title=design)
        axes.tick_params(axis="y", labelsize=7)
        axes.spines[["top", "right"]].set_visible(False)
        axes.invert_yaxis()
    panels[-1].set(xlabel="points of a hundred more than the design as it is")
    figure.legend(frameon=False, loc="outside upper right", ncols=2)
    told = (f"{r['design']}, {r['part']} of {r['from']} {_moves(r)}" for r in drawn)
    show(figure, f"Points more of false answers and of false refusals: {'; '.join(told)}.", name)


def _moves(row: Mapping[str, Any]) -> str:
    return " and ".join(str(row[f"{error}, points more"]).split(" (")[0] for error, *_ in ERRORS)


# What the table of swaps comes to.


def apart(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The rows with numbers, and those that mean nothing, with the reason."""
    told = [{name: cell for name, cell in row.items() if name != "not meaningful"} for row in rows]
    numbers = [each for each, row in zip(told, rows, strict=True) if not row["not meaningful"]]
    names = ("design", "part", "from", "not meaningful")
    return numbers, [{name: row[name] for name in names} for row in rows if row["not meaningful"]]


def by_part(rows: Sequence[Mapping[str, Any]]) -> list[Row]:
    """For each part how many swaps have numbers, how many move an error by more than their interval spans, and the
    largest move. Of so many looks at 95 % a few do so by chance."""
    told = [row for row in rows if row["from"] and not row["not meaningful"]]
    found = []
    for part in dict.fromkeys(row["part"] for row in rows if row["from"]):
        here = [row for row in told if row["part"] == part]
        row: Row = {"part": part, "swaps": len(here)}
        row["not meaningful"] = sum(each["part"] == part for each in rows) - len(here)
        for error, *_ in ERRORS:
            moves = [each[f"{error}, points more"] for each in here]
            row[f"move {error}"] = sum(each.low > 0 or each.high < 0 for each in moves)
            row[f"{error}, most"] = max(moves, key=lambda each: abs(each.points), default="")
        found.append(row)
    return found


def laid(rows: Sequence[Mapping[str, Any]], asked: Studies) -> list[Row]:
    """Each design against each other: how many points the other has more of an error, and what each of its parts alone
    brings along; `-` where the part is the same, empty where it would mean nothing. The coverage gate comes without its
    floor where that is off its scale."""
    found = []
    for design in RECEIVERS:
        for other in (each for each in RECEIVERS if each != design):
            for error, _, answerable in ERRORS:
                ends = (wrong(outcomes(each, asked), answerable) for each in (design, other))
                parts = {part: _brought(rows, design, other, part, error) for part in FIELDS}
                row: Row = {"design": design.name, "other": other.name, "error": error, "in all": change(*ends)}
                found.append(row | parts)
    return found


def _brought(rows: Sequence[Mapping[str, Any]], design: System, other: System, part: str, error: str) -> str:
    if getattr(design, FIELDS[part]) == getattr(other, FIELDS[part]):
        return "-"
    here = [row for row in rows if row["design"] == design.name and row["part"] == part and not row["not meaningful"]]
    names = (other.name, *([NO_FLOOR.name] if other.gates[1:] == NO_FLOOR.gates else []))
    moves = (row[f"{error}, points more"] for name in names for row in here if name in row["from"].split(", "))
    return next((str(each).split(" (")[0] for each in moves), "")
