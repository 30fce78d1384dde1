"""The prose of a notebook as HTML within a page: headings a level down, places with names, pictures put in."""

from __future__ import annotations

import base64
import mimetypes
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from markupsafe import escape

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


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
