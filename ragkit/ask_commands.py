"""`ragkit ask`: one question, answered with what is cited, or refused."""

from __future__ import annotations

import json

from ragkit.options import CorpusOption, JsonOption, SystemOption, folder
from ragkit.records import REFUSE, Answer
from ragkit.systems import DEFAULT, named


def ask(
    question: str, system: SystemOption = DEFAULT, corpus: CorpusOption = "kestrel", as_json: JsonOption = False
) -> None:
    """Answer one question with cited passages, or refuse and say why.

    JSON keys: question, system, corpus, outcome, gate, concept, reason, text, citations (file, path, line, quote); a
    refusal has `citations: []`.
    """
    from ragkit.corpus import readable

    documents = readable(folder(corpus))
    chosen = named(system)
    answer = chosen.on(documents).ask(question)
    print(data(answer, chosen.name, documents.name) if as_json else text(answer))


def text(answer: Answer) -> str:
    """An answer for people."""
    if answer.outcome == REFUSE:
        return "\n".join(filter(None, (f"REFUSED (gate: {answer.verdict.gate})", answer.text, answer.verdict.reason)))
    places = [f"[{n}] {c.chunk.heading}, line {c.line}" for n, c in enumerate(answer.citations, 1)]
    matched = [f"read as: {answer.verdict.reason}"] if answer.verdict.reason else []
    return "\n".join([answer.text, "", *places, *matched])


def data(answer: Answer, system: str, corpus: str) -> str:
    """An answer as JSON, with the keys that `ragkit ask --help` lists."""
    cited = [
        {"file": c.chunk.file, "path": list(c.chunk.path), "line": c.line, "quote": c.quote} for c in answer.citations
    ]
    verdict = {"gate": answer.verdict.gate, "concept": answer.verdict.concept, "reason": answer.verdict.reason}
    found = {
        "question": answer.question,
        "system": system,
        "corpus": corpus,
        "outcome": answer.outcome,
        **verdict,
        "text": answer.text,
    }
    return json.dumps({**found, "citations": cited}, indent=1, ensure_ascii=False)
