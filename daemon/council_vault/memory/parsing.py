"""JSON as the standard library reads it, for odd memory files: lenient, and exact about what is wrong."""

from __future__ import annotations

import gc
import json
import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from council_vault.errors import MemoryUnreadable
from council_vault.memory.encoding import place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import msgspec

_TOO_DEEP = "lists and objects are nested too deeply"


def whole(digits: str) -> int | float:
    """Return an integer; one with more digits than Python converts is infinite, which is no number to us."""
    try:
        return int(digits)
    except ValueError:
        return math.inf


class Hooks(NamedTuple):
    """What is made of the text of a number, of the members of an object, and of `NaN` and infinities."""

    integer: Callable[[str], float] = whole
    fraction: Callable[[str], float] = float
    members: Callable[[list[tuple[str, Any]]], Any] | None = None
    constant: Callable[[str], float | None] = float


_PLAIN = Hooks()


def loads(text: str | bytes | msgspec.Raw, hooks: Hooks = _PLAIN) -> Any:  # noqa: ANN401 (any JSON)
    """Parse JSON text, `NaN` and lone surrogates included, with integers of any length.

    Raises:
        MemoryUnreadable: lists and objects are nested too deeply.
        json.JSONDecodeError: it is not JSON.
    """
    source = text if isinstance(text, str) else bytes(text).decode()
    try:
        return json.loads(
            source,
            parse_int=hooks.integer,
            parse_float=hooks.fraction,
            parse_constant=hooks.constant,
            object_pairs_hook=hooks.members,
        )
    except RecursionError as error:
        raise MemoryUnreadable(_TOO_DEEP) from error


def document(body: bytes, hooks: Hooks = _PLAIN) -> dict[str, Any]:
    """Parse the UTF-8 text of a whole memory file.

    Raises:
        MemoryUnreadable: it is no JSON, or not an object at the top; ``where`` is the line and column.
    """
    if not body.strip():
        raise MemoryUnreadable("the file is empty")
    if not body.strip(b"\0"):
        raise MemoryUnreadable("the file holds nothing but zero bytes")
    try:
        value = loads(body, hooks)
    except json.JSONDecodeError as error:
        offset = len(error.doc[: error.pos].encode())
        ended = offset >= len(body.rstrip())
        what = "the file ends too early" if ended else f"the file is not valid JSON: {_lower(error.msg)}"
        raise MemoryUnreadable(what, where=place(body, offset)) from error
    if not isinstance(value, dict):
        found = "text" if isinstance(value, str) else shown(value)  # it may be a question, piped by mistake
        raise MemoryUnreadable(f"expected an object at the top of the file, got {found}")
    return value


def shown(value: object) -> str:
    """Return a value for a person: short, and without what is inside a list or an object."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector still while many objects are made: it would look at them all every time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
