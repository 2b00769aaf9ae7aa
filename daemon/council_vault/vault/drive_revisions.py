"""What files on Drive said before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.vault.drive_items import REVISION_FIELDS, Revision, RevisionPage
from council_vault.vault.drive_refusals import Passing

if TYPE_CHECKING:
    from council_vault.vault.drive_patience import Patience
    from council_vault.vault.drive_requests import Requests


class Revisions:
    """The revisions of files.

    Args:
        requests: how Drive is asked.
        patience: how long a list is waited for that lags behind.
    """

    def __init__(self, requests: Requests, patience: Patience) -> None:
        self._requests = requests
        self._patience = patience

    def of(self, file: str, newest: str | None) -> list[Revision]:
        """Return the contents that a file has had, the oldest first; very old ones may be gone.

        Args:
            file: its identifier.
            newest: the revision that must be among them, for which the list is waited for.
        """

        def complete() -> list[Revision]:
            found = self._listed(file)
            if newest is not None and all(revision.id != newest for revision in found):
                raise Passing("the list of revisions lags behind")
            return found

        return self._patience.see_through(complete)

    def keep(self, file: str, revision: str, *, forever: bool) -> Revision:
        """Have Drive keep a revision for ever, or no longer. Only kept ones can be read."""
        return self._requests.ask(
            lambda api: api.revisions.update(
                fileId=file, revisionId=revision, body={"keepForever": forever}, fields=REVISION_FIELDS
            ),
            Revision,
        )

    def content(self, file: str, revision: str) -> bytes:
        """Return what a file said in a revision that is kept."""
        return self._requests.ask(
            lambda api: api.revisions.get_media(fileId=file, revisionId=revision), bytes
        )

    def _listed(self, file: str) -> list[Revision]:
        options = {
            "fileId": file,
            "pageSize": 1000,
            "fields": f"nextPageToken,revisions({REVISION_FIELDS})",
        }
        pages = self._requests.pages(
            lambda token, api: api.revisions.list(pageToken=token, **options), RevisionPage
        )
        return [revision for page in pages for revision in page.revisions]
