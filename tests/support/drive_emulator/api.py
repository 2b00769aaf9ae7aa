"""Who answers what: from a request to the method of the API that is meant, and back to a reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.drive_emulator.feeds_api import FeedsApi
from support.drive_emulator.fields import select
from support.drive_emulator.files_api import FilesApi
from support.drive_emulator.replies import DriveError, Reply, resource

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.drive_emulator.oauth import OAuth
    from support.drive_emulator.requests import Request
    from support.drive_emulator.store import Store


class Api:
    """The whole API.

    Args:
        store: what it is about.
        oauth: who may ask.
        endpoint: where the server is.
    """

    def __init__(self, store: Store, oauth: OAuth, endpoint: str) -> None:
        self._oauth = oauth
        self.files = files = FilesApi(store, endpoint)
        feeds = FeedsApi(store)
        self._methods: dict[str, Callable[[Request], dict | Reply]] = {
            "files.list": files.list,
            "files.get": files.get,
            "files.create": files.create,
            "files.update": files.update,
            "files.delete": files.delete,
            "files.generateIds": files.generate_ids,
            "upload": files.upload,
            "changes.getStartPageToken": feeds.start_page_token,
            "changes.list": feeds.changes,
            "revisions.list": feeds.revisions,
            "revisions.get": feeds.revision,
            "revisions.update": feeds.update_revision,
            "revisions.delete": feeds.delete_revision,
            "drives.list": feeds.drives,
            "drives.get": feeds.drive,
            "about.get": feeds.about,
        }
        self._signing_in: dict[str, Callable[[Request], Reply]] = {
            "oauth.auth": oauth.authorize,
            "oauth.token": oauth.token,
            "oauth.revoke": oauth.revoke_token,
        }

    def answer(self, request: Request) -> Reply:
        """Carry a request out.

        Raises:
            DriveError: it is refused.
        """
        if signing_in := self._signing_in.get(request.operation):
            return signing_in(request)
        method = self._methods.get(request.operation)
        if method is None:
            raise DriveError(404, "notFound", "Not Found")
        self._oauth.check(request)
        result = method(request)
        if isinstance(result, Reply):
            return result
        return resource(select(result, request.operation, request.query.get("fields", "")))
