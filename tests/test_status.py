"""Labels of documents: what counts as evidence, what decides, what goes to review, and how right it all is."""

from __future__ import annotations

from pathlib import Path

import build
import pytest

from ragkit import corpus, evidence, status
from ragkit.records import BadInput, Document, Rate
from ragkit.status import Label, accuracy, cases, labels, read_truth

CASES = build.GOLDEN / "status"


def document(file: str, text: str = "", *, title: str = "Leave", **front: str) -> Document:
    head = "".join(f"{key}: {value}\n" for key, value in front.items())
    return Document(file, (f"---\n{head}---\n" if front else "") + f"# {title}\n\n{text}\n")


def told(*documents: Document) -> dict[str, tuple[str, bool]]:
    return {label.file: (label.status, label.sure) for label in labels(documents)}


def said(text: str) -> evidence.Evidence:
    return evidence.evidence(document("a.md", text))


# What a text says


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("In force from 1 April 2025.", "2025-04-01"),
        ("This policy is in force from April 1st, 2025.", "2025-04-01"),
        ("It came into force on 1 Apr 2025.", "2025-04-01"),
        ("**Effective:** 2025-04-01", "2025-04-01"),
        ("Effective date: 01.04.2025", "2025-04-01"),
        ("Effective as of April 2025.", "2025-04"),
        ("In force\nfrom 2025.", "2025"),
        ("Version 3, valid since 1 April 2025.", "2025-04-01"),
        ("| Nr. | 4 |\n|---|---|\n| In force from | 1 April 2025 |", "2025-04-01"),
        ("In force from 1 May 2020, withdrawn on 2 May 2021 and in force again from 1 April 2025.", "2025-04-01"),
        ("Valid from 05/06/2025.", "2025"),
        ("The fee applies from 1 April 2025.", ""),
        ("The fees, in force from 1 April 2025, are paid in cash.", ""),
        ("A charge that applies from 1 April 2025 and a fee.", ""),
        ("The policy of 1 April 2025 applies from then on.", ""),
        ("This policy is not in force from 1 April 2025.", ""),
        ("Printed on 1 April 2025. Last reviewed: 2 April 2025. Next review due 1 May 2026.", ""),
        ("# In force from 1 April 2025", ""),
        ("```\nin force from 1 April 2025\n```", ""),
        ("In force from Monday. The hall holds 2025 people.", ""),
    ],
)
def test_a_day_in_force_is_that_of_the_document(text: str, start: str) -> None:
    assert said(text).start == start


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("This policy is no longer in force.", True),
        ("These rules have been replaced by the board.", True),
        ("Superseded by the policy of 1 May 2024.", True),
        ("In force from 1 May 2020. Withdrawn on 3 May 2021.", True),
        ("Withdrawn on 3 May 2021. In force again from 1 May 2022.", False),
        ("This policy has not been replaced.", False),
        ("The laptop is replaced every two years. It is replaced by the IT desk.", False),
        ("Replaced every two years.", False),
    ],
)
def test_a_text_may_say_that_it_is_over(text: str, over: bool) -> None:
    assert bool(said(text).over) == over


@pytest.mark.parametrize(
    ("text", "replaces"),
    [
        ("In force from 2 May 2024. Replaces the policy of 1 May 2021.", ("2021-05-01",)),
        ("This version supersedes version 2 and all earlier ones.", ("2",)),
        ("It replaces all earlier versions.", (evidence.EARLIER,)),
        ("Replaces leave-2021.md.", ("leave-2021.md",)),
        ("The laptop replaces that of 1 May 2021.", ()),
    ],
)
def test_a_text_names_what_it_replaces(text: str, replaces: tuple[str, ...]) -> None:
    assert said(text).replaces == replaces


@pytest.mark.parametrize(
    ("name", "key", "date", "number"),
    [
        ("policy-2023", ("policy",), "2023", ()),
        ("policy-2023-04-01", ("policy",), "2023-04-01", ()),
        ("2023_policy_v1.10", ("policy",), "2023", (1, 10)),
        ("Policy (2)", ("policy",), "", ()),
        ("policy-final-2", ("policy",), "", ()),
        ("policy-2", ("policy", "2"), "", ()),
        ("chapter 12", ("chapter", "12"), "", ()),
        ("golden-eggs", ("golden", "eggs"), "", ()),
        ("bold", ("bold",), "", ()),
        ("final-exam", ("final", "exam"), "", ()),
        ("Policy of 1 May 2024", ("policy",), "2024-05-01", ()),
        ("mk12023", ("mk", "12023"), "", ()),
    ],
)
def test_a_name_is_cut_into_what_it_is_about_and_what_tells_versions_apart(
    name: str, key: tuple[str, ...], date: str, number: tuple[int, ...]
) -> None:
    found = evidence.called(name)
    assert (found.key, found.date, found.number, found.old, found.draft) == (key, date, number, False, False)


@pytest.mark.parametrize("name", ["policy-old", "old-policy", "policy (superseded)", "policy_archived_2"])
def test_a_name_may_call_itself_old(name: str) -> None:
    assert evidence.called(name).old and evidence.called(name).key == ("policy",)


# What decides


IN_2023, IN_2024 = "In force from 1 May 2023.", "In force from 1 May 2024."


def test_a_document_without_other_versions_is_current() -> None:
    assert told(document("a.md", title="A"), document("b-2023.md", IN_2023, title="B")) == {
        "a.md": ("current", True), "b-2023.md": ("current", True),
    }  # fmt: skip


def test_one_alone_that_speaks_against_itself() -> None:
    assert told(document("a.md", "This policy is no longer in force.")) == {"a.md": ("superseded", True)}
    assert told(document("a.md", status="superseded")) == {"a.md": ("superseded", True)}
    assert told(document("a-draft.md"))["a-draft.md"] == ("current", False)
    assert told(document("a.md", "Valid until 1 May 2024."))["a.md"] == ("current", False)


def test_the_later_text_wins_and_says_why() -> None:
    old, new = labels([document("x.md", IN_2023), document("y.md", IN_2024)])
    assert old == Label("x.md", "superseded", "2023-05-01", True, "y.md instead: in force from 2024-05-01", ("y.md",))
    assert new == Label("y.md", "current", "2024-05-01", True, "in force from 2024-05-01", ("x.md",))


@pytest.mark.parametrize(
    ("old", "new", "sure"),
    [
        (document("l.md", IN_2024, status="superseded"), document("l-2.md", IN_2023, status="Current"), True),
        (document("l.md", IN_2023), document("l-2.md", status="current"), True),
        (document("l.md", IN_2024), document("l-2.md", IN_2023, status="current"), False),
        (document("l.md", IN_2023), document("l-2.md", "Replaces the policy of 1 May 2023."), True),
        (document("l-v1.md"), document("l-v2.md", "Replaces version 1."), True),
        (document("l.md"), document("l-2.md", "It replaces all earlier versions."), True),
        (document("l.md", IN_2024 + " Withdrawn on 2 June 2024."), document("l-2.md", IN_2023), True),
        (document("l-old.md"), document("l.md"), True),
        (document("archive/l.md"), document("l.md"), True),
        (document("l-draft.md"), document("l.md", IN_2023), True),
        (document("l-draft.md", IN_2024), document("l.md", IN_2023), False),
        (document("l-2023.md"), document("l-2024.md"), True),
        (document("2023/l.md"), document("2024/l.md"), True),
        (document("l-v9.md"), document("l-v10.md"), True),
        (document("l-2025.md", IN_2023), document("l-2024.md", IN_2024), False),
        (document("l-2021.md", IN_2023), document("l-2024.md", IN_2024), True),
        (document("l-v2.md", IN_2023), document("l-v1.md", IN_2024), False),
        (document("l-final-2.md", IN_2023), document("l-final.md", IN_2024), True),
        (document("l.md"), document("l-new.md", IN_2024), False),
        (document("l-2022.md", IN_2023), document("l-2021.md", "In force from 2021. In force again from 2024."), True),
        (document("l.md", IN_2023), document("l-2.md", version="2024-05-01"), True),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_which_of_two_is_in_force(old: Document, new: Document, sure: bool, turned: bool) -> None:
    both = (new, old) if turned else (old, new)
    assert told(*both) == {old.file: ("superseded", sure), new.file: ("current", sure)}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (document("l.md"), document("l-2.md")),
        (document("l-final.md"), document("l-final-2.md")),
        (document("l.md", IN_2023), document("l-2.md", IN_2023)),
        (document("l.md", IN_2023), document("l-2.md", "In force from May 2023.")),
        (document("l-v1.md"), document("m-v1.md")),
    ],
)
def test_where_nothing_decides_both_go_to_review(one: Document, two: Document) -> None:
    assert told(one, two) == {one.file: ("", False), two.file: ("", False)}


def test_two_that_replace_each_other_go_to_review() -> None:
    one = document("l.md", IN_2023 + " Replaces the policy of 1 May 2024.")
    two = document("l-2.md", IN_2024 + " Replaces the policy of 1 May 2023.")
    assert {sure for _, sure in told(one, two).values()} == {False}


def test_three_versions_and_one_in_force() -> None:
    three = [document(f"l-{year}.md", f"In force from {year}.") for year in (2022, 2024, 2023)]
    assert told(*three) == {
        "l-2022.md": ("superseded", True), "l-2024.md": ("current", True), "l-2023.md": ("superseded", True),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (document("part-1.md", title="Ducks"), document("part-2.md", title="Geese")),
        (document("ducks/a.md"), document("geese/a.md")),
        (document("v1-a.md", version="v1"), document("v2-a.md", version="v2")),
        (document("bold.md", title="Bold"), document("b.md", title="B")),
    ],
)
def test_what_are_no_versions_of_one_another(one: Document, two: Document) -> None:
    assert set(told(one, two).values()) == {("current", True)}


def test_the_other_corpora_have_no_superseded_documents() -> None:
    for name in ("clinic", "sdk"):
        found = labels(corpus.read(build.ROOT / "corpus" / name).documents)
        assert {(label.status, label.sure, label.others) for label in found} == {("current", True, ())}


# How right it is


def test_the_policies_of_kestrel() -> None:
    found, truth = labels(corpus.read(build.KESTREL).documents), read_truth(CASES / "kestrel.csv")
    assert accuracy(found, truth)[:4] == (Rate(13, 13), Rate(9, 9), Rate(4, 13), Rate(4, 4))
    assert {(label.status, label.sure) for label in found if label.file not in truth} == {("current", True)}
    assert {label.file.split("/")[1] for label in found if not label.sure} == {
        "lone-working-2024.md", "lone-working-2025.md", "mobile-phones-2022.md", "mobile-phones.md",
    }  # fmt: skip


def test_the_made_up_cases() -> None:
    """Dates and names do not suffice: where no text or name tells, or one tells what is not so, a label is wrong."""
    found = accuracy(cases(CASES), read_truth(CASES / "cases.csv"))
    assert found[:4] == (Rate(55, 76), Rate(49, 54), Rate(22, 76), Rate(6, 22))
    assert found.confusion == {
        ("current", "current"): 29, ("current", "superseded"): 7, ("current", ""): 4,
        ("superseded", "superseded"): 26, ("superseded", "current"): 6, ("superseded", ""): 4,
    }  # fmt: skip


def test_which_of_the_made_up_cases_are_wrong_though_sure() -> None:
    truth = read_truth(CASES / "cases.csv")
    wrong = {label.file.split("/")[0] for label in cases(CASES) if label.sure and label.status != truth[label.file]}
    assert wrong == {"given-up", "not-adopted", "yearly"}


def test_every_made_up_document_has_its_truth() -> None:
    kept = [path.relative_to(CASES).as_posix() for path in CASES.rglob("*.md")]
    assert sorted(read_truth(CASES / "cases.csv")) == sorted(kept)


def test_a_truth_about_no_label_is_bad_input() -> None:
    with pytest.raises(BadInput, match="x.md: the truth names it, no label does; "):
        accuracy((), {"x.md": "current"})


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("file,note\na.md,\n", "1: no column 'status'"),
        ("file,status\na.md,new\n", "2: needs a file"),
        ("file,status\na.md,current\na.md,current\n", "3: needs a file"),
    ],
)
def test_a_bad_truth_is_told_with_its_line(text: str, line: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(BadInput, match=rf"t\.csv:{line}"):
        read_truth(tmp_path / "t.csv")


def test_no_label_depends_on_the_order_of_files() -> None:
    documents = corpus.read(build.KESTREL).documents
    assert sorted(labels(documents), key=repr) == [
        *sorted((status.replace(each, others=tuple(sorted(each.others))) for each in labels(documents[::-1])), key=repr)
    ]


def test_a_number_of_thousands_of_digits_is_no_version() -> None:
    documents = [
        Document(f"{name}.md", f"# Leave policy v{'9' * many}\n\nLeave is long.")
        for name, many in (("a", 5000), ("b", 1))
    ]
    assert len(labels(documents)) == 2
