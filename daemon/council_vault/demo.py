"""The real program on a copy of a fixture vault, with deliberations of its own."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import msgspec

from council_vault.errors import SettingsError
from council_vault.files.reading import failed
from council_vault.settings import Settings, VaultSettings, WorkspaceSettings
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
        SettingsError: the folder is not empty.
        WriteFailed: it cannot be written to.
    """
    vault, place = folder / "vault", folder / "workspace"
    fixtures = shipped("vault_fixtures")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise SettingsError(
                "the folder is not empty", where=folder, remedy="Name an empty folder or a new one"
            )
        _copy(fixtures / _VAULT, vault)
        _copy(fixtures / "workspace", place)
    except OSError as error:
        raise failed(error, folder, "the demo cannot be put there") from error
    settings = Settings(workspace=WorkspaceSettings(path=str(place)), vault=VaultSettings(path=str(vault)))
    workspace = Workspace(settings, folder / "state", folder, {})
    return Demonstration(vault=vault, workspace=place, report=sync(workspace, Options(), now))


def _copy(source: Path, target: Path) -> None:
    """Copy a folder, but not its rights: the program may be installed where nothing can be written."""
    target.mkdir()
    for path in sorted(source.rglob("*")):
        copy = target / path.relative_to(source)
        if path.is_dir():
            copy.mkdir()
        else:
            shutil.copyfile(path, copy)
