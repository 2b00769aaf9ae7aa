"""Whether a memory file is built as the JSON Schema says, in the words that reading it has for mistakes.

What reading takes as it is meant is no mistake here either: a number that is written as text, and ``null``
for a field that is not there.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from council_vault.memory.json_schema import memory_schema
from council_vault.memory.numbers import number_in
from council_vault.memory.parsing import shown
from council_vault.memory.paths import spelled
from council_vault.memory.schema import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fastjsonschema import JsonSchemaValueException

    from council_vault.memory.paths import Path, Schema

_KINDS = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}


def violations(document: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield where a parsed memory file of version 1.3 is not as the schema says."""
    from fastjsonschema import JsonSchemaValuesException  # noqa: PLC0415 - for the doctor alone

    try:
        _validator()(document)
    except JsonSchemaValuesException as error:
        for violation in error.errors:
            yield from _problems(violation, _path(document, violation))


@functools.cache
def _validator() -> Callable[[object], object]:
    from fastjsonschema import compile as compiled  # noqa: PLC0415 - likewise

    return compiled(memory_schema(), use_default=False, fast_fail=False)


def _problems(violation: JsonSchemaValueException, path: Path) -> Iterator[Problem]:
    """Put a violation into words; a missing field is named by itself."""
    value, schema = violation.value, violation.definition
    if violation.rule == "required":
        missing = (name for name in schema["required"] if name not in value)
        yield from (Problem(spelled((*path, name)), "missing") for name in missing)
        return
    expected = _kind(schema, value) if violation.rule == "type" else _expected(schema, violation.rule)
    if expected:
        yield Problem(spelled(path), f"expected {expected}, got {shown(value)}")


def _kind(schema: Schema, value: object) -> str:
    """Return what should stand in the place of a value of another kind; nothing where reading takes it."""
    named = schema["type"]
    kinds = [named] if isinstance(named, str) else named
    number = number_in(value) if "number" in kinds or "integer" in kinds else None
    if number is not None and ("number" in kinds or number.is_integer()):
        within = schema.get("minimum", number) <= number <= schema.get("maximum", number)
        return "" if within else _range(schema)
    if value is None and "string" not in kinds:
        return ""
    if "examples" in schema:
        return f"something such as {schema['examples'][0]}"
    return " or ".join(_KINDS[kind] for kind in kinds if kind != "null")


def _expected(schema: Schema, rule: str | None) -> str:
    match rule:
        case "enum":
            *most, last = [word for word in schema["enum"] if word is not None]
            return f"{', '.join(most)} or {last}" if most else str(last)
        case "pattern":
            return f"something such as {schema['examples'][0]}"
        case "minimum" | "maximum":
            return _range(schema)
        case _:
            return "each of them once"


def _range(schema: Schema) -> str:
    if "maximum" in schema:
        return f"a number from {schema['minimum']} to {schema['maximum']}"
    return f"a number of at least {schema['minimum']}"


def _path(document: object, violation: JsonSchemaValueException) -> Path:
    """Return the place of a violation, which is named with dots that keys may hold too."""
    name = (violation.name or "data").removeprefix("data")
    places = list(_places(name, document))
    exact = (path for path, value in places if value is violation.value)
    return next(exact, places[0][0] if places else ())


def _places(name: str, value: Any) -> Iterator[tuple[Path, object]]:  # noqa: ANN401 (any JSON value)
    """Yield every way to read a name such as ``.rankings.openai/gpt-4.1`` as keys of a value."""
    if not name:
        yield (), value
    elif isinstance(value, list):
        index, _, rest = name.removeprefix("[").partition("]")
        for path, found in _places(rest, value[int(index)]):
            yield (int(index), *path), found
    elif isinstance(value, dict):
        rest = name.removeprefix(".")
        for key in value:
            if rest.startswith(key) and rest[len(key) : len(key) + 1] in {"", ".", "["}:
                for path, found in _places(rest[len(key) :], value[key]):
                    yield (key, *path), found
