"""A memory file on this computer and a vault on the emulated Drive, to sync for real."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import msgspec

from council_vault.settings import DriveSettings
from council_vault.sync import Options, sync
from council_vault.vault.drive_items import OURS
from support.syncing import NAMES, Road

if TYPE_CHECKING:
    from pathlib import Path

    from council_vault.report import Report

    from council_vault.workspace import Workspace
    from support.drive_emulator import DriveEmulator

VAULT = "MoxyWolf Vault"


class DriveRoad(Road):
    """A `Road` whose vault is on Drive; there is none on this computer.

    Args:
        base: where everything else goes.
        emulator: the Drive; a vault is put there.
    """

    def __init__(self, base: Path, emulator: DriveEmulator) -> None:
        super().__init__(base)
        shutil.rmtree(self.vault)
        self.settings["vault"] = {"path": None}
        self.emulator = emulator
        self.root = emulator.add_folder(VAULT)
        emulator.add_file("MEMORY.md", b"", emulator.add_folder("_System", self.root))

    # What is there

    def id(self, kind: str) -> str | None:
        """Return the file of a note on Drive."""
        return self.emulator.find(self.names[kind], self.root)

    def text(self, kind: str) -> str:
        return self.emulator.read(self.id(kind)).decode()

    def edit(self, kind: str, old: str, new: str) -> None:
        text = self.text(kind)
        assert text.count(old) == 1, f"{old!r} stands there {text.count(old)} times"
        self.emulator.edit(self.id(kind), text.replace(old, new).encode(), ago=60.0)  # no longer typing

    def notes(self) -> dict[str, str]:
        """Return what all notes say; there is nothing else on the Drive, and nothing twice."""
        found = self.emulator.tree(self.root)
        files = {name: what for name, what in found.items() if what is not None}
        assert not [name for name, what in files.items() if isinstance(what, list)], "twins"
        assert set(files) <= {"_System/MEMORY.md", *NAMES.values()}
        return {name: content.decode() for name, content in files.items()}

    def unfinished(self) -> list[str]:
        """Return the files with a mark of a write that is not finished, and those with a pinned revision."""
        return [
            item["name"]
            for identifier, item in self.emulator.files.items()
            if any(value for key, value in item.get("appProperties", {}).items() if key != OURS)
            or any(revision["keepForever"] for revision in self._revisions(identifier, item))
        ]

    def _revisions(self, identifier: str, item: dict) -> list[dict]:
        return self.emulator.revisions(identifier) if "headRevisionId" in item else []

    def check_whole(self) -> None:
        """Check that every record is flagged and has its row, that nothing is there twice, or half done."""
        self.notes()
        assert self.flagged() == set(self.ids())
        assert len(self.ids()) == len(set(self.ids()))
        assert not self.pending()
        assert not self.unfinished()

    # What is done

    def workspace(self) -> Workspace:
        whole = super().workspace()
        drive = DriveSettings(endpoint=self.emulator.endpoint, **self.settings.get("drive", {}))
        return msgspec.structs.replace(whole, settings=msgspec.structs.replace(whole.settings, drive=drive))

    def sync_again(self) -> Report:
        """Sync once more at the same moment, so that only what is new differs."""
        return sync(self.workspace(), Options(), self.now)

    def configure(self, **sync_settings: object) -> None:
        """Write the settings file for the real program."""
        folder = self.base / "xdg-config" / "council-vault"
        folder.mkdir(parents=True, exist_ok=True)
        sections = {
            "sync": {"every": 1, **sync_settings},
            "drive": {"endpoint": self.emulator.endpoint, **self.settings.get("drive", {})},
        }
        lines = []
        for name, values in sections.items():
            lines += [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in values.items()), ""]
        (folder / "config.toml").write_text("\n".join(lines), "utf-8")

    def run(self, *options: str, before=None, **environment: str):
        return super().run(*options, before=before or ["--workspace", str(self.folder)], **environment)
