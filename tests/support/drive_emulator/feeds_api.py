"""The smaller methods: changes, revisions, drives, about."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from support.drive_emulator.files_api import content_reply
from support.drive_emulator.items import USER, stamp
from support.drive_emulator.listing import page_size
from support.drive_emulator.query import Query
from support.drive_emulator.replies import DriveError, Reply, invalid
from support.drive_emulator.uploads import read_metadata

if TYPE_CHECKING:
    from support.drive_emulator.requests import Request
    from support.drive_emulator.store import Change, Store

QUOTA = 15 * 1024**3


class FeedsApi:
    """Answers requests for changes, revisions, shared drives, and about the person.

    Args:
        store: what they are about.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    # Changes

    def start_page_token(self, request: Request) -> dict:
        self._drive(request)
        return {"kind": "drive#startPageToken", "startPageToken": str(len(self._store.changes) + 1)}

    def changes(self, request: Request) -> dict:
        """List what changed since a token, each item once, as it is now."""
        token = request.query.get("pageToken", "")
        if not token.isdigit() or int(token) < 1:
            raise invalid("pageToken")
        drive = self._drive(request)
        with self._store.lock:
            latest: dict[str, Change] = {}
            for change in self._store.changes[int(token) - 1 :]:
                key = change.item or f"drive {change.drive}"
                latest.pop(key, None)
                latest[key] = change
            seen = [change for change in latest.values() if self._visible(change, request, drive)]
            size = page_size(request)
            page = {
                "kind": "drive#changeList",
                "changes": [self._change(change) for change in seen[:size]],
            }
            if len(seen) > size:
                return page | {"nextPageToken": str(seen[size - 1].number + 1)}
            return page | {"newStartPageToken": str(len(self._store.changes) + 1)}

    def _visible(self, change: Change, request: Request, drive: str | None) -> bool:
        if request.query.get("includeRemoved") == "false" and change.item not in self._store.items:
            return False
        if drive is not None:
            return change.drive == drive
        if change.drive is None:
            return True
        return (
            request.shared
            and request.flag("includeItemsFromAllDrives")
            and not request.flag("restrictToMyDrive")
        )

    def _change(self, change: Change) -> dict:
        shown: dict = {"kind": "drive#change", "time": stamp(change.time), "removed": False}
        if change.drive is not None:
            shown["driveId"] = change.drive
        if change.item is None:
            return shown | {
                "type": "drive",
                "changeType": "drive",
                "drive": self._shown_drive(str(change.drive)),
            }
        shown |= {"type": "file", "changeType": "file", "fileId": change.item}
        item = self._store.items.get(change.item)
        if item is None:
            return shown | {"removed": True}
        return shown | {"file": self._store.resource(item)}

    def _drive(self, request: Request) -> str | None:
        drive = request.query.get("driveId")
        if drive is not None and (drive not in self._store.drives or not request.shared):
            raise DriveError(404, "notFound", f"Shared drive not found: {drive}", location="driveId")
        return drive

    # Revisions

    def revisions(self, request: Request) -> dict:
        with self._store.lock:
            item = self._store.get(request.file)
            if not item.revisions:
                raise DriveError(403, "revisionsNotSupported", "The file does not support revisions.")
            token = request.query.get("pageToken", "0")
            if not token.isdigit():
                raise invalid("pageToken")
            end = int(token) + page_size(request, 200)
            page = {
                "kind": "drive#revisionList",
                "revisions": [revision.resource() for revision in item.revisions[int(token) : end]],
            }
            return page if end >= len(item.revisions) else page | {"nextPageToken": str(end)}

    def revision(self, request: Request) -> dict | Reply:
        revision = self._store.revision(self._store.get(request.file), request.names["revision"])
        if request.query.get("alt") == "media":
            return content_reply(revision.content, revision.mime_type, request)
        return revision.resource()

    def update_revision(self, request: Request) -> dict:
        """Keep a revision for ever, or no longer; nothing else of a file's revision can be changed."""
        metadata = read_metadata(request.body)
        with self._store.lock:
            revision = self._store.revision(self._store.get(request.file), request.names["revision"])
            if not isinstance(metadata.get("keepForever", revision.keep_forever), bool):
                raise invalid("keepForever")
            revision.keep_forever = metadata.get("keepForever", revision.keep_forever)
            return revision.resource()

    def delete_revision(self, request: Request) -> Reply:
        with self._store.lock:
            item = self._store.get(request.file)
            revision = self._store.revision(item, request.names["revision"])
            if len(item.revisions) == 1:
                raise DriveError(400, "cannotDeleteOnlyRevision", "The only revision cannot be deleted.")
            item.revisions.remove(revision)
            self._store.touch(item)
            return Reply(204)

    # Drives, about

    def drives(self, request: Request) -> dict:
        with self._store.lock:
            token = request.query.get("pageToken", "0")
            if not token.isdigit():
                raise invalid("pageToken")
            end = int(token) + page_size(request, 10, 100)
            query = Query(request.query.get("q", ""), self._store)
            known = [
                drive
                for drive, shared in self._store.drives.items()
                if query.matches(replace(self._store.items[drive], name=shared.name))
            ]
            page = {
                "kind": "drive#driveList",
                "drives": [self._shown_drive(drive) for drive in known[int(token) : end]],
            }
            return page if end >= len(known) else page | {"nextPageToken": str(end)}

    def drive(self, request: Request) -> dict:
        drive = request.names["drive"]
        if drive not in self._store.drives:
            raise DriveError(404, "notFound", f"Shared drive not found: {drive}", location="driveId")
        return self._shown_drive(drive)

    def _shown_drive(self, drive: str) -> dict:
        return {
            "kind": "drive#drive",
            "id": drive,
            "name": self._store.drives[drive].name,
            "createdTime": stamp(self._store.drives[drive].created),
            "hidden": False,
        }

    def about(self, request: Request) -> dict:
        if not request.query.get("fields"):
            raise DriveError(
                400,
                "required",
                "The 'fields' parameter is required for this method.",
                location="fields",
            )
        with self._store.lock:
            mine = [item for item in self._store.items.values() if item.drive is None]
            used = sum(item.quota() for item in mine)
            in_trash = sum(item.quota() for item in mine if self._store.trashed(item))
        return {
            "kind": "drive#about",
            "user": USER,
            "storageQuota": {
                "limit": str(QUOTA),
                "usage": str(used),
                "usageInDrive": str(used),
                "usageInDriveTrash": str(in_trash),
            },
        }
