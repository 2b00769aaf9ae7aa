"""What Drive holds, as its API tells of it: items and revisions.

Times are aware; an identifier says nothing but which item is meant.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec reads the annotations
from datetime import datetime  # noqa: TC003 - likewise

import msgspec

FOLDER_TYPE = "application/vnd.google-apps.folder"
NOTE_TYPE = "text/markdown"
SHORTCUT_TYPE = "application/vnd.google-apps.shortcut"
OURS = "councilVault"
"""The property that tells the files that were made here."""

ITEM_FIELDS = (
    "id,name,mimeType,parents,driveId,trashed,createdTime,modifiedTime,"
    "headRevisionId,md5Checksum,appProperties,shortcutDetails(targetId,targetMimeType)"
)
REVISION_FIELDS = "id,md5Checksum,modifiedTime,keepForever"


class Target(msgspec.Struct, frozen=True, rename="camel"):
    """What a shortcut points to, as it was when the shortcut was made."""

    target_id: str
    target_mime_type: str = ""


class Item(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A file, a folder or a shortcut.

    ``head_revision_id`` and ``md5_checksum`` belong to files whose content is bytes; Google's own documents
    have neither. ``drive_id`` is that of the shared drive it is on. ``app_properties`` are ours alone.
    """

    id: str
    name: str
    mime_type: str
    created_time: datetime
    modified_time: datetime
    parents: tuple[str, ...] = ()
    drive_id: str | None = None
    trashed: bool = False
    head_revision_id: str | None = None
    md5_checksum: str | None = None
    app_properties: Mapping[str, str | None] = {}
    shortcut_details: Target | None = None

    @property
    def is_folder(self) -> bool:
        """Whether it holds other items."""
        return self.mime_type == FOLDER_TYPE

    @property
    def is_file(self) -> bool:
        """Whether its content is bytes, as a note's is."""
        return self.head_revision_id is not None

    @property
    def leads_to_folder(self) -> bool:
        """Whether it is a folder, or a shortcut to one."""
        return FOLDER_TYPE in {
            self.mime_type,
            self.shortcut_details and self.shortcut_details.target_mime_type,
        }

    @property
    def parent(self) -> str | None:
        """The folder it is in; ``None`` for the top of a drive, and where that folder may not be seen."""
        return self.parents[0] if self.parents else None


class Revision(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A content that a file has or had."""

    id: str
    modified_time: datetime
    md5_checksum: str | None = None
    keep_forever: bool = False


class Page(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One page of a list; with a token there are more."""

    next_page_token: str | None = None


class ItemPage(Page, frozen=True, kw_only=True, rename="camel"):
    """One page of a list of items."""

    files: tuple[Item, ...]


class RevisionPage(Page, frozen=True, kw_only=True, rename="camel"):
    """One page of a file's revisions, the oldest first."""

    revisions: tuple[Revision, ...]


class SharedDrive(msgspec.Struct, frozen=True):
    """A shared drive; its identifier is also that of its top folder."""

    id: str
    name: str


class SharedDrivePage(Page, frozen=True, kw_only=True, rename="camel"):
    """One page of a list of shared drives."""

    drives: tuple[SharedDrive, ...]


class ChangedFile(msgspec.Struct, frozen=True, rename="camel"):
    """As much of a file as says whom its change concerns."""

    name: str
    mime_type: str


class Change(msgspec.Struct, frozen=True):
    """Something that has changed; ``file`` is ``None`` where it is gone, or a drive itself."""

    file: ChangedFile | None = None


class ChangePage(Page, frozen=True, kw_only=True, rename="camel"):
    """One page of changes; the last one has the token for those to come."""

    changes: tuple[Change, ...]
    new_start_page_token: str | None = None


class StartOfChanges(msgspec.Struct, frozen=True, rename="camel"):
    """The token for the changes from now on."""

    start_page_token: str


class Identifiers(msgspec.Struct, frozen=True):
    """Identifiers that Drive has set aside for what we shall create."""

    ids: tuple[str, ...]
