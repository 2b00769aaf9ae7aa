"""A vault on Google Drive, through real HTTP: the contract of all stores, and what only Drive can do."""

from __future__ import annotations

import pytest

from integration.vault_contract import VaultContract
from support.drive_vault import DrivePlace


@pytest.fixture
def vault(emulator):
    place = DrivePlace(emulator)
    yield place
    place.client.close()
    assert not place.unfinished()


class TestDriveVault(VaultContract):
    """The contract, on a Drive."""
