"""What systemd makes of a line of a unit file, by systemd.syntax(7) and systemd.service(5).

Written from the manual, and not from the program, which it is there to judge.
"""

from __future__ import annotations

import os
import re

_ESCAPES = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92, '"': 34, "'": 39, "s": 32}
_SPECIFIERS = {b"%": b"%", b"h": b"/home/of/the/person"}


def words(value: str) -> list[bytes]:
    """Return the words of a value: quotes and escapes undone, as bytes."""
    found: list[bytes] = []
    word: bytearray | None = None
    quote = ""
    place = 0
    while place < len(value):
        character = value[place]
        if character == "\\":
            taken, length = _escape(value[place + 1 :])
            word = (word or bytearray()) + taken
            place += 1 + length
            continue
        place += 1
        if quote:
            if character == quote:
                quote = ""
            else:
                word = (word or bytearray()) + os.fsencode(character)
        elif character in "\"'":
            quote, word = character, word or bytearray()
        elif character in " \t\n\r":
            if word is not None:
                found.append(bytes(word))
            word = None
        else:
            word = (word or bytearray()) + os.fsencode(character)
    assert not quote, "a quote is not closed"
    return found if word is None else [*found, bytes(word)]


def _escape(rest: str) -> tuple[bytes, int]:
    if rest[:1] == "x":
        return bytes([int(rest[1:3], 16)]), 3
    assert rest[:1] in _ESCAPES, f"no escape: {rest[:1]!r}"
    return bytes([_ESCAPES[rest[0]]]), 1


def specified(word: bytes) -> bytes:
    """Return a word with its specifiers resolved."""
    return re.sub(rb"%(.)", lambda found: _SPECIFIERS[found[1]], word, flags=re.DOTALL)


def executed(value: str, environment: dict[bytes, bytes] | None = None) -> list[bytes]:
    """Return the argument vector of an ``ExecStart``; the program's own path knows no variables."""
    assert "\n" not in value
    program, *arguments = map(specified, words(value))
    assert program.startswith(b"/")
    assert not re.search(rb"[\x00-\x1f\x7f\"'\\]", program), "systemd takes no such program"
    assert b";" not in [word.encode() for word in value.split()], "a second command would begin here"
    return [program, *(_with_variables(argument, environment or {}) for argument in arguments)]


def _with_variables(argument: bytes, environment: dict[bytes, bytes]) -> bytes:
    def put(found: re.Match[bytes]) -> bytes:
        return b"$" if found[0] == b"$$" else environment.get(found[1] or found[2], b"")

    return re.sub(rb"\$(?:\$|\{(\w+)\}|(\w+))", put, argument)
