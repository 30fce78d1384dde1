"""Codes are found whole, in parts and joined, and a code that is not there is never answered from its neighbour."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

import case
import pytest

from ragkit.system import System
from ragkit.text import Analyzer

FOLDERS = case.folders("c04")
CODES = {
    "c04/given": ("TK-Badge", "QR-7", "ADR-0003", "Wi-Fi", "Check-in"),
    "c04/variant-a": ("PN-16", "HX-204B", "CAD_17", "X-ray", "T-8"),
    "c04/variant-b": ("A-4", "RG-58", "E-mail", "ISO-9001", "3-B"),
}
MARKS = ("-", "", "_", "\u2010", "\u2011", "\u2013", "\u2212")
CODES_BY_FOLDER = [(name, code) for name, codes in CODES.items() for code in codes]


@case.each(*FOLDERS)
def test_verdicts(row: case.Row) -> None:
    assert case.miss(row, case.ask(row)) == ""


@case.each(*FOLDERS, expect="refuse")
@case.every_coverage_system
def test_no_coverage_gate_answers_from_a_neighbouring_code(system: System, row: case.Row) -> None:
    assert case.ask(row, system).outcome == "refuse"


@case.each(*FOLDERS, expect="answer")
@case.every_coverage_system
def test_every_coverage_gate_knows_every_spelling(system: System, row: case.Row) -> None:
    assert case.miss(row, case.ask(row, system)) == ""


def spellings(code: str, *marks: str) -> Iterator[str]:
    for mark in marks:
        written = re.sub("[-_]", mark, code)
        yield from (written, written.upper(), written.lower())


def holds(text: str, code: str) -> bool:
    return re.sub(r"[\W_]", "", code).lower() in re.sub(r"[-_ ]", "", text).lower()


@pytest.mark.parametrize(("name", "code"), CODES_BY_FOLDER)
@case.every_coverage_system
def test_a_code_is_found_in_every_spelling(system: System, name: str, code: str) -> None:
    for written in spellings(code, *MARKS, " "):
        answer = case.bot(name, system).ask(f"What about {written}?")
        assert answer.outcome == "answer", (written, answer.verdict)
        cited = answer.citations[0].chunk
        assert holds(f"{cited.heading}\n{cited.text}", code), written


def neighbours(code: str) -> Iterator[str]:
    """A code with a number, changed in its last sign or with one more; a code of words, changed in its first letter.

    One piece said twice is left out.
    """
    if not re.search(r"\d", code):
        changed = (other + code[1:] for other in string.ascii_uppercase if other != code[0])
        yield from (other for other in changed if len(set(re.split("[-_]", other.lower()))) > 1)
    else:
        others = string.digits if code[-1].isdigit() else string.ascii_uppercase
        yield from (code[:-1] + other for other in others if other != code[-1])
        yield from (code + other for other in "0SX")


@pytest.mark.parametrize(("name", "code"), CODES_BY_FOLDER)
@case.every_coverage_system
def test_a_neighbouring_code_is_refused(system: System, name: str, code: str) -> None:
    bot = case.bot(name, system)
    for other in neighbours(code):
        for written in spellings(other, *MARKS):
            answer = bot.ask(f"What about {written}?")
            assert answer.outcome == "refuse", (written, answer.verdict.reason, answer.text)


@pytest.mark.parametrize(("name", "code"), CODES_BY_FOLDER)
def test_a_neighbouring_code_written_with_a_space_is_refused_within_a_passage(name: str, code: str) -> None:
    bot = case.bot(name)
    for other in neighbours(code):
        pieces = re.split("[-_]", other)
        if not any(
            word.stop for piece in pieces for word in Analyzer().words(piece)
        ):  # `a 3` is an article and a number
            answer = bot.ask(f"What about {' '.join(pieces)}?")
            assert answer.outcome == "refuse", (other, answer.verdict.reason, answer.text)


@pytest.mark.parametrize("code", ["AR-7", "AR 7", "a7", "7", "X-ray", "c", "3-b"])
def test_no_digit_or_single_letter_is_dropped(code: str) -> None:
    pieces = [piece.form for word in Analyzer().words(code) for piece in word.pieces or (word,)]
    assert "".join(pieces) == re.sub(r"[\W_]", "", code).lower()
