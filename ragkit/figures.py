"""Figures. Each is shown with a text that names its numbers, for screen readers and for the tests that read outputs."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ragkit.files import results, write_bytes
from ragkit.records import Rate
from ragkit.stats import Rule, wilson

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito: told apart by colour-blind readers; hatches and markers say the same again.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#767676"
COLOURS = (GREY, ORANGE, BLUE, GREEN, PURPLE)
# The kinds of question of golden/README.md.
STRATA = {
    "q1": "own words", "q2": "paraphrase", "q3": "absent topic", "q4": "near miss", "q5": "short section or cell",
    "q7": "sum or unit", "q8": "code", "q9": "off-topic", "q10": "false premise, pressure",
}  # fmt: skip
HATCHES = ("", "//", "", "..", "xx")


def show(figure: Figure, alt: str, name: str) -> None:
    """Displays a figure with its text and keeps it as results/figures/<name>.png."""
    from IPython.display import display

    image = png(figure)
    write_bytes(results() / "figures" / f"{name}.png", image)
    data = {"image/png": base64.b64encode(image).decode(), "text/plain": alt}
    display(data, metadata={"image/png": {"alt": alt}}, raw=True)


def axes_of(width: float, height: float, *, layout: Literal["constrained"] | None = None) -> tuple[Figure, Axes]:
    """A figure of its own, in inches, without pyplot: it keeps no state and costs half the import.

    Without a layout the margins are fixed, which saves drawing everything twice.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout=layout)
    if not layout:
        figure.subplots_adjust(1.1 / width, 0.5 / height, 1 - 0.1 / width, 1 - 0.1 / height)
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def scores(answerable: Mapping[str, float], unanswerable: Mapping[str, float], *, best: Rule, name: str) -> None:
    """Every question at its score, the two classes apart, and the floor that makes the fewest errors."""
    figure, axes = axes_of(8, 2.6)
    sides = (("answerable", answerable, BLUE, "o"), ("unanswerable", unanswerable, ORANGE, "X"))
    for height, (_, side, colour, marker) in enumerate(sides):
        axes.scatter(list(side.values()), [height] * len(side), c=colour, marker=marker, s=70, alpha=0.75, linewidths=0)
    axes.axvline(best.at, ls="--", color="black", lw=1)
    axes.set(
        yticks=[0, 1],
        yticklabels=[label for label, *_ in sides],
        ylim=(-0.6, 1.6),
        xlabel="BM25 score of the best chunk",
    )
    told = "; ".join(f"{label} {_scored(side)}" for label, side, *_ in sides)
    show(
        figure,
        f"BM25 score of the best chunk for each question. {told}. Dashed line at {best.at:.2f}, the floor with "
        f"the fewest errors: {best.errors}.",
        name,
    )


def _scored(side: Mapping[str, float]) -> str:
    """Each question with its score, the lowest first; one that found nothing has none."""
    nothing = [name for name, score in side.items() if score == float("-inf")]
    found = sorted((score, name) for name, score in side.items() if name not in nothing)
    told = [f"{name} {score:.1f}" for score, name in found]
    return ", ".join(told + [f"{name} found nothing" for name in nothing])


def errors_by_floor(rules: Sequence[Rule], *, name: str) -> None:
    """What each floor gets wrong: false refusals rise, false answers fall, and the sum never reaches zero."""
    figure, axes = axes_of(8, 3)
    finite = [rule for rule in rules if abs(rule.at) != float("inf")]
    floors = [rule.at for rule in finite]
    series = (
        ("false refusals", [rule.false_refusals for rule in finite], BLUE, "-"),
        ("false answers", [rule.false_answers for rule in finite], ORANGE, "--"),
        ("both", [rule.errors for rule in finite], "black", ":"),
    )
    for label, counts, colour, style in series:
        axes.step(floors, counts, where="mid", color=colour, ls=style, label=label)
    axes.set(xlabel="floor under the BM25 score", ylabel="questions wrong", ylim=(0, None))
    axes.legend(frameon=False)
    best = min(rules, key=lambda rule: rule.errors)
    told = "; ".join(
        f"{rule.at:.1f}: {rule.false_refusals} + {rule.false_answers}" for rule in finite[:: max(len(finite) // 8, 1)]
    )
    show(figure, f"False refusals plus false answers by floor, {told}. Never below {best.errors}.", name)


def wrong_by_stratum(rows: Sequence[Mapping[str, Any]], systems: Sequence[str], *, name: str) -> None:
    """The share each system gets wrong in each stratum, with Wilson's 95 % intervals."""
    figure, axes = axes_of(8, 0.17 * len(rows) * (len(systems) + 0.8) + 1, layout="constrained")
    told, height = [], 0.8 / len(systems)
    for n, system in enumerate(systems):
        rates = [row[system] for row in rows]
        places = [place + (n - (len(systems) - 1) / 2) * height for place in range(len(rows))]
        shares = [100 * rate.value for rate in rates]
        spans = [wilson(rate.hits, rate.of) for rate in rates]
        reach = [
            [s - 100 * low for s, (low, _) in zip(shares, spans, strict=True)],
            [100 * high - s for s, (_, high) in zip(shares, spans, strict=True)],
        ]
        bars = axes.barh(places, shares, height=height, xerr=reach, error_kw={"elinewidth": 1, "ecolor": "#333333"})
        for bar in bars:
            bar.set(facecolor=COLOURS[n % 5], edgecolor="white", hatch=HATCHES[n % 5])
        bars.set_label(system)
        told.append(f"{system} " + ", ".join(f"{_stratum(row)} {rate}" for row, rate in zip(rows, rates, strict=True)))
    axes.set(
        yticks=range(len(rows)),
        yticklabels=[_stratum(row) for row in rows],
        xlim=(0, 101),
        xlabel="% wrong (line: 95 % interval)",
    )
    axes.invert_yaxis()
    figure.legend(frameon=False, loc="outside upper right", ncols=len(systems))
    show(figure, f"Share wrong by stratum: {'; '.join(told)}.", name)


def _stratum(row: Mapping[str, Any]) -> str:
    name = STRATA.get(row["stratum"], "")
    return " ".join(filter(None, (row["stratum"], name + ":" * bool(name), row["error"])))


def by_length(rows: Sequence[Mapping[str, Any]], *, name: str) -> None:
    """The score of each question against the number of its ideas, answerable and unanswerable apart."""
    figure, axes = axes_of(8, 3.2)
    sides = ((True, BLUE, "o", "answerable", -0.12), (False, ORANGE, "X", "unanswerable", 0.12))
    for answerable, colour, marker, label, aside in sides:
        side = [row for row in rows if row["answerable"] is answerable]
        places = [row["ideas"] + aside for row in side]
        scored = [row["score"] for row in side]
        axes.scatter(places, scored, c=colour, marker=marker, s=40, alpha=0.6, linewidths=0, label=label)
    axes.set(xlabel="ideas in the question", ylabel="BM25 score of the best chunk", ylim=(0, None))
    axes.legend(frameon=False)
    groups = sorted({row["ideas"] for row in rows})
    means = {n: [row["score"] for row in rows if row["ideas"] == n] for n in groups}
    told = ", ".join(f"{n} ideas {sum(found) / len(found):.1f} ({len(found)} questions)" for n, found in means.items())
    show(figure, f"Mean BM25 score by number of ideas: {told}.", name)


class Sorted(Protocol):
    """Named values of one kind, lowest first."""

    name: str
    kind: str
    values: tuple[float, ...]


def strips(groups: Sequence[Sorted], *, floor: float, label: str, name: str) -> None:
    """Every question of every group at its value, a bar at the median, and the floor that a published design ships."""
    height = 0.27 * len(groups) + 1.2
    figure, axes = axes_of(8, height)
    figure.subplots_adjust(left=2.4 / 8, bottom=0.5 / height, top=1 - 0.45 / height)
    colours = {"answerable": BLUE, "unanswerable": ORANGE, "null": GREY}
    markers = {"answerable": "o", "unanswerable": "X", "null": "d"}
    names = {"null": "null: nothing can be right"}
    for place, group in enumerate(groups):
        first = next(n for n, other in enumerate(groups) if other.kind == group.kind) == place
        axes.scatter(
            group.values, [place] * len(group.values), c=colours[group.kind], marker=markers[group.kind], s=42,
            alpha=0.45, linewidths=0, label=names.get(group.kind, group.kind) if first else None,
        )  # fmt: skip
        axes.plot([median(group.values)] * 2, [place - 0.4, place + 0.4], color="black", lw=2)
    axes.axvline(floor, ls="--", color="black", lw=1)
    axes.set(yticks=range(len(groups)), yticklabels=[_group(each) for each in groups], xlabel=label)
    axes.invert_yaxis()
    figure.legend(frameon=False, loc="upper right", ncols=3)
    told = "; ".join(
        f"{each.kind} {_group(each)} {each.values[0]:.2f}, {median(each.values):.2f}, {each.values[-1]:.2f}"
        for each in groups
    )
    show(
        figure, f"{label}, lowest, median and highest of each kind of question: {told}. Dashed line at {floor:g}.", name
    )


def _group(group: Sorted) -> str:
    named = f"{group.name} {STRATA[group.name]}" if group.name in STRATA else group.name
    return f"{named} ({len(group.values)})"


class Measured(Protocol):
    """The rates of a system at a commit."""

    @property
    def commit(self) -> str: ...
    @property
    def date(self) -> str: ...
    @property
    def run(self) -> tuple[str, str, str]: ...
    @property
    def questions(self) -> str: ...
    @property
    def rates(self) -> dict[str, Rate]: ...


def trend(points: Sequence[Measured], measures: Sequence[str]) -> tuple[Figure, str]:
    """A panel a measure, a line a system over the commits, with Wilson's 95 % band where rows are counted; dotted where
    the questions change. The figure, and a text that names its numbers."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 2.2 * len(measures)), layout="constrained")
    panels = figure.subplots(len(measures), sharex=True, squeeze=False)[:, 0]
    commits = list(dict.fromkeys(point.commit for point in sorted(points, key=lambda point: point.date)))
    runs = list(dict.fromkeys(point.run for point in points))
    names = {run: run[0] if len({run[1:] for run in runs}) == 1 else " on ".join(run[::2]) for run in runs}
    told = []
    for axes, measure in zip(panels, measures, strict=True):
        axes.set(ylabel=measure.replace("_", " "), ylim=(-0.03, 1.03))
        axes.spines[["top", "right"]].set_visible(False)
        for n, run in enumerate(runs):
            lines = _same_questions([point for point in points if point.run == run])
            for line in lines:
                places = [commits.index(point.commit) for point in line]
                _line(axes, places, [point.rates[measure] for point in line], n, names[run] if line is lines[0] else "")
                if line is not lines[0]:
                    axes.axvline(places[0] - 0.5, ls=":", color="black")
                ends = f"{line[0].rates[measure]} at {line[0].commit} to {line[-1].rates[measure]} at {line[-1].commit}"
                told.append(f"{measure.replace('_', ' ')} of {names[run]} {ends}")
    panels[-1].set(xticks=range(len(commits)))
    panels[-1].set_xticklabels([commit[:7] for commit in commits], rotation=90)
    figure.legend(*panels[0].get_legend_handles_labels(), frameon=False, loc="outside upper right", ncols=4)
    return figure, f"Over {len(commits)} commits: {'; '.join(told)}."


def _same_questions(points: Sequence[Measured]) -> list[list[Measured]]:
    kinds = dict.fromkeys(point.questions for point in points)
    return [[point for point in points if point.questions == kind] for kind in kinds]


def _line(axes: Axes, places: Sequence[int], rates: Sequence[Rate], number: int, label: str) -> None:
    colour = COLOURS[number % len(COLOURS)]
    if all(rate.hits == int(rate.hits) for rate in rates):
        bands = [wilson(rate.hits, rate.of) for rate in rates]
        axes.fill_between(places, [low for low, _ in bands], [high for _, high in bands], color=colour, alpha=0.15)
    values = [rate.value for rate in rates]
    axes.plot(places, values, color=colour, marker="o", ls=("-", "--", ":")[number % 3], label=label or None)


def png(figure: Figure) -> bytes:
    """A figure as PNG; the same figure is the same bytes."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=110, facecolor="white", metadata={"Software": None})
    return out.getvalue()
