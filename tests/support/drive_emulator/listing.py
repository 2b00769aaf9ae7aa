"""``files.list``: what is searched, in what order, and in which pages."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import TYPE_CHECKING

from support.drive_emulator.query import Query
from support.drive_emulator.replies import DriveError, invalid

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.drive_emulator.items import Item
    from support.drive_emulator.requests import Request
    from support.drive_emulator.store import Store

ORDERS: dict[str, Callable[[Item], object]] = {
    "createdTime": lambda item: item.created,
    "folder": lambda item: not item.is_folder,
    "modifiedTime": lambda item: item.modified,
    "modifiedByMeTime": lambda item: item.modified,
    "recency": lambda item: item.modified,
    "name": lambda item: item.name.casefold(),
    "name_natural": lambda item: [
        (0, int(part), "") if part.isdigit() else (1, 0, part)
        for part in re.findall(r"\d+|\D+", item.name.casefold())
    ],
    "quotaBytesUsed": lambda item: item.quota(),
    "starred": lambda item: not item.starred,
}


def list_files(store: Store, request: Request, *, limit: int, empty_pages: bool) -> dict:
    """Answer a list request.

    Args:
        store: what is searched.
        request: what to search for, and where, in what order and which page.
        limit: the most files on a page, whatever is asked for.
        empty_pages: each page comes behind an empty one, as the API may do.
    """
    with store.lock:
        query = Query(request.query.get("q", ""), store)
        searched = _searched(store, request, query)
        found = [item for item in store.listable() if searched(item) and query.matches(item)]
        for key, descending in reversed(_order(request)):
            found.sort(key=ORDERS[key], reverse=descending)
        offset, empty = _place(request)
        page = {"kind": "drive#fileList", "incompleteSearch": False, "files": []}
        if empty_pages and not empty:
            return page | {"nextPageToken": _token(request, offset, empty=True)}
        end = offset + min(page_size(request), limit)
        page["files"] = [store.resource(item) for item in found[offset:end]]
        if end < len(found):
            page["nextPageToken"] = _token(request, end, empty=False)
        return page


def _order(request: Request) -> list[tuple[str, bool]]:
    """Read the keys to sort by, the first the strongest, and which of them go down."""
    parts = [part.split() for part in request.query.get("orderBy", "").split(",") if part]
    if any(part[:1] == [] or part[0] not in ORDERS or part[1:] not in ([], ["desc"]) for part in parts):
        raise invalid("orderBy")
    return [(part[0], bool(part[1:])) for part in parts]


def page_size(request: Request, usual: int = 100, most: int = 1000) -> int:
    text = request.query.get("pageSize", str(usual))
    if not text.isdigit() or int(text) < 1:
        raise invalid("pageSize")
    return min(int(text), most)


def _searched(store: Store, request: Request, query: Query) -> Callable[[Item], bool]:
    """Return what the search covers at all; items on shared drives only where the program knows of them."""
    included = request.shared and request.flag("includeItemsFromAllDrives")
    corpora = request.query.get("corpora") or ("drive" if "driveId" in request.query else "user")
    drive = request.query.get("driveId")
    if corpora not in {"user", "domain", "drive", "allDrives"}:
        raise invalid("corpora")
    if (corpora == "drive") != (drive is not None):
        raise DriveError(
            403,
            "driveIdMustBeSpecifiedWithCorpora",
            "The driveId parameter must be specified if and only if corpora is set to drive.",
        )
    if corpora in {"drive", "allDrives"} and not included:
        raise DriveError(
            403,
            "includeItemsFromAllDrivesRequired",
            f"includeItemsFromAllDrives and supportsAllDrives must be true for corpora={corpora}.",
        )
    if drive is not None:
        if drive not in store.drives:
            raise DriveError(404, "notFound", f"Shared drive not found: {drive}", location="driveId")
        return lambda item: item.drive == drive
    if corpora == "allDrives":
        return lambda _: True
    named = included and query.folders
    return lambda item: item.drive is None or bool(named and item.parent in query.folders)


def _digest(request: Request) -> str:
    kept = {name: text for name, text in request.query.items() if name not in {"pageToken", "fields", "alt"}}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:12]


def _token(request: Request, offset: int, *, empty: bool) -> str:
    return base64.urlsafe_b64encode(f"{offset}:{int(empty)}:{_digest(request)}".encode()).decode()


def _place(request: Request) -> tuple[int, bool]:
    """Read where a page begins; a token counts only with the search that it was made for."""
    token = request.query.get("pageToken", "")
    if not token:
        return 0, False
    try:
        offset, empty, digest = base64.urlsafe_b64decode(token).decode().split(":")
    except ValueError:
        raise invalid("pageToken") from None
    if digest != _digest(request):
        raise invalid("pageToken")
    return int(offset), empty == "1"
