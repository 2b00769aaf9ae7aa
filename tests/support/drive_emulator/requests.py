"""A request as the server read it, and as the log keeps it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

ROUTES = [
    ("GET", r"/drive/v3/files", "files.list"),
    ("POST", r"(?:/upload)?/drive/v3/files", "files.create"),
    ("GET", r"/drive/v3/files/generateIds", "files.generateIds"),
    ("GET", r"/drive/v3/files/(?P<file>[^/]+)", "files.get"),
    ("PATCH", r"(?:/upload)?/drive/v3/files/(?P<file>[^/]+)", "files.update"),
    ("DELETE", r"/drive/v3/files/(?P<file>[^/]+)", "files.delete"),
    ("PUT", r"/upload/drive/v3/files(?:/(?P<file>[^/]+))?", "upload"),
    ("GET", r"/drive/v3/files/(?P<file>[^/]+)/revisions", "revisions.list"),
    ("GET", r"/drive/v3/files/(?P<file>[^/]+)/revisions/(?P<revision>[^/]+)", "revisions.get"),
    ("PATCH", r"/drive/v3/files/(?P<file>[^/]+)/revisions/(?P<revision>[^/]+)", "revisions.update"),
    ("DELETE", r"/drive/v3/files/(?P<file>[^/]+)/revisions/(?P<revision>[^/]+)", "revisions.delete"),
    ("GET", r"/drive/v3/changes/startPageToken", "changes.getStartPageToken"),
    ("GET", r"/drive/v3/changes", "changes.list"),
    ("GET", r"/drive/v3/drives", "drives.list"),
    ("GET", r"/drive/v3/drives/(?P<drive>[^/]+)", "drives.get"),
    ("GET", r"/drive/v3/about", "about.get"),
    ("GET", r"/auth", "oauth.auth"),
    ("POST", r"/token", "oauth.token"),
    ("POST", r"/revoke", "oauth.revoke"),
]
ROUTES_COMPILED = [(method, re.compile(pattern), operation) for method, pattern, operation in ROUTES]


@dataclass(frozen=True)
class Request:
    """One request.

    Attributes:
        number: from 1, since the emulator began.
        method: as sent, or as ``X-HTTP-Method-Override`` says.
        path: without the query.
        query: the parameters; each at most once, as the API has them.
        bytes: the length of the body.
        headers: with names in lower case.
        body: empty in the log, so that a long run stays small.
    """

    number: int
    method: str
    path: str
    query: dict[str, str]
    bytes: int
    headers: dict[str, str] = field(repr=False)
    body: bytes = field(repr=False)

    @cached_property
    def _route(self) -> tuple[str, dict[str, str]]:
        for method, pattern, operation in ROUTES_COMPILED:
            if method == self.method and (found := pattern.fullmatch(self.path)):
                return operation, {name: value for name, value in found.groupdict().items() if value}
        return "", {}

    @property
    def operation(self) -> str:
        """The method of the API, as ``files.list``; for a piece of a resumable upload ``upload``."""
        return self._route[0]

    @property
    def names(self) -> dict[str, str]:
        """What the path names: ``file``, ``revision``, ``drive``."""
        return self._route[1]

    @property
    def file(self) -> str:
        """The id of the file in the path; empty where there is none."""
        return self.names.get("file", "")

    @property
    def kind(self) -> str:
        """``read``, ``write``, or ``auth`` for what concerns signing in."""
        if self.operation.startswith("oauth."):
            return "auth"
        return "read" if self.method == "GET" else "write"

    def flag(self, name: str) -> bool:
        return self.query.get(name) == "true"

    @property
    def shared(self) -> bool:
        """Whether the program says that it knows shared drives."""
        return self.flag("supportsAllDrives") or self.flag("supportsTeamDrives")
