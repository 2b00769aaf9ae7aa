"""Which revisions a write of ours has hidden."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from council_vault.vault.drive_items import Revision
from council_vault.vault.drive_overwriting import Mark, overwritten

MARK = Mark("r", "ours")


def revisions(sums):
    """Return revisions with these checksums, each named by its place; the one that was read is ``r``."""
    when = datetime(2026, 3, 28, tzinfo=UTC)
    return [
        Revision(id="r" if each == "read" else str(place), md5_checksum=each, modified_time=when)
        for place, each in enumerate(sums)
    ]


@pytest.mark.parametrize(
    ("sums", "hidden"),
    [
        ("read ours", ""),
        ("old read ours", ""),
        ("read a ours", "a"),
        ("read a b ours", "b"),
        ("read ours a", ""),
        ("read a ours b", "a"),
        ("read ours ours", ""),
        ("read ours a ours", "a"),
        ("read a ours b ours", "a b"),
        ("a ours read ours", ""),
        ("a ours", ""),
        ("read", ""),
        ("read a", ""),
        ("", ""),
    ],
)
def test_what_is_hidden_stands_right_before_ours(sums, hidden):
    found = overwritten(revisions(sums.split()), MARK)
    assert [each.md5_checksum for each in found] == hidden.split()


@given(
    st.lists(st.sampled_from(["a", "b", "ours"])),
    st.lists(st.sampled_from(["a", "b", "ours"])),
)
def test_only_others_since_the_reading_count(before, after):
    found = overwritten(revisions([*before, "read", *after]), MARK)
    assert all(each.md5_checksum != "ours" and int(each.id) > len(before) for each in found)
    assert len(found) == " ".join(after).count("a ours") + " ".join(after).count("b ours")
