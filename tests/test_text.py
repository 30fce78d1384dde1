"""Words are cut in one way, for any text."""

from __future__ import annotations

import build
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit import corpus, text
from ragkit.chunk import outline
from ragkit.records import BadInput
from ragkit.text import STEMMERS, STOP_KINDS, Analyzer, Passage, expand, fold, kin, visible

ANALYZER = Analyzer()


def forms(written: str, analyzer: Analyzer = ANALYZER) -> list[str]:
    return [word.form for word in analyzer.words(written)]


# Folding


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("Crème", "creme"),
        ("cre\u0300me", "creme"),
        ("isn\u2019t", "isn't"),
        ("isn\u02bct", "isn't"),
        ("isn`t", "isn't"),
        ("isn\u00b4t", "isn't"),
        ("isn\uff07t", "isn't"),
        ("TK\u2011Badge", "tk-badge"),
        ("TK\u2010Badge", "tk-badge"),
        ("TK\u2013Badge", "tk-badge"),
        ("TK\u2212Badge", "tk-badge"),
        ("hand\u00adbook", "handbook"),
        ("\uff2b\uff2c\uff14\uff10", "kl40"),
        ("o\ufb03ce", "office"),
        ("Straße", "strasse"),
    ],
)
def test_letters_that_look_alike_are_one(written: str, folded: str) -> None:
    assert fold(written) == folded


@given(st.text())
def test_folding_twice_changes_nothing(written: str) -> None:
    assert fold(fold(written)) == fold(written)


# Cutting


@pytest.mark.parametrize(
    ("written", "cut"),
    [
        ("Fix it, to 6 Nm.", ["fix", "it", "to", "6", "nm"]),
        ("a I 7 x", ["a", "i", "7", "x"]),
        ("5,120.50", ["5120.50"]),
        ("version 1.20.3", ["version", "1.20.3"]),
        ("C++ and C#", ["c++", "and", "c#"]),
        ("KX-Code", ["kx-code"]),
        ("snake_case R&D", ["snake_case", "r&d"]),
        ("08:15", ["08", "15"]),
        ("£6.50", ["6.50"]),
        ("--- *** ___", []),
        ("🎉\0", []),
        ("שלום abc", ["שלום", "abc"]),
    ],
)
def test_words_of_a_text(written: str, cut: list[str]) -> None:
    assert forms(written) == cut


@pytest.mark.parametrize(
    ("written", "stem", "pieces"),
    [
        ("KX-Code", "kxcode", ["kx", "code"]),
        ("QR7", "qr7", ["qr", "7"]),
        ("KL-40X", "kl40x", ["kl", "40", "x"]),
        ("Wi-Fi", "wifi", ["wi", "fi"]),
        ("ADR-0003", "adr0003", ["adr", "0003"]),
        ("plain", "plain", []),
        ("2.5", "2.5", []),
    ],
)
def test_a_code_is_one_word_with_pieces(written: str, stem: str, pieces: list[str]) -> None:
    (word,) = ANALYZER.words(written)
    assert (word.stem, [piece.form for piece in word.pieces]) == (stem, pieces)


@pytest.mark.parametrize("code", ["KL-40S", "A-40S", "E-07s", "ADR-3s", "CAD-17ing", "AX-9Y", "AX-9ies"])
def test_a_code_with_a_number_is_not_stemmed(code: str) -> None:
    assert ANALYZER.words(code)[0].stem == code.replace("-", "").lower()


@given(st.text())
def test_any_text_is_cut_into_words_that_are_not_empty(written: str) -> None:
    assert all(word.form and word.stem for word in ANALYZER.words(written))


@given(st.text(), st.sampled_from(sorted(STEMMERS)), st.booleans())
def test_a_text_is_cut_the_same_every_time(written: str, stemmer: str, contractions: bool) -> None:
    cut = Analyzer(stemmer, contractions).terms
    assert cut(written) == cut(written) == Analyzer(stemmer, contractions).terms(written)


@given(st.lists(st.from_regex(r"[a-z0-9]{1,8}(-[a-z0-9]{1,4})?", fullmatch=True), max_size=8))
def test_a_word_is_cut_alone_as_it_is_among_others(words: list[str]) -> None:
    assert ANALYZER.terms(" ".join(words)) == [term for word in words for term in ANALYZER.terms(word)]


# What a reader sees


@pytest.mark.parametrize(
    ("markdown", "seen"),
    [
        ("plain *text*", ["plain", "text"]),
        ("a <!-- hidden -->b", ["a", "b"]),
        ("a<!-- hidden\n\nto the end", ["a"]),
        ("![the plan](a-file.png)", ["the", "plan"]),
        ("[form](http://a.file/x) here", ["form", "here"]),
        ("one<br>two&nbsp;three &amp; four", ["one", "two", "three", "four"]),
        ("if a < b and c > d", ["if", "a", "b", "and", "c", "d"]),
        ("<ann@kestrel.example>", ["ann", "kestrel", "example"]),
        ("`log <name>`", ["log", "name"]),
        ("```\nlog <name> <!-- x -->\n```", ["log", "name", "x"]),
        ("`<!--` opens a comment.\n\nFees are due.", ["opens", "a", "comment", "fees", "are", "due"]),
    ],
)
def test_the_words_that_a_reader_sees(markdown: str, seen: list[str]) -> None:
    assert forms(visible(markdown)) == seen


# Contractions

PAIRS = [
    ("isn't", "is not"),
    ("aren't", "are not"),
    ("haven't", "have not"),
    ("won't", "will not"),
    ("can't", "can not"),
    ("shan't", "shall not"),
    ("I've", "i have"),
    ("we'll", "we will"),
    ("you're", "you are"),
    ("I'm", "i am"),
    ("who'd", "who would"),
    ("let's", "let us"),
    ("desk's", "desk"),
    ("dont", "do not"),
    ("what's", "what"),
    ("shouldn't've", "should not have"),
    ("couldn't've", "could not have"),
    ("d'you", "do you"),
]


@pytest.mark.parametrize(("short", "long"), PAIRS)
def test_a_contraction_is_cut_like_the_words_it_stands_for(short: str, long: str) -> None:
    assert forms(short) == long.split()


@pytest.mark.parametrize("mark", ["'", "\u2019", "\u02bc", "\u00b4", "`"])
def test_every_apostrophe_is_one(mark: str) -> None:
    assert forms(f"won{mark}t haven{mark}t") == ["will", "not", "have", "not"]


@pytest.mark.parametrize("short", [short for short, _ in PAIRS if short != "desk's"])
def test_a_contraction_leaves_nothing_to_look_for(short: str) -> None:
    assert ANALYZER.terms(short) == []


@pytest.mark.parametrize("name", ["o'brien", "rock'n'roll", "'", "''", "cats'"])
def test_an_apostrophe_in_a_name_is_no_contraction(name: str) -> None:
    assert expand(name) == name


@pytest.mark.parametrize(("written", "scrap"), [("isn't", "isn"), ("I've", "ve"), ("we'll", "ll")])
def test_without_contractions_scraps_stay(written: str, scrap: str) -> None:
    assert scrap in Analyzer(contractions=False).terms(written)


# Stems

SAME = [
    ("carry", "carried"),
    ("carry", "carries"),
    ("payment", "payments"),
    ("lane", "lanes"),
    ("price", "prices"),
    ("device", "devices"),
    ("cancel", "cancelling"),
    ("cancellation", "cancelling"),
    ("book", "booking"),
    ("calibrate", "calibration"),
    ("refund", "refunded"),
    ("stop", "stopped"),
    ("lose", "lost"),
    ("spend", "spent"),
    ("shelf", "shelves"),
    ("company", "companies"),
    ("reply", "replies"),
    ("approve", "approval"),
    ("renew", "renewal"),
]
OTHER = [
    ("news", "new"),
    ("university", "universal"),
    ("caring", "car"),
    ("business", "busy"),
    ("generous", "general"),
    ("customs", "customer"),
    ("organ", "organization"),
    ("miner", "mineral"),
    ("memory", "memorial"),
    ("position", "positive"),
    ("emerge", "emergency"),
    ("wit", "witness"),
    ("author", "authority"),
    ("policy", "police"),
    ("object", "objective"),
]


def one_word(a: str, b: str) -> bool:
    """What decides everywhere: one stem, and two forms of one word."""
    (first,), (second,) = ANALYZER.words(a), ANALYZER.words(b)
    return first.stem == second.stem and kin(first.form, second.form)


@pytest.mark.parametrize(("a", "b"), SAME)
def test_forms_of_one_word_are_one(a: str, b: str) -> None:
    assert one_word(a, b)


@pytest.mark.parametrize(("a", "b"), OTHER)
def test_two_words_are_two(a: str, b: str) -> None:
    assert not one_word(a, b)


BASES = st.sampled_from(["pay", "cancel", "cancell", "renew", "carr", "book", "possib", "hope", "hop"])
FORMS = st.builds(str.__add__, BASES, st.sampled_from(["", "s", "ed", "ing", "y", "ies", "al", "ation", "ment", "ly"]))


@given(FORMS, FORMS)
def test_kin_has_no_direction(a: str, b: str) -> None:
    assert kin(a, b) == kin(b, a)


@given(FORMS | st.text())
def test_a_word_is_its_own_kin(word: str) -> None:
    assert kin(word, word)


@pytest.mark.parametrize(
    ("stemmer", "stems"),
    [("snowball", ["price", "book"]), ("plural", ["price", "booking"]), ("none", ["prices", "bookings"])],
)
def test_the_stemmer_is_a_choice(stemmer: str, stems: list[str]) -> None:
    assert Analyzer(stemmer).terms("prices bookings") == stems


# Word lists


def test_stop_words_are_of_the_known_kinds() -> None:
    assert {kind for _, kind in text.rows("stopwords.csv")} == set(STOP_KINDS)


@pytest.mark.parametrize("name", ["stopwords.csv", "contractions.csv", "irregular.csv"])
def test_a_word_list_holds_each_word_once(name: str) -> None:
    words = [row[0] for row in text.rows(name)]
    assert [word for word in words if words.count(word) > 1] == []


def test_a_stop_word_is_cut_as_it_is_listed() -> None:
    assert [word for word, _ in text.rows("stopwords.csv") if ANALYZER.terms(word)] == []


def test_no_stop_word_is_a_topic_of_the_kestrel_documents() -> None:
    titles = [title for d in corpus.read(build.KESTREL).documents for s in outline(d) for title in s.path]
    stopped = {word.form for title in titles for word in ANALYZER.words(title) if word.stop}
    common = {
        "a",
        "an",
        "and",
        "from",
        "how",
        "in",
        "is",
        "it",
        "making",
        "of",
        "on",
        "or",
        "out",
        "over",
        "to",
        "when",
    }
    assert stopped <= common


def test_every_heading_of_the_kestrel_documents_keeps_a_word() -> None:
    titles = [s.path[-1] for d in corpus.read(build.KESTREL).documents for s in outline(d) if s.path]
    assert [title for title in titles if not ANALYZER.terms(title)] == []


@pytest.mark.parametrize(("kind", "word"), [("function", "the"), ("quantifier", "many"), ("generic", "get")])
def test_each_kind_of_stop_word_can_be_left_in(kind: str, word: str) -> None:
    others = tuple(other for other in STOP_KINDS if other != kind)
    assert len(Analyzer(stop=others).terms(word)) == 1


@pytest.mark.parametrize(
    ("choice", "named"),
    [
        ({"stemmer": "porter"}, "snowball, plural, suffix, front-desk, none"),
        ({"stop": ("verbs",)}, "generic"),
        ({"dictionary": "x"}, "word"),
    ],
)
def test_an_unknown_choice_names_the_allowed_ones(choice: dict[str, object], named: str) -> None:
    with pytest.raises(BadInput, match=named):
        Analyzer(**choice)


# Passages


def found(phrase: str, written: str) -> str:
    return Passage(ANALYZER.words(written), written).find(tuple(ANALYZER.words(phrase)))


@pytest.mark.parametrize(
    ("phrase", "written", "form"),
    [
        ("annual leave", "Paid annual leaves are long.", "annual leaves"),
        ("leave annual", "Paid annual leave.", ""),
        ("kl40", "A KL-40 sensor", "kl-40"),
        ("kl-40", "A KL 40 sensor", "kl 40"),
        ("kl-40", "A KL40 sensor", "kl40"),
        ("e-mail", "By email", "email"),
        ("kl-40", "A KL-41 and a KD-40", ""),
        ("kl-40", "A KL-40X sensor", ""),
        ("port", "public transport", ""),
        ("news", "the new rules", ""),
        ("x", "", ""),
    ],
)
def test_the_form_of_a_phrase_in_a_text(phrase: str, written: str, form: str) -> None:
    assert found(phrase, written) == form


@given(st.from_regex(r"[b-df-hj-np-tv-xz]{3,5}", fullmatch=True), st.text("aeiou", min_size=1, max_size=3))
def test_a_word_is_not_found_inside_a_longer_one(inner: str, rest: str) -> None:
    assert found(inner, f"{rest}{inner}{rest} {inner}{rest} {rest}{inner}") == ""


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("policies", "policy"), ("carried", "carry"), ("payments", "pay"), ("payment", "pay"), ("lanes", "lan"),
        ("price", "price"), ("prices", "pric"), ("class", "class"), ("booked", "book"), ("is", "is"), ("bus", "bus"),
    ],
)  # fmt: skip
def test_the_suffix_stemmer_is_crude(word: str, stem: str) -> None:
    assert STEMMERS["suffix"]()(word) == stem
