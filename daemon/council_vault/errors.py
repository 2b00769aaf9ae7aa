"""What can go wrong, in words for the person it happens to.

CouncilVaultError
├── SettingsError        the settings or the command line are wrong
├── InputError           what was given to a command cannot be understood
├── VaultUnavailable     no vault can be used now; records stay pending
│   └── VaultAmbiguous   several could be meant; the person must say which
├── MemoryUnreadable     council-memory.json is missing or cannot be understood
├── MemoryReadOnly       council-memory.json can be read, but must not be changed by this version
├── LedgerUnreadable     the ledger of past deliberations is missing or cannot be used
├── NoteRefused          a note is left alone, because writing it could harm it
├── FileChanged          somebody else changed a file first; read it again and repeat
├── WriteFailed          the disk said no
└── Busy                 another council-vault holds the lock
    └── AlreadyRunning   another daemon keeps this memory
"""

from __future__ import annotations

import os


def in_words(error: CouncilVaultError | OSError) -> str:
    """Return what is said of an error: by the program to a person, and to an agent that has called a tool."""
    if isinstance(error, CouncilVaultError):
        return str(error)
    place = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    return f"{place}{error.strerror or error}"


class CouncilVaultError(Exception):
    """An error that a person can act on.

    Args:
        what: what happened, a sentence without its final full stop.
        where: the file, line, field or folder it happened at, if there is one.
        remedy: what to do about it, a sentence without its final full stop.
    """

    def __init__(self, what: str, *, where: object = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = str(where)
        self.remedy = remedy

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f". {self.remedy}" if self.remedy else ""
        return f"{place}{self.what}{advice}"


class SettingsError(CouncilVaultError):
    """The settings or the command line are wrong."""


class InputError(CouncilVaultError):
    """What was given to a command cannot be understood; ``where`` is the field, if it is one."""


class VaultUnavailable(CouncilVaultError):
    """No vault can be used now; records stay pending."""


class VaultAmbiguous(VaultUnavailable):
    """Several vaults could be meant; the person must say which."""


class MemoryUnreadable(CouncilVaultError):
    """The memory file is missing or cannot be understood."""


class MemoryReadOnly(CouncilVaultError):
    """The memory file can be read, but must not be changed by this version."""


class LedgerUnreadable(CouncilVaultError):
    """The ledger of past deliberations is missing or cannot be used."""


class NoteRefused(CouncilVaultError):
    """A note is left alone, because writing it could harm it."""


class FileChanged(CouncilVaultError):
    """Somebody else changed a file first; read it again and repeat."""


class WriteFailed(CouncilVaultError):
    """The disk said no."""


class Busy(CouncilVaultError):
    """Another council-vault holds the lock."""


class AlreadyRunning(Busy):
    """Another daemon keeps this memory."""
