"""Older memory files brought up to schema 1.3 (pure)."""

from __future__ import annotations

import copy
from typing import Any

from council_vault.memory.decoding import version_in
from council_vault.memory.schema import CURRENT_VERSION

CURRENT = ".".join(map(str, CURRENT_VERSION))


def empty_routing_model() -> dict[str, object]:
    """Return the routing model of a memory that has learned nothing yet."""
    return {"last_rebuilt": None, "sample_size": 0, "routing_accuracy": None, "rules": []}


def migrate(document: dict[str, Any]) -> dict[str, Any]:
    """Return a parsed memory file as schema 1.3; what it says, unknown fields and the order of keys are kept.

    Adds what later versions brought, where it is missing: ``routing_accuracy`` (1.1), ``optimization_log``
    (1.2) and ``last_vault_sync`` (1.3). A file without a version that can be read is taken for an old one. A
    file of a newer version is returned as it is.
    """
    version = version_in(document.get("version"))
    if version is not None and version > CURRENT_VERSION:
        return document
    migrated = _with_key(document, "version", CURRENT, behind=None)
    migrated["version"] = CURRENT
    routing = migrated.get("routing_model", empty_routing_model())
    if isinstance(routing, dict):
        routing = _with_key(routing, "routing_accuracy", None, behind="sample_size")
        migrated = _with_key(migrated, "routing_model", routing, behind="deliberations")
        migrated["routing_model"] = routing
    migrated = _with_key(migrated, "optimization_log", [], behind="model_performance")
    return _with_key(migrated, "last_vault_sync", None, behind="last_updated")


def _with_key(document: dict[str, Any], key: str, value: object, *, behind: str | None) -> dict[str, Any]:
    """Return a copy that has the key: a new one stands behind its usual neighbour, else at the end.

    ``behind`` ``None`` puts it first.
    """
    result = copy.copy(document)
    if key in result:
        return result
    names = list(result)
    place = 0 if behind is None else names.index(behind) + 1 if behind in result else len(names)
    later = {name: result.pop(name) for name in names[place:]}
    result[key] = value
    result.update(later)
    return result
