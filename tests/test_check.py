"""Checks of a drafted answer: a fault that each alone catches, and true answers that all let pass.

What the checks make of the golden answers, set as drafts that cite the passages of their row, is counted here; a figure
that changes is looked at and set again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import build
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit import check, corpus, golden
from ragkit.check import Check, Marked, Numbers, Verbatim, cited, quotes
from ragkit.chunk import Headings
from ragkit.numbers import chance, numbers, unsupported
from ragkit.records import Chunk, Draft, Golden, Verdict
from ragkit.text import Analyzer

LEAVE = Chunk(
    "leave", "leave.md", "Full-time staff get 25 days of paid leave a year.\nAsk your line\nmanager first.", ("Leave",)
)
HALF = Chunk("half", "leave.md", "After five years you get 3 more.", ("Leave", "Long service"))
PRICES = Chunk("prices", "prices.md", "| KL-20 | £149 |", ("Prices 2025",), lead="| Code | Price |\n|---|---|")
PASSAGES = (LEAVE, HALF, PRICES)
CHECKS: dict[str, Check] = {
    "marked": Marked(),
    "numbers": Numbers(),
    "strict": Numbers(sums=False),
    "verbatim": Verbatim(),
}
NOTHING = corpus.Corpus.of_chunks(())

every_check = pytest.mark.parametrize("name", CHECKS)


def judged(check: Check, text: str, passages: tuple[Chunk, ...] = PASSAGES) -> Verdict:
    return check.on(NOTHING)(Draft("How much leave?", text, passages))


def rejecting(text: str) -> list[str]:
    return [name for name, check in CHECKS.items() if judged(check, text).refused]


# Each fault is caught by its check, and by no other


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("You get leave [7].", ["marked"]),
        ("You get leave [0].", ["marked"]),
        ("You get leave [1-4].", ["marked"]),
        ("You get leave.", ["marked"]),
        ("You get leave [1]. It is paid.", ["marked"]),
        ("Yes.", ["marked"]),
        ("", ["marked"]),
        ("[1]", ["marked"]),
        ("You get 26 days [1].", ["numbers", "strict"]),
        ("A sensor is £194 [3].", ["numbers", "strict"]),
        ("You get 25 hours [1].", ["numbers", "strict"]),
        ("You get 28 days [1][2].", ["strict"]),
        ("You get 28 days [1].", ["numbers", "strict"]),
        ("A sensor is £149 [1].", ["numbers", "strict"]),
        ('It says "paid leave each year" [1].', ["verbatim"]),
        ("It says “staff get paid leave” [1].", ["verbatim"]),
        ("It says [1]:\n\n> Ask your line manager early.", ["verbatim"]),
        ('It says "ask your line manager" [2].', ["verbatim"]),
        ('It says "et 25 days" [1].', ["verbatim"]),
    ],
)
def test_a_planted_fault_is_caught_by_its_check_alone(text: str, names: list[str]) -> None:
    assert rejecting(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "You get 25 days a year [1].",
        "Yes. You get twenty-five days a year [1].",
        "You get 25 days [1], after five years 3 more [2].",
        "Here is what the documents say:\n\n- 25 days a year [1]\n- 3 more after 5 years [2]",
        "| Code | Price |\n|---|---|\n| KL-20 | £149.00 [3] |",
        'It says "25 days of paid leave a year." [1]',
        'It says "25 days of paid leave," and no more [1].',
        "It says “Ask your line manager first” [1].",
        "It says “staff get ... a year” and “staff [...] paid leave” [1].",
        "It says «25 days» and „3 more“ [1, 2].",
        "Under ‘Long service’ it gives more [2].",
        "As written [1]:\n\n> Ask your line\n> manager first.",
        "The prices of 2025 hold [3].",
        "A KL-20 is £149 [3]. Do you need more?",
    ],
)
def test_a_true_answer_passes(text: str) -> None:
    assert rejecting(text) == []


@pytest.mark.parametrize(
    ("check", "text", "said"),
    [
        (Marked(), "Leave [7].", ("citation-invalid", "[7]", "the marker [7] names no passage it was given")),
        (Marked(), "It is\npaid.", ("citation-invalid", "", "a sentence of 3 words carries no marker")),
        (Marked(), "[1].", ("citation-invalid", "", "the draft says nothing")),
        (Numbers(), "26 or 27 days [1].", (
            "number-unsupported", "26", "26, 27 days: stands in no cited passage and is no sum of two numbers that do",
        )),
        (Numbers(sums=False), "26 days [1].", ("number-unsupported", "26 days", "26 days: stands in no cited passage")),
        (Verbatim(), 'So "no\u00a0pay" [1].', (
            "citation-invalid", "", "a quote of 2 words stands in no cited passage to the letter",
        )),
    ],
)  # fmt: skip
def test_the_reason_names_in_a_line_what_failed(check: Check, text: str, said: tuple[str, str, str]) -> None:
    verdict = judged(check, text)
    assert (verdict.gate, verdict.concept, verdict.reason) == said


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("the manager's card", True),
        ("the manager’s **card** of 25 days", True),
        ("the manager's Card", False),
        ("card... manager", False),
        ("manager's ... days", True),
        ("the manager's card of 25 day", False),
        ("see form F-1", True),
        ("a.pdf", False),
    ],
)
def test_markup_and_the_shape_of_an_apostrophe_are_no_letters(quote: str, stands: bool) -> None:
    card = Chunk("card", "a.md", "Show the manager’s *card* of 25\u00a0days, see [form F-1](a.pdf).")
    assert judged(Verbatim(), f'It says "{quote}" [1].', (card,)).refused != stands


# Statements that no check can see through: a limit, stated


@pytest.mark.parametrize(
    "text", ["Leave is unpaid [1].", "You get 25 days of sick leave [1].", "Part-time staff pay £149 [3]."]
)
def test_what_is_false_in_words_only_passes(text: str) -> None:
    assert rejecting(text) == []


@pytest.mark.parametrize("text", ['A 5" pipe and a 6" pipe.', "It's the boss's", "''", '""', 'the `"x"` of it"'])
def test_signs_that_quote_nothing_are_no_quotes(text: str) -> None:
    assert [quote for quote in quotes(text) if quote != "x"] == []


# What is cited


def test_cited_are_the_passages_that_a_marker_names() -> None:
    assert cited(Draft("q", "A [3]. B [1, 9]. C `[2]`.", PASSAGES)) == (LEAVE, PRICES)


@every_check
@given(text=st.text(max_size=60) | st.text(alphabet="[]1234, .\"“”'‘’>\n`|ab£%…", max_size=60))
def test_no_text_makes_a_check_fail(name: str, text: str) -> None:
    verdict = judged(CHECKS[name], text)
    assert verdict.refused == bool(verdict.reason) and "\n" not in verdict.reason
    assert judged(CHECKS[name], text, ()).gate in ("", "citation-invalid", "number-unsupported")


@given(st.integers(0, 400), st.integers(1, 60))
def test_words_of_a_passage_are_a_quote_and_words_in_another_order_are_none(start: int, count: int) -> None:
    words = LEAVE.text.split()
    part = words[start % len(words) :][:count]
    assert not judged(Verbatim(), f'It says "{" ".join(part)}" [1].').refused
    turned = part[::-1]
    if len(part) > 2 and len(set(part)) == len(part):
        assert judged(Verbatim(), f'It says "{" ".join(turned)}" [1].').refused


@every_check
def test_a_check_is_a_value_without_logic(name: str) -> None:
    assert CHECKS[name] == replace(CHECKS[name]) and hash(CHECKS[name]) is not None  # type: ignore[type-var]


# The golden answers as drafts

SETS = ("kestrel", "kestrel-probes")


@cache
def chunks() -> tuple[Chunk, ...]:
    folder = corpus.readable(corpus.read(build.ROOT / "corpus/kestrel"))
    return corpus.Corpus(folder, chunker=Headings(), analyzer=Analyzer()).chunks


@cache
def drafts(name: str) -> tuple[tuple[Golden, Draft], ...]:
    """Each golden answer with markers for the passages of its row, before its full stop."""
    found = []
    for row in golden.read(Path(build.ROOT / f"golden/{name}.csv")):
        passages = tuple(c for s in row.sources for c in chunks() if s in c.sections or s == c.file)
        if row.answerable:
            found.append((row, Draft(row.question, f"{row.answer.rstrip('.')} {marks(passages)}.", passages)))
    return tuple(found)


def marks(passages: tuple[Chunk, ...]) -> str:
    return "".join(f"[{n}]" for n in range(1, len(passages) + 1))


def alarms(name: str, check: Check) -> list[str]:
    return [row.id for row, draft in drafts(name) if check.on(NOTHING)(draft).refused]


# Figures that are worked out and not read: differences, products, shares, and what the question gave.
WORKED_OUT = [f"p{n}" for n in (*range(215, 221), *range(223, 231), 232, 234, 236, 238)]
SUMS = ["p214", "p221", "p222", "p235"]


@pytest.mark.parametrize(
    ("name", "check", "ids"),
    [
        ("kestrel", Marked(), []),
        ("kestrel", Numbers(), ["k24"]),
        ("kestrel", Numbers(sums=False), ["k24"]),
        ("kestrel", Verbatim(), []),
        ("kestrel-probes", Marked(), []),
        ("kestrel-probes", Numbers(), WORKED_OUT),
        ("kestrel-probes", Numbers(sums=False), sorted([*WORKED_OUT, *SUMS])),
        ("kestrel-probes", Verbatim(), []),
    ],
)
def test_false_alarms_over_the_golden_answers(name: str, check: Check, ids: list[str]) -> None:
    assert alarms(name, check) == ids
    assert {row.category for row, _ in drafts(name) if row.id in ids} <= {"q7"}
    assert len(drafts(name)) == {"kestrel": 15, "kestrel-probes": 160}[name]


@pytest.mark.parametrize(("name", "count"), [("kestrel", 21), ("kestrel-probes", 187)])
def test_no_key_fact_quoted_from_its_passage_raises_an_alarm(name: str, count: int) -> None:
    said = [(draft, fact) for row, draft in drafts(name) for fact in row.facts]
    for draft, fact in said:
        quoted = replace(draft, text=f'It says "{fact}" {marks(draft.passages)}.')
        assert [name for name, check in CHECKS.items() if check.on(NOTHING)(quoted).refused] == []
    assert len(said) == count


def bent(draft: Draft) -> Iterator[Draft]:
    """A draft with one of its figures one higher, for each that stands in digits outside a marker, a code or a time."""
    for digits in re.finditer(r"(?<![\w\[:.,-])\d+(?![\w\]:]|[.,]\d)", draft.text):
        one_more = str(int(digits[0]) + 1)
        yield replace(draft, text=draft.text[: digits.start()] + one_more + draft.text[digits.end() :])


@pytest.mark.parametrize(("sums", "caught"), [(True, (63, 78)), (False, (68, 72))])
def test_how_many_figures_that_are_one_too_high_are_caught(sums: bool, caught: tuple[int, int]) -> None:
    judge = Numbers(sums=sums).on(NOTHING)
    passing = [draft for _, draft in drafts("kestrel-probes") if not judge(draft).refused]
    tried = [judge(wrong).refused for draft in passing for wrong in bent(draft)]
    assert (sum(tried), len(tried)) == caught


# The chance of passing with a figure out of the air


@pytest.mark.parametrize(
    ("name", "sums", "unit", "mean", "worst"),
    [
        ("kestrel", True, "", 5.5, 40),
        ("kestrel", False, "", 2.7, 12),
        ("kestrel-probes", True, "", 5.5, 40),
        ("kestrel-probes", False, "", 3.0, 12),
        ("kestrel-probes", True, "days", 2.3, 30),
        ("kestrel-probes", False, "days", 1.2, 9),
        ("kestrel-probes", True, "pounds", 0.9, 10),
        ("kestrel-probes", False, "pounds", 0.6, 4),
    ],
)
def test_how_many_of_a_hundred_figures_would_pass(name: str, sums: bool, unit: str, mean: float, worst: int) -> None:
    cited = {tuple(check.shown(chunk) for chunk in draft.passages) for _, draft in drafts(name)}
    hits = {passages: chance(passages, sums=sums, unit=unit).hits for passages in cited}
    found = [hits[tuple(check.shown(chunk) for chunk in draft.passages)] for _, draft in drafts(name)]
    assert round(sum(found) / len(found), 1) == pytest.approx(mean) and max(found) == worst


def test_a_golden_answer_without_its_markers_is_caught() -> None:
    bare = [replace(draft, text=row.answer) for row, draft in drafts("kestrel-probes")]
    assert all(Marked().on(NOTHING)(draft).refused for draft in bare)
    assert all(Numbers().on(NOTHING)(draft).refused == bool(numbers(draft.text)) for draft in bare)


def test_the_check_adds_only_what_is_cited_to_the_rule() -> None:
    text = "You get 28 days [1]."
    assert judged(Numbers(), text).refused and not unsupported(text, [LEAVE.text, HALF.text])


@pytest.mark.parametrize(
    "quote",
    ["See rule 7.[2]", "| all [1] | 25 [2] |", "[2][3] Leave is 25 days", "Leave is 25 days [99]", "[7] and no more"],
)
def test_a_quote_with_brackets_of_its_own_passes_with_its_marker(quote: str) -> None:
    passage = Chunk("a", "a.md", f"Leave.\n\n{quote}\n\nMore.")
    assert not judged(Marked(), f"{quote} [1]", (passage,)).refused


def test_a_bracket_of_the_passage_itself_is_no_marker_of_a_quote() -> None:
    fee = Chunk("fee", "a.md", "The yearly fee is 5 pounds [3] for all.")
    assert not judged(Marked(), "The yearly fee is 5 pounds [3] for all. [1]", (fee,)).refused
    assert judged(Marked(), "The yearly fee is 5 pounds [3] for all.", (fee,)).refused  # it has no marker of its own
    assert judged(Marked(), "The fee is 6 pounds [3].", (fee,)).concept == "[3]"
