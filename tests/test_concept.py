"""The ideas of a question, and what holds them."""

from __future__ import annotations

import math
from collections.abc import Mapping

import build
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit.concept import concepts, form, form_in, holding, rarity
from ragkit.retrieve import query
from ragkit.text import Analyzer


def ideas(question: str, *texts: str, terms: Mapping[str, str] | None = None) -> list[str]:
    return [idea.word for idea in concepts(question, build.corpus(*texts, terms=terms))]


def held(question: str, *texts: str, terms: Mapping[str, str] | None = None) -> list[dict[int, str]]:
    """Where each idea of a question stands, and in which form."""
    corpus = build.corpus(*texts, terms=terms)
    return [holding(idea, corpus) for idea in concepts(question, corpus)]


# Which ideas


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How many days of annual leave do I get?", ["days", "annual", "leave"]),
        ("Isn't there a crèche?", ["creche"]),
        ("What is it?", []),
        ("", []),
        ("🎉 ???\0", []),
        ("leave, leaves and LEAVE", ["leave"]),
        ("What's a KX‑Code?", ["kx-code"]),
        ("7 x 9", ["7", "x", "9"]),
    ],
)
def test_the_ideas_of_a_question(question: str, words: list[str]) -> None:
    assert ideas(question, "door") == words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("the kl 40 x sensor", ["kl 40 x", "sensor"]),
        ("the kl 40 sensor", ["kl 40", "sensor"]),
        ("where to check in", ["check in"]),
        ("kl 41 sensor", ["kl 41", "sensor"]),
        ("a door code", ["door", "code"]),
        ("bay 9", ["bay", "9"]),
    ],
)
def test_words_that_the_corpus_writes_as_one_are_one_idea(question: str, words: list[str]) -> None:
    assert ideas(question, "KL-40X and KL-40", "Check-in: door code", "bay 9, sensor") == words


def test_words_the_corpus_writes_without_a_hyphen_are_one_idea_too() -> None:
    assert ideas("the e mail", "Send an email.") == ["e mail"]


@pytest.mark.parametrize(
    "question", ["busy business", "business busy", "customs for customers", "customers at customs"]
)
def test_two_words_on_one_stem_are_two_ideas(question: str) -> None:
    assert len(ideas(question, "A busy line for a customer.")) == 2


# Where they stand


@pytest.mark.parametrize(
    ("question", "text", "form"),
    [
        ("carried", "You can carry five days over.", "carry"),
        ("payments", "One payment.", "payment"),
        ("QR7", "Form QR-7", "qr-7"),
        ("QR 7", "Form QR-7", "qr-7"),
        ("QR-7", "Form QR 7", "qr 7"),
        ("wifi", "The Wi-Fi name", "wi-fi"),
    ],
)
def test_a_text_holds_an_idea_in_another_form(question: str, text: str, form: str) -> None:
    assert held(question, text) == [{0: form}]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("port", "public transport"),
        ("news", "the new rules"),
        ("caring", "a car"),
        ("business", "a busy line"),
        ("customs", "a customer"),
        ("QR-9", "QR-7 and bay 9"),
        ("TK-Code", "TK-Badge and door code"),
        ("KL-40", "KL-40X"),
        ("KL-40X", "KL-40"),
        ("4.3", "4.2 and 3"),
    ],
)
def test_a_text_does_not_hold_another_word_or_code(question: str, text: str) -> None:
    assert held(question, text) == [{}]


def test_a_piece_finds_the_code_it_is_part_of() -> None:
    assert held("badge", "The TK-Badge") == [{0: "badge"}]


def test_an_idea_is_held_through_a_phrase_of_the_dictionary() -> None:
    assert held("pto", "paid leave", "annual leave", terms={"pto": "annual leave"}) == [{1: "annual leave"}]


def test_a_phrase_has_to_stand_as_one() -> None:
    assert held("pto", "leave of an annual kind", terms={"pto": "annual leave"}) == [{}]


def test_the_word_itself_is_named_before_what_it_may_mean() -> None:
    assert held("pto", "annual leave or PTO", terms={"pto": "annual leave"}) == [{0: "pto"}]


@pytest.mark.parametrize("text", ["£6.50", "costs 40 pounds", "€ 3", "ten pence", "$1,200"])
def test_a_price_is_asked_for_by_what_it_costs(text: str) -> None:
    assert len(held("cost", text)[0]) == 1


@pytest.mark.parametrize("text", ["a pound of flour", "40 crates", "pounds", "seven poundsworth"])
def test_what_is_no_price(text: str) -> None:
    assert held("cost", text) == [{}]


@pytest.mark.parametrize("text", ["three months", "10 working days", "an hour", "5 km", "a 3-week break"])
def test_a_length_is_asked_for_by_how_long(text: str) -> None:
    assert len(held("how long", text)[0]) == 1


@pytest.mark.parametrize("text", ["months", "5 kg", "the day", "ten mines", "bay 5 m2"])
def test_what_is_no_length(text: str) -> None:
    assert held("how long", text) == [{}]


CORPUS = ("You can carry over five days.", "KL-40X costs £6", "paid annual leave", "Check-in at the hut", "")


@given(
    st.lists(
        st.sampled_from(
            [
                "carried",
                "carry",
                "five",
                "kl",
                "40",
                "x",
                "kl-40x",
                "cost",
                "pto",
                "leave",
                "annual",
                "check",
                "in",
                "hut",
                "no",
            ]
        ),
        max_size=5,
    )
)
def test_one_chunk_holds_an_idea_exactly_when_the_corpus_says_so(words: list[str]) -> None:
    corpus = build.corpus(*CORPUS, terms={"pto": "annual leave"})
    for idea in concepts(" ".join(words), corpus):
        passages = {n: corpus.passage(chunk) for n, chunk in enumerate(corpus.chunks)}
        forms = {n: form_in(idea, passage) for n, passage in passages.items()}
        assert holding(idea, corpus).keys() == {n for n, found in forms.items() if found}
        assert [form(idea, chunk, corpus) for chunk in corpus.chunks] == [
            holding(idea, corpus).get(n, "") for n in passages
        ]


@given(st.from_regex(r"[a-zA-Z0-9]{1,9}(-[a-zA-Z0-9]{1,5})?", fullmatch=True))
def test_a_word_that_was_indexed_is_found_when_it_is_asked(word: str) -> None:
    corpus = build.corpus(f"zz {word}.")
    terms = set(query(word, corpus))
    assert terms == set(Analyzer().terms(word)) and terms <= set(corpus.holders)
    assert all(holding(idea, corpus) for idea in concepts(word, corpus))


LONG = st.from_regex(r"[b-df-hj-np-tv-xz]{3,6}", fullmatch=True)


@given(LONG, st.text("aou", min_size=1, max_size=2), st.booleans())
def test_a_word_inside_another_is_never_held(inner: str, rest: str, before: bool) -> None:
    assert held(inner, rest + inner if before else inner + rest) == [{}]


# Rarity


@pytest.mark.parametrize("chunks", [1, 4, 68])
def test_a_rarer_idea_tells_more_and_none_tells_less_than_nothing(chunks: int) -> None:
    weights = [rarity(held, chunks) for held in range(chunks + 1)]
    assert weights == sorted(weights, reverse=True) and weights[-1] > 0


def test_rarity_by_hand() -> None:
    assert rarity(2, 4) == pytest.approx(math.log(2))


def test_an_empty_corpus_holds_nothing() -> None:
    assert held("annual leave") == [{}, {}]


@pytest.mark.parametrize(
    ("question", "ideas"),
    [
        ("Which KL sensor is heated?", ["kl", "sensor", "heated"]),
        ("Is the KL 50 heated?", ["kl 50", "heated"]),
        ("What does a TK code open?", ["tk code", "open"]),
    ],
)
def test_a_piece_takes_the_next_word_along_where_codes_go_on_like_that(question: str, ideas: list[str]) -> None:
    built = build.corpus("The KL-40 sensor is heated.", "A TK-Badge opens the bay.", "The door code changes.")
    assert [idea.word for idea in concepts(question, built)] == ideas
