"""A mean, and of how many values it is: a mean alone says nothing about how far to trust it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from council_vault.memory.schema import Sum


LARGEST_COST = 1e6  # USD for one deliberation or experiment; more is a mistake in the file


class Mean(msgspec.Struct, frozen=True):
    """The sum of the known values and their count; ``average`` is ``None`` where there are none."""

    sum: float
    count: int

    @property
    def average(self) -> float | None:
        """The mean of the known values."""
        return self.sum / self.count if self.count else None


def mean_of(values: Iterable[float | None], removed: Sum, *, largest: float) -> Mean:
    """Return the mean of those values that are known and in 0..largest, with those of removed records."""
    known = [value for value in values if value is not None and 0 <= value <= largest]
    sound = removed.count > 0 and removed.sum >= 0
    return Mean(
        math.fsum((*known, removed.sum if sound else 0.0)), len(known) + (removed.count if sound else 0)
    )
