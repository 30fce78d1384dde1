"""What a document and its file name say about when it is in force.

A statement counts when it is about the document itself: a clause that begins `in force from`, `effective`, `valid
until`, `withdrawn on`, `replaces`, or has `this policy`, `it` and the like before that. `The fee applies from 1 May`
is about a fee, and a date that a page was printed, reviewed or saved on is no date in force. English only; a date is
kept as ISO text, as far as it is given (`2025`, `2025-04`): `05/06/2024` may be May or June, so of it the year counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ragkit.corpus import front
from ragkit.forms import rows
from ragkit.records import Document
from ragkit.text import fold

CURRENT, SUPERSEDED = "current", "superseded"
STATED = {
    **dict.fromkeys(("current", "active", "valid", "effective", "in force"), CURRENT),
    **dict.fromkeys(("superseded", "obsolete", "expired", "withdrawn", "archived", "replaced", "old"), SUPERSEDED),
}
_WORDS = {
    kind: frozenset(word for word, each in rows("version_words.csv") if each == kind)
    for kind in ("old", "draft", "final")
}
OLD, DRAFT, FINAL = _WORDS["old"], _WORDS["draft"], _WORDS["final"]
EARLIER = "earlier"  # what `replaces all earlier versions` names

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH = "(?P<month>" + "|".join(f"{name}|{name[:3]}" for name in _MONTHS) + r"|sept)\b\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DATES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{_YEAR}-(?P<number>0[1-9]|1[0-2])(?:-(?P<day>0[1-9]|[12]\d|3[01]))?\b",
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}\b",
        rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+{_YEAR}\b",
        rf"\b{_MONTH},?\s+{_YEAR}\b",
        rf"\b(?P<day>0?[1-9]|[12]\d|3[01])\.(?P<number>0?[1-9]|1[0-2])\.{_YEAR}\b",
        rf"\b\d{{1,2}}/\d{{1,2}}/{_YEAR}\b",
        rf"(?<![\w<.,£$€-]){_YEAR}(?![\w>%-]|[.,]\d)",
    )
)
_DATE = r"<([\d-]+)>"
_NOUN = "(?:policy|policies|version|document|rules?|regulations?|text|edition|issue|guidelines?|procedure|notice)"
_SELF = rf"(?:(?:this|these)\s+(?:\w+\s+){{0,2}}{_NOUN}|the\s+(?:present\s+)?{_NOUN}|this)\s+"
_AUX = (
    r"(?:(?:is|are|was|were|has|have|had|been|be|will|now|then|again|only|first|came?|comes|goes|went|took|takes?)\s+)*"
)
_IN_FORCE = (
    r"(?:in(?:to)?\s+(?:force|effect)|effective(?:\s+date)?|valid|appl(?:y|ies|ied|icable)|with\s+effect|effect)"
)
_FROM = r"(?:\s+(?:again|from|since|on|of|as))*\s*:?\s*"
_GONE = r"(?:withdrawn|repealed|superseded|replaced|revoked|cancelled|expired|obsolete|ended)"
_OWN = re.compile(rf"{_SELF}|it\s")
_START = re.compile(rf"(?:{_SELF}|it\s+)?{_AUX}{_IN_FORCE}{_FROM}{_DATE}")
_TO = rf"(?:{_IN_FORCE}{_FROM}(?:{_DATE})?\s*(?:until|till|up\s+to|to|-)|expir(?:es|y)(?:\s+date|\s+on)?)"
_UNTIL = re.compile(rf"(?:{_SELF})?{_AUX}{_TO}\s*:?\s*{_DATE}")
_ENDED = re.compile(rf"(?:{_SELF})?{_AUX}{_GONE}(?:\s+(?:from|since|on|as|of))*\s*:?\s*{_DATE}")
_OVER = re.compile(rf"(?:{_SELF})?{_AUX}(?:no\s+longer\s+(?:{_IN_FORCE})|{_GONE}(?=\s*$|\s+by\b))")
_REPLACES = re.compile(rf"(?:{_SELF}|it\s+)?{_AUX}(?:replaces?|supersedes?)\s+(.*)", re.DOTALL)
_TITLE = re.compile(rf"(?:[\w'-]+\s+){{0,5}}{_NOUN}(?:\s+(?:no\.?\s+|number\s+)?[\w.]*\d[\w.]*)?")
_SENTENCE = re.compile(r"\.(?=\s|$)|[!?\n]")
_CLAUSE = re.compile(r"[;,()]|\b(?:and|but)\b")
_MARKUP = re.compile(r"[*_`|]+")
_WRAPPED = re.compile(r"\n(?!\s*\n|\s*(?:[#|>*+-]|[\w-]+\s?:))")
_TOKEN = re.compile(
    r"(?<!\d)(?:19|20)\d\d[-_.](?:0[1-9]|1[0-2])(?:[-_.](?:0[1-9]|[12]\d|3[01]))?(?!\d)"
    r"|(?<![^\W\d_])(?:v|ver|version|rev)[-_. ]?\d+(?:\.\d+)*(?![^\W_])|[^\W\d_]+|\d+|[()<>]"
)
_NUMBER = re.compile(r"[a-z]+[-_. ]?(\d{1,9}(?:\.\d{1,9})*)")


@dataclass(frozen=True, slots=True)
class Name:
    """A file name or title without what tells its versions apart, and that: a date, a version number, a mark."""

    key: tuple[str, ...]
    date: str = ""
    number: tuple[int, ...] = ()
    old: bool = False
    draft: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that speaks of one document: `stated` in its front matter, the days it came into force and was to end, why it
    is `over`, what it replaces (dates, versions, files), its file name, and the title of its text."""

    file: str
    name: Name
    title: tuple[str, ...] = ()
    place: tuple[str, ...] = ()
    stated: str = ""
    version: str = ""
    starts: tuple[str, ...] = ()
    until: str = ""
    over: str = ""
    replaces: tuple[str, ...] = ()

    @property
    def start(self) -> str:
        """The last day it came into force, empty when its text gives none."""
        return max(self.starts, default="")


def evidence(document: Document) -> Evidence:
    """What a document says of itself; nothing raises, a file that could not be read has its name only."""
    head, path = front(document), PurePosixPath(document.file)
    folders = [called(part) for part in path.parts[:-1]]
    own, title = called(path.stem), called(_title(document.text))
    name = Name(
        own.key,
        next((each.date for each in (own, *reversed(folders)) if each.date), ""),
        own.number,
        any(each.old for each in (own, title, *folders)),
        own.draft or title.draft or head.get("status", "").casefold() in DRAFT,
    )
    version = head.get("version", "")
    dated = version if re.fullmatch(r"\d{4}(-\d\d){0,2}", version) else ""
    said = _said(document.text)
    starts = sorted({*said.starts, dated} - {""})
    last = max(starts, default="")
    ended = max((end for end in said.ends if end >= last), default="")
    return Evidence(
        document.file,
        name,
        title.key,
        tuple(part for each in folders for part in each.key) + ((version,) if version and not dated else ()),
        STATED.get(head.get("status", "").casefold(), ""),
        version,
        tuple(starts),
        max((day for day in said.until if day >= last), default=""),
        f"it ended on {ended}" if ended else said.over,
        tuple(said.replaces),
    )


def called(name: str) -> Name:
    """A name cut into what it is about and what tells versions apart.

    >>> called("Leave-policy-2023-final-2").key, called("leave_policy_v1.2 (old)").key
    (('leave', 'policy'), ('leave', 'policy'))
    """
    tokens = [token for token in _TOKEN.findall(dates(fold(name))) if token not in "<>"]
    date = max((re.sub(r"[_.]", "-", token) for token in tokens if _is_date(token)), default="")
    numbers = [found[1] for token in tokens if (found := _NUMBER.fullmatch(token))]
    words = [token for token in tokens if not _is_date(token) and not _NUMBER.fullmatch(token)]
    kept, marks = _without_marks(words)
    number = tuple(map(int, numbers[-1].split("."))) if numbers else ()
    return Name(tuple(kept), date, number, bool(OLD & marks), bool(DRAFT & marks))


def dates(text: str) -> str:
    """A text in small letters with its dates as `<2025-04-01>`, as far as each is given.

    >>> dates("from 1st april 2025 to sept. 2026, not 05/06/2024")
    'from <2025-04-01> to <2026-09>, not <2024>'
    """
    for pattern in _DATES:
        text = pattern.sub(_iso, text)
    return text


def _iso(found: re.Match[str]) -> str:
    parts = found.groupdict()
    month = parts.get("number") or parts.get("month")
    if not month:
        return f"<{parts['year']}>"
    number = int(month) if month.isdigit() else [name[:3] for name in _MONTHS].index(month[:3]) + 1
    day = f"-{int(parts['day']):02}" if parts.get("day") else ""
    return f"<{parts['year']}-{number:02}{day}>"


def _is_date(token: str) -> bool:
    return bool(re.fullmatch(r"(?:19|20)\d\d([-_.]\d\d){0,2}", token))


def _without_marks(tokens: list[str]) -> tuple[list[str], set[str]]:
    """The words of a name without the marks at its ends; a number after a mark, or in brackets, counts copies."""
    known, tokens, marks = OLD | DRAFT | FINAL, list(tokens), set[str]()
    while tokens and tokens[0] in OLD | DRAFT and len(tokens) > 1:
        marks.add(tokens.pop(0))
    while tokens:
        number = len(tokens) > 1 and tokens[-1].isdigit() and tokens[-2] in {*known, "("}
        if not (number or tokens[-1] in {*known, "(", ")", "of", "from", "dated"}):
            break
        marks.add(tokens.pop())
    return [token for token in tokens if token not in "()"], marks


def _title(text: str) -> str:
    found = re.search(r"^#[ \t]+(.+?)[ \t#]*$", text, re.MULTILINE)
    return found[1] if found else ""


@dataclass(slots=True)
class _Said:
    starts: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    until: list[str] = field(default_factory=list)
    over: str = ""
    replaces: list[str] = field(default_factory=list)


def _said(text: str) -> _Said:
    """What the clauses of a text say. One without a subject is about the document when it begins its sentence, or goes
    on from one that was: `the fee, in force from 1 May` is not."""
    said = _Said()
    for sentence in _sentences(text):
        ours = True
        for clause in filter(None, (" ".join(part.split()).lstrip("->+ ") for part in _CLAUSE.split(sentence))):
            if ours or _OWN.match(clause):
                ours = _reads(clause, said) or bool(_TITLE.fullmatch(clause))
    return said


def _reads(clause: str, said: _Said) -> bool:
    """Adds what a clause says; whether it said anything."""
    start, until, ended, over, replaces = (each.match(clause) for each in (_START, _UNTIL, _ENDED, _OVER, _REPLACES))
    if start:
        said.starts.append(start[1])
    if until:
        said.until.append(until[2])
    if ended:
        said.ends.append(ended[1])
    elif over:
        said.over = f'it says "{clause}"'
    if replaces:
        said.replaces += _replaced(replaces[1])
    return any((start, until, ended, over, replaces))


def _replaced(text: str) -> list[str]:
    """What is named after `replaces`: dates, version numbers, files, or all that were earlier."""
    numbers = re.findall(r"\b(?:v|version\s)(\d+(?:\.\d+)*)\b", text)
    every = re.search(r"\b(?:all|any|every|the)\s+(?:earlier|previous|older)\b", text)
    return [*re.findall(_DATE, text), *numbers, *re.findall(r"[\w./-]+\.md\b", text), *([EARLIER] if every else [])]


def _sentences(text: str) -> list[str]:
    """The sentences of a text in small letters, without markup, headings and fenced code, their dates in ISO form."""
    text = re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^#.*$", "\n", text, flags=re.MULTILINE)
    return _SENTENCE.split(dates(fold(_MARKUP.sub(" ", _WRAPPED.sub(" ", text)))))
