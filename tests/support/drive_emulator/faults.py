"""What can go wrong on the way, and when.

A `Fault` is made by one of the functions here, or is one of the constants; `DriveEmulator.fail` takes it.
``effect`` says whether the request is carried out nevertheless.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from support.drive_emulator.replies import DriveError, Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.drive_emulator.requests import Request

    Action = Callable[[], object]
    When = int | Callable[[Request], bool] | None

HTML = "text/html; charset=UTF-8"
PAGE = "<!DOCTYPE html>\n<html lang=en>\n<title>{title}</title>\n<p>{text}\n</html>\n"
SIGN_IN_PAGE = PAGE.format(title="Sign in", text="Please sign in to use this network.").encode()
WORDS = {
    400: ("badRequest", "Bad Request"),
    401: ("authError", "Invalid Credentials"),
    403: ("rateLimitExceeded", "Rate Limit Exceeded"),
    404: ("notFound", "File not found: ."),
    409: ("fileIdInUse", "A file already exists with the provided ID."),
    410: ("updatedTooLate", "Gone"),
    412: ("conditionNotMet", "Precondition Failed"),
    416: ("requestedRangeNotSatisfiable", "Request range not satisfiable"),
    429: ("rateLimitExceeded", "Too many requests"),
    500: ("internalError", "Internal Error"),
    503: ("backendError", "Transient failure"),
}
MESSAGES = {
    "rateLimitExceeded": "Rate Limit Exceeded",
    "userRateLimitExceeded": "User Rate Limit Exceeded",
    "dailyLimitExceeded": "Daily Limit Exceeded",
    "sharingRateLimitExceeded": "Rate limit exceeded. User message: These item(s) could not be shared.",
    "quotaExceeded": "The user's quota has been exceeded.",
    "storageQuotaExceeded": "The user's Drive storage quota has been exceeded.",
    "insufficientFilePermissions": "The user does not have sufficient permissions for this file.",
    "insufficientPermissions": "Insufficient Permission: Request had insufficient authentication scopes.",
    "appNotAuthorizedToFile": "The user has not granted the app access to the file.",
    "accessNotConfigured": "Google Drive API has not been used in this project before or it is disabled.",
}
LIMITS = {
    "rateLimitExceeded",
    "userRateLimitExceeded",
    "dailyLimitExceeded",
    "quotaExceeded",
    "accessNotConfigured",
}


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong.

    Attributes:
        name: what it is, for people.
        effect: the request is carried out all the same.
        reply: sent instead of the real one.
        drop: the connection is closed without a reply.
        hang: seconds of silence before the connection is closed.
        pause: seconds between two bytes of the body.
        cut: only this share of the body is sent before the connection is closed.
    """

    name: str
    effect: bool
    reply: Reply | None = None
    drop: bool = False
    hang: float = 0.0
    pause: float = 0.0
    cut: float = 1.0


DROPPED = Fault("connection closed before the effect", effect=False, drop=True)
LOST_REPLY = Fault("connection closed after the effect", effect=True, drop=True)
CUT_BODY = Fault("half a body", effect=True, cut=0.5)
HTML_PAGE = Fault("HTML with 200", effect=False, reply=Reply(200, SIGN_IN_PAGE, HTML))
EMPTY_BODY = Fault("empty body with 200", effect=False, reply=Reply(200, b""))


def status(code: int, reason: str = "", *, retry_after: str = "", effect: bool = False) -> Fault:
    """Answer with an error status.

    Args:
        code: 408, 502 and 504 come from a machine in front and are HTML, unless there is a reason.
        reason: as ``userRateLimitExceeded``; the usual one of the code where it is empty.
        retry_after: the header ``Retry-After``: seconds, or a date.
        effect: the request is carried out before.
    """
    usual, message = WORDS.get(code, ("", ""))
    name = f"{code} {reason or usual}".strip()
    headers = {"Retry-After": retry_after} if retry_after else {}
    if not (reason or usual):
        page = PAGE.format(title=f"Error {code}!!1", text=f"{code}. That’s an error.").encode()
        return Fault(name, effect, Reply(code, page, HTML, headers))
    reason = reason or usual
    domain = "usageLimits" if reason in LIMITS else "global"
    message = MESSAGES.get(reason, message or reason)
    refusal = DriveError(
        code, reason, message, domain=domain, location="Authorization" if code == 401 else ""
    ).reply()
    return Fault(name, effect, Reply(code, refusal.body, refusal.content_type, headers))


def oauth_error(error: str, description: str = "", code: int = 400) -> Fault:
    """Answer with an error of the sign-in server, as ``invalid_grant``."""
    body = json.dumps({"error": error, "error_description": description or error}).encode()
    return Fault(f"{code} {error}", effect=False, reply=Reply(code, body))


def hang(seconds: float = 600.0, *, effect: bool = False) -> Fault:
    """Stay silent until the time is over, the faults are reset, or the emulator is closed."""
    return Fault("no answer", effect, hang=seconds)


def trickle(pause: float = 0.05) -> Fault:
    """Send the body byte by byte: every receive gets something, and it takes for ever."""
    return Fault("a slow body", effect=True, pause=pause)


REVOKED = status(401)


@dataclass
class Rule:
    """When something happens: to which requests, after how many of them, how many times."""

    matches: Callable[[Request], bool]
    skip: int
    times: int | None
    act: Fault | Action

    @classmethod
    def of(cls, when: When, act: Fault | Action, *, times: int | None, skip: int) -> Rule:
        if isinstance(when, int):
            return cls(lambda _: True, skip + when - 1, times, act)
        return cls(when or (lambda _: True), skip, times, act)

    def applies(self, request: Request) -> bool:
        if self.times == 0 or not self.matches(request):
            return False
        if self.skip > 0:
            self.skip -= 1
            return False
        if self.times is not None:
            self.times -= 1
        return True


@dataclass
class Schedule:
    """All rules in force. ``released`` is set when whatever hangs shall end."""

    faults: list[Rule] = field(default_factory=list)
    actions: list[Rule] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def due(self, request: Request) -> tuple[list[Action], Fault | None, threading.Event]:
        """Return what to do before a request and what goes wrong with it; every rule counts each request."""
        with self.lock:
            actions = [rule.act for rule in self.actions if rule.applies(request)]
            faults = [rule.act for rule in self.faults if rule.applies(request)]
            return actions, faults[0] if faults else None, self.released

    def add_fault(self, rule: Rule) -> None:
        with self.lock:
            self.faults.append(rule)

    def add_action(self, rule: Rule) -> None:
        with self.lock:
            self.actions.append(rule)

    def reset(self) -> None:
        with self.lock:
            self.faults.clear()
            self.actions.clear()
            self.released.set()
            self.released = threading.Event()
