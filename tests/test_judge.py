"""A model as a judge of faithfulness: claim by claim, what gives no verdict left out, and beside what code checks."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from ragkit import systems
from ragkit.check import Marked, Numbers
from ragkit.compare import kappa
from ragkit.corpus import Corpus, read
from ragkit.files import ROOT
from ragkit.generate import LENGTH, Function, Prompt, Recorded, Reply, Scripted
from ragkit.judge import Agreement, Claim, Judge, Judged, Judgement, agreement, by_checks, by_code, by_support, claims
from ragkit.models import NotAvailable
from ragkit.records import ANSWER, ERROR, REFUSE, Answer, Chunk, Citation, Hit, Ranking, Rate
from ragkit.reply import NO_RANKING
from ragkit.stats import wilson
from tests.services import KEY, SERVICES, Service, keyless, said
from tests.stub import Stub

ONE, TWO = (
    Chunk("a.md#leave", "a.md", "Leave is 25 days. Ask early.", ("Leave",)),
    Chunk("b.md#rates", "b.md", "| 1 | £9 |\n| 2 | £12 |", ("Rates",), lead="| kg | price |\n|---|---|"),
)
YES, NO = '{"supported": true, "why": "it says so"}', '{"supported": false, "why": "it does not"}'


def answer(text: str, *cited: tuple[Chunk, str], outcome: str = ANSWER) -> Answer:
    citations = tuple(Citation(chunk, quote, 1) for chunk, quote in cited)
    return Answer("q", outcome, text, citations, ranking=Ranking("q", (Hit(ONE, 1.0), Hit(TWO, 0.5))))


TWICE = answer("Leave is 25 days. [1] It costs £9 [2].", (ONE, "Leave is 25 days."), (TWO, "| 1 | £9 |"))


def judged(*replies: Reply | str) -> Judgement:
    return Judge(Scripted(replies)).load()(TWICE)


# Claims


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Leave is 25 days. [1] It costs £9 [2].", [("Leave is 25 days.", [ONE]), ("It costs £9.", [TWO])]),
        ("Leave is 25 days [1][2].", [("Leave is 25 days.", [ONE, TWO])]),
        ("Ask early.", [("Ask early.", [ONE, TWO])]),
        ("- Ask early [1]\n- See No. 5, e.g. on leave. [2]", [
            ("Ask early", [ONE]), ("See No. 5, e.g. on leave.", [TWO]),
        ]),
        ("Ask [9].", [("Ask.", [ONE, TWO])]),
        ("\n [1]\n", []),
    ],
)  # fmt: skip
def test_a_claim_is_a_sentence_with_what_it_cites(text: str, found: list[tuple[str, list[Chunk]]]) -> None:
    made = claims(answer(text, (ONE, "x"), (TWO, "y")))
    assert list(made) == [Claim(said, tuple(chunks)) for said, chunks in found]


def test_a_table_row_below_its_header_is_one_claim() -> None:
    quote = "| kg | price |\n|---|---|\n| 1 | £9 |"
    (claim,) = claims(answer(f"{quote} [1]", (TWO, quote)))
    assert claim == Claim("| kg | price | |---|---| | 1 | £9 |", (TWO,))


@pytest.mark.parametrize("outcome", [REFUSE, ERROR])
def test_what_did_not_answer_claims_nothing(outcome: str) -> None:
    assert claims(answer("Leave is 25 days. [1]", (ONE, "x"), outcome=outcome)) == ()
    found = Judge(Scripted(())).load()(answer("Leave.", outcome=outcome))
    assert (found.supported, found.left_out, found.faithful) == (None, "no claim", Rate(0, 0))


# Verdicts


def test_each_claim_is_asked_about_with_its_passages() -> None:
    asked: list[Prompt] = []

    def model(prompt: Prompt) -> str:
        asked.append(prompt)
        return YES if "25 days" in prompt.user else NO

    found = Judge(Function("stub", model)).load()(TWICE)
    assert [each.user for each in asked] == [
        "Passages:\n\n[1] Leave\nLeave is 25 days. Ask early.\n\nClaim: Leave is 25 days.",
        "Passages:\n\n[1] Rates\n| kg | price |\n|---|---|\n| 1 | £9 |\n| 2 | £12 |\n\nClaim: It costs £9.",
    ]
    assert [(each.supported, each.why) for each in found.claims] == [(True, "it says so"), (False, "it does not")]
    assert (found.supported, found.faithful, found.left_out, found.spent.calls) == (False, Rate(1, 2), "", 2)


@pytest.mark.parametrize("text", [YES, f"```json\n{YES}\n```", f"Here:\n~~~\n{YES}\n~~~\nDone.", '{"supported":true}'])
def test_json_counts_in_a_fence_and_without(text: str) -> None:
    assert judged(text, text).supported is True


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "not whole (empty)"),
        (" \n", "not whole (empty)"),
        (Reply(YES, "m", stopped=LENGTH, reason="cut off"), "not whole (length)"),
        (Reply("", "m", stopped="safety", reason="blocked"), "not whole (safety)"),
        ('{"supported": tr', "no JSON"),
        ("```json\n```", "no JSON"),
        ("Supported.", "no JSON"),
        ("true", "no verdict"),
        ("[]", "no verdict"),
        ("{}", "no verdict"),
        ('{"supported": 1}', "no verdict"),
        ('{"supported": "false"}', "no verdict"),
        ('{"supported": null}', "no verdict"),
    ],
)
def test_what_gives_no_verdict_is_left_out_and_is_neither_yes_nor_no(reply: Reply | str, why: str) -> None:
    half, failed = judged(YES, reply), judged(NO, reply)
    assert (half.supported, half.left_out, half.faithful) == (None, why, Rate(1, 1, 1))
    assert (failed.supported, failed.left_out, failed.faithful) == (False, "", Rate(0, 1, 1))


def test_a_model_that_fails_leaves_its_claim_out_and_the_next_is_asked() -> None:
    found = judged(YES)
    assert [each.left_out for each in found.claims] == ["", "model failed"]
    assert found.claims[1].why == "scripted: asked more than 1 times" and found.supported is None


def test_a_claim_without_a_passage_is_not_asked_about() -> None:
    found = Judge(Scripted(())).load()(answer("Leave is 25 days."))
    assert (found.supported, found.left_out, found.spent.calls) == (None, "cites nothing", 0)


def test_a_place_without_a_quote_is_no_passage() -> None:
    """A system that is not ours may name a file and a heading alone: a heading bears nothing out."""
    place = Chunk("a.md#leave", "a.md", " ", ("Leave",))
    found = Judge(Scripted(())).load()(answer("Leave is 25 days. [1]", (place, "")))
    assert (found.supported, found.left_out, found.spent.calls) == (None, "cites no text", 0)
    (claim,) = claims(answer("Leave is 25 days. [1][2]", (place, ""), (ONE, "Leave is 25 days.")))
    shown = Judge(Scripted(())).prompt(claim).user
    assert shown == "Passages:\n\n[1] Leave\nLeave is 25 days. Ask early.\n\nClaim: Leave is 25 days."


@pytest.mark.parametrize("service", SERVICES, ids=str)
def test_a_judge_behind_its_sdk_is_replayed(
    service: Service, running: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(service.module)
    monkeypatch.setenv("RAGKIT_CACHE", str(tmp_path))
    keyless(monkeypatch)
    service.reachable(monkeypatch, running)
    running.usual = lambda request: service.says(
        f"```json\n{YES if '25 days' in json.dumps(request.json) else NO}\n```"
    )
    choice = Judge(Recorded(service.choice))
    found = choice.load()(TWICE)
    assert [each.supported for each in found.claims] == [True, False]
    assert (found.spent.calls, found.spent.tokens_in, len(running.requests)) == (2, 80, 2)
    keyless(monkeypatch)
    assert choice.load()(TWICE) == found and len(running.requests) == 2
    assert KEY not in "".join(path.read_text("utf-8") for path in tmp_path.rglob("*.json"))
    assert "was never recorded" in said(lambda: choice.load()(answer("Ask early. [1]", (ONE, "x"))), NotAvailable)


@pytest.fixture
def running() -> Iterator[Stub]:
    with Stub(lambda request: pytest.fail("not scripted")) as stub:
        yield stub


# Beside what code checks


def test_what_code_says() -> None:
    quoted = answer("Leave is 25 days. [1]", (ONE, "Leave is 25 days."))
    bare = answer("Leave is 25 days. [1] Ask late.", (ONE, "Leave is 25 days."))
    wrong = answer("Leave is 26 days. [1]", (ONE, "Leave is 25 days."))
    refused = answer("", outcome=REFUSE)
    assert list(map(by_support, (quoted, bare, wrong, refused))) == [True, False, True, None]
    corpus = systems.SYSTEMS["passage"].on(read(ROOT / "corpus" / "kestrel")).corpus
    checks = [choice.on(corpus) for choice in (Marked(), Numbers())]
    assert [by_checks(each, checks) for each in (quoted, bare, wrong, refused)] == [True, False, False, None]
    assert [by_checks(each, checks[1:]) for each in (bare, wrong)] == [True, False]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Leave is 25 days. [1]", True),
        ("Leave is 26 days. [1]", False),
        ("Leave. [2]", False),
        ("Leave is 25 days.", None),
    ],
)
def test_where_no_ranking_is_shown_the_checks_alone_decide(text: str, found: bool | None) -> None:
    quote = "Leave is 25 days."
    bare = replace(answer(text, (replace(ONE, text=quote), quote)), ranking=NO_RANKING)
    checks = [choice.on(Corpus.of_chunks([ONE])) for choice in (Marked(), Numbers())]
    assert by_code(bare, checks) is found
    assert by_code(replace(bare, citations=(Citation(replace(ONE, text=""), "", 1),)), checks) is None
    with_ranking = answer("Leave is 25 days. [1]", (ONE, "Leave is 24 days."))
    assert by_code(with_ranking, checks) is False


def verdict(supported: bool | None, why: str = "") -> Judgement:
    return Judgement((Judged(Claim("c"), supported, left_out=why),))


def test_agreement_counts_both_and_what_is_left_out_by_reason() -> None:
    yes, no = verdict(True), verdict(False)
    cut, words = verdict(None, "not whole (length)"), verdict(None, "no JSON")
    judgements = [yes, yes, yes, yes, no, no, yes, cut, cut, words, yes, Judgement()]
    found = agreement(judgements, [True, True, False, False, True, False, True, True, None, False, None, None])
    assert found == Agreement(3, 2, 1, 1, {
        "code: no verdict": 1, "judge: no JSON": 1, "judge: no claim": 1, "judge: not whole (length)": 2,
    })  # fmt: skip
    assert found.observed == Rate(4, 7, 5) and found.interval == wilson(4, 7)
    assert found.kappa == pytest.approx(cohen_kappa_score([1, 1, 1, 1, 0, 0, 1], [1, 1, 0, 0, 1, 0, 1]))


def test_lists_that_do_not_belong_together_are_no_agreement() -> None:
    with pytest.raises(ValueError, match="argument 2"):
        agreement([verdict(True)], [])


counts = st.integers(0, 40)


@given(counts, counts, counts, counts)
def test_kappa_is_that_of_another_library(both: int, first: int, second: int, neither: int) -> None:
    found = kappa(both, first, second, neither)
    one = [1] * (both + first) + [0] * (second + neither)
    other = [1] * both + [0] * first + [1] * second + [0] * neither
    if len({*one, *other}) > 1:
        assert found == pytest.approx(cohen_kappa_score(one, other))
    else:
        assert math.isnan(found)
