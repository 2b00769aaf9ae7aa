"""Opening a ledger's database, and saying what is wrong with it."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import quote

from council_vault.errors import LedgerUnreadable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PATIENCE = 1.0  # seconds to wait for another program that is writing
_WRITERS_PATIENCE = 10.0


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Put what the database says is wrong into words.

    Raises:
        LedgerUnreadable: it cannot be used.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise _in_words(error, path) from error


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open a database that must not be changed.

    Raises:
        LedgerUnreadable: there is none, or it cannot be opened.
    """
    if not path.is_file():
        raise LedgerUnreadable(
            "there is no such ledger", where=path, remedy="`council-vault ledger add` makes one"
        )
    with reading(path):
        try:
            return _readable(path, "mode=ro")
        except sqlite3.OperationalError as error:
            if "unable to open" not in str(error):
                raise
            return _readable(path, "mode=ro&immutable=1")  # its journal cannot be made beside it


def open_to_write(path: Path) -> sqlite3.Connection:
    """Open our own ledger, which is made where there is none.

    Raises:
        LedgerUnreadable: it cannot be opened.
    """
    with reading(path):
        connection = sqlite3.connect(path, timeout=_WRITERS_PATIENCE, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.Error:
            connection.close()
            raise
        return connection


def _readable(path: Path, how: str) -> sqlite3.Connection:
    address = f"file:{quote(str(path.absolute()))}?{how}"
    connection = sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _in_words(error: sqlite3.Error, path: Path) -> LedgerUnreadable:
    text = str(error)
    if "locked" in text or "busy" in text:
        return LedgerUnreadable("another program is writing the ledger", where=path, remedy="Try again")
    if "not a database" in text:
        return LedgerUnreadable("this is no SQLite database", where=path, remedy="Name another file")
    if "malformed" in text or "corrupt" in text:
        return LedgerUnreadable(
            f"the ledger is damaged: {text}", where=path, remedy="Bring it back from a backup"
        )
    return LedgerUnreadable(f"the ledger cannot be used: {text}", where=path)
