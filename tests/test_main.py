"""The command line: what it prints, its exit codes, and bad input told in one line with nothing half-written."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragkit import manifest, options, systems
from ragkit.corpus import read
from ragkit.files import ROOT
from ragkit.records import ModelFailed
from tests.toys import notebook, use_results

HEADER = "id,question,answerable,answer,source,category\n"
GOOD = HEADER + "1,How long is the warranty?,true,24 months,returns.md#warranty,q1\n2,Do you sell crypto?,false,,,q3\n"

Ragkit = Callable[..., tuple[int, str, str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "returns.md").write_text("# Returns\n\n## Warranty\n\nThe warranty is 24 months.\n")
    (tmp_path / "questions.csv").write_text(GOOD)
    return tmp_path


def test_a_folder_and_questions_of_ones_own(ragkit: Ragkit, home: Path) -> None:
    code, out, _ = ragkit("eval", "--corpus", f"{home}/docs", "--golden", f"{home}/questions.csv")
    assert code == 0
    assert "corpus: docs (1 chunks)" in out
    assert "2/2 right" in out


def test_an_answer_names_file_path_and_line(ragkit: Ragkit, home: Path) -> None:
    _, out, _ = ragkit("ask", "How long is the warranty?", "--corpus", f"{home}/docs")
    place = "[1] returns.md > Returns > Warranty, line 5"
    assert out == f"The warranty is 24 months. [1]\n\n{place}\nread as: long -> 24 months\n"


def test_a_refusal_names_its_gate_and_why(ragkit: Ragkit, home: Path) -> None:
    code, out, _ = ragkit("ask", "Do you sell crypto?", "--corpus", f"{home}/docs")
    assert (code, out.splitlines()[0]) == (0, "REFUSED (gate: unknown-term)")
    assert '"crypto"' in out


def test_a_refusal_as_data_has_no_citations(ragkit: Ragkit, home: Path) -> None:
    _, out, _ = ragkit("ask", "Do you sell crypto?", "--corpus", f"{home}/docs", "--json")
    data = json.loads(out)
    assert (data["outcome"], data["gate"], data["concept"], data["citations"]) == (
        "refuse",
        "unknown-term",
        "crypto",
        [],
    )


def test_the_printed_manifest_is_the_kept_one(ragkit: Ragkit) -> None:
    _, out, _ = ragkit("index", "--json")
    assert out == (ROOT / "corpus" / "kestrel" / "manifest.json").read_text("utf-8")


def test_the_index_tells_what_gave_nothing(ragkit: Ragkit, home: Path) -> None:
    (home / "docs" / "blank.md").write_text("\n\n")
    (home / "docs" / "returns.md").write_text(
        "---\nowner: ada\n---\n# Returns\n\n## Warranty\n\n24 months.\n\n## Scrap\n"
    )
    _, out, _ = ragkit("index", "--corpus", f"{home}/docs")
    assert "  blank.md\n  returns.md > Returns > Scrap, line 10" in out
    assert "  returns.md:1-3: front matter" in out


def test_eval_as_data_has_no_nan(ragkit: Ragkit, home: Path) -> None:
    (home / "questions.csv").write_text(HEADER + "1,Do you sell crypto?,false,,,q3\n")
    _, out, _ = ragkit("eval", "--corpus", f"{home}/docs", "--golden", f"{home}/questions.csv", "--json")
    assert json.loads(out, parse_constant=pytest.fail)["answerable"] == {"hits": 0, "of": 0, "left_out": 0}


def test_a_row_that_no_longer_holds_is_a_finding(ragkit: Ragkit, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("eval", "--corpus", f"{home}/docs", "--golden", f"{home}/questions.csv")
    assert ragkit(*words, "--accept")[0] == 0
    assert ragkit(*words)[0] == 0
    (home / "docs" / "returns.md").write_text("# Returns\n\n## Warranty\n\nCrypto is what we sell.\n")
    code, out, _ = ragkit(*words)
    assert code == 1
    assert "2 no longer hold: 1, 2" in out


def _bad() -> Iterator[tuple[str, Callable[[Path], tuple[str, ...]], str]]:
    """A name, what makes it and how it is asked for, and what the line must say."""

    def questions(text: str | bytes) -> Callable[[Path], tuple[str, ...]]:
        def make(home: Path) -> tuple[str, ...]:
            (home / "questions.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
            return "eval", "--corpus", f"{home}/docs", "--golden", f"{home}/questions.csv"

        return make

    def document(data: bytes) -> Callable[[Path], tuple[str, ...]]:
        def make(home: Path) -> tuple[str, ...]:
            (home / "docs" / "more.md").write_bytes(data)
            return "ask", "warranty?", "--corpus", f"{home}/docs"

        return make

    yield "unknown column", questions(GOOD.replace("category", "categry")), "questions.csv:1"
    yield "missing column", questions(GOOD.replace(",source", "").replace("returns.md#warranty,", "")), "source"
    yield "duplicate id", questions(GOOD.replace("\n2,", "\n1,")), "questions.csv:3"
    yield "missing source file", questions(GOOD.replace("returns.md#", "return.md#")), "returns.md"
    yield "missing source anchor", questions(GOOD.replace("#warranty", "#waranty")), "returns.md#warranty"
    yield "broken encoding of questions", questions(GOOD.encode() + b"3,caf\xe9?,false,,,q3\n"), "questions.csv:4"
    yield "semicolons", questions(GOOD.replace(",", ";")), "semicolon"
    yield "no rows", questions(HEADER), "questions.csv"
    yield "empty file", questions(""), "questions.csv"
    yield "broken encoding of a document", document(b"# caf\xe9\n"), "more.md:1"
    yield "missing folder", lambda home: ("ask", "x", "--corpus", f"{home}/nowhere"), "nowhere"
    yield "missing questions", lambda home: ("eval", "--corpus", f"{home}/docs", "--golden", f"{home}/no.csv"), "no.csv"
    yield "no questions named", lambda home: ("eval", "--corpus", f"{home}/docs"), "--golden"
    yield "a file for a folder", lambda home: ("index", "--corpus", f"{home}/questions.csv"), "name a folder"
    yield "a folder for a file", lambda home: ("eval", "--corpus", f"{home}/docs", "--golden", f"{home}"), "name a file"
    yield "unknown system", lambda home: ("ask", "x", "--system", "magic"), "passage"
    yield "unknown notebook", lambda home: ("notebook", "99"), "01_threshold_or_coverage"
    yield "bad dictionary", lambda home: ("ask", "x", "--corpus", f"{_terms(home)}"), "terms.csv:1"


def _terms(home: Path) -> Path:
    (home / "docs" / "terms.csv").write_text("word,means\nx,y\n")
    return home / "docs"


@pytest.mark.parametrize(
    ("make", "said"), [(make, said) for _, make, said in _bad()], ids=[name for name, *_ in _bad()]
)
def test_bad_input_is_one_line_and_two(
    ragkit: Ragkit, home: Path, make: Callable[[Path], tuple[str, ...]], said: str
) -> None:
    words = make(home)
    before = {path: path.stat().st_mtime_ns for path in home.rglob("*")}
    code, out, err = ragkit(*words)
    assert (code, out) == (2, "")
    assert err.startswith("ragkit: ")
    assert err.count("\n") == 1
    assert said in err
    assert {path: path.stat().st_mtime_ns for path in home.rglob("*")} == before


def test_an_unknown_backend_names_the_known(ragkit: Ragkit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_BACKEND", "tea-leaves")
    code, _, err = ragkit("ask", "x")
    assert (code, "tea-leaves" in err, "bm25" in err) == (2, True, True)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no user ids here")
@pytest.mark.parametrize("target", ["docs", "docs/a.md", "questions.csv"])
def test_what_may_not_be_read_is_told(ragkit: Ragkit, target: str) -> None:
    home = Path(tempfile.mkdtemp())
    try:
        (home / "docs").mkdir()
        (home / "docs" / "a.md").write_text("# A\n\nThe warranty is long.\n")
        (home / "questions.csv").write_text(HEADER + "1,x,false,,,q3\n")
        home.chmod(0o755)
        ragkit("eval", "--corpus", f"{home}/docs", "--golden", f"{home}/questions.csv")  # all is imported by now
        (home / target).chmod(0)
        user = os.geteuid()
        if user == 0:
            os.seteuid(65534)  # root may read everything
        try:
            code, _, err = ragkit("eval", "--corpus", f"{home}/docs", "--golden", f"{home}/questions.csv")
        finally:
            os.seteuid(user)
        assert (code, err.count("\n")) == (2, 1)
        assert "no permission" in err
    finally:
        (home / target).chmod(0o755)
        shutil.rmtree(home)


def test_an_unreadable_document_is_listed_and_ends_with_two(ragkit: Ragkit, home: Path) -> None:
    (home / "docs" / "bad.md").write_bytes(b"\xff\xfe")
    code, out, err = ragkit("index", "--corpus", f"{home}/docs")
    assert (code, err.count("\n")) == (2, 1)
    assert "bad.md" in out
    assert "1 chunks" in out


def test_every_command_has_help(ragkit: Ragkit) -> None:
    for command in ("index", "ask", "eval", "notebook", "report", "public"):
        code, out, _ = ragkit(command, "--help")
        assert (code, "Usage" in out) == (0, True)


def test_the_kept_manifest_speaks_of_these_documents() -> None:
    corpus = systems.named(systems.DEFAULT).on(read(ROOT / "corpus" / "kestrel")).corpus
    found = manifest.manifest(corpus)
    assert found.chunks == len(corpus.chunks) > 26
    in_part = {entry.id for entry in found.files if entry.covered < 1}
    assert in_part == {row.file for row in corpus.dropped if row.why == "front matter"}


def test_a_model_that_fails_is_told_in_a_line(
    ragkit: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(name: str) -> None:
        raise ModelFailed("gemini: HTTP 500 (attempts: 4)")

    monkeypatch.setattr(options, "named", failing)
    assert ragkit("ask", "Leave?") == (2, "", "ragkit: gemini: HTTP 500 (attempts: 4)\n")


@pytest.mark.parametrize(
    ("cell", "code"),
    [("from ragkit.records import BadInput\nraise BadInput('no such thing; name another')", 2), ("1 / 0", 1)],
)
def test_a_notebook_that_is_given_bad_input_ends_with_2_and_one_that_breaks_with_1(
    ragkit: Ragkit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cell: str, code: int
) -> None:
    use_results(tmp_path, monkeypatch)
    assert ragkit("notebook", str(notebook(tmp_path / "nb" / "01_a.ipynb", cell)))[0] == code
