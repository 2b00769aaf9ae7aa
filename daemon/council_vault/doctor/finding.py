"""What the doctor has to say: one thing at one place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from council_vault.errors import CouncilVaultError

Level = Literal["problem", "note"]


class Finding(msgspec.Struct, frozen=True):
    """Something to know: a ``problem`` wants mending, a ``note`` is how things are here.

    ``repairable`` is whether ``doctor --repair`` mends it.
    """

    level: Level
    where: str
    what: str
    repairable: bool = False

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


def of_error(error: CouncilVaultError, level: Level = "problem") -> Finding:
    """Return what an error says as a finding."""
    return Finding(level, error.where, f"{error.what}. {error.remedy}".removesuffix(". "))
