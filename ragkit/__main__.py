"""The command line. Exit 0: held. 1: a finding. 2: bad input, told in one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ragkit import ask_commands, eval_commands, history_commands
from ragkit.files import ROOT, shown
from ragkit.options import CorpusOption, JsonOption, folder, place, print_table
from ragkit.records import BadInput, ModelFailed
from ragkit.systems import DEFAULT, named

app = typer.Typer(
    add_completion=True, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False, help=__doc__
)

app.add_typer(history_commands.app, name="history")


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

    documents = folder(corpus)
    if vectors:
        _keep_vectors(corpus)
    found = manifest.manifest(named(DEFAULT).on(documents).corpus)
    if as_json:
        print(manifest.as_json(found), end="")
    else:
        rows = [asdict(entry) | {"covered": f"{100 * entry.covered:.0f} %"} for entry in found.files]
        print_table(*tables.texts(rows))
        print(f"{len(found.files)} .md files, {found.chunks} chunks, {len(found.empty)} files or sections without text")
        _print_list("empty (no text to answer from)", found.empty)
        _print_list("left out", found.dropped)
    if failed := [entry.error for entry in found.files if entry.error]:
        raise BadInput(failed[0])


app.command()(ask_commands.ask)
app.command(name="eval")(eval_commands.evaluate)


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


def _keep_vectors(name: str) -> None:
    from ragkit import study

    home = Path(place(name))
    count = study.keep_vectors(home)
    print(f"wrote {shown(home / 'vectors.npz')}: {count} vectors", file=sys.stderr)


def _notebook(name: str) -> Path:
    if Path(name).suffix == ".ipynb":
        return Path(name)
    found = sorted((ROOT / "notebooks").glob(f"{name}*.ipynb"))
    if len(found) != 1:
        known = ", ".join(path.stem for path in sorted((ROOT / "notebooks").glob("*.ipynb")))
        raise BadInput(f"notebook {name!r}: {'no such notebook' if not found else 'more than one'}; there are {known}")
    return found[0]


def _print_list(title: str, lines: Sequence[str]) -> None:
    if lines:
        print(f"{title}:", *(f"  {line}" for line in lines), sep="\n")


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
