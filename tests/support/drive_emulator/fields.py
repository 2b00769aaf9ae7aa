"""The ``fields`` parameter: which parts of a resource are sent, as ``nextPageToken,files(id,owners/me)``."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files

from support.drive_emulator.replies import DriveError

Mask = dict[str, "Mask | None"]

TOKEN = re.compile(r"\s*([A-Za-z]\w*|\*|[(),/])")
DISCOVERY = "discovery_cache/documents/drive.v3.json"
FILE = "kind,id,name,mimeType"
DEFAULTS = {
    "files.list": f"kind,incompleteSearch,nextPageToken,files({FILE})",
    "files.get": FILE,
    "files.create": FILE,
    "files.update": FILE,
    "upload": FILE,
    "changes.list": (
        "kind,nextPageToken,newStartPageToken,"
        f"changes(kind,type,changeType,time,removed,fileId,driveId,file({FILE}),drive(kind,id,name))"
    ),
    "revisions.list": "kind,nextPageToken,revisions(kind,id,mimeType,modifiedTime)",
    "revisions.get": "kind,id,mimeType,modifiedTime",
    "revisions.update": "kind,id,mimeType,modifiedTime",
    "drives.list": "kind,nextPageToken,drives(kind,id,name)",
    "drives.get": "kind,id,name",
}
"""What is sent where nothing is asked for."""


def select(resource: object, operation: str, fields: str) -> object:
    """Return the parts of a resource that are asked for, or those that come unasked.

    Raises:
        DriveError: the text is not of the parameter's form, or names what the resource does not have.
    """
    mask = _parse(fields or DEFAULTS.get(operation, "*"))
    if fields:
        _check(mask, {"$ref": _schema_name(operation)}, fields)
    return _pick(resource, mask)


@cache
def _discovery() -> dict:
    """Return Google's own description of the API."""
    return json.loads(files("googleapiclient").joinpath(DISCOVERY).read_text(encoding="utf-8"))


def _schema_name(operation: str) -> str:
    resource, method = ("files.create" if operation == "upload" else operation).split(".")
    return _discovery()["resources"][resource]["methods"][method]["response"]["$ref"]


def _check(mask: Mask, schema: dict, fields: str) -> None:
    while "$ref" in schema or "items" in schema:
        schema = schema["items"] if "items" in schema else _discovery()["schemas"][schema["$ref"]]
    for name, inner in mask.items():
        known = schema.get("properties", {}).get(name) or schema.get("additionalProperties")
        if name != "*" and known is None:
            raise _refused(fields)
        if inner is not None and known is not None:
            _check(inner, known, fields)


def _pick(value: object, mask: Mask | None) -> object:
    if mask is None or "*" in mask:
        return value
    if isinstance(value, list):
        return [_pick(element, mask) for element in value]
    if isinstance(value, dict):
        return {key: _pick(part, mask[key]) for key, part in value.items() if key in mask}
    return value


def _parse(fields: str) -> Mask:
    tokens: list[str] = []
    place = 0
    while place < len(fields.rstrip()):
        found = TOKEN.match(fields, place)
        if found is None:
            raise _refused(fields)
        tokens.append(found[1])
        place = found.end()
    tokens.append("")
    mask = _choices(tokens, fields)
    if tokens != [""]:
        raise _refused(fields)
    return mask


def _choices(tokens: list[str], fields: str) -> Mask:
    """Read paths with commas between them."""
    mask: Mask = {}
    while True:
        name, inner = _path(tokens, fields)
        known = mask.get(name, {})
        mask[name] = None if inner is None or known is None else known | inner
        if tokens[0] != ",":
            return mask
        tokens.pop(0)


def _path(tokens: list[str], fields: str) -> tuple[str, Mask | None]:
    """Read a name, and what is asked for within it: ``name``, ``name/path`` or ``name(paths)``."""
    name = tokens.pop(0)
    if name in {"", *"(),/"}:
        raise _refused(fields)
    if tokens[0] == "/":
        tokens.pop(0)
        inner_name, inner = _path(tokens, fields)
        return name, {inner_name: inner}
    if tokens[0] == "(":
        tokens.pop(0)
        chosen = _choices(tokens, fields)
        if tokens.pop(0) != ")":
            raise _refused(fields)
        return name, chosen
    return name, None


def _refused(fields: str) -> DriveError:
    return DriveError(400, "invalidParameter", f"Invalid field selection {fields}", location="fields")
