"""The form in which operations write a memory file, and the way to it from any form it was found in.

Two spaces of indentation; each record, experiment and rule on one line, without spaces around its values:
there are hundreds, and the file is to stay small. UTF-8 without escapes. A number that was not changed keeps
its text, keys keep their order, repeated keys are all kept, and records that cannot be understood are carried
over as they are. ``NaN`` and infinity are no JSON and become ``null``.
"""

from __future__ import annotations

import math
import re
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from council_vault.memory.encoding import unwrap
from council_vault.memory.ids import parse_id
from council_vault.memory.layout import Layout
from council_vault.memory.parsing import Hooks, collector_paused, document, loads, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_ONE_LINE_EACH = {
    ("deliberations",),
    ("optimization_log",),
    ("routing_model", "rules"),
    *(("archived", part) for part in ("sizes", "months", "days", "categories", "models")),
}
_LINE_BREAK = re.compile(r"\s*[\r\n]\s*")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS = {None: "null", True: "true", False: "false"}
_text = encode_basestring
# There are tens of thousands of values in a file, and most of them are of these kinds.
_USUAL: dict[type, Callable[[Any], str]] = {
    str: _text,
    int: repr,
    bool: _WORDS.__getitem__,
    type(None): _WORDS.__getitem__,
}


class Verbatim(NamedTuple):
    """An element of ``deliberations`` that is no record with an id of its own: its text, and what it says."""

    text: str
    value: object


class WrittenNumber(float):
    """A number that Python would write otherwise: ``0.10``, ``1E2``, ``1e400``, ``-0``."""

    text: str

    def __new__(cls, text: str) -> Self:
        """Keep the text beside the value."""
        number = super().__new__(cls, text)
        number.text = text
        return number


class RepeatedKeys(dict[str, Any]):
    """An object in which keys stood more than once: the last ones count, the ``shadowed`` ones are kept."""

    shadowed: tuple[tuple[str, object], ...] = ()


def parse(data: bytes) -> dict[str, Any]:
    """Return a memory file as plain objects that `render` can write without loss.

    In ``deliberations`` every element is either a record (a ``dict``) with a valid id of its own, or
    `Verbatim`.

    Raises:
        MemoryUnreadable: the bytes are not JSON with an object at the top.
    """
    body = unwrap(data).body
    with collector_paused():
        parsed = document(body, _HOOKS)
    elements = parsed.get("deliberations")
    if isinstance(elements, list):
        parsed["deliberations"] = _records(body, elements)
    return parsed


def parse_record(text: str) -> object:
    """Return one record's JSON text as `parse` would."""
    return loads(text, _HOOKS)


def render(document: dict[str, Any]) -> bytes:
    """Return the bytes of a memory file in canonical form."""
    text = _block(document, (), "\n") + "\n"
    try:
        return text.encode()
    except UnicodeEncodeError:  # half a character, which only an escape can write
        return _SURROGATE.sub(lambda half: f"\\u{ord(half.group()):04x}", text).encode()


def _integer(digits: str) -> int | float:
    number = whole(digits)
    return WrittenNumber(digits) if number == math.inf or digits == "-0" else number


def _fraction(text: str) -> float:
    number = float(text)
    return number if repr(number) == text else WrittenNumber(text)


def _object(pairs: list[tuple[str, object]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    last = {name: place for place, (name, _) in enumerate(pairs)}
    repeated = RepeatedKeys(pairs[place] for place in sorted(last.values()))
    repeated.shadowed = tuple(pair for place, pair in enumerate(pairs) if last[pair[0]] != place)
    return repeated


def _nothing(_constant: str) -> None:
    """Read ``NaN`` as the ``null`` that it is going to be written as."""


_HOOKS = Hooks(_integer, _fraction, _object, _nothing)


def _records(body: bytes, elements: list[object]) -> list[object]:
    """Set aside the elements that are no records with an id of their own."""
    seen: set[str] = set()
    odd = []
    for index, element in enumerate(elements):
        id_ = element.get("id") if isinstance(element, dict) else None
        if not isinstance(id_, str) or id_ in seen or parse_id(id_) is None:
            odd.append(index)
        else:
            seen.add(id_)
    if not odd:
        return elements
    spans = Layout(body).records
    result = elements.copy()
    for index in odd:
        result[index] = Verbatim(body[slice(*spans[index])].decode(), elements[index])
    return result


def _block(value: object, path: tuple[str, ...], line: str) -> str:
    """Write a value over as many lines as it takes; ``line`` is the line break with its indentation."""
    deeper = line + "  "
    one_line = path in _ONE_LINE_EACH
    if isinstance(value, dict) and value:
        inside = (
            f"{_text(name)}: {_line(one) if one_line else _block(one, (*path, name), deeper)}"
            for name, one in _pairs(value)
        )
        return f"{{{deeper}{f',{deeper}'.join(inside)}{line}}}"
    if isinstance(value, (list, tuple)) and value and not isinstance(value, Verbatim):
        inside = (_line(one) if one_line else _block(one, path, deeper) for one in value)
        return f"[{deeper}{f',{deeper}'.join(inside)}{line}]"
    return _line(value)


def _line(value: object) -> str:
    """Write a value on one line."""
    usual = _USUAL.get(type(value))
    if usual is not None:
        return usual(value)
    if type(value) is dict:
        return f"{{{','.join([_member(name, one) for name, one in value.items()])}}}"
    if isinstance(value, dict):
        return f"{{{','.join(_member(name, one) for name, one in _pairs(value))}}}"
    if isinstance(value, Verbatim):
        return _as_it_was(value)
    if isinstance(value, (list, tuple)):
        return f"[{','.join(map(_line, value))}]"
    return _scalar(value)


def _member(name: str, value: object) -> str:
    usual = _USUAL.get(type(value))
    return f"{_text(name)}:{_line(value) if usual is None else usual(value)}"


def _scalar(value: object) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, WrittenNumber):
        return value.text
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return float.__repr__(value) if math.isfinite(value) else "null"
    raise TypeError(f"{type(value).__name__} is no JSON value")


def _as_it_was(element: Verbatim) -> str:
    """Return the element's own text, line breaks between its values apart; strings cannot hold any."""
    if "NaN" in element.text or "Infinity" in element.text:
        return _line(element.value)
    return _LINE_BREAK.sub(" ", element.text)


def _pairs(value: dict[str, Any]) -> Iterable[tuple[str, object]]:
    if isinstance(value, RepeatedKeys):
        return (*value.shadowed, *value.items())
    return value.items()
