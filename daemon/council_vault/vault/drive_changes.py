"""What has changed on a drive, as its feed of changes tells: one request, however much there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.vault.drive_items import FOLDER_TYPE, ChangePage, StartOfChanges
from council_vault.vault.drive_refusals import ItemRefused

if TYPE_CHECKING:
    from council_vault.vault.drive_items import Change
    from council_vault.vault.drive_requests import Requests

_FIELDS = "nextPageToken,newStartPageToken,changes(file(name,mimeType))"


class Changes:
    """The feed of one drive, and the place up to which it has been read.

    Args:
        requests: how Drive is asked.
        drive: the shared drive, ``None`` for the person's own.
    """

    def __init__(self, requests: Requests, drive: str | None) -> None:
        self._requests = requests
        self._drive = drive
        self._token: str | None = None
        self._last: frozenset[str] | None = None

    def names(self) -> frozenset[str] | None:
        """Return the names of the files that have changed since this was asked the time before last.

        Lists lag behind the feed, so everything is told twice.

        Returns:
            ``None`` where anything may have changed: at first, where Drive has forgotten the place, and where
            a folder has changed, or something is gone whose name is not told.

        Raises:
            VaultUnavailable: Drive cannot be used now.
        """
        last, self._last = self._last, self._news()
        return None if last is None or self._last is None else last | self._last

    def _news(self) -> frozenset[str] | None:
        token, self._token = self._token, None
        changes = None if token is None else self._since(token)
        if changes is None:
            self._token = self._requests.ask(
                lambda api: api.changes.getStartPageToken(driveId=self._drive, supportsAllDrives=True),
                StartOfChanges,
            ).start_page_token
            return None
        files = [change.file for change in changes if change.file and change.file.mime_type != FOLDER_TYPE]
        return frozenset(file.name for file in files) if len(files) == len(changes) else None

    def _since(self, token: str) -> list[Change] | None:
        """Return the changes since a place, which goes on; ``None`` where Drive has forgotten the place."""
        options = {
            "driveId": self._drive,
            "pageSize": 1000,
            "fields": _FIELDS,
            "supportsAllDrives": True,
            "includeItemsFromAllDrives": True,
        }
        try:
            pages = list(
                self._requests.pages(
                    lambda page, api: api.changes.list(pageToken=page or token, **options), ChangePage
                )
            )
        except ItemRefused:
            return None
        self._token = pages[-1].new_start_page_token
        return [change for page in pages for change in page.changes]
