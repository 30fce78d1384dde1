"""Figures of both errors at once: what is answered falsely against what is refused falsely, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragkit.cost import COSTS, HIGH, LOW, Crossing, Line, best
from ragkit.figures import BLUE, COLOURS, GREY, ORANGE, axes_of, show
from ragkit.records import Rate
from ragkit.stats import wilson

MARKERS = "osD^vP*X<>hdp8"
COSTS_SHOWN = list(range(LOW, HIGH + 1))


def two_errors(rows: Sequence[Mapping[str, Any]], *, name: str) -> None:
    """A point a row: its `false refusals` across, its `false answers` up, both as rates with Wilson's 95 % intervals.

    Each row has a `label` and the two rates. The lower left corner is where a system should be; the dotted line joins
    the two lazy ones.
    """
    figure, axes = axes_of(8, 4.2, layout="constrained")
    axes.plot([0, 100], [100, 0], ls=":", color=GREY, lw=1)
    for n, row in enumerate(rows):
        across, up = row["false refusals"], row["false answers"]
        axes.errorbar(
            [100 * across.value], [100 * up.value], xerr=_reach(across), yerr=_reach(up), fmt=MARKERS[n % len(MARKERS)],
            color=COLOURS[n % len(COLOURS)], ms=8, elinewidth=0.8, alpha=0.9, label=row["label"],
        )  # fmt: skip
    axes.set(xlabel="% of answerable questions refused", ylabel="% of unanswerable answered")
    axes.set(xlim=(-2, 102), ylim=(-2, 102))
    figure.legend(frameon=False, loc="outside right upper")
    told = "; ".join(f"{r['label']} {r['false answers']} and {r['false refusals']}" for r in rows)
    show(figure, f"False answers and false refusals: {told}.", name)


def _reach(rate: Rate) -> list[list[float]]:
    low, high = wilson(rate.hits, rate.of)
    return [[100 * max(rate.value - low, 0)], [100 * max(high - rate.value, 0)]]


def rates(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], *, label: str, name: str) -> None:
    """A group of bars a row, one for each column of rates, with Wilson's 95 % intervals. Each row has a `label`."""
    figure, axes = axes_of(8, 0.24 * len(rows) * (len(columns) + 0.6) + 1, layout="constrained")
    height, told = 0.8 / len(columns), []
    for n, column in enumerate(columns):
        found = [row[column] for row in rows]
        places = [place + (n - (len(columns) - 1) / 2) * height for place in range(len(rows))]
        reach = [[_reach(rate)[side][0] if rate.of else 0 for rate in found] for side in (0, 1)]
        shares = [100 * rate.value if rate.of else 0 for rate in found]
        colour = (BLUE, ORANGE, GREY)[n % 3]
        axes.barh(places, shares, height=height, xerr=reach, color=colour, label=column, error_kw={"elinewidth": 1})
        told.append(f"{column}: " + ", ".join(f"{row['label']} {rate}" for row, rate in zip(rows, found, strict=True)))
    axes.set(yticks=range(len(rows)), yticklabels=[row["label"] for row in rows], xlim=(0, 101), xlabel=label)
    axes.invert_yaxis()
    figure.legend(frameon=False, loc="outside upper right", ncols=len(columns))
    show(figure, f"{label}: {'; '.join(told)}.", name)


def cost_curve(rows: Sequence[Mapping[str, Any]], crossings: Sequence[Crossing], *, name: str) -> None:
    """The cost a question of each row as a false answer costs 1 to 20 false refusals; dotted where the best changes.

    Each row has a `label` and the rates `false answers` and `false refusals`. A row that is the best somewhere between
    the crossings is drawn in colour, the others in grey.
    """
    figure, axes = axes_of(8, 4.2, layout="constrained")
    found = [Line(row["label"], row["false refusals"], row["false answers"]) for row in rows]
    lead = list(dict.fromkeys(each for one in crossings for each in (one.before, one.after)))
    lead = lead or [best(found, LOW).system]
    for n, line in enumerate(found):
        leads = line.system in lead
        axes.plot(
            COSTS_SHOWN, [float(line.at(cost)) for cost in COSTS_SHOWN], label=line.system, ms=5 + leads,
            color=COLOURS[1:][lead.index(line.system) % 4] if leads else GREY, lw=2 if leads else 0.8, zorder=2 + leads,
            marker=MARKERS[n % len(MARKERS)], markevery=[COSTS_SHOWN.index(cost) for cost in COSTS],
        )  # fmt: skip
    for crossing in crossings:
        axes.axvline(float(crossing.at), color="black", lw=1, ls=":")
    axes.set(xlabel="cost of a false answer, in false refusals", ylabel="cost a question", yscale="log")
    axes.set(xticks=COSTS, xticklabels=COSTS, xlim=(LOW, HIGH))
    axes.yaxis.set_major_formatter("{x:g}")
    figure.legend(frameon=False, loc="outside right upper")
    told = "; ".join(f"{line.system} {', '.join(f'{float(line.at(cost)):.2f}' for cost in COSTS)}" for line in found)
    turns = "; ".join(f"at {float(each.at):.2f} from {each.before} to {each.after}" for each in crossings)
    show(
        figure,
        f"Cost a question when a false answer costs {', '.join(map(str, COSTS))} false refusals: {told}. "
        f"The least costly changes {turns or 'nowhere'}.",
        name,
    )
