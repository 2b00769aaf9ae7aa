"""What one step of the discovery looked at, why each place did or did not match, and what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.vault.marker import MARKER, has_marker, trouble
from council_vault.vault.names import comparable
from council_vault.vault.paths import resolved

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_NAMES_IN_A_SENTENCE = 5


class Survey:
    """Looks for vaults in places, and remembers in plain sentences what it saw.

    Args:
        wanted: the configured name of the vault.
    """

    def __init__(self, wanted: str) -> None:
        self.findings: list[str] = []
        self._wanted = comparable(wanted)
        self._names: dict[Path, set[str]] = {}

    @property
    def candidates(self) -> tuple[Path, ...]:
        """The vaults found, as resolved paths, sorted."""
        return tuple(sorted(self._names))

    @property
    def of_wanted_name(self) -> tuple[Path, ...]:
        """The vaults found whose folder, or a link that led to it, has the configured name."""
        return tuple(path for path in self.candidates if self._wanted in self._names[path])

    def is_wanted(self, name: str) -> bool:
        """Say whether a folder of this name has the configured name."""
        return comparable(name) == self._wanted

    def say(self, sentence: str) -> None:
        """Add a finding, unless it has been said."""
        if sentence not in self.findings:
            self.findings.append(sentence)

    def look(self, folder: Path) -> bool:
        """Look at one folder, say what was seen, and return whether it is a vault."""
        try:
            if has_marker(folder):
                self.take(folder)
                return True
            if folder.is_dir():
                self.say(f"{folder}: no {MARKER}.")
            else:
                self.say(f"{folder}: there is no such folder.")
        except OSError as error:
            self.say(f"{folder}: {trouble(error)}.")
        return False

    def take(self, folder: Path) -> None:
        """Take a folder that holds the marker as a candidate."""
        real = resolved(folder)
        seen_before = real in self._names
        self._names.setdefault(real, set()).update({comparable(folder.name), comparable(real.name)})
        if not seen_before:
            leads = "" if real == folder else f" (really {real})"
            self.say(f"{folder}{leads}: holds {MARKER}.")


def enumerate_places(places: Iterable[object]) -> str:
    """Return places as one phrase; of many only the first few are named."""
    texts = [str(place) for place in places]
    named, rest = texts[:_NAMES_IN_A_SENTENCE], len(texts) - _NAMES_IN_A_SENTENCE
    return ", ".join(named) + (f" and {rest} more" if rest > 0 else "")
