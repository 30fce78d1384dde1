"""Refusals read from wording: the labelled texts and the error rate measured on them are what the README says."""

from __future__ import annotations

import hashlib
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable

import build
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit import detect
from ragkit.detect import Labelled, labelled, misread, refused, told, why
from ragkit.files import read_text, table
from ragkit.forms import rows
from ragkit.records import Rate
from ragkit.tables import number
from ragkit.text import fold

README = read_text(build.ROOT / "golden" / "detect" / "README.md")
ROWS = labelled()
HALVES = ("making", "held")
PHRASES = rows("refusals.csv")
KINDS = {
    True: "plain polite cited repeats offer detour clarifying short-refusal declines",
    False: "answer negation missing hedged partial quoting apology disclaimer error short-answer empty",
}


def half(split: str) -> list[Labelled]:
    return [row for row in ROWS if row.split == split]


# The labelled texts


def test_there_are_enough_texts_and_each_stands_once() -> None:
    assert len(ROWS) >= 200 and f"All {len(ROWS)} texts" in README
    assert max(Counter(row.id for row in ROWS).values()) == 1
    assert max(Counter(row.text for row in ROWS).values()) == 1


def test_kinds_are_those_of_the_readme_with_one_label_each() -> None:
    told = {(kind, word == "yes") for kind, word in re.findall(r"^\| ([a-z-]+) \| (yes|no) \|", README, re.MULTILINE)}
    assert {(row.kind, row.refusal) for row in ROWS} == told
    assert told == {(kind, refusal) for refusal, kinds in KINDS.items() for kind in kinds.split()}


def test_english_and_german_in_about_two_to_one() -> None:
    count = Counter(row.lang for row in ROWS)
    assert set(count) == {"en", "de", "-"} and 1.5 < count["en"] / count["de"] < 2.5
    assert {row.lang == "-" for row in ROWS if row.kind == "empty"} == {True} and count["-"] == 4


def test_both_labels_are_well_represented_in_both_halves() -> None:
    for split in HALVES:
        share = sum(row.refusal for row in half(split)) / len(half(split))
        assert 0.4 < share < 0.6


def test_the_halves_are_cut_by_the_rule_of_the_readme() -> None:
    groups: dict[tuple[str, str], list[Labelled]] = defaultdict(list)
    for row in ROWS:
        groups[row.kind, row.lang].append(row)
    for group in groups.values():
        ordered = sorted(group, key=lambda row: hashlib.sha256(row.id.encode()).hexdigest())
        assert [row.split for row in ordered] == ["making", "held"] * (len(group) // 2)


def test_the_held_half_is_the_one_that_was_frozen() -> None:
    cells = [row._asdict() for row in half("held")]
    digest = hashlib.sha256(table(cells, Labelled._fields).encode()).hexdigest()
    assert f"`{digest}`" in README


def test_the_file_is_written_as_ours_are() -> None:
    assert read_text(detect.LABELLED) == table([row._asdict() for row in ROWS], Labelled._fields)


# The phrases


def test_every_list_that_a_phrase_names_exists_and_is_used() -> None:
    named = {option for _, role, phrase in PHRASES if not role.isupper() for option in re.split(r"[ |]", phrase)}
    lists = {role for _, role, _ in PHRASES if role.isupper()}
    assert {option for option in named if option.isupper()} == lists
    assert Counter(map(tuple, PHRASES)).most_common(1)[0][1] == 1


def test_a_phrase_is_a_pattern_and_not_a_sentence() -> None:
    phrases = [phrase.split() for _, role, phrase in PHRASES if role.islower()]
    fixed = [steps for steps in phrases if not re.search(r"[|*A-Z]", " ".join(steps))]
    assert max(map(len, fixed)) <= 4 and max(map(len, phrases)) <= 9


def test_no_phrase_is_a_labelled_text() -> None:
    texts = {" ".join(re.findall(r"\w+", fold(row.text))) for row in ROWS if len(row.text.split()) > 3}
    assert not [phrase for _, _, phrase in PHRASES if " ".join(re.findall(r"\w+", fold(phrase))) in texts]


# What was measured


def test_the_figures_of_the_readme_are_those_of_the_code() -> None:
    kinds = [(split, lang) for split in HALVES for lang in ("all", "en", "de")]
    groups = {kind: [row for row in half(kind[0]) if kind[1] in ("all", row.lang)] for kind in kinds}
    lines = [f"| {' | '.join(map(number, (*kind, *misread(rows))))} |" for kind, rows in groups.items()]
    assert re.findall(r"^\| (?:making|held) \|.*$", README, re.MULTILINE) == lines
    assert f"> {told()}\n" in README


@pytest.mark.parametrize("split", HALVES)
def test_rates_are_over_the_texts_of_each_label(split: str) -> None:
    errors = [(row.refusal, refused(row.text)) for row in half(split)]
    refusals = sum(row.refusal for row in half(split))
    false = Rate(errors.count((False, True)), len(errors) - refusals)
    assert misread(half(split)) == (false, Rate(errors.count((True, False)), refusals))


def test_the_line_is_computed_from_the_held_half(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detect, "refused", lambda text: True)
    assert "75/75 (95-100 %) others for refusals and misses 0/68 (0-5 %) refusals" in told()
    monkeypatch.setattr(detect, "refused", lambda text: False)
    assert "on 143 held-out" in told() and "takes 0/75 (0-5 %)" in told() and "misses 68/68" in told()


# What decides

REFUSALS = {
    "The rules do not mention tents.": "rules do not mention",
    "I don't know.": "i do not know",
    "NO_ANSWER": "no answer",
    "Sorry! That is not something I can tell. Please call the desk.": "not something i can",
    "Although the guide explains how to book, it doesn't say who pays.": "it does not say",
    "If you mean the lake, I have no information.": "i have no",
    "The rules, unfortunately, do not mention tents.": "rules do not mention",
    "Boats cost 5 pounds. So I cannot answer the question.": "so i can not answer",
    "Zur Frist macht das Merkblatt keine Angaben.": "zur frist macht das merkblatt keine angaben",
    "In der Marktordnung steht dazu nichts.": "in der marktordnung steht dazu nichts",
    "Meinen Sie den Turm?": "meinen sie",
}
OTHERS = [
    "The rules do not allow tents.",
    "No.",
    "n/a",
    "Boats cost 5 pounds. Canoes are not mentioned.",
    "I have no information on canoes; boats cost 5 pounds.",
    "I could not find the fee, but entry to the tower is free.",
    "While the guide does not mention canoes, boats may be hired at the pier.",
    "If the fee is not listed, ask at the tower.",
    "A guest that is not listed pays in full.",
    "Press the key marked “not found”.",
    "Do you need a ticket? Yes, everybody does.",
    "Dogs travel free. Cats stay at home. Which ticket do you hold?",
    "25 steps. Which floor do you live on?",
    "Error 500: no answer from the server",
    "Fehlt die Angabe, gilt der volle Preis.",
    "Anträge, die nicht angegeben sind, verfallen.",
    "In der Unordnung steht nichts.",
    "",
    " \n",
    "?!",
]


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_tells_the_words_that_decided(text: str) -> None:
    assert why(text) == REFUSALS[text] and refused(text)


@pytest.mark.parametrize("text", OTHERS)
def test_what_is_no_refusal(text: str) -> None:
    assert why(text) == "" and not refused(text)


def test_words_are_whole() -> None:
    assert refused("The text says nothing.") and not refused("The context-free textile says nothing.")
    assert refused("It is unknown.") and not refused("It is unknowned.")


# What must not matter

WAYS: dict[str, Callable[[str], str]] = {
    "upper case": str.upper,
    "lower case": str.lower,
    "line ends for spaces": lambda text: text.replace(" ", "\n"),
    "wide spaces": lambda text: text.replace(" ", "\u00a0\t"),
    "space around": lambda text: f"\n {text} \n",
    "typographic apostrophes": lambda text: text.replace("'", "\u2019"),
    "straight quotes": lambda text: text.replace("\u201e", '"').replace("\u201c", '"'),
    "German quotes": lambda text: re.sub('"([^"]*)"', "\u201e\\1\u201c", text),
    "pointed quotes": lambda text: re.sub('"([^"]*)"', "\u00bb\\1\u00ab", text),
    "a citation after": lambda text: f"{text} [1]",
    "citations without a space": lambda text: f"{text}[2][13]",
    "citations before the stop": lambda text: f"{text.rstrip('.')} [1, 2].",
    "a citation in words": lambda text: f"{text} (source 3)",
    "bold": lambda text: f"**{text}**",
    "no stop": lambda text: text.rstrip("."),
}


def changed(way: Callable[[str], str], texts: Iterable[str]) -> list[str]:
    return [text for text in texts if refused(way(text)) != refused(text)]


@pytest.mark.parametrize("way", WAYS)
def test_the_verdict_does_not_hang_on(way: str) -> None:
    assert changed(WAYS[way], [*(row.text for row in half("making")), *REFUSALS, *OTHERS]) == []


@given(st.text())
def test_any_text_has_a_verdict(text: str) -> None:
    assert refused(text) == bool(why(text))


PIECES = [word for _, _, phrase in PHRASES for word in re.split(r"[ |]", phrase)] + list(".,;:?!()[]\"' \n-")


@given(st.lists(st.sampled_from(PIECES), max_size=60).map(" ".join))
def test_a_text_of_our_phrases_has_a_verdict_and_the_same_twice(text: str) -> None:
    assert why(text) == why(f"{text}  ")


def took(read: Callable[[str], object], texts: list[str]) -> float:
    """The least of three times, in seconds of this process."""
    times = []
    for _ in range(3):
        start = time.process_time()
        for text in texts:
            read(text)
        times.append(time.process_time() - start)
    return min(times)


def test_reading_costs_little_more_than_folding() -> None:
    texts = [row.text * (1 + 500 // len(row.text)) for row in half("making") if row.text.strip()]
    refused(texts[0])
    assert took(refused, texts) < 60 * took(fold, texts)


LONG = {
    "(a": "",
    "(": "a",
    "x": ".",
    "": "neither source ",
    "not ": "the rules do not ",
    "'": "a",
    '"': "- ",
    "if": ", b",
}


@pytest.mark.parametrize("edge", LONG)
def test_a_long_text_costs_in_proportion_to_its_length(edge: str) -> None:
    unit = LONG[edge] or edge
    short, long = (edge + unit * (size // len(unit)) + edge for size in (4_000, 40_000))
    refused(short)
    assert took(refused, [long]) < 40 * took(refused, [short]) + 0.05
