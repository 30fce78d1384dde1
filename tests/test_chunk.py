"""Chunks rebuild their file, and cut nothing that belongs together."""

from __future__ import annotations

import re

import build
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit import corpus
from ragkit.chunk import Headings, Left, Windows, blocks, names, outline, slug
from ragkit.records import BadInput, Chunk, Document

# Files: any lines at all, and blocks as people write them

WORDS = st.lists(st.sampled_from(["pay", "KL-40", "#7", "a|b", "30%", "é", "ends."]), min_size=1, max_size=9).map(
    " ".join
)
TITLES = st.sampled_from(["Pay", "Leave", "Pay 1", "Pay-1", "`code` & more", "!", "Größe", "KX-Code"])
FENCE = "```sh\n# no heading\n## nor this\n\n| no | table |\n```"
TABLE = "| Part | Price |\n|---|---:|\n" + "\n".join(f"| K-{n} | {n}00 |" for n in range(1, 9))
BLOCKS = st.one_of(
    WORDS,
    st.builds(lambda level, title: f"{'#' * level} {title}", st.integers(1, 6), TITLES),
    st.builds(lambda title, mark: f"{title}\n{mark * 4}", TITLES, st.sampled_from("=-")),
    st.builds("\n".join, st.lists(WORDS, min_size=2, max_size=3)),
    st.builds(lambda items: "\n".join(f"- {item}" for item in items), st.lists(WORDS, min_size=1, max_size=4)),
    st.sampled_from(
        [FENCE, TABLE, "<!--\n## hidden\n-->", "***", "> # quoted", "1. one\n   # in an item", "    # code"]
    ),
)
FILES = st.builds(
    lambda front, blocks, end: front + "\n\n".join(blocks) + end,
    st.sampled_from(["", "---\ntitle: x\n# y\n---\n", "\n\n"]),
    st.lists(BLOCKS, max_size=12),
    st.sampled_from(["", "\n", "\n\n \n"]),
)
NOISE = st.text("#-=|>*`~_1. \tab\n", max_size=120)
CAPS = st.sampled_from([1, 40, 200, 1800])


def cut(text: str, cap: int = 1800) -> tuple[list[Chunk], list[Left]]:
    return Headings(cap).on(Document("a.md", text))


def numbered(text: str, low: int, high: int) -> set[int]:
    """The lines of a file from low to high that are not blank."""
    return {n for n, line in enumerate(text.split("\n"), 1) if low <= n <= high and line.strip()}


def headings(text: str) -> set[int]:
    return {n for s in outline(Document("a.md", text)) for n in numbered(text, s.lines[0], s.body - 1)}


@given(FILES | NOISE, CAPS)
def test_every_line_stands_in_one_chunk_or_in_a_row_that_says_why_not(text: str, cap: int) -> None:
    chunks, left = cut(text, cap)
    held = [n for part in (*left, *chunks) for n in numbered(text, *part.lines)]
    assert sorted(held) == sorted(numbered(text, 1, len(text)))


@given(FILES | NOISE, CAPS)
def test_the_texts_of_the_chunks_and_the_headings_rebuild_the_file(text: str, cap: int) -> None:
    chunks, left = cut(text, cap)
    lines = text.split("\n")
    rebuilt = {n: lines[n - 1] for n in headings(text) | {n for row in left for n in numbered(text, *row.lines)}}
    for chunk in chunks:
        rebuilt |= {n: line for n, line in enumerate(chunk.text.split("\n"), chunk.line) if line.strip()}
    assert rebuilt == {n: line for n, line in enumerate(lines, 1) if line.strip()}


@given(FILES | NOISE, CAPS)
def test_the_ids_of_a_file_are_unique(text: str, cap: int) -> None:
    ids = [chunk.id for chunk in cut(text, cap)[0]]
    assert len(ids) == len(set(ids))


@given(FILES | NOISE, CAPS)
def test_every_section_belongs_to_a_chunk(text: str, cap: int) -> None:
    held = [section for chunk in cut(text, cap)[0] for section in chunk.sections]
    named = names(Document("a.md", text))
    assert set(held) | {"a.md"} == set(named)
    assert len(named) == len(set(named))


@given(FILES, CAPS)
def test_no_table_row_and_no_fence_is_cut(text: str, cap: int) -> None:
    texts = [chunk.text for chunk in cut(text, cap)[0]]
    assert sum(text.count(FENCE) for text in texts) == text.count(FENCE)
    for row in TABLE.split("\n")[2:]:
        assert sum(text.split("\n").count(row) for text in texts) == text.split("\n").count(row)


@given(FILES, CAPS)
def test_a_piece_with_rows_has_their_header_above_them(text: str, cap: int) -> None:
    header, rule, *rows = TABLE.split("\n")
    for chunk in cut(text, cap)[0]:
        lines = f"{chunk.lead}\n{chunk.text}".split("\n")
        first = next((n for n, line in enumerate(lines) if line in rows), 0)
        assert not first or lines[first - 2 : first] == [header, rule] or chunk.lead == f"{header}\n{rule}"


@given(FILES, CAPS)
def test_a_lead_is_given_only_to_the_later_rows_of_a_table(text: str, cap: int) -> None:
    for chunk in cut(text, cap)[0]:
        assert not chunk.lead or chunk.text.split("\n")[0] in TABLE.split("\n")[3:]


@given(FILES, CAPS)
def test_no_piece_of_a_section_with_text_is_empty(text: str, cap: int) -> None:
    chunks, _ = cut(text, cap)
    split = {chunk.id.partition("~")[0] for chunk in chunks if "~" in chunk.id}
    assert [chunk.id for chunk in chunks if chunk.id.partition("~")[0] in split and not chunk.text.strip()] == []


def test_a_section_up_to_the_cap_stays_whole() -> None:
    text = "one two\n\nthree"
    assert [len(cut(f"# A\n\n{text}", cap)[0]) for cap in (len(text), len(text) - 1)] == [1, 2]


def test_a_section_is_split_between_its_blocks() -> None:
    chunks, _ = cut("# A\n\none two three\n\n- four\n- five\n\nsix seven eight", 15)
    assert [chunk.text for chunk in chunks] == ["one two three", "- four\n- five", "six seven eight"]


@pytest.mark.parametrize("cap", [1, 40, 60])
def test_the_header_of_a_second_table_is_not_its_own_lead(cap: int) -> None:
    chunks, _ = cut(f"{TABLE}\n\n{TABLE}", cap)
    assert [chunk.lead for chunk in chunks if chunk.text.startswith("| Part")] == ["", ""]


def test_a_first_block_longer_than_the_cap_leaves_no_empty_piece() -> None:
    chunks, _ = cut("# A\n\none two three four\n\nfive", 10)
    assert [(chunk.id, chunk.text) for chunk in chunks] == [("a.md#a", "one two three four"), ("a.md#a~2", "five")]


def test_pieces_keep_path_and_section() -> None:
    chunks, _ = cut("# A\n## B\n\none two\n\nthree", 5)
    assert [chunk.path for chunk in chunks] == [("A", "B")] * 2
    assert [chunk.sections for chunk in chunks] == [("a.md#a", "a.md#b"), ("a.md#b",)]


# Headings


def test_a_chunk_runs_from_its_heading_to_the_next() -> None:
    chunks, _ = cut("above\n# A\none\n\n## B\n\ntwo\n# C\nthree")
    assert [(chunk.id, chunk.lines, chunk.line, chunk.text) for chunk in chunks] == [
        ("a.md", (1, 1), 1, "above"),
        ("a.md#a", (2, 4), 3, "one"),
        ("a.md#b", (5, 7), 7, "two"),
        ("a.md#c", (8, 9), 9, "three"),
    ]


def test_a_heading_above_deeper_ones_joins_the_first_of_them() -> None:
    chunks, _ = cut("# A\n\n## B\n\n### C\ntext\n### D\nmore")
    assert [(chunk.id, chunk.lines, chunk.sections) for chunk in chunks] == [
        ("a.md#c", (1, 6), ("a.md#a", "a.md#b", "a.md#c")),
        ("a.md#d", (7, 8), ("a.md#d",)),
    ]


def test_a_heading_without_text_gives_an_empty_chunk() -> None:
    chunks, _ = cut("# A\n## B\n## C\ntext")
    assert [(chunk.id, chunk.text) for chunk in chunks] == [("a.md#b", ""), ("a.md#c", "text")]


@pytest.mark.parametrize("text", ["", "\n", " \n\t\n"])
def test_a_blank_file_gives_no_chunk(text: str) -> None:
    assert cut(text) == ([], [])


@pytest.mark.parametrize("body", ["", "\n\n", "text", "# A\ntext"])
def test_front_matter_is_left_out_and_says_so(body: str) -> None:
    assert cut(f"---\ntitle: x\n---\n{body}")[1] == [Left("a.md", (1, 3), "front matter")]


def test_looking_at_the_blocks_of_a_chunk_changes_nothing_for_the_next_file() -> None:
    list(blocks(Chunk("x", "a.md", "---\nOne\n\n---\n")))
    assert cut("---\ntitle: x\n---\ntext")[1] == [Left("a.md", (1, 3), "front matter")]


def test_a_rule_below_text_is_no_front_matter() -> None:
    assert cut("text\n\n---\nkey: x\n\n---\n")[1] == []


@pytest.mark.parametrize(
    ("markdown", "path"),
    [
        ("# Trailing ##", "Trailing"),
        ("#\tTab", "Tab"),
        ("Setext\n===", "Setext"),
        ("# `code` and *stars*", "code and stars"),
        ("# A [link](x.md)", "A link"),
        ("# A &amp; B", "A & B"),
        ("# Rates <a name='rates'></a>", "Rates"),
        ("# C\\#", "C#"),
    ],
)
def test_the_title_of_a_heading_is_its_words(markdown: str, path: str) -> None:
    assert outline(Document("a.md", f"{markdown}\n\ntext"))[0].path == (path,)


@pytest.mark.parametrize("line", ["#No space", "####### Seven", "\\# Escaped", "    # Code", "> # Quoted", "- # Item"])
def test_what_is_no_heading_of_the_page(line: str) -> None:
    assert [section.path for section in outline(Document("a.md", f"{line}\n\ntext"))] == [()]


# What GitHub makes of these titles (github-slugger's fixtures and html-pipeline's rule)

GITHUB = {
    "Annual leave": "annual-leave",
    "Cut-off times": "cut-off-times",
    "What's new?": "whats-new",
    "KX-Code & co.": "kx-code--co",
    "Under_score": "under_score",
    "en\u2013dash": "endash",
    "😄 emoji": "-emoji",
    "I ♥ unicode": "i--unicode",
    "Привет 你好": "привет-你好",
    "Größe": "größe",
    "cafe\u0301": "cafe\u0301",
    "1.2 Setup (a/b)": "12-setup-ab",
    "!": "",
}


@pytest.mark.parametrize("title", GITHUB)
def test_an_anchor_is_the_one_that_github_gives(title: str) -> None:
    assert slug(title) == GITHUB[title]


@pytest.mark.parametrize(
    ("titles", "anchors"),
    [
        (["Pay", "Pay", "Pay"], ["pay", "pay-1", "pay-2"]),
        (["Pay", "Pay", "Pay 1"], ["pay", "pay-1", "pay-1-1"]),
        (["Pay 1", "Pay", "Pay"], ["pay-1", "pay", "pay-2"]),
        (["!", "?"], ["", "-1"]),
    ],
)
def test_a_repeated_title_is_numbered_as_on_github(titles: list[str], anchors: list[str]) -> None:
    text = "\n".join(f"# {title}\ntext" for title in titles)
    assert [section.anchor for section in outline(Document("a.md", text))] == anchors


# Windows

SIZES = st.integers(1, 12)
OVERLAPS = st.integers(0, 15)
TEXTS = st.lists(st.sampled_from(["a", "bb", "c.", "\n", "\n\n", "# H\n"]), max_size=40).map(" ".join)


def windows(text: str, size: int, overlap: int) -> list[Chunk]:
    return Windows(size, overlap).on(Document("a.md", text))[0]


@given(TEXTS, SIZES, OVERLAPS)
def test_windows_share_exactly_the_overlap_and_lose_no_word(text: str, size: int, overlap: int) -> None:
    cut = [chunk.text.split() for chunk in windows(text, size, overlap)]
    shared = min(overlap, size - 1)
    assert sum(([*words] if n == 0 else words[shared:] for n, words in enumerate(cut)), []) == text.split()
    assert all(a[len(a) - shared :] == b[:shared] for a, b in zip(cut, cut[1:], strict=False))


@given(TEXTS, SIZES, OVERLAPS)
def test_every_window_but_the_last_is_full_and_the_last_adds_a_word(text: str, size: int, overlap: int) -> None:
    sizes = [len(chunk.text.split()) for chunk in windows(text, size, overlap)]
    assert set(sizes[:-1]) <= {size}
    assert len(sizes) < 2 or min(overlap, size - 1) < sizes[-1] <= size


@given(TEXTS, SIZES, OVERLAPS)
def test_a_window_stands_to_the_letter_on_its_lines(text: str, size: int, overlap: int) -> None:
    lines = text.split("\n")
    for chunk in windows(text, size, overlap):
        low, high = chunk.lines
        assert chunk.text in "\n".join(lines[low - 1 : high]) and chunk.line == low
        assert lines[low - 1].endswith(chunk.text.split("\n")[0]) or low == high


@pytest.mark.parametrize(
    ("size", "sections"),
    [(50, [("a.md#a", "a.md#b")]), (3, [("a.md#a",), ("a.md#b",)]), (4, [("a.md#a", "a.md#b"), ("a.md#b",)])],
)
def test_a_window_names_every_section_it_holds_text_of(size: int, sections: list[tuple[str, ...]]) -> None:
    assert [chunk.sections for chunk in windows("# A\none\n# B\ntwo", size, 0)] == sections


def test_a_window_has_the_path_of_its_first_section() -> None:
    assert [chunk.path for chunk in windows("# A\none\n# B\ntwo", 4, 0)] == [("A",), ("B",)]


@pytest.mark.parametrize("choice", [(Windows, 0, 0), (Windows, 5, -1), (Headings, 0)])
def test_a_size_that_can_not_be_is_bad_input(choice: tuple) -> None:
    with pytest.raises(BadInput, match="at least"):
        choice[0](*choice[1:])


# The documents of the project


@pytest.mark.parametrize("document", corpus.read(build.KESTREL).documents, ids=lambda document: document.file)
def test_the_kestrel_documents_are_rebuilt(document: Document) -> None:
    chunks, left = Headings().on(document)
    held = "".join(re.sub(r"\s", "", chunk.text) for chunk in chunks)
    out = {*headings(document.text), *(n for row in left for n in range(row.lines[0], row.lines[1] + 1))}
    lines = [line for n, line in enumerate(document.text.split("\n"), 1) if n not in out]
    assert held == re.sub(r"\s", "", "".join(lines))
    assert [row.why for row in left] == ["front matter"] * bool(corpus.front(document))


def test_a_section_below_the_least_is_left_out_and_listed() -> None:
    document = Document("a.md", "# A\n\nShort.\n\n## B\n\n" + "Long enough to stay. " * 5)
    chunks, left = Headings(least=80).on(document)
    assert [chunk.id for chunk in chunks] == ["a.md#b"]
    assert [(row.lines, row.why) for row in left] == [((1, 4), "shorter than 80 characters")]
    assert len(Headings().on(document)[0]) == 2
