"""Claims about vectors and scale as a risk: each figure moves with what it claims to measure."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from build import KESTREL

from ragkit.claims import lab, scale
from ragkit.claims.scale import among, equal, filler, gaps, leaks, strictest
from ragkit.records import Document

Sides = tuple[list[float], list[float]]


def test_the_strictest_floor_refuses_no_more_than_it_may() -> None:
    answerable, unanswerable = [1.0, 2.0, 3.0, 4.0], [0.5, 1.5, 3.5]
    found = [strictest(answerable, unanswerable, most) for most in range(5)]
    assert [(rule.false_refusals, rule.false_answers) for rule in found] == [(0, 2), (1, 1), (2, 1), (3, 0), (4, 0)]


def test_floors_are_equal_where_one_score_has_few_values() -> None:
    fine: Sides = [float(n) for n in range(20)], [0.0]
    coarse: Sides = [0.0] * 3 + [1.0] * 3 + [2.0] * 14, [0.0]
    assert [rule.false_refusals for rule in equal(fine, coarse)] == [3, 3]


@pytest.mark.parametrize(("hybrid", "dense"), [("worse", "same"), ("same", "worse"), ("better", "worse")])
def test_more_leaks_at_equal_false_refusals_are_seen(hybrid: str, dense: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answerable = [float(n) for n in range(100)]
    plans = {"same": [50.0] * 40, "worse": [90.0] * 40, "better": [-1.0] * 40}
    sides = {"coverage": "same", "coverage-hybrid": hybrid, "dense": dense}
    signs = {"same": 0, "worse": 1, "better": -1}

    def study(*names: str) -> SimpleNamespace:
        leak = {name: plans[kind] if kind != "same" else [10.0] * 20 + [50.0] * 20 for name, kind in sides.items()}
        return SimpleNamespace(sides=lambda _, system: (answerable, leak[system.name]), outcomes=lambda system: [])

    monkeypatch.setattr(lab, "study", study)
    values = [figure.value for figure in scale._floors().figures]
    assert [(value > 0) - (value < 0) for value in values] == [signs[hybrid], signs[dense]] * 3


def test_filler_is_drawn_alike_each_time_and_only_grows() -> None:
    few, many = filler("sdk", 5), filler("sdk", 9)
    assert many[:5] == few and len({document.text for document in many}) == 9
    filler.cache_clear()
    assert filler("sdk", 9) == many


def test_filler_holds_sentences_of_its_corpus_and_none_of_ours() -> None:
    theirs, ours = (
        " ".join(re.sub(r"[*_`]|\[|\]\([^)]*\)", "", file.read_text("utf-8")) for file in sorted(folder.glob("*.md")))
        for folder in (KESTREL.parent / "clinic", KESTREL)
    )
    plain = [re.sub(r"\s+", " ", text) for text in (theirs, ours)]
    lines = [line for document in filler("clinic", 30) for line in document.text.split("\n") if line]
    sentences = {each for line in lines if line[0] != "#" for each in re.split(r"(?<=[.!?]) (?=[A-Z])", line)}
    assert len(sentences) > 100 and all(each in plain[0] for each in sentences)
    assert not any(each in plain[1] for each in sentences)


def test_no_document_after_the_80th_brings_a_new_word() -> None:
    for name in scale.TOPICS.values():
        few, many = ({word for d in filler(name, n) for word in d.text.split()} for n in (69, 789))
        assert few == many


def test_filler_with_the_missing_words_hides_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    study = lab.study()
    before = scale._asked(lab.PUBLISHED, study.folder)
    hidden = [o.golden for o in before.outcomes if o.answer.verdict.gate == "unknown-term" and not o.golden.answerable]
    text = "\n\n".join(
        f"## Part {n}\n\n{9 * (row.question + ' ')}" for n, row in enumerate(hidden)
    )  # 80 characters or more
    monkeypatch.setattr(scale, "filler", lambda name, n: (Document("f.md", text),))
    after = scale._asked(lab.PUBLISHED, among(study.folder, "on-topic", 12))
    assert sum(gaps(before)) == len(hidden) > 0
    assert not any(was and still for was, still in zip(gaps(before), gaps(after), strict=True))
    assert sum(leaks(after)) - sum(leaks(before)) > 0.9 * len(hidden)


def test_a_folder_grows_to_the_size_that_is_asked_for() -> None:
    own = replace(lab.study().folder, documents=lab.study().folder.documents[:3])
    assert [len(among(own, "off-topic", size).documents) for size in (2, 3, 10)] == [3, 3, 10]
