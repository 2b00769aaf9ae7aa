"""Numbers as memory files and callers write them: as such, or as text."""

from __future__ import annotations

import math
import re
from typing import Annotated

import msgspec

LARGEST_COUNT = 2**53  # from here on readers of JSON do not agree on whole numbers
Count = Annotated[int, msgspec.Meta(ge=-LARGEST_COUNT, le=LARGEST_COUNT)]

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def number_in(value: object) -> float | None:
    """Return the number that a JSON value says, ``None`` where it says none.

    Text counts (``"0.0123"``, ``"$0.01"``); ``NaN``, infinity and booleans do not.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        text = value.strip().removeprefix("$").lstrip()
        number = float(text) if _NUMBER.fullmatch(text) else math.nan
    elif isinstance(value, (int, float)):
        number = _float(value)
    else:
        return None
    return number if math.isfinite(number) else None


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
