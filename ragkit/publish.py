"""One HTML file for a person to read: summary and tables, then the notebooks as executed, then what it all came from.

It needs no font and no other file. A script in it sorts and filters its tables; without it nothing is missing. HTML and
formulas in the prose of notebooks are shown as they are typed.
"""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from ragkit.files import shown, write_text
from ragkit.ipynb import FAILED, Run, dumps, joined, read
from ragkit.prose import Anchors, Prose

if TYPE_CHECKING:
    from nbconvert.exporters.html import HTMLExporter

TEMPLATES = Path(__file__).parent / "templates"
WRAP = 32  # letters of a cell above which its column may wrap
NUMBER = re.compile(r"[-+−]?[\d.,]+(?: ?%)?|\d+/\d+(?: \([\d–-]+ %\))?|n/a(?: \(.*\))?|–|")


@dataclass(frozen=True, slots=True)
class Mark:
    """A text that stands out; `kind` is good, bad or soft. The text must tell as much as the colour."""

    text: str
    kind: str = "soft"


class Quoted(NamedTuple):
    """A passage, its place in words, and the address to open where there is one."""

    text: str
    place: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """One of two states of a thing: when, what it did, and the passages it quoted, each with its place."""

    title: str
    did: str
    quotes: Sequence[Quoted] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """A thing that changed, and its two states side by side."""

    mark: Mark
    title: str
    text: str
    sides: Sequence[Side]


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG, and a text that names its numbers."""

    png: bytes
    alt: str

    @property
    def source(self) -> str:
        """The picture as an address that holds it."""
        return f"data:image/png;base64,{base64.b64encode(self.png).decode()}"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text, numbers, rates or marks. Columns of numbers stand to the right."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report, shown in the order of its fields; in `prose` Markdown within a paragraph counts."""

    title: str
    prose: Sequence[str] = ()
    facts: Sequence[tuple[str, object]] = ()
    tables: Sequence[Table] = ()
    cards: Sequence[Card] = ()
    picture: Picture | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A section or a notebook as the page shows it, with its place in the contents."""

    title: str
    anchor: str
    section: Section | None = None
    file: str = ""
    failed: str = ""
    body: str = ""
    parts: list[tuple[str, str]] = field(default_factory=list)


def build(
    sections: Iterable[Section],
    notebooks: Iterable[Run],
    out: str | Path,
    *,
    after: Iterable[Section] = (),
    title: str = "ragkit report",
) -> Path:
    """Writes `sections`, the notebooks, the sections `after`. A failed run is told at the top and at its notebook."""
    anchors = Anchors()
    before = [Entry(section.title, anchors.new(section.title), section) for section in sections]
    shown_notebooks = _notebooks(notebooks, anchors)
    closing = [Entry(section.title, anchors.new(section.title), section) for section in after]
    page = _environment().get_template("page.html.j2")
    html = page.render(
        title=title,
        contents=[*before, *shown_notebooks, *closing],
        before=before,
        notebooks=shown_notebooks,
        after=closing,
        failed=[entry for entry in shown_notebooks if entry.failed],
    )
    write_text(out, html + "\n")
    return Path(out)


# --- tables ----------------------------------------------------------------------------------------------------------


def _environment() -> Any:  # noqa: ANN401 - jinja2 is imported late
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markdown_it import MarkdownIt

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    prose = MarkdownIt("commonmark", {"html": False})
    environment.filters.update(cell=_cell, inline=lambda text: Markup(prose.renderInline(text)))
    environment.globals["align"] = _align
    return environment


def _cell(value: object) -> Markup | str:
    if isinstance(value, Mark):
        return Markup('<span class="mark {}">{}</span>').format(value.kind, value.text)
    if value is None or value != value:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _align(table: Table, column: int) -> Markup:
    cells = (row[column] for row in table.rows)
    texts = [cell.text if isinstance(cell, Mark) else str(_cell(cell)) for cell in cells]
    if texts and all(NUMBER.fullmatch(text) for text in texts):
        return Markup(' class="number"')
    return Markup(' class="long"' if max(map(len, texts), default=0) > WRAP else "")


# --- notebooks -------------------------------------------------------------------------------------------------------


def _notebooks(runs: Iterable[Run], anchors: Anchors) -> list[Entry]:
    runs = list(runs)
    if not runs:
        return []
    places = {run.notebook.name: anchors.new(run.notebook.stem) for run in runs}
    exporter = _exporter()
    return [_notebook(run, places, anchors, exporter) for run in runs]


def _exporter() -> HTMLExporter:
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # see ragkit/stage.py
    from nbconvert.exporters.html import HTMLExporter

    return HTMLExporter(template_name="notebook", extra_template_basedirs=[str(TEMPLATES)])


def _notebook(run: Run, places: Mapping[str, str], anchors: Anchors, exporter: HTMLExporter) -> Entry:
    import nbformat

    notebook = read(run.notebook)
    title = _taken_title(notebook) or run.notebook.stem
    prose = Prose(run.notebook, places, anchors)
    exporter.register_filter("markdown2html", prose)
    body, _ = exporter.from_notebook_node(nbformat.reads(dumps(notebook), as_version=4))
    return Entry(
        title,
        places[run.notebook.name],
        file=shown(run.notebook),
        failed=run.message or "It failed." if run.status == FAILED else "",
        body=Markup(body),
        parts=prose.parts,
    )


def _taken_title(notebook: dict[str, Any]) -> str:
    """The heading that opens the notebook, taken out of it: the page sets it itself."""
    first = next(iter(notebook["cells"]), None)
    if first is None or first["cell_type"] != "markdown":
        return ""
    line, _, rest = joined(first["source"]).strip().partition("\n")
    if not line.startswith("# "):
        return ""
    first["source"] = rest
    return line[2:].strip().replace("`", "").replace("*", "")
