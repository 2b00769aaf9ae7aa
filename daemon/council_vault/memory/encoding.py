"""The bytes of a memory file and the UTF-8 text in them: byte order marks, UTF-16, and places for people."""

from __future__ import annotations

import codecs
from typing import NamedTuple

from council_vault.errors import MemoryUnreadable

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class Encoded(NamedTuple):
    """A file's text as UTF-8 without a byte order mark, and what is needed to write it as it was."""

    body: bytes
    mark: bytes
    codec: str

    def encode(self, body: bytes) -> bytes:
        """Return another body in this file's encoding, byte order mark included."""
        return self.mark + (body if self.codec == "utf-8" else body.decode().encode(self.codec))


def unwrap(data: bytes) -> Encoded:
    """Take a file's bytes apart.

    Raises:
        MemoryUnreadable: they are not text in UTF-8, or in UTF-16 with a byte order mark.
    """
    mark, codec = next(((mark, codec) for mark, codec in _MARKS if data.startswith(mark)), (b"", "utf-8"))
    body = data[len(mark) :] if mark else data
    if codec == "utf-8":
        if not body.isascii():
            _text(body, codec)
        return Encoded(body, mark, codec)
    return Encoded(_text(body, codec).encode(), mark, codec)


def place(body: bytes, offset: int) -> str:
    """Return where a byte of the UTF-8 text stands, as ``line 3, column 14``, both counted from one."""
    start = body.rfind(b"\n", 0, offset) + 1
    column = len(body[start:offset].decode(errors="replace")) + 1
    line = body.count(b"\n", 0, offset) + 1
    return f"line {line}, column {column}"


def _text(body: bytes, codec: str) -> str:
    try:
        return body.decode(codec)
    except UnicodeDecodeError as error:
        before = body[: error.start].decode(codec, errors="replace").encode()
        name = codec.removesuffix("-le").removesuffix("-be").upper()
        raise MemoryUnreadable(f"the text is not valid {name}", where=place(before, len(before))) from error
