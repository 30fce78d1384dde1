"""Runs a system over golden rows, judges each row, and compares runs.

A system is anything that takes questions and gives answers: a bot, a recording, a command. Every row gives one outcome,
whatever happens to it. Judging is lexical: it reads words and quotes, it does not understand them.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ragkit.check import Same, holds, support, words
from ragkit.compare import mcnemar_exact
from ragkit.metrics import faithful
from ragkit.places import Places, cites_line, relevant, version_correct
from ragkit.records import ANSWER, ERROR, REFUSE, Answer, BadInput, Golden, Outcome, Ranking

AskAll = Callable[[Sequence[str]], Sequence[Answer]]
Signals = Callable[[Ranking], Mapping[str, float]]
Judge = Callable[[Outcome], bool | None]

COLUMNS = (
    "system", "corpus", "golden", "id", "category", "answerable", "outcome", "gate", "concept", "score", "cosine",
    "coverage", "cites", "faithful", "recalled", "correct", "reason_right", "error", "version_correct",
    "cites_line",
)  # fmt: skip


def run(
    ask_all: AskAll,
    golden: Sequence[Golden],
    *,
    system: str,
    k: int,
    same: Same = operator.eq,
    signals: Signals | None = None,
    places: Places | None = None,
) -> list[Outcome]:
    """One outcome for each golden row, in order; a system that asks one by one goes through `each`.

    When the batch raises, the questions are asked singly, so that one that breaks does not take the others along.
    `same` tells whether two words are forms of one (for reasons), `signals` gives the numbers kept with an outcome,
    `places` has the documents, without which version and line of what is cited are not judged.
    BadInput passes through, and so does a wrong number of answers: they are errors of the run and not of a row.
    """
    questions = [row.question for row in golden]
    try:
        answers = list(ask_all(questions))
    except BadInput:
        raise
    except Exception:  # whatever a system may raise
        answers = list(each(lambda question: _only(ask_all([question])))(questions))
    if len(answers) != len(golden):
        raise BadInput(f"{system}: {len(answers)} answers to {len(golden)} questions; it must give one answer to each")
    pairs = zip(golden, map(_sound, answers, questions), strict=True)
    return [judge(row, answer, system=system, k=k, same=same, signals=signals, places=places) for row, answer in pairs]


def each(ask: Callable[[str], Answer]) -> AskAll:
    """A batch of single questions, in which a question that raises is answered with its error."""

    def one(question: str) -> Answer:
        try:
            return ask(question)
        except BadInput:
            raise
        except Exception as error:  # whatever a system may raise
            return Answer(question, ERROR, error=_line(f"{type(error).__name__}: {error}"))

    return lambda questions: [one(question) for question in questions]


def judge(
    golden: Golden,
    answer: Answer,
    *,
    system: str,
    k: int,
    same: Same = operator.eq,
    signals: Signals | None = None,
    places: Places | None = None,
) -> Outcome:
    """What an answer is worth against its golden row; an answer that is an error is not judged at all."""
    if answer.outcome == ERROR:
        return Outcome(system, golden, answer)
    claims, supported = support(answer)
    recall, rank = retrieved(golden, answer.ranking, k)
    stated, reason = correct(golden, answer), reason_right(golden, answer, same)
    numbers = dict(signals(answer.ranking)) if signals else {}
    found = Outcome(system, golden, answer, claims, supported, rank, recall, stated, reason, numbers)
    if places is None:
        return found
    version, line = version_correct(golden, answer, places), cites_line(golden, answer, places)
    return replace(found, version_correct=version, cites_line=line)


def retrieved(golden: Golden, ranking: Ranking, k: int) -> tuple[float, int] | tuple[None, None]:
    """Share of the row's sources among the first k hits, and the place of the first relevant hit, 0 for none."""
    sources, chunks = set(golden.sources), [hit.chunk for hit in ranking.hits]
    if not golden.answerable or not sources:
        return None, None
    found = {source for source in sources for chunk in chunks[:k] if relevant(chunk, source)}
    places = (n for n, chunk in enumerate(chunks, 1) if any(relevant(chunk, source) for source in sources))
    return len(found) / len(sources), next(places, 0)


def correct(golden: Golden, answer: Answer) -> bool | None:
    """Whether an answer states all key facts and nothing forbidden; None for what has no facts or did not answer.

    A fact is found as whole words in a row: `5 days` does not stand in `25 days`, nor `10 %` in `10 days`.
    """
    if answer.outcome != ANSWER or not golden.answerable or not golden.facts:
        return None
    said = words(answer.text)
    stated = all(holds(said, words(fact)) for fact in golden.facts)
    return stated and not any(holds(said, words(text)) for text in golden.forbidden)


def reason_right(golden: Golden, answer: Answer, same: Same = operator.eq) -> bool | None:
    """Whether a right refusal names one of the row's concepts, in whole words; None where there is nothing to judge."""
    if answer.outcome != REFUSE or golden.answerable or not golden.concepts:
        return None
    named = words(answer.verdict.concept)
    return any(holds(named, words(concept), same) for concept in golden.concepts)


def outcomes_table(outcomes: Sequence[Outcome], corpus: str, golden: str) -> list[dict[str, object]]:
    """The rows of outcomes.csv: ids and numbers, and no text of a document or an answer."""
    return [{"system": o.system, "corpus": corpus, "golden": golden, **_cells(o)} for o in outcomes]


def _cells(outcome: Outcome) -> dict[str, object]:
    row, answer = outcome.golden, outcome.answer
    return {
        "id": row.id,
        "category": row.category,
        "answerable": row.answerable,
        "outcome": answer.outcome,
        "gate": answer.verdict.gate,
        "concept": answer.verdict.concept,
        "score": answer.ranking.hits[0].score if answer.ranking.hits else None,
        "cosine": outcome.signals.get("cosine"),
        "coverage": outcome.signals.get("coverage"),
        "cites": len(answer.citations),
        "faithful": faithful(outcome),
        "recalled": outcome.recall,
        "correct": outcome.correct,
        "reason_right": outcome.reason_right,
        "error": _line(answer.error),
        "version_correct": outcome.version_correct,
        "cites_line": outcome.cites_line,
    }


def held(outcome: Outcome) -> bool:
    """The pass rule of a row: the right verdict, and where facts stand an answer that states them. An error is no pass.

    Always answering fails it on every unanswerable row, always refusing on every answerable one.
    """
    return outcome.right is True and outcome.correct is not False


def recorded(outcome: Outcome) -> bool:
    """Whether a record says on what it rests: a refusal on a gate and a reason, an answer on a citation."""
    answer = outcome.answer
    if answer.outcome == REFUSE:
        return bool(answer.verdict.gate and answer.verdict.reason)
    return answer.outcome == ANSWER and bool(answer.citations)


@dataclass(frozen=True, slots=True)
class Changes:
    """Ids against a baseline: `broken` held before, `mended` did not, `unknown` are new, `missing` were not asked."""

    broken: tuple[str, ...]
    mended: tuple[str, ...]
    unknown: tuple[str, ...]
    missing: tuple[str, ...]


def compare(baseline: Mapping[str, bool], outcomes: Sequence[Outcome]) -> Changes:
    """What one system's run changes against what held before, by id."""
    now = {name: held(outcome) for name, outcome in _by_id(outcomes).items()}
    return Changes(
        broken=tuple(name for name in now if baseline.get(name) is True and not now[name]),
        mended=tuple(name for name in now if baseline.get(name) is False and now[name]),
        unknown=tuple(name for name in now if name not in baseline),
        missing=tuple(name for name in baseline if name not in now),
    )


@dataclass(frozen=True, slots=True)
class Paired:
    """Two runs on the rows both scored; `p` is the exact McNemar test of b = len(only_a) against c = len(only_b)."""

    scored: int
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    left_out: tuple[str, ...]
    p: float


def paired(a: Sequence[Outcome], b: Sequence[Outcome], *, right: Judge = lambda o: o.right) -> Paired:
    """Compares two runs on the rows that both scored, so that a failed row is nobody's gain.

    `right` is what counts as right, None for not scored. Runs over other rows do not compare and are bad input.
    """
    first, second = _by_id(a), _by_id(b)
    _check_same(first, second)
    marks = {name: (right(first[name]), right(second[name])) for name in first}
    left_out = tuple(name for name in marks if None in marks[name])
    only_a = tuple(name for name in marks if marks[name] == (True, False))
    only_b = tuple(name for name in marks if marks[name] == (False, True))
    return Paired(len(marks) - len(left_out), only_a, only_b, left_out, mcnemar_exact(len(only_a), len(only_b)))


def _check_same(first: Mapping[str, Outcome], second: Mapping[str, Outcome]) -> None:
    if differ := sorted(first.keys() ^ second.keys()):
        raise BadInput(f"{_few(differ)}: only in one of the two runs; compare runs over the same golden file")
    for name in first:
        for field in ("answerable", "question"):
            if getattr(first[name].golden, field) != getattr(second[name].golden, field):
                raise BadInput(f"{name}: another {field} in each of the two runs; run both over the same golden file")


def _by_id(outcomes: Sequence[Outcome]) -> dict[str, Outcome]:
    times = Counter(outcome.golden.id for outcome in outcomes)
    if twice := [name for name in times if times[name] > 1]:
        raise BadInput(f"{_few(twice)}: more than one outcome; give the run of one system")
    return {outcome.golden.id: outcome for outcome in outcomes}


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _only(answers: Sequence[Answer]) -> Answer:
    if len(answers) != 1:
        raise ValueError(f"{len(answers)} answers to 1 question")
    return answers[0]


def _sound(answer: Answer, question: str) -> Answer:
    """The answer, or an error in its place when it is none of the three outcomes or belongs to another question."""
    if not isinstance(answer, Answer):
        return Answer(question, ERROR, error=f"the system returned {type(answer).__name__} for an Answer")
    if answer.question.split() != question.split():
        return Answer(question, ERROR, error="the answer is to another question")
    known = answer.outcome in (ANSWER, REFUSE, ERROR)
    return answer if known else Answer(question, ERROR, error=_line(f"unknown outcome {answer.outcome!r}"))


def _line(text: str) -> str:
    return " ".join(text.split())[:200]
