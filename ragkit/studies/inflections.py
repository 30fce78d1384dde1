"""Words and their regular inflections, put on by the rules of spelling: an oracle for stemmers, which take them off."""

from __future__ import annotations

import re
from itertools import combinations

_VOWELS, _ENDS = "aeiou", ("", "s", "es", "ed", "d", "ing")


def inflections(base: str) -> set[str]:
    """A word of three letters or more with the regular endings of English put on by its rules of spelling. They are put
    on and not taken off, so that `sits` and `sites` have no base in common; homographs (`news`) it can not tell.

    >>> sorted(inflections("carry")), sorted(inflections("plan"))
    (['carried', 'carries', 'carry', 'carrying'], ['plan', 'planned', 'planning', 'plans'])
    """
    if len(base) < 3:
        return {base}
    if base.endswith("y") and base[-2] not in _VOWELS:
        return {base, f"{base[:-1]}ies", f"{base[:-1]}ied", f"{base}ing"}
    if base.endswith("ie"):
        return {base, f"{base}s", f"{base}d", f"{base[:-2]}ying"}
    if base.endswith("e"):
        stem = base if base.endswith(("ee", "ye", "oe")) else base[:-1]
        return {base, f"{base}s", f"{base}d", f"{stem}ing"}
    plurals = {f"{base}es"} if base.endswith(("s", "x", "z", "ch", "sh")) else {f"{base}s"}
    short = base[-1] not in f"{_VOWELS}wxy" and base[-2] in _VOWELS and base[-3] not in _VOWELS
    doubled = {f"{base}{base[-1]}{end}" for end in ("ed", "ing")} if short else set()
    plain = {f"{base}ed", f"{base}ing"} if not short or len(re.findall("[aeiouy]+", base)) > 1 else set()
    return {base, *plurals, *doubled, *plain, *({f"{base}es"} if base.endswith("o") else ())}


def inflected(vocabulary: set[str]) -> set[tuple[str, str]]:
    """The pairs of a vocabulary that are inflections of one base, which need not be in it."""
    cut = {word.removesuffix(end) for word in vocabulary for end in _ENDS}
    undone = {f"{base[:-1]}y" for base in cut if base.endswith("i")} | {f"{base}e" for base in cut}
    single = {base[:-1] for base in cut if base[-2:-1] == base[-1:]} | {f"{base[:-1]}ie" for base in cut}
    families = (sorted(inflections(base) & vocabulary) for base in cut | undone | single if base)
    return {pair for family in families for pair in combinations(family, 2)}
