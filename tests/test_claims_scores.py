"""H1 to H3: each figure reacts to what it claims to measure."""

from __future__ import annotations

import build
import pytest

from ragkit.claims import lab, scores
from ragkit.claims.book import claims
from ragkit.claims.claim import Found, Tried
from ragkit.corpus import Corpus, Folder
from ragkit.postings import Postings
from ragkit.records import Document, Rate
from ragkit.retrieve import BM25
from ragkit.system import Bot, System


def tried(name: str) -> Tried:
    claim = claims()[name]
    assert claim.measure
    return Tried(claim, claim.measure())


def bot(*texts: str) -> Bot:
    return Bot(System("toy"), build.corpus(*texts))


def test_a_floor_that_splits_the_scores_has_no_error() -> None:
    row = scores.swept([3.0, 2.0], [1.0, 0.5])
    assert (row["errors"], row["false answers at 2"], row["AUROC"]) == (Rate(0, 4), Rate(0, 2), 1.0)
    assert scores.swept([3.0, 2.0], [1.0, 0.5], floor=3.0)["false refusals at 3"] == Rate(1, 2)


def test_the_published_pair_costs_an_error_at_every_floor() -> None:
    row = scores.swept([1.76], [10.08])
    assert (row["errors"], row["false refusals at 2"], row["false answers at 2"]) == (
        Rate(1, 2), Rate(1, 1), Rate(1, 1)
    )  # fmt: skip


def test_scores_that_a_floor_splits_take_the_claim_on_thresholds_down(monkeypatch: pytest.MonkeyPatch) -> None:
    class Split:
        def sides(self, *_: object) -> tuple[list[float], list[float]]:
            return [9.0, 8.0], [1.0, 0.0]

    assert tried("H1").verdict == "partly"
    monkeypatch.setattr(lab, "study", lambda *_: Split())
    assert "met" not in tried("H1").marks and tried("H1").verdict == "refuted"


def test_no_word_brings_more_than_its_share_and_one_repeated_in_a_short_chunk_nearly_that() -> None:
    texts = [["policy"] * 400] + [["policy", "word"]] * 7 + [["word"] * 400] * 18
    best = Postings(texts, BM25()).scores(["policy"]).max()
    assert 0.97 * scores.most(8, 26) < best < scores.most(8, 26)
    assert scores.most(26, 26) < scores.most(9, 26) < scores.most(8, 26)


def test_the_words_of_every_document_are_those_of_every_document() -> None:
    files = {"a": "# One\n\nblue sky\n\n# Two\n\nred sky", "b": "# Three\n\nblue sea", "c": "# Four\n\nblue sky"}
    documents = tuple(Document(f"{name}.md", text) for name, text in files.items())
    system = System("toy")
    made = Corpus(Folder("toy", documents), chunker=system.chunker, analyzer=system.analyzer)
    assert scores.everywhere(made) == {"blue"}


def test_a_dictionary_that_brings_nothing_leaves_the_score_to_its_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    careless = [figure.value for figure in tried("H2").found.figures]
    monkeypatch.setattr(scores, "SUBSTRING", lab.PUBLISHED)
    whole = [figure.value for figure in tried("H2").found.figures]
    assert careless[2] < 0.5 < whole[2] == 1 and careless[3] < 0.5 < whole[3] == 1


def test_if_every_term_were_in_every_document_such_terms_would_bring_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores, "everywhere", lambda corpus: set(corpus.holders))
    figure = tried("H2").found.figures[1]
    assert figure.value == 1 and figure.n > 400


def test_a_question_whose_second_half_adds_nothing_has_not_grown() -> None:
    made = bot("annual leave days", "carry leave over")
    assert scores.grown(made, ["annual leave days carry", "annual leave zebra giraffe"]) == 1


def test_longer_questions_stand_apart_from_shorter_ones() -> None:
    made = bot("annual leave days", "carry leave over")
    longer, shorter = scores.by_length(made, ["annual leave days", "annual", "days"])
    assert len(longer) == 1 and len(shorter) == 2 and min(longer) > max(shorter)


def test_a_rare_word_scores_higher_than_a_common_one() -> None:
    once, more = scores.by_rarity(bot("red sky", "red sea", "red hill", "KX-9 red"))
    assert len(once) == 3 and len(more) == 1 and min(once) > max(more)


def test_the_claim_on_length_has_a_chain_that_grows() -> None:
    one = tried("H3")
    assert isinstance(one.found, Found)
    found = [float(str(row["score"])) for row in one.found.rows]
    assert found == sorted(found) and len(found) == len(scores.CHAIN)
