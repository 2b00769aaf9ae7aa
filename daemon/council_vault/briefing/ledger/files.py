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
_WAL_VERSION, _WAL = 18, b"\2\2"  # where the file's header says that it has a write-ahead log


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
    except UnicodeDecodeError as error:  # even the words of SQLite's errors quote what is damaged
        raise _damaged(error, path) from error


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open a database that must not be changed; nothing is left beside it either.

    Raises:
        LedgerUnreadable: there is none, or it cannot be opened.
    """
    try:
        if path.is_dir():
            raise LedgerUnreadable("this is a folder", where=path, remedy="Name the database itself")
        if not path.exists():
            raise LedgerUnreadable(
                "there is no such ledger", where=path, remedy="`council-vault ledger add` makes one"
            )
        real = path.resolve()
        log = real.with_name(f"{real.name}-wal")
        has_changes = log.exists() and log.stat().st_size > 0
        with real.open("rb") as file:
            has_log = file.read(_WAL_VERSION + len(_WAL)).endswith(_WAL)
    except OSError as error:
        raise LedgerUnreadable(f"it cannot be read: {error.strerror}", where=path) from error
    with reading(path):
        try:
            # Whoever only reads leaves an empty log behind; whoever may write takes it away again.
            return _readable(real, "mode=rw" if has_log and not has_changes else "mode=ro")
        except sqlite3.OperationalError as error:
            if not has_log or _code(error) not in {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}:
                raise
            if has_changes:
                raise LedgerUnreadable(
                    f"there are changes in {log.name}, which cannot be read in this folder",
                    where=path,
                    remedy="Copy both files to a folder that you may write to",
                ) from error
            return _readable(
                real, "mode=ro&immutable=1"
            )  # no log can be made in this folder, so nobody writes


def open_to_write(path: Path) -> sqlite3.Connection:
    """Open a database that may be changed; a new one, and its folder, is made where there is none.

    Raises:
        LedgerUnreadable: it cannot be opened.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LedgerUnreadable(f"its folder cannot be made: {error.strerror}", where=path) from error
    with reading(path):
        return sqlite3.connect(path, timeout=_WRITERS_PATIENCE, isolation_level=None)


def _readable(path: Path, how: str) -> sqlite3.Connection:
    address = f"file:{quote(str(path))}?{how}"
    connection = sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None)
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _in_words(error: sqlite3.Error, path: Path) -> LedgerUnreadable:
    match _code(error):
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return LedgerUnreadable("another program is writing the ledger", where=path, remedy="Try again")
        case sqlite3.SQLITE_NOTADB:
            return LedgerUnreadable("this is no SQLite database", where=path, remedy="Name another file")
        case sqlite3.SQLITE_FULL:
            return LedgerUnreadable(
                "there is no room left for the ledger", where=path, remedy="Nothing was changed; make room"
            )
        case sqlite3.SQLITE_READONLY:
            return LedgerUnreadable(
                "the ledger may only be read", where=path, remedy="Nothing was changed; see to its rights"
            )
        case sqlite3.SQLITE_CORRUPT:
            return _damaged(error, path)
        case _:
            return LedgerUnreadable(f"the ledger cannot be used: {error}", where=path)


def _damaged(error: Exception, path: Path) -> LedgerUnreadable:
    return LedgerUnreadable(
        f"the ledger is damaged: {error}", where=path, remedy="Bring it back from a backup"
    )


def _code(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code; 0 where the error is not its own."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
