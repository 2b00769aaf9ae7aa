"""Options that every kind of test may ask for."""

from __future__ import annotations

import os

from hypothesis import settings

from support.drive import emulator, google  # noqa: F401 - fixtures

# In CI a change is judged by the same examples every time; on a desk new ones are looked for.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")


def pytest_addoption(parser):
    parser.addoption(
        "--full", action="store_true", help="run torture at full length instead of the short form"
    )
