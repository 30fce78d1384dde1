"""One HTML file for a person to read: summary and tables, then the notebooks as executed, then what it all came from.

It needs no script, no font and no other file. HTML and formulas in the prose of notebooks are shown as they are typed.
"""

from __future__ import annotations

import base64
import mimetypes
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from markupsafe import Markup, escape

from ragkit.files import shown, write_text
from ragkit.ipynb import FAILED, Run, dumps, joined, read

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token
    from nbconvert.exporters.html import HTMLExporter

TEMPLATES = Path(__file__).parent / "templates"
WRAP = 32  # letters of a cell above which its column may wrap
NUMBER = re.compile(r"[-+−]?[\d.,]+(?: ?%)?|\d+/\d+(?: \([\d–-]+ %\))?|n/a(?: \(.*\))?|–|")


@dataclass(frozen=True, slots=True)
class Mark:
    """A table cell that stands out; `kind` is good, bad or soft. The text must tell as much as the colour."""

    text: str
    kind: str = "soft"


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
    text: str = ""


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


class Anchors:
    """Names for the places of one page; a second one of the same name gets a number."""

    def __init__(self) -> None:
        self._used: set[str] = {"main"}

    def new(self, *names: str) -> str:
        """
        >>> anchors = Anchors()
        >>> anchors.new("Two bands"), anchors.new("Two bands!")
        ('two-bands', 'two-bands-2')
        """
        wanted = anchor = "--".join(slug(name) for name in names)
        number = 1
        while anchor in self._used:
            number += 1
            anchor = f"{wanted}-{number}"
        self._used.add(anchor)
        return anchor


def slug(text: str) -> str:
    """What Jupyter and GitHub make of a heading, in one spelling.

    >>> slug("What a `Floor` does") == slug("What-a-Floor-does")
    True
    """
    return re.sub(r"[^\w]+", "-", text.lower()).strip("-") or "part"


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


class Prose:
    """Renders the Markdown of one notebook: headings a level down, with own anchors, and pictures put into the page."""

    def __init__(self, notebook: Path, places: Mapping[str, str], anchors: Anchors) -> None:
        self.notebook, self.places, self.anchors = notebook, places, anchors
        self.parts: list[tuple[str, str]] = []
        self._reader = _markdown()

    def __call__(self, source: str) -> str:
        """One text as HTML."""
        tokens = self._reader.parse(source)
        for token, inline in zip(tokens, [*tokens[1:], None], strict=True):
            if token.type == "heading_open" and inline is not None:
                self._heading(token, inline)
            elif token.type == "heading_close":
                token.tag = _lower(token.tag)
        for token in tokens:
            for child in token.children or ():
                if child.type in REWRITE:
                    REWRITE[child.type](self, child)
        return self._reader.renderer.render(tokens, self._reader.options, {})

    def _heading(self, token: Token, inline: Token) -> None:
        name = "".join(child.content for child in inline.children or ())
        anchor = self.anchors.new(self.notebook.stem, name)
        token.attrSet("id", anchor)
        if token.tag == "h2":
            self.parts.append((anchor, name))
        token.tag = _lower(token.tag)

    def link(self, token: Token) -> None:
        """Links within a notebook and to another one stay in the page."""
        target = str(token.attrGet("href"))
        if target.startswith("#"):
            token.attrSet("href", f"#{slug(self.notebook.stem)}--{slug(unquote(target))}")
        elif Path(target).name in self.places and "://" not in target:
            token.attrSet("href", f"#{self.places[Path(target).name]}")

    def image(self, token: Token) -> None:
        """A picture beside the notebook goes into the page; from elsewhere only its description is shown."""
        source = str(token.attrGet("src"))
        picture = self.notebook.parent / unquote(source)
        if source.startswith("data:"):
            return
        if "://" not in source and picture.is_file():
            kind = mimetypes.guess_type(picture.name)[0] or "image/png"
            token.attrSet("src", f"data:{kind};base64,{base64.b64encode(picture.read_bytes()).decode()}")
        else:
            token.type, token.tag, token.content = "html_inline", "", f"<em>{escape(token.content)}</em>"


REWRITE: dict[str, Callable[[Prose, Token], None]] = {"link_open": Prose.link, "image": Prose.image}


def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def _lower(tag: str) -> str:
    """
    >>> _lower("h2"), _lower("h6")
    ('h3', 'h6')
    """
    return f"h{min(int(tag[1]) + 1, 6)}"
