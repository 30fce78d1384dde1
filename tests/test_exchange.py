"""Systems that are not ours: programs, a service on this machine, functions; a failure is a row with its cause."""

from __future__ import annotations

import json
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
import types
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stub import Reply, Stub

import ragkit
from ragkit import ask_commands, check, evaluate, exchange, golden, metrics, report, systems, transport
from ragkit.chunk import by_headings
from ragkit.corpus import read as read_corpus
from ragkit.exchange import Command, Foreign, Function, Http
from ragkit.files import ROOT, table
from ragkit.places import Places
from ragkit.records import (
    ANSWER,
    ERROR,
    REFUSE,
    Answer,
    BadInput,
    Chunk,
    Citation,
    Document,
    Golden,
    Hit,
    Outcome,
    Ranking,
    Rate,
    Verdict,
)
from ragkit.reply import NO_RANKING, WORDING, cited, judged, read
from ragkit.transport import MOST

Ragkit = Callable[..., tuple[int, str, str]]
Script = Callable[..., str]

SAYS_NO = "I can not say"
TOLD = "the reading is wrong in 1/20"
ODD = [
    'it\'s "quoted" and `ticked`',
    "two\nlines\r\n\tand a tab",
    "emoji \U0001f980, \u00e9, \u65e5\u672c, \u202eback",
    "$(touch no) ; rm -rf * | cat > no && $HOME %s {0} {question} \\n",
    "--help",
    "-",
    "  spaces around  ",
    "x" * 60_000,
]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No long waits, and a detector that knows one sentence."""
    detector = types.ModuleType("ragkit.detect")
    detector.__dict__.update(refused=lambda text: SAYS_NO in text, told=lambda: TOLD)
    monkeypatch.setitem(sys.modules, "ragkit.detect", detector)
    monkeypatch.setattr(ragkit, "detect", detector, raising=False)
    monkeypatch.setattr(exchange, "FIRST_WAIT", 0.01)


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Makes a command of Python code, with words after it; `home` in the code is the folder of the test."""

    def make(code: str, *words: str, name: str = "bot.py") -> str:
        (tmp_path / name).write_text(f"import json, os, sys, time\nhome = {str(tmp_path)!r}\n{code}\n")
        return shlex.join([sys.executable, "-S", str(tmp_path / name), *words])

    return make


def asked(target: exchange.Target, question: str = "How long?", **options: float) -> Answer:
    (answer,) = Foreign(target, **options).ready()([question])
    return answer


def refusing(message: str, function: Callable[..., object], *arguments: object, **options: object) -> str:
    with pytest.raises(BadInput) as caught:
        function(*arguments, **options)
    assert message in str(caught.value) and "\n" not in str(caught.value)
    return str(caught.value)


def error(answer: Answer) -> str:
    """The error of an answer that is one, which fits in a line."""
    assert (answer.outcome, answer.text, answer.citations, answer.verdict) == (ERROR, "", (), Verdict())
    assert 0 < len(answer.error) <= 200 and answer.error.isprintable()
    return answer.error


# What a reply says


def say(reply: object, question: str = "How long?") -> Answer:
    return read(question, reply, refused=lambda text: SAYS_NO in text)


def test_an_object_has_the_keys_of_ask() -> None:
    cites = [{"file": "leave.md", "path": ["Leave", "Carry over"], "line": 7, "quote": "5 days.", "score": 3}]
    reply = {
        "outcome": "answer",
        "text": "5 days. [1]",
        "reason": "found",
        "citations": cites,
        "model": "x",
        "gate": None,
    }
    chunk = Chunk(
        "leave.md#carry-over", "leave.md", "5 days.", ("Leave", "Carry over"), (7, 7), 7, ("leave.md#carry-over",)
    )
    answer = Answer("How long?", ANSWER, "5 days. [1]", (Citation(chunk, "5 days.", 7),), Verdict(reason="found"))
    assert say(json.dumps(reply)) == say(reply) == say(f"\n {json.dumps(reply, indent=1)}\n") == answer


def test_a_refusal_needs_no_text_and_keeps_its_gate() -> None:
    reply = {"outcome": "refuse", "gate": "no-match", "concept": "dog", "reason": "no \x1b[1mdog\nhere", "text": ""}
    assert say(reply) == Answer("How long?", REFUSE, verdict=Verdict("no-match", "dog", "no dog here"))
    assert say({"outcome": "refuse"}).verdict == Verdict("model")


def test_an_answer_names_no_gate() -> None:
    assert not say({"outcome": "answer", "text": "25 days", "gate": "passed"}).verdict.refused


def test_an_error_keeps_what_was_said_so_far() -> None:
    answer = say({"outcome": "error", "text": "It is re", "error": "out of\ntokens"})
    assert (answer.outcome, answer.text, answer.error) == (
        ERROR,
        "It is re",
        "the system reports an error: out of tokens",
    )
    assert say({"outcome": "error"}).error == "the system reports an error"


@pytest.mark.parametrize("text", ["25 days.", "null and void", "25", "True", "[see leave.md]", "no {brace}"])
def test_other_text_is_read_by_its_wording(text: str) -> None:
    assert say(f"\n{text}\n") == Answer("How long?", ANSWER, text, verdict=Verdict(reason=WORDING))
    assert say(json.dumps(text)) == say(text)
    assert say({"text": text, "concept": "x"}) == replace(say(text), verdict=Verdict(concept="x", reason=WORDING))


def test_a_refusal_read_by_its_wording_says_so() -> None:
    for reply in (SAYS_NO, json.dumps(SAYS_NO), {"text": SAYS_NO}):
        assert say(reply) == Answer("How long?", REFUSE, SAYS_NO, verdict=Verdict("model", reason=WORDING))


def test_an_outcome_that_is_stated_is_never_read_from_wording() -> None:
    assert say({"outcome": "answer", "text": SAYS_NO}).outcome == ANSWER
    assert say({"outcome": "refuse", "text": "25 days"}).outcome == REFUSE


BLANK = ["", "  \n", "\u200b\ufeff", "...", '""', '"  "', "{}", '{"text": ""}', '{"outcome": "answer", "text": " "}']


@pytest.mark.parametrize("reply", BLANK)
def test_no_text_is_an_error_and_no_refusal(reply: str) -> None:
    assert "no text" in error(say(reply))


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ('{"outcome": "answer", "text": "25 d', "begins like a JSON object"),
        ('{"text": "25 days"}\n{"text": "28 days"}', "begins like a JSON object"),
        ('{"a": ' * 100_000, "begins like a JSON object"),
        ("null", "null"),
        ("[]", "list"),
        ('["25 days"]', "list"),
        ({"outcome": "refused"}, "outcome: must be answer, refuse or error: is 'refused'"),
        ({"outcome": None, "text": "x"}, "outcome"),
        ({"outcome": ["answer"], "text": "x"}, "outcome"),
        ({"outcome": "answer", "text": 25}, "text: must be a text, is of type int"),
        ({"outcome": "refuse", "gate": {}}, "gate"),
        ({"outcome": "refuse", "concept": ["dog"]}, "concept"),
        ({"outcome": "refuse", "reason": False}, "reason"),
        ({"text": "x", "citations": "leave.md"}, "citations: must be a list"),
        ({"text": "x", "citations": [{}, "leave.md"]}, "citations[1]: must be an object"),
        ({"text": "x", "citations": [{"file": 1}]}, "citations[0].file"),
        ({"text": "x", "citations": [{"path": "A > B"}]}, "citations[0].path"),
        ({"text": "x", "citations": [{"path": ["A", 1]}]}, "citations[0].path"),
        ({"text": "x", "citations": [{"line": "7"}]}, "citations[0].line"),
        ({"text": "x", "citations": [{"line": True}]}, "citations[0].line"),
        ({"text": "x", "citations": [{"quote": 1}]}, "citations[0].quote"),
        ({"text": "x", "citations": [{"page": "3"}]}, "citations[0].page"),
        ({"text": "x", "citations": [{"page": True}]}, "citations[0].page"),
        ({"text": "x", "citations": [{"url": 1}]}, "citations[0].url"),
        ({"text": "x", "citations": [{"version": 2}]}, "citations[0].version"),
        ({"text": "x", "citations": [{"status": []}]}, "citations[0].status"),
        ({"text": "x", "question": "How much?"}, "another question: How much?"),
        (None, "NoneType"),
        (b"25 days", "bytes"),
        (25, "int"),
    ],
)
def test_what_can_not_be_read_is_an_error_that_names_it(reply: object, said: str) -> None:
    assert said in error(say(reply))
    if isinstance(reply, dict):
        assert say(json.dumps(reply)) == say(reply)


def test_the_question_may_come_back_in_other_spacing() -> None:
    assert say({"text": "25", "question": " how  LONG?\n"}).outcome == ANSWER


def test_half_a_surrogate_pair_does_not_reach_a_file() -> None:
    answer = say(
        '{"text": "a\\ud800", "concept": "\\udfff", "citations": [{"file": "\\ud800.md", "quote": "\\ud800"}]}'
    )
    assert answer.outcome == ANSWER
    assert "\ud800" not in repr(answer).encode("unicode_escape").decode() and answer.text == "a?"


def test_an_answer_stays_as_it_is() -> None:
    chunk = Chunk("a", "a.md", "25 days")
    answer = Answer("q", ANSWER, "25 days", (Citation(chunk, "25 days", 1),), ranking=Ranking("q", (Hit(chunk, 1.0),)))
    assert say(answer) is answer
    assert "no text" in error(say(replace(answer, text=" ")))


BROKEN = [
    {"text": None},
    {"verdict": None},
    {"ranking": None},
    {"citations": [1]},
    {"citations": (1,)},
    {"question": 1},
]


@pytest.mark.parametrize("wrong", [*BROKEN, {"verdict": Verdict(concept=None)}])  # type: ignore[arg-type]
def test_an_answer_of_other_things_is_an_error(wrong: dict[str, object]) -> None:
    assert "no Answer holds" in error(say(Answer(**{"question": "q", "outcome": ANSWER, "text": "x"} | wrong)))  # type: ignore[arg-type]


KEYS = [
    "question",
    "outcome",
    "gate",
    "concept",
    "reason",
    "text",
    "error",
    "citations",
    "file",
    "path",
    "line",
    "quote",
    "page",
    "url",
    "version",
    "status",
]
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from([ANSWER, REFUSE, ERROR])
NAMES = st.sampled_from(KEYS) | st.text()
DATA = st.recursive(PLAIN, lambda part: st.lists(part, max_size=3) | st.dictionaries(NAMES, part), max_leaves=12)
CITED = st.lists(st.dictionaries(st.sampled_from(KEYS[-8:]), PLAIN | st.lists(st.text(), max_size=2), max_size=4))
STATED = {"outcome": st.sampled_from([ANSWER, REFUSE, ERROR]), "text": st.text(), "citations": CITED, "gate": st.text()}
LIKELY = st.fixed_dictionaries({}, optional=STATED)
LETTERS = st.text(st.characters())  # half surrogate pairs among them
REPLIES = st.one_of(
    LETTERS, DATA, LIKELY, DATA.map(json.dumps), LIKELY.map(json.dumps), LIKELY.map(lambda d: json.dumps(d)[:-1])
)
ROW = Golden("1", "q", True, sources=("a.md#b",), facts=("25 days",))


@settings(max_examples=250)
@given(REPLIES, st.booleans(), st.booleans())
def test_no_reply_whatever_raises_here_or_in_what_follows(reply: object, no: bool, answerable: bool) -> None:
    answer = read("q", reply, refused=lambda _: no)
    assert answer.outcome in (ANSWER, REFUSE, ERROR) and (answer.outcome == ERROR) is bool(answer.error)
    assert answer.question == "q" and len(answer.error) <= 200 and (answer.error or "x").isprintable()
    assert answer.outcome != ANSWER or any(map(str.isalnum, answer.text))
    assert answer.verdict.refused is (answer.outcome == REFUSE)
    (outcome,) = map(judged, evaluate.run(lambda _: [answer], [replace(ROW, answerable=answerable)], system="s", k=5))
    rows = evaluate.outcomes_table([outcome], "c", "g")
    table(rows, evaluate.COLUMNS).encode()
    json.dumps(report.failures([outcome]), ensure_ascii=False).encode()
    assert metrics.faithfulness([outcome]).of == metrics.recall([outcome]).of == 0


# What can be judged


ROWS = [
    Golden("a1", "How long?", True, sources=("leave.md#carry-over",), facts=("5 days",)),
    Golden("a2", "How much?", True, sources=("leave.md#carry-over",), facts=("5 days",)),
    Golden("a3", "How fast?", True, sources=("rates.md",)),
    Golden("u1", "Who?", False, concepts=("CEO",)),
    Golden("u2", "Why?", False, concepts=("CEO",)),
]
CARRY = {"file": "leave.md", "path": ["Leave", "Carry over"], "quote": "not in any document"}


def outcomes(*replies: object) -> list[Outcome]:
    answers = [say(reply, row.question) for row, reply in zip(ROWS, replies, strict=True)]
    return [judged(outcome) for outcome in evaluate.run(lambda _: answers, ROWS, system="ask", k=5)]


def test_what_can_not_be_judged_is_left_out_and_counted() -> None:
    found = outcomes(
        {"outcome": "answer", "text": "5 days", "citations": [CARRY]},
        "5 weeks",
        {"outcome": "answer", "text": "x", "citations": [CARRY]},
        {"outcome": "refuse", "concept": "ceo"},
        SAYS_NO,
    )
    assert (
        repr(metrics.faithfulness(found))
        == repr(metrics.recall(found))
        == repr(metrics.mrr(found))
        == "0/0 (3 left out)"
    )
    assert (metrics.correctness(found), metrics.reason_right(found)) == (Rate(1, 2), Rate(1, 1, 1))
    assert (metrics.right_answers(found), metrics.right_refusals(found)) == (Rate(3, 3), Rate(2, 2))
    assert cited(found) == Rate(1, 2, 1)


def test_an_error_stands_in_no_rate() -> None:
    found = outcomes("5 days", "", "x", "x", None)
    assert (metrics.right_answers(found), metrics.right_refusals(found)) == (Rate(2, 2, 1), Rate(0, 1, 1))
    assert (metrics.correctness(found), cited(found), metrics.errors(found)) == (
        Rate(1, 1, 1),
        Rate(0, 0, 3),
        ["a2", "u2"],
    )


@pytest.mark.parametrize(
    ("sources", "cites", "right"),
    [
        (("leave.md#carry-over",), [CARRY], True),
        (("leave.md",), [{"file": "leave.md"}], True),
        (("leave.md",), [CARRY], True),
        (("other.md", "leave.md#carry-over"), [{"file": "x.md"}, CARRY], True),
        (("leave.md#annual",), [CARRY], False),
        (("other.md#carry-over",), [CARRY], False),
        (("leave.md#carry-over",), [{"file": "leave.md"}], None),
        (("leave.md#carry-over",), [{"file": "x.md"}, {"file": "leave.md", "path": []}], None),
        (("leave.md#carry-over",), [{"quote": "5 days"}], None),
        (("leave.md#carry-over",), [], None),
    ],
)
def test_a_citation_is_held_against_the_sources(
    sources: tuple[str, ...], cites: list[object], right: bool | None
) -> None:
    answer = say({"text": "5 days", "citations": cites})
    rate = cited([Outcome("s", Golden("a", "q", True, sources=sources), answer)])
    assert rate == (Rate(0, 0, 1) if right is None else Rate(int(right), 1))


def test_refusals_unanswerable_rows_and_rows_without_sources_cite_nothing() -> None:
    answer, refusal = say({"text": "x", "citations": [CARRY]}), say(SAYS_NO)
    row = Golden("a", "q", True, sources=("leave.md",))
    rows = [replace(row, answerable=False), replace(row, sources=())]
    assert cited([*(Outcome("s", each, answer) for each in rows), Outcome("s", row, refusal)]) == Rate(0, 0)
    assert cited([Outcome("s", row, replace(answer, outcome=ERROR))]) == Rate(0, 0, 1)


def test_an_answer_that_shows_its_ranking_is_judged_in_full() -> None:
    chunk = Chunk("leave.md#carry-over", "leave.md", "5 days.", sections=("leave.md#carry-over",))
    full = Answer(
        "How long?", ANSWER, "5 days.", (Citation(chunk, "5 days.", 1),), ranking=Ranking("q", (Hit(chunk, 1),))
    )
    for answer, recalled, faithful in ((full, 1, 1), (replace(full, ranking=Ranking("q")), 0, 0)):
        (outcome,) = map(judged, evaluate.run(lambda _, a=answer: [a], ROWS[:1], system="s", k=5))
        assert (outcome.recall, metrics.faithful(outcome)) == (recalled, faithful)


def test_version_and_line_are_judged_of_what_is_cited_and_left_out_where_nothing_is() -> None:
    text = "# Leave\n\n## Carry over\n\n5 days.\n"
    known = Places(tuple(by_headings(Document("leave.md", text), cap=1800)[0]))
    known = Places(tuple(replace(chunk, version="v1") for chunk in known.chunks))
    there = {"file": "leave.md", "path": ["Leave", "Carry over"], "line": 5, "quote": "5 days."}
    row = Golden("a", "How long?", True, sources=("leave.md#carry-over",), version="v1")
    marks = {}
    for cites in ([there], [there | {"line": 1}], [there | {"file": "other.md"}], []):
        answer = say({"outcome": "answer", "text": "5 days", "citations": cites}, row.question)
        (outcome,) = map(judged, evaluate.run(lambda _, a=answer: [a], [row], system="s", k=5, places=known))
        marks[str(cites)] = (outcome.version_correct, outcome.cites_line)
    assert list(marks.values()) == [(True, True), (True, False), (False, False), (None, None)]


def test_page_address_version_and_status_come_back_as_they_were_told() -> None:
    about = {"page": 3, "version": "v2", "status": "superseded", "url": "https://example.org/a"}
    chunk = Chunk("a.md#a", "a.md", "5 days.", ("A",), (4, 4), 4, ("a.md#a",), **about)
    told = ask_commands.data(Answer("q", ANSWER, "5 days. [1]", (Citation(chunk, "5 days.", 4),)), "s", "c")
    assert read("q", told, refused=lambda _: False).citations == (Citation(chunk, "5 days.", 4),)


def test_our_own_answers_are_worth_the_same_as_data() -> None:
    rows = golden.read(ROOT / "golden" / "kestrel.csv")
    bot = systems.SYSTEMS["passage"].on(read_corpus(ROOT / "corpus" / "kestrel"))
    direct = evaluate.run(bot.ask_all, rows, system="s", k=5)
    said = [say(ask_commands.data(o.answer, "passage", "kestrel"), o.golden.question) for o in direct]
    heard = [judged(o) for o in evaluate.run(lambda _: said, rows, system="s", k=5)]

    def worth(outcome: Outcome) -> tuple[object, ...]:
        answer = outcome.answer
        marks = (outcome.right, outcome.correct, evaluate.held(outcome), answer.verdict, answer.text)
        return *marks, [(c.chunk.heading, c.quote, c.line) for c in answer.citations]

    assert list(map(worth, heard)) == list(map(worth, direct))
    assert cited(heard) == cited(direct) and cited(direct).of == 8
    assert {o.answer.ranking == NO_RANKING for o in heard} == {True}
    assert check.support(heard[0].answer)[1] == 0 and metrics.faithfulness(heard) == Rate(0, 0, 9)


# A program


def test_a_program_says_text_or_an_object(script: Script) -> None:
    line = script("print(sys.argv[2])", "{question}", "{question}")
    assert asked(Command(line), "25 days") == say("25 days", "25 days")
    assert asked(Command(line), SAYS_NO).verdict == Verdict("model", reason=WORDING)
    reply = '{"outcome": "refuse", "gate": "no-match"}'
    assert asked(Command(line), reply) == Answer(reply, REFUSE, verdict=Verdict("no-match"))
    reply = '{"outcome": "answer", "text": "25 days \U0001f980"}'
    assert asked(Command(line), reply) == Answer(reply, ANSWER, "25 days \U0001f980")


@pytest.mark.parametrize("question", ODD)
def test_a_question_reaches_a_program_unchanged(script: Script, tmp_path: Path, question: str) -> None:
    keep = "open(home + '/kept', 'wb').write({})\nprint('\\ufeff25 days')"
    assert asked(Command(script(keep.format("os.fsencode(sys.argv[1])"), "{question}")), question).text == "25 days"
    assert (tmp_path / "kept").read_bytes() == question.encode()
    inside = script(
        keep.format("os.fsencode(sys.argv[2]) + sys.stdin.buffer.read()"), "-q", "--q={question}&{question}"
    )
    assert asked(Command(inside), question).text == "25 days"
    assert (tmp_path / "kept").read_bytes() == f"--q={question}&{question}".encode()
    assert asked(Command(script(keep.format("sys.stdin.buffer.read()"))), question).text == "25 days"
    assert (tmp_path / "kept").read_bytes() == question.encode()
    assert not Path("no").exists() and not (tmp_path / "no").exists()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print(25); sys.exit('Error:\\n  \\x1b[31mquota\\x1b[0m used up')", "exit code 1: Error: quota used up"),
        ("sys.exit(3)", "exit code 3"),
        ("sys.stderr.write('x' * 9999 + ' the end'); sys.exit(1)", " the end"),
        ("sys.stderr.buffer.write(b'caf\\xe9'); sys.exit(1)", "exit code 1: caf\ufffd"),
        ("os.kill(os.getpid(), 9)", "ended by signal 9"),
        ("sys.stderr.write('no key')", "no output: no key"),
        ("print(' ')", "no output"),
        ("sys.stdout.buffer.write(b'caf\\xe9')", "no UTF-8 (byte 0xe9 at 3)"),
        (f"sys.stdout.write('x' * {MOST + 1})", "more than 1,000,000 bytes"),
        ("while True: sys.stdout.write('x' * 99999)", "more than 1,000,000 bytes"),
        ("print('{\"outcome\": \"maybe\"}')", "outcome"),
    ],
)  # fmt: skip
def test_what_fails_in_a_program_is_told(script: Script, code: str, said: str) -> None:
    assert said in error(asked(Command(script(code)), retries=0))


def test_as_much_as_is_allowed(script: Script) -> None:
    code = f"sys.stderr.write('x' * 3_000_000)\nsys.stdout.write('x' * {MOST})"
    assert len(asked(Command(script(code)), retries=0).text) == MOST


def test_of_what_a_program_complains_the_end_is_kept(script: Script) -> None:
    words = transport.split(script("sys.stderr.write('x' * 3_000_000 + 'the end')\nsys.exit(1)"))
    with pytest.raises(transport.Failed) as caught:
        transport.output(words, "How long?", timeout=5, over=threading.Event())
    assert len(caught.value.said) == transport.TAIL and caught.value.said.endswith("the end")


def test_a_program_that_hangs(script: Script) -> None:
    start = time.monotonic()
    for code in (
        "time.sleep(60)",
        "os.close(1)\nos.close(2)\ntime.sleep(60)",
        "while True: print(1, flush=True, file=sys.stderr)",
    ):
        assert error(asked(Command(script(code)), timeout=0.3, retries=0)).startswith("no reply within 0.3 s")
    assert time.monotonic() - start < 3


def test_what_is_wrong_with_a_question_is_its_error(script: Script) -> None:
    line = script("print(1)", "{question}")
    for question in ("a\0b", "\ud800", "x" * 3_000_000):
        assert error(asked(Command(line), question)).startswith("the program can not be started: ")


def test_a_program_that_goes_away_meanwhile(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    bot.write_text("#!/bin/sh\necho 25 days\n")
    bot.chmod(0o755)
    ask = Foreign(Command(f"'{bot}' {{question}}")).ready()
    assert ask(["How long?"])[0].text == "25 days"
    bot.unlink()
    assert error(ask(["How long?"])[0]) == "the program can not be started: No such file or directory"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("no-such-bot {question}", "no-such-bot: no such program"),
        (f"{__file__} {{question}}", "no such program, or none that may be run"),
        ("bot 'x", "No closing quotation"),
        ("", "names no program"),
        ("  ", "names no program"),
        ("{question}", "names no program"),
        ("sh -c 'echo {question}'", "the shell would run"),
        ("/bin/bash -lc 'bot \"{question}\"'", "the shell would run"),
    ],
)
def test_a_command_that_can_not_be_run_is_bad_input(line: str, said: str) -> None:
    assert "; " in refusing(said, Foreign(Command(line)).ready)


def test_a_shell_may_pass_a_question_on(tmp_path: Path) -> None:
    assert asked(Command("sh -c 'echo \"$1\"' sh {question}"), "$(echo no)").text == "$(echo no)"


@pytest.mark.parametrize(
    "options", [{"timeout": 0}, {"timeout": float("nan")}, {"timeout": 1e9}, {"retries": -1}, {"retries": 999}]
)
def test_a_choice_that_can_not_be(options: dict[str, float]) -> None:
    refusing(next(iter(options)), Foreign, Command("x"), **options)


def attempts(tmp_path: Path) -> int:
    return len((tmp_path / "attempts").read_text())


COUNT = "open(home + '/attempts', 'a').write('x')\n"


@pytest.mark.parametrize(
    ("code", "retries", "times", "said"),
    [
        ("sys.exit('busy')", 0, 1, "exit code 1: busy"),
        ("sys.exit('busy')", 2, 3, "exit code 1 (attempts: 3): busy"),
        ("os.kill(os.getpid(), 9)", 1, 2, "ended by signal 9 (attempts: 2)"),
        ("time.sleep(9)", 1, 2, "no reply within 0.3 s (attempts: 2)"),
        ("print('{')", 2, 1, "JSON"),
        ("print()", 2, 1, "no output"),
    ],
)
def test_attempts_of_a_program(script: Script, tmp_path: Path, code: str, retries: int, times: int, said: str) -> None:
    assert said in error(asked(Command(script(COUNT + code)), timeout=0.3, retries=retries))
    assert attempts(tmp_path) == times


def test_a_second_attempt_may_do(script: Script, tmp_path: Path) -> None:
    code = COUNT + "sys.exit('busy') if len(open(home + '/attempts').read()) < 2 else print('25 days')"
    assert asked(Command(script(code))).text == "25 days"
    assert attempts(tmp_path) == 2


CHILD = (
    "import subprocess\nchild = subprocess.Popen(['sleep', '60'])\nopen(home + '/child', 'w').write(str(child.pid))\n"
)


def is_gone(pid: int) -> bool:
    """Whether a process has ended, within a second."""
    for _ in range(100):
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:  # nobody may be there to collect it
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("code", ["time.sleep(60)", "sys.exit(1)", "print('x' * 2_000_000)", "print('25 days')"])
def test_what_a_program_started_ends_with_it(script: Script, tmp_path: Path, code: str) -> None:
    start, timeout = time.monotonic(), 0.7 if "sleep" in code else 30
    answer = asked(Command(script(CHILD + code)), timeout=timeout, retries=0)
    assert answer.outcome == (ANSWER if "25" in code else ERROR)
    assert is_gone(int((tmp_path / "child").read_text()))
    assert time.monotonic() - start < 10  # the child holds the pipes open for 60 s


# Many questions


def test_answers_come_in_the_order_of_the_questions(script: Script) -> None:
    line = script("time.sleep(float(sys.argv[1]))\nprint('slept', sys.argv[1])", "{question}")
    questions = ["0.5", "0.1", "0.3", "0", "0.2", "0.1"]
    start = time.monotonic()
    answers = Foreign(Command(line), jobs=6).ready()(questions)
    assert time.monotonic() - start < 1.2
    assert [(a.question, a.text) for a in answers] == [(q, f"slept {q}") for q in questions]
    assert Foreign(Command(line), jobs=2).ready()([]) == []


def test_no_more_are_asked_at_a_time_than_told(script: Script, tmp_path: Path) -> None:
    code = "open(home + '/log', 'a').write('+')\ntime.sleep(0.05)\nopen(home + '/log', 'a').write('-')\nprint('x')"
    for jobs, most in ((1, 1), (2, 2)):
        Foreign(Command(script(code)), jobs=jobs).ready()(["q"] * 4)
        log = (tmp_path / "log").read_text()
        assert max(log[:n].count("+") - log[:n].count("-") for n in range(len(log) + 1)) == most
        (tmp_path / "log").unlink()


def test_no_question_takes_the_others_along(script: Script, tmp_path: Path) -> None:
    line = script("sys.exit('broken') if sys.argv[1] == 'b' else print('said', sys.argv[1])", "{question}")
    rows = [Golden(name, name, True) for name in "abc"]
    found = evaluate.run(Foreign(Command(line), jobs=3, retries=0).ready(), rows, system="ask", k=5)
    assert [(o.answer.text, o.answer.error) for o in found] == [
        ("said a", ""),
        ("", "exit code 1: broken"),
        ("said c", ""),
    ]


@pytest.mark.parametrize("jobs", [1, 3])
def test_bad_input_of_a_function_ends_the_run_at_once(bots: types.ModuleType, jobs: int) -> None:
    def ask(question: str) -> str:
        if question == "b":
            raise BadInput("index: none yet; make one")
        time.sleep(0 if question == "a" else 5)
        return "25 days"

    bots.ask = ask
    start = time.monotonic()
    refusing("index: none yet", Foreign(Function("bots:ask"), jobs=jobs).ready(), ["a", "b", "c"])
    assert time.monotonic() - start < 2


def test_a_detector_that_breaks_is_the_error_of_its_row(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(sys.modules["ragkit.detect"], "refused")
    (answer,) = Foreign(Command(script("print('25 days')"))).ready()(["q"])
    assert error(answer).startswith("AttributeError: ")


def test_what_ends_a_thread_ends_the_run() -> None:
    target = types.SimpleNamespace(kind="odd", retries=0, ready=lambda timeout, over: sys.exit)
    with pytest.raises(SystemExit, match="q"):
        Foreign(target, jobs=2).ready()(["q", "q", "q"])


# Where the tests run in the background, Ctrl-C is ignored, and a program inherits that.
HEARING = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); import ragkit.__main__ as m; m.main()"
)


def test_ctrl_c_ends_the_run_and_its_programs(tmp_path: Path, script: Script) -> None:
    line = script("open(f'{home}/{os.getpid()}.pid', 'w')\ntime.sleep(30)")
    words = [sys.executable, "-c", HEARING, "eval", "--ask", line, "--jobs", "2"]
    run = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        for _ in range(600):
            if len(pids := [int(path.stem) for path in tmp_path.glob("*.pid")]) == 2:
                break
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        assert (run.communicate(timeout=5), run.returncode) == ((b"", b""), 130)
        assert len(pids) == 2 and all(map(is_gone, pids))
    finally:
        run.kill()
        run.communicate()


def test_a_system_has_a_name_and_a_job() -> None:
    for options in ({"name": ""}, {"name": " x"}, {"name": "a\nb"}, {"jobs": 0}):
        refusing(next(iter(options)), Foreign, Command("x"), **options)


# A service


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub(lambda request: Reply({"outcome": "answer", "text": f"said {request.json['question']}"})) as server:
        yield server


def http(stub: Stub, *script: Reply, path: str = "/ask") -> Http:
    stub.script = list(script)
    return Http(stub.url + path)


@pytest.mark.parametrize("question", ODD)
def test_a_question_reaches_a_service_unchanged(stub: Stub, question: str) -> None:
    assert asked(http(stub), question).text == f"said {question}"
    (request,) = stub.requests
    assert (request.path, request.json, request.headers["content-type"]) == (
        "/ask",
        {"question": question},
        "application/json",
    )


def test_a_service_says_text_or_an_object(stub: Stub) -> None:
    plain = {"Content-Type": "text/plain"}
    assert asked(http(stub, Reply("25 days", 201, plain))) == say("25 days")
    assert asked(http(stub, Reply(SAYS_NO, headers=plain))).verdict == Verdict("model", reason=WORDING)
    assert asked(http(stub, Reply({"outcome": "refuse", "gate": "x"}))) == Answer(
        "How long?", REFUSE, verdict=Verdict("x")
    )


@pytest.mark.parametrize(
    ("reply", "times", "said"),
    [
        (Reply("no\nsuch page", 404), 1, "HTTP 404 Not Found: no such page"),
        (Reply("", 401), 1, "HTTP 401 Unauthorized"),
        (Reply("", 408), 1, "HTTP 408"),
        (Reply("x", 307, {"Location": "/other"}), 1, "HTTP 307 Temporary Redirect: redirects are not followed"),
        (Reply("x", 302, {"Location": "http://127.0.0.1:1/"}), 1, "HTTP 302 Found: redirects are not followed"),
        (Reply("busy", 503), 3, "HTTP 503 Service Unavailable (attempts: 3): busy"),
        (Reply("", 500), 3, "HTTP 500"),
        (Reply("", 429), 3, "HTTP 429"),
        (Reply("", 429, {"Retry-After": "3600"}), 1, "HTTP 429 Too Many Requests, asks to wait 3600 s"),
        (Reply(None), 3, "no reply from 127.0.0.1"),
        (Reply("25 d", headers={"Content-Length": "9"}), 3, "the reply was cut off (attempts: 3)"),
        (Reply("25 days", delay=9), 3, "no reply within 0.2 s (attempts: 3)"),
        (Reply(""), 1, "no text"),
        (Reply("x" * (MOST + 1)), 1, "more than 1,000,000 bytes"),
        (Reply('{"outcome": "ans'), 1, "begins like a JSON object"),
    ],
)
def test_what_fails_at_a_service_is_told(stub: Stub, reply: Reply, times: int, said: str) -> None:
    timeout = 0.2 if reply.delay else 5
    assert said in error(asked(http(stub, *[reply] * 5), retries=2, timeout=timeout))
    assert len(stub.requests) == times


def test_it_waits_as_long_as_it_is_told(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(exchange, "FIRST_WAIT", 1.0)
    monkeypatch.setattr(over := threading.Event(), "wait", waits.append)

    def ask(*script: Reply) -> Answer:
        return exchange._trying(http(stub, *script).ready(5, over), 8, over)("How long?")

    assert ask(Reply("", 503), Reply("", 429, {"Retry-After": "7"}), Reply(None)).text == "said How long?"
    assert waits == [1, 7, 4]
    soon = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 30))
    ask(Reply("", 503, {"Retry-After": soon}))
    assert 25 < waits[-1] <= 30
    ask(*[Reply("", 503)] * 9)
    assert waits[-1] == exchange.LONGEST_WAIT


@contextmanager
def sending(*parts: bytes, pause: float = 0) -> Iterator[str]:
    """The address of a service that sends these bytes to whoever comes first."""

    def serve() -> None:
        connection, _ = server.accept()
        with connection:
            while b"}" not in connection.recv(1 << 16):
                pass
            for part in parts:
                try:
                    connection.sendall(part)
                except OSError:
                    return
                time.sleep(pause)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        thread.join()


OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ([OK + b"\r\ncaf\xe9"], "no UTF-8 (byte 0xe9 at 3)"),
        ([OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\n25 da\r\n"], "no reply from 127.0.0.1"),
        ([b"what?\r\n\r\n"], "no reply from 127.0.0.1"),
        ([OK + b"\r\n", *[b"x"] * 60], "no reply within 0.3 s"),
        ([OK + b"Content-Length: 60\r\n\r\n", *[b"x"] * 60], "no reply within 0.3 s"),
        ([*(bytes([letter]) for letter in OK)], "no reply within 0.3 s"),
    ],
)
def test_odd_replies_of_a_service(parts: list[bytes], said: str) -> None:
    start = time.monotonic()
    with sending(*parts, pause=0.05 if len(parts) > 1 else 0) as url:
        assert said in error(asked(Http(url), timeout=0.3, retries=0))
        assert time.monotonic() - start < 2


@pytest.mark.parametrize("parts", [[OK], [OK + b"\r\n", *[b"x"] * 20]])
def test_a_call_that_is_left_alone_ends_by_itself(parts: list[bytes]) -> None:
    with sending(*parts, pause=0.1 if len(parts) > 1 else 0.5) as url, pytest.raises(transport.Failed) as caught:
        transport.poster(url, timeout=0.2)("How long?")
    assert caught.value.what == "no reply within 0.2 s"


def test_a_service_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    told = error(asked(Http(f"http://127.0.0.1:{port}/"), retries=1))
    assert told == f"no reply from 127.0.0.1:{port} (attempts: 2): ConnectionRefusedError: Connection refused"


def test_a_late_reply_is_not_taken_for_that_to_the_next_question(stub: Stub) -> None:
    slow = [Reply("to the first", delay=0.4), Reply("to the second")]
    answers = Foreign(http(stub, *slow), timeout=0.2, retries=0).ready()(["1", "2"])
    time.sleep(0.4)
    assert [a.text or a.error for a in answers] == ["no reply within 0.2 s", "to the second"]


def test_an_address_may_want_encryption(stub: Stub) -> None:
    told = error(asked(Http(stub.url.replace("http:", "https:")), timeout=5, retries=0))
    assert told.startswith("no reply from 127.0.0.1") and "SSL" in told


def test_what_is_secret_in_an_address_is_sent_and_never_told(stub: Stub) -> None:
    url = stub.url.replace("//", "//me:pass%40word@") + "/ask?key=topsecret"
    stub.script = [Reply("Bad key topsecret of me:pass@word", 401), Reply(None), Reply("25 days")]
    told = [asked(Http(url), timeout=5, retries=0) for _ in range(3)]
    assert [answer.outcome for answer in told] == [ERROR, ERROR, ANSWER]
    assert {request.path for request in stub.requests} == {"/ask?key=topsecret"}
    assert stub.requests[0].headers["authorization"] == f"Basic {b64encode(b'me:pass@word').decode()}"
    assert not any(part in f"{told} {Http(url)!r}" for part in ("topsecret", "pass@", "pass%", "me:"))
    for bad in (url.replace("127", "[127"), url + " x", url.replace("/ask", "0000000/ask")):
        assert "secret" not in refusing("the address can not be used", Foreign(Http(bad)).ready)


@pytest.mark.parametrize(
    "url", ["http://", "http:///ask", "http://a b/", "http://h\u00e9/", "http://h:0/", "http://h:x/", "ftp://h/"]
)
def test_an_address_that_is_none_is_bad_input(url: str) -> None:
    refusing("the address can not be used; ", Foreign(Http(url)).ready)


def test_a_service_on_this_machine_needs_no_proxy(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1/")
    monkeypatch.delenv("no_proxy", raising=False)
    assert asked(http(stub)).text == "said How long?"


def test_a_connection_for_each_question(stub: Stub) -> None:
    Foreign(http(stub), jobs=3).ready()(list("abcdef"))
    assert len(stub.requests) == 6 and {r.headers["connection"] for r in stub.requests} == {"close"}


# A function


@pytest.fixture
def bots(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    module = types.ModuleType("bots")
    monkeypatch.setitem(sys.modules, "bots", module)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return module


def test_a_function_may_say_as_much_as_a_program(bots: types.ModuleType) -> None:
    assert len(returning(bots, "x" * MOST).text) == MOST
    assert error(returning(bots, "x" * (MOST + 1))) == "a reply of more than 1,000,000 characters"


def returning(bots: types.ModuleType, given: object) -> Answer:
    bots.bot = types.SimpleNamespace(ask=lambda question: given)
    return asked(Function("bots:bot.ask"))


def test_a_function_gives_a_text_a_dict_or_an_answer(bots: types.ModuleType) -> None:
    assert returning(bots, "25 days") == say("25 days")
    assert returning(bots, {"outcome": "refuse", "gate": "x"}).verdict == Verdict("x")
    assert returning(bots, (answer := Answer("How long?", REFUSE, verdict=Verdict("x")))) is answer
    assert "NoneType" in error(returning(bots, None))


def test_an_answer_to_another_question_is_an_error(bots: types.ModuleType) -> None:
    bots.ask = lambda question: Answer("the one before", ANSWER, "25 days")
    (outcome,) = evaluate.run(Foreign(Function("bots:ask")).ready(), ROWS[:1], system="ask", k=5)
    assert error(outcome.answer) == "the answer is to another question"


def test_whatever_a_function_raises_is_the_error_of_its_row(bots: types.ModuleType) -> None:
    raised: list[BaseException] = []

    def ask(question: str) -> str:
        if raised:
            raise raised.pop()
        return "25 days"

    bots.ask = ask
    raised[:] = [ValueError("second"), SystemExit("first")]
    assert error(asked(Function("bots:ask"))) == "ValueError (attempts: 2): second"
    raised[:] = [SystemExit("first")]
    assert asked(Function("bots:ask")).text == "25 days"
    raised[:] = [KeyError()]
    assert error(asked(Function("bots:ask"), retries=0)) == "KeyError"


def test_a_function_that_hangs_is_left_alone(bots: types.ModuleType) -> None:
    over, late = threading.Event(), ["to the first", "to the second"]

    def ask(question: str) -> str:
        said = late.pop(0)
        if question == "1":
            over.wait(5)
        return said

    bots.ask = ask
    answers = Foreign(Function("bots:ask"), timeout=0.2, retries=0).ready()(["1", "2"])
    over.set()
    assert [a.text or a.error for a in answers] == ["no reply within 0.2 s", "to the second"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no_such_module:ask", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("bots:no_such", "no_such"),
        ("bots:bot.no_such", "no_such"),
        ("bots", "name a function as package.module:function"),
        (":ask", "name a function"),
        ("", "name a function"),
        (".bots:ask", "name a function"),
        ("bots:number", "is no function"),
        ("mine:ask", "ZeroDivisionError"),
        ("ends:ask", "SystemExit: 3"),
    ],
)
def test_a_function_that_is_not_there_is_bad_input(
    bots: types.ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    bots.number, bots.bot = 1, object()
    (tmp_path / "mine.py").write_text("1 / 0")
    (tmp_path / "ends.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    assert "python:" in refusing(said, Foreign(Function(name)).ready)


# The command line


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "returns.md").write_text("# Returns\n\n## Warranty\n\nThe warranty is 24 months.\n")
    (tmp_path / "questions.csv").write_text(
        "id,question,answerable,answer,source,category,facts\n"
        "1,How long is the warranty?,true,24 months,returns.md#warranty,q1,24 months\n"
        "2,Do you sell crypto?,false,,,q3,\n"
        "3,Where is it?,true,,returns.md,q1,\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAG_BACKEND", "tea-leaves")  # about our systems only
    return tmp_path


def evaluation(ragkit: Ragkit, home: Path, *words: str) -> tuple[int, str, str]:
    return ragkit("eval", "--corpus", f"{home}/docs", "--golden", f"{home}/questions.csv", *words)


BOT = f"print({SAYS_NO!r} if 'crypto' in sys.argv[1] else 'It is 24 months.')"


def test_eval_of_a_command(ragkit: Ragkit, home: Path, script: Script) -> None:
    code, out, err = evaluation(ragkit, home, "--ask", script(BOT, "{question}"), "--name", "mybot")
    assert (code, err) == (0, "")
    assert "backend: command   corpus: docs (1 chunks)   system: mybot   golden: questions (3 rows)" in out
    assert "3/3 right; 3 of 3 hold" in out
    assert f"3 of 3 rows: {TOLD}\ncites a source of its row: n/a (0 questions, 2 left out)\n" in out
    assert "faithfulness n/a (0 questions, 2 left out)" in " ".join(out.split())
    assert "INCOMPLETE" not in out and out.endswith("no baseline for this run; --accept makes one\n")


def test_two_evaluations_of_a_bot_are_compared_and_gated(ragkit: Ragkit, home: Path, script: Script) -> None:
    worse = "print('It is 24 months.')"
    for name, code in (("before", BOT), ("after", worse)):
        bot = ("--ask", script(code, "{question}", name=f"{name}.py"), "--name", "mybot")
        assert evaluation(ragkit, home, *bot, "--record", f"{name}.csv")[0] == 0
    (data,) = json.loads(ragkit("history", "compare", "before.csv", "after.csv", "--system", "mybot", "--json")[1])
    assert (data["scored"], data["broken"], data["mended"]) == (3, ["2"], [])
    code, out, _ = ragkit("history", "gate", "before.csv", "after.csv", "--system", "mybot")
    assert code == 1 and "2 held and no longer does (refuse model -> answer)" in out
    assert ragkit("history", "gate", "before.csv", "before.csv", "--system", "mybot")[0] == 0


def test_eval_of_a_command_as_data(ragkit: Ragkit, home: Path, script: Script) -> None:
    code, out, err = evaluation(ragkit, home, "--ask", script(BOT, "{question}"), "--jobs", "2", "--json")
    data = json.loads(out, parse_constant=pytest.fail)
    assert (code, err, list(data)[-2:]) == (0, "", ["cited_sources", "read_from_wording"])
    assert data["read_from_wording"] == {"count": 3, "line": TOLD}
    assert data["cited_sources"] == {"hits": 0, "of": 0, "left_out": 2}
    assert (data["system"], data["backend"], data["errors"]) == ("ask", "command", [])
    measured = {row["metric"]: row for row in data["metrics"]}
    assert "without_claims" not in measured
    assert (measured["faithfulness"]["of"], measured["recall"]["left_out"]) == (0, 2)


def test_eval_of_a_service(ragkit: Ragkit, home: Path, stub: Stub) -> None:
    place = {"file": "returns.md", "path": ["Returns", "Warranty"]}
    stub.script = [
        Reply({"outcome": "answer", "text": "24 months", "citations": [place]}),
        Reply({"outcome": "refuse", "gate": "no-match"}),
        Reply("", 404),
    ]
    code, out, err = evaluation(ragkit, home, "--ask", f"{stub.url}/ask", "--timeout", "5", "--retries", "0")
    assert (code, err) == (0, "")
    assert "INCOMPLETE: 1 rows ended in an error and stand in no rate: 3" in out
    assert "error: HTTP 404 Not Found" in out and "2/2 (1 left out) right; 2 of 3 hold" in out
    assert "cites a source of its row: 1/1 (21-100 %, 1 left out)" in out
    assert TOLD not in out
    stub.script = [Reply({"outcome": "refuse"})] * 3
    data = json.loads(evaluation(ragkit, home, "--ask", stub.url.replace("http:", "HTTP:"), "--json")[1])
    assert (data["backend"], data["read_from_wording"]) == ("http", {"count": 0, "line": ""})


def test_eval_of_a_function_that_prints(ragkit: Ragkit, home: Path) -> None:
    (home / "printing_bot.py").write_text(
        "print('loaded')\ndef ask(question):\n    print('asked')\n    return '24 months'\n"
    )
    code, out, err = evaluation(ragkit, home, "--ask", "python:printing_bot:ask", "--json")
    sys.path.remove(str(home))
    assert (code, err.split()) == (0, ["loaded", "asked", "asked", "asked"])
    assert json.loads(out)["backend"] == "python"


def test_a_row_that_no_longer_holds_is_a_finding(ragkit: Ragkit, home: Path, script: Script) -> None:
    words = ("--ask", script(BOT, "{question}"), "--name", "mybot")
    assert evaluation(ragkit, home, *words, "--accept")[0] == 0
    kept = (home / "baseline.csv").read_text()
    assert kept == "system,corpus,golden,id,holds\n" + "".join(f"mybot,docs,questions,{n},true\n" for n in (1, 2, 3))
    assert evaluation(ragkit, home, *words)[0] == 0
    script("sys.exit(1) if 'crypto' in sys.argv[1] else print('It is 24 months.')")
    code, out, _ = evaluation(ragkit, home, *words, "--retries", "0")
    assert code == 1 and "1 no longer hold: 2" in out
    assert evaluation(ragkit, home, *words[:2])[0] == 0  # under another name


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--ask", "no-such-bot {question}"), "no-such-bot: no such program"),
        (("--ask", ""), "names no program"),
        (("--ask", "http://"), "the address can not be used"),
        (("--ask", "python:no_such_module:ask"), "no_such_module"),
        (("--ask", "cat", "--system", "passage"), "--ask and --system"),
        (("--ask", "cat", "--name", "passage"), "one of our systems"),
        (("--ask", "cat", "--name", ""), "name ''"),
        (("--ask", "cat", "--jobs", "0"), "jobs 0"),
        (("--ask", "cat", "--timeout", "0"), "timeout 0"),
        (("--ask", "cat", "--retries", "-1"), "retries -1"),
        (("--jobs", "2"), "--jobs is about --ask"),
        (("--name", "x"), "--name is about --ask"),
        (("--retries", "0"), "--retries is about --ask"),
    ],
)
def test_bad_input_is_one_line_and_two(ragkit: Ragkit, home: Path, words: tuple[str, ...], said: str) -> None:
    code, out, err = evaluation(ragkit, home, *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("ragkit: ") and said in err and not (home / "baseline.csv").exists()


def test_nothing_is_asked_about_questions_that_can_not_be_read(ragkit: Ragkit, home: Path, script: Script) -> None:
    (home / "questions.csv").write_text("id,question\n")
    assert evaluation(ragkit, home, "--ask", script("open(home + '/asked', 'w')"))[0] == 2
    assert not (home / "asked").exists()


def test_our_own_command_line_can_be_asked(ragkit: Ragkit, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAG_BACKEND")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    line = shlex.join([sys.executable, "-m", "ragkit", "ask", "--corpus", f"{home}/docs", "--json", "--", "{question}"])
    code, out, _ = evaluation(ragkit, home, "--ask", line, "--jobs", "3")
    assert (code, TOLD in out) == (0, False)
    assert "cites a source of its row: 1/1" in out and "2/3 right; 2 of 3 hold" in out
