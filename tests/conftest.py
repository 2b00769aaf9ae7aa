"""Options that every kind of test may ask for."""

from __future__ import annotations


def pytest_addoption(parser):
    parser.addoption(
        "--full", action="store_true", help="run torture at full length instead of the short form"
    )
