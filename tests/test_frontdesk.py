"""The front-desk design: its formula to the digit, an inclusive bar, verbatim bullets, one refusal, no package."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import build
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit import golden
from ragkit.chunk import Windows, names, outline
from ragkit.corpus import Corpus, Folder, front, index, read
from ragkit.forms import STEMMERS
from ragkit.frontdesk import BAR, REFUSAL, Bullets, Tally
from ragkit.gate import Floor
from ragkit.records import ANSWER, REFUSE, BadInput, Chunk, Document, Hit, Ranking
from ragkit.retrieve import TFIDF, Lexical
from ragkit.signals import TOP
from ragkit.systems import SYSTEMS
from ragkit.text import Analyzer

DESK = SYSTEMS["front-desk"]
PLAIN = Analyzer(stemmer="front-desk", dictionary="none")


def corpus(*texts: str) -> Corpus:
    return Corpus.of_chunks([Chunk(f"a.md~{n}", "a.md", text) for n, text in enumerate(texts, 1)], analyzer=PLAIN)


STEMS = {
    "booked": "book", "booking": "book", "books": "book", "bring": "br", "ring": "ring", "fees": "fee", "as": "as",
    "class": "class", "gas": "gas", "canceled": "cancel", "bookings": "booking", "used": "used", "passes": "passe",
}  # fmt: skip


@pytest.mark.parametrize("word", STEMS)
def test_the_stemmer(word: str) -> None:
    assert STEMMERS["front-desk"]()(word) == STEMS[word]


def test_the_score_is_computed_by_hand() -> None:
    """`fee` stands in one of three chunks, once among four words; `late` in two, twice among four here."""
    made = corpus("late late fee tomorrow", "late", "noon")
    (ranking,) = Tally().on(made)(["late fees"], 3)
    scores = {hit.chunk.text: hit.score for hit in ranking.hits}
    late, fee = math.log(1 + 3 / 2), math.log(1 + 3 / 1)
    assert scores == {"late": pytest.approx(late), "late late fee tomorrow": pytest.approx(2 / 4 * late + 1 / 4 * fee)}


@given(st.lists(st.text("ab ", max_size=9), max_size=6), st.text("ab ", max_size=5))
def test_it_agrees_with_the_postings_of_the_same_formula(texts: list[str], question: str) -> None:
    made = Corpus.of_chunks([Chunk(f"{n}", "a.md", text) for n, text in enumerate(texts)], analyzer=Analyzer(stop=()))
    ours, theirs = (each.on(made)([question], 9)[0].hits for each in (Tally(), Lexical(TFIDF())))
    known = {hit.chunk.id: hit.score for hit in theirs}
    assert {hit.chunk.id: pytest.approx(hit.score) for hit in ours} == known


def test_the_bar_is_inclusive() -> None:
    made = corpus("late fee")
    judge = Floor(TOP, BAR).on(made)
    at = Ranking("late fee", (Hit(made.chunks[0], BAR),))
    below = Ranking("late fee", (Hit(made.chunks[0], math.nextafter(BAR, 0)),))
    assert not judge(at).refused and judge(below).gate == "below-floor"


def say(ranking: Ranking, made: Corpus) -> list[str]:
    return [citation.quote for citation in Bullets().on(made)(ranking).citations]


def test_at_most_two_bullets_and_two_terms_are_preferred_to_one() -> None:
    made = corpus("A fee is due. The late fee is 5. A late visit has a fee. Late fee here. Nothing.")
    hits = (Hit(made.chunks[0], 1.0),)
    assert say(Ranking("late fee", hits), made) == ["The late fee is 5.", "A late visit has a fee."]
    assert say(Ranking("fee of today", hits), made) == ["A fee is due.", "The late fee is 5."]


def test_a_passage_below_the_bar_gives_no_bullet_and_one_above_without_a_sentence_is_refused() -> None:
    made = corpus("The fee is 5.", "The fee is 7.")
    hits = (Hit(made.chunks[0], 1.0), Hit(made.chunks[1], BAR / 2))
    assert say(Ranking("fee", hits), made) == ["The fee is 5."]
    assert Bullets().on(made)(Ranking("parking", hits)).verdict.gate == "no-sentence"


@pytest.mark.parametrize("golden", ["kestrel", "kestrel-probes"])
def test_every_bullet_is_verbatim_and_every_refusal_says_the_same(golden: str) -> None:
    from ragkit import golden as files

    questions = [row.question for row in files.read(build.GOLDEN / f"{golden}.csv")]
    answers = DESK.on(read(build.KESTREL)).ask_all(questions)
    assert {answer.outcome for answer in answers} == {ANSWER, REFUSE}
    for answer in answers:
        if answer.outcome == REFUSE:
            assert (answer.text, answer.citations) == (REFUSAL, ())
        assert len(answer.citations) <= 2 and all(c.quote in c.chunk.text for c in answer.citations)
        lines = answer.text.split("\n- ") if answer.citations else []
        assert len(lines) == len(answer.citations)


def test_the_refusal_holds_no_fact_of_a_corpus() -> None:
    words = {word.form for word in Analyzer().words(REFUSAL) if not word.stop}
    assert not any(char.isdigit() for char in REFUSAL)
    assert words <= {"find", "manual", "answer", "documents", "document", "please", "ask", "front", "desk", "help"}


WITHOUT_FRONT_MATTER = [document for document in read(build.KESTREL).documents if not front(document)]


@pytest.mark.parametrize("document", WITHOUT_FRONT_MATTER, ids=lambda document: document.file)
def test_plain_headings_are_those_of_the_parser(document: Document) -> None:
    folder = Folder("one", (document,))
    plain, parsed = (index(folder, Windows(60, 15, plain=plain), PLAIN).all_chunks for plain in (True, False))
    assert plain == parsed and {name for chunk in plain for name in chunk.sections} <= set(names(document))


def test_it_answers_without_a_package() -> None:
    code = (
        "import sys; from ragkit import corpus, systems; "
        "bot = systems.SYSTEMS['front-desk'].on(corpus.read('corpus/kestrel')); "
        "print(bot.ask('How many days of annual leave do I get?').outcome, bot.ask('zzz').outcome, "
        "sorted({'numpy', 'markdown_it', 'snowballstemmer', 'mdit_py_plugins'} & set(sys.modules)))"
    )
    env = os.environ | {"PYTHONPATH": str(build.ROOT)}
    told = subprocess.run([sys.executable, "-c", code], env=env, cwd=build.ROOT, capture_output=True, text=True)
    assert told.stdout == "answer refuse []\n", told.stderr


def test_what_is_no_number_of_bullets() -> None:
    with pytest.raises(BadInput, match="must be at least 1"):
        Bullets(0)


@pytest.mark.parametrize("name", ["clinic", "kestrel", "sdk"])
def test_a_citation_is_named_for_the_heading_above_its_line(name: str) -> None:
    folder = read(build.ROOT / "corpus" / name)
    heads = {document.file: outline(document) for document in folder.documents}
    asked = [row.question for row in golden.read(build.GOLDEN / f"{name}.csv")]
    cited = [c for answer in SYSTEMS["front-desk"].on(folder).ask_all(asked) for c in answer.citations]
    above = [next((s.path for s in reversed(heads[c.chunk.file]) if s.lines[0] <= c.line), ()) for c in cited]
    wrong = [(c.chunk.file, c.line) for c, path in zip(cited, above, strict=True) if c.chunk.path != path]
    assert len(cited) > 20 and wrong == []
