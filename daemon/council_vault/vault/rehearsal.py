"""A vault that only pretends to be written to, for a dry run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.errors import FileChanged
from council_vault.files import digest
from council_vault.vault.store import StoredNote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from council_vault.vault.store import Glance, VaultStore


class Rehearsal:
    """A `VaultStore` that reads from another one and keeps what is written to itself.

    Args:
        vault: the vault that would be written to.
    """

    def __init__(self, vault: VaultStore) -> None:
        self._vault = vault
        self._written: dict[str, bytes] = {}

    @property
    def place(self) -> str:
        """Where the real vault is."""
        return self._vault.place

    def read(self, name: str) -> StoredNote | None:
        """See `VaultStore.read`."""
        if name in self._written:
            return StoredNote(self._written[name], digest(self._written[name]))
        return self._vault.read(name)

    def glance(self, name: str) -> Glance | None:
        """See `VaultStore.glance`; what was only written here is not seen."""
        return self._vault.glance(name)

    def glances(self, folder: str = "") -> Mapping[str, Glance]:
        """See `VaultStore.glances`; what was only written here is not seen."""
        return self._vault.glances(folder)

    def write(self, name: str, content: bytes, expected: str | None) -> None:
        """See `VaultStore.write`; nothing is."""
        standing = self.read(name)
        if (standing and standing.version) != expected:
            raise FileChanged("the note was changed at the same time", where=name)
        self._written[name] = content

    def settle(self) -> tuple[str, ...]:
        """See `VaultStore.settle`."""
        return ()

    def list(self, folder: str = "") -> tuple[str, ...]:
        """See `VaultStore.list`."""
        return self._vault.list(folder)

    def may_be_ours(self) -> tuple[str, ...]:
        """See `VaultStore.may_be_ours`."""
        return self._vault.may_be_ours()

    def folders(self, folder: str = "") -> tuple[str, ...]:
        """See `VaultStore.folders`."""
        return self._vault.folders(folder)

    def exists(self, name: str) -> bool:
        """See `VaultStore.exists`."""
        return name in self._written or self._vault.exists(name)

    def may_have_changed(self, names: Iterable[str]) -> bool:
        """See `VaultStore.may_have_changed`."""
        return self._vault.may_have_changed(names)
