"""`ragkit eval`: a system over a golden file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragkit.files import shown
from ragkit.options import (
    CorpusOption,
    JsonOption,
    ModelOption,
    NoLlmOption,
    SystemOption,
    chosen,
    folder,
    golden_file,
    print_table,
)
from ragkit.records import BadInput
from ragkit.systems import DEFAULT

if TYPE_CHECKING:
    from ragkit.corpus import Folder
    from ragkit.evaluate import Changes
    from ragkit.generate import Recorded
    from ragkit.judge import Opinion
    from ragkit.report import Run

GoldenOption = Annotated[
    str, typer.Option("--golden", metavar="FILE", help="CSV of questions, or the name of one in golden/")
]


def evaluate(
    context: typer.Context,
    system: SystemOption = DEFAULT,
    golden: GoldenOption = "",
    corpus: CorpusOption = "kestrel",
    model: ModelOption = "",
    no_llm: NoLlmOption = False,
    judge: Annotated[
        str, typer.Option("--judge", metavar="NAME", help="a model judges faithfulness: gemini or anthropic")
    ] = "",
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
    system, corpus, golden, backend, chunks, answerable, unanswerable, metrics, failed, errors, broken, missing, spent
    (questions, calls, tokens_in, tokens_out, cost, unpriced), per_question (the same of each that a model was asked
    about, by id).

    With --model a question that the model fails on is an error row; what was never recorded and can not be asked now
    ends the run with 2, and keeps what was recorded.

    --judge asks a model about each claim of each answer, and tells how far it agrees with what code checks; what it
    gives no verdict on is left out and counted. No setting turns it on. Of a system that shows no ranking code judges
    by markers and numbers alone. Key judge: model, faithful (claims: hits, of, left_out, interval), agreement (answers:
    both, judge_only, code_only, neither, left_out by reason), observed (as faithful, of answers), kappa, spent, failed.

    --ask 'mybot {question}' (or the question on stdin), http://host/path (posts {"question": ...}) or
    python:module:function; a reply is text, or JSON as of `ask`. More keys: cited_sources, read_from_wording.
    """
    from ragkit import evaluate as judging
    from ragkit import exchange, providers, replay, report, study, tables
    from ragkit import golden as golden_files
    from ragkit import judge as judging_model

    both = getattr(context.get_parameter_source("system"), "name", "") != "DEFAULT"
    foreign = exchange.foreign(ask, system=both, name=name, timeout=timeout, retries=retries, jobs=jobs)
    if foreign and model:
        raise BadInput("--model is about our own systems; give it or --ask")
    if (judge := judge.strip()) and no_llm:
        raise BadInput(f"--judge {judge} and --no-llm name a model and none; give one of them")
    second = providers.named(judge) if judge else None
    documents = folder(corpus)
    file = golden_file(golden, documents)
    baseline = file.parent / "baseline.csv"
    asked = foreign or chosen(system, model, no_llm=no_llm)
    run = (
        study.asked(asked, documents, file, progress=True)
        if isinstance(asked, exchange.Foreign)
        else study.evaluated(asked, documents, file)
    )
    opinion = _opinion(run, documents, second) if second else None
    if record:
        replay.write(record, run, documents, repr(asked))
    held = golden_files.read_baseline(baseline) if baseline.exists() else {}
    if accept:
        held[run.key] = {o.golden.id: judging.held(o) for o in run.outcomes}
        golden_files.write_baseline(baseline, held)
    changes = judging.compare(held.get(run.key, {}), run.outcomes)
    if as_json:
        data = report.as_json(run, changes)
        data = exchange.as_json(data, run.outcomes) if foreign else data
        data = {**data, "judge": judging_model.data(opinion)} if opinion else data
        print(json.dumps(_plain(data), indent=1, ensure_ascii=False))
    else:
        told = exchange.lines(run.outcomes) if foreign else report.took(run.outcomes)
        told += judging_model.lines(opinion) if opinion else []
        print("\n".join([run.header, "", *report.bands(run), *told, ""]))
        print_table(*tables.texts(report.measures(run.outcomes)))
        print()
        print_table(*tables.texts(report.failures(run.outcomes)))
        print(f"wrote {shown(baseline)}" if accept else _changes(changes, run.key in held))
    raise typer.Exit(1 if changes.broken or changes.missing else 0)


def _opinion(run: Run, documents: Folder, recorded: Recorded) -> Opinion:
    from ragkit import corpus
    from ragkit import judge as judging_model
    from ragkit.check import Marked, Numbers
    from ragkit.chunk import Headings
    from ragkit.text import Analyzer

    known = corpus.index(documents, Headings(), Analyzer())
    checks = [choice.on(known) for choice in (Marked(), Numbers())]
    return judging_model.opinion([outcome.answer for outcome in run.outcomes], recorded, checks)


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


def _plain(data: object) -> object:
    """nan as null: JSON has no other word for what is not defined."""
    if isinstance(data, dict):
        return {key: _plain(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_plain(value) for value in data]
    return None if isinstance(data, float) and data != data else data
