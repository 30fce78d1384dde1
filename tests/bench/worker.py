"""An engine in a process of its own, which does one step when it is told to and says what that took."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from tests.bench.clock import Spent, Stopwatch
from tests.bench.corpus import Zipf
from tests.bench.engines import ENGINES, Index


class Worker:
    """The process, seen from outside: `worker.do("build")` waits until the step is done."""

    def __init__(self, engine: str, chunks: int, questions: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._engine = engine
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, engine, chunks, questions), daemon=True)
        self._process.start()
        theirs.close()

    def do(self, step: str, *args: object) -> Any:  # noqa: ANN401 - what the step returns
        """The result of a step, which is a method of `Steps`."""
        try:
            self._pipe.send((step, *args))
            return self._pipe.recv()
        except (EOFError, BrokenPipeError):
            raise SystemExit(f"the process of {self._engine} ended at {step!r}; what it said stands above") from None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *error: object) -> None:
        self._pipe.close()
        self._process.join()


class Steps:
    """What the process can be told to do. Both sides name questions by their places."""

    def __init__(self, engine: str, chunks: int, questions: int) -> None:
        corpus = Zipf(chunks)
        self._engine, self._chunks, self._questions = ENGINES[engine], corpus.chunks(), corpus.questions(questions)
        self._index: Index | None = None
        self._warm()

    def _warm(self) -> None:
        """A small index is built and asked: imports and compilers are not charged to what is measured."""
        index, question = self._engine(self._chunks[:200]), self._chunks[0][:5]
        index.one(question)
        index.many([question, question])

    def ready(self) -> None:
        """Answered as soon as the process has started, so that no start falls into what another measures."""

    def build(self) -> Spent:
        self._index = None
        with Stopwatch() as watch:
            self._index = self._engine(self._chunks)
        return watch.spent

    def singles(self, places: Sequence[int]) -> list[Spent]:
        """What each question takes."""
        spent = []
        for question in self._pick(places):
            with Stopwatch() as watch:
                self._index.one(question)
            spent.append(watch.spent)
        return spent

    def batch(self, places: Sequence[int]) -> Spent:
        """What a question takes when all are handed over at once."""
        questions = self._pick(places)
        with Stopwatch() as watch:
            self._index.many(questions)
        return Spent(*(seconds / len(questions) for seconds in watch.spent))

    def scores(self, places: Sequence[int]) -> np.ndarray:
        return np.array([self._index.scores(question) for question in self._pick(places)])

    def _pick(self, places: Sequence[int]) -> list[list[str]]:
        return [self._questions[place] for place in places]


def _serve(pipe: Connection, engine: str, chunks: int, questions: int) -> None:
    steps = Steps(engine, chunks, questions)
    while True:
        try:
            step, *args = pipe.recv()
        except EOFError:
            return
        pipe.send(getattr(steps, step)(*args))
