"""Reading what is handed to a command: a JSON object in a file or through a pipe, or a question."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import click

from council_vault.cli.completing import paths
from council_vault.errors import InputError, MemoryUnreadable
from council_vault.learning.input_values import shown_key
from council_vault.memory import parsing
from council_vault.memory.encoding import unwrap

_PIPE = "-"

given_argument = click.argument("source", metavar="[FILE|-]", required=False, shell_complete=paths)


def read_given(source: str | None, expected: str) -> dict[str, Any]:
    """Return the JSON object in a file, or in what is piped where there is no file or it is ``-``.

    Args:
        source: the file.
        expected: what the object is, for who has given nothing.

    Raises:
        InputError: it is no JSON object; ``where`` is the line and column, if known.
        click.UsageError: nothing was given, and there is only a terminal to wait for.
    """
    if source is None and (sys.stdin is None or sys.stdin.isatty()):
        raise click.UsageError(f"Nothing was given. Name a FILE with, or pipe, {expected}.")
    name = "standard input" if source in {None, _PIPE} else str(source)
    try:
        data = sys.stdin.buffer.read() if source in {None, _PIPE} else Path(name).read_bytes()
        return parsing.document(unwrap(data).body, parsing.Hooks(members=_members))
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror}", where=name) from error
    except MemoryUnreadable as error:
        place = f"{name}, {error.where}" if error.where else name
        raise InputError(error.what.replace("the file", "the input"), where=place) from error


def said_or_piped(text: str) -> str:
    """Return a text that was given as an argument; ``-`` stands for what is piped."""
    if text != _PIPE:
        return text
    with click.open_file(_PIPE, "rb") as given:
        data: bytes = given.read()
    return data.decode("utf-8-sig", "replace").removesuffix("\n").removesuffix("\r")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object in which no key stands twice: which of the two is meant nobody can know."""
    members = dict(pairs)
    if len(members) < len(pairs):
        times = Counter(name for name, _ in pairs)
        twice = next(name for name in members if times[name] > 1)
        raise InputError(f"the key {shown_key(twice)} stands twice in one object")
    return members
