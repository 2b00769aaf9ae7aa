from __future__ import annotations

import pytest

pytest.register_assert_rewrite("support.lively_world")  # it says what is not as it should be


@pytest.fixture(scope="session")
def full(request):
    """Whether to run at full length."""
    return request.config.getoption("--full")
