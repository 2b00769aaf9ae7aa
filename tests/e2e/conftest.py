"""The program, in processes of its own."""

from __future__ import annotations

from support.program import program  # noqa: F401 - a fixture
