"""Two commits on one page: what became better or worse, the rows that flipped with what was cited, the trend."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ragkit import figures, publish, replay, summary, tables, trend
from ragkit.commits import Commit
from ragkit.comparison import Comparison, Flip
from ragkit.evaluate import held
from ragkit.history import PRINTS, Record
from ragkit.merge_gate import told
from ragkit.publish import Card, Mark, Picture, Quoted, Section, Side, Table
from ragkit.records import ERROR, REFUSE, Answer, Outcome
from ragkit.store import Store
from ragkit.trend import SHOWN, Point

Said = Mapping[replay.Question, Answer]
Asked = Mapping[tuple[str, str], str]  # golden file, id

MOST = 50  # flips of a system that are shown with their passages
ALL = 100  # questions that are asked again for a page
LAST = 50  # records in the trend


def write(
    out: Path,
    store: Store,
    before: Record,
    after: Record,
    pairs: Sequence[Comparison],
    questions: Asked,
    *,
    here: tuple[bool, bool] = (False, False),
) -> None:
    """Writes the page of two commits; what flipped is asked again in each, in the work tree where a side is `here`."""
    wanted = _wanted(pairs, questions)
    sides = zip((before, after), here, strict=True)
    said = [_said(store, None if tree else side.commit, wanted) for side, tree in sides]
    line = {commit.short for commit in store.repo.commits(after.commit.sha)} if store.repo else ()
    points = trend.rows(store, list(dict.fromkeys(pair.run[0] for pair in pairs)), commits=line, last=LAST)
    sections = _sections(before, after, pairs, questions, (said[0], said[1]), points)
    marks = [f"{side.commit.short}{'*' * side.dirty}" for side in (before, after)]
    publish.build(sections, [], out, title=f"ragkit: {' to '.join(marks)}")


def _wanted(pairs: Iterable[Comparison], questions: Asked) -> list[replay.Question]:
    """What has to be asked again on both sides to show the passages of the flips."""
    flips = ((pair.run, flip) for pair in pairs for flip in _shown(pair))
    asked = ((run, questions.get((run[2], flip.id), "")) for run, flip in flips)
    return list(dict.fromkeys((run[0], run[1], question) for run, question in asked if question))[:ALL]


def _said(store: Store, commit: Commit | None, wanted: Sequence[replay.Question]) -> Said:
    """What a side answers now; nothing where there is no git, or nothing to ask."""
    return replay.asked(store.repo, commit, wanted) if store.repo and wanted else {}


def _sections(
    before: Record,
    after: Record,
    pairs: Sequence[Comparison],
    questions: Asked,
    said: tuple[Said, Said],
    points: Sequence[Point],
) -> Iterator[Section]:
    """The parts of the page; `said` is what each side answers now to what flipped."""
    for pair in pairs:
        yield headline(pair, before, after, " on ".join(pair.run[::2]))
        if pair.flips:
            yield _flips(pair, questions, said)
        yield _rows(pair, before, after, questions)
    if points:
        yield _trend(points)
    yield _prints(pairs, before, after)


def headline(pair: Comparison, before: Record, after: Record, name: str) -> Section:
    """How many rows flipped, every measure before and now, and what a set of this size could have shown."""
    broken, mended = len(pair.broken), len(pair.mended)
    facts = [
        ("broken", Mark(str(broken), "bad" if broken else "soft")),
        ("mended", Mark(str(mended), "good" if mended else "soft")),
        ("rows that hold", summary.points(pair.gain)),
        ("exact McNemar p", summary.p_told(pair)),
    ]
    changes = {name: summary.points(change) for name, change in summary.changes(pair)}
    rows = [
        [name.replace("_", " "), *summary.sides(name, pair.run, before, after), changes.get(name)] for name in SHOWN
    ]
    columns = ("measure", before.commit.short[:7], after.commit.short[:7], "change, same rows (95 %)")
    found = [Table("Before and now", columns, rows)]
    if pair.apart:
        found.append(Table("Not comparable", ("row", "why"), list(pair.apart.items())))
    prose = [f"Of {pair.scored} rows compared, {broken} broken and {mended} mended.", pair.power.replace("\n", " ")]
    if pair.notes:
        prose.append(f"Between the two: {', '.join(pair.notes)}.")
    return Section(name, prose=prose, facts=facts, tables=found)


def _flips(pair: Comparison, questions: Asked, said: tuple[Said, Said]) -> Section:
    cards = [_card(flip, pair, questions.get((pair.run[2], flip.id), ""), said) for flip in _shown(pair)]
    prose = ["What each commit cites, asked again in a worktree of its own."]
    if len(pair.flips) > MOST:
        prose.append(f"The first {MOST} of {len(pair.flips)}; the table below has all.")
    return Section(f"Rows that flipped: {' on '.join(pair.run[::2])}", prose=prose, cards=cards)


def _shown(pair: Comparison) -> list[Flip]:
    """The flips that are shown with their passages, and so asked again: those that broke first."""
    return sorted(pair.flips, key=lambda flip: (not flip.broken, not flip.mended))[:MOST]


def _card(flip: Flip, pair: Comparison, question: str, said: tuple[Said, Said]) -> Card:
    row, key = flip.after.golden, (*pair.run[:2], question)
    label = "must be answered" if row.answerable else "must be refused"
    about = " · ".join((row.category, label, *["must"] * row.must))
    states = zip(("before", "now"), (flip.before, flip.after), said, strict=True)
    return Card(_mark(flip), f"{flip.id}: {question}", about, [_side(*state, key) for state in states])


def _side(when: str, outcome: Outcome, said: Said, key: replay.Question) -> Side:
    again = said.get(key)
    if again is None:
        return Side(when, told(outcome))
    did = told(outcome)
    kept, now = outcome.answer, again
    if now.outcome == ERROR:
        did += f" ({now.error})"
    elif (now.outcome, now.verdict.gate) != (kept.outcome, kept.verdict.gate):
        did += f" (but asked again: {now.outcome} {now.verdict.gate})"
    elif now.outcome == REFUSE:
        did += f": {now.verdict.reason}"
    quotes = [Quoted(cited.quote, cited.place, cited.chunk.link) for cited in now.citations]
    return Side(when, did, quotes or [Quoted(now.text, "cites nothing")] * bool(now.text))


def _mark(flip: Flip) -> Mark:
    if not (flip.broken or flip.mended):
        return Mark("still holds" if held(flip.after) else "still fails")
    return Mark("broken", "bad") if flip.broken else Mark("mended", "good")


def _rows(pair: Comparison, before: Record, after: Record, questions: Asked) -> Section:
    flips = {flip.id: _mark(flip) for flip in pair.flips}
    old, new = ({o.golden.id: o for o in record.runs.get(pair.run, ())} for record in (before, after))
    rows = []
    for name in dict.fromkeys([*new, *old]):
        row = (new.get(name) or old[name]).golden
        was, now = (told(side[name]) if name in side else "missing" for side in (old, new))
        holds = Mark("holds", "good") if name in new and held(new[name]) else Mark("fails", "bad")
        state = Mark("not comparable") if name in pair.apart else flips.get(name, holds)
        wanted = "answered" if row.answerable else "refused"
        asked = questions.get((pair.run[2], name), "")
        rows.append([name, state, now, was if was != now else None, asked, wanted, row.category])
    columns = ("row", "state", "now", "before, if other", "question", "must be", "stratum")
    name = " on ".join(pair.run[::2])
    return Section(f"Every row: {name}", tables=[Table(f"{name}, before and now", columns, rows)])


def _trend(points: Sequence[Point]) -> Section:
    columns, cells = tables.texts(trend.texts(points))
    found = [Table("By date of commit; * is a tree that was not its commit", columns, cells)]
    picture = None
    if len({point.commit for point in points if not point.dirty}) > 1:
        figure, alt = trend.drawn(points)
        picture = Picture(figures.png(figure), alt)
    return Section("Trend", picture=picture, tables=found)


def _prints(pairs: Sequence[Comparison], before: Record, after: Record) -> Section:
    rows = []
    for pair in pairs:
        for name in PRINTS:
            old, new = (side.prints.get(pair.run, {}).get(name, "") or "none" for side in (before, after))
            rows.append([" on ".join(pair.run[::2]), name, old, new, Mark("the same") if old == new else Mark("other")])
    return Section("What went in", tables=[Table("Fingerprints", ("run", "of", "before", "now", "state"), rows)])
