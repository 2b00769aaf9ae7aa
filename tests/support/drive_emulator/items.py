"""What a Drive holds: files, folders and shortcuts, their revisions, and how the API shows them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

FOLDER = "application/vnd.google-apps.folder"
SHORTCUT = "application/vnd.google-apps.shortcut"
USER = {
    "kind": "drive#user",
    "displayName": "Ada Example",
    "me": True,
    "permissionId": "08000000000000000001",
    "emailAddress": "ada@example.com",
}
SOMEBODY = {
    "kind": "drive#user",
    "displayName": "Somebody Else",
    "me": False,
    "permissionId": "08000000000000000002",
    "emailAddress": "somebody@example.com",
}


def stamp(seconds: float) -> str:
    """Return a time as the API writes it: RFC 3339, UTC, milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass
class Revision:
    id: str
    content: bytes
    mime_type: str
    modified: float
    by: dict
    name: str
    keep_forever: bool = False

    @cached_property
    def checksums(self) -> dict[str, str]:
        return {
            "md5Checksum": hashlib.md5(self.content, usedforsecurity=False).hexdigest(),
            "sha1Checksum": hashlib.sha1(self.content, usedforsecurity=False).hexdigest(),
            "sha256Checksum": hashlib.sha256(self.content).hexdigest(),
        }

    def resource(self) -> dict:
        return {
            "kind": "drive#revision",
            "id": self.id,
            "mimeType": self.mime_type,
            "modifiedTime": stamp(self.modified),
            "keepForever": self.keep_forever,
            "published": False,
            "lastModifyingUser": self.by,
            "originalFilename": self.name,
            "md5Checksum": self.checksums["md5Checksum"],
            "size": str(len(self.content)),
        }


@dataclass
class Item:
    """A file, a folder or a shortcut.

    ``parent`` is ``None`` for the folder at the top of a drive. ``listed_from`` is the number of the first
    list request that sees it.
    """

    id: str
    name: str
    mime_type: str
    parent: str | None
    drive: str | None
    created: float
    modified: float
    by: dict
    explicitly_trashed: bool = False
    starred: bool = False
    description: str = ""
    properties: dict[str, str] = field(default_factory=dict)
    app_properties: dict[str, str] = field(default_factory=dict)
    version: int = 1
    revisions: list[Revision] = field(default_factory=list)
    target: str | None = None
    target_type: str | None = None
    trashed_at: float = 0.0
    listed_from: int = 0

    @property
    def is_folder(self) -> bool:
        return self.mime_type == FOLDER

    @property
    def head(self) -> Revision | None:
        return self.revisions[-1] if self.revisions else None

    def resource(self, *, trashed: bool) -> dict:
        """Return the whole File resource; ``trashed`` depends on the folders above too."""
        mine = self.drive is None
        shown = {
            "kind": "drive#file",
            "id": self.id,
            "name": self.name,
            "mimeType": self.mime_type,
            "starred": self.starred,
            "trashed": trashed,
            "explicitlyTrashed": self.explicitly_trashed,
            "spaces": ["drive"],
            "version": str(self.version),
            "createdTime": stamp(self.created),
            "modifiedTime": stamp(self.modified),
            "lastModifyingUser": self.by,
            "capabilities": {
                "canEdit": True,
                "canDownload": bool(self.revisions),
                "canAddChildren": self.is_folder,
                "canListChildren": self.is_folder,
                "canTrash": self.parent is not None,
                "canReadRevisions": bool(self.revisions),
                "canModifyContent": True,
            },
            "quotaBytesUsed": str(self.quota()),
            "webViewLink": f"https://drive.google.com/file/d/{self.id}/view",
        }
        if self.parent is not None:
            shown["parents"] = [self.parent]
        if mine:
            shown |= {"ownedByMe": True, "owners": [USER], "shared": False}
        else:
            shown |= {"driveId": self.drive, "teamDriveId": self.drive}
            if trashed:
                shown["trashedTime"] = stamp(self.trashed_at)
        if self.description:
            shown["description"] = self.description
        if self.properties:
            shown["properties"] = self.properties
        if self.app_properties:
            shown["appProperties"] = self.app_properties
        if self.target is not None:
            shown["shortcutDetails"] = {"targetId": self.target, "targetMimeType": self.target_type}
        if head := self.head:
            extension = self.name.rpartition(".")[2] if "." in self.name else ""
            shown |= head.checksums | {
                "headRevisionId": head.id,
                "size": str(len(head.content)),
                "originalFilename": head.name,
                "fileExtension": extension,
                "fullFileExtension": extension,
            }
        return shown

    def quota(self) -> int:
        """Return the bytes that count against the person's storage: the head and what is kept for ever."""
        counted = [kept for kept in self.revisions[:-1] if kept.keep_forever] + self.revisions[-1:]
        return sum(len(revision.content) for revision in counted)
