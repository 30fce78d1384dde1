"""Which refusal gate, at which setting, and how sure can we be? The floors stand in tests/test_floors.py."""

__version__ = "0.1.0"
