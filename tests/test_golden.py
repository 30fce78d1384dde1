"""Golden files are read to the letter or refused with one line."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from ragkit import golden
from ragkit.records import BadInput, Golden

HEAD = "id,question,answerable,answer,source,category\n"
FULL = "id,question,answerable,answer,source,category,version,concept,facts,forbidden,must,rater2,note\n"
ROW = "q1,How long?,true,25 days,leave.md,plain\n"
SECTIONS = ["leave.md", "leave.md#leave", "leave.md#carry-over", "shipping.md", "shipping.md#rates"]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "g.csv"


def saved(file: Path, content: str | bytes) -> Path:
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def refused(file: Path, content: str | bytes, **options: object) -> str:
    with pytest.raises(BadInput) as caught:
        golden.read(saved(file, content), **options)
    message = str(caught.value)
    assert "\n" not in message and "; " in message
    return message


def test_examples() -> None:
    assert doctest.testmod(golden).failed == 0


def test_every_column_lands_in_its_field(file: Path) -> None:
    row = "q1,How long?,true,25 days,leave.md;a.md#b,plain,v2,leave|holiday,25 days|5 years,30 days,true,false,why\n"
    assert golden.read(saved(file, FULL + row)) == [
        Golden(
            id="q1",
            question="How long?",
            answerable=True,
            answer="25 days",
            sources=("leave.md", "a.md#b"),
            category="plain",
            version="v2",
            concepts=("leave", "holiday"),
            facts=("25 days", "5 years"),
            forbidden=("30 days",),
            must=True,
            rater2=False,
            note="why",
        )
    ]


def test_the_six_needed_columns_are_enough(file: Path) -> None:
    assert golden.read(saved(file, HEAD + "q1,Who?,false,,,\n")) == [Golden("q1", "Who?", False)]


def test_an_answerable_row_may_have_no_source(file: Path) -> None:
    assert golden.read(saved(file, HEAD + "q1,Who?,true,Ada,,\n"), sections=SECTIONS)[0].sources == ()


# c14: words that a table reader takes for missing

MISSING = ["NA", "None", "null", "n/a", "nan", "No", "True", "007", "1e5", "-", "=1+1", " ", ""]


@pytest.mark.parametrize("word", MISSING)
def test_a_word_that_reads_as_missing_stays_text(file: Path, word: str) -> None:
    content = FULL + f"007,Why?,true,{word},,{word},{word},,,,,,{word}\n"
    (row,) = golden.read(saved(file, content))
    assert (row.id, row.answer, row.category, row.version, row.note) == ("007", word, word, word, word)
    golden.write(file, [row], columns=golden.header(file))
    assert file.read_text().replace(",false,,", ",,,") == content  # an empty `must` is written as false


# c15: what a spreadsheet makes of a file

PLAIN = (
    "id,question,answerable,answer,source,category\n"
    '01,"What says the note; ""signed""?",true,"Mill Lane 4\nArdmore",,\n'
    '02,How long?,true,"2,5 m",,\n03,Isn’t there a café?,false,,,\n'
)


@pytest.mark.parametrize("content", ["\ufeff" + PLAIN, PLAIN.replace("\n", "\r\n"), PLAIN.replace("\n", "\r")])
def test_marks_and_line_ends_of_other_systems_change_nothing(file: Path, content: str) -> None:
    rows = golden.read(saved(file, content))
    assert [row.id for row in rows] == ["01", "02", "03"]
    assert rows[0].answer == "Mill Lane 4\nArdmore" and rows[0].question == 'What says the note; "signed"?'
    golden.write(file, rows)
    assert file.read_bytes() == PLAIN.encode()


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize(("separator", "name"), [(";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")])
def test_another_separator_is_named(file: Path, separator: str, name: str, quote: str) -> None:
    columns = [f"{quote}{column}{quote}" for column in HEAD.strip().split(",")]
    message = refused(file, "\ufeff" + separator.join(columns) + f"\nq1{separator}Who, me?\n")
    assert message == f"g.csv:1: separated by {name}; save it with commas"


def test_another_separator_is_named_before_columns_are(file: Path) -> None:
    assert "separated by semicolons" in refused(file, "id;question;answerable;expected_answer\n1;a, b;yes;c\n")


def test_a_local_encoding_is_refused(file: Path) -> None:
    assert refused(file, PLAIN.encode("cp1252")).startswith("g.csv:5: not UTF-8 (byte 0x92); ")


def test_a_byte_exact_round_trip_keeps_columns_and_their_order(file: Path) -> None:
    content = (
        "note,must,id,question,answerable,answer,source,category,facts,concept,forbidden,rater2,version\n"
        ",false,q1,A?,true,x,b.md;a.md,c,25|5,dog|pet,no|none,true,v1\n"
        '"a, b",true,q2,B?,false,,,c,,,,false,\n'
        ",false,q3,C?,false,,,,,,,,\n"
    )
    rows = golden.read(saved(file, content))
    golden.write(file, rows, columns=golden.header(file))
    assert file.read_text() == content


def test_what_is_normalised(file: Path) -> None:
    rows = golden.read(saved(file, FULL + '"q1",A?,true,x,a.md ; b.md;,"c",,,25 | 5|,,,,\n\n'))
    golden.write(file, rows)
    assert file.read_text() == "id,question,answerable,answer,source,category,facts\nq1,A?,true,x,a.md;b.md,c,25|5\n"


# Bad input, a line each

BAD = {
    "empty file": ("", "g.csv:1: the file is empty"),
    "blank file": ("\n \n", "g.csv:1: the file is empty"),
    "no rows": (HEAD, "g.csv:1: no rows below the header"),
    "missing column": ("id,question,answerable,answer,source\nq1,A?,true,x,\n", "g.csv:1: no column 'category'"),
    "unknown column": (HEAD.strip() + ",colour\n", "g.csv:1: unknown column 'colour'; the columns are id,question,"),
    "misspelt column": (HEAD.replace("answer,", "anwser,"), "'anwser' (did you mean 'answer'?)"),
    "other case": (HEAD.replace("id", "ID"), "'ID' (did you mean 'id'?)"),
    "nameless column": (HEAD.strip() + ",\n", "g.csv:1: column 7 has no name"),
    "duplicate column": (HEAD.strip() + ",source\n", "g.csv:1: column 'source' stands 2 times"),
    "duplicate id": (HEAD + ROW + ROW, "g.csv:3: id 'q1' stands in an earlier row too"),
    "empty id": (HEAD + ROW.replace("q1", " "), "g.csv:2: id is empty"),
    "empty question": (HEAD + ROW.replace("How long?", ""), "g.csv:2: question is empty"),
    "answerable": (HEAD + ROW.replace("true", "maybe"), "answerable must be true or false, is 'maybe'; write true or"),
    "spreadsheet": (HEAD + ROW.replace("true", "TRUE"), "must be true or false, is 'TRUE'; write it in small letters"),
    "FALSE": (HEAD + ROW.replace("true", "FALSE"), "must be true or false, is 'FALSE'; write it in small letters"),
    "must": (FULL + ROW.strip() + ",,,,,yes,,\n", "g.csv:2: must must be true or false, is 'yes'"),
    "rater2": (FULL + ROW.strip() + ",,,,,,?,\n", "g.csv:2: rater2 must be true or false, is '?'"),
    "too few cells": (HEAD + "q1,A?,true\n", "g.csv:2: 3 cells where the header has 6"),
    "too many cells": (HEAD + ROW.strip() + ",x\n", "g.csv:2: 7 cells where the header has 6"),
    "open quotation mark": (
        HEAD + ROW + '"q2,A?,true,x,,\nq3,B?,true,x,,\n',
        "g.csv:3: the quotation marks do not pair",
    ),
    "stray quotation mark": (HEAD + '"q1"x,A?,true,x,,\n', "g.csv:2: the quotation marks do not pair"),
    "NUL": (HEAD + ROW.replace("25", "2\0"), "g.csv:2: holds a NUL byte"),
    "UTF-16": (HEAD.encode("utf-16"), "g.csv:1: not UTF-8"),
    "sep line": ("sep=,\n" + HEAD + ROW, "g.csv:1: begins with a spreadsheet's 'sep=' line"),
    "reserved category": (HEAD + ROW.replace("plain", "all"), "g.csv:2: category 'all'"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line_with_place_and_remedy(file: Path, name: str) -> None:
    content, said = BAD[name]
    assert said in refused(file, content)


def test_a_message_names_the_line_where_a_row_begins(file: Path) -> None:
    content = HEAD + 'q1,A?,true,"one\ntwo\n\nthree",,\n\nq2,"B\nC?",maybe,x,,\n'
    assert refused(file, content).startswith("g.csv:7: answerable")


def test_the_header_may_stand_below_blank_lines(file: Path) -> None:
    assert golden.read(saved(file, "\n" + HEAD + ROW))[0].id == "q1"
    assert refused(file, "\n" + HEAD + ROW.replace("true", "x")).startswith("g.csv:3:")


def test_no_such_file(file: Path) -> None:
    with pytest.raises(BadInput, match="g.csv: no such file"):
        golden.read(file)


# Sources

SOURCES = {
    "leave.md#carry-ovr": "the nearest is 'leave.md#carry-over'",
    "leave.md#xyz": "the nearest is 'leave.md#leave'",
    "shiping.md": "the nearest is 'shipping.md'",
    "leave.md#" + 40 * "q": "the nearest is 'leave.md'",
    "qqqq": "use a file.md or file.md#anchor of the corpus",
}


@pytest.mark.parametrize("source", SOURCES)
def test_a_source_outside_the_corpus(file: Path, source: str) -> None:
    message = refused(file, HEAD + ROW.replace("leave.md", f"shipping.md#rates;{source}"), sections=SECTIONS)
    assert message == f"g.csv:2: source {source!r} is not in the corpus; {SOURCES[source]}"


def test_sources_of_the_corpus_pass(file: Path) -> None:
    row = ROW.replace("leave.md", "leave.md;leave.md#carry-over")
    assert golden.read(saved(file, HEAD + row), sections=SECTIONS)[0].sources == ("leave.md", "leave.md#carry-over")


# The baseline


def test_the_baseline_reads_as_it_was_written(file: Path) -> None:
    held = {("gated", "kestrel", "kestrel"): {"q2": True, "q1": False}, ("lexical", "kestrel", "kestrel"): {"q1": True}}
    golden.write_baseline(file, held)
    assert file.read_text().splitlines()[:2] == ["system,corpus,golden,id,holds", "gated,kestrel,kestrel,q2,true"]
    assert golden.read_baseline(file) == held
    golden.write_baseline(file, golden.read_baseline(file))
    assert list(golden.read_baseline(file)["gated", "kestrel", "kestrel"]) == ["q2", "q1"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("s,c,g,q1,true\ns,c,g,q1,false\n", "g.csv:3: id 'q1' stands twice for s, c, g"),
        ("s,c,g,q1,1\n", "g.csv:2: holds must be true or false, is '1'"),
        ("s,,g,q1,true\n", "g.csv:2: corpus is empty"),
        ("s,c,g,,true\n", "g.csv:2: id is empty"),
        ("s,c,g,q1\n", "g.csv:2: 4 cells where the header has 5"),
    ],
)
def test_a_bad_baseline(file: Path, rows: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        golden.read_baseline(saved(file, "system,corpus,golden,id,holds\n" + rows))
    assert said in str(caught.value)
