"""The page of two commits: what flipped stands first, with what each side cites; nothing is dropped."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from ragkit import pair_page, replay
from ragkit.commits import Commit
from ragkit.comparison import compare
from ragkit.history import Record
from ragkit.pair_page import MOST
from ragkit.records import ANSWER, ERROR, REFUSE, Answer, Chunk, Citation, Verdict
from ragkit.store import Store
from tests.pasts import record

QUESTION = "Is <b>this</b> told?"
LEAVE = Chunk("leave.md#annual", "leave.md", "25 days.", ("Leave", "Annual"))
CITED = Answer(QUESTION, ANSWER, "25 days.", (Citation(LEAVE, "25 days & more.", 9),))
REFUSED = Answer(QUESTION, REFUSE, verdict=Verdict("unknown-term", "word", "no document says word"))


def page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: Record, after: Record, said: Mapping[str, Answer]
) -> str:
    """The page as HTML; `said` is what each side, by its hash, answers to anything."""

    def asked(store: Store, commit: Commit, questions: list[replay.Question]) -> Mapping[replay.Question, Answer]:
        return {each: said[commit.sha[0]] for each in questions} if said else {}

    monkeypatch.setattr(pair_page, "_said", asked)
    questions = {
        ("kestrel", o.golden.id): QUESTION for side in (before, after) for run in side.runs.values() for o in run
    }
    store = Store(None, tmp_path / "kept")
    pair_page.write(tmp_path / "page.html", store, before, after, compare(before, after), questions)
    return (tmp_path / "page.html").read_text("utf-8")


def test_a_flip_has_what_each_side_cites_and_why_it_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = record({"y1": "a", "n1": "r"}), record({"y1": "r", "n1": "r"}, sha="b" * 40)
    html = page(tmp_path, monkeypatch, before, after, {"a": CITED, "b": REFUSED})
    card = html[html.index('<article class="card">') : html.index("</article>")]
    assert "broken</span> y1: Is &lt;b&gt;this&lt;/b&gt; told?" in card and "must be answered" in card
    assert "<blockquote>25 days &amp; more.</blockquote><figcaption>leave.md &gt; Leave &gt; Annual, line 9<" in card
    assert card.index("25 days") < card.index("refuse unknown-term (word): no document says word")
    assert html.count('<article class="card">') == 1
    assert "Of 2 rows compared, 1 broken and 0 mended." in html


@pytest.mark.parametrize(
    "url", ["https://example.org/leave?a=1&b='2'", "javascript:alert(1)", 'https://a"b', "leave.html"]
)
def test_a_passage_has_its_page_and_version_and_a_link_where_there_is_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    before, after = record({"y1": "a"}), record({"y1": "w"}, sha="b" * 40)
    chunk = replace(LEAVE, page=3, version="v<2>", url=url)
    cited = replace(CITED, citations=(Citation(chunk, "25 days.", 9),))
    html = page(tmp_path, monkeypatch, before, after, {"a": cited, "b": CITED})
    place = "<figcaption>leave.md &gt; Leave &gt; Annual, line 9, page 3, v&lt;2&gt;"
    escaped = "https://example.org/leave?a=1&amp;b=&#39;2&#39;"
    link = f', <a href="{escaped}" rel="noreferrer">{escaped}</a>' if "leave?" in url else ""
    assert f"{place}{link}</figcaption>" in html and "javascript:" not in html


def test_what_is_broken_stands_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = record({"y1": "r", "y2": "a", "y3": "w"})
    after = record({"y1": "a", "y2": "r", "y3": "r"}, sha="b" * 40)
    html = page(tmp_path, monkeypatch, before, after, {"a": CITED, "b": CITED})
    assert re.findall(r'<h3><span class="mark \w+">([\w ]+)</span> (\w+)', html) == [
        ("broken", "y2"), ("mended", "y1"), ("still fails", "y3"),
    ]  # fmt: skip


def test_a_commit_that_now_does_something_else_or_fails_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = record({"y1": "a"}), record({"y1": "r"}, sha="b" * 40)
    failed = Answer(QUESTION, ERROR, error="could not be asked again: no such system")
    html = page(tmp_path, monkeypatch, before, after, {"a": REFUSED, "b": failed})
    assert "answer (but asked again: refuse unknown-term)" in html
    assert "refuse unknown-term (word) (could not be asked again: no such system)" in html


def test_without_git_the_page_stands_without_passages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    html = page(tmp_path, monkeypatch, record({"y1": "a"}), record({"y1": "r"}, sha="b" * 40), {})
    assert "refuse unknown-term (word)" in html and "<blockquote>" not in html


def test_every_row_stands_in_the_table_and_what_can_not_be_compared_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = record({"y1": "a", "y2": "a", "y4": "r", "n2": "r"})
    after = record({"y1": "a", "y3": "a", "y4": "r", "n2": "a"}, sha="b" * 40, asked={"y1": "another"})
    html = page(tmp_path, monkeypatch, before, after, {"a": CITED, "b": CITED})
    rows = dict(re.findall(r'<tr><td>(\w+)</td><td><span class="mark \w+">([\w ]+)<', html))
    assert rows == {
        "y1": "not comparable", "y2": "not comparable", "y3": "not comparable", "y4": "fails", "n2": "broken",
    }  # fmt: skip
    assert '<td>y2</td><td class="long">is missing after</td>' in html


def test_a_long_list_of_flips_is_cut_and_that_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"y{n}" for n in range(MOST + 3)]
    before, after = record(dict.fromkeys(names, "a")), record(dict.fromkeys(names, "r"), sha="b" * 40)
    html = page(tmp_path, monkeypatch, before, after, {"a": CITED, "b": REFUSED})
    assert html.count('<article class="card">') == MOST and f"The first {MOST} of {MOST + 3}" in html


def test_what_is_shown_is_what_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row that broke stands last in the file and first on the page."""
    names = [f"y{n}" for n in range(MOST)]
    before = record(dict.fromkeys(names, "r") | {"yz": "a"})
    after = record(dict.fromkeys(names, "a") | {"yz": "r"}, sha="b" * 40)
    pairs = compare(before, after)
    asked = pair_page._wanted(pairs, {("kestrel", name): name for name in [*names, "yz"]})
    assert len(asked) == MOST and asked[0][2] == "yz"


def test_without_a_flip_there_is_no_list_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    same = record({"y1": "a"}), record({"y1": "a"}, sha="b" * 40, lock="1")
    html = page(tmp_path, monkeypatch, *same, {})
    assert "Rows that flipped" not in html and "Between the two: other packages." in html


def test_a_tree_that_was_not_its_commit_is_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    html = page(tmp_path, monkeypatch, record({"y1": "a"}), record({"y1": "a"}, sha="b" * 40, dirty=True), {})
    assert "<title>ragkit: aaaaaaaaaaaa to bbbbbbbbbbbb*</title>" in html


def test_the_trend_is_drawn_as_soon_as_there_are_two_commits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = record({"y1": "a", "n1": "r"}), record({"y1": "r", "n1": "r"}, sha="b" * 40)
    Store(None, tmp_path / "kept").keep([before])
    html = page(tmp_path, monkeypatch, before, after, {})
    assert "Trend" in html and "<img" not in html
    Store(None, tmp_path / "kept").keep([before, after])
    html = page(tmp_path, monkeypatch, before, after, {})
    assert html.count("<img") == 1 and "false refusals of passage 0/1 at aaaaaaaaaaaa to 1/1 at bbbbbbbbbbbb" in html
