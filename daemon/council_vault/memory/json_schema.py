"""The JSON Schema of a memory file of version 1.3, made from the typed views.

The views say which fields there are and of what type; `field_notes` adds what a type cannot say. Fields that
the schema does not know are allowed everywhere, and ``null`` says the same as a field that is not there.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import msgspec

from council_vault.memory.field_notes import FIELDS, REQUIRED, TITLES
from council_vault.memory.schema import Memory

if TYPE_CHECKING:
    from collections.abc import Mapping

    Schema = dict[str, Any]

DIALECT = "http://json-schema.org/draft-07/schema#"
_PLACE = "#/definitions/{name}"
_TAKEN_OUT = frozenset({"default", "minimum", "maximum"})
_NOTHING: Mapping[str, Any] = {}


def memory_schema() -> Schema:
    """Return the schema, in draft 07, which most tools read."""
    _, components = msgspec.json.schema_components([Memory], ref_template=_PLACE)
    definitions = {name: _definition(name, made) for name, made in components.items()}
    for made in components.values():
        for name in filter(None, map(_may_be_missing, made["properties"].values())):
            definitions[name]["type"] = ["object", "null"]
    root = definitions.pop(Memory.__name__)
    return {"$schema": DIALECT, **root, "definitions": dict(sorted(definitions.items()))}


def schema_text() -> str:
    """Return the schema as the file that comes with the program holds it."""
    return json.dumps(memory_schema(), indent=2, ensure_ascii=False) + "\n"


def _definition(name: str, made: Schema) -> Schema:
    """Return one object's schema: what `msgspec` made of its view, and what is said of its fields."""
    required = REQUIRED.get(name, ())
    notes = FIELDS.get(name, _NOTHING)
    properties = {}
    for field, value in made["properties"].items():
        note = notes.get(field, _NOTHING)
        kind = {} if "type" in note else _typed(value, nullable=field not in required)
        properties[field] = {**kind, **note}
    title, description = TITLES.get(name, (_words(name), _plain(made["description"])))
    definition = {"title": title, "description": description, "type": "object", "properties": properties}
    return {**definition, "required": list(required)} if required else definition


def _typed(value: Schema, *, nullable: bool) -> Schema:
    """Return a field's type in as few words as it takes; a default of the view is none of the file."""
    options = value.get("anyOf")
    if options is None:
        return {key: _unbounded(one) for key, one in value.items() if key not in _TAKEN_OUT}
    reference = next((one for one in options if "$ref" in one), None)
    if reference is not None:
        return dict(reference)  # the definition itself says that it may be null
    kinds = [one["type"] for one in options if nullable or one["type"] != "null"]
    return {"type": kinds if len(kinds) > 1 else kinds[0]}


def _unbounded(value: Any) -> Any:  # noqa: ANN401 (any part of a schema)
    """Return a part of a schema without the bounds that only computers have."""
    if not isinstance(value, dict):
        return value
    return {key: one for key, one in value.items() if key not in _TAKEN_OUT}


def _may_be_missing(value: Schema) -> str | None:
    """Return the name of the object that a field holds, where it may hold ``null`` instead."""
    references = [one["$ref"] for one in value.get("anyOf", ()) if "$ref" in one]
    return references[0].rpartition("/")[2] if references else None


def _words(name: str) -> str:
    """Return a view's name as words: ``Archived size``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).capitalize()


def _plain(docstring: str) -> str:
    """Return a docstring as plain text: one paragraph, with single backquotes."""
    return " ".join(docstring.split()).replace("``", "`")
