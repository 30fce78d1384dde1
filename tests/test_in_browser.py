"""The script of a page, run by a real browser: tables sort and filter, nothing else changes, phones scroll no page."""

from __future__ import annotations

import html as entities
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ragkit import publish
from ragkit.publish import Card, Mark, Quoted, Section, Side, Table

NAMES = (os.environ.get("RAGKIT_BROWSER") or "", "chromium", "chromium-browser", "google-chrome")
BROWSER = next((found for name in NAMES if name and (found := shutil.which(name))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium; install it or name one in RAGKIT_BROWSER")

QUIET = ("disable-gpu", "disable-quic", "no-first-run", "disable-background-networking", "disable-component-update",
         "disable-sync", "no-sandbox")  # fmt: skip
ROWS = [
    (
        f"k{n:02d}",
        f"{n * 7 % 12}/15 (1-30 %)",
        ("Plain", "mended")[n % 3 == 0],
        (n * 5 % 12 - 6) / 4,
        f"20260201T{n:02d}",
    )
    for n in range(12)
]
LONG = Table("Rows", ("row", "rate", "state", "gain", "date"), ROWS)
SHORT = Table("One", ("row", "rate"), [("a", 1)])
WIDE = Table("Wide", [f"column {n}" for n in range(30)], [[f"cell {n}" for n in range(30)]] * 2)
CARD = Card(
    Mark("broken", "bad"), "k1: why?", "q1", [Side("before", "answer", [Quoted("w" * 300, "a.md")]), Side("now", "no")]
)
LOOK = """
const column = n => [...document.querySelectorAll("table")[0].tBodies[0].rows]
  .filter(row => !row.hidden).map(row => row.cells[n].textContent);
const seen = {};
const press = n => heads()[n].querySelector("button").click();
const heads = () => [...document.querySelectorAll("table")[0].tHead.rows[0].cells];
const order = () => heads().map(head => head.getAttribute("aria-sort"));
const type = text => {
  const input = document.querySelector("input[type=search]");
  input.value = text; input.dispatchEvent(new Event("input"));
};
%s
document.body.setAttribute("data-seen", JSON.stringify(seen));
"""


@pytest.fixture
def page(tmp_path: Path) -> str:
    sections = [Section("Rows", tables=[LONG, SHORT, WIDE], cards=[CARD])]
    return publish.build(sections, [], tmp_path / "page.html").read_text("utf-8")


def seen(page: str, tmp_path: Path, code: str) -> dict[str, Any]:
    """What a script sees after the page's own has run."""
    place = tmp_path / "tried.html"
    place.write_text(page.replace("</body>", f"<script>{LOOK % code}</script></body>"), "utf-8")
    dom = _dom(place, tmp_path)
    found = re.search(r'data-seen="(.*?)"', dom)
    assert found, dom[-600:]
    return json.loads(entities.unescape(found[1]))


def _dom(place: Path, tmp_path: Path) -> str:
    options = [f"--{name}" for name in (*QUIET, f"user-data-dir={tmp_path / 'profile'}", "virtual-time-budget=5000")]
    command = [str(BROWSER), "--headless", *options, "--dump-dom", place.as_uri()]
    return subprocess.run(command, capture_output=True, timeout=120, check=True).stdout.decode("utf-8")


def test_a_table_sorts_by_number_and_back(page: str, tmp_path: Path) -> None:
    code = "press(1); seen.up = column(1); seen.marks = order(); press(1); seen.down = column(1); seen.back = order();"
    found = seen(page, tmp_path, code + "press(0); seen.names = column(0); seen.other = order();")
    rates = [f"{n}/15 (1-30 %)" for n in range(12)]
    assert (found["up"], found["down"]) == (rates, rates[::-1]), "10 comes after 9"
    assert (found["marks"][1], found["back"][1]) == ("ascending", "descending")
    assert found["names"] == [row[0] for row in ROWS] and found["other"] == ["ascending", *[None] * 4]


def test_shares_of_other_sizes_sort_by_value(tmp_path: Path) -> None:
    rates = ["1/2 (9-91 %)", "1/15 (1-30 %)", "2/17 (3-34 %)", "n/a (0 questions)"]
    table = Table("Rates", ("rate",), [(rate,) for rate in rates])
    html = publish.build([Section("x", tables=[table])], [], tmp_path / "page.html").read_text("utf-8")
    assert seen(html, tmp_path, "press(0); seen.up = column(0).slice(0, 3);")["up"] == [rates[n] for n in (1, 2, 0)]


def test_minus_and_decimals_count_and_a_date_is_no_number(page: str, tmp_path: Path) -> None:
    found = seen(page, tmp_path, "press(3); seen.gains = column(3); press(4); press(4); seen.dates = column(4);")
    assert found["gains"] == [f"{(n - 6) / 4:.3f}" for n in range(12)]
    assert found["dates"] == [row[4] for row in reversed(ROWS)]


def test_a_table_is_filtered_by_all_words_and_counted(page: str, tmp_path: Path) -> None:
    code = 'const told = () => document.querySelector(".filter output").textContent; seen.before = told();'
    code += 'type("MENDED"); seen.one = column(0); seen.told = told(); type("mended k03"); seen.two = column(0);'
    code += 'type("nothing"); seen.none = column(0); type("plain"); seen.plain = column(0).length;'
    found = seen(page, tmp_path, code + 'type(""); seen.all = column(0).length;')
    assert found["before"] == "12 of 12 rows" and found["told"] == "4 of 12 rows"
    assert (found["one"], found["two"], found["none"]) == (["k00", "k03", "k06", "k09"], ["k03"], [])
    assert (found["plain"], found["all"]) == (8, 12)


def test_short_tables_are_left_alone(page: str, tmp_path: Path) -> None:
    code = 'seen.filters = document.querySelectorAll(".filter").length;'
    code += 'seen.buttons = [...document.querySelectorAll("table")].map(t => t.querySelectorAll("button").length);'
    assert seen(page, tmp_path, code) == {"filters": 1, "buttons": [5, 0, 30]}


def test_no_text_is_lost_to_the_script(page: str, tmp_path: Path) -> None:
    code = 'seen.text = [...document.querySelectorAll("th, td, h3, p, blockquote")].map(e => e.textContent.trim());'
    with_script = seen(page, tmp_path, code)
    assert with_script == seen(re.sub(r"<script>.*?</script>", "", page, flags=re.S), tmp_path, code)


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_page_itself_never_scrolls_sideways(page: str, tmp_path: Path, width: int) -> None:
    frame = f'<body><iframe width="{width}" height="800" srcdoc="{entities.escape(page)}"></iframe></body>'
    code = 'window.onload = () => { const d = document.querySelector("iframe").contentDocument.documentElement;'
    code += "seen.over = d.scrollWidth - d.clientWidth; seen.wide = d.scrollWidth;"
    code += 'document.body.setAttribute("data-seen", JSON.stringify(seen)); };'
    found = seen(f"<!DOCTYPE html><html>{frame}</html>", tmp_path, code)
    assert found["over"] == 0 and width - 20 < found["wide"] <= width  # a bar may take its place
