"""What the server answers: replies, and the errors of the API in the form that Google gives them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

JSON = "application/json; charset=UTF-8"


@dataclass(frozen=True)
class Reply:
    status: int = 200
    body: bytes = b""
    content_type: str = JSON
    headers: dict[str, str] = field(default_factory=dict)


def resource(value: object, status: int = 200) -> Reply:
    """Answer with a resource."""
    return Reply(status, json.dumps(value, ensure_ascii=False).encode())


class DriveError(Exception):
    """A request that the API refuses.

    Args:
        status: of the reply.
        reason: the word by which programs tell errors apart.
        message: for people.
        location: the parameter that is to blame.
        domain: ``usageLimits`` for what is only too much.
    """

    def __init__(
        self, status: int, reason: str, message: str, *, location: str = "", domain: str = "global"
    ) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason
        self.message = message
        self.location = location
        self.domain = domain

    def reply(self) -> Reply:
        detail = {"message": self.message, "domain": self.domain, "reason": self.reason}
        if self.location:
            kind = "header" if self.location == "Authorization" else "parameter"
            detail |= {"location": self.location, "locationType": kind}
        return resource(
            {"error": {"code": self.status, "message": self.message, "errors": [detail]}}, self.status
        )


def invalid(location: str, message: str = "Invalid Value") -> DriveError:
    return DriveError(400, "invalid", message, location=location)


def bad_request(message: str) -> DriveError:
    return DriveError(400, "badRequest", message)


def file_not_found(file_id: str) -> DriveError:
    return DriveError(404, "notFound", f"File not found: {file_id}.", location="fileId")


def unauthorized() -> DriveError:
    return DriveError(401, "authError", "Invalid Credentials", location="Authorization")
