"""Generated examples are the same in every run: no clock, no random start value, nothing kept between runs."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.load_profile("fixed")
