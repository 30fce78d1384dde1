"""A folder is read whole or not at all, and a corpus knows where each term stands."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from pathlib import Path

import build
import pytest

from ragkit import corpus
from ragkit.chunk import Headings, Left
from ragkit.corpus import Corpus, Folder
from ragkit.records import BadInput, Document
from ragkit.text import Analyzer

TERMS = "term,means\n"


def wrote(folder: Path, **files: str | bytes) -> Path:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_md", ".md").replace("_csv", ".csv")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def made(**files: str) -> Corpus:
    return Corpus(build.folder(**files), chunker=Headings(), analyzer=Analyzer())


# Reading


def test_documents_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    folder = corpus.read(wrote(tmp_path, b_md="b", a__z_md="z", a_md="a"))
    assert [document.file for document in folder.documents] == ["a.md", "a/z.md", "b.md"]


def test_an_ending_in_capitals_counts(tmp_path: Path) -> None:
    (tmp_path / "A.MD").write_text("a")
    assert [document.file for document in corpus.read(tmp_path).documents] == ["A.MD"]


def test_hidden_files_and_folders_are_left_alone(tmp_path: Path) -> None:
    folder = corpus.read(wrote(tmp_path, **{".a_md": "a", ".git__b_md": "b", "c_md": "c"}))
    assert [document.file for document in folder.documents] == ["c.md"]


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    assert corpus.read(wrote(tmp_path, notes_csv="a", **{"b.txt": "b", "md": "c"})).documents == ()


@pytest.mark.parametrize("written", [b"one\r\ntwo\r\n", b"one\rtwo\r", b"\xef\xbb\xbfone\ntwo\n"])
def test_line_ends_and_marks_of_other_systems_change_nothing(tmp_path: Path, written: bytes) -> None:
    assert corpus.read(wrote(tmp_path, a_md=written)).documents[0].text == "one\ntwo\n"


def test_a_file_that_can_not_be_read_becomes_a_document_with_an_error(tmp_path: Path) -> None:
    document = corpus.read(wrote(tmp_path, a_md=b"one\n\xff")).documents[0]
    assert document.text == "" and "a.md:2: not UTF-8" in document.error


def test_readable_stops_on_the_first_error(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="a.md:1: not UTF-8"):
        corpus.readable(corpus.read(wrote(tmp_path, a_md=b"\xff", b_md="fine")))


def test_readable_hands_on_a_folder_without_errors() -> None:
    folder = build.folder(a="one")
    assert corpus.readable(folder) is folder


@pytest.mark.parametrize("missing", [True, False])
def test_a_folder_that_is_none_is_bad_input(tmp_path: Path, missing: bool) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="check the path" if missing else "name a folder"):
        corpus.read(tmp_path / ("nowhere" if missing else "file"))


def test_a_folder_below_that_may_not_be_read_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scandir(path: Path) -> object:
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    wrote(tmp_path, locked__b_md="b", c_md="c")
    real = os.scandir
    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(BadInput, match="no permission"):
        corpus.read(tmp_path)


def test_a_link_that_leads_nowhere_is_an_error_and_not_a_loss(tmp_path: Path) -> None:
    (tmp_path / "a.md").symlink_to(tmp_path / "gone.md")
    assert "no such file" in corpus.read(tmp_path).documents[0].error


# Terms


def test_a_term_dictionary_is_read_beside_the_documents(tmp_path: Path) -> None:
    folder = corpus.read(
        wrote(tmp_path, terms_csv="term,means,note\nPTO,annual leave | paid leave,said\nvan, lorry,\n")
    )
    assert folder.terms == (("PTO", ("annual leave", "paid leave")), ("van", ("lorry",)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("word,means\na,b\n", "terms.csv:1: no column 'term'"),
        ("term\na\n", "terms.csv:1: no column 'means'"),
        (TERMS + "a,b\npaid leave,c\n", "terms.csv:3: needs one word"),
        (TERMS + "a,\n", "terms.csv:2: needs one word"),
        (TERMS + ",b\n", "terms.csv:2: needs one word"),
        (TERMS + "a\n", "terms.csv:2: needs one word"),
        ("", "terms.csv:1: no column"),
    ],
)
def test_a_bad_term_dictionary_is_bad_input(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        corpus.read(wrote(tmp_path, terms_csv=content))


# Fingerprints

PLAIN = Folder("x", (Document("a.md", "one"),), (("van", ("lorry",)),))


def test_the_fingerprint_does_not_hang_on_the_name_of_the_folder() -> None:
    assert replace(PLAIN, name="y").fingerprint == PLAIN.fingerprint


@pytest.mark.parametrize(
    "change",
    [
        {"documents": (Document("a.md", "two"),)},
        {"documents": (Document("b.md", "one"),)},
        {"documents": (Document("a.md", "one"), Document("b.md", ""))},
        {"documents": (Document("a.md", "one", "error"),)},
        {"terms": ()},
    ],
)
def test_the_fingerprint_changes_with_what_was_read(change: dict) -> None:
    assert replace(PLAIN, **change).fingerprint != PLAIN.fingerprint


# Chunks and their words


def test_chunks_stand_in_the_order_of_their_ids() -> None:
    ready = [build.chunk("word", id=f"{n}") for n in random.Random(0).sample(range(30), 30)]
    assert [chunk.id for chunk in Corpus.of_chunks(ready).chunks] == sorted(chunk.id for chunk in ready)


def test_a_chunk_of_stop_words_is_empty_and_not_ranked() -> None:
    built = build.corpus("The of and to it.", "pay")
    assert ([c.text for c in built.chunks], [c.text for c in built.empty]) == (["pay"], ["The of and to it."])


def test_a_chunk_with_words_in_its_heading_only_is_empty() -> None:
    assert [chunk.id for chunk in made(a="# Leave\n\n# Pay\n\ndaily").empty] == ["a.md#leave"]


def test_every_chunk_is_ranked_or_empty() -> None:
    built = made(a="# Leave\n\n# Pay\n\ndaily\n\n## B\n\nThe.")
    assert sorted((*built.chunks, *built.empty), key=lambda chunk: chunk.lines) == list(built.all_chunks)


def test_what_a_chunker_left_out_is_kept() -> None:
    assert made(a="---\nx: y\n---\ntext").dropped == (Left("a.md", (1, 3), "front matter"),)


def test_a_document_with_an_error_gives_no_chunk() -> None:
    folder = Folder("x", (Document("a.md", "", "a.md:1: not UTF-8"),))
    assert Corpus(folder, chunker=Headings(), analyzer=Analyzer()).all_chunks == ()


def test_a_chunk_is_found_by_its_headings_its_lead_and_its_text() -> None:
    ready = replace(build.chunk("| 7 |", "Price list"), lead="| Days |")
    assert Corpus.of_chunks([ready]).terms == [["price", "list", "day", "7"]]


def test_holders_are_the_chunks_whose_terms_hold_it() -> None:
    built = build.corpus("pay day", "KX-Code pay", "day day")
    assert built.holders == {"pay": [0, 1], "day": [0, 2], "kxcode": [1], "kx": [1], "code": [1]}


def test_words_are_known_as_written_without_hyphens_and_codes_as_codes() -> None:
    assert build.corpus("KX-Code, the door code").spelled == {
        "kxcode": True,
        "the": False,
        "door": False,
        "code": False,
    }


def test_a_piece_of_a_code_does_not_stand_alone() -> None:
    built = build.corpus("KX-Code, door code")
    assert ("code" in built.free, "kx" in built.free) == (True, False)


@pytest.mark.parametrize(
    ("phrase", "places"),
    [
        ("annual leave", {0: "annual leave"}),
        ("leave", {0: "leave", 1: "leave", 2: "leaves"}),
        ("kx code", {3: "kx code"}),
        ("leave annual", {}),
        ("sabbatical", {}),
    ],
)
def test_the_places_of_a_phrase(phrase: str, places: dict[int, str]) -> None:
    built = build.corpus("annual leave", "leave of annual length", "leaves", "KX-Code")
    assert built.find(tuple(built.analyzer.words(phrase))) == places


# The term dictionary


def meant(word: str, dictionary: str, **terms: str) -> list[str]:
    built = build.corpus("annual leave", terms=terms, analyzer=Analyzer(dictionary=dictionary))
    (asked,) = built.analyzer.words(word)
    return [" ".join(part.form for part in phrase) for phrase in built.meanings(asked)]


@pytest.mark.parametrize("asked", ["van", "VAN", "vans", "v\u00e1n"])
def test_a_word_is_looked_up_whole_in_any_form(asked: str) -> None:
    assert meant(asked, "word", van="annual leave|paid leave") == ["annual leave", "paid leave"]


def test_an_empty_phrase_means_nothing() -> None:
    assert meant("van", "word", van="annual leave||...") == ["annual leave"]


def test_a_word_that_holds_a_term_is_not_that_term() -> None:
    assert meant("crypto", "word", pto="annual leave") == []


def test_the_substring_dictionary_takes_it_for_that_term() -> None:
    assert meant("crypto", "substring", pto="annual leave") == ["annual leave"]


def test_without_a_dictionary_a_word_means_itself() -> None:
    assert meant("pto", "none", pto="annual leave") == []


@pytest.mark.parametrize(("asked", "term"), [("organization", "organ"), ("customs", "customer"), ("miner", "mineral")])
def test_a_word_on_the_same_stem_is_not_that_term(asked: str, term: str) -> None:
    assert meant(asked, "word", **{term: "annual leave"}) == []


@pytest.mark.parametrize("second", ["holiday", "holidays"])
def test_two_rows_for_one_term_both_count(second: str) -> None:
    built = build.corpus("annual leave, public holidays")
    built.folder = Folder("x", (), (("holiday", ("annual leave",)), (second, ("public holidays",))))
    assert len(list(built.meanings(built.analyzer.words("holiday")[0]))) == 2


def test_a_linked_folder_is_read_once_and_a_loop_ends(tmp_path: Path) -> None:
    wrote(tmp_path, docs__a_md="a", other__b_md="b")
    (tmp_path / "docs" / "linked").symlink_to(tmp_path / "other")
    (tmp_path / "docs" / "round").symlink_to(tmp_path / "docs")
    assert [document.file for document in corpus.read(tmp_path / "docs").documents] == ["a.md", "linked/b.md"]


def test_a_pipe_named_like_a_document_is_told_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.md")
    assert "no regular file" in corpus.read(tmp_path).documents[0].error


@pytest.mark.parametrize("row", ['foo,"warranty', "foo,a,b,c", "foo,|", "two words,a"])
def test_a_broken_row_of_the_dictionary_is_told(row: str, tmp_path: Path) -> None:
    wrote(tmp_path, a_md="a", terms_csv=f"term,means,note\n{row}\nbar,x,\n")
    with pytest.raises(BadInput, match="terms.csv:"):
        corpus.read(tmp_path)


def test_a_link_to_itself_is_an_unreadable_document(tmp_path: Path) -> None:
    (tmp_path / "self.md").symlink_to(tmp_path / "self.md")
    assert "self.md" in corpus.read(tmp_path).documents[0].error


def test_a_list_in_the_front_matter_is_no_version() -> None:
    assert corpus.front(Document("a.md", "---\nversion: [a, b]\nstatus: {x: 1}\nurl: https://x\n---\n# A")) == {
        "url": "https://x"
    }
