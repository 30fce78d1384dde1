"""Every example in a docstring runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from types import ModuleType

import pytest

import ragkit

NAMES = sorted(module.name for module in pkgutil.walk_packages(ragkit.__path__, "ragkit."))


def loaded(name: str) -> ModuleType:
    return importlib.import_module(name)


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_a_module_run(name: str) -> None:
    assert doctest.testmod(loaded(name)).failed == 0


@pytest.mark.parametrize("name", NAMES)
def test_a_module_says_what_it_is_for(name: str) -> None:
    assert (loaded(name).__doc__ or "").strip()


def test_examples_are_found() -> None:
    assert sum(len(test.examples) for name in NAMES for test in doctest.DocTestFinder().find(loaded(name))) > 10
