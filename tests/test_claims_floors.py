"""The claims about floors: each figure moves with what it says it measures."""

from __future__ import annotations

import doctest
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ragkit import cost, metrics
from ragkit.claims import cosine_floors, floors, lab, stand_ins
from ragkit.claims.floors import BOTH, DESK, KESTREL, Scores
from ragkit.gate import Anything, Floor, Nothing
from ragkit.records import ANSWER, REFUSE, Answer, Chunk, Golden, Hit, Outcome, Ranking, Rate
from ragkit.retrieve import Retrieve
from ragkit.signals import FOUND_COSINE
from ragkit.systems import SYSTEMS

SCORES = Scores("toy", [1.0, 0.2, 0.09], [0.5, 0.095])


def outcome(n: int, said: str, *, answerable: bool) -> Outcome:
    return Outcome("toy", Golden(f"t{n}", "?", answerable), Answer("?", said))


def test_a_row_of_scores_counts_what_a_floor_gets_wrong_and_where_the_best_lies() -> None:
    row = SCORES.row(0.095)  # a score equal to the floor answers
    assert (row["false answers"], row["false refusals"]) == (Rate(2, 2), Rate(1, 3))
    assert (row["best floor"], row["errors there"]) == (0.75, Rate(2, 5))
    assert row["at most an error more"] == "-inf to inf"


def test_a_desk_that_refuses_everything_leaks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [figure.value for figure in floors.no_guess().figures]
    monkeypatch.setattr(floors, "DESK", replace(DESK, name="shut", gates=(Nothing(),)))
    after = [figure.value for figure in floors.no_guess().figures]
    assert before[0] > 0 and before[1] > 0
    assert after[:2] == [0, 0] and after[2] == before[2]  # the scores are the same


class Broken:
    """A retriever that fails."""

    def on(self, corpus: object) -> Retrieve:
        def retrieve(questions: Sequence[str], k: int) -> list[Ranking]:
            raise OSError("out of order")

        return retrieve


class Blind:
    """A retriever that finds nothing."""

    def on(self, corpus: object) -> Retrieve:
        return lambda questions, k: [Ranking(question) for question in questions]


def test_a_swapped_retriever_shows_when_verdicts_move_or_the_composer_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "OURS", KESTREL[:1])
    monkeypatch.setattr(floors, "Lexical", lambda: DESK.retriever)
    answered = sum(o.answer.outcome == ANSWER for o in lab.everywhere(DESK))
    for planted, moved, failed in ((DESK.retriever, 0, 0), (Blind(), answered, 0), (Broken(), 30, 30)):
        monkeypatch.setattr(floors, "Dense", lambda planted=planted: planted)
        cosine, bm25, rise, failures = floors.swapped().figures
        assert (cosine.value * 30, bm25.value, failures.value * 30) == (pytest.approx(moved), 0, pytest.approx(failed))
        assert rise.value == 0 if planted is DESK.retriever else rise.value < 0
        lab.judged.cache_clear()


def test_on_a_document_alone_a_question_meets_that_of_its_answer_or_of_its_nearest_chunk() -> None:
    whole, alone = floors._alone(DESK)
    assert [o.golden.id for o in whole] == [o.golden.id for o in alone]
    for before, after in zip(whole, alone, strict=True):
        place = floors._files(before) or {hit.chunk.file for hit in before.answer.ranking.hits[:1]}
        assert {hit.chunk.file for hit in after.answer.ranking.hits} <= place
    assert 0 < floors.moved_of(whole, alone).hits < len(whole)
    assert floors.moved_of(whole, whole) == Rate(0, len(whole))


def ranked(n: int, score: float, *, answerable: bool) -> Outcome:
    hits = (Hit(Chunk("c", "c.md", "text"), score),)
    return replace(outcome(n, ANSWER, answerable=answerable), answer=Answer("?", ANSWER, ranking=Ranking("?", hits)))


@pytest.mark.parametrize(("low", "high", "ratio"), [(3.0, 0.0, 2.0), (0.0, 3.0, math.inf)])
def test_the_ratio_of_floors_is_that_of_the_highest_to_the_lowest(
    low: float, high: float, ratio: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = [ranked(0, low, answerable=True), ranked(1, low, answerable=True), ranked(2, high, answerable=False)]
    monkeypatch.setattr(Scores, "of", lambda label, *more: SCORES)  # whose best floor is 0.75
    monkeypatch.setattr(floors, "_alone", lambda system: (alone, alone))
    monkeypatch.setattr(lab, "verdicts", lambda system: alone)
    found, *moved = floors.other_sizes().figures
    assert (found.value, found.n) == (ratio, 6) and [each.value for each in moved] == [0, 0, 0]


def test_two_failures_come_to_83_per_cent_of_12_and_three_of_18() -> None:
    found = floors.early_score()
    assert [round(figure.value, 2) for figure in found.figures] == [5.89, 0.33]
    assert [(row["failures"], row["cases"]) for row in found.rows if row["rounds to 83"]] == [(3, 18), (2, 12)]


def test_both_gates_at_once_refuse_what_either_refuses_and_stand_in_the_table_of_costs() -> None:
    known = lab.study(*KESTREL[1])
    either = [replace(BOTH, name=f"gate {n}", gates=(gate,)) for n, gate in enumerate(BOTH.gates)]
    assert len(either) == 2
    both, *alone = ([o.answer.verdict.refused for o in known.outcomes(system)] for system in (BOTH, *either))
    assert both == [any(pair) for pair in zip(*alone, strict=True)] and all(both != one for one in alone)
    rows = {row["label"]: row for row in cost.table(floors.runs(KESTREL[1:]), (1,))}
    assert list(rows)[-1] == "passage+cosine" and "passage+cosine" not in SYSTEMS
    assert rows["passage+cosine"]["false answers"] == metrics.false_answers(known.outcomes(BOTH))


@pytest.mark.parametrize(("cheap", "changes", "sign"), [(ANSWER, 1, 1), (REFUSE, 0, 0)])
def test_the_cost_decides_where_the_chosen_systems_differ(
    cheap: str, changes: int, sign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def runs(files: floors.Files = ()) -> dict[str, list[Outcome]]:
        said = {"lax": cheap, "strict": REFUSE}
        return {name: [outcome(n, each, answerable=n < 30) for n in range(40)] for name, each in said.items()}

    monkeypatch.setattr(floors, "runs", runs)
    crossed, low, high = floors.by_cost().figures
    assert (crossed.value, np.sign(low.value), np.sign(high.value)) == (changes, sign, sign)


def test_floors_as_stated_are_the_systems_and_only_the_30_questions_choose_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = {str(row["label"]): row for row in floors.x_01()}
    assert len(rows) == 8
    for name, label in (("threshold", "threshold 2, as stated"), ("front-desk", "front-desk 0.095, as stated")):
        probes = lab.study(*KESTREL[1]).outcomes(SYSTEMS[name])
        assert rows[label] == lab.errors(label, probes)
    top = {(("kestrel", "kestrel"),): 9.5}  # the best floor is 9 with these files only
    monkeypatch.setattr(Scores, "of", lambda label, files, *more: Scores(label, [top.get(tuple(files), 99.5)], [8.5]))
    assert "cosine 9, chosen on 30" in {row["label"] for row in floors.x_01()}


def test_a_cosine_gate_that_nothing_passes_leaks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    planted = replace(SYSTEMS["cosine"], gates=(Floor(FOUND_COSINE, 2.0),))
    monkeypatch.setattr(cosine_floors, "COSINE", planted)
    near, far, public = cosine_floors.constraint().figures
    assert (near.value, far.value) == (0, 0) and (near.n, far.n) == (94, 92)
    assert public.value > 0 and public.n == 427  # kept figures, whatever the system


def test_public_figures_are_those_of_the_kept_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept = tmp_path / "public.csv"
    rows = ("one,cosine,false_answers,3,9,0", "one,cosine,false_refusals,1,8,0", "one,cosine,mrr,1.5,8,0")
    kept.write_text("\n".join(("set,name,metric,hits,of,left_out", *rows, "one,other,false_answers,9,9,0", "")))
    monkeypatch.setattr(cosine_floors, "KEPT", kept)
    assert cosine_floors._public("cosine") == {"one": (Rate(3, 9), Rate(1, 8))}


def test_the_spread_of_floors_is_what_the_models_are_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    def shifted(corpus: object, asked: Sequence[str]) -> list[tuple[str, list[float]]]:
        study = next(s for s in map(lambda file: lab.study(*file), KESTREL) if len(s.rows) == len(asked))
        scores = study.scores(cosine_floors.TOP_COSINE, SYSTEMS["cosine"]).values()
        return [("a stand-in", [score + 0.25 for score in scores])]

    monkeypatch.setattr(stand_ins, "scored", shifted)
    spread, own, other = cosine_floors.embedders().figures
    assert spread.value == pytest.approx(0.25, abs=1e-6) and spread.n == 2
    assert own.value != other.value


def test_a_stand_in_is_tf_idf_as_scikit_learn_has_it() -> None:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    assert doctest.testmod(stand_ins).failed == 0
    corpus = lab.study(*KESTREL[0]).bot(SYSTEMS["cosine"]).corpus
    asked = [row.question for row in lab.study(*KESTREL[0]).rows]
    texts, cut = [stand_ins.shown_text(chunk) for chunk in corpus.chunks], corpus.analyzer.terms
    theirs = TfidfVectorizer(analyzer=cut, smooth_idf=False, norm=None).fit(texts)
    documents, questions = theirs.transform(texts), theirs.transform(asked)
    assert stand_ins.nearest(texts, asked, cut) == pytest.approx(best(questions.toarray(), documents.toarray()))
    svd = TruncatedSVD(10, algorithm="arpack", random_state=0).fit(documents)
    ours = stand_ins.nearest(texts, asked, cut, axes=10)
    assert ours == pytest.approx(best(svd.transform(questions), svd.transform(documents)), abs=1e-6)


def best(asked: np.ndarray, documents: np.ndarray) -> list[float]:
    lengths = [np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12) for rows in (asked, documents)]
    return list(((asked / lengths[0]) @ (documents / lengths[1]).T).max(axis=1))


def test_every_stand_in_says_that_it_is_one() -> None:
    assert all(name.endswith(", stand-in") for name in stand_ins.NAMES)
    assert stand_ins.n_grams("Ab  c")[:3] == [" ab", "ab ", "b c"]


A, B, C = (Chunk(name, f"{name}.md", "text") for name in "abc")
PARTS = (Ranking("?", (Hit(A, 7.0), Hit(B, 3.0))), Ranking("?", (Hit(B, 0.5), Hit(C, 0.31))))


@pytest.mark.parametrize(("hits", "cosine"), [((A,), 0.0), ((A, B), 0.5), ((A, C), 0.31), ((), -math.inf)])
def test_a_hit_by_keywords_alone_has_no_cosine(hits: tuple[Chunk, ...], cosine: float) -> None:
    ranking = Ranking("?", tuple(Hit(chunk, 0.01) for chunk in hits), PARTS)
    assert cosine_floors.KNOWN_COSINE(ranking, lab.study(*KESTREL[0]).bot(DESK).corpus) == cosine


def test_a_vector_hit_at_or_below_the_least_is_none() -> None:
    found = SimpleNamespace(on=lambda corpus: lambda questions, k: [Ranking("?", (Hit(A, 0.31), Hit(B, 0.3)))])
    near = cosine_floors._AtLeast(found).on(lab.study(*KESTREL[0]).bot(DESK).corpus)
    assert [hit.chunk for hit in near(["?"], 5)[0].hits] == [A]


def test_a_gate_that_lets_all_through_refuses_no_exact_match(monkeypatch: pytest.MonkeyPatch) -> None:
    before = cosine_floors.keyword_only().figures
    monkeypatch.setattr(cosine_floors, "PUBLIC", replace(cosine_floors.PUBLIC, gates=(Anything(),)))
    codes, alone, everywhere, moved = cosine_floors.keyword_only().figures
    assert (codes.n, alone.n, everywhere.n) == (before[0].n, before[1].n, before[2].n)
    assert codes.value < before[0].value and everywhere.value < before[2].value
    assert moved.value > 0 == before[3].value
