"""What an evaluation prints and keeps: header, the two bands, the rows that fail and why, the refusal table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median

from ragkit import evaluate, metrics, tables
from ragkit.records import ANSWER, ERROR, Chunk, Outcome, Rate, Spent
from ragkit.stats import certifies

Row = dict[str, object]

SHOWN = (
    "right_answers",
    "right_refusals",
    "false_refusals",
    "false_answers",
    "correctness",
    "faithfulness",
    "reason_right",
    "recall",
    "mrr",
    "version_correct",
    "citation_present",
    "cites_line",
)
WHERE_JUDGED = ("version_correct", "citation_present", "cites_line")  # shown where there is anything to judge


@dataclass(frozen=True, slots=True)
class Run:
    """One system over one golden file; `silent` counts the sections without text."""

    system: str
    corpus: str
    golden: str
    chunks: int
    backend: str
    outcomes: tuple[Outcome, ...]
    silent: int = 0

    @property
    def header(self) -> str:
        """Backend, corpus and chunk count, system, golden file."""
        rows = f"{self.golden} ({len(self.outcomes)} rows)"
        silent = f", {self.silent} sections without text" if self.silent else ""
        held = f"{self.corpus} ({self.chunks} chunks{silent})"
        return f"backend: {self.backend}   corpus: {held}   system: {self.system}   golden: {rows}"

    @property
    def key(self) -> tuple[str, str, str]:
        """What a baseline files the run under."""
        return self.system, self.corpus, self.golden

    @property
    def answered(self) -> Rate:
        """Of the rows that must be answered, those that were."""
        return metrics.right_answers(self.outcomes)

    @property
    def refused(self) -> Rate:
        """Of the rows that must be refused, those that were."""
        return metrics.right_refusals(self.outcomes)


def bands(run: Run) -> list[str]:
    """The two bands and the total, and in plain words what the rows can not tell."""
    right = Rate(
        run.answered.hits + run.refused.hits, run.answered.of + run.refused.of, len(metrics.errors(run.outcomes))
    )
    holding = sum(map(evaluate.held, run.outcomes))
    lines = [
        f"ANSWERABLE    must be answered   {tables.rate(run.answered)}",
        f"UNANSWERABLE  must be refused    {tables.rate(run.refused)}",
        f"{right} right; {holding} of {len(run.outcomes)} hold (right, and known key facts are stated)",
    ]
    if not run.chunks:
        lines.append("NOTHING TO SEARCH: the corpus holds no text, and every refusal is right for that reason alone")
    if failed := metrics.errors(run.outcomes):
        lines.append(f"INCOMPLETE: {len(failed)} rows ended in an error and stand in no rate: {', '.join(failed)}")
    if missing := metrics.one_sided(run.outcomes):
        lines.append(f"one-sided set: {missing}")
    if run.refused.of:
        leaks, out = int(run.refused.of - run.refused.hits), run.refused.left_out
        bound, left = 100 * certifies(leaks, run.refused.of), f", {out} left out" * bool(out)
        told = f"at most {bound:.0f} % of questions like these (one-sided 95 %)"
        lines.append(f"{leaks} of {run.refused.of} falsely answered{left}: {told}")
    return lines


def spent(outcomes: Sequence[Outcome]) -> Spent:
    """What language models took for all rows together."""
    return sum((outcome.answer.spent for outcome in outcomes), Spent())


def took(outcomes: Sequence[Outcome]) -> list[str]:
    """What models took, in total and for a question; nothing where none was asked."""
    total, of = spent(outcomes), len(outcomes)
    if not total.calls:
        return []
    each = f"{total.tokens_in / of:.0f} + {total.tokens_out / of:.0f} tokens, {total.cost / of:.6f} USD"
    return [f"model: {total} for {of} questions; {each} a question", _per_question(outcomes)]


def _per_question(outcomes: Sequence[Outcome]) -> str:
    """Median and most of the questions that a model was asked about. What has a call of unknown price stands in no
    cost, and is counted."""
    asked = [outcome.answer.spent for outcome in outcomes if outcome.answer.spent.calls]
    tokens = [each.tokens_in + each.tokens_out for each in asked]
    costs = [each.cost for each in asked if not each.unpriced]
    cost = f"median {median(costs):.6f}, max {max(costs):.6f} USD" if costs else "cost not known"
    left = f", {len(asked) - len(costs)} without a known cost" * (len(costs) < len(asked))
    told = f"median {median(tokens):.0f}, max {max(tokens)} tokens; {cost}"
    return f"per question: {told} ({len(asked)} of {len(outcomes)} asked a model{left})"


def failures(outcomes: Sequence[Outcome]) -> list[Row]:
    """The rows that do not hold, each with what happened and why; a question stands here, no text of a document."""
    return [
        {"id": o.golden.id, "stratum": o.golden.category, "question": o.golden.question, "why": _why(o)}
        for o in outcomes
        if not evaluate.held(o)
    ]


def _why(outcome: Outcome) -> str:
    answer, row = outcome.answer, outcome.golden
    if answer.outcome == ERROR:
        return f"error: {answer.error}"
    cited = ", ".join(dict.fromkeys(_named(citation.chunk) for citation in answer.citations)) or "what it does not cite"
    if answer.outcome == ANSWER and not row.answerable:
        return f"must be refused, was answered from {cited}"
    if answer.outcome == ANSWER:
        wanted = f"the key facts {' | '.join(row.facts)}"
        return f"answered from {cited} without {wanted}" + f" or with {' | '.join(row.forbidden)}" * bool(row.forbidden)
    return f"must be answered, was refused ({answer.verdict.gate}): {answer.verdict.reason}"


def _named(chunk: Chunk) -> str:
    """A passage by document and heading, with page, version and address where they are known."""
    page = "" if chunk.page is None else f"page {chunk.page}"
    more = ", ".join(filter(None, (page, chunk.version, chunk.link)))
    return f"{chunk.heading} ({more})" if more else chunk.heading


def measures(outcomes: Sequence[Outcome]) -> list[Row]:
    """The measures of one run with counts and intervals, for people."""
    table = [row for row in metrics.table(outcomes, "", "") if row["category"] == metrics.ALL]
    judged = [row for row in table if row["metric"] not in WHERE_JUDGED or row["of"] or row["left_out"]]
    shown = [row for row in judged if row["metric"] in SHOWN]
    return [{"measure": str(row["metric"]).replace("_", " "), "value": _measured(row)} for row in shown]


def _measured(row: Mapping[str, object]) -> str:
    hits, of, left = row["hits"], row["of"], row["left_out"]
    if of and row["metric"] in metrics.MEANS:
        return f"{row['value']:.3f} (mean of {of}{f', {left} left out' if left else ''})"
    return tables.rate(Rate(hits, of, left))  # type: ignore[arg-type]


def refusals(runs: Sequence[Run]) -> list[Row]:
    """The refusal table: both kinds of error of every system side by side, the lazy baselines among them."""
    return [
        {
            "golden": run.golden,
            "system": run.system,
            "false answers": metrics.false_answers(run.outcomes),
            "false refusals": metrics.false_refusals(run.outcomes),
            "balanced accuracy": metrics.balanced_accuracy(run.outcomes),
            "right reason": metrics.reason_right(run.outcomes),
            "key facts stated": metrics.correctness(run.outcomes),
        }
        for run in runs
    ]


def citations(runs: Sequence[Run]) -> list[Row]:
    """What every system cites, and whether it refuses where it must; no column for what no run could be judged by."""
    judges = {
        "version-correct": metrics.version_correct,
        "cites anything": metrics.citation_present,
        "cites the source line": metrics.cites_line,
        "refuses": metrics.right_refusals,
    }
    rates = {name: [judge(run.outcomes) for run in runs] for name, judge in judges.items()}
    known = {name: found for name, found in rates.items() if any(rate.of for rate in found)}
    return [
        {"golden": run.golden, "system": run.system} | {name: found[n] for name, found in known.items()}
        for n, run in enumerate(runs)
    ]


def as_json(run: Run, changes: evaluate.Changes) -> Row:
    """The run as data, with the keys that `ragkit eval --help` lists."""
    band = {
        name: {"hits": rate.hits, "of": rate.of, "left_out": rate.left_out}
        for name, rate in (("answerable", run.answered), ("unanswerable", run.refused))
    }
    overall = [row for row in metrics.table(run.outcomes, run.corpus, run.golden) if row["category"] == metrics.ALL]
    return {
        "system": run.system, "corpus": run.corpus, "golden": run.golden, "backend": run.backend, "chunks": run.chunks,
        **band, "metrics": overall, "failed": failures(run.outcomes), "errors": metrics.errors(run.outcomes),
        "broken": list(changes.broken), "missing": list(changes.missing),
        "spent": {"questions": len(run.outcomes), **asdict(spent(run.outcomes))},
        "per_question": [{"id": o.golden.id, **asdict(o.answer.spent)} for o in run.outcomes if o.answer.spent.calls],
    }  # fmt: skip
