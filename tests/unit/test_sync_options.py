"""How a sync is asked for: what of it means more than that all be as it should."""

from __future__ import annotations

import pytest

from council_vault.syncing.options import Options


@pytest.mark.parametrize("more", [{}, {"quiet_for": 9.0}, {"patience": 0.0}, {"reason": "after `log`"}])
def test_waiting_and_reasons_ask_for_no_more(more):
    assert Options(**more).is_plain


@pytest.mark.parametrize("name", ["dry_run", "full", "adopt_vault", "adopt_log", "only_log"])
def test_everything_else_does(name):
    assert not Options(**{name: True}).is_plain
