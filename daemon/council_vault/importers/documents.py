"""A file's JSON values: one document, a list of them, or one a line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from council_vault.errors import MemoryUnreadable
from council_vault.importers.council_run import Unusable
from council_vault.importers.places import reason_of
from council_vault.memory.encoding import unwrap
from council_vault.memory.parsing import collector_paused, loads

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Value(NamedTuple):
    """A JSON value, and where in its file it stands: ``line 3``, ``element 3``, nothing for the whole of it.

    ``problem`` is what is wrong with a line that is no JSON.
    """

    where: str
    value: object
    problem: str = ""


def values_in(path: Path) -> list[Value]:
    """Return what a file says.

    Raises:
        Unusable: it cannot be read, or is no JSON at all.
    """
    try:
        body = unwrap(path.read_bytes()).body
    except OSError as error:
        raise Unusable(f"it cannot be read: {reason_of(error)}") from error
    except MemoryUnreadable as error:
        raise Unusable(f"{error.what} ({error.where})") from error
    if not body.strip():
        raise Unusable("it is empty")
    with collector_paused():
        whole = _value("", body)
        if not whole.problem:
            return _elements(whole.value)
        lines = list(_lines(body))
    if all(line.problem for line in lines):
        raise Unusable(whole.problem)
    return lines


def _elements(document: object) -> list[Value]:
    if not isinstance(document, list):
        return [Value("", document)]
    return [Value(f"element {number}", value) for number, value in enumerate(document, 1)]


def _lines(body: bytes) -> Iterator[Value]:
    for number, line in enumerate(body.split(b"\n"), 1):
        if line.strip():
            yield _value(f"line {number}", line)


def _value(where: str, text: bytes) -> Value:
    try:
        return Value(where, loads(text))
    except json.JSONDecodeError as error:
        place = f"column {error.colno}" if where else f"line {error.lineno}, column {error.colno}"
        return Value(where, None, f"it is no JSON: {error.msg[:1].lower()}{error.msg[1:]} ({place})")
    except MemoryUnreadable as error:
        return Value(where, None, error.what)
