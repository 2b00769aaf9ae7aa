from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def full(request):
    """Whether to run at full length."""
    return request.config.getoption("--full")
