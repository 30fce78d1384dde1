"""Studies of the corpora here: their vectors are kept, all of them and no other, and need no model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import build
import numpy as np
import pytest

from ragkit import corpus, evaluate, job, models, notebooks, study, vectors
from ragkit.dense import Dense
from ragkit.models import DOCUMENT, QUERY, Encoder, MiniLM, NotAvailable
from ragkit.records import BadInput
from ragkit.systems import SYSTEMS
from tests.stub import Stub, gemini
from tests.toys import use_results

FOLDERS = sorted(path for path in (build.ROOT / "corpus").iterdir() if path.is_dir())
every_folder = pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
AGAIN = "run `ragkit index --vectors`"


def no_model() -> models.Encode:
    raise NotAvailable("no model here")


@pytest.fixture
def without_a_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RAGKIT_RESULTS", str(tmp_path))
    monkeypatch.setattr(models, "_minilm", no_model)


def keys(folder: Path) -> set[bytes]:
    pairs = study.embedded_texts(corpus.read(folder))
    return {vectors._key(text, MiniLM().key(task)) for text, task in pairs}


@every_folder
def test_every_vector_is_kept_and_no_other(folder: Path) -> None:
    assert set(vectors.read(folder / corpus.VECTORS)) == keys(folder), AGAIN


def test_the_main_job_needs_no_model(without_a_model: None) -> None:
    runs, lacking = job.evaluated()
    assert lacking == [] and {run.system for run in runs} == set(SYSTEMS)


def test_without_a_model_lexical_systems_run_and_the_others_are_told(
    without_a_model: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = build.folder(
        a="# Leave\n\nThe leave is 25 days a year, on top of public holidays; unused days are lost at its end.\n"
    )
    monkeypatch.setattr(job, "_corpora", lambda: [(folder, [build.GOLDEN / "nulls.csv"])])
    runs, lacking = job.evaluated()
    assert {run.system for run in runs} == {
        system.name for system in SYSTEMS.values() if study.embedding(system) is None
    }
    assert lacking[-1] == "not run: cosine on nulls: no model here" and len(lacking) == 5


def test_only_a_system_with_vectors_keeps_a_cosine() -> None:
    folder = corpus.read(build.KESTREL)
    with_vectors, without = (
        study.evaluated(SYSTEMS[name], folder, build.GOLDEN / "kestrel.csv").outcomes for name in ("cosine", "passage")
    )
    assert all(-1 <= outcome.signals["cosine"] <= 1 for outcome in with_vectors)
    assert all("cosine" not in outcome.signals for outcome in without)


def test_the_index_command_writes_the_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ragkit: Callable[..., tuple[int, str, str]]
) -> None:
    monkeypatch.setenv("RAGKIT_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(study, "MiniLM", lambda: Encoder("toy", lambda: toy))
    (tmp_path / "a.md").write_text("# Leave\n\nThe leave is 25 days.\n")
    code, out, err = ragkit("index", "--vectors", "--corpus", str(tmp_path))
    assert code == 0 and "1 chunks" in out and "vectors" not in out
    folder = corpus.read(tmp_path)
    assert folder.vectors == tmp_path / "vectors.npz" and f"{len(vectors.read(folder.vectors))} vectors" in err
    before = folder.vectors.read_bytes()
    assert ragkit("index", "--vectors", "--corpus", str(tmp_path))[0] == 0 and folder.vectors.read_bytes() == before


@pytest.mark.parametrize("broken", [b"", b"garbage", b"PK\x03\x04cut"])
def test_the_index_command_replaces_a_broken_file(
    broken: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ragkit: Callable[..., tuple[int, str, str]]
) -> None:
    use_results(tmp_path, monkeypatch)
    monkeypatch.setattr(study, "MiniLM", lambda: Encoder("toy", lambda: toy))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Leave\n\nThe leave is 25 days.\n")
    (tmp_path / "docs" / "vectors.npz").write_bytes(broken)
    assert ragkit("index", "--vectors", "--corpus", str(tmp_path / "docs"))[0] == 0
    assert len(vectors.read(tmp_path / "docs" / "vectors.npz")) == 2  # the chunk and its sentence


@pytest.mark.parametrize("name", ["kestrel", "baseline", "*", "**"])
def test_a_folder_elsewhere_brings_no_questions_of_ours_whatever_its_name(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "a.md").write_text("# Leave\n\nThe leave is 25 days.\n")
    found = corpus.read(tmp_path / name)
    assert len(study.embedded_texts(found, ours=study._is_ours(tmp_path / name))) == 2
    assert study._is_ours(build.KESTREL)


@pytest.mark.parametrize("names", [("", "kestrel"), ("kestrel", "")])
def test_a_study_of_no_name_is_bad_input(names: tuple[str, str]) -> None:
    with pytest.raises(BadInput, match="one of them is empty"):
        study.Study(*names)


def toy(texts: list[str]) -> np.ndarray:
    return np.array([[1.0, len(text), text.count("e")] for text in texts])


@pytest.mark.parametrize(("name", "backend"), [("passage", "bm25"), ("cosine", "hybrid")])
def test_a_run_tells_what_it_was_retrieved_by(name: str, backend: str) -> None:
    assert study.backend(SYSTEMS[name]) == backend
    assert study.backend(replace(SYSTEMS[name], retriever=Dense())) == "dense"


# Documents that say nothing


def test_shuffled_documents_have_the_same_words_in_chunks_of_the_same_length() -> None:
    full = SYSTEMS["passage"].on(corpus.read(build.KESTREL)).corpus
    dealt = study.shuffled(full)
    words = [[study.visible(chunk.text).split() for chunk in each.chunks] for each in (full, dealt)]
    assert [len(part) for part in words[0]] == [len(part) for part in words[1]]
    assert Counter(sum(words[0], [])) == Counter(sum(words[1], [])) and words[0] != words[1]
    assert [chunk.text for chunk in study.shuffled(full).chunks] == [chunk.text for chunk in dealt.chunks]
    assert not any(chunk.path or chunk.lead for chunk in dealt.chunks)


# Models by name


def test_a_model_is_found_by_name() -> None:
    assert study.embedding_model("minilm") == MiniLM()
    assert study.embedding_model("gemini").key(QUERY) != study.embedding_model("gemini").key(DOCUMENT)


def test_an_unknown_model_lists_the_known_ones() -> None:
    with pytest.raises(BadInput, match="'bert': unknown; use minilm or gemini"):
        study.embedding_model("bert")


def test_a_notebook_with_a_key_goes_to_the_runs_and_pays_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("google.genai")
    notebook = build.ROOT / "notebooks" / "02_embeddings_look_sure.ipynb"
    before, results = notebook.read_bytes(), use_results(tmp_path, monkeypatch)
    with Stub(gemini) as service:
        monkeypatch.setenv("GEMINI_API_KEY", "a-key-of-nobody")
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", service.url)
        for _ in range(2):
            asked = len(service.requests)
            (run,) = notebooks.run([notebook], parameters={"model": "gemini"}, progress=False)
            assert run.status == notebooks.RAN, run.message
        assert asked == len(service.requests) > 10
    assert notebook.read_bytes() == before
    made = [path for path in results.rglob("*") if path.is_file()]
    assert {path.relative_to(results).parts[0] for path in made} == {"runs", "cache"}
    assert not any(b"a-key-of-nobody" in path.read_bytes() for path in made)


def test_every_record_of_every_system_says_on_what_it_rests() -> None:
    runs, lacking = job.evaluated()
    assert lacking == []
    assert [(*run.key, o.golden.id) for run in runs for o in run.outcomes if not evaluate.recorded(o)] == []
    assert {(run.system, run.golden) for run in runs} == set(product(SYSTEMS, {run.golden for run in runs}))
