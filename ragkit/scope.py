"""Which documents a question is about: of one version, or only those that are in force; and answers that say which.

A chunk has `version` and `status` from the front matter of its document. A document without a version, or with
`version: both`, is true of every version. Which documents are in force, `status.labels` says: front matter, dates in
the text and file names are what it goes by.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragkit.answer import Answerer, Quote, Said, Say
from ragkit.evidence import SUPERSEDED
from ragkit.markers import Marker, markers, rewritten
from ragkit.records import EVERY, Chunk, Citation, Ranking, Spent
from ragkit.retrieve import Lexical, Retrieve, Retriever
from ragkit.status import labels
from ragkit.text import fold

if TYPE_CHECKING:
    from ragkit.corpus import Corpus


Belongs = Callable[[Chunk], bool]


@dataclass(frozen=True)
class Pinned:
    """Ranks the chunks of the version that a question names, and those of every version. A question that names none, or
    more than one, is ranked over all. With `late` all are ranked and the others dropped from the k best."""

    retriever: Retriever = Lexical()
    late: bool = False

    def on(self, corpus: Corpus) -> Retrieve:
        known = versions(corpus)

        def of(question: str) -> str:
            asked = named(question, known)
            return asked[0] if len(asked) == 1 else ""

        def belongs(version: str) -> Belongs:
            return lambda chunk: not version or chunk.is_of(version)

        return _filtered(self.retriever, corpus, {version: belongs(version) for version in ("", *known)}, of, self.late)


@dataclass(frozen=True)
class InForce:
    """Ranks the chunks of documents that no label calls superseded, be it sure or not. With `late` as in `Pinned`."""

    retriever: Retriever = Lexical()
    late: bool = False

    def on(self, corpus: Corpus) -> Retrieve:
        known = {label.file: label.status for label in labels(corpus.folder.documents)}

        def in_force(chunk: Chunk) -> bool:
            return known.get(chunk.file, chunk.status) != SUPERSEDED

        filters: dict[str, Belongs] = {"": in_force}
        return _filtered(self.retriever, corpus, filters, lambda question: "", self.late)


def _filtered(
    retriever: Retriever, corpus: Corpus, filters: dict[str, Belongs], of: Callable[[str], str], late: bool
) -> Retrieve:
    """A retriever for each filter; `of` names that of a question. One that lets all chunks pass is the corpus's own."""

    def on(belongs: Belongs) -> Retrieve:
        kept = [chunk for chunk in corpus.all_chunks if belongs(chunk)]
        return retriever.on(corpus if late or len(kept) == len(corpus.all_chunks) else corpus.part(kept))

    parts = {name: on(belongs) for name, belongs in filters.items()}

    def retrieve(questions: Sequence[str], k: int) -> list[Ranking]:
        found: dict[int, Ranking] = {}
        names = list(map(of, questions))
        for name in dict.fromkeys(names):
            places = [n for n, each in enumerate(names) if each == name]
            rankings = parts[name]([questions[n] for n in places], k)
            for n, ranking in zip(places, rankings, strict=True):
                found[n] = replace(ranking, hits=tuple(hit for hit in ranking.hits if filters[name](hit.chunk)))
        return [found[n] for n in range(len(questions))]

    return retrieve


def versions(corpus: Corpus) -> list[str]:
    """The versions that documents of a corpus are of, in order."""
    return sorted({chunk.version for chunk in corpus.all_chunks} - set(EVERY))


def named(question: str, known: Sequence[str]) -> list[str]:
    """The versions that a question names: `v2`, `V2.1`, `version 2`.

    >>> named("Does version 2 still poll?", ["v1", "v2"])
    ['v2']
    """
    asked = fold(question)
    return [each for each in known if re.search(rf"(?<![\w.])(?:v|version\s+){_number(each)}(?!\w|\.\d)", asked)]


def _number(version: str) -> str:
    return re.escape(fold(version).removeprefix("v"))


@dataclass(frozen=True)
class ByVersion:
    """Says which version an answer is of. Where passages of several versions were found, each has its own part."""

    answerer: Answerer = Quote()

    def on(self, corpus: Corpus) -> Say:
        say = self.answerer.on(corpus)

        def labelled(ranking: Ranking) -> Said:
            found = sorted({hit.chunk.version for hit in ranking.hits} - set(EVERY))
            if not found:
                return say(ranking)
            return _joined([(each, say(_only(ranking, each))) for each in found])

        return labelled


def _only(ranking: Ranking, version: str) -> Ranking:
    return replace(ranking, hits=tuple(hit for hit in ranking.hits if hit.chunk.is_of(version)))


def _joined(parts: Sequence[tuple[str, Said]]) -> Said:
    """Parts under the name of their version, with the markers counted on; a part that says what another says is one. A
    version that nothing is said of is left out; what none says anything of is refused as the first is."""
    spent = sum((said.spent for _, said in parts), Spent())
    if failed := next((said for _, said in parts if said.error), None):
        return replace(failed, spent=spent)
    texts: dict[object, tuple[list[str], Said]] = {}
    for version, said in parts:
        if not said.verdict.refused:
            texts.setdefault((said.text, said.citations), ([], said))[0].append(version)
    if not texts:
        return replace(parts[0][1], spent=spent)
    lines: list[str] = []
    citations: list[Citation] = []
    for names, said in texts.values():
        lines.append(f"{' and '.join(names)}: {_counted_on(said, len(citations))}")
        citations += said.citations
    return Said("\n".join(lines), tuple(citations), spent=spent)


def _counted_on(said: Said, by: int) -> str:
    """The text of a part with its markers raised by a number; what names none of its citations becomes 0, so that it
    names none of another part. A bracket that is quoted is the document's own and stays."""
    found = markers(said.text, [citation.quote for citation in said.citations])

    def raised(marker: Marker) -> str:
        return "".join(f"[{n + by if 1 <= n <= len(said.citations) else 0}]" for n in marker.numbers)

    return rewritten(said.text, found, raised)
