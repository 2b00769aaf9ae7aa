"""What Drive's answers mean."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from council_vault.errors import CouncilVaultError, VaultUnavailable
from council_vault.vault.drive_refusals import (
    IdentifierTaken,
    ItemMissing,
    ItemRefused,
    Passing,
    refusal,
    seconds_in,
)

NOW = datetime(2026, 3, 28, 10, 0, 0, tzinfo=UTC)


def answer(reason):
    return json.dumps({"error": {"errors": [{"reason": reason}], "message": "ya29.secret"}}).encode()


@pytest.mark.parametrize(
    ("status", "reason", "kind"),
    [
        (403, "userRateLimitExceeded", Passing),
        (403, "rateLimitExceeded", Passing),
        (408, "", Passing),
        (429, "", Passing),
        (500, "", Passing),
        (503, "storageQuotaExceeded", Passing),
        (401, "authError", VaultUnavailable),
        (403, "storageQuotaExceeded", VaultUnavailable),
        (403, "insufficientPermissions", VaultUnavailable),
        (403, "insufficientFilePermissions", ItemRefused),
        (404, "notFound", ItemMissing),
        (409, "fileIdInUse", IdentifierTaken),
        (400, "invalid", ItemRefused),
        (200, "", VaultUnavailable),
    ],
)
def test_what_passes_what_concerns_all_and_what_one_item(status, reason, kind):
    assert type(refusal(status, answer(reason), None)) is kind


def test_a_reason_may_come_as_a_status():
    content = json.dumps({"error": {"status": "PERMISSION_DENIED"}}).encode()
    assert "403 PERMISSION_DENIED" in str(refusal(403, content, None))


@given(
    st.integers(200, 599),
    st.binary()
    | st.recursive(
        st.none() | st.text(),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["error", "errors", "reason", "status"]), inner)
        ),
    ).map(lambda value: json.dumps(value).encode()),
)
def test_any_answer_means_something_and_shows_nothing_of_itself(status, content):
    meaning = refusal(status, content, None)
    assert isinstance(meaning, CouncilVaultError | Passing)
    assert "ya29" not in str(refusal(status, answer("ya29.secret"), None))


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        (" 120 ", 120.0),
        ("Sat, 28 Mar 2026 10:00:30 GMT", 30.0),
        ("Sat, 28 Mar 2026 09:00:00 GMT", 0.0),
        ("Sat, 28 Mar 2026 10:00:30 -0000", 30.0),
        ("soon", None),
        ("-3", None),
        ("٣", None),
    ],
)
def test_retry_after_holds_seconds_or_a_date(header, seconds):
    assert seconds_in(header, NOW) == seconds
