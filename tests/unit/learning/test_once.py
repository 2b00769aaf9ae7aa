"""What is learned from a memory is kept with it, and with no other."""

from __future__ import annotations

import msgspec

from council_vault.learning.stats import days, totals
from council_vault.memory.schema import Deliberation, Memory


def test_what_was_learned_from_a_memory_is_kept() -> None:
    memory = Memory(deliberations=(Deliberation(timestamp="2026-01-02"),))
    assert totals(memory) is totals(memory)
    assert days(memory) is days(memory)


def test_a_memory_made_from_another_one_is_learned_from_anew() -> None:
    memory = Memory(deliberations=(Deliberation(timestamp="2026-01-02"),))
    assert totals(memory).count == 1
    more = msgspec.structs.replace(memory, deliberations=memory.deliberations * 3)
    assert totals(more).count == 3
    assert totals(memory).count == 1
