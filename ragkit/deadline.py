"""A limit on how long a call may take, whatever it does meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Late(Exception):
    """A call that was not done in time."""


def within(seconds: float, call: Callable[[], T]) -> T:
    """What a call gives in a thread of its own. One that takes longer is left alone, and what it gives is dropped."""
    given: list[T] = []
    broken: list[BaseException] = []

    def work() -> None:
        try:
            given.append(call())
        except BaseException as error:  # raised below, where somebody waits
            broken.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if broken:
        raise broken[0]
    if not given:
        raise Late(f"no reply within {seconds:g} s")
    return given[0]
