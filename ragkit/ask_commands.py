"""`ragkit ask`: one question, answered with what is cited, or refused."""

from __future__ import annotations

import json
from dataclasses import asdict

from ragkit.options import CorpusOption, JsonOption, ModelOption, NoLlmOption, SystemOption, chosen, folder
from ragkit.records import ERROR, REFUSE, Answer, Citation, ModelFailed
from ragkit.systems import DEFAULT


def ask(
    question: str,
    system: SystemOption = DEFAULT,
    corpus: CorpusOption = "kestrel",
    model: ModelOption = "",
    no_llm: NoLlmOption = False,
    as_json: JsonOption = False,
) -> None:
    """Answer one question with cited passages, or refuse and say why; with a model, also what it took.

    JSON keys: question, system, corpus, outcome, gate, concept, reason, text, withheld (the draft that a check
    stopped), spent (calls, tokens_in, tokens_out, cost, unpriced), citations (file, path, line, quote, page, url,
    version, status; null or empty when unknown); a refusal has `citations: []`. Ends with 2 when the model fails.
    """
    from ragkit.corpus import readable

    bot = chosen(system, model, no_llm=no_llm)
    documents = readable(folder(corpus))
    answer = bot.on(documents).ask(question)
    if answer.outcome == ERROR:
        raise ModelFailed(answer.error)
    print(data(answer, bot.name, documents.name) if as_json else text(answer))


def text(answer: Answer) -> str:
    """An answer for people."""
    took = [f"took: {answer.spent}"] if answer.spent.calls else []
    if answer.outcome == REFUSE:
        said = (f"REFUSED (gate: {answer.verdict.gate})", answer.text, answer.verdict.reason)
        return "\n".join([*filter(None, said), *took])
    places = [", ".join(filter(None, (f"[{n}] {c.place}", c.chunk.link))) for n, c in enumerate(answer.citations, 1)]
    matched = [f"read as: {answer.verdict.reason}"] if answer.verdict.reason else []
    return "\n".join([answer.text, "", *places, *matched, *took])


def data(answer: Answer, system: str, corpus: str) -> str:
    """An answer as JSON, with the keys that `ragkit ask --help` lists."""
    found = {
        "question": answer.question, "system": system, "corpus": corpus, "outcome": answer.outcome,
        "gate": answer.verdict.gate, "concept": answer.verdict.concept, "reason": answer.verdict.reason,
        "text": answer.text, "withheld": answer.withheld, "spent": asdict(answer.spent),
        "citations": list(map(_cited, answer.citations)),
    }  # fmt: skip
    return json.dumps(found, indent=1, ensure_ascii=False)


def _cited(citation: Citation) -> dict[str, object]:
    chunk = citation.chunk
    return {
        "file": chunk.file, "path": list(chunk.path), "line": citation.line, "quote": citation.quote,
        "page": chunk.page, "url": chunk.url, "version": chunk.version, "status": chunk.status,
    }  # fmt: skip
