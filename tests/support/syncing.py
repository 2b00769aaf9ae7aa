"""A workspace and a vault on the disk, to sync for real, and what is looked at before and after."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import council_vault
from council_vault.settings import (
    NotesSettings,
    RouterSettings,
    Settings,
    SyncSettings,
    VaultSettings,
    WorkspaceSettings,
)
from council_vault.shipped import shipped
from council_vault.sync import Options, sync
from council_vault.workspace import Workspace
from support.gfm import table_rows
from support.memory_files import document, dump, record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from council_vault.report import Report

FOLDER = "_Shared Knowledge/Agents and Plugins"
NAMES = {
    "performance": f"{FOLDER}/council-model-performance.md",
    "routing": f"{FOLDER}/council-routing-intelligence.md",
    "log": f"{FOLDER}/council-deliberation-log.md",
}
NOON = datetime(2026, 3, 29, 12, 0, tzinfo=UTC)


def records(count: int, day: str = "20260328", first: int = 1, **fields: Any) -> list[dict[str, Any]]:
    """Return records that differ in what they say."""
    return [
        record(
            number,
            day,
            query_summary=f"Question {number} of {day}",
            cost_usd=number / 100,
            confidence=round(0.3 + number % 7 / 10, 1),
            **fields,
        )
        for number in range(first, first + count)
    ]


class Road:
    """A memory file, a vault, and a state folder of their own below one folder.

    Args:
        base: where everything goes; what is there already stays.
        fixture: the fixture vault that the vault is a copy of.
    """

    def __init__(self, base: Path, fixture: str = "empty") -> None:
        self.base = base
        self.home = base / "home"
        self.states = base / "states"
        self.folder = base / "workspace"
        self.vault = base / "vault"
        self.memory = self.folder / "council-memory.json"
        self.settings: dict[str, dict[str, Any]] = {}
        self.now = NOON
        self.names = dict(NAMES)
        if not base.joinpath("home").exists():
            self.home.mkdir(parents=True)
            self.folder.mkdir()
            shutil.copytree(shipped("vault_fixtures") / fixture, self.vault)

    # What is there

    def write_memory(self, *of: dict[str, Any], **fields: Any) -> None:
        """Write the memory file as an agent does: whole, in place."""
        self.memory.write_bytes(dump(document(*of, **fields)))

    def change_memory(self, change) -> None:
        """Let an agent read, change and rewrite the whole file."""
        whole = self.parsed()
        change(whole)
        self.memory.write_bytes(dump(whole))

    def parsed(self) -> dict[str, Any]:
        """Return what the memory file says."""
        return json.loads(self.memory.read_bytes())

    def record(self, record_id: str) -> dict[str, Any]:
        """Return one record of the memory file."""
        return next(one for one in self.parsed()["deliberations"] if one["id"] == record_id)

    def flagged(self) -> set[str]:
        """Return the ids of the records that are flagged."""
        return {one["id"] for one in self.parsed()["deliberations"] if one.get("vault_synced") is True}

    def pending(self) -> set[str]:
        """Return the ids of the records that are not flagged."""
        return {one["id"] for one in self.parsed()["deliberations"]} - self.flagged()

    def path(self, kind: str) -> Path:
        """Return where a note is."""
        return self.vault / self.names[kind]

    def text(self, kind: str) -> str:
        """Return a note's text, its line ends as they are."""
        return self.path(kind).read_bytes().decode()

    def edit(self, kind: str, old: str, new: str) -> None:
        """Let a person change a note; what they change must be there, once."""
        text = self.text(kind)
        assert text.count(old) == 1, f"{old!r} stands there {text.count(old)} times"
        self.path(kind).write_bytes(text.replace(old, new).encode())

    def rows(self) -> list[list[str]]:
        """Return the rows of the log as a reader sees them, those of the person's own left out."""
        shown = table_rows(self.text("log").replace("\r\n", "\n"))
        return [row for row in shown if row[0].startswith("d_")]

    def row(self, record_id: str) -> list[str]:
        """Return the one row of a record."""
        found = [row for row in self.rows() if row[0] == record_id]
        assert len(found) == 1, f"{record_id} has {len(found)} rows"
        return found[0]

    def ids(self) -> list[str]:
        """Return the ids of the log's rows, from top to bottom."""
        return [row[0] for row in self.rows()]

    def line(self, record_id: str) -> str:
        """Return the line of a record's row, as it is written."""
        (line,) = [line for line in self.text("log").splitlines() if line.startswith(f"| {record_id} |")]
        return line

    def rate(self, record_id: str, word: str) -> None:
        """Let a person type a rating into the last cell of a row."""
        line = self.line(record_id)
        head = line.removesuffix("|").rstrip().rpartition("|")[0]
        self.edit("log", line, f"{head}| {word} |")

    def delete_rows(self, *record_ids: str) -> None:
        """Let a person delete rows."""
        text = self.text("log")
        for record_id in record_ids:
            text = text.replace(self.line(record_id) + "\n", "")
        self.path("log").write_bytes(text.encode())

    # What is done

    def workspace(self) -> Workspace:
        """Return the workspace with the settings as they are."""
        sections = {
            "workspace": {"path": str(self.folder)},
            "vault": {"path": str(self.vault)},
            "sync": {},
            "notes": {},
            "router": {},
        }
        for name, values in self.settings.items():
            sections[name] |= values
        settings = Settings(
            workspace=WorkspaceSettings(**sections["workspace"]),
            vault=VaultSettings(**sections["vault"]),
            sync=SyncSettings(**sections["sync"]),
            notes=NotesSettings(**sections["notes"]),
            router=RouterSettings(**sections["router"]),
        )
        return Workspace(settings, self.states, self.home, {})

    def sync(self, **options: bool) -> Report:
        """Sync once; the clock goes on by an hour."""
        self.now += timedelta(hours=1)
        return sync(self.workspace(), Options(**options), self.now)

    def settle(self) -> None:
        """Sync until a sync has nothing to do."""
        self.sync()
        assert not self.sync().changed

    def search_vault(self) -> None:
        """Let the vault be searched for, as without `--vault`."""
        self.settings["vault"] = {"path": None, "mounts": (str(self.base),)}

    # The command line

    def environment(self, **more: str) -> dict[str, str]:
        """Return an environment in which nothing outside the folder is touched."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.base / "xdg-state"),
            "XDG_CONFIG_HOME": str(self.base / "xdg-config"),
            "PYTHONPATH": str(Path(council_vault.__file__).parent.parent),
            "PYTHONWARNINGS": "error",
            "LC_ALL": "C.UTF-8",
            **{name: os.environ[name] for name in os.environ if name.startswith("COV")},
            **more,
        }

    def command(self, *options: str, before: Iterable[str] | None = None) -> list[str]:
        """Return the command line of a `sync-vault`."""
        places = ["--workspace", str(self.folder), "--vault", str(self.vault)]
        return [
            sys.executable,
            "-m",
            "council_vault.cli.main",
            *(places if before is None else before),
            "sync-vault",
            *options,
        ]

    def run(self, *options: str, before: Iterable[str] | None = None, **environment: str):
        """Run `sync-vault` as a process of its own."""
        return subprocess.run(
            self.command(*options, before=before),
            env=self.environment(**environment),
            cwd=self.base,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


def stats_below(*folders: Path) -> dict[str, tuple[int, int, int]]:
    """Return inode, time of change and size of everything below folders, these included."""
    found = {}
    for folder in folders:
        for path in (folder, *folder.rglob("*")):
            stat = path.lstat()
            found[str(path)] = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
    return found


def contents_below(folder: Path) -> dict[str, bytes]:
    """Return the content of every file below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def without_ours(text: str) -> list[str]:
    """Return a note's lines without what the program owns: the region, the rows, and two properties."""
    lines, inside = [], False
    for line in text.split("\n"):
        if "council-vault:begin" in line:
            inside = True
        owned = line.startswith(("date:", "council_memory:", "| d_", "> | d_", "> [!note]- Older"))
        if not inside and not owned:
            lines.append(line)
        if "council-vault:end" in line:
            inside = False
    return lines
