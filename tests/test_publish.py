"""The report is one file that needs nothing else, can be read by everyone, and shows what it was given in order."""

from __future__ import annotations

import doctest
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ragkit import publish
from ragkit.ipynb import FAILED, FRESH, Run
from ragkit.publish import Mark, Section, Table
from tests.toys import PIXEL, code, notebook, prose

ROW = ("q1", "What of <b>?", Mark("refused", "good"), 10.08)
REFUSALS = Table("Refusals", ("id", "question", "outcome", "score"), [ROW])
SUMMARY = Section("Summary", prose=["The gate is `coverage`."], facts=[("Backend", "bm25"), ("Must be refused", "5/6")])
ALT = 'A bar: q1 5.2, "q2" 12.0.'


class Page(HTMLParser):
    """Tags with their attributes, in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def all(self, *names: str) -> list[dict[str, str]]:
        return [attributes for tag, attributes in self.tags if tag in names]

    def values(self, attribute: str) -> list[str]:
        return [attributes[attribute] for _, attributes in self.tags if attribute in attributes]


@pytest.fixture
def toys(tmp_path: Path) -> list[Run]:
    shown = {"output_type": "display_data", "data": {"image/png": PIXEL, "text/plain": ALT}}
    figure = code("draw()", count=2, outputs=[shown | {"metadata": {"image/png": {"alt": ALT}}}])
    text = {"output_type": "stream", "name": "stdout", "text": 'a <i id="x"> & "b"\n'}
    frame = {"output_type": "execute_result", "execution_count": 1, "metadata": {}}
    frame["data"] = {"text/html": "<table class='dataframe'><tr><td>1</td></tr></table>", "text/plain": "1"}
    outside = (
        "![far](https://example.org/x.png) ![gone](gone.png) ![near](near.png)\n\n<img src='https://example.org/y'>"
    )
    (tmp_path / "near.png").write_bytes(b"picture")
    one = notebook(
        tmp_path / "01_one.ipynb",
        prose("# What `one` shows\n\nSee [two](02_two.ipynb) and [below](#What-it-means)."),
        code("top_k = 3  # hits", count=1, outputs=[frame, text]),
        prose("## What it means\n\n" + outside),
        figure,
        prose("## What it means\n\nAgain."),
    )
    two = notebook(tmp_path / "02_two.ipynb", prose("## What it means\n\nNo title."), code("x = 1", count=1))
    return [Run(one, FRESH), Run(two, FRESH)]


@pytest.fixture
def html(toys: list[Run], tmp_path: Path) -> str:
    sections = [SUMMARY, Section("Refusals", tables=[REFUSALS])]
    after = [Section("Fingerprints", tables=[Table("Inputs", ("what", "value"), [("corpus", "43fe < b")])])]
    return publish.build(sections, toys, tmp_path / "out" / "report.html", after=after).read_text("utf-8")


def test_the_order_is_summary_tables_notebooks_fingerprints(html: str) -> None:
    headings = re.findall(r"<h2>(.*?)</h2>", html)
    assert headings == ["Summary", "Refusals", "What one shows", "02_two", "Fingerprints"]
    first_table = html[html.index("<table") : html.index("</table>")]
    assert "<caption>Refusals</caption>" in first_table
    assert html.index("bm25") < html.index("<table")


def test_nothing_is_loaded_from_outside(html: str) -> None:
    page = Page(html)
    assert page.all("link", "iframe", "object", "embed", "base") == []
    assert page.all("script") == [{}], "one, in the page itself"
    assert [source for source in page.values("src") if not source.startswith("data:")] == []
    assert not re.search(r"url\(|@import|@font-face", html)
    assert [target for target in page.values("href") if "//" in target] == []
    assert "far</em>" in html and "gone</em>" in html, "a picture from elsewhere is told by its description"


def test_every_picture_has_its_alt_text_as_caption(html: str) -> None:
    pictures = Page(html).all("img")
    assert [picture["alt"] for picture in pictures] == ["near", ALT]
    assert html.count("<figcaption>") == html.count("<figure>") == 1
    assert "q2" in html[html.index("<figcaption>") : html.index("</figcaption>")]


def test_links_within_the_page_resolve_and_no_anchor_stands_twice(html: str) -> None:
    page = Page(html)
    anchors = page.values("id")
    assert len(anchors) == len(set(anchors))
    links = [target for target in page.values("href") if target.startswith("#")]
    assert {target[1:] for target in links} <= set(anchors)
    contents = Page(html[html.index("<nav") : html.index("</nav>")]).values("href")
    assert [target.lstrip("#") for target in contents] == [
        "summary", "refusals", "01_one", "01_one--what-it-means", "01_one--what-it-means-2",
        "02_two", "02_two--what-it-means", "fingerprints",
    ]  # fmt: skip
    assert 'href="#02_two">two</a>' in html and 'href="#01_one--what-it-means">below</a>' in html


def test_headings_go_down_one_by_one(html: str) -> None:
    levels = [int(tag[1]) for tag, _ in Page(html).tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert '<h3 id="01_one--what-it-means">What it means</h3>' in html
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:], strict=False))


def test_text_is_text_and_code_is_folded(html: str) -> None:
    assert "What of &lt;b&gt;?" in html and "43fe &lt; b" in html
    assert "a &lt;i id=" in html
    assert html.count('<details class="code">') == html.count("<summary>Code [") == 3
    assert '<span class="mark good">refused</span>' in html
    assert "<code>coverage</code>" in html
    assert html.count("<table") == html.count('<div class="scroll" tabindex="0"'), "wide tables scroll"


def test_numbers_stand_right_and_what_is_missing_is_shown(tmp_path: Path) -> None:
    rows = [("q1", "5/6 (44-97 %)", 0.25, None), ("q2", "0/0", float("nan"), 3)]
    table = Table("Rates", ("id", "rate", "value", "count"), rows)
    html = publish.build([Section("Rates", tables=[table])], [], tmp_path / "r.html").read_text("utf-8")
    assert re.findall(r"<td(.*?)>(.*?)</td>", html)[4:] == [
        ("", "q2"), (' class="number"', "0/0"), (' class="number"', "–"), (' class="number"', "3"),
    ]  # fmt: skip


def test_it_is_the_same_each_time(html: str, toys: list[Run], tmp_path: Path) -> None:
    again = publish.build([SUMMARY], toys, tmp_path / "a.html").read_bytes()
    assert publish.build([SUMMARY], toys, tmp_path / "b.html").read_bytes() == again


def test_a_failed_run_is_told_at_the_top_and_at_its_notebook(toys: list[Run], tmp_path: Path) -> None:
    failed = Run(toys[1].notebook, FAILED, "02_two.ipynb: cell [1]: ValueError: <no>")
    html = publish.build([SUMMARY], [toys[0], failed], tmp_path / "r.html").read_text("utf-8")
    assert html.index('role="alert"') < html.index("<h2>Summary")
    assert html.count("ValueError: &lt;no&gt;") == 2
    assert html.index("The newest run of this notebook failed") > html.index("<h2>02_two")


# --- contrast --------------------------------------------------------------------------------------------------------

PAIRS = {
    "text": ("page", "sheet", "soft"),
    "quiet": ("page", "sheet", "soft"),
    "accent": ("page", "sheet", "soft"),
    "good": ("good-soft", "sheet"),
    "bad": ("bad-soft", "sheet"),
    **dict.fromkeys(("keyword", "string", "number", "comment"), ("soft",)),
}


def palettes() -> Iterator[dict[str, str]]:
    """Light, dark and print; each builds on the light one."""
    css = (publish.TEMPLATES / "page.css").read_text("utf-8")
    light: dict[str, str] = {}
    for block in re.findall(r":root \{(.*?)\}", css, re.DOTALL):
        light = light or dict(re.findall(r"--([\w-]+): (#\w+)", block))
        yield light | dict(re.findall(r"--([\w-]+): (#\w+)", block))


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    parts = [int(digits[n : n + 2], 16) / 255 for n in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """
    >>> contrast("#000", "#ffffff")
    21.0
    """
    low, high = sorted((luminance(one), luminance(other)))
    return round((high + 0.05) / (low + 0.05), 2)


def test_contrast_is_enough_in_each_mode() -> None:
    found = list(palettes())
    assert len(found) == 3
    low = [
        (number, text, ground)
        for number, palette in enumerate(found)
        for text, grounds in PAIRS.items()
        for ground in grounds
        if contrast(palette[text], palette[ground]) < 4.5
    ]
    assert low == []


def test_examples_in_docstrings() -> None:
    assert doctest.testmod(publish).failed == 0
