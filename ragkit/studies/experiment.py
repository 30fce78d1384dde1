"""The experiments of the notebooks: each gives rows, which `tables` and `figures` present."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ragkit import compare, evaluate, metrics, stats
from ragkit.concept import concepts, rarity
from ragkit.gate import Floor
from ragkit.postings import Postings
from ragkit.records import ANSWER, Answer, Golden, Outcome, Rate
from ragkit.retrieve import BM25, Lexical, query
from ragkit.signals import TOP, TOP_PER_IDEA, Signal
from ragkit.study import PUBLISHED, Study
from ragkit.system import System
from ragkit.systems import SYSTEMS
from ragkit.text import Analyzer

Row = dict[str, object]

SHOWN = 8  # rows of a stratum
PLUS_ONE, OKAPI = Lexical(), Lexical(BM25(idf="okapi"))
# Each step of the analyzer left out, and the analyzer without it.
STEPS = {
    "nothing": Analyzer(),
    "contractions": Analyzer(contractions=False),
    "quantifiers and generic verbs": Analyzer(stop=("function",)),
    "all stop words": Analyzer(stop=()),
    "stemming": Analyzer(stemmer="none"),
    "term dictionary": Analyzer(dictionary="none"),
}


def widest_inversion(study: Study) -> tuple[str, str]:
    """The ids of the lowest answerable and the highest unanswerable row among those that coverage gets right."""
    right = {o.golden.id for o in study.outcomes(PUBLISHED) if o.right}
    low, high = study.classes({name: score for name, score in study.scores().items() if name in right})
    return min(low, key=lambda name: (low[name], name)), max(high, key=lambda name: (high[name], name))


def pair(study: Study, ids: Sequence[str], *, floors: Sequence[float], retriever: Lexical = PLUS_ONE) -> list[Row]:
    """For each row its score, and what floors under the score and what coverage make of it."""
    lexical = replace(PUBLISHED, retriever=retriever)
    systems = {f"floor {least:.2f}": replace(lexical, gates=(Floor(TOP, least),)) for least in floors} | {
        "coverage (retrieved)": lexical
    }
    rows = []
    for row in map(study.by_id.__getitem__, ids):
        answers = {label: study.bot(system).ask(row.question) for label, system in systems.items()}
        score = TOP(answers["coverage (retrieved)"].ranking, study.bot(lexical).corpus)
        decided = {label: _decision(row, answer) for label, answer in answers.items()}
        rows.append({"id": row.id, "question": row.question, "must be": _should(row), "BM25": score, **decided})
    return rows


def _should(row: Golden) -> str:
    return "answered" if row.answerable else "refused"


def _decision(row: Golden, answer: Answer) -> str:
    did = "answered" if answer.outcome == ANSWER else "refused"
    named = f' ("{answer.verdict.concept}")' if answer.verdict.concept else ""
    return f"{did}{named}: {'right' if did == _should(row) else 'WRONG'}"


def rank_bm25(study: Study, ids: Sequence[str]) -> list[Row]:
    """Our Okapi score of each row's best chunk beside that of the package rank-bm25 over the same terms."""
    from rank_bm25 import BM25Okapi

    bot = study.bot(replace(PUBLISHED, retriever=OKAPI))
    theirs, rows = BM25Okapi(bot.corpus.terms), []
    for row in map(study.by_id.__getitem__, ids):
        best = float(max(theirs.get_scores(query(row.question, bot.corpus))))
        ours = TOP(bot.ask(row.question).ranking, bot.corpus)
        rows.append({"id": row.id, "question": row.question, "ours, okapi": ours, "rank-bm25": best})
    return rows


def totals(study: Study, systems: Iterable[System], *, against: System) -> list[Row]:
    """The rows each system gets right in all, and, on the same rows, against one other: only it, only the other, the
    exact McNemar p of the two, and the same corrected for the number of comparisons in the table (Holm)."""
    systems = list(systems)
    pairs = [evaluate.paired(study.outcomes(system), study.outcomes(against)) for system in systems]
    corrected = iter(compare.holm([pair.p for system, pair in zip(systems, pairs, strict=True) if system != against]))
    rows = []
    for system, pair in zip(systems, pairs, strict=True):
        p, adjusted = ("", "") if system == against else (_p(pair.p), _p(next(corrected)))
        rows.append({
            "system": system.name,
            "right": metrics.gate_accuracy(study.outcomes(system)),
            f"only it, not {against.name}": len(pair.only_a),
            f"only {against.name}": len(pair.only_b),
            "p": p, "p (Holm)": adjusted,
        })  # fmt: skip
    return rows


def _p(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


def terms(study: Study, name: str, *, system: System = PUBLISHED) -> list[Row]:
    """Where the BM25 score of a row's top hit comes from, one row a term of the question; the scores add up to it."""
    bot, question = study.bot(system), study.by_id[name].question
    hits = bot.ask(question).ranking.hits
    if not hits:
        return []
    place = bot.corpus.places[hits[0].chunk.id]
    postings = Postings(bot.corpus.terms, BM25())
    return [
        {
            "term": term,
            "chunks with it": len(bot.corpus.holders.get(term, ())),
            "idf": rarity(len(bot.corpus.holders.get(term, ())), len(bot.corpus.chunks)),
            "times here": bot.corpus.terms[place].count(term),
            "score": float(postings.scores([term])[place]),
        }
        for term in query(question, bot.corpus)
    ]


def steps(study: Study, *, most: int | None = None) -> list[Row]:
    """The published gate with each step of the analyzer left out: both error rates, and the rows that change sides.

    The lazy baselines stand below, for what the rates are worth.
    """
    full = {o.golden.id: o.answer.outcome for o in study.outcomes(PUBLISHED)}
    rows = []
    for label, analyzer in STEPS.items():
        outcomes = study.outcomes(replace(PUBLISHED, analyzer=analyzer))
        moved = [o for o in outcomes if o.answer.outcome != full[o.golden.id]]
        lost, won = ([o for o in moved if o.right is side] for side in (False, True))
        rows.append({"left out": label, **_errors_of(outcomes), "lost": _listed(lost, most), "won": _listed(won, most)})
    lazy = [SYSTEMS["always-answer"], SYSTEMS["always-refuse"]]
    return rows + [
        {"left out": f"({one.name})", **_errors_of(study.outcomes(one)), "lost": "", "won": ""} for one in lazy
    ]


def _errors_of(outcomes: Sequence[Outcome]) -> Row:
    right = sum(o.right is True for o in outcomes)
    return {
        "false refusals": metrics.false_refusals(outcomes),
        "false answers": metrics.false_answers(outcomes),
        "right": right,
    }


def _listed(outcomes: Sequence[Outcome], most: int | None) -> str:
    """The rows by id, each with the word it was refused for; only the first `most` of them."""
    words = ((o.golden.id, o.answer.verdict.concept) for o in outcomes[:most])
    named = ", ".join(f'{name} ("{word}")' if word else name for name, word in words)
    return f"{len(outcomes)}: {named}" + (" ..." if most and len(outcomes) > most else "") if outcomes else ""


def thresholds(study: Study, signals: Iterable[Signal], *, system: System = PUBLISHED) -> list[Row]:
    """What the best floor under each signal reaches: on the rows it was chosen on, and leaving each row out in turn."""
    rows = []
    for signal in signals:
        low, high = study.sides(signal, system)
        best = stats.best_threshold(low, high)
        rows.append({
            "signal": signal.name, "AUROC": stats.auroc(low, high),
            "best floor": best.at, "errors": Rate(best.errors, len(study.rows)),
            "errors, left out": Rate(sum(stats.leave_one_out(low, high)), len(study.rows)),
            "errors of one answer to all": Rate(min(len(low), len(high)), len(study.rows)),
        })  # fmt: skip
    return rows


def proof(study: Study, scores: dict[str, float]) -> list[Row]:
    """Disjoint pairs of rows that no threshold can both get right: as many errors as any threshold makes at least."""
    return [
        {
            "answerable": pair.answerable,
            "its score": pair.low,
            "unanswerable": pair.unanswerable,
            "scores higher": pair.high,
        }
        for pair in stats.certificate(*study.classes(scores))
    ]


def statement(study: Study, scores: dict[str, float]) -> str:
    """What no threshold can do on these rows, in one exact sentence."""
    low, high = study.classes(scores)
    best, of = stats.best_threshold(low.values(), high.values()), len(low) + len(high)
    if not best.errors:
        return f"A threshold of {best.at:.2f} gets all {of} rows right."
    return (
        f"Of all {len(stats.sweep(low.values(), high.values()))} rules that a threshold can make here,\n"
        f"none gets fewer than {best.errors} of {of} rows wrong. The best floor, {best.at:.2f}, refuses\n"
        f"{best.false_refusals} of {len(low)} answerable rows and answers "
        f"{best.false_answers} of {len(high)} unanswerable ones."
    )


def strata(study: Study, systems: Sequence[System]) -> list[Row]:
    """What each system gets wrong in each stratum: false refusals where there is an answer, else false answers."""
    rows = []
    for category in sorted({row.category for row in study.rows}, key=lambda name: (len(name), name)):
        made = {s.name: [o for o in study.outcomes(s) if o.golden.category == category] for s in systems}
        for label, measure in (("false refusals", metrics.false_refusals), ("false answers", metrics.false_answers)):
            errors = {name: measure(outcomes) for name, outcomes in made.items()}
            if any(rate.of for rate in errors.values()):
                rows.append({"stratum": category, "error": label, **errors})
    return rows


def lengths(study: Study) -> list[Row]:
    """For each row that finds anything: how many ideas it has, its score, and the score per idea."""
    bot, raw, per_idea = study.bot(PUBLISHED), study.scores(TOP), study.scores(TOP_PER_IDEA)
    return [
        {
            "id": row.id,
            "answerable": row.answerable,
            "ideas": len(concepts(row.question, bot.corpus)),
            "score": raw[row.id],
            "score per idea": per_idea[row.id],
        }
        for row in study.rows
        if raw[row.id] > 0
    ]


def growth(study: Study, questions: Sequence[str]) -> list[Row]:
    """One intent in growing words, and what its score becomes."""
    bot = study.bot(PUBLISHED)
    rankings = [bot.ask(question).ranking for question in questions]
    return [
        {
            "question": r.question,
            "ideas": len(concepts(r.question, bot.corpus)),
            "score": TOP(r, bot.corpus),
            "score per idea": TOP_PER_IDEA(r, bot.corpus),
            "top chunk": r.hits[0].chunk.id if r.hits else "",
        }
        for r in rankings
    ]


def blamed(study: Study, category: str) -> list[Row]:
    """The first refused rows of a stratum, and the word each was refused for."""
    refused = [o for o in study.outcomes(PUBLISHED) if o.golden.category == category and o.answer.verdict.refused]
    return [
        {
            "id": o.golden.id,
            "question": o.golden.question,
            "gate": o.answer.verdict.gate,
            "refused for": o.answer.verdict.concept,
        }
        for o in refused[:SHOWN]
    ]


def leaked(study: Study, category: str) -> list[Row]:
    """The first answered rows of an unanswerable stratum, and the section each was answered from."""
    answered = [o for o in study.outcomes(PUBLISHED) if o.golden.category == category and o.answer.outcome == ANSWER]
    return [
        {"id": o.golden.id, "question": o.golden.question, "answered from": o.answer.citations[0].chunk.id}
        for o in answered[:SHOWN]
    ]
