"""What can be done on Drive, in the terms of this program.

Every request takes shared drives in. What is created has an identifier that Drive has set aside before, so
that a request whose answer was lost can be sent again and makes no twin.
"""

from __future__ import annotations

import logging
import weakref
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from council_vault.errors import SettingsError
from council_vault.vault.drive_changes import Changes
from council_vault.vault.drive_items import (
    FOLDER_TYPE,
    ITEM_FIELDS,
    NOTE_TYPE,
    OURS,
    Identifiers,
    Item,
    ItemPage,
    SharedDrive,
    SharedDrivePage,
)
from council_vault.vault.drive_patience import Patience
from council_vault.vault.drive_queries import children_of
from council_vault.vault.drive_refusals import IdentifierTaken, ItemMissing
from council_vault.vault.drive_requests import Requests
from council_vault.vault.drive_revisions import Revisions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from google.auth.credentials import Credentials

_log = logging.getLogger(__name__)

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
_FOLDERS_AT_ONCE = 20
"""Folders listed by one request: as many as its address has room for."""

_WHOLE_UPLOAD = 4 * 1024 * 1024
"""Bytes up to which content goes in one request; Drive takes 5 MB with everything around it."""

_IDENTIFIERS_AT_ONCE = 10


class DriveClient:
    """Google Drive; one thread owns it, and keeps it as long as it runs.

    It remembers the identifier of everything that it was to create, as long as lists do not show it: they lag
    behind, and a second attempt must be at the same item.

    Attributes:
        revisions: what files said before.

    Args:
        endpoint: where the API is, ``None`` for Google's; else a server on this computer.
        credentials: who is signed in; ``None`` where the endpoint asks nobody.
        patience: how long to repeat what fails for the moment.

    Raises:
        SettingsError: the endpoint is not on this computer: it would be given the sign-in.
    """

    def __init__(
        self, endpoint: str | None, credentials: Credentials | None, patience: Patience | None = None
    ) -> None:
        if endpoint is not None and urlsplit(endpoint).hostname not in _LOOPBACK:
            raise SettingsError(
                f"drive.endpoint is {endpoint!r}, which is not on this computer",
                remedy="Remove it; only an emulator needs it",
            )
        patience = patience or Patience()
        self._requests = Requests(endpoint, credentials, patience)
        weakref.finalize(self, self._requests.close)  # where nobody closes it: when its thread or all ends
        self.revisions = Revisions(self._requests, patience)
        self._said: set[str] = set()
        self._identifiers: list[str] = []
        self._created: dict[tuple[str, str], str] = {}

    def close(self) -> None:
        """Give up the connection; the next request makes a new one."""
        self._requests.close()

    def say_once(self, sentence: str) -> None:
        """Tell of something that a person should know, and does not want to hear at every sync."""
        if sentence not in self._said:
            self._said.add(sentence)
            _log.warning("%s", sentence)

    # Looking

    def item(self, identifier: str) -> Item | None:
        """Return an item as it is now, in the trash or not; ``None`` where there is none."""
        try:
            return self._requests.ask(
                lambda api: api.files.get(fileId=identifier, fields=ITEM_FIELDS, supportsAllDrives=True),
                Item,
            )
        except ItemMissing:
            return None

    def search(self, query: str, *, corpora: str = "allDrives", drive: str | None = None) -> list[Item]:
        """Return everything that a search finds.

        Args:
            query: the search, made by `drive_queries`.
            corpora: where: ``user`` for what the person has or has opened, ``allDrives``, or ``drive``.
            drive: the shared drive, for ``drive``.
        """
        options = {
            "q": query,
            "corpora": corpora,
            "driveId": drive,
            "pageSize": 1000,
            "fields": f"nextPageToken,files({ITEM_FIELDS})",
            "supportsAllDrives": True,
            "includeItemsFromAllDrives": True,
        }
        pages = self._requests.pages(lambda token, api: api.files.list(pageToken=token, **options), ItemPage)
        return [item for page in pages for item in page.files]

    def children(self, folders: Sequence[str], drive: str | None) -> dict[str, list[Item]]:
        """Return what is directly in each of some folders, the trash left out; nothing in one that is gone.

        Args:
            folders: their identifiers.
            drive: the shared drive they are all on, ``None`` for the person's own.
        """
        found: dict[str, list[Item]] = {folder: [] for folder in folders}
        for start in range(0, len(folders), _FOLDERS_AT_ONCE):
            asked = folders[start : start + _FOLDERS_AT_ONCE]
            self._list_into(found, asked, drive)
            if len(asked) > 1:  # Drive may leave out whole folders then, and does not say so
                for folder in asked:
                    if not found[folder]:
                        self._list_into(found, [folder], drive)
        for (folder, name), identifier in [*self._created.items()]:
            if folder in found:
                self._add_created(found[folder], folder, name, identifier)
        return found

    def shared_drives(self) -> list[SharedDrive]:
        """Return the shared drives that the person may see."""
        fields = "nextPageToken,drives(id,name)"
        pages = self._requests.pages(
            lambda token, api: api.drives.list(pageSize=100, pageToken=token, fields=fields), SharedDrivePage
        )
        return [drive for page in pages for drive in page.drives]

    def content(self, identifier: str) -> bytes:
        """Return what a file says now.

        Raises:
            ItemRefused: it has no content, is gone, or may not be read.
        """
        return self._requests.ask(
            lambda api: api.files.get_media(fileId=identifier, supportsAllDrives=True), bytes
        )

    def changes(self, drive: str | None) -> Changes:
        """Return the feed of what changes on a shared drive, or on the person's own; it begins now."""
        return Changes(self._requests, drive)

    # Creating

    def create_folder(self, name: str, parent: str) -> Item:
        """Make a folder."""
        return self._create({"name": name, "parents": [parent], "mimeType": FOLDER_TYPE}, None)

    def create_note(self, name: str, parent: str, content: bytes) -> Item:
        """Make a file of Markdown.

        If an earlier attempt to make it was carried out without an answer, that one is returned.
        """
        body = {"name": name, "parents": [parent], "mimeType": NOTE_TYPE, "appProperties": {OURS: "note"}}
        return self._create(body, content)

    # Changing

    def update(self, identifier: str, content: bytes, properties: Mapping[str, str | None]) -> Item:
        """Give a file new content, and properties of ours in the same step."""
        return self._requests.ask(
            lambda api: api.files.update(
                fileId=identifier,
                body={"appProperties": dict(properties)},
                media_body=_upload(content),
                fields=ITEM_FIELDS,
                supportsAllDrives=True,
            ),
            Item,
        )

    def set_properties(self, identifier: str, properties: Mapping[str, str | None]) -> Item:
        """Set properties of ours; ``None`` removes one."""
        return self._change(identifier, {"appProperties": dict(properties)})

    def trash(self, identifier: str) -> Item:
        """Move an item to the trash, where it can be got back from."""
        return self._change(identifier, {"trashed": True})

    # Within

    def _list_into(self, found: dict[str, list[Item]], folders: Sequence[str], drive: str | None) -> None:
        corpora = "user" if drive is None else "drive"
        try:
            children = self.search(children_of(folders), corpora=corpora, drive=drive)
        except ItemMissing:
            return  # one of them is gone; asked for alone, the others are found
        for item in children:
            if item.parent in found and not item.trashed:
                found[item.parent].append(item)

    def _add_created(self, listed: list[Item], folder: str, name: str, identifier: str) -> None:
        """Add to a folder's list what we have created in it, and forget it once it is listed, or gone."""
        if not any(item.id == identifier for item in listed):
            item = self.item(identifier)
            if item is None:
                return  # not made, or not yet: the identifier stays set aside for it
            if not item.trashed and item.parent == folder:
                listed.append(item)
                return
        del self._created[folder, name]

    def _create(self, body: Mapping[str, Any], content: bytes | None) -> Item:
        place = (body["parents"][0], body["name"])
        identifier = self._created.get(place) or self._identifier()
        self._created[place] = identifier
        media = {} if content is None else {"media_body": _upload(content)}
        try:
            return self._requests.ask(
                lambda api: api.files.create(
                    body={"id": identifier, **body}, fields=ITEM_FIELDS, supportsAllDrives=True, **media
                ),
                Item,
            )
        except IdentifierTaken:  # an earlier attempt was carried out
            item = self.item(identifier)
            if item is not None and not item.trashed:
                return item
            del self._created[place]  # somebody has thrown it away
            return self._create(body, content)

    def _identifier(self) -> str:
        """Return an identifier that Drive has set aside."""
        if not self._identifiers:
            options = {"count": _IDENTIFIERS_AT_ONCE, "space": "drive", "type": "files"}
            fresh = self._requests.ask(lambda api: api.files.generateIds(**options), Identifiers)
            self._identifiers += fresh.ids
        return self._identifiers.pop()

    def _change(self, identifier: str, body: Mapping[str, Any]) -> Item:
        return self._requests.ask(
            lambda api: api.files.update(
                fileId=identifier, body=dict(body), fields=ITEM_FIELDS, supportsAllDrives=True
            ),
            Item,
        )


def _upload(content: bytes) -> object:
    """Return content as the library uploads it: at once, or by parts where there is much of it."""
    import io  # noqa: PLC0415 - only with what follows

    from googleapiclient.http import MediaIoBaseUpload  # noqa: PLC0415 - only who uses Drive loads its libraries

    return MediaIoBaseUpload(io.BytesIO(content), NOTE_TYPE, resumable=len(content) > _WHOLE_UPLOAD)
