"""The places of a memory file in words: ``deliberations[17].rankings["openai/gpt-4o"]``."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

from council_vault.memory.json_schema import memory_schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    Key = str | int
    Path = tuple[Key, ...]
    Schema = dict[str, Any]


def spelled(path: Sequence[Key]) -> str:
    """Return a path as reading spells it: fields behind a dot, places and names in brackets."""
    text = ""
    inside = _schema()
    for key in path:
        fields = inside.get("properties")
        if isinstance(key, int):
            text, below = f"{text}[{key}]", inside.get("items")
        elif fields is None:
            text, below = f"{text}[{json.dumps(key)}]", inside.get("additionalProperties")
        else:
            text, below = f"{text}.{key}" if text else key, fields.get(key)
        inside = _resolved(below or {})
    return text


@functools.cache
def _schema() -> Schema:
    return memory_schema()


def _resolved(part: Schema) -> Schema:
    """Return what a part of the schema says, or refers to."""
    reference = part.get("$ref")
    return part if reference is None else _schema()["definitions"][reference.rpartition("/")[2]]
