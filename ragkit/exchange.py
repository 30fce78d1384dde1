"""Systems that are not ours, asked as they are: a command, an address, a function of Python.

What fails is an answer with an error of one line. An attempt that may pass is made again; a reply is never asked for
again, whatever it says. No reply can be taken for that to another question, see `transport.py`.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, ClassVar, Protocol

from ragkit import transport
from ragkit.records import Answer, BadInput, Outcome
from ragkit.reply import NO_RANKING, cited, error_answer, from_wording, read
from ragkit.tables import rate
from ragkit.transport import MOST_SAID, TICK, Failed, clean

Ask = Callable[[str], Answer]
AskAll = Callable[[Sequence[str]], list[Answer]]

FIRST_WAIT, LONGEST_WAIT, LONGEST_TIMEOUT = 0.5, 60.0, 86_400.0  # seconds
MOST_RETRIES = 100


class Target(Protocol):
    """A choice of what is asked, in a word `kind`; `retries` is how often what may pass is tried again unless told.

    `ready` gives what makes one attempt, or tells bad input; `over` is set when nobody waits.
    """

    kind: ClassVar[str]
    retries: ClassVar[int]

    def ready(self, timeout: float, over: threading.Event) -> Callable[[str], object]: ...


@dataclass(frozen=True)
class Command:
    """A program, started without a shell for each question.

    `{question}` stands for the question wherever it is in an argument; without it, the question and nothing else is the
    standard input. The reply is what it writes to standard output, in UTF-8, before it ends with 0. What is left of its
    process group then, or after `timeout` seconds, is killed. A timeout and another end than 0 are tried again.
    """

    line: str
    kind: ClassVar[str] = "command"
    retries: ClassVar[int] = 1

    def ready(self, timeout: float, over: threading.Event) -> Callable[[str], object]:
        return partial(transport.output, transport.split(self.line), timeout=timeout, over=over)


@dataclass(frozen=True, repr=False)
class Http:
    """An address that takes `{"question": ...}` by POST; the reply is the body, in UTF-8, of a status from 200 to 299.

    A user and password in it are sent as basic authorization; they and what stands after `?` are in no message.
    A timeout, a broken connection, 429 and 5xx are tried again. Redirects are not followed.
    """

    url: str
    kind: ClassVar[str] = "http"
    retries: ClassVar[int] = 2

    def __repr__(self) -> str:
        return f"Http({transport.place(self.url)!r})"

    def ready(self, timeout: float, over: threading.Event) -> Callable[[str], object]:
        post = transport.poster(self.url, timeout=timeout)
        return lambda asked: transport.within(timeout, lambda: post(asked))


@dataclass(frozen=True)
class Function:
    """`package.module:function`, which is called with the question and returns a text, a dict or an Answer.

    The working folder is looked in last. A call has a thread of its own; after `timeout` seconds it is left alone.
    A timeout and whatever it raises are tried again, but BadInput ends the run.
    """

    name: str
    kind: ClassVar[str] = "python"
    retries: ClassVar[int] = 1

    def ready(self, timeout: float, over: threading.Event) -> Callable[[str], object]:
        call = _imported(self.name)
        return lambda asked: transport.within(timeout, lambda: call(asked))


@dataclass(frozen=True)
class Foreign:
    """A system that is not ours: what is asked, its name in tables, how many questions are asked at a time, the seconds
    it has for a reply, and how often an attempt that may pass is made again, by default as often as its target says."""

    target: Target
    name: str = "ask"
    jobs: int = 1
    timeout: float = 60.0
    retries: int | None = None

    def __post_init__(self) -> None:
        if not self.name or self.name != clean(self.name):
            raise BadInput(f"name {self.name!r}: must be a text in one line without spaces around it")
        if self.jobs < 1:
            raise BadInput(f"jobs {self.jobs}: must be at least 1")
        if not 0 < self.timeout <= LONGEST_TIMEOUT:
            raise BadInput(f"timeout {self.timeout:g}: must be above 0 and at most {LONGEST_TIMEOUT:.0f} seconds")
        if self.retries is not None and not 0 <= self.retries <= MOST_RETRIES:
            raise BadInput(f"retries {self.retries}: must be from 0 to {MOST_RETRIES}")

    def ready(self, *, progress: bool = False) -> AskAll:
        """Gives answers in the order of the questions. Bad input is told here, before anything is asked."""
        over = threading.Event()
        retries = self.target.retries if self.retries is None else self.retries
        ask = _trying(self.target.ready(self.timeout, over), retries, over)
        return lambda questions: _all(ask, questions, jobs=self.jobs, over=over, progress=progress)


def foreign(said: str | None, *, system: bool = False, **options: Any) -> Foreign | None:  # noqa: ANN401
    """What `eval --ask` and its options say, None where one was not given; `system` tells that --system was."""
    given = {option: value for option, value in options.items() if value is not None}
    if said is None and given:
        raise BadInput(f"--{next(iter(given))} is about --ask; give both or neither")
    if said is None:
        return None
    if system:
        raise BadInput("--ask and --system name two systems; give one of them")
    kind: Any = Http if re.match("https?://", said, re.IGNORECASE) else Command
    if said.startswith("python:"):
        kind, said = Function, said.removeprefix("python:")
    return Foreign(kind(said), **given)


def lines(outcomes: Sequence[Outcome]) -> list[str]:
    """What is to be told of answers beside their measures: citations, and how far a reading of their wording goes."""
    wording, sources = _wording(outcomes), cited(outcomes)
    told = [f"{wording['count']} of {len(outcomes)} rows: {wording['line']}"] if wording["count"] else []
    return [*told, f"cites a source of its row: {rate(sources)}"]


def as_json(run: dict[str, Any], outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The same as data, beside that of the run. Where no ranking is shown nobody looked for claims, so that of answers
    without any nothing is said."""
    known = all(outcome.answer.ranking != NO_RANKING for outcome in outcomes)
    measured = [row for row in run["metrics"] if known or row["metric"] != "without_claims"]
    told = {"cited_sources": asdict(cited(outcomes)), "read_from_wording": _wording(outcomes)}
    return run | {"metrics": measured} | told


def _wording(outcomes: Sequence[Outcome]) -> dict[str, object]:
    from ragkit import detect

    count = from_wording(outcomes)
    return {"count": count, "line": detect.told() if count else ""}


def _imported(name: str) -> Callable[[str], object]:
    """The function `package.module:name`, in which whatever it raises, but BadInput, is `Failed`; bad input when it is
    not there. The working folder is looked in last."""
    module, _, path = name.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:  # whatever the module does when it is imported
        said = clean(f"{type(error).__name__}: {error}")[:MOST_SAID]
        raise BadInput(f"python:{clean(name)}: {said}; name a function as package.module:function") from None
    if not callable(found):
        raise BadInput(f"python:{clean(name)}: is no function; name one as package.module:function")

    def call(question: str) -> object:
        try:
            return found(question)
        except BadInput:
            raise
        except BaseException as error:  # sys.exit among it
            raise Failed(type(error).__name__, str(error), passing=True) from None

    return call


def _trying(once: Callable[[str], object], retries: int, over: threading.Event) -> Ask:
    """Makes an attempt again when it may pass; the time between two doubles, but is what the other side asks for."""

    def ask(question: str) -> Answer:
        attempt = 1
        while True:
            try:
                return read(question, once(question), refused=_refused)
            except Failed as error:
                failed = error
            wait = max(failed.wait, min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT))
            if not failed.passing or attempt > retries or wait > LONGEST_WAIT or over.wait(wait):
                return error_answer(question, failed, attempts=attempt)
            attempt += 1

    return ask


def _refused(text: str) -> bool:
    from ragkit import detect

    return detect.refused(text)


# Many questions


def _all(ask: Ask, questions: Sequence[str], *, jobs: int, over: threading.Event, progress: bool) -> list[Answer]:
    """Answers in the order of the questions. Bad input and Ctrl-C end it at once, and the programs that still run."""
    from multiprocessing.pool import ThreadPool

    answers: dict[int, Answer] = {}
    with _bar(len(questions), progress) as advance, ThreadPool(min(jobs, len(questions)) or 1) as pool:
        try:
            for number, answer in pool.imap_unordered(partial(_guarded, ask, over), enumerate(questions)):
                if isinstance(answer, BaseException):
                    raise answer
                answers[number] = answer
                advance()
        except BaseException:
            over.set()
            time.sleep(5 * TICK)  # for programs to be killed; nothing else is waited for
            raise
    return [answers[number] for number in range(len(questions))]


def _guarded(ask: Ask, over: threading.Event, numbered: tuple[int, str]) -> tuple[int, Answer | BaseException]:
    """An answer, whatever happens, so that no question takes the others along; or what ends the run, and then nothing
    more is asked."""
    number, question = numbered
    if over.is_set():
        return number, error_answer(question, Failed("stopped"))
    try:
        return number, ask(question)
    except BaseException as error:
        if isinstance(error, Exception) and not isinstance(error, BadInput):
            return number, error_answer(question, Failed(type(error).__name__, str(error)))
        over.set()
        return number, error


@contextmanager
def _bar(total: int, progress: bool) -> Iterator[Callable[[], None]]:
    """Something to look at on a terminal; gives what moves it on."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    shown = progress and console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=not shown) as bar:
        line = bar.add_task("", total=total)
        yield lambda: bar.advance(line)
