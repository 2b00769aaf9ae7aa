"""Numbers and counted words as notes show them: fixed digits, a plain dash for what is unknown."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from council_vault.notes.cell_text import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")
_TOO_LARGE = 1e9  # no figure of a note is as large; it comes from a mistake in the file


def decimal(number: float | None, digits: int) -> str:
    """Return a number with fixed digits, such as ``1.8``; never ``-0.0`` or ``nan``."""
    if number is None or not math.isfinite(number) or abs(number) >= _TOO_LARGE:
        return UNKNOWN
    text = f"{number:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def percent(share: float | None) -> str:
    """Return a share in 0..1 as whole percent, such as ``38%``."""
    text = decimal(None if share is None else share * 100, 0)
    return text if text == UNKNOWN else f"{text}%"


def size(count: int) -> str:
    """Return a number of bytes in words, such as ``12.3 GiB``."""
    number, unit = float(count), 0
    while number >= 1024 and unit < len(_UNITS) - 1:
        number, unit = number / 1024, unit + 1
    return f"{number:.1f} {_UNITS[unit]}" if unit else f"{count} {_UNITS[0]}"


def plural(count: int, one: str, many: str = "") -> str:
    """Return the word that goes with ``count``; the plural is ``one`` with an s unless given."""
    return one if count == 1 else many or f"{one}s"


def listing(words: Sequence[str], most: int) -> str:
    """Return words with commas between them, at most so many: ``a, b and 3 more``."""
    if len(words) <= most:
        return ", ".join(words)
    return f"{', '.join(words[:most])} and {len(words) - most} more"
