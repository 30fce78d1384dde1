"""A system under test: a row of choices, and the bot they make of a folder of documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragkit.answer import Quote
from ragkit.chunk import Chunker, Headings
from ragkit.corpus import Corpus, Folder, index
from ragkit.gate import Coverage, Gate
from ragkit.records import ANSWER, REFUSE, Answer, BadInput, Ranking, Verdict
from ragkit.retrieve import Lexical, Retriever
from ragkit.text import Analyzer


@dataclass(frozen=True)
class System:
    """The choices that make a bot. It prints as its own recipe; a variant is `dataclasses.replace(system, k=10)`."""

    name: str
    gates: tuple[Gate, ...] = (Coverage("passage"),)
    chunker: Chunker = Headings()
    analyzer: Analyzer = Analyzer()
    retriever: Retriever = Lexical()
    answerer: Quote = Quote()
    k: int = 5

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
        self._say = system.answerer.on(corpus)

    def ask(self, question: str) -> Answer:
        """The answer to one question; the order of steps stands in `_answer`."""
        return self.ask_all([question])[0]

    def ask_all(self, questions: Sequence[str]) -> list[Answer]:
        """The answers to many questions, retrieved in one batch."""
        return [self._answer(ranking) for ranking in self._retrieve(questions, self.system.k)]

    def _answer(self, ranking: Ranking) -> Answer:
        """What is said to a ranking: gates first, then the answer, in that order and nowhere else."""
        verdict = self._judge(ranking)
        if verdict.refused:
            return Answer(ranking.question, REFUSE, verdict=verdict, ranking=ranking)
        citations = self._say(ranking)
        if not citations:
            verdict = Verdict("no-sentence", reason="the passages found hold no sentence to quote")
            return Answer(ranking.question, REFUSE, verdict=verdict, ranking=ranking)
        text = "\n".join(f"{citation.quote} [{n}]" for n, citation in enumerate(citations, 1))
        return Answer(ranking.question, ANSWER, text, citations, verdict, ranking)

    def _judge(self, ranking: Ranking) -> Verdict:
        passed = Verdict()
        for gate in self._gates:
            passed = gate(ranking)
            if passed.refused:
                break
        return passed
