"""The main job: index the corpora, run every system over every golden file and every notebook, write the report."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragkit import (
    commits,
    comparison,
    corpus,
    evaluate,
    golden,
    history,
    manifest,
    metrics,
    notebooks,
    pair_page,
    publish,
    replay,
    report,
    study,
    tables,
)
from ragkit.files import ROOT, fingerprint, fingerprint_files, read_text, results, shown, table, write_text
from ragkit.fresh import Record, inputs
from ragkit.merge_gate import told
from ragkit.models import NotAvailable
from ragkit.records import BadInput, Rate
from ragkit.store import Store
from ragkit.systems import DEFAULT, SYSTEMS, backend

BASELINE = ROOT / "golden" / "baseline.csv"
MISSES = ROOT / "tests" / "cases" / "known_misses.csv"
FINDING = "FINDING: "
FIRST = "kestrel"


@dataclass(frozen=True, slots=True)
class Job:
    """What the main job has to say, and whether a row of the baseline or a notebook failed."""

    lines: tuple[str, ...]
    finding: bool


def run(*, force: bool = False, progress: bool = True) -> Job:
    """Runs what is not fresh and writes results/tables, results/report.html and the manifest of each corpus."""
    backend()
    played = notebooks.run(sorted((ROOT / "notebooks").glob("*.ipynb")), force=force, progress=progress)
    record, key = Record(), _key(played)
    if force or not record.is_fresh("report", key):
        record.forget(["report"])
        lines, made = _made(played)
        record.keep("report", key, made, lines)
    lines = record.said("report")
    return Job(tuple(lines), any(line.startswith(FINDING) for line in lines))


def _key(played: Sequence[notebooks.Run]) -> str:
    """What the tables and the report are made from: the inputs, and the notebooks as they stand."""
    said = [f"{each.notebook.name} {each.message if each.status == notebooks.FAILED else ''}" for each in played]
    files = [*(each.notebook for each in played), BASELINE, MISSES, results() / "tables" / "public.csv"]
    pages = inputs("ragkit/templates/**/*")
    kept = inputs("results/commits/*.csv")
    return fingerprint(
        inputs(), pages, kept, _here(), fingerprint_files(path for path in files if path.exists()), *said
    )


def _here() -> str:
    """The commit that is checked out, empty where there is none."""
    try:
        return commits.Repo.of(ROOT).commit().sha
    except BadInput:
        return ""


def _made(played: Sequence[notebooks.Run]) -> tuple[list[str], list[Path]]:
    manifests = [_indexed(folder) for folder, _ in _corpora()]
    (runs, lacking), out = evaluated(), results() / "report.html"
    made = [*manifests, *keep(runs), out]
    publish.build([*_sections(runs), *_since()], played, out, after=[_fingerprints()])
    return [*_lines(runs, played), *lacking], made


def _indexed(folder: corpus.Folder) -> Path:
    kept = ROOT if results() == ROOT / "results" else results()  # a trial run writes nothing beside the documents
    place = kept / "corpus" / folder.name / "manifest.json"
    write_text(place, manifest.as_json(manifest.manifest(SYSTEMS[DEFAULT].on(folder).corpus)))
    return place


def evaluated() -> tuple[list[report.Run], list[str]]:
    """Every system on every golden file of every corpus, and in a line each what no model was there for."""
    runs, lacking = [], []
    for folder, files in _corpora():
        for file, system in itertools.product(files, SYSTEMS.values()):
            try:
                runs.append(study.evaluated(system, folder, file))
            except NotAvailable as error:
                lacking.append(f"not run: {system.name} on {file.stem}: {error}")
    return runs, lacking


def _corpora() -> Iterator[tuple[corpus.Folder, list[Path]]]:
    """Each folder of corpus/ with the golden files that are named for it."""
    for place in sorted(path for path in (ROOT / "corpus").iterdir() if path.is_dir()):
        files = [
            file for name in (place.name, f"{place.name}-*") for file in sorted((ROOT / "golden").glob(f"{name}.csv"))
        ]
        if not files:
            raise BadInput(f"{shown(place)}: no golden file; add golden/{place.name}.csv or remove the folder")
        yield corpus.readable(corpus.read(place)), files


def keep(runs: Sequence[report.Run]) -> list[Path]:
    """Writes results/tables: an outcome a row, the measures, the refusal table."""
    rows = {
        "outcomes.csv": [r for one in runs for r in evaluate.outcomes_table(one.outcomes, one.corpus, one.golden)],
        "metrics.csv": [r for one in runs for r in metrics.table(one.outcomes, one.corpus, one.golden)],
        "refusals.csv": report.refusals(runs),
    }
    columns = {"outcomes.csv": evaluate.COLUMNS, "metrics.csv": metrics.COLUMNS}
    for name, found in rows.items():
        write_text(results() / "tables" / name, table(found, columns.get(name) or list(found[0])))
    return [results() / "tables" / name for name in rows]


def _lines(runs: Sequence[report.Run], played: Sequence[notebooks.Run]) -> list[str]:
    """Header, bands, findings, and where the report lies."""
    held = golden.read_baseline(BASELINE) if BASELINE.exists() else {}
    changes = {run.key: evaluate.compare(held.get(run.key, {}), run.outcomes) for run in runs}
    lost = {key: (*change.broken, *change.missing) for key, change in changes.items()}
    broken = [f"{' '.join(key)}: no longer hold or not asked: {', '.join(ids)}" for key, ids in lost.items() if ids]
    failed = [each.message for each in played if each.status == notebooks.FAILED]
    first = _first(runs)
    findings = [FINDING + line for line in (*broken, *failed)]
    return [first.header, "", *report.bands(first), "", *findings, f"report: {shown(results() / 'report.html')}"]


def _first(runs: Sequence[report.Run]) -> report.Run:
    """The run that header and bands are about: the default system on the set that runs on every commit."""
    default = [run for run in runs if run.system == DEFAULT]
    return next((run for run in default if run.golden == FIRST), default[0])


def _sections(runs: Sequence[report.Run]) -> Iterator[publish.Section]:
    first = _first(runs)
    facts = [
        ("backend", first.backend),
        ("corpus", f"{first.corpus} ({first.chunks} chunks)"),
        ("system", first.system),
        ("must be answered", tables.rate(first.answered)),
        ("must be refused", tables.rate(first.refused)),
    ]
    prose = [
        "Both kinds of error stand side by side: a system that always refuses makes no false answer, one that always "
        "answers no false refusal. Counts first, then the 95 % interval (Wilson) for questions like these."
    ]
    names = dict.fromkeys(run.golden for run in runs)
    errors = [_of_every("Both errors of every system on", report.refusals, name, runs) for name in names]
    yield publish.Section("Refusals", prose=prose, facts=facts, tables=errors)
    yield publish.Section(
        "Citations",
        prose=["Of the answers: is what they cite of the version that was asked about, and does a source of the row "
               "stand at the line they name? Of the questions that must be refused: how many are?"],
        tables=[_of_every("What every system cites on", report.citations, name, runs) for name in names],
    )  # fmt: skip
    yield publish.Section(
        "Measures",
        prose=[f"The default system, `{first.system}`, on {first.golden}."],
        tables=[_table(f"{first.system} on {first.golden}", report.measures(first.outcomes))],
    )
    yield publish.Section(
        "Rows that fail",
        prose=["Known and shown: `golden/baseline.csv` holds what must not get worse."],
        tables=[_table(f"{first.system} on {first.golden}: rows that do not hold", report.failures(first.outcomes))],
    )
    if MISSES.exists():
        yield _misses()
    place = results() / "tables" / "public.csv"
    if place.exists():
        try:
            yield _public(place)
        except (KeyError, ValueError):
            raise BadInput(f"{shown(place)}: not as `make public` writes it; run that again or restore it") from None


def _of_every(
    caption: str, told: Callable[[Sequence[report.Run]], list[report.Row]], name: str, runs: Sequence[report.Run]
) -> publish.Table:
    """What is told of every system on one golden file."""
    rows = told([run for run in runs if run.golden == name])
    columns, cells = tables.texts(rows, [column for column in rows[0] if column != "golden"])
    return publish.Table(f"{caption} {name}", columns, cells)


def _misses() -> publish.Section:
    rows = list(csv.DictReader(read_text(MISSES).splitlines()))
    said = f"{len(rows)} questions of the field cases get the wrong verdict, since words alone do not decide them."
    return publish.Section("Known misses", prose=[said], tables=[_table("Known misses of the default system", rows)])


def _public(place: Path) -> publish.Section:
    """The kept table of public.csv, one row a set and name; it is computed by `make public`."""
    rows = list(csv.DictReader(read_text(place).splitlines()))
    systems = [row for row in rows if row["kind"] == "system" and row["metric"] in ("false_answers", "false_refusals")]
    errors: dict[tuple[str, str], dict[str, object]] = {}
    for row in systems:
        line = errors.setdefault((row["set"], row["name"]), {"set": row["set"], "system": row["name"]})
        line[row["metric"].replace("_", " ")] = tables.rate(
            Rate(int(row["hits"]), int(row["of"]), int(row["left_out"]))
        )
    ranked = [row for row in rows if row["kind"] == "signal" and row["metric"] == "auroc"]
    areas: dict[str, dict[str, object]] = {}
    for row in ranked:
        areas.setdefault(row["name"], {"signal": row["name"]})[row["set"]] = f"{float(row['value']):.2f}"
    prints = sorted({f"{row['set']}: corpus {row['corpus']}, questions {row['questions']}" for row in rows})
    return publish.Section(
        "Public question sets",
        prose=["Kept figures of `make public`; the sets themselves are not part of this project.", "; ".join(prints)],
        tables=[
            _table("Both errors of every system", errors.values()),
            _table("AUROC: how often a signal ranks an answerable question above an unanswerable one", areas.values()),
        ],
    )


def _since() -> Iterator[publish.Section]:
    """The work tree beside the last kept commit, row by row; nothing without git or without a kept commit."""
    store = Store(None)
    kept = store.clean(store.names())
    try:
        repo = commits.Repo.of(ROOT)
        repo.commit()
    except BadInput:
        return
    if not kept:
        return
    before, after = kept[-1], history.parsed(replay.record(repo).text(), "the work tree")
    pairs = [pair for pair in comparison.compare(before, after) if pair.run[0] == DEFAULT and pair.run in before.runs]
    for pair in pairs:
        found = pair_page.headline(pair, before, after, "Since the last kept commit")
        rows = [{"id": f.id, "before": told(f.before), "now": told(f.after)} for f in (*pair.broken, *pair.mended)]
        flips = [_table("Rows that began or ceased to hold", rows)] if rows else []
        yield replace(found, tables=[*found.tables, *flips])


def _fingerprints() -> publish.Section:
    names = {"code": "ragkit/**/*.py", "corpora": "corpus/**/*.md", "questions": "golden/*.csv"}
    return publish.Section("Fingerprints", facts=[(name, inputs(pattern)) for name, pattern in names.items()])


def _table(caption: str, rows: object) -> publish.Table:
    columns, cells = tables.texts(rows)  # type: ignore[arg-type]
    return publish.Table(caption, columns, cells)
