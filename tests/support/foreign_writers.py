"""Programs that write to our file without knowing of us, as processes of their own.

A file of records is a line ``flag N``, which is ours to change, lines that foreign writers add, and ``end``.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

KINDS = ("in-place", "rename", "read-rename", "slow")
READING_KINDS = ("read-rename", "slow")  # the others replace all that was there


class HalfWritten(Exception):
    """What our change says of a file that somebody is just writing."""


def document(flag, lines, padding=b""):
    return b"".join([b"flag %d\n" % flag, *(line + b"\n" for line in lines), padding, b"end\n"])


def lines_in(content):
    """The records of a whole file, `None` for a half-written one."""
    lines = content.split(b"\n")
    if len(lines) < 3 or lines[-2:] != [b"end", b""]:
        return None
    return [line for line in lines[1:-2] if not line.startswith(b"xx")]


def raise_flag(content):
    """Our change: one more in the first line, all else as it was."""
    if lines_in(content) is None:
        raise HalfWritten
    first, rest = content.split(b"\n", 1)
    return b"flag %d\n" % (int(first[5:]) + 1) + rest


def write(kind, path, content, hold=0.0):
    """Write to a file as a program of that kind does."""
    if kind in {"rename", "read-rename"}:
        temporary = path.with_name("foreign.tmp")
        temporary.write_bytes(content)
        temporary.rename(path)
    elif kind == "in-place":
        with path.open("wb") as file:
            file.write(content)
    else:
        half = len(content) // 2
        with path.open("wb") as file:
            file.write(content[:half])
            file.flush()
            time.sleep(hold)
            file.write(content[half:])


def add(kind, path, record, hold=0.0, padding=b""):
    """Write a record: into what is there where the kind reads, else instead of it."""
    lines = [record]
    if kind in READING_KINDS:
        before = lines_in(path.read_bytes())
        assert before is not None, "nobody else writes but council-vault, which never shows half a file"
        lines = [*before, record]
    write(kind, path, document(0, lines, padding), hold)


def storm(kind, path, writes, seed):
    """Add so many records.

    Returns those that could not be seen afterwards, of a kind that replaces all, and how often the file
    seemed to be missing, as it does for a moment on FUSE when one file is renamed over another.
    """
    dice = random.Random(seed)
    padding = b"x" * 4000 + b"\n"
    missed, missing = [], 0
    for number in range(writes):
        record = b"w%06d" % number
        while True:
            try:
                add(kind, path, record, 0.0003, padding)
                if kind not in READING_KINDS and not _seen(path, record):
                    missed.append(record.decode())
            except FileNotFoundError:
                missing += 1
            else:
                break
        time.sleep(dice.random() * 0.002)
    return missed, missing


def _seen(path, record, patience=0.5):
    """Whether the record is there: at once, or after we have put it back."""
    deadline = time.monotonic() + patience
    while record not in (lines_in(path.read_bytes()) or ()):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.0005)
    return True


if __name__ == "__main__":
    _, _kind, _path, _writes, _seed = sys.argv
    print(json.dumps(storm(_kind, Path(_path), int(_writes), int(_seed))))
