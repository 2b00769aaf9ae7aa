"""Reading a typed view from JSON values that were written by hand or by a language model.

`msgspec` takes a whole object or nothing. Here every field is read by itself: one that is wrong is named and
left at its default, and the others are kept. What a field should be is taken from the view's own annotations.
"""

from __future__ import annotations

import functools
import json
import math
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec
from msgspec import inspect

from council_vault.memory.numbers import LARGEST_COUNT, number_in
from council_vault.memory.parsing import shown
from council_vault.memory.schema import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Reader = Callable[[object, str, "Problems"], object]

Problems = list[Problem]
View = TypeVar("View", bound=msgspec.Struct)

_UNKNOWN: Any = msgspec.UNSET


def read(view: type[View], value: object, where: str, problems: Problems) -> View | None:
    """Read one view; what cannot be understood goes to ``problems`` under its path.

    Numbers may be written as text (``"0.0123"``, ``"$0.01"``); ``NaN``, infinity and booleans are no numbers;
    ``null`` is a field that is not there.

    Returns:
        The view, or ``None`` where the value is not an object at all.
    """
    if isinstance(value, dict):
        return read_fields(view, value, where, problems)
    problems.append(Problem(where, f"expected an object, got {shown(value)}"))
    return None


def read_fields(view: type[View], values: Mapping[str, object], where: str, problems: Problems) -> View:
    """Read one view from an object's values, as `read` does."""
    known = {}
    for name, reader in _readers(view):
        if values.get(name) is not None:
            result = reader(values[name], f"{where}.{name}" if where else name, problems)
            if result is not _UNKNOWN:
                known[name] = result
    return view(**known)


@functools.cache
def _readers(view: type[msgspec.Struct]) -> tuple[tuple[str, Reader], ...]:
    described = cast("inspect.StructType", inspect.type_info(view))
    return tuple((field.encode_name, _reader(field.type)) for field in described.fields)


def _reader(kind: inspect.Type) -> Reader:
    if isinstance(kind, inspect.UnionType):
        kinds = [one for one in kind.types if not isinstance(one, inspect.NoneType)]
        return _reader(kinds[0]) if len(kinds) == 1 else _timestamp
    if isinstance(kind, inspect.StructType):
        return functools.partial(_view, kind.cls)
    if isinstance(kind, inspect.VarTupleType):
        return functools.partial(_list, _reader(kind.item_type))
    if isinstance(kind, inspect.DictType):
        return functools.partial(_mapping, _reader(kind.value_type))
    return _SCALARS[type(kind)]


def _view(view: type[msgspec.Struct], value: object, where: str, problems: Problems) -> object:
    result = read(view, value, where, problems)
    return _UNKNOWN if result is None else result


def _list(item: Reader, value: object, where: str, problems: Problems) -> object:
    if not isinstance(value, list):
        return _wrong("a list", value, where, problems)
    items = (item(one, f"{where}[{index}]", problems) for index, one in enumerate(value))
    return tuple(one for one in items if one is not _UNKNOWN)


def _mapping(item: Reader, value: object, where: str, problems: Problems) -> object:
    if not isinstance(value, dict):
        return _wrong("an object", value, where, problems)
    items = {
        key: item(one, f"{where}[{json.dumps(key)}]", problems)
        for key, one in value.items()
        if one is not None
    }
    return {key: one for key, one in items.items() if one is not _UNKNOWN}


def _anything(value: object, where: str, problems: Problems) -> object:  # noqa: ARG001 (a Reader)
    return value


def _text(value: object, where: str, problems: Problems) -> object:
    return value if isinstance(value, str) else _wrong("text", value, where, problems)


def _flag(value: object, where: str, problems: Problems) -> object:
    return value if isinstance(value, bool) else _wrong("true or false", value, where, problems)


def _number(value: object, where: str, problems: Problems) -> object:
    number = number_in(value)
    return _wrong("a number", value, where, problems) if number is None else number


def _count(value: object, where: str, problems: Problems) -> object:
    number = number_in(value)
    if number is None or not number.is_integer() or abs(number) > LARGEST_COUNT:
        return _wrong("a whole number", value, where, problems)
    return int(number)


def _timestamp(value: object, where: str, problems: Problems) -> object:
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return _wrong("a time", value, where, problems)


def _wrong(expected: str, value: object, where: str, problems: Problems) -> object:
    problems.append(Problem(where, f"expected {expected}, got {shown(value)}"))
    return _UNKNOWN


_SCALARS: Mapping[type[inspect.Type], Reader] = {
    inspect.AnyType: _anything,
    inspect.StrType: _text,
    inspect.BoolType: _flag,
    inspect.FloatType: _number,
    inspect.IntType: _count,
}
