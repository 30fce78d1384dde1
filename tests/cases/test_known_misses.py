"""What words alone can not get right, counted as false answers and shown by id, no more and no fewer."""

from __future__ import annotations

import case


def test_exactly_the_listed_rows_miss() -> None:
    missed = {(row.case, row.id): case.miss(row, case.ask(row)) for row in case.rows(*case.CASES)}
    assert {key for key, wrong in missed.items() if wrong} == case.known_misses(), {
        k: w for k, w in missed.items() if w
    }


def test_the_list_repeats_its_rows_to_the_letter() -> None:
    listed = {(r["case"], r["id"], r["question"], r["expected"]) for r in case.table(case.HERE / "known_misses.csv")}
    assert listed <= {(row.case, row.id, row.question, row.expect) for row in case.rows(*case.CASES)}


def test_the_list_holds_near_misses_so_that_the_limit_shows() -> None:
    assert {name for name, _ in case.known_misses()} >= set(case.folders("c08"))
