"""Claims about checks of a draft: that citations are real, that figures are not made up, that claims are borne out.

Scripts write the drafts: they show what a check does with a fault of a known kind. How often a language model makes
that fault they do not show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from statistics import fmean

from ragkit.check import Check, Marked, Numbers, Verbatim, shown
from ragkit.claims import lab
from ragkit.claims.claim import AtLeast, AtMost, Claim, Figure, Found, Row, Test
from ragkit.claims.drafts import draft, drafts, faulty, golden_drafts, outcomes, stopped, stops, writing
from ragkit.numbers import chance, numbers, unsupported
from ragkit.records import ANSWER, Chunk, Draft, Outcome, Rate
from ragkit.resample import bca
from ragkit.scripted import SCRIPTS, Denier, Fabricator, Faithful, MarkerBender, NumberBender, SumMaker
from ragkit.systems import CITED

MARKED, NUMBERS, STRICT, VERBATIM = Marked(), Numbers(), Numbers(sums=False), Verbatim()
CHECKS: dict[str, Check] = {"Marked": MARKED, "Numbers": NUMBERS, "Verbatim": VERBATIM}
ALL, FEW = AtLeast(0.95), AtMost(0.05)  # what "every" and "none" may come to over drafts like these
RESAMPLES = 1_999


def by_script() -> list[Row]:
    """For each script its drafts, those that hold its fault, and how many of the latter each check stops."""
    return [
        {"script": str(script), "drafts": len(drafts(script)), "with its fault": len(faulty(script))}
        | {name: stopped(faulty(script).values(), check) for name, check in CHECKS.items()}
        | {"Numbers, no sums": stopped(faulty(script).values(), STRICT)}
        for script in SCRIPTS
        if faulty(script)
    ]


# Citations


def _real(outcome: Outcome) -> bool:
    """Whether an answer cites something, and only what was retrieved for it."""
    retrieved = {hit.chunk.id for hit in outcome.answer.ranking.hits}
    return bool(outcome.answer.citations) and all(c.chunk.id in retrieved for c in outcome.answer.citations)


def _citations() -> Found:
    answers = [o for script in SCRIPTS for o in outcomes(writing(script)) if o.answer.outcome == ANSWER]
    left = [outcome for outcome in answers if not stops(draft(outcome), MARKED)]
    figures = (
        Figure.of(stopped(faulty(MarkerBender()).values(), MARKED)),
        Figure.exact(sum(not _real(outcome) for outcome in left), len(left)),
        Figure.of(stopped(drafts(Faithful()).values(), MARKED)),
    )
    return Found(figures, by_script())


# Numbers


@cache
def accepted(of: int, *, sums: bool) -> tuple[int, ...]:
    """How many of the whole numbers from 1 to 100 the rule accepts beside the first passages that `cited` finds: one
    count a question of ours; those that find fewer are left out."""
    rankings = [outcome.answer.ranking for outcome in outcomes(CITED)]
    found = [tuple(shown(hit.chunk) for hit in ranking.hits[:of]) for ranking in rankings if len(ranking.hits) >= of]
    known = {each: int(chance(each, sums=sums).hits) for each in set(found)}
    return tuple(known[each] for each in found)


def _share(hits: Sequence[int]) -> Figure:
    """The mean share of the numbers from 1 to 100, with its bootstrap interval over questions."""
    shares = [hit / 100 for hit in hits]
    low, high = bca(shares, resamples=RESAMPLES)
    return Figure(fmean(shares), low, high, len(shares))


def _fate(name: str) -> str:
    """What became of a draft with a digit bent: stopped, or why the rule let it pass."""
    bent, true = faulty(NumberBender())[name], drafts(Faithful())[name]
    passages = [shown(chunk) for chunk in bent.passages]
    if stops(bent, NUMBERS):
        return "stopped"
    if [n.values for n in numbers(bent.text)] == [n.values for n in numbers(true.text)]:
        return "passes: a code, which is not read as a number"
    return "passes: " + ("a sum of two others" if unsupported(bent.text, passages, sums=False) else "stands elsewhere")


def _figures() -> Found:
    worked_out = [draft for corpus in _corpora() for row, draft in golden_drafts(corpus) if row.category == "q7"]
    four, one = (accepted(of, sums=True) for of in (4, 1))
    figures = (
        Figure.of(stopped(faulty(NumberBender()).values(), NUMBERS)),
        Figure.of(stopped(faulty(Fabricator("[1]")).values(), NUMBERS)),
        Figure.of(stopped(faulty(SumMaker()).values(), NUMBERS)),
        Figure.of(stopped(drafts(Faithful()).values(), NUMBERS)),
        Figure.of(stopped(worked_out, NUMBERS)),
        _share(four),
        _share(one),
    )
    return Found(figures, [*_fates(), *_accepted()])


def _fates() -> list[Row]:
    fates = Counter(map(_fate, faulty(NumberBender())))
    return [{"what": f"digit bent: {fate}", "figure": Rate(n, fates.total())} for fate, n in sorted(fates.items())]


def _accepted() -> list[Row]:
    """Of a hundred numbers how many pass: on average, and for the question where most do."""
    rows: list[Row] = []
    for of, sums in ((1, True), (1, False), (4, True), (4, False)):
        what = f"of 1..100 accepted beside {of} passage{'s' * (of > 1)}" + ", no sums" * (not sums)
        hits = accepted(of, sums=sums)
        rows.append({"what": what, "figure": f"{fmean(hits):.1f} on average, {max(hits)} at most"})
    return rows


# Support


def _support() -> Found:
    guards = (MARKED, NUMBERS)
    denied, moved = faulty(Denier()), faulty(MarkerBender(given=True))
    bare = [each for each in moved.values() if not numbers(each.text)]
    figures = (Figure.of(stopped(denied.values(), *guards)), Figure.of(stopped(moved.values(), *guards)))
    tried = {"turned round": [*denied.values()], "another marker": [*moved.values()], "another marker, no number": bare}
    rows = [
        {"drafts": name, "stopped": stopped(found, *guards), "by Verbatim": stopped(found, VERBATIM)}
        for name, found in tried.items()
    ]
    return Found(figures, rows)


# Tables


LEAVE = Chunk(
    "leave",
    "leave.md",
    "Full-time staff get 25 days of paid leave a year. After five years they get 3 more.",
    ("Leave",),
)
PLANTED = {  # for each check a statement about LEAVE with a fault that it is there for
    "Marked": "Full-time staff get paid leave.",
    "Numbers": "Full-time staff get 52 days [1].",
    "Verbatim": 'It says that "staff get unpaid leave" [1].',
}
TRUE = (
    "Full-time staff get 25 days a year [1].",
    "Yes. It is twenty-five days [1], and 3 more after five years [1].",
    'It says "25 days of paid leave a year" [1].',
    "After five years that makes 28 days [1].",
    "- 25 days [1]\n- after 5 years 3 more [1]",
)


def checks_table() -> list[Row]:
    """For each check a planted fault and what stops it, the true answers it lets pass, and its false alarms over the
    golden answers of each corpus, set as drafts that cite their sources."""
    return [
        {
            "check": name,
            "planted": text,
            "stopped by": ", ".join(other for other, each in CHECKS.items() if stops(_about_leave(text), each)),
            "true answers passed": _passed(map(_about_leave, TRUE), CHECKS[name]),
        }
        | {f"false alarms, {corpus}": _alarms(corpus, CHECKS[name]) for corpus in _corpora()}
        for name, text in PLANTED.items()
    ]


def _about_leave(text: str) -> Draft:
    return Draft("How much leave?", text, (LEAVE,))


def _passed(of: Iterable[Draft], *checks: Check) -> Rate:
    held = stopped(of, *checks)
    return Rate(held.of - held.hits, held.of)


def _corpora() -> list[str]:
    return list(dict.fromkeys(corpus for corpus, _ in lab.OURS))


def _alarms(corpus: str, check: Check) -> Rate:
    return stopped((each for _, each in golden_drafts(corpus)), check)


def x_06() -> list[Row]:
    """The same drafts with and without the checks of `cited`: how many with a script's fault are shown, and of the
    faithful ones, which hold none."""
    tried = {"Faithful(): no fault": drafts(Faithful())} | {str(script): faulty(script) for script in SCRIPTS}
    return [
        {"label": label, "unchecked": _passed(found.values()), "checked": _passed(found.values(), *CITED.checks)}
        for label, found in tried.items()
        if found
    ]


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "H25",
        "With markers checked in code before an answer is shown, every citation in it is real.",
        "S1-14, S1-15",
        "Scripts write to the passages of the design `cited` for every question of ours; one names a passage that it "
        "was not given. The check of markers judges each draft. Real means: retrieved for this question.",
        (
            Test("drafts whose markers name no passage that are stopped", ALL),
            Test("answers left by all scripts that cite nothing, or what was not retrieved", AtMost(0)),
            Test("faithful quotes that are stopped", FEW),
        ),
        _citations,
    ),
    Claim(
        "H26",
        "A rule that wants every number to stand in a cited passage, or to be the sum of two that do, stops made-up "
        "figures and no others.",
        "S1-16",
        "The number rule judges drafts of scripts for every question of ours (last digit bent; a figure out of the "
        "air; two numbers of a passage added up; true to the letter), golden answers that need arithmetic, and each "
        "whole number from 1 to 100 beside the first passages that `cited` finds.",
        (
            Test("drafts with a bent digit that are stopped", ALL),
            Test("drafts with a figure from 100 to 999 out of the air that are stopped", ALL),
            Test("drafts with a sum that nobody asked for that are stopped", ALL),
            Test("faithful quotes that are stopped", FEW),
            Test("golden answers of q7, with their sources as passages, that are stopped", FEW),
            Test("whole numbers from 1 to 100 accepted beside four passages, mean over questions", FEW),
            Test("whole numbers from 1 to 100 accepted beside one passage, mean over questions", FEW),
        ),
        _figures,
        "of 100 integers 17.4 pass with four passages (5.5 without sums, worst question 39), 5.5 with one (2.5)",
    ),
    Claim(
        "H27",
        "An answer whose markers and numbers are checked says only what its passages bear out.",
        "S1-03",
        "Two scripts write what is false without a false number: one puts `not` into each quoted sentence or takes it "
        "out, one names another of the passages it was given. The checks of markers and numbers judge what they write "
        "for every question of ours.",
        (
            Test("sentences turned round, with their true marker, that are stopped", ALL),
            Test("true sentences with the marker of another passage that are stopped", ALL),
        ),
        _support,
    ),
)
