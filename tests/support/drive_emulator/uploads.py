"""Getting content in: at once, with metadata in parts, or resumable in pieces."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from support.drive_emulator.replies import DriveError, bad_request

if TYPE_CHECKING:
    from support.drive_emulator.requests import Request

BOUNDARY = re.compile(r'boundary="?([^";]+)"?', re.IGNORECASE)
RANGE = re.compile(r"bytes (?:(?P<first>\d+)-(?P<last>\d+)|\*)/(?P<total>\d+|\*)")
PIECE = 256 * 1024


class Upload(NamedTuple):
    """What a request wants to be so: metadata, and content where there is some."""

    metadata: dict
    content: bytes | None
    mime_type: str


@dataclass
class Session:
    """A resumable upload: the request that began it, what has come so far, and the result once all has."""

    begun_by: Request
    metadata: dict
    mime_type: str
    content: bytearray = field(default_factory=bytearray)
    result: dict | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


def read_upload(request: Request) -> Upload:
    """Take a request apart whose content comes with it, or that has none.

    Raises:
        DriveError: the body is not of the form that it claims.
    """
    kind = request.query.get("uploadType", "")
    if not request.path.startswith("/upload/"):
        return Upload(read_metadata(request.body), None, "")
    if kind == "media":
        return Upload({}, request.body, request.headers.get("content-type", ""))
    if kind == "multipart":
        parts = _parts(request)
        if len(parts) != 2:
            raise bad_request("Multipart content has too few or too many parts.")
        (_, metadata), (headers, content) = parts
        return Upload(read_metadata(metadata), content, headers.get("content-type", ""))
    raise bad_request(f"Unknown uploadType: {kind!r}.")


def read_metadata(body: bytes) -> dict:
    try:
        metadata = json.loads(body) if body.strip() else {}
    except ValueError:
        raise DriveError(400, "parseError", "Parse Error") from None
    if not isinstance(metadata, dict):
        raise DriveError(400, "parseError", "Parse Error")
    return metadata


def _parts(request: Request) -> list[tuple[dict[str, str], bytes]]:
    """Split a ``multipart/related`` body; its lines may end in LF, as those of Google's library do."""
    found = BOUNDARY.search(request.headers.get("content-type", ""))
    if found is None:
        raise bad_request("Missing boundary in multipart content.")
    mark = b"--" + found[1].encode()
    start = request.body.find(mark)
    line_end = b"\r\n" if request.body[start + len(mark) :].startswith(b"\r\n") else b"\n"
    if start < 0 or not request.body.rstrip().endswith(mark + b"--"):
        raise bad_request("Malformed multipart body.")
    parts = (line_end + request.body[start:]).split(line_end + mark)[1:-1]
    return [_part(part.removeprefix(line_end), line_end) for part in parts]


def _part(part: bytes, line_end: bytes) -> tuple[dict[str, str], bytes]:
    if part.startswith(line_end):
        return {}, part.removeprefix(line_end)
    head, _, content = part.partition(line_end * 2)
    lines = [line.partition(b":") for line in head.split(line_end)]
    return {name.strip().lower().decode(): value.strip().decode() for name, _, value in lines}, content


def add_piece(session: Session, request: Request) -> bool:
    """Take in a piece of a resumable upload; say whether this was the last one.

    Raises:
        DriveError: the piece does not follow what has come so far.
    """
    claim = request.headers.get("content-range")
    if claim is None:
        session.content[:] = request.body
        return True
    found = RANGE.fullmatch(claim)
    if found is None:
        raise bad_request("Failed to parse Content-Range header.")
    total = None if found["total"] == "*" else int(found["total"])
    if found["first"] is not None:
        first, last = int(found["first"]), int(found["last"])
        final = total is not None and last + 1 == total
        if first > len(session.content) or last - first + 1 != len(request.body):
            raise bad_request("Invalid request. The bytes do not follow those received.")
        if not final and len(request.body) % PIECE:
            raise bad_request(f"Pieces but the last must be multiples of {PIECE} bytes.")
        session.content[first:] = request.body
    return total is not None and len(session.content) == total
