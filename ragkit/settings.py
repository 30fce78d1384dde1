"""Settings from the environment or from the file `.env` at the project root; the environment wins."""

from __future__ import annotations

import os
import re

from ragkit.files import ROOT, read_text, shown
from ragkit.records import BadInput

FILE = ROOT / ".env"
LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")
QUOTED = re.compile(r"""(['"])(.*?)\1\s*(?:#.*)?""")


def setting(name: str) -> str:
    """The value under a name, spaces around it left off; empty when neither place has it.

    A variable that is set to nothing counts as set. BadInput when the file can not be read; it never repeats a value.
    """
    return (os.environ[name] if name in os.environ else _file().get(name, "")).strip()


def told(value: str) -> str:
    """An unknown value for a message: as it is where it may be a name, else not at all, since it may be a key."""
    return (
        value
        if re.fullmatch(r"[A-Za-z][a-z0-9_-]{0,19}(?: [a-z][a-z0-9_-]{0,19})?", value)
        else "(not told, it looks like no name)"
    )


def _file() -> dict[str, str]:
    try:
        if not FILE.is_file():
            return {}
    except OSError:  # a folder that may not be searched
        return {}
    return parsed(read_text(FILE), shown(FILE))


def parsed(text: str, place: str) -> dict[str, str]:
    """The values of lines `NAME=value`, with or without quotes; the last of a name counts. A
    comment begins with ` #`. BadInput for any other line, by its number.

    >>> parsed("# keys\\nexport ONE='a b'\\nTWO=c#d # e\\nTHREE=", ".env")
    {'ONE': 'a b', 'TWO': 'c#d', 'THREE': ''}
    """
    found: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = LINE.fullmatch(line.rstrip())
        value = match and _value(match[2])
        if match is None or value is None:
            raise BadInput(f"{place}:{number}: must be NAME=value, with quotes closed; mend the line")
        found[match[1]] = value
    return found


def _value(written: str) -> str | None:
    """A value without its quotes or the comment behind it; None when a quote is not closed."""
    if written[:1] in ("'", '"'):
        quoted = QUOTED.fullmatch(written)
        return quoted and quoted[2]
    return re.split(r"(?:^|\s)#", written)[0].strip()
