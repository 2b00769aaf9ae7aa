"""JSON Schemas of what tools take and give: made from the types that the program itself uses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from council_vault.memory.json_schema import memory_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Schema = dict[str, Any]

_PLACE = "#/$defs/{name}"
_OF_THE_FILE = "#/definitions/"
_ATTRIBUTE = re.compile(r"^ {0,4}(\w+): (.*(?:\n {5,}.*)*)", re.MULTILINE)
MESSAGES = "messages"
_MESSAGES: Mapping[str, Any] = {
    "type": "array",
    "items": {"type": "string"},
    "description": "What the person should be told beside the result; only there if there is something.",
}


def takes(properties: Mapping[str, Schema], required: Sequence[str] = (), *, more: bool = False) -> Schema:
    """Return the schema of an object of arguments.

    Args:
        properties: the arguments by name.
        required: those that must be given.
        more: whether arguments that are not known are left alone.
    """
    schema: Schema = {"type": "object", "properties": dict(properties)}
    if required:
        schema["required"] = list(required)
    return schema if more else {**schema, "additionalProperties": False}


def text(description: str, **more: object) -> Schema:
    """Return the schema of a text."""
    return {"type": "string", "description": description, **more}


def number(description: str, low: float, high: float | None = None, **more: object) -> Schema:
    """Return the schema of a number from ``low`` on, to ``high`` if there is such an end."""
    end = {} if high is None else {"maximum": high}
    return {"type": "number", "description": description, "minimum": low, **end, **more}


def one_of(words: Sequence[str], description: str, **more: object) -> Schema:
    """Return the schema of one of some words."""
    return {"type": "string", "enum": list(words), "description": description, **more}


def by_model(description: str, of: Schema) -> Schema:
    """Return the schema of an object whose keys are ids of models."""
    return {"type": "object", "additionalProperties": of, "description": description}


def fields_of_file(name: str) -> dict[str, Schema]:
    """Return what the schema of the memory file says of one object's fields, by their names."""
    properties: dict[str, Schema] = memory_schema()["definitions"][name]["properties"]
    return properties


def gives_record(name: str) -> Schema:
    """Return the schema of an object as it stands in the memory file, and of messages beside it."""
    definitions = memory_schema()["definitions"]
    used: dict[str, Schema] = {}
    waiting = [name]
    while waiting:
        one = waiting.pop()
        if one not in used:
            used[one] = definitions[one]
            waiting += [place.removeprefix(_OF_THE_FILE) for place in _references(definitions[one])]
    root = {key: value for key, value in used.pop(name).items() if key != "title"}
    return _with_messages({**root, "definitions": used} if used else root)


def gives(*results: type[msgspec.Struct], beside: Mapping[str, Schema] | None = None) -> Schema:
    """Return the schema of a result, or of one of several, and of messages beside it.

    Args:
        results: the types of which the result is one.
        beside: what else there is in it.
    """
    _, components = msgspec.json.schema_components(results, ref_template=_PLACE)
    described = {name: _described(made) for name, made in components.items()}
    if len(results) > 1:
        options = [{"$ref": _PLACE.format(name=one.__name__)} for one in results]
        return {"type": "object", "anyOf": options, "$defs": described}
    root = described.pop(results[0].__name__)
    root["properties"] = {**root["properties"], **(beside or {})}
    root["required"] = [*root.get("required", ()), *(beside or ())]
    return _with_messages({**root, "$defs": described} if described else root)


def _with_messages(schema: Schema) -> Schema:
    properties = schema["properties"]
    return {**schema, "properties": {MESSAGES: dict(_MESSAGES), **properties}}


def _references(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref":
                yield value
            else:
                yield from _references(value)
    elif isinstance(schema, list):
        for one in schema:
            yield from _references(one)


def _described(made: Schema) -> Schema:
    """Return an object's schema with its docstring taken apart: what it is, and what each field is."""
    about, _, attributes = made.get("description", "").partition("\n\nAttributes:\n")
    notes = {name: _plain(note) for name, note in _ATTRIBUTE.findall(attributes)}
    properties = {
        name: {**_without_defaults(value), **({"description": notes[name]} if name in notes else {})}
        for name, value in made["properties"].items()
    }
    described: Schema = {"type": "object", "description": _plain(about), "properties": properties}
    return {**described, "required": list(properties)}  # every field is there, default or not


def _without_defaults(value: Schema) -> Schema:
    return {key: one for key, one in value.items() if key != "default"}


def _plain(docstring: str) -> str:
    """Return a docstring as plain text: one paragraph; ``None`` is ``null`` in JSON."""
    return " ".join(docstring.split()).replace("``None``", "`null`").replace("``", "`")
