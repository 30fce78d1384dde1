"""`ragkit history`: what evaluations of commits gave, and whether a commit made it worse."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragkit.files import ROOT, shown, write_bytes, write_text
from ragkit.records import BadInput
from ragkit.systems import DEFAULT, SYSTEMS

if TYPE_CHECKING:
    from ragkit.store import Store

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False, help=__doc__)

Systems = Annotated[str, typer.Option("--system", help="names with commas between, or all")]
JsonOption = Annotated[bool, typer.Option("--json", help="print data instead of text")]
Before = Annotated[str, typer.Argument(metavar="A", help="a commit, or . for the work tree as it is")]
Remote = Annotated[str, typer.Argument(help="name or address of a git remote")]
After = Annotated[str, typer.Argument(metavar="B", help="a commit, or . for the work tree as it is")]


@app.command()
def record(
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="write the record there")] = None,
) -> None:
    """Evaluate the work tree as it is, and file what it gave under its commit; marked when files differ from it."""
    from ragkit import replay

    store = _store()
    found = replay.record(store.git)
    if out:
        write_text(out, found.text())
    else:
        _say(store.write(found))
    print(f"{found.name}{' (not the commit as it is)' if found.dirty else ''}")


@app.command()
def run(
    selection: Annotated[str, typer.Argument(metavar="[A..B]", help="commits as git rev-list takes them")] = "",
    last: Annotated[int, typer.Option("--last", metavar="N", help="the last N commits of this branch")] = 0,
    missing: Annotated[bool, typer.Option("--missing", help="every commit that has the harness and no record")] = False,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="commits at a time")] = 2,
    questions: Annotated[str, typer.Option("--questions", metavar="C", help="on the golden files of commit C")] = "",
) -> None:
    """Evaluate commits as they were, each in a worktree of its own; what has a record already is passed over.

    With --questions every commit is evaluated; the name of its record, which is printed, stands for it in compare and
    gate."""
    from ragkit import replay

    if sum(map(bool, (selection, last > 0, missing))) != 1 or selection.startswith("-"):
        raise BadInput("history run: name one of A..B, --last N and --missing")
    store = _store()
    repo = store.git
    words = (selection,) if selection else ("HEAD", f"--max-count={last}") if last else ("HEAD",)
    commits = repo.commits(*words)
    if missing:
        commits = [commit for commit in commits if repo.holds(commit.sha, replay.HARNESS)]
    asked = repo.commit(questions) if questions else None
    wanted, failed = commits if asked else replay.missing(store, commits), 0
    print(f"{len(commits)} commits, {len(commits) - len(wanted)} have a record{repo.hint}")
    for n, each in enumerate(replay.replay(store, wanted, jobs=jobs, golden_of=asked), 1):
        failed += not each.name
        done = "; ".join(filter(None, (each.name if asked else "done" * bool(each.name), each.told)))
        print(f"{n}/{len(wanted)} {each.commit.short} {done}", flush=True)
    raise typer.Exit(1 if failed else 0)


@app.command()
def compare(
    before: Before,
    after: After,
    system: Systems = DEFAULT,
    markdown: Annotated[Path | None, typer.Option("--markdown", metavar="FILE", help="for a pull request")] = None,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="B as JUnit XML")] = None,
    bench: Annotated[
        Path | None,
        typer.Option("--bench", metavar="DIR", help="B as smaller.json, bigger.json for a benchmark action"),
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="a page with what was cited")] = None,
    as_json: JsonOption = False,
) -> None:
    """What changed from A to B: the flips row by row, and what a set of this size could have shown.

    JSON keys of each entry: system, corpus, golden, scored, broken, mended, changed, apart, notes, p, gain, low, high.
    """
    from ragkit import comparison, on_record, pair_page, summary

    store = _store()
    sides = on_record.pair(store, before, after)
    asked = _names(system)
    found = [each for each in comparison.compare(*sides) if each.run[0] in asked]
    if absent := set(asked) - {each.run[0] for each in found}:
        raise BadInput(f"no rows of {', '.join(sorted(absent))} on either side; see ragkit history show --system all")
    questions = on_record.questions(store, before) | on_record.questions(store, after)
    if markdown:
        write_text(markdown, summary.markdown(found, sides[0], sides[1], questions))
    if junit:
        write_text(junit, summary.junit(sides[1], asked))
    for smaller in (True, False) if bench else ():
        name = "smaller.json" if smaller else "bigger.json"
        write_text(Path(bench or "") / name, summary.benchmark(sides[1], asked, smaller=smaller))
    if html:
        if html.is_dir():
            raise BadInput(f"{shown(html)}: is a folder; name a file")
        print("asking what flipped again, on both sides ...", file=sys.stderr, flush=True)
        pair_page.write(
            html, store, sides[0], sides[1], found, questions, here=(before == on_record.HERE, after == on_record.HERE)
        )
        print(f"wrote {shown(html)}", file=sys.stderr)
    if as_json:
        print(json.dumps([summary.data(each) for each in found], indent=1, ensure_ascii=False))
        return
    for each in found:
        print("\n".join(summary.lines(each, questions)), end="\n\n")


@app.command()
def gate(
    before: Before,
    after: After,
    system: Systems = DEFAULT,
    must: Annotated[bool, typer.Option("--must", help="only rows marked must may not break")] = False,
    allow: Annotated[list[str] | None, typer.Option("--allow", help="such as false_answers<=1 or recall>=80%")] = None,
    golden: Annotated[str, typer.Option("--golden", help="golden files, commas between [default: all]")] = "",
    as_json: JsonOption = False,
) -> None:
    """May B be merged? Ends with 1 and the reasons when a row that held is broken, an allowance is not kept, or rows
    are missing, doubled, in error or labelled anew; with 2 for rules that always answering or refusing would pass.

    JSON keys: before, after, findings.
    """
    from ragkit import on_record
    from ragkit.merge_gate import Rules, limit

    store = _store()
    files = tuple(filter(None, (name.strip() for name in golden.split(","))))
    rules = Rules(_names(system), must, tuple(map(limit, allow or ())), files)
    sides = on_record.pair(store, before, after)
    findings = rules.findings(*sides)
    if as_json:
        named = dict(zip(("before", "after"), (side.name for side in sides), strict=True))
        print(json.dumps({**named, "findings": findings}, indent=1, ensure_ascii=False))
        raise typer.Exit(1 if findings else 0)
    print("\n".join(f"STOP: {line}" for line in findings) or "may be merged")
    raise typer.Exit(1 if findings else 0)


@app.command()
def bisect(
    good: Annotated[str, typer.Argument(help="a commit before the change")],
    bad: Annotated[str, typer.Argument(help="a commit after it")] = "HEAD",
    row: Annotated[str, typer.Option("--row", metavar="ID", help="a golden row that held and no longer does")] = "",
    metric: Annotated[str, typer.Option("--metric", help="a measure that moved")] = "",
    system: Annotated[str, typer.Option("--system")] = DEFAULT,
    golden: Annotated[str, typer.Option("--golden", help="name of the golden file")] = "kestrel",
) -> None:
    """Find the commit that broke a row or moved a measure, with the fewest evaluations."""
    from ragkit import culprit, on_record

    store = _store()
    repo = store.git
    ends = repo.commit(good), repo.commit(bad)
    parents = repo.parents(f"{ends[0].sha}..{ends[1].sha}")
    if ends[1].sha not in parents:
        raise BadInput(f"{good}..{bad}: no commit between; name the good one first")
    judge = on_record.judge(store, (system, golden), row, metric, ends)
    found = culprit.first_bad(parents, ends[1].sha, judge)
    _say(on_record.caveat(store, found, ends[0]))
    if len(found.suspects) > 1:
        print(f"one of these {len(found.suspects)}; the others could not be judged:")
    for suspect in sorted(found.suspects, key=list(parents).index):
        print(repo.git("show", "--no-patch", "--format=%h %cs %an: %s", suspect))
    print(f"{len(parents)} commits, {len(found.evaluated)} looked at, and the bad end")


@app.command()
def show(
    system: Systems = DEFAULT,
    figure: Annotated[Path | None, typer.Option("--figure", metavar="FILE.png", help="draw the trend there")] = None,
    everything: Annotated[bool, typer.Option("--all", help="records of other branches too")] = False,
    as_json: JsonOption = False,
) -> None:
    """The trend of this branch: a line a record with its measures, in the order of the commits.

    JSON keys of each entry: commit, date, dirty, system, corpus, golden, questions, and the measures as [hits, of].
    """
    from ragkit import figures, tables, trend

    if figure and figure.suffix != ".png":
        raise BadInput(f"{figure}: a picture is written as PNG; end its name in .png")
    store = _store()
    here = () if everything or store.repo is None else {commit.short for commit in store.repo.commits("HEAD")}
    rows = trend.rows(store, () if system == "all" else _names(system), commits=here)
    if not rows:
        raise BadInput(f"no record of {system}{' on this branch; --all shows those of others' * bool(here)}")
    if as_json:
        print(json.dumps([trend.data(row) for row in rows], indent=1))
        return
    if figure:
        write_bytes(figure, figures.png(trend.drawn(rows)[0]))
    header, cells = tables.texts(trend.texts(rows))
    widths = [max(len(row[n]) for row in (header, *cells)) for n in range(len(header))]
    for line in (header, *cells):
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


@app.command()
def keep(commits: Annotated[list[str], typer.Argument(help="commits whose records to keep")]) -> None:
    """Copy records into results/commits, to be committed on purpose."""
    from ragkit import on_record

    store = _store()
    for place in store.keep([record for each in commits for record in on_record.of(store, each)]):
        print(f"wrote {shown(place)}")


@app.command()
def forget(names: Annotated[list[str], typer.Argument(help="names of records on the ref")]) -> None:
    """Take records off the ref here, such as broken ones; they stay in its past, and on remotes that have them."""
    _store().forget(names)
    print(f"{len(names)} taken off")


@app.command()
def pull(remote: Remote = "origin") -> None:
    """Bring the records of others here, from the ref of the same name; what is another one here stays as it is here."""
    store = _store()
    new, told = store.pull(remote)
    _say("\n".join(told))
    print(f"{new} new records of {remote}, {len(store.git.kept())} here")


@app.command()
def push(
    remote: Remote = "origin",
    replace: Annotated[bool, typer.Option("--replace", help="also where the remote has another one")] = False,
) -> None:
    """Put the records made here beside those of others. What the remote has is replaced only where it can not be read,
    and with --replace."""
    there, told = _store().push(remote, replace=replace)
    _say("\n".join(told))
    print(f"{remote} has {there} records")


# --- what the commands share -----------------------------------------------------------------------------------------


def _store() -> Store:
    from ragkit import commits
    from ragkit.store import Store

    try:
        return Store(commits.Repo.of(ROOT))
    except BadInput as error:
        print(f"note: {error}", file=sys.stderr)
        return Store(None)


def _names(system: str) -> tuple[str, ...]:
    names = tuple(SYSTEMS) if system == "all" else tuple(name.strip() for name in system.split(","))
    if unknown := [name for name in names if not name]:
        raise BadInput(f"--system {system!r}: {len(unknown)} empty names; write names with commas between, or all")
    return names


def _say(line: str) -> None:
    if line:
        print(line, file=sys.stderr)
