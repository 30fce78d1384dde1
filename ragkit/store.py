"""Where records of commits lie: on a ref of their own, in copies in results/commits, and on the refs of remotes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from ragkit.commits import REF, TRIES, Repo
from ragkit.files import read_text, shown, write_text
from ragkit.history import KEPT, NAME, Record, parsed, short_of
from ragkit.records import BadInput


def _replaced(old: Record, new: Record) -> bool:
    """Whether a record gives way: it has the same inputs, or both are of the commit as it is, on the same questions."""
    asked = [{run: each.prints[run]["questions"] for run in each.prints} for each in (old, new)]
    return old.name == new.name or (old.commit == new.commit and not (old.dirty or new.dirty) and asked[0] == asked[1])


def _sound(text: str, name: str) -> bool:
    try:
        return bool(parsed(text, name))
    except BadInput:
        return False


class Store:
    """The kept files of results/commits, and those on the repository's own ref where there is git."""

    def __init__(self, repo: Repo | None, folder: Path | None = None) -> None:
        self.repo, self.folder = repo, folder or KEPT

    @property
    def git(self) -> Repo:
        """The repository; bad input where there is none."""
        if self.repo is None:
            raise BadInput("this needs the project's git repository")
        return self.repo

    def names(self, *, until: str = "") -> list[str]:
        """The names of all records by date of commit, up to those of the commit `until`."""
        on_ref = self.repo.kept() if self.repo else {}
        files = (path.name for path in self.folder.glob("*.csv"))
        found = sorted(name for name in {*on_ref, *files} if NAME.fullmatch(name))
        if not until:
            return found
        ends = [n for n, name in enumerate(found, 1) if len(until) >= 7 and short_of(name).startswith(until[:12])]
        if not ends:
            raise BadInput(
                f"until {until!r}: no record of that commit; name one of ragkit history show by 7 digits or more"
            )
        return found[: max(ends)]

    def of(self, commits: Collection[str]) -> list[str]:
        """The names of the records of commits, which are given by the first 12 digits. Where there is git only those on
        the ref count: a file may come from the very branch that is judged."""
        names = sorted(self.repo.kept()) if self.repo else self.names()
        return [name for name in names if short_of(name) in commits]

    def read(self, name: str) -> Record:
        """The record of that name."""
        return self.records([name])[0]

    def clean(self, names: Sequence[str]) -> list[Record]:
        """Those of some records that are of a commit as it is."""
        return [record for record in self.records(names) if not record.dirty]

    def records(self, names: Sequence[str]) -> list[Record]:
        """The records of these names; what the ref has is later than a file, which is a copy."""
        on_ref = self.repo.kept() if self.repo else {}
        there = [name for name in names if name in on_ref]
        blobs = self.repo.blobs([on_ref[name] for name in there]) if self.repo and there else []
        texts = {name: blob.decode("utf-8", "replace") for name, blob in zip(there, blobs, strict=True)}
        return [parsed(texts[name], name) if name in texts else self._file(name) for name in names]

    def _file(self, name: str) -> Record:
        place = self.folder / name
        if not place.exists():
            raise BadInput(f"{name}: no record of that name; ragkit history show lists them")
        return parsed(read_text(place), shown(place))

    def write(self, record: Record) -> str:
        """Puts a record on the ref, in place of earlier ones of the same commit as it is on the same questions; says
        so when one had another result, or came of other inputs."""
        if not self.repo:
            raise BadInput(
                "no git repository here, and records are filed on a ref of it; make one with git init and a commit"
            )
        found, broken = self._read(self.of([record.commit.short]))
        old = [each for each in found if _replaced(each, record)]
        gone = [name for name in (*broken, *(each.name for each in old)) if name != record.name]
        self.repo.keep({record.name: record.text().encode("utf-8")}, without=gone)
        told = [f"{name}: {record.name} stands now" for name in gone]
        if any(each.name == record.name and each.text() != record.text() for each in old):
            told.append(f"{record.name}: same inputs, other result; the later one stands now")
        return "; ".join(told)

    def _read(self, names: Sequence[str]) -> tuple[list[Record], list[str]]:
        """The records that can be read, and the names of the others."""
        found: list[Record] = []
        broken = []
        for name in names:
            try:
                found.append(self.read(name))
            except BadInput:
                broken.append(name)
        return found, broken

    def known(self, commits: Collection[str]) -> set[str]:
        """Of some commits, given by the first 12 digits, those that have a sound record of them as they are."""
        return {record.commit.short for record in self._read(self.of(commits))[0] if not record.dirty}

    def forget(self, names: Sequence[str]) -> None:
        """Takes records off the ref; they stay in its past."""
        if absent := [name for name in names if name not in self.git.kept()]:
            raise BadInput(f"{absent[0]}: no record of that name on {REF}; ragkit history show --all lists them")
        self.git.keep({}, without=names)

    def pull(self, remote: str) -> tuple[int, list[str]]:
        """Brings the records of a remote here, and tells their number and in a line each what is left aside: those that
        can not be read, and those that are other ones here, which stay."""
        theirs, ours = self.git.fetched(remote), self.git.kept()
        broken = self._broken(theirs)
        new = {name: sha for name, sha in theirs.items() if name not in ours and name not in broken}
        self.git.take(new)
        told = [f"{name}: can not be read on {remote}; left there" for name in broken]
        other = [name for name in theirs if name in ours and ours[name] != theirs[name] and name not in broken]
        return len(new), told + [
            f"{name}: another one on {remote}; this one stays here, that one there" for name in other
        ]

    def push(self, remote: str, *, replace: bool = False) -> tuple[int, list[str]]:
        """Puts the records made here beside those of a remote, and tells how many it has then, and what was left aside.
        One that is another there stays as it is, unless it can not be read or `replace` says otherwise."""
        for _ in range(TRIES):
            _, told = self.pull(remote)
            theirs, ours = self.git.fetched(remote), self.git.kept()
            bad, unsound = self._broken(theirs), self._broken(ours)
            sound = {name: sha for name, sha in ours.items() if name not in unsound}
            kept = {name: sha for name, sha in theirs.items() if name not in bad and not (replace and name in sound)}
            wanted = {**sound, **kept}
            told += [f"{name}: can not be read here; not pushed" for name in unsound]
            if wanted == theirs or self.git.push(remote, wanted):
                return len(wanted), told
        raise BadInput(f"{remote}: others keep pushing {REF}; run again")

    def _broken(self, blobs: Mapping[str, str]) -> list[str]:
        """The names of the contents that are no sound record."""
        texts = zip(blobs, self.git.blobs(list(blobs.values())), strict=True)
        return [name for name, blob in texts if not _sound(blob.decode("utf-8", "replace"), name)]

    def keep(self, records: Sequence[Record]) -> list[Path]:
        """Copies records into results/commits, to be committed."""
        places = [self.folder / record.name for record in records]
        for record, place in zip(records, places, strict=True):
            write_text(place, record.text())
        return places
