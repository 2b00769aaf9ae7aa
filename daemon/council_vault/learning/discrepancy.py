"""Something in a memory that contradicts the rest of it."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Level = Literal["problem", "note"]
Path = tuple[str | int, ...]


class Discrepancy(msgspec.Struct, frozen=True, kw_only=True):
    """A value that contradicts the rest of the memory, or is missing where it follows from the rest.

    A ``problem`` is read wrongly or not at all; of a ``note`` nothing is lost. ``path`` are the keys and
    places that lead to the value in the file, ``what`` says what is the matter, and ``right`` is the value
    that should stand there, ``msgspec.UNSET`` where that cannot be known, and for rules, which are only made
    anew together.
    """

    path: Path
    what: str
    level: Level = "problem"
    right: Any = msgspec.UNSET
