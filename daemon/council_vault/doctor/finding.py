"""What the doctor has to say: one thing at one place."""

from __future__ import annotations

from typing import Literal

import msgspec


class Finding(msgspec.Struct, frozen=True):
    """Something to know: a ``problem`` wants mending, a ``note`` is how things are here.

    ``repairable`` is whether ``doctor --repair`` mends it.
    """

    level: Literal["problem", "note"]
    where: str
    what: str
    repairable: bool = False

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what
