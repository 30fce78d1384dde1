"""The command line. Exit 0: held. 1: a finding. 2: bad input, told in one line."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragkit import history_commands
from ragkit.files import ROOT, shown
from ragkit.records import REFUSE, Answer, BadInput, ModelFailed
from ragkit.systems import DEFAULT, SYSTEMS, named

if TYPE_CHECKING:
    from ragkit.corpus import Folder
    from ragkit.evaluate import Changes

app = typer.Typer(
    add_completion=True, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False, help=__doc__
)

app.add_typer(history_commands.app, name="history")

CorpusOption = Annotated[
    str, typer.Option("--corpus", metavar="DIR", help="folder of Markdown, or the name of one in corpus/")
]
SystemOption = Annotated[str, typer.Option("--system", help=f"one of {', '.join(SYSTEMS)}")]
GoldenOption = Annotated[
    str, typer.Option("--golden", metavar="FILE", help="CSV of questions, or the name of one in golden/")
]
JsonOption = Annotated[bool, typer.Option("--json", help="print data instead of text")]


@app.command()
def index(
    corpus: CorpusOption = "kestrel",
    vectors: Annotated[bool, typer.Option("--vectors", help="write vectors.npz beside the documents")] = False,
    as_json: JsonOption = False,
) -> None:
    """Print the manifest: what the index holds of each file, and what gave nothing.

    JSON keys: corpus, files (id, chunks, words, covered, hash, error), empty, dropped. A file that can not be read is
    listed with its error, and the command ends with 2.
    """
    from ragkit import manifest, tables

    folder = _folder(corpus)
    if vectors:
        _keep_vectors(corpus)
    found = manifest.manifest(named(DEFAULT).on(folder).corpus)
    if as_json:
        print(manifest.as_json(found), end="")
    else:
        rows = [asdict(entry) | {"covered": f"{100 * entry.covered:.0f} %"} for entry in found.files]
        _print_table(*tables.texts(rows))
        print(f"{len(found.files)} .md files, {found.chunks} chunks, {len(found.empty)} files or sections without text")
        _print_list("empty (no text to answer from)", found.empty)
        _print_list("left out", found.dropped)
    if failed := [entry.error for entry in found.files if entry.error]:
        raise BadInput(failed[0])


@app.command()
def ask(
    question: str, system: SystemOption = DEFAULT, corpus: CorpusOption = "kestrel", as_json: JsonOption = False
) -> None:
    """Answer one question with cited passages, or refuse and say why.

    JSON keys: question, system, corpus, outcome, gate, concept, reason, text, citations (file, path, line, quote); a
    refusal has `citations: []`.
    """
    from ragkit.corpus import readable

    folder = readable(_folder(corpus))
    chosen = named(system)
    answer = chosen.on(folder).ask(question)
    print(_answer_json(answer, chosen.name, folder.name) if as_json else _answer_text(answer))


@app.command(name="eval")
def evaluate(
    context: typer.Context,
    system: SystemOption = DEFAULT,
    golden: GoldenOption = "",
    corpus: CorpusOption = "kestrel",
    ask: Annotated[str | None, typer.Option(metavar="TARGET", help="a system that is not ours, see above")] = None,
    name: Annotated[str | None, typer.Option(help="its name in tables [default: ask]")] = None,
    timeout: Annotated[float | None, typer.Option(metavar="S", help="seconds it has for a reply [default: 60]")] = None,
    retries: Annotated[int | None, typer.Option(metavar="N", help="further attempts when it fails")] = None,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="questions it is asked at a time [default: 1]")] = None,
    accept: Annotated[bool, typer.Option("--accept", help="rewrite what baseline.csv says of this run")] = False,
    record: Annotated[Path | None, typer.Option(metavar="FILE.csv", help="for history compare and gate")] = None,
    as_json: JsonOption = False,
) -> None:
    """Run a system over a golden file: the two bands, every row that fails with its reason, intervals.

    Ends with 1 when a row that baseline.csv beside the golden file says holds no longer does, or is gone. JSON keys:
    system, corpus, golden, backend, chunks, answerable, unanswerable, metrics, failed, errors, broken, missing.

    --ask 'mybot {question}' (or the question on stdin), http://host/path (posts {"question": ...}) or
    python:module:function; a reply is text, or JSON as of `ask`. More keys: cited_sources, read_from_wording.
    """
    from ragkit import evaluate as judging
    from ragkit import exchange, replay, report, study, tables
    from ragkit import golden as golden_files

    both = getattr(context.get_parameter_source("system"), "name", "") != "DEFAULT"
    foreign = exchange.foreign(ask, system=both, name=name, timeout=timeout, retries=retries, jobs=jobs)
    folder = _folder(corpus)
    file = _golden(golden, folder)
    baseline = file.parent / "baseline.csv"
    run = study.asked(foreign, folder, file, progress=True) if foreign else study.evaluated(named(system), folder, file)
    if record:
        replay.write(record, run, folder, repr(foreign or named(system)))
    held = golden_files.read_baseline(baseline) if baseline.exists() else {}
    if accept:
        held[run.key] = {o.golden.id: judging.held(o) for o in run.outcomes}
        golden_files.write_baseline(baseline, held)
    changes = judging.compare(held.get(run.key, {}), run.outcomes)
    if as_json:
        data = report.as_json(run, changes)
        data = exchange.as_json(data, run.outcomes) if foreign else data
        print(json.dumps(_plain(data), indent=1, ensure_ascii=False))
    else:
        print("\n".join([run.header, "", *report.bands(run), *(exchange.lines(run.outcomes) if foreign else []), ""]))
        _print_table(*tables.texts(report.measures(run.outcomes)))
        print()
        _print_table(*tables.texts(report.failures(run.outcomes)))
        print(f"wrote {shown(baseline)}" if accept else _changes(changes, run.key in held))
    raise typer.Exit(1 if changes.broken or changes.missing else 0)


@app.command()
def notebook(
    names: Annotated[list[str], typer.Argument(help="number or name of a notebook, or a path")],
    parameter: Annotated[list[str] | None, typer.Option("-p", metavar="NAME=VALUE", help="set a parameter")] = None,
    file: Annotated[str | None, typer.Option("-f", metavar="FILE", help="YAML file of parameters")] = None,
    force: Annotated[bool, typer.Option("--force", help="run even what is fresh")] = False,
) -> None:
    """Run notebooks. With parameters the result goes to results/runs/ and leaves the committed notebook alone."""
    from ragkit import notebooks

    paths = [_notebook(name) for name in names]
    runs = notebooks.run(paths, parameters=notebooks.given(parameter or [], file), force=force)
    for run in runs:
        print(f"{run.status:<7}{run.message or shown(run.notebook)}")
    failed = [run for run in runs if run.status == notebooks.FAILED]
    raise typer.Exit(0 if not failed else 2 if all(run.bad_input for run in failed) else 1)


@app.command()
def report(
    force: Annotated[bool, typer.Option("--force", help="run even what is fresh")] = False,
) -> None:
    """Run the main job: every system, every notebook, results/report.html. Ends with 1 when a known row breaks."""
    from ragkit import job

    done = job.run(force=force)
    print("\n".join(done.lines))
    raise typer.Exit(1 if done.finding else 0)


@app.command()
def public() -> None:
    """Compute results/tables/public.csv from the public question sets in the folder RAGKIT_DATA."""
    from ragkit import public as sets
    from ragkit.files import table, write_text

    rows: list[dict[str, object]] = []
    found = sets.sets()
    for number, (name, (documents, questions)) in enumerate(found.items(), 1):
        print(f"{number}/{len(found)} {sets.embedded(name, documents, questions)}", flush=True)
        rows += sets.measured(name, documents, questions)
    write_text(sets.KEPT, table(rows, sets.COLUMNS))
    print(f"wrote {shown(sets.KEPT)}")


def _folder(name: str) -> Folder:
    from ragkit import corpus

    return corpus.read(_place(name))


def _place(name: str) -> Path | str:
    """The folder of that name, or the one in corpus/; the empty name stays empty, which is no folder."""
    kept = ROOT / "corpus" / name
    return kept if not Path(name).exists() and os.sep not in name and kept.is_dir() else name


def _keep_vectors(name: str) -> None:
    from ragkit import study

    place = Path(_place(name))
    count = study.keep_vectors(place)
    print(f"wrote {shown(place / 'vectors.npz')}: {count} vectors", file=sys.stderr)


def _golden(name: str, folder: Folder) -> Path:
    """The golden file of that name, or the one named like the corpus."""
    kept = ROOT / "golden" / f"{name or folder.name}.csv"
    if not name and not kept.exists():
        raise BadInput(f"{folder.name}: no golden file {shown(kept)}; name one with --golden FILE")
    return kept if not name or (not Path(name).exists() and os.sep not in name and kept.exists()) else Path(name)


def _notebook(name: str) -> Path:
    if Path(name).suffix == ".ipynb":
        return Path(name)
    found = sorted((ROOT / "notebooks").glob(f"{name}*.ipynb"))
    if len(found) != 1:
        known = ", ".join(path.stem for path in sorted((ROOT / "notebooks").glob("*.ipynb")))
        raise BadInput(f"notebook {name!r}: {'no such notebook' if not found else 'more than one'}; there are {known}")
    return found[0]


def _answer_text(answer: Answer) -> str:
    if answer.outcome == REFUSE:
        return "\n".join(filter(None, (f"REFUSED (gate: {answer.verdict.gate})", answer.text, answer.verdict.reason)))
    places = [f"[{n}] {c.chunk.heading}, line {c.line}" for n, c in enumerate(answer.citations, 1)]
    matched = [f"read as: {answer.verdict.reason}"] if answer.verdict.reason else []
    return "\n".join([answer.text, "", *places, *matched])


def _answer_json(answer: Answer, system: str, corpus: str) -> str:
    cited = [
        {"file": c.chunk.file, "path": list(c.chunk.path), "line": c.line, "quote": c.quote} for c in answer.citations
    ]
    verdict = {"gate": answer.verdict.gate, "concept": answer.verdict.concept, "reason": answer.verdict.reason}
    data = {
        "question": answer.question,
        "system": system,
        "corpus": corpus,
        "outcome": answer.outcome,
        **verdict,
        "text": answer.text,
    }
    return json.dumps({**data, "citations": cited}, indent=1, ensure_ascii=False)


def _changes(changes: Changes, known: bool) -> str:
    if not known:
        return "no baseline for this run; --accept makes one"
    listed = {
        "no longer hold": changes.broken,
        "hold now": changes.mended,
        "are new": changes.unknown,
        "were not asked": changes.missing,
    }
    told = [f"{len(ids)} {what}: {', '.join(ids)}" for what, ids in listed.items() if ids]
    return "against the baseline: " + ("; ".join(told) or "no change")


def _print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[n]) for row in (header, *rows)) for n in range(len(header))]
    for row in (header, *rows) if rows else ():
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _print_list(title: str, lines: Sequence[str]) -> None:
    if lines:
        print(f"{title}:", *(f"  {line}" for line in lines), sep="\n")


def _plain(data: object) -> object:
    """nan as null: JSON has no other word for what is not defined."""
    if isinstance(data, dict):
        return {key: _plain(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_plain(value) for value in data]
    return None if isinstance(data, float) and data != data else data


def main() -> None:
    """The entry point; bad input ends here, in one line and with 2."""
    if sys.stdout:  # it may be closed
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
    except (BadInput, ModelFailed) as error:
        print(f"ragkit: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(1)
    except OSError as error:
        place = shown(error.filename) if error.filename else "output"
        print(f"ragkit: {place}: {error.strerror}; free or allow it and run again", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
