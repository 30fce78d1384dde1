"""Answers of language models: a prompt, the reply to it, and replies that are recorded and replayed.

A choice of model costs nothing until `load()`. A reply that is not whole says so in `stopped` and is no answer:

    ask = Recorded(GeminiText("gemini-3.8-flash")).load()
    reply = ask(Prompt("Answer from the passages.", "..."))
    answered(question, reply)                     # an Answer: answer, refuse or error
    ask.made, ask.replayed, spent([reply])        # calls that reached the model, and what they cost
"""

from __future__ import annotations

import contextlib
import json
import re
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ragkit.files import cache, fingerprint, read_text, shown, write_text
from ragkit.models import NotAvailable
from ragkit.records import ANSWER, ERROR, REFUSE, Answer, BadInput, ModelFailed, Spent, Verdict

END, LENGTH, SAFETY, EMPTY, OTHER = "end", "length", "safety", "empty", "other"
STOPS = (END, LENGTH, SAFETY, EMPTY, OTHER)
NO_ANSWER = "NO_ANSWER"  # what a prompt asks the model to say when the passages do not
GATE = "model"
FENCED = re.compile(r"^ {0,3}(```+|~~~+)[^\n`]*\n(.*?)(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Prompt:
    """What a model is sent; half a surrogate pair becomes a question mark."""

    system: str
    user: str

    def __post_init__(self) -> None:
        for name in ("system", "user"):
            object.__setattr__(self, name, _text(getattr(self, name)))


@dataclass(frozen=True)
class Reply:
    """What came of one prompt. `stopped` is `end` for a whole reply; for any other `reason` says why in a few words.

    `text` of a reply that was cut is what there is of it. `model` is what the service says it was. `tokens_in` and
    `tokens_out`, thoughts included, are None where the service does not tell. `cost` is in US dollars, None if unknown.
    """

    text: str
    model: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    stopped: str = END
    reason: str = ""

    def __post_init__(self) -> None:
        for name in ("text", "model", "reason"):
            object.__setattr__(self, name, _text(getattr(self, name)))
        if self.stopped not in STOPS:
            raise ValueError(f"stopped: must be one of {', '.join(STOPS)}, is {self.stopped!r}")
        if self.stopped == END and not self.text.strip():
            object.__setattr__(self, "stopped", EMPTY)
            object.__setattr__(self, "reason", "blank text" if self.text else "no text")

    @property
    def whole(self) -> bool:
        return self.stopped == END


def _text(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


Ask = Callable[[Prompt], Reply]


class Generate(Protocol):
    """A choice of language model: a frozen dataclass, so that what is made of it is made once."""

    def __hash__(self) -> int: ...

    def key(self) -> str:
        """The model and its settings: what replies are recorded under, and no secret."""

    def load(self) -> Ask:
        """The function from a prompt to a reply. It raises ModelFailed when the service fails for good; NotAvailable
        when there is no key or no package."""


@dataclass(frozen=True)
class Function:
    """A model that is a function of ours from a prompt to a reply or its text, under a name; it costs nothing."""

    name: str
    function: Callable[[Prompt], Reply | str] = field(compare=False, repr=False)

    def key(self) -> str:
        return f"function {self.name}"

    def load(self) -> Ask:
        return lambda prompt: _reply(self.function(prompt), self.name)


@dataclass(frozen=True)
class Scripted:
    """A model that gives these replies in turn, whatever it is asked, and ModelFailed after the last."""

    replies: tuple[Reply | str, ...]

    def key(self) -> str:
        return f"scripted {fingerprint(*map(repr, self.replies))}"

    def load(self) -> Ask:
        left = iter(self.replies)

        def ask(prompt: Prompt) -> Reply:
            for said in left:
                return _reply(said, "scripted")
            raise ModelFailed(f"scripted: asked more than {len(self.replies)} times")

        return ask


def _reply(said: Reply | str, model: str) -> Reply:
    return said if isinstance(said, Reply) else Reply(said, model, 0, 0, 0.0)


# Recordings


@dataclass(frozen=True)
class Recorded:
    """A model whose every reply is kept in results/cache/replies and given again to the same prompt, without a key.

    A reply that was cut, blocked or empty is kept as well: remove its file, named by the hash of the prompt, to ask
    again. With `replay_only` the model is never asked. Two threads that ask the same new prompt at once both ask.
    """

    generate: Generate
    replay_only: bool = False

    def key(self) -> str:
        return self.generate.key()

    def hash(self, prompt: Prompt) -> str:
        """What a prompt to this model is recorded under."""
        return fingerprint(self.key(), prompt.system, prompt.user)

    def load(self) -> Asked:
        return Asked(self)


class Asked:
    """A recorded model at work: of what it was asked, `made` calls reached the model and `replayed` did not."""

    def __init__(self, choice: Recorded) -> None:
        self.choice, self.made, self.replayed = choice, 0, 0
        self._ask: Ask | None = None
        self._lock = threading.Lock()

    def __call__(self, prompt: Prompt) -> Reply:
        """The recorded reply, else that of the model, which is recorded.

        NotAvailable names a prompt that has no recording and can not be asked now; ModelFailed as the model raises it;
        BadInput for a recording that is damaged or can not be written.
        """
        name = self.choice.hash(prompt)
        file = cache() / "replies" / f"{name}.json"
        about = {"key": self.choice.key(), "system": prompt.system, "user": prompt.user}
        with _writing(file.parent):
            there = file.exists()
        if not there:
            return self._recorded(prompt, self._model(name), file, about)
        reply = _replayed(file, about)
        with self._lock:
            self.replayed += 1
        return reply

    def _recorded(self, prompt: Prompt, ask: Ask, file: Path, about: dict[str, str]) -> Reply:
        with _writing(file.parent):  # before the call that costs
            file.parent.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=file.parent).close()
        with self._lock:
            self.made += 1
        reply = ask(prompt)
        if not _sound(reply):
            raise ModelFailed(f"{_line(reply.model)}: tokens or cost of the reply are no counts")
        with _writing(file):
            write_text(file, json.dumps(about | {"reply": asdict(reply)}, ensure_ascii=False, indent=1) + "\n")
        return reply

    def _model(self, name: str) -> Ask:
        never = f"prompt {name} to {self.choice.key()} was never recorded in {shown(cache() / 'replies')}"
        if self.choice.replay_only:
            raise NotAvailable(f"{never}; ask it once without replaying only")
        with self._lock:
            try:
                self._ask = self._ask or self.choice.generate.load()
            except NotAvailable as error:
                missing = str(error)
            else:
                return self._ask
        raise NotAvailable(f"{never}, and {missing}")


def _replayed(file: Path, about: dict[str, str]) -> Reply:
    try:
        data = json.loads(read_text(file))
        reply = Reply(**data["reply"])
        if {name: data[name] for name in about} != about or not _sound(reply):
            raise ValueError
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise BadInput(f"{shown(file)}: no recording of this prompt; remove the file to ask again") from None
    return reply


def _sound(reply: Reply) -> bool:
    counts = all(n is None or type(n) is int and 0 <= n < 10**12 for n in (reply.tokens_in, reply.tokens_out))
    return counts and (reply.cost is None or type(reply.cost) in (int, float) and 0 <= reply.cost < 1e12)


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        remedy = "allow writing there, or name another folder in RAGKIT_CACHE"
        raise BadInput(f"{shown(path)}: {error.strerror or error}; {remedy}") from None


# What a reply says


def answered(question: str, reply: Reply) -> Answer:
    """The answer that a reply is, citations aside: what is not whole is an error with its reason, and what there is of
    it stays in `text` for the reader; what begins with NO_ANSWER is a refusal of the gate `model`."""
    if not reply.whole:
        return Answer(question, ERROR, reply.text.strip(), error=_line(f"{reply.model}: {reply.reason}"))
    if re.match(rf"[\s\"'`*(\[]*{NO_ANSWER}(?!\w)", reply.text):
        return Answer(question, REFUSE, verdict=Verdict(GATE, reason="the model finds no answer in the passages"))
    return Answer(question, ANSWER, reply.text.strip())


def _line(said: str) -> str:
    return " ".join(said.split())


def unfenced(text: str) -> str:
    """What stands in the one code fence of a text, with or without words around it; else the text. A fence that is not
    closed ends with the text.

    >>> unfenced('Here it is:\\n```json\\n{"a": 1}\\n```\\nDone.')
    '{"a": 1}'
    """
    found = FENCED.findall(text)
    return (found[0][1] if len(found) == 1 else text).strip()


def as_json(text: str) -> Any:  # noqa: ANN401  # whatever JSON holds
    """The value of a text that is JSON, fenced or not; ModelFailed for any other, NaN and Infinity among them."""
    try:
        return json.loads(unfenced(text), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        said = _line(str(error))
    raise ModelFailed(f"the reply is no JSON: {said}")


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")


def spent(replies: Iterable[Reply]) -> Spent:
    """What replies cost when they were made; replayed ones cost nothing now (`Asked.made`).

    >>> print(spent([Reply("a", "m", 10, 2, 0.5), Reply("b", "m")]))
    2 calls, 10 + 2 tokens, 0.5000 USD and 1 without a known price
    """
    made = list(replies)
    known = [reply.cost for reply in made if reply.cost is not None]
    tokens_in, tokens_out = (sum(getattr(r, name) or 0 for r in made) for name in ("tokens_in", "tokens_out"))
    return Spent(len(made), tokens_in, tokens_out, sum(known), len(made) - len(known))
