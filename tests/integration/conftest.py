"""What tests of the whole road share."""

from __future__ import annotations

import pytest

from support.program import program  # noqa: F401 - a fixture
from support.syncing import Road, records


@pytest.fixture
def road(tmp_path):
    """Return a workspace with three records, and an empty vault."""
    made = Road(tmp_path)
    made.write_memory(*records(3))
    return made
