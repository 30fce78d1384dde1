"""A system under test: a row of choices, and the bot they make of a folder of documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragkit.answer import Answerer, Quote, Said
from ragkit.chunk import Chunker, Headings
from ragkit.corpus import Corpus, Folder, index
from ragkit.gate import Coverage, Gate
from ragkit.records import ANSWER, ERROR, REFUSE, Answer, BadInput, Draft, Ranking, Verdict
from ragkit.rerank import AsFound, Reranker
from ragkit.retrieve import Lexical, Retriever
from ragkit.text import Analyzer

if TYPE_CHECKING:
    from ragkit.check import Check

NOTHING = Said()


@dataclass(frozen=True)
class System:
    """The choices that make a bot. It prints as its own recipe; a variant is `dataclasses.replace(system, k=10)`.

    `k` chunks are retrieved and judged; a draft that a check stops is withheld; `refusal` is what a refusal says,
    whatever the reason.
    """

    name: str
    gates: tuple[Gate, ...] = (Coverage("passage"),)
    chunker: Chunker = Headings()
    analyzer: Analyzer = Analyzer()
    retriever: Retriever = Lexical()
    reranker: Reranker = AsFound()
    answerer: Answerer = Quote()
    checks: tuple[Check, ...] = ()
    k: int = 5
    refusal: str = ""

    def __post_init__(self) -> None:
        if self.k < 1:
            raise BadInput(f"System(k={self.k}): must be at least 1")

    def on(self, folder: Folder) -> Bot:
        return Bot(self, index(folder, self.chunker, self.analyzer))


class Bot:
    """A system on a corpus. `ask` and `ask_all` give the same answers."""

    def __init__(self, system: System, corpus: Corpus) -> None:
        self.system, self.corpus = system, corpus
        self._retrieve = system.retriever.on(corpus)
        self._gates = [gate.on(corpus) for gate in system.gates]
        self._rerank = system.reranker.on(corpus)
        self._say = system.answerer.on(corpus)
        self._checks = [check.on(corpus) for check in system.checks]

    def ask(self, question: str) -> Answer:
        """The answer to one question; the order of steps stands in `_answer`."""
        return self.ask_all([question])[0]

    def ask_all(self, questions: Sequence[str]) -> list[Answer]:
        """The answers to many questions, retrieved in one batch."""
        return [self._answer(ranking) for ranking in self._retrieve(questions, self.system.k)]

    def _answer(self, ranking: Ranking) -> Answer:
        """What is said to a ranking: gates, another order, the answer, its checks, in that order and nowhere else."""
        passed = self._judge(ranking)
        if passed.refused:
            return self._refused(ranking, passed)
        ranking = self._rerank(ranking)
        said = self._say(ranking)
        if said.error:
            return Answer(ranking.question, ERROR, said.text, ranking=ranking, error=said.error, spent=said.spent)
        verdict = said.verdict if said.verdict.refused else self._checked(ranking.question, said)
        if verdict.refused:
            return self._refused(ranking, verdict, said)
        return Answer(ranking.question, ANSWER, said.text, said.citations, passed, ranking, spent=said.spent)

    def _checked(self, question: str, said: Said) -> Verdict:
        """The first check that stops a draft; the passages of its markers are those it cites, in their order."""
        draft = Draft(question, said.text, tuple(citation.chunk for citation in said.citations))
        found = (check(draft) for check in self._checks)
        return next((verdict for verdict in found if verdict.refused), Verdict())

    def _refused(self, ranking: Ranking, verdict: Verdict, said: Said = NOTHING) -> Answer:
        text, withheld = self.system.refusal, said.text
        return Answer(
            ranking.question, REFUSE, text, verdict=verdict, ranking=ranking, withheld=withheld, spent=said.spent
        )

    def _judge(self, ranking: Ranking) -> Verdict:
        passed = Verdict()
        for gate in self._gates:
            passed = gate(ranking)
            if passed.refused:
                break
        return passed
