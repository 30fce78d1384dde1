"""Which refusal gate, at which setting, and how sure can we be? See README.md; the floors of this package stand in tests/test_floors.py."""

__version__ = "0.1.0"
