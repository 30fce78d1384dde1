"""Rates over outcomes: the two kinds of error apart, every figure with its counts, and nothing hidden by a failed row.

A row on which the system failed is right in no rate and wrong in none: it is left out and counted, see `bounds`. The
word for a row is its verdict (answered or refused); whether an answer holds is `correctness` and `faithfulness`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from ragkit.golden import ALL
from ragkit.records import ANSWER, ERROR, REFUSE, Outcome, Rate
from ragkit.stats import wilson

Outcomes = Sequence[Outcome]
Judge = Callable[[Outcome], float | None]
COLUMNS = ("system", "corpus", "golden", "category", "metric", "hits", "of", "left_out", "value", "low", "high")


def false_answers(outcomes: Outcomes) -> Rate:
    """Unanswerable questions that were answered, the safety figure: never shown without `false_refusals`."""
    return _rate(_unanswerable(outcomes), _answered)


def false_refusals(outcomes: Outcomes) -> Rate:
    """Answerable questions that were refused, the usefulness figure."""
    return _rate(_answerable(outcomes), _refused)


def right_refusals(outcomes: Outcomes) -> Rate:
    """Unanswerable questions that were refused: what is elsewhere called refusal accuracy, or refusal recall."""
    return _rate(_unanswerable(outcomes), _refused)


def right_answers(outcomes: Outcomes) -> Rate:
    """Answerable questions that were answered, whatever with."""
    return _rate(_answerable(outcomes), _answered)


def gate_accuracy(outcomes: Outcomes) -> Rate:
    """Right verdicts of all; moves with the mix of the classes."""
    return _rate(outcomes, lambda o: o.right)


def coverage(outcomes: Outcomes) -> Rate:
    """Questions answered of all, to be read beside every figure of quality."""
    return _rate(outcomes, _answered)


def refusal_precision(outcomes: Outcomes) -> Rate:
    """Refusals that were right; undefined for a system that never refuses."""
    return _rate((o for o in outcomes if o.answer.outcome != ANSWER), lambda o: o.right)


def effective_reliability(outcomes: Outcomes, c: float = 1.0) -> Rate:
    """Mean of +1 for a right answer, -c for a wrong one, 0 for a refusal (Whitehead et al. 2022); lies in [-c, 1]."""

    def worth(outcome: Outcome) -> float | None:
        if outcome.answer.outcome != ANSWER:
            return _judged(outcome, 0.0)
        return 1.0 if outcome.right and outcome.correct is not False else -c

    return _rate(outcomes, worth)


def recall(outcomes: Outcomes) -> Rate:
    """Share of the sources among the first k hits, mean over answerable rows; those without a source are left out."""
    return _rate(_answerable(outcomes), lambda o: _judged(o, o.recall))


def hit_rate(outcomes: Outcomes) -> Rate:
    """Answerable rows with any of their sources among the first k hits."""
    return _rate(_answerable(outcomes), lambda o: None if o.recall is None else _judged(o, o.recall > 0))


def mrr(outcomes: Outcomes) -> Rate:
    """Mean of 1/rank of the first relevant hit, 0 where none was found."""
    return _rate(_answerable(outcomes), lambda o: None if o.rank is None else _judged(o, 1 / o.rank if o.rank else 0.0))


def faithfulness(outcomes: Outcomes) -> Rate:
    """Mean share of supported claims over the answers that make any; those that make none are left out.

    Refusals are no part of it: they are neither faithful nor unfaithful.
    """
    return _rate((o for o in outcomes if o.answer.outcome != REFUSE), faithful)


def without_claims(outcomes: Outcomes) -> Rate:
    """Answers that claim nothing, which faithfulness calls neither 1 nor 0."""
    return _rate((o for o in outcomes if o.answer.outcome != REFUSE), lambda o: _judged(o, not o.claims))


def correctness(outcomes: Outcomes) -> Rate:
    """Answers that state the key facts and nothing forbidden, over answered answerable rows that have facts."""
    rows = (o for o in _answerable(outcomes) if o.golden.facts and o.answer.outcome != REFUSE)
    return _rate(rows, lambda o: _judged(o, o.correct))


def reason_right(outcomes: Outcomes) -> Rate:
    """Right refusals that name the right reason, where the golden row has one."""
    rows = (o for o in _unanswerable(outcomes) if o.golden.concepts and o.answer.outcome != ANSWER)
    return _rate(rows, lambda o: _judged(o, o.reason_right))


def version_correct(outcomes: Outcomes) -> Rate:
    """Answers that cite the version that is asked about, or each of the versions that differ, over answers to rows that
    know a version; see `places.version_correct`."""
    rows = (o for o in outcomes if o.answer.outcome != REFUSE and (o.golden.version or o.version_correct is not None))
    return _rate(rows, lambda o: _judged(o, o.version_correct))


def citation_present(outcomes: Outcomes) -> Rate:
    """Answers that cite anything, right or not."""
    return _rate((o for o in outcomes if o.answer.outcome != REFUSE), lambda o: _judged(o, bool(o.answer.citations)))


def cites_line(outcomes: Outcomes) -> Rate:
    """Answers with a citation in a source of their row that stands at the line it names, over answered answerable rows
    that have one; see `places.cites_line`. One that cites nothing is wrong: beside it stands `citation_present`."""
    rows = (o for o in _answerable(outcomes) if o.golden.sources and o.answer.outcome != REFUSE)
    return _rate(rows, lambda o: _judged(o, o.cites_line))


def balanced_accuracy(outcomes: Outcomes) -> float:
    """1 - (false answers + false refusals) / 2, which no mix of classes moves; nan without one of the classes."""
    return 1 - (false_answers(outcomes).value + false_refusals(outcomes).value) / 2


def youden_j(outcomes: Outcomes) -> float:
    """1 - false answers - false refusals (Youden 1950): 0 for a system that always answers or always refuses."""
    return 1 - false_answers(outcomes).value - false_refusals(outcomes).value


# Every table prints these in this order; the two kinds of error stand side by side.
MEASURES: tuple[tuple[str, Callable[[Outcomes], Rate]], ...] = (
    ("false_answers", false_answers),
    ("false_refusals", false_refusals),
    ("right_refusals", right_refusals),
    ("right_answers", right_answers),
    ("gate_accuracy", gate_accuracy),
    ("coverage", coverage),
    ("refusal_precision", refusal_precision),
    ("correctness", correctness),
    ("faithfulness", faithfulness),
    ("without_claims", without_claims),
    ("reason_right", reason_right),
    ("recall", recall),
    ("hit_rate", hit_rate),
    ("mrr", mrr),
    ("effective_reliability", effective_reliability),
    ("version_correct", version_correct),
    ("citation_present", citation_present),
    ("cites_line", cites_line),
)
DERIVED: tuple[tuple[str, Callable[[Outcomes], float]], ...] = (
    ("balanced_accuracy", balanced_accuracy),
    ("youden_j", youden_j),
)
MEANS = ("faithfulness", "mrr", "effective_reliability")  # no proportions: Wilson says nothing about them
LOWER = frozenset({"false_answers", "false_refusals", "without_claims"})  # the lower the better; of others the higher
NEITHER = frozenset({"coverage"})  # says how much is answered, not how well


def faithful(outcome: Outcome) -> float | None:
    """Supported of claims for one answer; without evidence nothing is supported, whatever a judge says."""
    if outcome.answer.outcome != ANSWER or not outcome.claims:
        return None
    evidence = any(hit.chunk.text.strip() for hit in outcome.answer.ranking.hits)
    return outcome.supported / outcome.claims if evidence else 0.0


def errors(outcomes: Outcomes) -> list[str]:
    """The ids of the rows on which the system failed; a run with any is incomplete."""
    return [o.golden.id for o in outcomes if o.answer.outcome == ERROR]


def bounds(rate: Rate) -> tuple[Rate, Rate]:
    """The least and the most a rate could be over all rows, had the rows left out been judged.

    >>> bounds(Rate(6, 6, 4))
    (6/10, 10/10)
    """
    of = rate.of + rate.left_out
    return Rate(rate.hits, of), Rate(rate.hits + rate.left_out, of)


def one_sided(outcomes: Outcomes) -> str:
    """In plain words which of the two error rates can not be computed, empty when both can."""
    if not _answerable(outcomes):
        return "no answerable question: false refusals can not be computed"
    if not _unanswerable(outcomes):
        return "no unanswerable question: false answers can not be computed"
    return ""


def table(outcomes: Outcomes, corpus: str, golden: str) -> list[dict[str, object]]:
    """The rows of metrics.csv: every measure for each system over all its rows, then by category."""
    return [
        {"system": system, "corpus": corpus, "golden": golden, "category": category, **row}
        for system in dict.fromkeys(o.system for o in outcomes)
        for category, group in _groups([o for o in outcomes if o.system == system])
        for row in _measured(group)
    ]


def _measured(outcomes: Outcomes) -> Iterator[dict[str, object]]:
    for name, measure in MEASURES:
        rate = measure(outcomes)
        low, high = _interval(name, rate, outcomes)
        counts = {"hits": _plain(rate.hits), "of": rate.of, "left_out": rate.left_out}
        yield {"metric": name, **counts, "value": rate.value, "low": low, "high": high}
    for name, derived in DERIVED:
        yield {"metric": name, "left_out": len(errors(outcomes)), "value": derived(outcomes)}


def _interval(name: str, rate: Rate, outcomes: Outcomes) -> tuple[float, float]:
    """Wilson's for a proportion, nan for a mean: recall is one as soon as it holds a fraction."""
    fractional = name == "recall" and any(o.recall not in (None, 0, 1) for o in outcomes)
    return (math.nan, math.nan) if name in MEANS or fractional else wilson(rate.hits, rate.of)


def _groups(outcomes: Outcomes) -> Iterator[tuple[str, Outcomes]]:
    yield ALL, outcomes
    for category in sorted({o.golden.category for o in outcomes} - {""}):
        yield category, [o for o in outcomes if o.golden.category == category]


def _rate(outcomes: Iterable[Outcome], judge: Judge) -> Rate:
    """The sum of what could be judged; None leaves a row out."""
    values = [judge(outcome) for outcome in outcomes]
    known = [value for value in values if value is not None]
    return Rate(_plain(math.fsum(known)), len(known), len(values) - len(known))


def _plain(number: float) -> float:
    return int(number) if number == int(number) else number


def _judged(outcome: Outcome, value: float | None) -> float | None:
    return None if outcome.answer.outcome == ERROR else value


def _answered(outcome: Outcome) -> float | None:
    return _judged(outcome, outcome.answer.outcome == ANSWER)


def _refused(outcome: Outcome) -> float | None:
    return _judged(outcome, outcome.answer.outcome == REFUSE)


def _answerable(outcomes: Outcomes) -> list[Outcome]:
    return [o for o in outcomes if o.golden.answerable]


def _unanswerable(outcomes: Outcomes) -> list[Outcome]:
    return [o for o in outcomes if not o.golden.answerable]
