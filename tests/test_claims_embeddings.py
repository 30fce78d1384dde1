"""Claims about the numbers of embeddings: each figure moves with what it claims to measure."""

from __future__ import annotations

import pytest
from build import KESTREL

from ragkit.claims import embeddings
from ragkit.claims.claim import Tried
from ragkit.corpus import Corpus
from ragkit.golden import read
from ragkit.records import Ranking, Rate
from ragkit.signals import Signal

CLAIMS = {claim.id: claim for claim in embeddings.CLAIMS}
ANSWERABLE = {
    row.question: row.answerable
    for file in sorted((KESTREL.parents[1] / "golden").glob("*.csv"))
    if file.stem != "baseline"
    for row in read(file)
}


def oracle(name: str, sign: int) -> Signal:
    """A signal that knows the labels: with -1 it takes one for the other, with 0 it says nothing."""

    def of(ranking: Ranking, corpus: Corpus) -> float:
        return float(sign * ANSWERABLE[ranking.question])

    return Signal(name, of)


def test_a_printed_score_that_no_ranks_give_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings, "PRINTED", (15.80, 16.26))
    assert embeddings._printed().figures[0].value == 1
    assert embeddings.of_no_rank((15.80, 16.26), embeddings._reached()) == [15.80]


def test_a_model_that_is_sure_is_seen_behind_the_printed_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    for bar, share in ((-1.0, 1.0), (1.1, 0.0)):  # below and above every cosine
        monkeypatch.setattr(embeddings, "SURE", bar)
        assert embeddings._printed().figures[1].value == share


def test_the_bands_of_fused_scores_hold_every_probe_once() -> None:
    rows = embeddings.x_09()
    rates = [row["has an answer"] for row in rows]
    assert sum(rate.of for rate in rates if isinstance(rate, Rate)) == 314
    assert sum(rate.hits for rate in rates if isinstance(rate, Rate)) == 160


@pytest.mark.parametrize(
    ("sign", "area", "verdict"), [(1, 1.0, "refuted"), (0, 0.5, "confirmed"), (-1, 0, "confirmed")]
)
def test_a_cosine_that_knows_the_answer_refutes_that_it_can_not(
    sign: int, area: float, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embeddings, "TOP_COSINE", oracle("top_cosine", sign))
    monkeypatch.setattr(embeddings.lab, "OURS", ())
    found = embeddings._separation()
    assert [figure.value for figure in found.figures] == [area] * 4
    assert Tried(CLAIMS["H13"], found).verdict == verdict


def test_agreement_that_knows_the_answer_is_a_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings.lab, "OURS", (("kestrel", "kestrel"),))
    for sign, verdict in ((1, "confirmed"), (0, "refuted")):
        monkeypatch.setattr(embeddings, "SAME_FIRST", oracle("same_first", sign))
        found = embeddings._same_first()
        assert Tried(CLAIMS["H14"], found).verdict == verdict
    assert found.rows[0]["answerable, same first"] == Rate(0, 15)


def test_a_scale_that_turns_an_order_around_moves_ranks_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings, "FACTORS", (1.0,))
    assert [figure.value for figure in embeddings._scales().figures] == [0, 0]
    monkeypatch.setattr(embeddings, "FACTORS", (-1.0,))
    assert min(figure.value for figure in embeddings._scales().figures) > 0


def test_the_cosines_are_told_for_every_kind_of_question() -> None:
    labels = [row["label"] for row in embeddings.x_03()]
    assert len(set(labels)) == len(labels)
    assert {"q2 (answerable)", "q4 (unanswerable)", "q9 (unanswerable)", "pseudo-words (null)"} <= set(labels)
