"""Scores that an oracle or a pencil gives, and rankings that are the sorted scores."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import build
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit.postings import Postings
from ragkit.records import BadInput
from ragkit.retrieve import BM25, TFIDF, Lexical, query
from ragkit.text import Analyzer

WEIGHTS = [BM25(), BM25(idf="okapi"), BM25(k1=0.9, b=0.4), BM25(k1=0, b=0), TFIDF()]
every_weight = pytest.mark.parametrize("weight", WEIGHTS, ids=repr)


# The oracle: chunks whose words follow Zipf and Mandelbrot, so that some stand in nearly all of them


@cache
def zipf(chunks: int, words: int) -> list[list[str]]:
    rng = np.random.default_rng(1)
    odds = 1 / (np.arange(words) + 2.7) ** 1.05
    lengths = np.clip(rng.normal(80, 20, chunks), 12, 200).astype(int)
    drawn = rng.choice(words, int(lengths.sum()), p=odds / odds.sum())
    return [[f"w{n}" for n in part] for part in np.split(drawn, np.cumsum(lengths)[:-1])]


def asked(chunks: list[list[str]], questions: int) -> Iterator[list[str]]:
    """3 to 9 words of a chunk each, frequent ones among them, and at times one that no chunk holds."""
    rng = np.random.default_rng(99)
    for n in range(questions):
        own = chunks[rng.integers(len(chunks))]
        yield [str(word) for word in rng.choice(own, rng.integers(3, 10))] + ["unknown"] * (n % 5 == 0)


def test_okapi_gives_the_scores_of_rank_bm25() -> None:
    oracle = pytest.importorskip("rank_bm25").BM25Okapi
    chunks = zipf(2000, 6000)
    ours, theirs = Postings(chunks, BM25(idf="okapi")), oracle(chunks)
    worst = max(float(abs(ours.scores(q) - theirs.get_scores(q)).max()) for q in asked(chunks, 1000))
    assert worst < 1e-9


def test_most_questions_of_the_oracle_hold_a_word_of_more_than_half_the_chunks() -> None:
    chunks = zipf(2000, 6000)
    common = {f"w{n}" for n in range(20) if sum(f"w{n}" in chunk for chunk in chunks) > 1000}
    assert sum(not common.isdisjoint(question) for question in asked(chunks, 1000)) > 500


# By hand: four chunks, `deposit` in two


FOUR = [["deposit", "hire"], ["cancel", "deposit"], ["desk", "hour"], ["mooring", "pier"]]


@pytest.mark.parametrize(("idf", "weight"), [("plus-one", math.log(1 + 2.5 / 2.5)), ("okapi", 0.0)])
def test_the_weight_of_a_word_in_half_of_the_chunks(idf: str, weight: float) -> None:
    assert Postings(FOUR, BM25(idf=idf)).scores(["deposit"]).tolist() == pytest.approx([weight, weight, 0, 0])


def test_bm25_by_hand() -> None:
    # n = 1 of 2 chunks, tf = 2, length 3, mean length 2: ln 2 * 2 * 2.5 / (2 + 1.5 * (0.25 + 0.75 * 1.5))
    score = math.log(2) * 5 / (2 + 1.5 * 1.375)
    assert Postings([["a", "a", "b"], ["c"]], BM25()).scores(["a"]).tolist() == pytest.approx([score, 0])


def test_tfidf_by_hand() -> None:
    # `a`: 2 of 3 words, in 1 of 2 chunks; `b`: 1 of 3 and 1 of 1 words, in both
    scores = Postings([["a", "a", "b"], ["b"]], TFIDF()).scores(["a", "b"])
    assert scores.tolist() == pytest.approx([2 / 3 * math.log(3) + math.log(2) / 3, math.log(2)])


def test_a_negative_weight_becomes_a_quarter_of_the_mean() -> None:
    # `a` in 3 of 4 chunks: ln(1.5 / 3.5) < 0; each of the others in 1 of 4: ln(3.5 / 1.5)
    chunks = [["a", "b"], ["a", "c"], ["a", "d"], ["e", "f"]]
    mean = (math.log(1.5 / 3.5) + 5 * math.log(3.5 / 1.5)) / 6
    assert Postings(chunks, BM25(idf="okapi")).scores(["a"]).tolist() == pytest.approx([mean / 4] * 3 + [0])


@given(st.lists(st.lists(st.sampled_from("abcde"), min_size=1, max_size=6), min_size=1, max_size=12))
def test_plus_one_gives_every_holder_more_than_nothing(chunks: list[list[str]]) -> None:
    postings = Postings(chunks, BM25())
    for term in "abcde":
        assert [score > 0 for score in postings.scores([term])] == [term in chunk for chunk in chunks]


@every_weight
def test_a_term_that_is_asked_twice_counts_twice(weight: BM25 | TFIDF) -> None:
    postings = Postings(FOUR, weight)
    assert postings.scores(["hire", "hire"]).tolist() == pytest.approx((2 * postings.scores(["hire"])).tolist())


# The best are the sorted scores

CHUNKS = st.lists(st.lists(st.sampled_from("abcdef"), max_size=7), max_size=14)
QUESTIONS = st.lists(st.sampled_from("abcdefg"), max_size=6)


@every_weight
@given(CHUNKS, QUESTIONS, st.integers(1, 20))
def test_the_top_is_the_sorted_scores(weight: BM25 | TFIDF, chunks: list, terms: list, k: int) -> None:
    postings = Postings(chunks, weight)
    scores = postings.scores(terms)
    holders = [n for n, chunk in enumerate(chunks) if set(terms) & set(chunk)]
    expected = sorted(holders, key=lambda n: (-scores[n], n))[:k]
    found, given_scores = postings.top(terms, k)
    assert found.tolist() == expected and given_scores.tolist() == scores[expected].tolist()


@pytest.mark.parametrize("k", [1, 3, 10, 5000])
def test_the_top_of_many_chunks_is_the_sorted_scores(k: int) -> None:
    chunks = zipf(2000, 6000)
    postings = Postings(chunks, BM25())
    for terms in asked(chunks, 40):
        scores = postings.scores(terms)
        expected = sorted(np.flatnonzero(scores > 0), key=lambda n: (-scores[n], n))[:k]
        assert postings.top(terms, k)[0].tolist() == expected


def test_equal_scores_stand_in_chunk_order() -> None:
    assert Postings([["a"]] * 50, BM25()).top(["a"], 3)[0].tolist() == [0, 1, 2]


def test_asking_leaves_nothing_behind() -> None:
    postings = Postings(FOUR, BM25())
    before = postings.scores(["deposit"]).tolist()
    postings.top(["deposit", "hire"], 1)
    assert postings.top(["deposit"], 9)[1].tolist() == before[:2]


@every_weight
@pytest.mark.parametrize("chunks", [[], [[]], [[], ["a"]]])
@pytest.mark.parametrize("terms", [[], ["a"], ["unknown"]])
def test_nothing_to_find_is_found_without_an_error(weight: BM25 | TFIDF, chunks: list, terms: list) -> None:
    postings = Postings(chunks, weight)
    assert len(postings.scores(terms)) == len(chunks)
    assert postings.top(terms, 5)[0].tolist() == [n for n, chunk in enumerate(chunks) if set(terms) & set(chunk)]


@pytest.mark.parametrize("bad", [{"k1": -0.1}, {"b": 1.1}, {"b": -0.1}, {"idf": "bm25+"}])
def test_a_weight_that_can_not_be_is_bad_input(bad: dict) -> None:
    with pytest.raises(BadInput):
        BM25(**bad)


# Rankings


@every_weight
@pytest.mark.parametrize("question", ["", "???", "What is it?", "sabbatical"])
def test_a_question_without_a_known_word_ranks_nothing(weight: BM25 | TFIDF, question: str) -> None:
    (ranking,) = Lexical(weight).on(build.corpus("paid leave", "door code"))([question], 5)
    assert (ranking.question, ranking.hits) == (question, ())


@every_weight
def test_an_empty_corpus_ranks_nothing(weight: BM25 | TFIDF) -> None:
    assert Lexical(weight).on(build.corpus())(["paid leave"], 5)[0].hits == ()


@every_weight
def test_a_ranking_stands_by_score_and_chunk_id(weight: BM25 | TFIDF) -> None:
    corpus = build.corpus("leave", "leave leave leave x", "door", "leave", "leave y")
    hits = Lexical(weight).on(corpus)(["leave"], 9)[0].hits
    assert [hit.chunk.id for hit in hits] == [
        hit.chunk.id for hit in sorted(hits, key=lambda hit: (-hit.score, hit.chunk.id))
    ]


@every_weight
def test_a_ranking_has_the_scores_of_its_weight(weight: BM25 | TFIDF) -> None:
    corpus = build.corpus("leave", "paid leave, paid leave", "door")
    hits = Lexical(weight).on(corpus)(["paid leave"], 9)[0].hits
    scores = Postings(corpus.terms, weight).scores(query("paid leave", corpus))
    assert {hit.chunk.id: hit.score for hit in hits} == {"000": scores[0], "001": scores[1]}


def test_a_ranking_ends_after_k() -> None:
    assert len(Lexical().on(build.corpus(*["leave"] * 9))(["leave"], 4)[0].hits) == 4


def test_a_chunk_with_a_word_of_the_question_is_found_through_the_dictionary() -> None:
    corpus = build.corpus("annual leave", "door", terms={"pto": "annual leave"})
    assert [hit.chunk.id for hit in Lexical().on(corpus)(["How much PTO?"], 5)[0].hits] == ["000"]


# The same words when indexing and when asking

TEXTS = ["You can carry over 5 days.", "KX-Code & QR7", "Isn’t the crèche closed?", "Prices: £5,120.50", "kl-40x, C#"]


@pytest.mark.parametrize("stemmer", ["snowball", "plural", "none"])
@pytest.mark.parametrize("text", TEXTS)
def test_a_text_asked_as_a_question_has_the_terms_it_was_indexed_by(text: str, stemmer: str) -> None:
    corpus = build.corpus(text, analyzer=Analyzer(stemmer))
    assert set(query(text, corpus)) == set(corpus.terms[0])


def test_a_question_is_ranked_by_each_term_once() -> None:
    corpus = build.corpus("annual leave", terms={"pto": "annual leave"})
    assert query("PTO, leave, leaves", corpus) == ["pto", "annual", "leav"]
