"""The program, in this process."""

from __future__ import annotations

from support.program import program  # noqa: F401 - a fixture
