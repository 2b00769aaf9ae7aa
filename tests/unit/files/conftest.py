from __future__ import annotations

import pytest

from support.replacing import Bench


@pytest.fixture
def bench(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    return Bench(folder, tmp_path / "locks")
