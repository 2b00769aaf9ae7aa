"""The text of the systemd unit that starts this installation: pure, by the rules of systemd.syntax(7).

A command goes through three readings there: quotes and backslashes, ``%`` specifiers, ``$`` variables. The
program's own path goes through the first two alone, and may hold neither quotes nor backslashes.
"""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PLAIN = frozenset(string.ascii_letters + string.digits + "/._-+:,@=~")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", '"': '\\"'}
_REFUSED_IN_PROGRAM = re.compile(r"[\x00-\x1f\x7f\"'\\\ud800-\udfff]")
_SHELL = "/bin/sh"
_EXEC_START = re.compile(r"^ExecStart=(.*)\n", re.MULTILINE)


def unit_text(shipped: str, command: Sequence[str], variables: Mapping[str, str]) -> str:
    """Return the unit that came with the program, made to start a command.

    Args:
        shipped: the text of ``council-vault.service``.
        command: the program, by its whole path, and its arguments.
        variables: what its environment must hold besides what systemd gives it.
    """
    lines = [f"Environment={quoted(f'{name}={value}')}\n" for name, value in sorted(variables.items())]
    lines.append(f"ExecStart={command_line(command)}\n")
    return _EXEC_START.sub(lambda _: "".join(lines), shipped, count=1)


def started_by(text: str) -> str:
    """Return what a unit starts, as it stands there; empty where it starts nothing."""
    found = _EXEC_START.findall(text)
    return found[-1] if found else ""


def command_line(command: Sequence[str]) -> str:
    """Return a command as ``ExecStart`` reads it."""
    program, *arguments = command
    if _REFUSED_IN_PROGRAM.search(program):  # systemd takes no such program, but the shell does
        program, arguments = _SHELL, ["-c", 'exec "$0" "$@"', *command]
    return " ".join((quoted(program), *(quoted(argument.replace("$", "$$")) for argument in arguments)))


def quoted(text: str) -> str:
    """Return a text as one word that means itself, where quotes and specifiers are read."""
    if text and _PLAIN.issuperset(text):
        return text
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    if character == "%":
        return "%%"
    if character in _NAMED:
        return _NAMED[character]
    if character < " " or character == "\x7f":
        return f"\\x{ord(character):02x}"
    if "\udc80" <= character <= "\udcff":  # a byte of a path that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character
