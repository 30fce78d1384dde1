"""Git, as far as a history of evaluations needs it: this commit, the others, a worktree, a ref of its own.

Everything goes through the `git` program; what it objects to becomes one line with a remedy.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragkit.records import BadInput

KINDS = (".md", ".csv", ".npz", ".py", "/")  # of ignored files, those that may be read; a folder may hold some
CACHE = "__pycache__"
REF = "refs/ragkit/history"
OWN = {"NAME": "ragkit", "EMAIL": "ragkit@localhost"}
ACCESS = ("GIT_SSH", "GIT_ASKPASS", "GIT_TERMINAL_PROMPT")  # of what git is told about itself, the way to a remote
TRIES = 20  # to move the ref, while others move it too


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit by its full hash, and when it was committed, in UTC: `20260201T090000Z`."""

    sha: str
    date: str

    @property
    def short(self) -> str:
        return self.sha[:12]


@dataclass(frozen=True)
class Repo:
    """The repository that holds a folder; `prefix` is the folder's place in it, empty at its top."""

    folder: Path
    top: Path
    prefix: str = ""

    @classmethod
    def of(cls, folder: Path) -> Repo:
        if not shutil.which("git"):
            raise BadInput("git is not installed; install it, or work with the files of results/commits")
        found = cls(folder, folder)
        if found._run("rev-parse", "--is-inside-work-tree").stdout.strip() != b"true":
            raise BadInput(f"{folder}: in no git repository; clone the project instead of copying it")
        top, prefix = found.git("rev-parse", "--show-toplevel"), found.git("rev-parse", "--show-prefix")
        return cls(folder, Path(top), prefix)

    def git(self, *words: str, **environment: str) -> str:
        """What git says to a command, without the last line end; BadInput with its first line when it fails."""
        return self.raw(*words, environment=environment).decode("utf-8", "replace").rstrip("\n")

    def raw(self, *words: str, given: bytes = b"", environment: Mapping[str, str] | None = None) -> bytes:
        """What git says to a command that is given something to read."""
        done = self._run(*words, given=given, environment=environment)
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().split("\n")[0].removeprefix("fatal: ")
            what = next(word for word in words if not word.startswith(("-c", "core.")))
            raise BadInput(f"git {what}: {said or f'ended with {done.returncode}'}{self.hint}")
        return done.stdout

    def _run(
        self, *words: str, given: bytes = b"", environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        kept = {n: value for n, value in os.environ.items() if not n.startswith("GIT_") or n.startswith(ACCESS)}
        kept |= environment or {}
        return subprocess.run(["git", *words], cwd=self.folder, input=given, capture_output=True, env=kept)

    @property
    def hint(self) -> str:
        """What may be the reason that commits are missing, empty when nothing is."""
        shallow = self._run("rev-parse", "--is-shallow-repository").stdout.strip() == b"true"
        return "; this clone is shallow: git fetch --unshallow brings the rest" if shallow else ""

    # --- commits

    def commit(self, name: str = "HEAD") -> Commit:
        """The commit of a name: a hash, a branch, `HEAD~2`."""
        if name.startswith("-"):
            raise BadInput(f"commit {name!r}: is an option; name a commit")
        if self._run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").returncode:
            raise BadInput(f"commit {name!r}: there is none of that name here{self.hint or '; see git log'}")
        told = self.git(
            "show",
            "--no-patch",
            "--format=%H %cd",
            "--date=format-local:%Y%m%dT%H%M%SZ",
            f"{name}^{{commit}}",
            TZ="UTC",
        )
        return Commit(*told.split())

    def commits(self, *selection: str) -> list[Commit]:
        """The commits of a selection as `git rev-list` takes it, parents before children."""
        form = ("--no-commit-header", "--format=%H %cd", "--date=format-local:%Y%m%dT%H%M%SZ")
        told = self.git("rev-list", "--topo-order", "--reverse", *form, *selection, "--", TZ="UTC")
        return [Commit(*line.split()) for line in told.splitlines()]

    def parents(self, *selection: str) -> dict[str, list[str]]:
        """The parents of each commit of a selection."""
        lines = (line.split() for line in self.git("rev-list", "--parents", *selection, "--").splitlines())
        return {sha: parents for sha, *parents in lines}

    def holds(self, commit: str, path: str) -> bool:
        """Whether a commit has a file, its path as seen from the folder."""
        return not self._run("cat-file", "-e", f"{commit}:{self.prefix}{path}").returncode

    def file(self, commit: str, path: str) -> bytes:
        """A file of a commit, its path as seen from the folder."""
        return self.raw("cat-file", "blob", f"{commit}:{self.prefix}{path}")

    def changed(self, paths: Sequence[str]) -> list[str]:
        """Which files below these paths differ from HEAD or are unknown to it; ignored ones where they may be read."""
        how = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all")
        told = [self.raw(*how, "--", *paths)]
        only = [path for path in paths if not path.startswith(":(exclude")]  # with those, all that is ignored is listed
        told += [self.raw(*how, "--ignored=matching", "--", *only)]
        entries = [[entry for entry in each.decode("utf-8", "replace").split("\0") if entry] for each in told]
        ignored = [entry[3:] for entry in entries[1] if entry.startswith("!!")]
        read = [name for name in ignored if name.endswith(KINDS) and CACHE not in name]
        return [*(entry[3:] for entry in entries[0]), *read]

    @contextlib.contextmanager
    def worktree(self, commit: str, place: Path) -> Iterator[Path]:
        """A commit checked out at a place, which is cleared before and after; gives the folder in it."""
        self._clear(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        hooks = ("-c", f"core.hooksPath={os.devnull}")  # those of the user are not for these
        self.git(*hooks, "worktree", "add", "--quiet", "--force", "--detach", str(place), commit)
        try:
            yield place / self.prefix
        finally:
            self._clear(place)

    def _clear(self, place: Path) -> None:
        shutil.rmtree(place, ignore_errors=True)
        self.forget(place)

    def forget(self, place: Path) -> None:
        """Drops the worktrees at or below a place whose folders are gone; one that a kill left half made is locked."""
        for line in self.git("worktree", "list", "--porcelain").splitlines():
            path = Path(line.removeprefix("worktree "))
            below = line.startswith("worktree ") and place.resolve() in (path, *path.parents)
            if below and not path.exists():
                self._run("worktree", "remove", "--force", "--force", str(path))

    # --- files on a ref of their own

    def kept(self, ref: str = REF) -> dict[str, str]:
        """The files on a ref by name, each with the hash of its content."""
        if self._run("rev-parse", "--verify", "--quiet", ref).returncode:
            return {}
        told = self._run("ls-tree", "-z", "--full-tree", ref)
        entries = [entry.partition("\t") for entry in told.stdout.decode("utf-8", "replace").split("\0") if entry]
        if told.returncode or not all(" blob " in head for head, _, _ in entries):
            raise BadInput(f"{ref}: holds something else than records; git update-ref -d {ref} drops it")
        return {name: head.split()[2] for head, _, name in entries}

    def blobs(self, shas: Sequence[str]) -> list[bytes]:
        """Contents by their hashes, read by one process."""
        if not shas:
            return []
        told, found, start = self.raw("cat-file", "--batch", given="\n".join(shas).encode()), list[bytes](), 0
        for _ in shas:
            head, start = told[start : (end := told.index(b"\n", start))], end + 1
            size = int(head.split()[2])
            found.append(told[start : start + size])
            start += size + 1
        return found

    def keep(self, files: Mapping[str, bytes], ref: str = REF, *, without: Sequence[str] = ()) -> None:
        """Puts files on a ref, and takes others off it, whole or not at all; no branch, index or work tree is touched.
        Where that changes nothing, nothing is written."""
        blobs = {
            name: self.raw("hash-object", "-w", "--stdin", given=data).decode().strip() for name, data in files.items()
        }
        self._put(blobs, ref, without=without)

    def _put(self, blobs: Mapping[str, str], ref: str, *joined: str, without: Sequence[str] = ()) -> None:
        """Puts contents by their hashes on a ref, in a commit after the present one and those that are joined."""
        for _ in range(TRIES):
            old = self._run("rev-parse", "--verify", "--quiet", ref).stdout.decode().strip()
            held = self.kept(ref)
            wanted = {name: sha for name, sha in {**held, **blobs}.items() if name not in without}
            if wanted == held and not joined:
                return
            new = self._commit(wanted, old, *joined)
            if not self._run("update-ref", ref, new, old or "0" * len(new)).returncode:
                return
        raise BadInput(f"{ref}: others are writing to it; run again")

    def _commit(self, blobs: Mapping[str, str], *parents: str) -> str:
        """A commit of some contents under their names."""
        entries = "".join(f"100644 blob {sha}\t{name}\0" for name, sha in sorted(blobs.items()))
        tree = self.raw("mktree", "-z", given=entries.encode()).decode().strip()
        who = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in OWN.items()}
        after = [word for sha in parents if sha for word in ("-p", sha)]
        return self.git("commit-tree", tree, *after, "-m", f"{len(blobs)} files", **who)

    def fetched(self, remote: str, ref: str = REF) -> dict[str, str]:
        """The files on a ref of a remote by name, brought here; none where it has no such ref."""
        if not self.git("ls-remote", "--", remote, ref):
            return {}
        self.raw("fetch", "--quiet", "--no-write-fetch-head", "--", remote, f"+{ref}:{ref}-of-remote")
        return self.kept(f"{ref}-of-remote")

    def take(self, blobs: Mapping[str, str], ref: str = REF) -> None:
        """Puts contents that are here already, such as fetched ones, on a ref."""
        self._put(blobs, ref)

    def push(self, remote: str, blobs: Mapping[str, str], ref: str = REF) -> bool:
        """Makes some contents the files on a ref of a remote; False when others were faster."""
        sides = [self._run("rev-parse", "--verify", "--quiet", each) for each in (f"{ref}-of-remote", ref)]
        new = self._commit(blobs, *(side.stdout.decode().strip() for side in sides))
        pushed = self._run("push", "--quiet", "--", remote, f"{new}:{ref}", environment={"LC_ALL": "C"})
        if not pushed.returncode:
            return True
        said = " ".join(pushed.stderr.decode("utf-8", "replace").split())
        if any(sign in said for sign in ("[rejected]", "cannot lock ref", "reference already exists")):
            return False
        raise BadInput(f"git push: {said.removeprefix('fatal: ')[:200]}")


def temporary(place: Path) -> tempfile.TemporaryDirectory[str]:
    """A folder below a place that goes with its block; those of processes that were killed go now."""
    from psutil import pid_exists

    place.mkdir(parents=True, exist_ok=True)
    for left in place.glob("history-*-*"):
        if (owner := left.name.split("-")[1]).isdigit() and not pid_exists(int(owner)):
            shutil.rmtree(left, ignore_errors=True)
    return tempfile.TemporaryDirectory(dir=place, prefix=f"history-{os.getpid()}-", ignore_cleanup_errors=True)
