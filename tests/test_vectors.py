"""Each text is embedded once, and the nearest chunks are those that a plain sum finds."""

from __future__ import annotations

import csv
import io
import math
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import NoReturn

import build
import numpy as np
import pytest
import toys
from numpy.typing import NDArray

from ragkit import corpus, models, study, vectors
from ragkit.corpus import Corpus
from ragkit.models import DOCUMENT, QUERY, Encoder, MiniLM
from ragkit.records import BadInput, ModelFailed
from ragkit.sentence import sentences
from ragkit.systems import SYSTEMS
from ragkit.text import visible
from ragkit.vectors import Space, Vectors, cosines, read, shown_text, space

TEXTS = ["annual leave", "door code", "", "leave the door", "\ud800"]


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("RAGKIT_CACHE", raising=False)
    return toys.use_results(tmp_path, monkeypatch)


@dataclass
class Counting:
    """A model that keeps the texts it was asked for, one list a call; with `tasks` a question is another vector."""

    name: str = "counting"
    tasks: bool = False
    fails_at: int = 0
    asked: list[list[str]] = field(default_factory=list)
    loaded: int = 0

    def key(self, task: str) -> str:
        return f"{self.name} {task}" if self.tasks else self.name

    def load(self) -> Callable[[Sequence[str], str], NDArray[np.float32]]:
        self.loaded += 1
        return self._encode

    def _encode(self, texts: Sequence[str], task: str) -> NDArray[np.float32]:
        if len(self.asked) + 1 == self.fails_at:
            raise RuntimeError("no more")
        self.asked.append(list(texts))
        return np.array(build.letters(texts), np.float32) + (task == QUERY and self.tasks)


def never() -> NoReturn:
    raise AssertionError("the model was loaded")


def halves(texts: Sequence[str]) -> NDArray[np.float16]:
    """The vectors of the toy model as they are kept."""
    found = np.array(build.letters(texts), np.float32)
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float16)


# Once


def test_a_vector_is_of_length_one_in_half_precision() -> None:
    found = Vectors(build.TOY).of(TEXTS, QUERY)
    assert found.dtype == np.float16 and found.tolist() == halves(TEXTS).tolist()


def test_a_text_that_stands_twice_is_embedded_once() -> None:
    model = Counting()
    assert Vectors(model).of(["a", "bb", "a", "a"], QUERY).tolist() == halves(["a", "bb", "a", "a"]).tolist()
    assert model.asked == [["a", "bb"]]


def test_a_second_call_embeds_only_what_is_new() -> None:
    model = Counting()
    known = Vectors(model)
    known.of(["a", "b"], QUERY)
    known.of(["b", "c", "a"], QUERY)
    assert model.asked == [["a", "b"], ["c"]]
    assert known.computed == 3 and known.seconds > 0 and model.loaded == 1


def test_what_is_in_the_cache_is_not_embedded_again() -> None:
    first, second = Vectors(Counting()), Vectors(Encoder("counting", never))
    assert first.of(TEXTS, QUERY).tobytes() == second.of(TEXTS[::-1], QUERY)[::-1].tobytes()
    assert (second.computed, second.seconds) == (0, 0.0)


@pytest.mark.parametrize(("tasks", "asked"), [(False, [["leave"]]), (True, [["leave"], ["leave"]])])
@pytest.mark.parametrize("together", [True, False])
def test_a_question_and_a_document_share_a_vector_if_they_share_a_key(
    tasks: bool, asked: list[list[str]], together: bool
) -> None:
    model = Counting(tasks=tasks)
    known = Vectors(model)
    first = known.of(["leave"], QUERY)
    second = (known if together else Vectors(model)).of(["leave"], DOCUMENT)
    assert model.asked == asked and (first.tolist() != second.tolist()) is tasks


def test_two_models_share_nothing() -> None:
    Vectors(build.fixed("first", a=[1, 0])).of(["a"], QUERY)
    assert Vectors(build.fixed("second", a=[0, 1])).of(["a"], QUERY).tolist() == [[0, 1]]


def test_no_text_needs_no_model_and_no_cache(tmp_path: Path) -> None:
    assert len(Vectors(Encoder("none", never)).of([], QUERY)) == 0
    assert not list(tmp_path.iterdir())


def test_a_failure_in_the_third_batch_keeps_the_first_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "TOGETHER", 2)
    texts = ["a", "bb", "ccc", "dddd", "eeeee", "ffffff", "ggggggg"]
    with pytest.raises(RuntimeError, match="no more"):
        Vectors(Counting(fails_at=3)).of(texts, QUERY)
    after = Counting()
    assert Vectors(after).of(texts, QUERY).tolist() == halves(texts).tolist()
    assert after.asked == [["eeeee", "ffffff"], ["ggggggg"]]


def test_after_a_failure_the_same_vectors_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "TOGETHER", 1)
    model = Counting(fails_at=2)
    known = Vectors(model)
    with pytest.raises(RuntimeError):
        known.of(["a", "bb"], QUERY)
    model.fails_at = 0
    assert known.of(["a", "bb"], QUERY).tolist() == halves(["a", "bb"]).tolist() and model.asked == [["a"], ["bb"]]


SPOIL = {"nothing in it": None, "cut": b"\0" * 30, "zeros": bytes(14), "a text": "vector"}


@pytest.mark.parametrize("data", SPOIL.values(), ids=SPOIL)
def test_a_row_of_the_cache_that_is_not_as_it_was_is_computed_again(results: Path, data: object) -> None:
    model = Counting()
    first = Vectors(model).of(["a", "bb"], QUERY)
    base = sqlite3.connect(results / "cache" / "vectors.sqlite")
    base.execute("update checked set vector = ?", (data,))
    base.commit()
    base.close()
    assert Vectors(model).of(["a", "bb"], QUERY).tobytes() == first.tobytes()
    assert sorted(text for batch in model.asked for text in batch) == ["a", "a", "bb", "bb"]


TWICE = """
import sys, time
from ragkit.models import Encoder
from ragkit.vectors import Vectors
def encode(texts):
    time.sleep(0.02)
    with open(sys.argv[1], "a") as log:
        log.write("".join(text + "\\n" for text in texts))
    return [[1.0, len(text)] for text in texts]
Vectors(Encoder("slow", lambda: encode)).of([f"text {n}" for n in range(1000)], "query")
"""


def test_two_processes_at_once_embed_nothing_twice(tmp_path: Path, results: Path) -> None:
    own = os.environ | {"PYTHONPATH": str(build.ROOT)}
    command = [sys.executable, "-c", TWICE, str(tmp_path / "log")]
    running = [subprocess.Popen(command, env=own) for _ in range(2)]
    assert [process.wait() for process in running] == [0, 0]
    asked = (tmp_path / "log").read_text().splitlines()
    assert len(asked) == len(set(asked)) == 1000


def test_a_model_that_gives_other_dimensions_under_its_old_name_is_told() -> None:
    Vectors(Encoder("same", lambda: lambda texts: np.ones((len(texts), 2)))).of(["a"], QUERY)
    later = Vectors(Encoder("same", lambda: lambda texts: np.ones((len(texts), 3))))
    with pytest.raises(ModelFailed, match="same: gave vectors of other dimensions before"):
        later.of(["a", "b"], QUERY)


@pytest.mark.parametrize(
    "wrong",
    [
        *([[1, math.nan], [1, 2]], [[1, math.inf], [1, 2]], [[1, 2], [0, 0]], [[1, 2]], [[1, 2]] * 3, [1, 2]),
        *([[[1, 2]], [[1, 2]]], 5, [[], []], []),
    ],
    ids=str,
)
def test_what_is_no_vector_is_told_and_not_kept(wrong: object) -> None:
    with pytest.raises(ModelFailed, match="wrong: gave no vector for some of 2 texts") as caught:
        Vectors(Encoder("wrong", lambda: lambda texts: wrong)).of(["a", "b"], QUERY)
    assert "\n" not in str(caught.value)
    assert Vectors(build.fixed("wrong", a=[1, 0], b=[0, 1])).of(["a", "b"], QUERY).tolist() == [[1, 0], [0, 1]]


# A bar


def many(count: int) -> None:
    Vectors(build.TOY).of([f"text {n}" for n in range(count)], QUERY)


@pytest.mark.parametrize("notebook", [False, True])
def test_many_texts_show_a_bar_on_stderr_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, notebook: bool
) -> None:
    monkeypatch.setattr("rich.console._is_jupyter", lambda: notebook)
    many(vectors.MANY)
    out, err = capsys.readouterr()
    assert out == "" and f"{vectors.MANY}/{vectors.MANY}" in err and "texts/s" in err


def test_few_texts_show_none(capsys: pytest.CaptureFixture[str]) -> None:
    many(vectors.MANY - 1)
    assert capsys.readouterr() == ("", "")


# The kept file


def kept(file: Path, model: Encoder, *texts: str) -> Path:
    Vectors(model).save(file, [(text, DOCUMENT) for text in texts])
    return file


def test_the_kept_file_is_preferred_to_the_cache(tmp_path: Path) -> None:
    file = kept(tmp_path / "v.npz", build.fixed("model", a=[3, 4]), "a")
    shutil.rmtree(tmp_path / "results")
    Vectors(build.fixed("model", a=[1, 0])).of(["a"], QUERY)
    assert Vectors(build.fixed("model"), file).of(["a"], QUERY).tolist() == np.float16([[0.6, 0.8]]).tolist()
    assert Vectors(build.fixed("model")).of(["a"], QUERY).tolist() == [[1, 0]]


def test_the_kept_file_is_never_written(tmp_path: Path) -> None:
    file = kept(tmp_path / "v.npz", build.TOY, "a")
    before = file.read_bytes(), file.stat().st_mtime_ns
    assert Vectors(build.TOY, file).of(["a", "new"], QUERY).tolist() == halves(["a", "new"]).tolist()
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before


def test_what_is_kept_needs_no_model_and_no_cache(tmp_path: Path) -> None:
    file = kept(tmp_path / "v.npz", build.TOY, *TEXTS)
    shutil.rmtree(tmp_path / "results")
    assert Vectors(Encoder("toy", never), file).of(TEXTS, DOCUMENT).tolist() == halves(TEXTS).tolist()
    assert [path.name for path in tmp_path.iterdir()] == ["v.npz"]


def test_the_file_of_another_model_is_not_used(tmp_path: Path) -> None:
    file = kept(tmp_path / "v.npz", build.fixed("model", a=[1, 0]), "a")
    assert Vectors(build.fixed("other", a=[0, 1]), file).of(["a"], QUERY).tolist() == [[0, 1]]


@pytest.mark.parametrize("tasks", [False, True])
def test_any_order_of_texts_is_saved_as_the_same_bytes(tmp_path: Path, tasks: bool) -> None:
    pairs = [*((text, QUERY) for text in TEXTS), *((text, DOCUMENT) for text in [*TEXTS, "only here"])]
    saved = set()
    for seed in range(4):
        model, file = Counting(tasks=tasks), tmp_path / f"{seed}.npz"
        shutil.rmtree(tmp_path / "results", ignore_errors=True)
        count = Vectors(model).save(file, iter(random.Random(seed).sample([*pairs, *pairs], 2 * len(pairs))))
        saved.add((count, file.read_bytes()))
    assert len(saved) == 1 and saved.pop()[0] == (11 if tasks else 6)
    for task in (QUERY, DOCUMENT):
        before, after = Vectors(Counting(tasks=tasks)), Vectors(Counting(tasks=tasks), tmp_path / "0.npz")
        assert after.of(TEXTS, task).tobytes() == before.of(TEXTS, task).tobytes() and after.computed == 0


def test_a_file_saved_over_itself_stays_and_loses_what_is_not_asked_for(tmp_path: Path) -> None:
    file = kept(tmp_path / "v.npz", build.TOY, *TEXTS)
    before = file.read_bytes()
    known = Vectors(Encoder("toy", never), file)
    assert known.save(file, [(text, DOCUMENT) for text in TEXTS]) == 5 and file.read_bytes() == before
    assert known.save(file, [(TEXTS[0], QUERY)]) == 1 == len(read(file))


def npz(**arrays: object) -> bytes:
    """A file with these arrays, and the right check sum of those unless another is given."""
    out = io.BytesIO()
    data = b"".join(np.asarray(arrays[name]).tobytes() for name in ("hashes", "vectors") if name in arrays)
    np.savez(out, **{"check": vectors._check(data)} | arrays)
    return out.getvalue()


HASHES, ROWS = np.zeros((2, 16), np.uint8), np.ones((2, 3), np.float16)
GOOD = npz(hashes=HASHES, vectors=ROWS)
ENTRY = GOOD.index(b"PK\x01\x02")  # of the zip's directory
BROKEN = {
    "with another vector": npz(hashes=HASHES, vectors=ROWS, check=vectors._check(b"what it was")),
    "empty": b"",
    "text": b"version https://git-lfs.github.com/spec/v1\n",
    "cut": GOOD[:-9],
    "changed": GOOD.replace(ROWS.tobytes(), ROWS.tobytes()[:-2] + b"\0\0"),
    "of a later zip": GOOD[: ENTRY + 6] + b"\xff" + GOOD[ENTRY + 7 :],
    "encrypted": GOOD[: ENTRY + 8] + b"\x01" + GOOD[ENTRY + 9 :],
    "one array": GOOD[GOOD.index(b"\x93NUMPY") :],
    "without vectors": npz(hashes=HASHES),
    "in single precision": npz(hashes=HASHES, vectors=ROWS.astype(np.float32)),
    "with fewer hashes": npz(hashes=HASHES[:1], vectors=ROWS),
    "with short hashes": npz(hashes=HASHES[:, :8], vectors=ROWS),
    "with hashes as numbers": npz(hashes=HASHES.astype(float), vectors=ROWS),
    "with numbers for vectors": npz(hashes=HASHES, vectors=ROWS[:, 0]),
    "with one number": npz(hashes=HASHES, vectors=np.float16(1)),
    "with objects": npz(hashes=np.array([None, None]), vectors=ROWS),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_kept_file_is_bad_input(tmp_path: Path, broken: str) -> None:
    (tmp_path / "v.npz").write_bytes(BROKEN[broken])
    with pytest.raises(BadInput, match=r"v\.npz: no file of vectors; restore it or run ragkit index --vectors$"):
        Vectors(build.TOY, tmp_path / "v.npz").of(["a"], QUERY)


def test_the_file_that_they_are_made_from_is_good(tmp_path: Path) -> None:
    (tmp_path / "v.npz").write_bytes(GOOD)
    assert {key: row.tolist() for key, row in read(tmp_path / "v.npz").items()} == {bytes(16): [1, 1, 1]}


@pytest.mark.parametrize(("name", "told"), [("gone.npz", "no such file"), (".", "is a folder; name a file")])
def test_a_kept_file_that_is_none_is_bad_input(tmp_path: Path, name: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        Vectors(build.TOY, tmp_path / name).of(["a"], QUERY)


# The cache


def no_database(results: Path) -> None:
    (results / "cache").mkdir(parents=True)
    (results / "cache" / "vectors.sqlite").write_bytes(b"no database, but long enough to be taken for one" * 99)


def other_table(results: Path) -> None:
    (results / "cache").mkdir(parents=True)
    base = sqlite3.connect(results / "cache" / "vectors.sqlite")
    base.execute("create table checked (name text)")
    base.close()


def folder_for_file(results: Path) -> None:
    (results / "cache" / "vectors.sqlite").mkdir(parents=True)


def file_for_cache(results: Path) -> None:
    results.mkdir()
    (results / "cache").touch()


def file_for_results(results: Path) -> None:
    results.touch()


UNUSABLE = [no_database, other_table, folder_for_file, file_for_cache, file_for_results]


@pytest.mark.parametrize("spoil", UNUSABLE, ids=lambda spoil: spoil.__name__)
def test_a_cache_that_can_not_be_used_is_bad_input(results: Path, spoil: Callable[[Path], None]) -> None:
    spoil(results)
    with pytest.raises(
        BadInput, match="results.*: .*; remove the file, allow writing there, or name another folder in RAGKIT_CACHE$"
    ) as caught:
        Vectors(build.TOY).of(["a"], QUERY)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("spoil", UNUSABLE, ids=lambda spoil: spoil.__name__)
def test_the_command_line_tells_it_in_one_line(
    ragkit: Callable[..., tuple[int, str, str]], results: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(results)
    code, out, err = ragkit("ask", f"Who waters the plants of {spoil.__name__}?", "--system", "cosine")
    assert (code, out, err.count("\n")) == (2, "", 1) and "allow writing there" in err


def test_another_place_for_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGKIT_CACHE", str(tmp_path / "shared"))
    Vectors(build.TOY).of(["a"], QUERY)
    monkeypatch.setenv("RAGKIT_RESULTS", str(tmp_path / "others"))
    assert Vectors(Encoder("toy", never)).of(["a"], QUERY).tolist() == halves(["a"]).tolist()
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.sqlite")] == ["shared/vectors.sqlite"]


PUT = """
import sys
import build
from ragkit import vectors
vectors.TOGETHER = 4
known = vectors.Vectors(build.TOY)
print("ready", flush=True)
sys.stdin.readline()
known.of([f"{word} {n}" for n in range(60) for word in ("both", sys.argv[1])], "query")
"""


def test_two_processes_may_write_the_cache_at_once() -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(build.ROOT), str(build.ROOT / "tests")))}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    commands = [[sys.executable, "-c", PUT, word] for word in ("one", "other")]
    writers = [subprocess.Popen(command, env=environment, **pipes) for command in commands]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert [writer.communicate(timeout=60) for writer in writers] == [("", "")] * 2
    assert [writer.returncode for writer in writers] == [0, 0]
    texts = [f"{word} {n}" for n in range(60) for word in ("both", "one", "other")]
    assert Vectors(Encoder("toy", never)).of(texts, QUERY).tolist() == halves(texts).tolist()


# Nearest


@cache
def drawn(chunks: int, questions: int, dimensions: int, spread: float, seed: int = 1) -> NDArray[np.float32]:
    """Random vectors of chunks, some of them the same, then of questions; the smaller the spread, the closer all."""
    rng = np.random.default_rng(seed)
    found = 1 + spread * rng.normal(size=(chunks + questions, dimensions))
    twice = rng.random(chunks) < 0.3
    found[:chunks][twice] = found[rng.integers(0, max(chunks // 4, 1), chunks)][twice]
    return found.astype(np.float32)


def drawn_space(chunks: int, questions: int, dimensions: int, spread: float) -> tuple[Space, list[str]]:
    """Those vectors as a corpus, and its questions."""
    rows = drawn(chunks, questions, dimensions, spread)
    texts = [f"text{n}" for n in range(len(rows))]
    model = Encoder("drawn", lambda: lambda asked: [rows[int(text[4:])] for text in asked])
    return Space(model, build.corpus(*texts[:chunks])), texts[chunks:]


def brute(about: Space, question: str, chunks: int) -> list[tuple[int, float]]:
    """All chunks by the definition, nearest first."""
    asked = about.vectors.of([question], QUERY)[0].astype(float)
    rows = about.vectors.of([f"text{n}" for n in range(chunks)], DOCUMENT).astype(float)
    found = [math.fsum(row * asked) / math.hypot(*row) / math.hypot(*asked) for row in rows]
    return sorted(enumerate(found), key=lambda item: (-round(item[1], 13), item[0]))


@pytest.mark.parametrize("k", [1, 5, 40, 41, 200])
@pytest.mark.parametrize(("dimensions", "spread"), [(2, 1), (2, 0.03), (16, 1), (16, 0.001), (384, 1), (384, 0.001)])
def test_the_nearest_are_those_of_brute_force(k: int, dimensions: int, spread: float) -> None:
    about, questions = drawn_space(41, 6, dimensions, spread)
    for question, near in zip(questions, about.nearest(questions, k), strict=True):
        places, expected = zip(*brute(about, question, 41)[:k], strict=True)
        assert tuple(near.places.tolist()) == places
        assert near.cosines.tolist() == pytest.approx(expected, abs=1e-12)


def test_of_equally_near_chunks_the_ids_decide() -> None:
    texts = [f"x{n}" for n in range(60)]
    model = build.fixed("model", q=[3, 4], **dict.fromkeys(texts, [1, 2]) | {"x7": [3, 4]})
    (near,) = Space(model, build.corpus(*texts)).nearest(["q"], 4)
    assert near.places.tolist() == [7, 0, 1, 2] and len(set(near.cosines)) == 2


def test_a_cosine_is_exact_whatever_the_length_of_the_kept_vector() -> None:
    model = build.fixed("model", q=[1, 3], leave=[10, 30], door=[3, 1])
    assert np.linalg.norm(Vectors(model).of(["q"], QUERY).astype(float)) != pytest.approx(1, abs=1e-5)
    (near,) = Space(model, build.corpus("leave", "door")).nearest(["q"], 2)
    assert near.places.tolist() == [0, 1] and near.cosines[0] == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("k", [1, 2, 9])
def test_one_chunk_is_the_nearest(k: int) -> None:
    near = Space(build.fixed("model", q=[1, 0], leave=[0, 1]), build.corpus("leave")).nearest(["q", "leave"], k)
    assert [(each.places.tolist(), each.cosines.tolist()) for each in near] == [([0], [0.0]), ([0], [1.0])]


def test_without_chunks_nothing_is_near_and_no_model_is_loaded() -> None:
    near = Space(Encoder("none", never), build.corpus("", "***")).nearest(["q", "", "q"], 5)
    assert [(each.places.tolist(), each.cosines.tolist()) for each in near] == [([], [])] * 3


def test_no_question_has_no_nearest() -> None:
    assert Space(build.TOY, build.corpus("leave")).nearest([], 5) == []


def test_many_questions_at_once_are_each_alone_to_the_bit() -> None:
    about, questions = drawn_space(150, 300, 384, 0.5)
    together = about.nearest(questions, 5)
    alone = [near for question in questions for near in about.nearest([question], 5)]
    assert len(together) == len(alone) == 300
    for first, second in zip(together, alone, strict=True):
        assert first.places.tobytes() == second.places.tobytes()
        assert first.cosines.tobytes() == second.cosines.tobytes()


def test_the_chunks_are_embedded_once_and_as_documents() -> None:
    model = Counting(tasks=True)
    about = Space(model, build.corpus("leave", "door"))
    about.nearest(["a"], 1), about.nearest(["b", "leave"], 1)
    assert model.asked == [["door", "leave"], ["a"], ["b", "leave"]]


def test_the_likeness_of_texts_is_their_cosine() -> None:
    about = Space(build.fixed("model", q=[1, 0], a=[1, 0], b=[0, 7], c=[-2, 0]), build.corpus())
    assert about.likeness("q", ["a", "b", "c", "a"]).tolist() == [1, 0, -1, 1]


def test_a_row_has_the_cosine_it_has_alone() -> None:
    rows = drawn(50, 1, 384, 1)
    alone = [cosines(rows[-1], row[None])[0] for row in rows]
    assert cosines(rows[-1], rows).tolist() == alone


def test_a_corpus_has_one_space_a_model() -> None:
    texts = build.corpus("leave")
    assert space(build.TOY, texts) is space(Encoder("toy", never), texts) is not space(MiniLM(), texts)
    assert space(build.TOY, texts) is not space(build.TOY, build.corpus("leave"))


def test_a_chunk_is_embedded_as_a_reader_sees_it() -> None:
    found = build.chunk("Read the [rules](rules.md).", "Leave", "Carry over")
    assert shown_text(found) == "Leave > Carry over\nRead the rules."
    assert shown_text(replace(found, path=(), lead="| [Days](d.md) |")) == "| Days |\nRead the rules."


# Beside the documents


def test_the_file_beside_the_documents_is_used(tmp_path: Path) -> None:
    here = tmp_path / "docs"
    here.mkdir()
    (here / "a.md").write_text("# Leave\n\nFive days.\n")
    assert corpus.read(here).vectors is None
    kept(here / "vectors.npz", build.TOY, "Leave\nFive days.", "q")
    shutil.rmtree(tmp_path / "results")
    folder = corpus.read(here)
    assert folder.vectors == here / "vectors.npz"
    about = SYSTEMS["passage"].on(folder).corpus
    assert space(Encoder("toy", never), about).nearest(["q"], 5)[0].places.tolist() == [0]


def test_ready_made_chunks_may_have_a_file_too(tmp_path: Path) -> None:
    file = kept(tmp_path / "v.npz", build.TOY, "leave", "q")
    shutil.rmtree(tmp_path / "results")
    about = Corpus.of_chunks([build.chunk("leave")], vectors=file)
    assert space(Encoder("toy", never), about).nearest(["q"], 5)[0].places.tolist() == [0]


# The committed file

KEPT = build.KESTREL / corpus.VECTORS
TOLERANCE = 0.002  # half precision takes 0.00025 from a number below 0.5, other processors add in another order


@cache
def embedded() -> dict[str, list[str]]:
    """What the systems embed of the documents, and the questions about them."""
    chunks = SYSTEMS["passage"].on(corpus.read(build.KESTREL)).corpus.chunks
    said = [visible(each.quote) for chunk in chunks for each in sentences(chunk)]
    with (build.GOLDEN / "kestrel.csv").open(encoding="utf-8", newline="") as file:
        questions = [row["question"] for row in csv.DictReader(file)]
    return {"chunks": [*map(shown_text, chunks)], "sentences": [*filter(str.strip, said)], "questions": questions}


@cache
def sample() -> list[str]:
    rng = random.Random(3)
    return [text for texts in embedded().values() for text in rng.sample(texts, 14)][:40]


@cache
def originals() -> NDArray[np.float64]:
    found = build.minilm()(sample(), QUERY).astype(float)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


@pytest.mark.parametrize("kind", ["chunks", "sentences", "questions"])
def test_all_that_is_embedded_is_in_the_committed_file(kind: str) -> None:
    found = Vectors(Encoder(MiniLM().key(QUERY), never), KEPT).of(embedded()[kind], QUERY)
    assert found.shape == (len(embedded()[kind]), 384)


def test_the_committed_vectors_are_those_of_the_model() -> None:
    found = Vectors(MiniLM(), KEPT).of(sample(), DOCUMENT)
    assert len(found) == 40
    np.testing.assert_allclose(found.astype(float), originals(), rtol=0, atol=TOLERANCE)
    assert min(cosines(own, row[None])[0] for own, row in zip(originals(), found, strict=True)) >= 0.9999


def test_half_precision_moves_a_cosine_by_less_than_0_0002() -> None:
    halved = Vectors(MiniLM(), KEPT).of(sample(), QUERY)
    moved = [cosines(own, halved) - cosines(exact, originals()) for own, exact in zip(halved, originals(), strict=True)]
    assert 0 < np.abs(moved).max() < 2e-4


def test_the_committed_file_is_what_the_command_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "_minilm", never)
    monkeypatch.setattr(study, "_is_ours", lambda folder: True)
    shutil.copytree(build.KESTREL, tmp_path / "kestrel")
    study.keep_vectors(tmp_path / "kestrel")
    assert (tmp_path / "kestrel" / corpus.VECTORS).read_bytes() == KEPT.read_bytes()
