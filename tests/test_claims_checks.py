"""Experiments about checks: what each counts moves when a check, a fault or a passage does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import build
import pytest

from ragkit.check import Check, Judge, Marked, Numbers
from ragkit.claims import checks, drafts, lab
from ragkit.claims.claim import Claim, Tried
from ragkit.corpus import Corpus
from ragkit.records import ANSWER, Answer, Citation, Draft, Golden, Outcome, Rate, Verdict
from ragkit.scripted import SCRIPTS, Denier, Faithful, MarkerBender, NumberBender
from ragkit.systems import CITED

CLAIMS = {claim.id: claim for claim in checks.CLAIMS}
CACHES = (drafts.drafts, drafts.faulty, checks.accepted)


@pytest.fixture(autouse=True, scope="module")
def small() -> Iterator[None]:
    """One small golden file instead of all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lab, "OURS", (("clinic", "clinic"),))
        for known in CACHES:
            known.cache_clear()
        yield
    for known in CACHES:
        known.cache_clear()


@dataclass(frozen=True)
class Blind:
    """A check that sees nothing, or stops everything."""

    stops: bool = False

    def on(self, corpus: Corpus) -> Judge:
        return lambda draft: Verdict("citation-invalid" * self.stops)


def tried(name: str) -> Tried:
    claim: Claim = CLAIMS[name]
    assert claim.measure
    return Tried(claim, claim.measure())


def values(name: str) -> list[float]:
    return [figure.value for figure in tried(name).found.figures]


# Drafts


def test_drafts_are_what_the_design_writes_before_its_checks() -> None:
    """The same answers are stopped as when the design has its checks."""
    for script in (NumberBender(), MarkerBender()):
        checked = drafts.outcomes(drafts.writing(script, CITED, *CITED.checks))
        withheld = {o.golden.id: o.answer.withheld for o in checked if o.answer.withheld}
        found = drafts.drafts(script)
        assert withheld == {name: each.text for name, each in found.items() if drafts.stops(each, *CITED.checks)}
        assert withheld


def test_a_ranking_that_is_kept_is_the_one_that_was_found() -> None:
    bot = lab.study("clinic", "clinic").bot
    questions = [row.question for row in lab.study("clinic", "clinic").rows[:8]]
    kept = bot(replace(CITED, retriever=drafts.Once(CITED.retriever)))
    assert kept.ask_all(questions) == kept.ask_all(questions) == bot(CITED).ask_all(questions)
    fewer = bot(replace(CITED, retriever=drafts.Once(CITED.retriever), k=2)).ask_all(questions)
    assert {len(answer.ranking.hits) for answer in fewer} == {2}


def test_a_faithful_script_has_no_fault_and_a_bad_one_only_where_it_shows() -> None:
    assert drafts.faulty(Faithful()) == {}
    denied, true = drafts.faulty(Denier()), drafts.drafts(Faithful())
    assert 0 < len(denied) < len(true) and all(" not " in denied[n].text + true[n].text for n in denied)
    assert set(drafts.faulty(MarkerBender(given=True))) == set(true)


def test_golden_answers_cite_their_sources() -> None:
    found = drafts.golden_drafts("clinic")
    assert [row.id for row, _ in found] == [row.id for row in lab.study("clinic", "clinic").rows if row.answerable]
    for row, draft in found:
        assert draft.passages and draft.text.count("[") == len(draft.passages)
        assert {*row.sources} <= {name for chunk in draft.passages for name in (chunk.file, *chunk.sections)}
    assert drafts.golden_drafts("kestrel") == []


# H25


def test_citations_are_real_because_of_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    assert values("H25") == [1.0, 0.0, 0.0] and tried("H25").verdict == "partly"  # 42 questions certify no 5 %
    monkeypatch.setattr(checks, "MARKED", Blind())
    stopped, unreal, alarms = values("H25")
    assert stopped == alarms == 0.0 and unreal >= len(drafts.drafts(Faithful()))
    monkeypatch.setattr(checks, "MARKED", Blind(stops=True))
    assert values("H25")[::2] == [1.0, 1.0]


def test_a_citation_is_real_when_it_was_retrieved() -> None:
    made = build.corpus("One.", "Two.")
    ranking = build.ranking("q", made, 1.0)
    row = Golden("x", "q", True)

    def real(*cited: int) -> bool:
        citations = tuple(Citation(made.chunks[n], made.chunks[n].text, 1) for n in cited)
        return checks._real(Outcome("s", row, Answer("q", ANSWER, "One.", citations, ranking=ranking)))

    assert (real(0), real(), real(1), real(0, 1)) == (True, False, False, False)


# H26


def test_the_number_rule_stops_figures_and_lets_sums_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    bent, invented, sums, faithful, q7, four, one = values("H26")
    assert 0.5 < bent < 1.0 and (invented, sums, faithful) == (1.0, 0.0, 0.0) and q7 > 0
    assert 0 < one < four < 1
    monkeypatch.setattr(checks, "NUMBERS", Numbers(sums=False))
    assert values("H26")[2] > 0.5 and values("H26")[0] >= bent
    monkeypatch.setattr(checks, "NUMBERS", Blind())
    assert values("H26")[:5] == [0.0] * 5


def test_fewer_numbers_are_accepted_without_sums_and_beside_fewer_passages() -> None:
    for of in (1, 4):
        assert all(a >= b for a, b in zip(checks.accepted(of, sums=True), checks.accepted(of, sums=False), strict=True))
    pairs = zip(checks.accepted(4, sums=True), checks.accepted(1, sums=True), strict=True)
    assert all(more >= fewer for more, fewer in pairs)


@pytest.mark.parametrize(
    ("passage", "bent", "true", "fate"),
    [
        ("25 days.", "26 days [1].", "25 days [1].", "stopped"),
        ("25 days, or 26 days.", "26 days [1].", "25 days [1].", "passes: stands elsewhere"),
        ("25 days, 20 days, 6 days.", "26 days [1].", "25 days [1].", "passes: a sum of two others"),
        ("Form F-12.", "Form F-13 [1].", "Form F-12 [1].", "passes: a code, which is not read as a number"),
    ],
)
def test_what_became_of_a_bent_digit(
    monkeypatch: pytest.MonkeyPatch, passage: str, bent: str, true: str, fate: str
) -> None:
    passages = (build.chunk(passage),)
    monkeypatch.setattr(checks, "faulty", lambda script: {"x": Draft("q", bent, passages)})
    monkeypatch.setattr(checks, "drafts", lambda script: {"x": Draft("q", true, passages)})
    assert checks._fate("x") == fate


# H27


def test_words_are_stopped_by_a_check_that_reads_them_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    denied, moved = values("H27")
    assert denied == 0.0 < moved < 1.0 and tried("H27").verdict == "refuted"
    monkeypatch.setattr(checks, "MARKED", Blind(stops=True))
    assert values("H27") == [1.0, 1.0]


# Tables


def test_each_planted_fault_is_stopped_by_its_check_alone_and_true_answers_pass() -> None:
    rows = checks.checks_table()
    assert [(row["check"], row["stopped by"]) for row in rows] == [(n, n) for n in ("Marked", "Numbers", "Verbatim")]
    assert all(row["true answers passed"] == Rate(len(checks.TRUE), len(checks.TRUE)) for row in rows)
    alarms = [row["false alarms, clinic"] for row in rows]
    assert [rate.hits for rate in alarms] == [0, alarms[1].hits, 0] and alarms[1].hits <= 4  # q7 only
    assert {rate.of for rate in alarms} == {len(drafts.golden_drafts("clinic"))}


def test_a_check_that_sees_nothing_stands_out_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    planted: dict[str, Check] = {**checks.CHECKS, "Verbatim": Blind(), "Marked": Blind(stops=True)}
    monkeypatch.setattr(checks, "CHECKS", planted)
    marked, numbers, verbatim = checks.checks_table()
    assert verbatim["stopped by"] == "Marked" and marked["true answers passed"] == Rate(0, len(checks.TRUE))
    assert marked["false alarms, clinic"].value == 1.0 and numbers["stopped by"] == "Marked, Numbers"


def test_with_checks_less_is_shown_of_what_they_are_there_for() -> None:
    rows = {row["label"]: row for row in checks.x_06()}
    assert len(rows) > len(SCRIPTS) // 2
    assert all(row["unchecked"].value == 1.0 and row["checked"].of == row["unchecked"].of for row in rows.values())
    assert rows[str(MarkerBender())]["checked"].hits == 0
    assert rows["Denier()"]["checked"] == rows["Denier()"]["unchecked"]
    assert rows["Faithful(): no fault"]["checked"].value == 1.0


def test_no_script_is_called_a_model() -> None:
    said = " ".join(f"{claim.says} {claim.experiment} {[test.what for test in claim.tests]}" for claim in checks.CLAIMS)
    assert "model" not in said
    assert all("model" not in str(row).casefold() for row in (*checks.by_script(), *checks.x_06()))


def test_marked_is_what_the_design_checks_first() -> None:
    assert CITED.checks == (Marked(), Numbers()) == (checks.MARKED, checks.NUMBERS)
