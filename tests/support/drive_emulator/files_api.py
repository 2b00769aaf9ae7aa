"""The methods of ``files``: list, get, create, update, delete, generateIds, and uploads in pieces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from support.drive_emulator.items import FOLDER, SHORTCUT
from support.drive_emulator.listing import list_files
from support.drive_emulator.replies import DriveError, Reply, bad_request, invalid
from support.drive_emulator.store import UNKNOWN_TYPE, Store
from support.drive_emulator.uploads import Session, Upload, add_piece, read_metadata, read_upload

if TYPE_CHECKING:
    from support.drive_emulator.items import Item
    from support.drive_emulator.requests import Request

SPAN = re.compile(r"bytes=(\d+)-(\d*)")


class FilesApi:
    """Answers requests for files.

    Args:
        store: what they are about.
        endpoint: where the server is; uploads in pieces are sent there.
    """

    def __init__(self, store: Store, endpoint: str) -> None:
        self._store = store
        self._endpoint = endpoint
        self._sessions: dict[str, Session] = {}
        self.empty_pages = False
        self.page_limit = 1000

    def list(self, request: Request) -> dict:
        return list_files(self._store, request, limit=self.page_limit, empty_pages=self.empty_pages)

    def get(self, request: Request) -> dict | Reply:
        item = self._store.get(request.file, shared=request.shared)
        if request.query.get("alt") == "media":
            if item.head is None:
                raise DriveError(
                    403,
                    "fileNotDownloadable",
                    "Only files with binary content can be downloaded. Use Export with Docs Editors files.",
                    location="alt",
                )
            return content_reply(item.head.content, item.mime_type, request)
        return self._store.resource(item)

    def create(self, request: Request) -> dict | Reply:
        if request.query.get("uploadType") == "resumable":
            return self._begin(request)
        return self._create(request, read_upload(request))

    def update(self, request: Request) -> dict | Reply:
        if request.query.get("uploadType") == "resumable":
            self._store.get(request.file, shared=request.shared)
            return self._begin(request)
        return self._update(request, read_upload(request))

    def upload(self, request: Request) -> dict | Reply:
        """Take in a piece of a resumable upload, or say how much has come."""
        session = self._sessions.get(request.query.get("upload_id", ""))
        if session is None:
            raise DriveError(404, "notFound", "Upload session not found.")
        with session.lock:
            if session.result is None:
                if not add_piece(session, request):
                    received = len(session.content)
                    return Reply(308, headers={"Range": f"bytes=0-{received - 1}"} if received else {})
                carry_out = self._create if session.begun_by.operation == "files.create" else self._update
                upload = Upload(session.metadata, bytes(session.content), session.mime_type)
                session.result = carry_out(session.begun_by, upload)
                session.content.clear()
            return session.result

    def delete(self, request: Request) -> Reply:
        self._store.delete(self._store.get(request.file, shared=request.shared))
        return Reply(204)

    def generate_ids(self, request: Request) -> dict:
        count = int(request.query.get("count", "10"))
        if not 1 <= count <= 1000:
            raise invalid("count")
        return {"kind": "drive#generatedIds", "space": "drive", "ids": self._store.reserve(count)}

    # Within

    def _begin(self, request: Request) -> Reply:
        metadata = read_metadata(request.body)
        kind = request.headers.get("x-upload-content-type", "")
        upload_id = self._store.new_id("AB", 60)
        self._sessions[upload_id] = Session(request, metadata, kind)
        query = urlencode(request.query | {"upload_id": upload_id})
        return Reply(
            headers={"Location": f"{self._endpoint}{request.path}?{query}", "X-GUploader-UploadID": upload_id}
        )

    def _create(self, request: Request, upload: Upload) -> dict:
        metadata = upload.metadata
        parents = metadata.get("parents") or ["root"]
        if len(parents) != 1:
            raise invalid("parents", "A file can only have one parent.")
        mime_type = metadata.get("mimeType") or upload.mime_type or UNKNOWN_TYPE
        if mime_type in {FOLDER, SHORTCUT} and upload.content is not None:
            raise bad_request("Folders and shortcuts have no content.")
        with self._store.lock:
            self._store.get(parents[0], shared=request.shared)
            item = self._store.create(
                metadata.get("name", "Untitled"),
                mime_type,
                parents[0],
                upload.content,
                item_id=metadata.get("id"),
                target=metadata.get("shortcutDetails", {}).get("targetId"),
            )
            self._describe(item, metadata)
            self._pin(item, request)
            return self._store.resource(item)

    def _update(self, request: Request, upload: Upload) -> dict:
        metadata = upload.metadata
        if "id" in metadata or "parents" in metadata:
            word = "id" if "id" in metadata else "parents"
            raise DriveError(403, "fieldNotWritable", f"The field {word} is not directly writable in update.")
        with self._store.lock:
            item = self._store.get(request.file, shared=request.shared)
            self._move(item, request)
            if "name" in metadata and metadata["name"] != item.name:
                self._store.rename(item, metadata["name"])
            if "trashed" in metadata:
                self._store.trash(item, trashed=metadata["trashed"])
            if self._describe(item, metadata):
                self._store.touch(item)
            if upload.content is not None:
                self._store.write(
                    item, upload.content, mime_type=metadata.get("mimeType") or upload.mime_type
                )
                self._pin(item, request)
            return self._store.resource(item)

    def _move(self, item: Item, request: Request) -> None:
        added = [name for name in request.query.get("addParents", "").split(",") if name]
        removed = [name for name in request.query.get("removeParents", "").split(",") if name]
        if len(added) > 1 or (added and self._store.get(added[0]).id != item.parent and not removed):
            raise DriveError(
                403,
                "cannotAddParent",
                "Increasing the number of parents is not allowed.",
                location="addParents",
            )
        if added:
            self._store.move(item, self._store.get(added[0], shared=request.shared).id)

    @staticmethod
    def _describe(item: Item, metadata: dict) -> bool:
        """Set what has no effect on anything else; say whether there was something."""
        item.starred = metadata.get("starred", item.starred)
        item.description = metadata.get("description", item.description)
        item.properties |= metadata.get("properties", {})
        item.app_properties |= metadata.get("appProperties", {})
        return bool(metadata.keys() & {"starred", "description", "properties", "appProperties"})

    @staticmethod
    def _pin(item: Item, request: Request) -> None:
        if item.head and request.flag("keepRevisionForever"):
            item.head.keep_forever = True


def content_reply(content: bytes, mime_type: str, request: Request) -> Reply:
    """Answer with content, or with the part of it that is asked for."""
    found = SPAN.fullmatch(request.headers.get("range", ""))
    if found is None:
        return Reply(200, content, mime_type)
    first, last = int(found[1]), int(found[2] or len(content))
    if first >= len(content):
        return Reply(416, b"", mime_type, {"Content-Range": f"bytes */{len(content)}"})
    part = content[first : last + 1]
    span = f"bytes {first}-{first + len(part) - 1}/{len(content)}"
    return Reply(206, part, mime_type, {"Content-Range": span})
