"""`ragkit history` on records made by hand, and on this project as it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ragkit import history_commands, replay
from ragkit.commits import REF, Commit, Repo
from ragkit.history import Record
from ragkit.store import Store
from tests.pasts import git, record, repository

Cli = Callable[..., tuple[int, str, str]]
GOOD = {"y1": "a", "y2": "a", "n1": "r", "n2": "r"}
BAD = {"y1": "r", "y2": "a", "n1": "a", "n2": "r"}  # one error more of each kind


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A project of 64 commits after a first one."""
    monkeypatch.setattr(history_commands, "ROOT", tmp_path)
    monkeypatch.setattr("ragkit.store.KEPT", tmp_path / "kept")
    repo = repository(tmp_path, 1)
    lines = [f"commit refs/heads/main\ncommitter x <x@x> {1770000000 + 60 * n} +0000\ndata 1\nx" for n in range(64)]
    lines[0] += "\nfrom refs/heads/main^0"
    repo.raw("fast-import", "--quiet", given="\n".join([*lines, ""]).encode())
    git(tmp_path, "reset", "-q", "--hard")
    return repo


def commits(repo: Repo) -> list[Commit]:
    return repo.commits("HEAD")


def made(commit: Commit, marks: dict[str, str], **options: str) -> Record:
    return replace(record(marks, **options), commit=commit)


def file(repo: Repo, records: Sequence[Record]) -> None:
    repo.keep({each.name: each.text().encode() for each in records})


@pytest.mark.parametrize("guilty", [1, 2, 33, 63, 64])
@pytest.mark.parametrize(
    "asked",
    [("--row", "y1"), ("--row", "n1"), ("--metric", "right_answers"), ("--metric", "false_answers")],
    ids=["a row answered before", "a row refused before", "higher is better", "lower is better"],
)
def test_bisect_finds_one_of_64_in_at_most_seven_looks(
    asked: tuple[str, str], guilty: int, repo: Repo, ragkit: Cli
) -> None:
    all_of_them = commits(repo)
    file(repo, [made(each, GOOD if n < guilty else BAD) for n, each in enumerate(all_of_them)])
    code, out, _ = ragkit("history", "bisect", all_of_them[0].sha, "HEAD", *asked)
    assert code == 0 and out.split()[0] == git(repo.folder, "rev-parse", "--short", all_of_them[guilty].sha)
    looks = int(out.splitlines()[-1].split(", ")[1].split()[0])
    assert looks <= 7 and out.splitlines()[-1].startswith("64 commits")


@pytest.mark.parametrize("guilty", [1, 2, 33, 63, 64])
@pytest.mark.parametrize("asked", [("--row", "y1"), ("--metric", "right_answers"), ("--metric", "false_answers")])
def test_bisect_makes_at_most_seven_records_where_there_are_none(
    asked: tuple[str, str], guilty: int, repo: Repo, ragkit: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_of_them, evaluated = commits(repo), []

    def evaluate(store: Store, wanted: Sequence[Commit]) -> list[replay.Replayed]:
        for each in wanted:
            evaluated.append(each)
            store.write(made(each, GOOD if all_of_them.index(each) < guilty else BAD))
        return [replay.Replayed(each, "", "made") for each in wanted]

    monkeypatch.setattr(replay, "replay", evaluate)
    code, out, err = ragkit("history", "bisect", all_of_them[0].sha, "HEAD", *asked)
    assert code == 0 and out.split()[0] == git(repo.folder, "rev-parse", "--short", all_of_them[guilty].sha)
    assert len(evaluated) <= 7 and (f"{all_of_them[0].short} was not looked at" in err) == (guilty == 1)


def test_bisect_passes_over_commits_on_other_questions(repo: Repo, ragkit: Cli) -> None:
    all_of_them = commits(repo)
    fate = [GOOD if n < 20 else BAD for n in range(65)]
    other = {n: {"asked": {"y1": "another"}, "questions": "1"} for n in (16, 32)}
    file(repo, [made(each, fate[n], **other.get(n, {})) for n, each in enumerate(all_of_them)])
    for asked in (("--row", "y1"), ("--metric", "right_answers")):
        code, out, err = ragkit("history", "bisect", all_of_them[0].sha, "HEAD", *asked)
        assert (code, out.split()[0]) == (0, git(repo.folder, "rev-parse", "--short", all_of_them[20].sha)), err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("bisect", "HEAD~1"), "name one of --row ID and --metric NAME"),
        (("bisect", "HEAD~1", "--metric", "coverage"), "metric 'coverage': use one of"),
        (("bisect", "HEAD~1", "--metric", "recall"), "recall is not defined at"),
        (("bisect", "HEAD~1", "--metric", "right_answers"), "no change for the worse"),
        (("bisect", "HEAD", "HEAD~1", "--row", "y1"), "name the good one first"),
        (("bisect", "nowhere", "--row", "y1"), "commit 'nowhere'"),
        (("bisect", "HEAD~1", "--row", "y9"), "row 'y9' of passage on kestrel: is not there at"),
        (("bisect", "HEAD~1", "--row", "y1", "--golden", "other"), "row 'y1' of passage on other: is not there at"),
        (("bisect", "HEAD~1", "--row", "y2"), "holds at"),
        (("bisect", "HEAD~1", "--row", "y1"), "does not hold at"),
        (("run",), "name one of A..B, --last N and --missing"),
        (("run", "--last", "2", "--missing"), "name one of"),
        (("run", "nowhere..HEAD"), "git rev-list"),
        (("compare", "HEAD~5", "HEAD"), "no record of"),
        (("gate", "HEAD", "HEAD", "--must"), "whose every outcome is answer"),
        (("gate", "HEAD", "HEAD", "--allow", "speed<=1"), "allowance 'speed<=1'"),
        (("gate", "HEAD", "HEAD", "--system", "other"), "no rows of other"),
        (("keep", "HEAD~5"), "no record of"),
        (("gate", "HEAD", "HEAD", "--allow", "false_answers>=0"), "false_answers is better the lower; write <="),
        (("gate", "HEAD", "HEAD", "--allow", "recall<=100%"), "recall is better the higher; write >="),
        (("compare", "HEAD~1", "HEAD", "--system", "passage,zz"), "no rows of zz on either side"),
        (("compare", "HEAD~1", "HEAD", "--html", "."), ".: is a folder; name a file"),
        (("show", "--figure", "x.jpg"), "x.jpg: a picture is written as PNG"),
        (("forget", "x.csv"), "x.csv: no record of that name on refs/ragkit/history"),
        (("run", "--", "--max-count=1"), "name one of"),
        (("show", "--figure", "x.png", "--system", "other"), "no record of other on this branch; --all"),
        (("compare", "HEAD", "x.csv"), "x.csv: no record of that name"),
    ],
)
def test_bad_input_ends_with_2_and_a_line(words: tuple[str, ...], said: str, repo: Repo, ragkit: Cli) -> None:
    *_, before, last = commits(repo)
    marks = BAD if "y1" in words else GOOD
    file(repo, [made(before, marks), made(last, marks)])
    code, out, err = ragkit("history", *words)
    assert code == 2 and said in err and err.count("\n") == 1 and "Traceback" not in out + err


def test_compare_tells_the_flips_and_the_notes(repo: Repo, ragkit: Cli) -> None:
    *_, before, last = commits(repo)
    file(repo, [made(before, GOOD), made(last, BAD | {"y3": "a"}, model="1")])
    code, out, _ = ragkit("history", "compare", "HEAD~1", "HEAD")
    assert code == 0
    assert (
        "BROKEN y1  answer -> refuse unknown-term (word)" in out
        and "BROKEN n1  refuse unknown-term (word) -> answer" in out
    )
    assert "not comparable: y3 is missing before" in out and "note: other model" in out
    assert "2 broken, 0 mended: -50 points" in out and "p 0.500" in out


def test_compare_gives_data(repo: Repo, ragkit: Cli) -> None:
    *_, before, last = commits(repo)
    file(repo, [made(before, GOOD), made(last, BAD)])
    (found,) = json.loads(ragkit("history", "compare", "HEAD~1", "HEAD", "--json")[1])
    assert (found["broken"], found["mended"], found["scored"], found["p"]) == (["y1", "n1"], [], 4, 0.5)


def test_the_gate_ends_with_1_and_the_reasons_or_with_0(repo: Repo, ragkit: Cli) -> None:
    *_, before, last = commits(repo)
    file(repo, [made(before, GOOD), made(last, BAD)])
    code, out, _ = ragkit("history", "gate", "HEAD~1", "HEAD")
    assert code == 1 and [line[:5] for line in out.splitlines()] == ["STOP:"] * 2
    assert ragkit("history", "gate", "HEAD~1", "HEAD~1")[:2] == (0, "may be merged\n")


def test_the_gate_gives_data(repo: Repo, ragkit: Cli) -> None:
    *_, before, last = commits(repo)
    file(repo, [made(before, GOOD), made(last, BAD)])
    code, out, _ = ragkit("history", "gate", "HEAD~1", "HEAD", "--json")
    found = json.loads(out)
    assert code == 1 and len(found["findings"]) == 2 and found["after"] == made(last, BAD).name


def test_a_file_of_the_branch_that_is_judged_is_no_record_of_the_commit_before(repo: Repo, ragkit: Cli) -> None:
    *_, before, last = commits(repo)
    file(repo, [made(last, BAD)])
    Store(None).keep([made(before, BAD)])
    code, out, err = ragkit("history", "gate", "HEAD~1", "HEAD")
    assert (code, out) == (2, "") and f"no record of {before.short}" in err


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda text: text.replace(",y1,", ',"y1,'), "unexpected end of data"),
        (lambda text: text[: text.rindex("\n", 0, -1) + 1], "not named for what is in it, or not whole"),
        (lambda text: "", "is no record of a commit, or one without a row"),
        (lambda text: "\udcff" + text, "is no record of a commit"),
    ],
    ids=["a quote", "cut off", "empty", "binary"],
)
def test_a_damaged_record_is_told_and_can_be_taken_away(
    damage: Callable[[str], str], said: str, repo: Repo, ragkit: Cli
) -> None:
    *_, last = commits(repo)
    whole = made(last, GOOD)
    repo.keep({whole.name: damage(whole.text()).encode("utf-8", "surrogateescape")})
    for words in (("show",), ("gate", "HEAD", "HEAD"), ("compare", "HEAD", "HEAD")):
        code, out, err = ragkit("history", *words)
        assert (code, out, err.count("\n")) == (2, "", 1) and said in err and f"history forget {whole.name}" in err
    assert ragkit("history", "forget", whole.name)[:2] == (0, "1 taken off\n")
    assert ragkit("history", "gate", "HEAD", "HEAD")[0] == 2


def test_a_new_measurement_takes_the_place_of_a_damaged_record(repo: Repo) -> None:
    *_, last = commits(repo)
    whole = made(last, GOOD)
    repo.keep({whole.name: b"damaged", whole.name.replace(whole.name[-12:], "00000000.csv"): b"too"})
    store = Store(repo)
    assert store.known([last.short]) == set() and store.write(whole)
    assert store.names() == [whole.name] and store.known([last.short]) == {last.short}


def test_what_the_ref_holds_besides_is_told(repo: Repo, ragkit: Cli) -> None:
    git(repo.folder, "update-ref", REF, "HEAD")
    (repo.folder / "folder").mkdir()
    (repo.folder / "folder" / "x").write_text("x")
    git(repo.folder, "add", "-A")
    git(repo.folder, "commit", "-q", "-m", "a folder")
    git(repo.folder, "update-ref", REF, "HEAD")
    code, _, err = ragkit("history", "show")
    assert code == 2 and f"{REF}: holds something else than records; git update-ref -d {REF} drops it" in err


def test_the_trend_is_that_of_this_branch(repo: Repo, ragkit: Cli) -> None:
    *_, before, last = commits(repo)
    file(repo, [made(before, GOOD), made(last, BAD)])
    git(repo.folder, "checkout", "-q", "--detach", "HEAD~1")
    assert last.short not in ragkit("history", "show")[1]
    assert last.short in ragkit("history", "show", "--all")[1]


def test_kept_records_are_files_that_can_be_compared(repo: Repo, ragkit: Cli) -> None:
    *_, last = commits(repo)
    file(repo, [made(last, GOOD)])
    code, out, _ = ragkit("history", "keep", "HEAD")
    name = made(last, GOOD).name
    assert code == 0 and name in out and (repo.folder / "kept" / name).read_text() == made(last, GOOD).text()
    assert ragkit("history", "compare", f"{repo.folder}/kept/{name}", "HEAD")[0] == 0


def test_records_are_shared_over_a_remote(repo: Repo, ragkit: Cli, tmp_path: Path) -> None:
    git(repo.folder, "init", "-q", "--bare", "hub.git")
    git(repo.folder, "remote", "add", "origin", str(repo.folder / "hub.git"))
    *_, last = commits(repo)
    assert ragkit("history", "pull")[:2] == (0, "0 new records of origin, 0 here\n")
    file(repo, [made(last, GOOD)])
    assert ragkit("history", "push")[:2] == (0, "origin has 1 records\n")
    git(repo.folder, "update-ref", "-d", REF)
    assert ragkit("history", "pull")[:2] == (0, "1 new records of origin, 1 here\n")
    code, out, err = ragkit("history", "push", "elsewhere")
    assert (code, out, err.count("\n")) == (2, "", 1) and "elsewhere" in err


# The trend; what it shows of several measurements: tests/cases, c24, and of a tree that was not its commit: c23


def test_the_trend_is_drawn(repo: Repo, ragkit: Cli, tmp_path: Path) -> None:
    file(repo, [made(each, GOOD) for each in commits(repo)[:3]])
    place = tmp_path / "trend.png"
    assert ragkit("history", "show", "--figure", str(place))[0] == 0
    assert place.read_bytes().startswith(b"\x89PNG")


def test_without_git_the_kept_files_still_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ragkit: Cli) -> None:
    monkeypatch.setattr(history_commands, "ROOT", tmp_path)
    monkeypatch.setattr("ragkit.store.KEPT", tmp_path / "kept")
    (tmp_path / "kept").mkdir()
    kept = record(GOOD)
    (tmp_path / "kept" / kept.name).write_text(kept.text())
    code, out, err = ragkit("history", "show")
    assert code == 0 and kept.commit.short in out and "in no git repository" in err
    assert ragkit("history", "record")[0] == 2


def test_compare_writes_what_other_tools_read(repo: Repo, ragkit: Cli, tmp_path: Path) -> None:
    *_, before, last = commits(repo)
    file(repo, [made(before, GOOD), made(last, BAD)])
    out = tmp_path / "out"
    words = ("--markdown", str(out / "a.md"), "--junit", str(out / "b.xml"), "--bench", str(out))
    assert ragkit("history", "compare", "HEAD~1", "HEAD", *words)[0] == 0
    assert sorted(path.name for path in out.iterdir()) == ["a.md", "b.xml", "bigger.json", "smaller.json"]
