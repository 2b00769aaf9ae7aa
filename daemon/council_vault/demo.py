"""The real program on a copy of a fixture vault, with deliberations of its own."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import msgspec

from council_vault.settings import MEMORY_NAME, Settings, VaultSettings, WorkspaceSettings
from council_vault.shipped import shipped
from council_vault.sync import Options, sync
from council_vault.workspace import Workspace

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from council_vault.syncing.report import Report

_VAULT = "studio"


class Demonstration(msgspec.Struct, frozen=True, kw_only=True):
    """A vault and a workspace to look at, and what the sync between them did."""

    vault: Path
    workspace: Path
    report: Report


def demonstrate(folder: Path, now: datetime) -> Demonstration:
    """Copy the fixture vault and its council's memory into an empty folder, and sync them.

    Everything stays in that folder: state and locks too.

    Raises:
        FileExistsError: the folder is not empty.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty")
    fixtures = shipped("vault_fixtures")
    vault = folder / "vault"
    shutil.copytree(fixtures / _VAULT, vault)
    place = folder / "workspace"
    place.mkdir()
    shutil.copyfile(fixtures / "workspace" / MEMORY_NAME, place / MEMORY_NAME)
    settings = Settings(workspace=WorkspaceSettings(path=str(place)), vault=VaultSettings(path=str(vault)))
    workspace = Workspace(settings, folder / "state", folder, {})
    return Demonstration(vault=vault, workspace=place, report=sync(workspace, Options(), now))
