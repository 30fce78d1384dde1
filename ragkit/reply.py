"""What a reply of a system that is not ours says, and what of it can be judged."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ragkit.chunk import slug
from ragkit.records import ANSWER, ERROR, REFUSE, Answer, Chunk, Citation, Outcome, Ranking, Rate, Verdict
from ragkit.transport import MOST, MOST_SAID, Failed, clean

WORDING = "read from the wording of the reply"  # the reason of a verdict that no key of the reply gives
NO_RANKING = Ranking("")


def read(question: str, reply: object, *, refused: Callable[[str], bool]) -> Answer:
    """The answer that a reply is, or an error that names what is wrong with it; nothing is raised.

    A JSON object, or a dict, has the keys of `ragkit ask --json`: `outcome` is answer, refuse or error; `text`, `gate`,
    `concept`, `reason` and `error` are texts; `citations` is a list of objects with `file`, `path` (list of headings),
    `line`, `page` (whole numbers), `quote`, `url`, `version` and `status`. Each may be missing, or null but for
    `outcome`; other keys are passed over. A `question` must be the one that was asked. Any other text, and the text of
    an object without `outcome`, is read by its wording, and the reason of the verdict then is WORDING. An Answer stays
    as it is.
    """
    try:
        if isinstance(reply, Answer):
            return _sound(reply)
        return _answer(question, reply if isinstance(reply, dict) else _parsed(reply), refused)
    except Failed as failed:
        return error_answer(question, failed)


def error_answer(question: str, failed: Failed, *, attempts: int = 1) -> Answer:
    """An answer that is an error of one line of at most MOST_SAID characters; of what was said the end is kept."""
    head = clean(failed.what)[: MOST_SAID // 2] + f" (attempts: {attempts})" * (attempts > 1)
    said, room = clean(failed.said), MOST_SAID - len(head) - 2
    tail = said if len(said) <= room else f"\u2026{said[len(said) - room + 1 :]}"
    return Answer(question, ERROR, error=f"{head}: {tail}" if said else head)


def _parsed(reply: object) -> dict[Any, Any]:
    """The JSON object that a text is, else an object that holds the text. JSON that is no object, text, number or truth
    fails, and so does what only begins like an object: it may be cut off, or be two."""
    if not isinstance(reply, str):
        raise Failed(f"the reply is of type {type(reply).__name__}; it must be a text, a dict or an Answer")
    if len(reply) > MOST:
        raise Failed(f"a reply of more than {MOST:,} characters")
    text = reply.strip()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as broken:
        if text.startswith("{"):
            raise Failed("the reply begins like a JSON object and is none", str(broken)) from None
        return {"text": text}
    if found is None or isinstance(found, list):
        raise Failed(f"the reply is the JSON of a {'null' if found is None else 'list'}; it must be an object or text")
    return found if isinstance(found, dict) else {"text": found if isinstance(found, str) else text}


def _answer(question: str, data: dict[Any, Any], refused: Callable[[str], bool]) -> Answer:
    outcome = data.get("outcome")
    if "outcome" in data and outcome not in (ANSWER, REFUSE, ERROR):
        raise Failed(f"outcome: must be {ANSWER}, {REFUSE} or {ERROR}", f"is {outcome!r}")
    asked, text, citations = _text(data, "question"), _text(data, "text"), _citations(data.get("citations"))
    if asked and asked.casefold().split() != question.casefold().split():
        raise Failed("the reply is to another question", asked)
    gate, concept, reason = (clean(_text(data, key))[:MOST_SAID] for key in ("gate", "concept", "reason"))
    if outcome == ERROR:
        failed = error_answer(question, Failed("the system reports an error", _text(data, "error") or reason or text))
        return replace(failed, text=text, citations=citations)
    if outcome != REFUSE and not any(map(str.isalnum, text)):
        raise Failed("the reply has no text", "" if "text" in data else f"its keys are {', '.join(map(str, data))}")
    if outcome is None:
        outcome, reason = REFUSE if refused(text) else ANSWER, WORDING
    return Answer(question, outcome, text, citations, Verdict((gate or "model") * (outcome == REFUSE), concept, reason))


def _text(data: dict[Any, Any], key: str, place: str = "") -> str:
    """The text under a key, empty when there is none; half a surrogate pair becomes a question mark."""
    found = data.get(key)
    if found is not None and not isinstance(found, str):
        raise Failed(f"{place}{key}: must be a text, is of type {type(found).__name__}")
    return (found or "").encode("utf-8", "replace").decode("utf-8")


def _citations(found: object) -> tuple[Citation, ...]:
    if found is None:
        return ()
    if not isinstance(found, list | tuple):
        raise Failed(f"citations: must be a list, is of type {type(found).__name__}")
    return tuple(_citation(each, f"citations[{n}]") for n, each in enumerate(found))


def _citation(found: object, place: str) -> Citation:
    """A citation with a chunk that holds what it says. Of headings that stand twice in a file it names the first."""
    if not isinstance(found, dict):
        raise Failed(f"{place}: must be an object, is of type {type(found).__name__}")
    file, quote = clean(_text(found, "file", f"{place}.")), _text(found, "quote", f"{place}.")
    path, line = found.get("path"), found.get("line")
    path, line = () if path is None else path, 1 if line is None else line
    if not isinstance(path, list | tuple) or not all(isinstance(each, str) for each in path):
        raise Failed(f"{place}.path: must be a list of texts")
    if not isinstance(line, int) or isinstance(line, bool):
        raise Failed(f"{place}.line: must be a whole number, is of type {type(line).__name__}")
    page = found.get("page")
    if page is not None and (not isinstance(page, int) or isinstance(page, bool)):
        raise Failed(f"{place}.page: must be a whole number, is of type {type(page).__name__}")
    labels = {name: clean(_text(found, name, f"{place}.")) for name in ("version", "status", "url")}
    headings = tuple(map(clean, path))
    anchor = slug(headings[-1]) if headings else ""
    sections = (f"{file}#{anchor}",) if anchor else ()
    chunk = Chunk("".join(sections) or file, file, quote, headings, (line, line), line, sections, page=page, **labels)
    return Citation(chunk, quote, line)


def _sound(answer: Answer) -> Answer:
    """The answer as it is, when its parts are what they are said to be."""
    verdict, cited = answer.verdict, answer.citations
    sound = isinstance(verdict, Verdict) and isinstance(answer.ranking, Ranking) and isinstance(cited, tuple)
    sound = sound and all(isinstance(each, Citation) and isinstance(each.chunk, Chunk) for each in cited)
    texts = (answer.question, answer.text, answer.error, verdict.gate, verdict.concept, verdict.reason) if sound else ()
    if not texts or not all(isinstance(each, str) for each in (*texts, *(each.quote for each in cited))):
        raise Failed("the Answer holds what no Answer holds; see ragkit/records.py")
    if answer.outcome == ANSWER and not any(map(str.isalnum, answer.text)):
        raise Failed("the Answer has no text")
    return answer


# What can be judged


def judged(outcome: Outcome) -> Outcome:
    """Without what can not be judged: support and recall where no ranking is shown, the reason of a refusal that names
    no concept, version and line where nothing is cited. Such rows are left out of those rates."""
    if outcome.answer.ranking == NO_RANKING:
        outcome = replace(outcome, claims=0, supported=0, rank=None, recall=None)
    if not outcome.answer.citations:
        outcome = replace(outcome, version_correct=None, cites_line=None)
    return outcome if outcome.answer.verdict.concept else replace(outcome, reason_right=None)


def cited(outcomes: Sequence[Outcome]) -> Rate:
    """Answers that cite a source of their row, over answered answerable rows that have sources. Left out are answers
    without a citation, and those that name the file alone where the source is one of its sections."""
    rows = [o for o in outcomes if o.golden.answerable and o.golden.sources and o.answer.outcome != REFUSE]
    known = [cites for cites in map(_cites, rows) if cites is not None]
    return Rate(sum(known), len(known), len(rows) - len(known))


def _cites(outcome: Outcome) -> bool | None:
    chunks = [citation.chunk for citation in outcome.answer.citations if citation.chunk.file]
    sources = set(outcome.golden.sources)
    if outcome.answer.outcome == ERROR or not chunks:
        return None
    if any(sources & {chunk.file, *chunk.sections} for chunk in chunks):
        return True
    files = {source.partition("#")[0] for source in sources}
    return None if any(chunk.file in files and not chunk.sections for chunk in chunks) else False


def from_wording(outcomes: Sequence[Outcome]) -> int:
    """How many outcomes were read from the wording of a reply."""
    return sum(outcome.answer.verdict.reason == WORDING for outcome in outcomes)
