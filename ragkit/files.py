"""Files that appear whole or not at all, tables as text, fingerprints."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ragkit.records import BadInput

csv.field_size_limit(1 << 30)  # a cell may be long; what is wrong with it is told by those who read it
ROOT = Path(__file__).resolve().parents[1]


def results() -> Path:
    """Where results go: `results/` of the project, or the folder in RAGKIT_RESULTS (verification and trial runs)."""
    return Path(os.path.abspath(os.environ.get("RAGKIT_RESULTS") or ROOT / "results"))


def cache() -> Path:
    """Where vectors and replies of models are kept: `cache/` of the results, or the folder in RAGKIT_CACHE, which a
    notebook on its stage has from the project, so that nothing is computed twice."""
    return Path(os.path.abspath(os.environ.get("RAGKIT_CACHE") or results() / "cache"))


def shown(path: str | Path) -> str:
    """A path as a person would type it: relative to the working folder where it lies below it."""
    try:
        return Path(os.path.abspath(path)).relative_to(Path.cwd()).as_posix()  # not resolved: a link may be a loop
    except ValueError:
        return Path(path).as_posix()


@contextlib.contextmanager
def reading(path: str | Path) -> Iterator[None]:
    """Turns whatever the file system objects to into one line with a remedy."""
    try:
        yield
    except FileNotFoundError:
        raise BadInput(f"{shown(path)}: no such file or folder; check the path") from None
    except PermissionError:
        raise BadInput(f"{shown(path)}: no permission to read it; allow it with chmod +r") from None
    except IsADirectoryError:
        raise BadInput(f"{shown(path)}: is a folder; name a file") from None
    except NotADirectoryError:
        raise BadInput(f"{shown(path)}: is a file; name a folder") from None
    except OSError as error:
        raise BadInput(f"{shown(path)}: {error.strerror or error}; name another path") from None


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file, a byte-order mark left off and line ends as `\\n`."""
    with reading(path):
        data = Path(path).read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = len(data[: error.start].replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"))
        raise BadInput(
            f"{shown(path)}:{line}: not UTF-8 (byte 0x{data[error.start]:02x}); save the file as UTF-8"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def write_text(path: str | Path, text: str) -> None:
    """Staged beside the target and renamed, so that a reader sees the old file or the new one, never a half."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | Path, data: bytes) -> None:
    """See `write_text`. A file that holds these bytes already is left alone."""
    path = Path(path)
    if path.is_dir():
        raise BadInput(f"{shown(path)}: is a folder; name a file")
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, staged = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(staged, 0o644)  # mkstemp gives 0600
        os.replace(staged, path)
    except BaseException:
        os.unlink(staged)
        raise


def table(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> str:
    """Rows as CSV text: LF line ends, floats with six decimals, None and nan as empty cells.

    >>> table([{"id": "q1", "score": 1.5}], ["id", "score"])
    'id,score\\nq1,1.500000\\n'
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([cell(row.get(column)) for column in columns] for row in rows)
    return out.getvalue()


def cell(value: object) -> str:
    """One value of a results table as text."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value + 0.0:.6f}" if isinstance(value, float) else str(value)  # + 0.0: there is no minus zero


def fingerprint(*parts: str | bytes) -> str:
    """A short hash over the parts in order.

    >>> fingerprint("a", "b") == fingerprint("ab")
    False
    """
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:16]


def fingerprint_files(paths: Iterable[str | Path]) -> str:
    """The fingerprint of files by name and content, in the order of their names; times do not count."""
    ordered = sorted(Path(path) for path in paths)
    return fingerprint(*(part for path in ordered for part in (path.name, path.read_bytes())))
