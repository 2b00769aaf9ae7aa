"""Whether Drive may be needed is known before anything is looked for."""

from __future__ import annotations

import pytest

from council_vault.settings import DriveSettings, Settings, VaultSettings
from council_vault.workspace import Workspace


@pytest.mark.parametrize(
    ("path", "pin", "drive", "may"),
    [
        ("/vault", "drive:abc", {"enabled": True}, False),
        (None, "/vault", {"enabled": True}, False),
        (None, "drive:abc", {}, True),
        (None, "drive:abc", {"enabled": False}, True),
        (None, None, {}, False),
        (None, None, {"enabled": True}, True),
        (None, None, {"folder_id": "abc"}, True),
        (None, None, {"folder_id": "abc", "enabled": False}, False),
        (None, None, {"credentials": "/nowhere.json"}, False),
    ],
)
def test_drive_may_be_needed(path, pin, drive, may, tmp_path):
    settings = Settings(vault=VaultSettings(path=path), drive=DriveSettings(**drive))
    assert Workspace(settings, tmp_path / "states", tmp_path, {}).may_need_drive(pin) is may
