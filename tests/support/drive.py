"""A Google Drive of their own for tests, and the real client for it."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import pytest

from support.drive_emulator import DriveEmulator


@pytest.fixture
def emulator():
    """Return an empty Drive; errors of its own fail the test."""
    with DriveEmulator() as running:
        yield running


@pytest.fixture
def google(emulator):
    """Return Google's own client for that Drive, without credentials."""
    client = google_client(emulator.endpoint)
    yield client
    client.close()


def google_client(endpoint: str, *, credentials: Any = None, timeout: float = 10.0) -> Any:
    """Return Google's own client for an endpoint, from the discovery document that comes with it."""
    import httplib2  # noqa: PLC0415 - few tests need it, and it takes time
    from google_auth_httplib2 import AuthorizedHttp  # noqa: PLC0415 - likewise
    from googleapiclient.discovery import build_from_document  # noqa: PLC0415 - likewise

    text = files("googleapiclient").joinpath("discovery_cache/documents/drive.v3.json").read_text()
    document = json.loads(text)
    document.update(rootUrl=f"{endpoint}/", baseUrl=f"{endpoint}/drive/v3/")
    document.pop("mtlsRootUrl", None)
    http = httplib2.Http(timeout=timeout)
    # As Google's own `build_http`: 308 is how a resumable upload goes on.
    http.redirect_codes = http.redirect_codes - {308}
    if credentials is not None:
        http = AuthorizedHttp(credentials, http=http)
    return build_from_document(document, http=http)


def markdown(content: bytes) -> Any:
    """Return content to upload."""
    from googleapiclient.http import MediaInMemoryUpload  # noqa: PLC0415 - likewise

    return MediaInMemoryUpload(content, mimetype="text/markdown")


def refusal(call: Any) -> tuple[int, str]:
    """Execute a request that is refused; return status and reason."""
    from googleapiclient.errors import HttpError  # noqa: PLC0415 - likewise

    with pytest.raises(HttpError) as caught:
        call.execute()
    details = caught.value.error_details
    return caught.value.status_code, details[0]["reason"] if details else ""
