"""A Google Drive on the loopback, for tests: the v3 API over real HTTP, for the real client.

    with DriveEmulator() as emulator:
        vault = emulator.add_tree(fixtures / "studio", "Studio")
        emulator.fail(2, LOST_REPLY)
        emulator.before(lambda request: request.operation == "files.update", lambda: emulator.edit(log, b"x"))

`emulator` and `contents` hold the Drive in a test's hand; `server` speaks HTTP, `api` finds who answers;
`store` and `items` are what is kept; `query`, `listing`, `fields` and `uploads` understand requests;
`files_api` and `feeds_api` answer them; `oauth` signs people in; `faults` is what can go wrong.

It does what the API is documented to do. Where that leaves room it does what is hardest on a program: lists
come without a useful order, ``name =`` takes no regard of case, ``in parents`` of a folder that is not there
is 404. Known deviations, and guesses where the documents are silent:

- Not there: copy, export, watch, emptyTrash, permissions, comments, labels, batch requests,
  ``appDataFolder``, v2.
- ``q`` knows ``name``, ``mimeType``, ``modifiedTime``, ``createdTime``, ``trashed``, ``starred``,
  ``sharedWithMe``, ``shortcutDetails.targetId``, ``in parents``, and ``in owners|writers|readers`` for the
  person alone. ``fullText``, ``properties has`` and ``visibility`` are refused, and so is a backslash before
  anything but a quote or a backslash. ``drives.list`` takes ``name`` and ``createdTime``.
- Names are compared code point by code point, but for case; whether Drive folds Unicode forms is not
  documented.
- Without ``corpora``, things on shared drives are listed only for a folder named in ``q``; Drive also shows
  some that the person has opened. What it says where ``corpora`` and ``driveId`` do not fit together is a
  guess.
- Trashing a folder puts only the folder into the changes feed; deleting one puts in everything below it too.
- A rename moves ``modifiedTime`` on; trashing and moving do not. ``modifiedTime`` cannot be set.
  ``removeParents`` without ``addParents`` does nothing.
- Content sent with a type changes the file's ``mimeType``, unless the metadata names one.
- Revisions stay until `DriveEmulator.purge_revisions`; the limit of 200 kept for ever is not held.
- Ids that ``files.generateIds`` did not give are refused with 400 ``invalid``.
- The person may do everything: refusals for want of rights come from `DriveEmulator.fail`.
- A request without a token is let in unless ``emulator.oauth.required``; a wrong token never is. Scopes are
  not checked, nor the signature of a service account. ``/auth`` consents at once.
- There are no ETags, as in v3, no compression, and no TLS.
"""

from support.drive_emulator.emulator import DriveEmulator
from support.drive_emulator.faults import (
    CUT_BODY,
    DROPPED,
    EMPTY_BODY,
    HTML_PAGE,
    LOST_REPLY,
    REVOKED,
    Fault,
    hang,
    oauth_error,
    status,
    trickle,
)
from support.drive_emulator.requests import Request

__all__ = [
    "CUT_BODY",
    "DROPPED",
    "EMPTY_BODY",
    "HTML_PAGE",
    "LOST_REPLY",
    "REVOKED",
    "DriveEmulator",
    "Fault",
    "Request",
    "hang",
    "oauth_error",
    "status",
    "trickle",
]
