"""What is promised of a bot that runs: refusals that cost nothing, surfaces that agree, regressions that show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ragkit.claims import lab
from ragkit.claims.claim import AtLeast, AtMost, Claim, Figure, Found, Row, Test
from ragkit.corpus import Corpus, Folder
from ragkit.dense import Dense
from ragkit.fuse import Fused
from ragkit.generate import Function, Prompt
from ragkit.records import Ranking, Rate
from ragkit.retrieve import Retrieve, Retriever
from ragkit.scope import InForce, Pinned
from ragkit.studies import mutations
from ragkit.studies.mutations import HARMLESS, PLANTED, Effect
from ragkit.system import System
from ragkit.systems import COSINE, COVERAGE, SYSTEMS, asking

# What a refusal costs


@dataclass(frozen=True)
class Counted:
    """A retriever that keeps the questions it is given; each is a call of the model that embeds it."""

    retriever: Retriever
    given: list[str] = field(compare=False, repr=False)

    def on(self, corpus: Corpus) -> Retrieve:
        retrieve = self.retriever.on(corpus)

        def counted(questions: Sequence[str], k: int) -> list[Ranking]:
            self.given.extend(questions)
            return retrieve(questions, k)

        return counted


def _counting(retriever: Retriever, given: list[str]) -> Retriever:
    """The retriever with its vectors counted, at whatever depth they stand."""
    if isinstance(retriever, Dense):
        return Counted(retriever, given)
    if isinstance(retriever, Fused):
        return replace(retriever, retrievers=tuple(_counting(part, given) for part in retriever.retrievers))
    if isinstance(retriever, Pinned | InForce):
        return replace(retriever, retriever=_counting(retriever.retriever, given))
    return retriever


@dataclass(frozen=True, slots=True)
class Cost:
    """What one question took: calls of the model that writes and of the one that embeds, and the gate that refused."""

    gate: str
    written: int
    embedded: int


def costs(system: System, folder: Folder, questions: Iterable[str]) -> list[Cost]:
    """Every question asked by itself, with a model behind the gates that is a counter and always answers."""
    prompts, given, found = list[Prompt](), list[str](), list[Cost]()

    def write(prompt: Prompt) -> str:
        prompts.append(prompt)
        return "It is as the passage says [1]."

    counting = replace(system, retriever=_counting(system.retriever, given))
    bot = asking(counting, Function("counted", write)).on(folder)
    for question in questions:
        before = len(prompts), len(given)
        gate = bot.ask(question).verdict.gate
        found.append(Cost(gate, len(prompts) - before[0], len(given) - before[1]))
    return found


ASKED = (COVERAGE, SYSTEMS["coverage-hybrid"], SYSTEMS["passage"], COSINE)


def _refusals() -> Found:
    found = {system: list[Cost]() for system in ASKED}
    for corpus, golden in lab.OURS:
        study = lab.study(corpus, golden)
        for system in ASKED:
            found[system] += costs(system, study.folder, [row.question for row in study.rows])
    every = [cost for costs in found.values() for cost in costs]
    refused, answered = ([cost for cost in every if bool(cost.gate) is side] for side in (True, False))
    fused = [cost for system in (ASKED[1], COSINE) for cost in found[system] if cost.gate]
    figures = (
        Figure.exact(sum(cost.written for cost in refused), len(refused)),
        Figure.exact(min(cost.written for cost in answered), len(answered)),
        Figure.exact(sum(cost.embedded for cost in fused), len(fused)),
    )
    return Found(figures, [_spent(system.name, each) for system, each in found.items()])


def _spent(name: str, found: Sequence[Cost]) -> Row:
    refused, answered = ([cost for cost in found if bool(cost.gate) is side] for side in (True, False))
    return {
        "system": name,
        "refused": Rate(len(refused), len(found)),
        "of those for an unknown word": Rate(sum(c.gate == "unknown-term" for c in refused), len(refused)),
        "calls of the writing model": sum(c.written for c in refused),
        "of the embedding model": sum(c.embedded for c in refused),
        "answered": Rate(len(answered), len(found)),
        "fewest calls on one": min((c.written for c in answered), default=0),
        "most": max((c.written for c in answered), default=0),
    }


# Whether a regression shows

SIZES, DRAWS = (18, 30, 60, 200), 200  # those of notebook 10
ALL = "break a row or move a measure"


def most(effects: Sequence[Effect], size: int) -> tuple[Rate, Rate]:
    """Of some changes those that break a row in more than half of the sets of a size, and those that are significantly
    for the worse there."""
    rates = [mutations.seen(effect, size, DRAWS) for effect in effects]
    broken, significant = (sum(side.value > 0.5 for side in sides) for sides in zip(*rates, strict=True))
    return Rate(broken, len(effects)), Rate(significant, len(effects))


def shows(effect: Effect) -> bool:
    """Whether any row breaks or any measure is another, over all rows."""
    return -1 in effect.marks or bool(effect.moved())


def _regressions() -> Found:
    planted, harmless = (
        mutations.effects(each, "kestrel", ["kestrel", "kestrel-probes"]) for each in (PLANTED, HARMLESS)
    )
    by_size = {size: most(planted, size) for size in SIZES}
    rows: list[Row] = [
        {
            "changes": "planted",
            "questions": size,
            "break a row in most sets": broken,
            "significant in most": sure,
            ALL: None,
        }
        for size, (broken, sure) in by_size.items()
    ]
    for name, effects in (("planted", planted), ("harmless", harmless)):
        shown = Rate(sum(map(shows, effects)), len(effects))
        rows.append({"changes": name, "questions": len(effects[0].before), ALL: shown})
    broken, significant = by_size[30]
    shown = Rate(sum(map(shows, planted)), len(planted))
    return Found(tuple(map(Figure.of, (significant, broken, shown))), rows)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "H22",
        "The gate refuses before a token is spent.",
        "S0-45, S0-60",
        "Every question of our six files, one by one, to the published gates and ours with a model behind them that "
        "counts its calls and always answers; where rankings are fused, the questions that are embedded count too.",
        (
            Test("calls of the writing model on refused questions", AtMost(0)),
            Test("fewest calls of it on an answered question: the counter counts", AtLeast(1)),
            Test("refused questions that were embedded, fused rankings", AtMost(0)),
        ),
        _refusals,
    ),
    Claim(
        "H23",
        "The gate survives the protocol boundary: a verdict is the same in the process, over stdio and over http.",
        "S0-75",
        "All questions asked on each surface, verdicts compared.",
        waits="surfaces",
    ),
    Claim(
        "H30",
        "One answer function keeps all surfaces equal.",
        "S1-17",
        "Records of all surfaces compared, and one surface that retrieves by itself, which must be caught.",
        waits="surfaces",
    ),
    Claim(
        "H32",
        "A regression shows up as a number, not as a complaint.",
        "S1-25, S3-24",
        "The changes for the worse of notebook 10, made anew, with all questions about kestrel and 200 sets of each "
        "size drawn from those. Significant means the exact McNemar test at 0.05; most sets are more than half.",
        (
            Test("regressions significant in most sets of 30 questions", AtLeast(0.5)),
            Test("regressions that break a row in most sets of 30 questions", AtLeast(0.5)),
            Test("regressions that break a row or move a measure over all questions", AtLeast(0.5)),
        ),
        _regressions,
        "leaving a step of the analyzer out moves one or two of ten questions each",
    ),
)
