"""The emulator as a test holds it: what is on the Drive, what others do to it, and what goes wrong."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from support.drive_emulator import oauth
from support.drive_emulator.faults import Fault, Rule, Schedule
from support.drive_emulator.feeds_api import FeedsApi
from support.drive_emulator.fields import DEFAULTS, select
from support.drive_emulator.files_api import FilesApi
from support.drive_emulator.items import FOLDER, SHORTCUT, SOMEBODY
from support.drive_emulator.oauth import OAuth
from support.drive_emulator.replies import DriveError, Reply, resource
from support.drive_emulator.server import Server
from support.drive_emulator.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.drive_emulator.faults import When
    from support.drive_emulator.requests import Request

    Found = bytes | str | None

MARKDOWN = "text/markdown"
TYPES = {".md": MARKDOWN, ".json": "application/json", ".txt": "text/plain"}


class DriveEmulator:
    """A Google Drive on the loopback, for as long as the ``with`` block lasts.

    What is done through this object is what another person does: it is on record in the changes feed and in
    ``lastModifyingUser``, and never counts as a request.

    Args:
        seed: for ids; the same seed gives the same ones.
        port: 0 for any that is free.

    Attributes:
        endpoint: ``http://127.0.0.1:PORT``, the root URL for the client.
        oauth: the sign-in server; see `OAuth`.
    """

    def __init__(self, seed: int = 1, port: int = 0) -> None:
        self._store = Store(seed)
        self._schedule = Schedule()
        self._server = Server(port, self._schedule)
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.oauth = OAuth(lambda: self._store.new_id("", 40))
        self._files = FilesApi(self._store, self.endpoint)
        feeds = FeedsApi(self._store)
        self._api: dict[str, Callable[[Request], dict | Reply]] = {
            "files.list": self._files.list,
            "files.get": self._files.get,
            "files.create": self._files.create,
            "files.update": self._files.update,
            "files.delete": self._files.delete,
            "files.generateIds": self._files.generate_ids,
            "upload": self._files.upload,
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
        self._sign_in: dict[str, Callable[[Request], Reply]] = {
            "oauth.auth": self.oauth.authorize,
            "oauth.token": self.oauth.token,
            "oauth.revoke": self.oauth.revoke_token,
        }
        self._server.answer = self._answer
        # The pause between two looks at whether to stop; closing waits for it.
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def __enter__(self) -> DriveEmulator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop. Raises what went wrong in the emulator itself, so that no test passes by a fault of its own."""
        self._server.close()
        self._thread.join()
        if self._server.errors:
            raise ExceptionGroup("the emulator failed", self._server.errors)

    # Putting things on the Drive

    def add_folder(self, name: str, parent: str = "root", *, drive: str | None = None) -> str:
        """Make a folder, even where one of that name is; ``drive`` is short for the root of a shared drive."""
        return self._store.create(name, FOLDER, drive or parent, None, by=SOMEBODY).id

    def add_file(self, name: str, content: bytes, parent: str = "root", *, ago: float = 3600.0) -> str:
        """Make a file, even where one of that name is, last changed so many seconds ago."""
        kind = TYPES.get(Path(name).suffix.lower(), "application/octet-stream")
        return self._store.create(name, kind, parent, content, by=SOMEBODY, when=time.time() - ago).id

    def add_shortcut(self, name: str, target: str, parent: str = "root") -> str:
        return self._store.create(name, SHORTCUT, parent, None, by=SOMEBODY, target=target).id

    def add_shared_drive(self, name: str) -> str:
        """Make a shared drive; its id is also that of its root folder."""
        return self._store.add_drive(name)

    def add_tree(self, folder: Path, name: str, parent: str = "root") -> str:
        """Copy a folder of this machine, hidden files included; return the id of the copy."""
        made = self.add_folder(name, parent)
        for inside in sorted(folder.iterdir()):
            if inside.is_dir():
                self.add_tree(inside, inside.name, made)
            else:
                self.add_file(inside.name, inside.read_bytes(), made)
        return made

    # What another person does

    def edit(self, file_id: str, content: bytes, *, ago: float = 0.0) -> str:
        """Give a file new content, so many seconds ago; return the id of the revision."""
        item = self._store.get(file_id)
        return self._store.write(item, content, by=SOMEBODY, when=time.time() - ago).id

    def rename(self, item_id: str, name: str) -> None:
        self._store.rename(self._store.get(item_id), name)

    def move(self, item_id: str, parent: str) -> None:
        self._store.move(self._store.get(item_id), parent)

    def trash(self, item_id: str) -> None:
        self._store.trash(self._store.get(item_id))

    def untrash(self, item_id: str) -> None:
        self._store.trash(self._store.get(item_id), trashed=False)

    def delete(self, item_id: str) -> None:
        self._store.delete(self._store.get(item_id))

    def purge_revisions(self, file_id: str) -> None:
        """Let the time pass after which Drive drops revisions that are not kept for ever."""
        self._store.purge(self._store.get(file_id))

    # Looking

    def read(self, file_id: str) -> bytes:
        head = self._store.get(file_id).head
        assert head is not None, f"{file_id} has no content"
        return head.content

    def get(self, item_id: str) -> dict:
        """Return the whole resource, as the API shows it with ``fields=*``."""
        return self._store.resource(self._store.get(item_id))

    @property
    def files(self) -> dict[str, dict]:
        """The whole resources of everything that is there, the trash included, by id."""
        with self._store.lock:
            return {item.id: self._store.resource(item) for item in self._store.items.values()}

    def revisions(self, file_id: str) -> list[dict]:
        """Return the resources of a file's revisions, oldest first, each with its ``content`` added."""
        with self._store.lock:
            return [
                revision.resource() | {"content": revision.content}
                for revision in self._store.get(file_id).revisions
            ]

    def find(self, path: str, folder: str = "root") -> str | None:
        """Return the id of what is at a path such as ``Vault/_System/MEMORY.md``; the oldest of several."""
        here = self._store.get(folder).id
        for name in path.split("/"):
            named = [
                item
                for item in self._store.children(here)
                if item.name == name and not item.explicitly_trashed
            ]
            if not named:
                return None
            here = min(named, key=lambda item: item.created).id
        return here

    def tree(self, folder: str = "root") -> dict[str, Found | list[Found]]:
        """Return everything in a folder that is not in the trash, by path.

        A file is its bytes, a folder ``None``, a shortcut the id that it points to. Where several have one path,
        the value is a list of theirs.
        """
        found: dict[str, list[Found]] = {}
        with self._store.lock:
            self._collect(self._store.get(folder).id, "", found)
        return {path: values[0] if len(values) == 1 else values for path, values in sorted(found.items())}

    def _collect(self, folder: str, above: str, found: dict[str, list[Found]]) -> None:
        for item in sorted(self._store.children(folder), key=lambda child: (child.created, child.id)):
            if item.explicitly_trashed:
                continue
            path = above + item.name
            found.setdefault(path, []).append(item.head.content if item.head else item.target)
            if item.is_folder:
                self._collect(item.id, f"{path}/", found)

    # What was asked

    @property
    def requests(self) -> list[Request]:
        return list(self._server.log)

    @property
    def writes(self) -> list[Request]:
        """The requests that may change something on the Drive; refused ones are here too."""
        return [request for request in self.requests if request.kind == "write"]

    def forget_requests(self) -> None:
        self._server.log.clear()

    # What goes wrong

    def fail(self, when: When, how: Fault, *, times: int | None = 1, skip: int = 0) -> None:
        """Let requests go wrong.

        Args:
            when: ``n`` for the n-th request from now on, a predicate, or ``None`` for all.
            how: what happens; see `support.drive_emulator.faults`.
            times: how often; ``None``: until `reset_faults`.
            skip: how many that ``when`` means are spared first.
        """
        self._schedule.add_fault(Rule.of(when, how, times=times, skip=skip))

    def before(self, when: When, act: Callable[[], object], *, times: int | None = 1, skip: int = 0) -> None:
        """Do something in the moment before a request is carried out; ``when`` and the rest as for `fail`."""
        self._schedule.add_action(Rule.of(when, act, times=times, skip=skip))

    def reset_faults(self) -> None:
        """Let nothing go wrong any more, end what hangs, and forget what was to be done `before` requests."""
        self._schedule.reset()

    def lag_lists(self, requests: int) -> None:
        """From now on, let so many list requests pass before a list shows what was just made."""
        self._store.list_lag = requests

    def page_lists(self, limit: int = 1000, *, empty_pages: bool = False) -> None:
        """Put at most so many files on a page; with ``empty_pages``, an empty page before each."""
        self._files.page_limit = limit
        self._files.empty_pages = empty_pages

    # Signing in

    @property
    def token_uri(self) -> str:
        return f"{self.endpoint}/token"

    @property
    def auth_uri(self) -> str:
        return f"{self.endpoint}/auth"

    @property
    def revoke_uri(self) -> str:
        return f"{self.endpoint}/revoke"

    def client_secrets(self) -> dict:
        """Return what the file holds that one downloads for an installed app."""
        return {
            "installed": {
                "client_id": oauth.CLIENT_ID,
                "client_secret": oauth.CLIENT_SECRET,
                "project_id": "emulator",
                "auth_uri": self.auth_uri,
                "token_uri": self.token_uri,
                "redirect_uris": ["http://localhost"],
            }
        }

    def authorized_user(self) -> dict:
        """Return what a token file holds after signing in; the access token is yet to be fetched."""
        return {
            "type": "authorized_user",
            "client_id": oauth.CLIENT_ID,
            "client_secret": oauth.CLIENT_SECRET,
            "refresh_token": self.oauth.new_refresh_token(),
            "token_uri": self.token_uri,
            "scopes": [oauth.SCOPE],
        }

    def service_account(self) -> dict:
        """Return what the key file of a service account holds; the key is made now."""
        return oauth.service_account(self.token_uri)

    # Within

    def _answer(self, request: Request) -> Reply:
        if sign_in := self._sign_in.get(request.operation):
            return sign_in(request)
        call = self._api.get(request.operation)
        if call is None:
            raise DriveError(404, "notFound", "Not Found")
        self.oauth.check(request)
        result = call(request)
        if isinstance(result, Reply):
            return result
        operation = request.operation
        if operation == "upload":
            operation = "files.create"
        fields = request.query.get("fields") or DEFAULTS.get(operation, "*")
        return resource(select(result, fields))
