"""Benchmarks print figures and judge nothing but that they work: a busy machine must fail nobody's run."""

from __future__ import annotations

import pytest

from support.measuring import HEADER, line

_figures = []


def pytest_addoption(parser):
    parser.addoption(
        "--short", action="store_true", help="tiny sizes and few rounds: shows that the benchmarks work"
    )
    parser.addoption("--idle", type=float, default=30.0, help="seconds for which the idle daemon is watched")


@pytest.fixture(scope="session")
def short(request):
    """Whether to run in the short form."""
    return request.config.getoption("--short")


@pytest.fixture(scope="session")
def figures():
    """The figures of this run; they are printed at its end."""
    return _figures


def pytest_terminal_summary(terminalreporter):
    if _figures:
        terminalreporter.section("figures")
        terminalreporter.line(HEADER)
        for figure in _figures:
            terminalreporter.line(line(figure))
