"""Which documents of a folder are in force: labels from front matter, dates in the text and file names.

Documents are versions of one another when they lie in the same place and have the same title or the same file name,
once years, version numbers and words such as `final`, `old` and `draft` are taken off; what lies in `archive/` lies
where its folder does. A front matter that states a `version` other than a date says what a document is about, as
`scope.Pinned` reads it, so documents of two such versions stand side by side.

What decides, in this order: the `status` of the front matter; what the texts say (no longer in force, replaces); names
that say `old` or `draft`; the day of coming into force, the last one where there are several; years and version
numbers of file names. A name that says `final` decides nothing. A label is not `sure` where a date is missing, where
two are the same, or where texts and names disagree: that is the review queue. No clock is read, so a version that will
come into force on a later day counts as in force.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from ragkit import corpus
from ragkit.evidence import CURRENT, EARLIER, SUPERSEDED, Evidence, evidence
from ragkit.files import read_text, reading, shown
from ragkit.records import BadInput, Document, Rate

Why = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Label:
    """The status of a file: `current`, `superseded`, or empty where nothing decides. `version` is the day it came into
    force or what its name calls it, `why` is one line, `others` are the files that are versions of the same document.
    """

    file: str
    status: str
    version: str
    sure: bool
    why: str
    others: tuple[str, ...] = ()


class Accuracy(NamedTuple):
    """How many labels are right: of all, and of the sure ones; how many go to review, and how many of those are right;
    `confusion` counts (true status, status said)."""

    every: Rate
    sure: Rate
    review: Rate
    right_in_review: Rate
    confusion: dict[tuple[str, str], int]


def labels(documents: Iterable[Document]) -> tuple[Label, ...]:
    """A label for each document of a folder, in their order. Nothing raises; a file that could not be read has none of
    its text to go by."""
    known = [evidence(document) for document in documents]
    found = {label.file: label for group in _groups(known) for label in _judged(group)}
    return tuple(found[each.file] for each in known)


def cases(place: str | Path) -> tuple[Label, ...]:
    """The labels of each folder of Markdown right below `place`, each folder by itself; files as `folder/file.md`."""
    with reading(place):
        folders = sorted(path for path in Path(place).iterdir() if path.is_dir())
    return tuple(
        replace(label, file=f"{folder.name}/{label.file}")
        for folder in folders
        for label in labels(corpus.readable(corpus.read(folder)).documents)
    )


def read_truth(path: str | Path) -> dict[str, str]:
    """The true status by file, from a CSV with the columns `file,status,note`; BadInput names the line."""
    rows = csv.DictReader(read_text(path).splitlines(), strict=True)
    if missing := {"file", "status"} - set(rows.fieldnames or ()):
        raise BadInput(f"{shown(path)}:1: no column {sorted(missing)[0]!r}; the columns are file,status,note")
    found: dict[str, str] = {}
    for row in rows:
        file, status = row["file"] or "", row["status"] or ""
        if not file or file in found or status not in (CURRENT, SUPERSEDED):
            raise BadInput(f"{shown(path)}:{rows.line_num}: needs a file of its own and current or superseded")
        found[file] = status
    return found


def accuracy(labels: Iterable[Label], truth: Mapping[str, str]) -> Accuracy:
    """The labels of the files that the truth names, held against it; an empty status is never right."""
    known = {label.file: label for label in labels}
    if missing := [file for file in truth if file not in known]:
        raise BadInput(f"{missing[0]}: the truth names it, no label does; name files as the folder has them")
    judged = [(known[file].sure, known[file].status == status) for file, status in truth.items()]
    sure, review = ([right for was, right in judged if was == kind] for kind in (True, False))
    return Accuracy(
        Rate(sum(sure) + sum(review), len(judged)),
        Rate(sum(sure), len(sure)),
        Rate(len(review), len(judged)),
        Rate(sum(review), len(review)),
        dict(Counter((status, known[file].status) for file, status in truth.items())),
    )


def _groups(known: Sequence[Evidence]) -> Iterator[list[Evidence]]:
    """The documents that are versions of one another, together."""
    group = {each.file: each.file for each in known}
    for key in (lambda each: (each.place, each.name.key), lambda each: (each.place, each.title)):
        _together(known, group, key)
    for first in dict.fromkeys(group.values()):
        yield [each for each in known if group[each.file] == first]


def _together(
    known: Sequence[Evidence],
    group: dict[str, str],
    key: Callable[[Evidence], tuple[tuple[str, ...], tuple[str, ...]]],
) -> None:
    first: dict[object, str] = {}
    for each in known:
        if key(each)[1]:
            kept, joined = group[first.setdefault(key(each), each.file)], group[each.file]
            group.update((file, kept) for file, name in group.items() if name == joined)


def _judged(group: Sequence[Evidence]) -> Iterator[Label]:
    """The labels of the versions of one document."""
    gone = {each.file: why for each in group if (why := _gone(each, group))}
    left = [each for each in group if each.file not in gone]
    best, (why, doubt) = _best(left, group)
    for each in group:
        others = tuple(other.file for other in group if other is not each)
        if each in best:
            status, said = CURRENT, why
        elif each.file in gone or best:
            status, said = SUPERSEDED, gone.get(each.file) or f"{best[0].file} instead: {why}"
        else:
            status, said = "", "nothing decides"
        doubted = "" if each.stated == SUPERSEDED else doubt
        yield Label(each.file, status, _version(each), not doubted, said + f"; but {doubted}" * bool(doubted), others)


def _gone(each: Evidence, group: Sequence[Evidence]) -> str:
    """Why a version is not in force whatever the dates of others, empty when nothing says so."""
    if each.stated:
        return "its front matter says so" if each.stated == SUPERSEDED else ""
    if each.over:
        return each.over
    if by := next((other.file for other in group if other is not each and _replaces(other, each)), ""):
        return f"{by} replaces it"
    if len(group) > 1 and (each.name.draft or each.name.old):
        return "its name calls it " + ("a draft" if each.name.draft else "old")
    return ""


def _replaces(new: Evidence, old: Evidence) -> bool:
    """Whether a version says that it replaces another, and not the other way round as well."""
    return _claims(new, old) and not _claims(old, new)


def _claims(new: Evidence, old: Evidence) -> bool:
    number = ".".join(map(str, old.name.number))
    named = {*old.starts, old.file, old.file.rpartition("/")[2], number, old.version.removeprefix("v")} - {""}
    every = EARLIER in new.replaces and (not new.start or old.start <= new.start)
    return not new.name.draft and (every or bool(named.intersection(new.replaces)))


def _best(left: Sequence[Evidence], group: Sequence[Evidence]) -> tuple[list[Evidence], Why]:
    """The versions in force, why, and what stands against it."""
    if stated := [each for each in left if each.stated == CURRENT]:
        return stated, ("its front matter says so", _against_stated(stated, left))
    if len(group) == 1:
        return list(left), ("it has no other version", _alone(group[0]) if left else "")
    if not left:
        return [], ("", "no version is left that is in force")
    if len(left) == 1:
        later = next((each for each in group if not each.stated and left[0].start < each.start and not each.over), None)
        doubt = f"{later.file} gives a later day" if later and left[0].start else ""
        return [left[0]], ("no other version is left", doubt or _ends(left[0]))
    return _latest(left)


def _against_stated(stated: Sequence[Evidence], left: Sequence[Evidence]) -> str:
    if len(stated) > 1:
        return "several are stated to be current"
    first = stated[0].start
    later = next((each.file for each in left if first and not each.stated and each.start > first), "")
    return f"{later} gives a later day" if later else ""


def _alone(each: Evidence) -> str:
    if each.name.old or each.name.draft:
        return "its name calls it " + ("a draft" if each.name.draft else "old")
    return _ends(each)


def _latest(left: Sequence[Evidence]) -> tuple[list[Evidence], Why]:
    """The one of several that came into force last."""
    if not any(each.start or each.name.date for each in left) and all(each.name.number for each in left):
        first, second = sorted(left, key=lambda each: each.name.number, reverse=True)[:2]
        if first.name.number == second.name.number:
            return [], ("", "two have the same version number")
        return [first], ("its name has the highest version number", "")
    dated = sorted((each for each in left if _day(each)), key=_day, reverse=True)
    if not dated:
        return [], ("", "no version gives a date")
    first = dated[0]
    if len(dated) > 1 and _day(first).startswith(_day(dated[1])):
        return [], ("", f"{first.file} and {dated[1].file} can not be told apart by their dates")
    why = f"in force from {first.start}" if first.start else f"its name says {first.name.date}"
    if undated := next((each for each in left if not _day(each)), None):
        return [first], (why, f"{undated.file} gives no date")
    return [first], (why, _disagreement(first, left) or _ends(first))


def _day(each: Evidence) -> str:
    return each.start or each.name.date


def _disagreement(first: Evidence, left: Sequence[Evidence]) -> str:
    """Where another version says it replaces this one, or is the later one when file names are taken for true."""
    for each in left:
        if each is not first and _claims(each, first):
            return f"{each.file} says that it replaces it"
        named = _named(each)
        if each is not first and named > _named(first) and (named != each.start or _named(first) != first.start):
            return f"by their names {each.file} is later"
    numbers = [each.name.number for each in left]
    if all(numbers) and len(first.starts) < 2 and first.name.number != max(numbers):
        return "another has the higher version number"
    return ""


def _named(each: Evidence) -> str:
    """The date of a file name, unless it is that of a day on which the version came into force."""
    name = each.name.date
    meant = not name or any(start.startswith(name) or name.startswith(start) for start in each.starts)
    return each.start if meant else name


def _ends(first: Evidence) -> str:
    """That the version in force is to end on a day; which day it is today, nothing here knows."""
    return f"it is valid until {first.until} only" if first.until else ""


def _version(each: Evidence) -> str:
    number = ".".join(map(str, each.name.number))
    return each.start or each.version or each.name.date or (f"v{number}" if number else "")
