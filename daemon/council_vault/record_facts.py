"""What is known of the notes on one record each, from one sync to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import msgspec

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

VERSIONS_KEPT = 50
DIGITS = 16  # of a version's digest

TABLE = """
CREATE TABLE IF NOT EXISTS record_note (id TEXT PRIMARY KEY, facts BLOB NOT NULL, region TEXT NOT NULL);
"""


class Announced(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A version of a note that is about to be written, and the rating that stands in it."""

    version: str
    rating: str


class RecordFacts(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True, gc=False):
    """What is known of one record's note.

    Attributes:
        name: its path in the vault; empty where there is none yet.
        mark: of the glance at it when it was last read, 0 where it was written since.
        at: when it last changed then, or was written, in seconds since 1970.
        source: checksum of what it was made from; 0 where it must be made again.
        rating: that was agreed on, empty for none.
        stood: what stands as its rating where a person wrote something else.
        seen: whether a later sync has found it.
        deleted: whether the person has deleted it.
        versions: digests of its last versions, the oldest first.
        announced: the version that was to be written when the sync was killed, if it was.
    """

    name: str = ""
    mark: int = 0
    at: float = 0.0
    source: int = 0
    rating: str = ""
    stood: str | None = None
    seen: bool = False
    deleted: bool = False
    versions: tuple[str, ...] = ()
    announced: Announced | None = None

    @property
    def rating_stood(self) -> str:
        """What last stood as its rating."""
        return self.rating if self.stood is None else self.stood

    def is_last(self, digest: str) -> bool:
        """Whether a version is the last one that was seen or written."""
        return self.versions[-1:] == (digest[:DIGITS],)

    def is_old(self, digest: str, at: float) -> bool:
        """Whether a version that came to be at a time is an earlier one than the last, put back by somebody.

        Whoever takes a rating back makes an earlier version, too, but not at an earlier time.
        """
        return digest[:DIGITS] in self.versions and not self.is_last(digest) and at <= self.at

    def with_version(self, digest: str) -> Self:
        """Return these facts with one more version, unless it is the last one already."""
        if self.is_last(digest):
            return self
        return msgspec.structs.replace(self, versions=(*self.versions, digest[:DIGITS])[-VERSIONS_KEPT:])

    def arrived(self, digest: str) -> Self:
        """Return these facts once it is seen whether what a killed sync was to write stands there."""
        if self.announced is None:
            return self
        facts = msgspec.structs.replace(self, announced=None)
        if self.announced.version != digest[:DIGITS]:
            return facts
        return msgspec.structs.replace(facts, rating=self.announced.rating, stood=None).with_version(digest)


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(RecordFacts).decode


def load(connection: sqlite3.Connection) -> dict[str, RecordFacts]:
    """Return what is known of each note, by the record's id; what cannot be understood is not known."""
    known: dict[str, RecordFacts] = {}
    for record_id, facts in connection.execute("SELECT id, facts FROM record_note"):
        try:
            known[record_id] = _decode(facts)
        except msgspec.MsgspecError:
            continue
    return known


def region(connection: sqlite3.Connection, record_id: str) -> str:
    """Return what we wrote into the region of a note; empty where that is not known."""
    row = connection.execute("SELECT region FROM record_note WHERE id = ?", (record_id,)).fetchone()
    return "" if row is None else str(row[0])


def save(
    connection: sqlite3.Connection, facts: Mapping[str, RecordFacts], regions: Mapping[str, str]
) -> None:
    """Store what is known of notes, in the transaction that is under way; a region not given stays."""
    connection.executemany(
        "INSERT INTO record_note VALUES (?1, ?2, coalesce(?3, ''))"
        " ON CONFLICT (id) DO UPDATE SET facts = ?2, region = coalesce(?3, region)",
        ((record_id, _encode(one), regions.get(record_id)) for record_id, one in facts.items()),
    )


def forget(connection: sqlite3.Connection) -> None:
    """Forget all notes, in the transaction that is under way."""
    connection.execute("DELETE FROM record_note")
