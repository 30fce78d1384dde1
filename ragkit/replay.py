"""Evaluates commits as they were: each in a worktree of its own, with the packages of its lock, some at a time."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from ragkit import corpus, golden, reply, report, study
from ragkit.commits import Commit, Repo, temporary
from ragkit.files import ROOT, cache, fingerprint, fingerprint_files, read_text, results, shown, write_text
from ragkit.fresh import inputs
from ragkit.history import PRINTS, Record, Run, parsed, row_print
from ragkit.models import NotAvailable
from ragkit.records import Answer, BadInput, Outcome
from ragkit.reply import error_answer
from ragkit.store import Store
from ragkit.systems import SYSTEMS
from ragkit.transport import Failed

HARNESS = "ragkit/replay.py"  # commits before it can not be evaluated by `ragkit history record`
LOCK = "requirements.lock"
# What an evaluation reads. What it writes beside the documents, and what holds today, is no input.
READ = (
    "ragkit",
    "corpus",
    ":(glob)golden/*.csv",
    LOCK,
    ":(exclude,top)**/manifest.json",
    ":(exclude,top)**/baseline.csv",
)


def record(repo: Repo) -> Record:
    """Every system on the golden file of each corpus, of the work tree as it is."""
    commit, dirty = repo.commit(), bool(repo.changed(READ))
    runs: dict[Run, tuple[Outcome, ...]] = {}
    rows: dict[tuple[str, str], str] = {}
    prints: dict[Run, dict[str, str]] = {}
    code, lock = inputs("ragkit/**/*.py", "ragkit/data/*"), fingerprint_files([ROOT / LOCK])
    for file in sorted((ROOT / "golden").glob("*.csv")):
        place = ROOT / "corpus" / file.stem
        if not place.is_dir():
            continue
        folder = corpus.read(place)
        vectors = fingerprint_files(place.glob("vectors.npz"))
        rows |= {(file.stem, row.id): row_print(row) for row in golden.read(file)}
        questions = fingerprint(*(part for row in golden.read(file) for part in (row.id, rows[file.stem, row.id])))
        for system in SYSTEMS.values():
            run = _evaluated(system, folder, file)
            if run is None:
                continue
            embed = study.embedding(system)
            runs[run.key] = run.outcomes
            prints[run.key] = {
                "documents": folder.fingerprint, "questions": questions, "settings": fingerprint(repr(system)),
                "code": code, "model": fingerprint(embed.key("query"), vectors) if embed else "", "lock": lock,
            }  # fmt: skip
    if not any(runs.values()):
        raise BadInput("nothing to evaluate: no folder of corpus/ has a file of its name in golden/; add one")
    meanwhile = repo.commit() != commit or bool(repo.changed(READ))
    return Record(commit, dirty or meanwhile, runs, rows, prints)


def write(out: Path, run: report.Run, folder: corpus.Folder, settings: str) -> None:
    """Writes a record of one run, of a system of whoever; it names the commit of the working folder, and that it is not
    that commit as it is."""
    if out.suffix != ".csv":
        raise BadInput(f"{shown(out)}: a record is a CSV file; end its name in .csv")
    try:
        commit = Repo.of(Path.cwd()).commit()
    except BadInput:
        commit = Commit("0" * 40, "19700101T000000Z")
    rows = {(run.golden, o.golden.id): row_print(o.golden) for o in run.outcomes}
    about = dict.fromkeys(PRINTS, "") | {"documents": folder.fingerprint, "settings": fingerprint(settings)}
    about["questions"] = fingerprint(*(part for (_, name), row in rows.items() for part in (name, row)))
    write_text(out, Record(commit, True, {run.key: run.outcomes}, rows, {run.key: about}).text())


def _evaluated(system: study.System, folder: corpus.Folder, file: Path) -> report.Run | None:
    """None where the system needs a model that is not there."""
    try:
        return study.evaluated(system, folder, file)
    except NotAvailable:
        return None


def questions(repo: Repo, commit: Commit | None) -> dict[tuple[str, str], str]:
    """The questions of all golden files by file and id, of a commit or of the work tree as it is."""
    paths = sorted((ROOT / "golden").glob("*.csv"))
    if commit:
        held = [path for path in paths if repo.holds(commit.sha, f"golden/{path.name}")]
        texts = {path.stem: repo.file(commit.sha, f"golden/{path.name}") for path in held}
    else:
        texts = {path.stem: path.read_bytes() for path in paths}
    files = {stem: io.StringIO(text.decode("utf-8-sig", "replace"), newline="") for stem, text in texts.items()}
    rows = ((stem, csv.DictReader(file)) for stem, file in files.items())
    return {(stem, row["id"]): row["question"] for stem, table in rows for row in table if "question" in row}


@dataclass(frozen=True, slots=True)
class Replayed:
    """What became of a commit: the `name` of its record, empty when there is none; `told` says why, or what it
    replaced."""

    commit: Commit
    told: str = ""
    name: str = ""


def missing(store: Store, commits: Sequence[Commit]) -> list[Commit]:
    """The commits that have no record of them as they are."""
    known = store.known({commit.short for commit in commits})
    return [commit for commit in commits if commit.short not in known]


def replay(
    store: Store, commits: Sequence[Commit], *, jobs: int = 2, golden_of: Commit | None = None
) -> Iterator[Replayed]:
    """Evaluates commits and files their records, as each is done; what was filed stays whatever happens then.

    With `golden_of` it is on the golden files of that commit, and the record says that it is not the commit as it is.
    """
    lock = threading.Lock()  # git makes and removes one worktree at a time
    with temporary(results() / "cache") as place, ThreadPoolExecutor(jobs) as pool:
        store.git.forget(results() / "cache")
        tasks = {pool.submit(_replayed, store.git, commit, golden_of, Path(place), lock): commit for commit in commits}
        try:
            for task in as_completed(tasks):
                made, told = task.result()
                yield Replayed(tasks[task], store.write(made) if made else told, made.name if made else "")
        finally:
            for task in tasks:
                task.cancel()


def _replayed(
    repo: Repo, commit: Commit, golden_of: Commit | None, place: Path, lock: threading.Lock
) -> tuple[Record | None, str]:
    """The record of a commit, or why there is none."""
    if not repo.holds(commit.sha, HARNESS):
        return None, "is from before there was a harness"
    out = place / f"{commit.sha}.csv"
    try:
        with _checkout(repo, commit, place, lock) as tree:
            if golden_of:
                Repo.of(tree.folder).git("checkout", "--quiet", "--no-overlay", golden_of.sha, "--", "golden")
            done = tree.ragkit("history", "record", "--out", str(out))
        if done.returncode or not out.exists():
            raise BadInput(_last(done))
        return parsed(read_text(out), "what it gave", fresh=True), ""
    except BadInput as error:
        return None, f"could not be evaluated: {error}"


Question = tuple[str, str, str]  # system, corpus, question


@dataclass(frozen=True, slots=True)
class Tree:
    """The files of a commit, a Python that has its packages, and a place for what it writes."""

    python: str
    folder: Path
    place: Path

    def ragkit(self, *words: str) -> subprocess.CompletedProcess[str]:
        """The command of that commit, with each system as it is named and no model asked."""
        own = {"PYTHONPATH": str(self.folder), "RAGKIT_RESULTS": str(self.place / "results")}
        own |= {"RAGKIT_CACHE": str(cache()), "RAG_BACKEND": "", "MODEL_PROVIDER": ""}
        command = [self.python, "-m", "ragkit", *words]
        return subprocess.run(command, cwd=self.folder, env=os.environ | own, capture_output=True, text=True)

    def asked(self, asked: Question) -> Answer:
        """What it answers, or an error."""
        system, place, question = asked
        done = self.ragkit("ask", "--json", "--system", system, "--corpus", place, "--", question)
        if done.returncode:
            return error_answer(question, Failed("could not be asked again", _last(done)))
        return reply.read(question, done.stdout, refused=lambda _: False)


def asked(repo: Repo, commit: Commit | None, wanted: Collection[Question], *, jobs: int = 2) -> dict[Question, Answer]:
    """What a commit answers to some questions, or the work tree as it is; an error where that can not be told."""
    lock = threading.Lock()
    with temporary(results() / "cache") as place, ThreadPoolExecutor(jobs) as pool:
        try:
            here = contextlib.nullcontext(Tree(sys.executable, ROOT, Path(place)))
            with _checkout(repo, commit, Path(place), lock) if commit else here as tree:
                return dict(zip(wanted, pool.map(tree.asked, wanted), strict=True))
        except BadInput as error:
            return {each: error_answer(each[2], Failed("could not be asked again", str(error))) for each in wanted}


@contextlib.contextmanager
def _checkout(repo: Repo, commit: Commit, place: Path, lock: threading.Lock) -> Iterator[Tree]:
    """A commit in a worktree of its own below a place, with the packages of its lock."""
    worktree = repo.worktree(commit.sha, place / commit.sha)
    with lock:
        folder = worktree.__enter__()
    try:
        yield Tree(environment(folder / LOCK, lock), folder, place)
    finally:
        with lock:
            worktree.__exit__(None, None, None)


def _last(done: subprocess.CompletedProcess[str]) -> str:
    """The last line that a process said."""
    return (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1][:200]


def environment(lock: Path, guard: threading.Lock) -> str:
    """A Python with the packages of a lock: this one when the lock is ours, else one made for it and kept."""
    if lock.read_bytes() == (ROOT / LOCK).read_bytes():
        return sys.executable
    place = results() / "cache" / "envs" / fingerprint(lock.read_bytes())
    python, stamp = place / "bin" / "python", place / "complete"
    with guard:
        if not stamp.exists():
            shutil.rmtree(place, ignore_errors=True)
            pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet", "install"]
            for command in ([sys.executable, "-m", "venv", str(place)], [*pip, "--require-hashes", "-r", str(lock)]):
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode:
                    raise BadInput(f"the packages of its {LOCK} can not be installed: {_last(done)}")
            stamp.touch()
    return str(python)
