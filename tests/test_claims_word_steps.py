"""H7 and H8: each figure reacts to what it claims to measure."""

from __future__ import annotations

from dataclasses import fields, replace

import build
import pytest

from ragkit.claims import lab, word_steps
from ragkit.claims.book import claims
from ragkit.claims.word_steps import STEPS, collided, joined, plurals, refused_more, turned, vocabulary, without
from ragkit.forms import STEMMERS
from ragkit.records import ANSWER, REFUSE, Answer, Golden, Outcome, Rate, Verdict
from ragkit.systems import SYSTEMS
from ragkit.text import Analyzer

FORMS = ["batteries", "battery", "class", "classes", "lane", "lanes", "new", "sensor", "sensors"]
PAIRS = [("battery", "batteries"), ("class", "classes"), ("lane", "lanes"), ("sensor", "sensors")]


def outcome(name: str, *, answerable: bool, refused: bool) -> Outcome:
    verdict = Verdict("no-match") if refused else Verdict()
    return Outcome("toy", Golden(name, "?", answerable), Answer("?", REFUSE if refused else ANSWER, verdict=verdict))


@pytest.mark.parametrize("step", STEPS)
def test_one_step_is_left_out_and_all_else_stays(step: str) -> None:
    full, cut = lab.PUBLISHED, without(step)
    assert replace(cut, analyzer=full.analyzer) == full
    names = [part.name for part in fields(Analyzer)]
    changed = [name for name in names if getattr(cut.analyzer, name) != getattr(full.analyzer, name)]
    assert len(changed) == 1 and (step == "stemming" or cut.analyzer.stemmer == "suffix")


def test_every_step_is_tried() -> None:
    assert len(claims()["H7"].tests) == len(STEPS) == 5


def test_a_step_that_changes_nothing_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_steps, "without", lambda step: lab.PUBLISHED)
    measure = claims()["H7"].measure
    assert measure and {figure.value for figure in measure().figures} == {0.0}


def test_a_step_that_every_answer_needs_costs_every_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_steps, "without", lambda step: SYSTEMS["always-refuse"])
    measure = claims()["H7"].measure
    assert measure and all(figure.value > 0.4 for figure in measure().figures)


def test_only_answerable_questions_that_turn_to_refused_count() -> None:
    rows = [("a", True), ("b", True), ("c", True), ("d", False)]
    before = [outcome(name, answerable=label, refused=name == "c") for name, label in rows]
    after = [outcome(name, answerable=label, refused=name in "abd") for name, label in rows]
    assert refused_more(before, after).value == pytest.approx(1 / 3) and refused_more(before, after).n == 3
    assert turned(before, after) == "2: a, b" and turned(before, after, most=1) == "2: a ..."
    assert turned(before, before) == "0"


def test_pairs_are_found_by_spelling_alone() -> None:
    assert plurals(FORMS) == PAIRS


def test_the_vocabulary_has_no_codes_and_no_stop_words() -> None:
    corpus = build.corpus("The Wi-Fi of the lanes, KX-9, 25 m", analyzer=Analyzer(stemmer="suffix"))
    assert vocabulary(corpus) == ["lanes"]


@pytest.mark.parametrize(
    ("name", "hits"), [("snowball", 4), ("suffix", 3), ("plural", 2), ("front-desk", 2), ("none", 0)]
)
def test_pairs_are_joined_by_one_stem(name: str, hits: int) -> None:
    assert joined(PAIRS, STEMMERS[name]()) == Rate(hits, 4)


def test_words_collide_that_are_no_forms_of_one_word() -> None:
    assert collided(["lane", "lanes", "lamp"], lambda word: word[:2]) == Rate(3, 3)
    assert collided(["lane", "lanes", "lamp"], lambda word: word[:3]) == Rate(0, 3)
    assert collided(["different", "difference"], STEMMERS["snowball"]()) == Rate(2, 2)


def test_another_stemmer_in_its_place_moves_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    measure = claims()["H8"].measure
    assert measure
    monkeypatch.setitem(STEMMERS, "suffix", STEMMERS["snowball"])
    monkeypatch.setattr(word_steps, "_stemmed", lambda name: lab.PUBLISHED)
    join, _, worse, _ = measure().figures
    assert (join.value, worse.value) == (1.0, 0.0)
