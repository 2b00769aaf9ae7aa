"""What is remembered of the log's rows between syncs, so that the next one can tell who changed what."""

from __future__ import annotations

import gc
import zlib
from typing import TYPE_CHECKING

import msgspec

from council_vault.notes.cells import Cells

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.memory.schema import Deliberation

UNREAD = 0  # no later read has found the row
UNCHECKED = 1  # a read has found it, and it was changed since


class WrittenRow(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True, gc=False):
    """One row.

    Attributes:
        values: the record's cells but for its id, as last agreed with the note. A value that the record has
            lost since (compaction drops summaries) stands here still.
        source: checksum of what the cells were made from; 0 where something is still to be settled.
        line: checksum of the row's line as a later read found it, with nothing new in it, or one of the two
            marks above.
        kept: cells that stand in the note and say something else, because a person wrote them, as they are
            written; ``None`` for a column that the row does not have.
    """

    values: tuple[str, str, str, str, str, str]
    source: int = 0
    line: int = UNREAD
    kept: dict[str, str | None] = {}

    @property
    def seen(self) -> bool:
        """Whether a later read has found the row in the note."""
        return self.line != UNREAD

    @property
    def rating(self) -> str:
        """The rating that was agreed on, as a cell."""
        return self.values[-1]

    @property
    def rating_stood(self) -> str:
        """What last stood in the rating's cell."""
        return self.kept.get("Rating", self.rating) or ""

    def cells(self, record_id: str) -> Cells:
        """What the record itself says, as last agreed with the note."""
        return Cells(record_id, *self.values)

    def is_written_in(self, line: str, record_id: str) -> bool:
        """Whether a line is the row just as we write it in a compact table."""
        return not self.kept and line.lstrip("> ") == f"| {record_id} | {' | '.join(self.values)} |"


_encode = msgspec.msgpack.Encoder().encode
_rows_decoder = msgspec.msgpack.Decoder(dict[str, WrittenRow])


def encode_rows(rows: Mapping[str, WrittenRow]) -> bytes:
    """Return rows in the form in which they are stored."""
    return _encode(rows)


def decode_rows(stored: bytes | None) -> dict[str, WrittenRow]:
    """Return stored rows; none where nothing is stored, or what is there cannot be understood."""
    if stored is None:
        return {}
    collecting = gc.isenabled()
    gc.disable()  # it would look at every new object again and again
    try:
        return _rows_decoder.decode(stored)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return {}
    finally:
        if collecting:
            gc.enable()


def line_checksum(line: str) -> int:
    """Return the checksum of a row's line, never one of the marks."""
    return max(zlib.crc32(line.encode()), UNCHECKED + 1)


def source_checksum(record: Deliberation, chairman: str) -> int:
    """Return the checksum of everything that a record's cells are made from, never 0."""
    inputs = (
        record.timestamp,
        record.query_summary,
        chairman,
        record.confidence,
        record.cost_usd,
        record.user_rating,
    )
    try:
        written = _encode(inputs)
    except (UnicodeEncodeError, OverflowError):
        # Half a surrogate pair, or a number of more than 64 bits.
        written = repr(inputs).encode()
    return zlib.crc32(written) or 1
