"""A comparison of two commits for a terminal and for other tools: Markdown, JUnit XML, figures over time as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from xml.etree import ElementTree

from ragkit import metrics, tables
from ragkit.comparison import Comparison
from ragkit.evaluate import held
from ragkit.history import Record, Run
from ragkit.merge_gate import told
from ragkit.metrics import LOWER
from ragkit.records import ERROR
from ragkit.transport import clean
from ragkit.trend import SHOWN

MOST = 50  # flips, and rows that are not comparable, that are listed
LONGEST = 60_000  # letters; GitHub takes comments of 65,536


def lines(pair: Comparison, questions: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """For a terminal: the notes, every flip with its question, and what the set could have shown."""
    yield " ".join(pair.run) + f": {pair.scored} rows compared"
    yield from (f"  note: {note}" for note in pair.notes)
    yield from (f"  not comparable: {name} {why}" for name, why in pair.apart.items())
    for flip in pair.flips:
        mark = "BROKEN" if flip.broken else "mended" if flip.mended else "other"
        question = clean(questions.get((pair.run[2], flip.id), ""))
        yield f"  {mark:<7}{flip.id}  {told(flip.before)} -> {told(flip.after)}  {question}".rstrip()
    yield f"  {len(pair.broken)} broken, {len(pair.mended)} mended: {points(pair.gain)}, exact McNemar p {p_told(pair)}"
    told_changes = (f"{name.replace('_', ' ')} {points(change)}" for name, change in changes(pair))
    yield f"  {', '.join(told_changes)}"
    yield "  " + pair.power.replace("\n", "\n  ")


def p_told(pair: Comparison) -> str:
    """A small p is told as small."""
    return f"{pair.p:.3f}" if not pair.p < 0.0005 else "below 0.001"


def changes(pair: Comparison) -> list[tuple[str, tuple[float, float, float]]]:
    """The change of both kinds of error over the rows that are compared, each with its limits."""
    return [("false_answers", pair.more(answerable=False)), ("false_refusals", pair.more(answerable=True))]


def points(change: tuple[float, float, float]) -> str:
    """
    >>> points((0.1, -0.04, 0.2))
    '+10 points (95 % -4 to +20)'
    """
    value, low, high = change
    return f"{100 * value:+.0f} points (95 % {100 * low:+.0f} to {100 * high:+.0f})" if value == value else "n/a"


def data(pair: Comparison) -> dict[str, object]:
    """As JSON has it."""
    gain, low, high = pair.gain
    errors = {name: [None if value != value else value for value in change] for name, change in changes(pair)}
    changed = [flip.id for flip in pair.flips if not (flip.broken or flip.mended)]
    return {
        **dict(zip(("system", "corpus", "golden"), pair.run, strict=True)), "scored": pair.scored,
        "broken": [flip.id for flip in pair.broken], "mended": [flip.id for flip in pair.mended], "changed": changed,
        "apart": pair.apart, "notes": list(pair.notes), "p": pair.p,
        **{name: None if value != value else value for name, value in (("gain", gain), ("low", low), ("high", high))},
        **errors,
    }  # fmt: skip


def markdown(
    pairs: Sequence[Comparison], before: Record, after: Record, questions: Mapping[tuple[str, str], str]
) -> str:
    """For the job page of GitHub or a comment: the headline, both kinds of error before and now, and every flip."""
    lines = [f"### ragkit: {before.commit.short} to {after.commit.short}{' (with changes)' * after.dirty}", ""]
    for pair in pairs:
        apart = list(pair.apart.items())
        lines += [
            f"**{' '.join(pair.run)}**: {len(pair.broken)} broken, {len(pair.mended)} mended of {pair.scored} compared"
            f"; {points(pair.gain)}, exact McNemar p {p_told(pair)}",
            "",
            *(f"- {note}" for note in pair.notes),
            *(f"- not comparable: {_cell(name)} {why}" for name, why in apart[:MOST]),
            *[f"- and {len(apart) - MOST} more"] * (len(apart) > MOST),
            "",
            *_table(
                ["measure", "before", "now"], [[n.replace("_", " "), *sides(n, pair.run, before, after)] for n in SHOWN]
            ),
            "",
            *(f"- {name.replace('_', ' ')}: {points(change)} on the same rows" for name, change in changes(pair)),
            "",
        ]
        flips = [*pair.broken, *pair.mended]
        if flips:
            rows = [
                [
                    "broken" if f.broken else "mended",
                    f.id,
                    told(f.before),
                    told(f.after),
                    questions.get((pair.run[2], f.id), ""),
                ]
                for f in flips[:MOST]
            ]
            lines += _table(["", "row", "before", "now", "question"], rows)
            lines += [f"and {len(flips) - MOST} more"] * (len(flips) > MOST) + [""]
        lines += [pair.power.replace("\n", " "), ""]
    text = "\n".join(lines)
    if len(text) > LONGEST:
        text = text[:LONGEST].rpartition("\n")[0] + "\n\nThe rest is cut off; the page has all of it.\n"
    return text


def sides(name: str, run: Run, before: Record, after: Record) -> list[str]:
    """A measure of one run before and now."""
    measure = dict(metrics.MEASURES)[name]
    rates = [measure(record.runs.get(run, ())) for record in (before, after)]
    if name in metrics.MEANS:
        return [f"{rate.value:.3f} of {rate.of}" if rate.of else "n/a" for rate in rates]
    return [tables.rate(rate) for rate in rates]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    cells = [[_cell(cell) for cell in row] for row in rows]
    return [f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *cells)]


def _cell(text: str) -> str:
    """Text that ends no cell, opens no tag, is no Markdown and mentions nobody."""
    plain = re.sub(r"([\\`*_~\[\]|])", r"\\\1", " ".join(text.split()))
    return re.sub(r"([@#])(?=\w)", "\\1\u200b", plain.replace("&", "&amp;").replace("<", "&lt;"))


def junit(record: Record, systems: Sequence[str]) -> str:
    """A suite a run and a case a golden row, for what shows JUnit results: failed when it does not hold."""
    root = ElementTree.Element("testsuites", name="ragkit")
    for run, outcomes in record.runs.items():
        if run[0] not in systems:
            continue
        failed, errors = [o for o in outcomes if not held(o)], [o for o in outcomes if o.answer.outcome == ERROR]
        counts = {"tests": len(outcomes), "failures": len(failed) - len(errors), "errors": len(errors)}
        about = {"name": " ".join(run)} | {name: str(count) for name, count in counts.items()}
        suite = ElementTree.SubElement(root, "testsuite", about)
        for outcome in outcomes:
            case = ElementTree.SubElement(suite, "testcase", classname=".".join(run), name=outcome.golden.id)
            if outcome.answer.outcome == ERROR:
                ElementTree.SubElement(case, "error", message=_printable(outcome.answer.error))
            elif not held(outcome):
                wanted = "an answer with its key facts" if outcome.golden.answerable else "a refusal"
                ElementTree.SubElement(case, "failure", message=_printable(f"{told(outcome)}; wanted {wanted}"))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _printable(text: str) -> str:
    """Without what XML can not hold."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def benchmark(record: Record, systems: Sequence[str], *, smaller: bool) -> str:
    """What github-action-benchmark reads (`customSmallerIsBetter` and `customBiggerIsBetter`): a figure a measure.

    It takes one direction a file: with `smaller` the measures of which less is better, else the others.
    """
    found = []
    for run, outcomes in record.runs.items():
        for name in SHOWN if run[0] in systems else ():
            rate = dict(metrics.MEASURES)[name](outcomes)
            if (name in LOWER) is smaller and rate.of:
                found.append({
                    "name": f"{' '.join(run)}: {name.replace('_', ' ')}",
                    "unit": "share", "value": round(rate.value, 6),
                    "extra": f"{rate.hits:g} of {rate.of}, {rate.left_out} left out",
                })  # fmt: skip
    return json.dumps(found, indent=1) + "\n"
