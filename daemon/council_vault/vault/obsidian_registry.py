"""Obsidian's own list of the vaults it has opened; only ever read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from council_vault.vault.marker import trouble
from council_vault.vault.survey import enumerate_places

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.vault.survey import Survey

_FILE = Path("obsidian", "obsidian.json")


def registry_places(home: Path, environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return where Obsidian keeps its list: plain Linux, Flatpak, Snap, macOS, Windows."""
    folders = [
        Path(environment.get("XDG_CONFIG_HOME") or home / ".config"),
        home / ".var" / "app" / "md.obsidian.Obsidian" / "config",
        home / "snap" / "obsidian" / "current" / ".config",
        home / "Library" / "Application Support",
    ]
    if roaming := environment.get("APPDATA"):
        folders.append(Path(roaming))
    return tuple(folder / _FILE for folder in folders)


def look_at_registered(survey: Survey, home: Path, environment: Mapping[str, str]) -> None:
    """Look at every vault that Obsidian knows; lists that are missing or broken are named and passed."""
    missing = []
    for place in registry_places(home, environment):
        try:
            content = place.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            missing.append(place)
            continue
        except OSError as error:
            survey.say(f"{place}: {trouble(error)}.")
            continue
        vaults = _vaults(content)
        if vaults is None:
            survey.say(f"{place}: it cannot be understood.")
            continue
        survey.say(
            f"{place}: it lists {len(vaults)} vaults." if len(vaults) != 1 else f"{place}: it lists 1 vault."
        )
        for vault in vaults:
            survey.look(vault)
    if missing:
        survey.say(f"Obsidian keeps no list at {enumerate_places(missing)}.")


def _vaults(content: bytes) -> list[Path] | None:
    """Return the absolute paths in a list; ``None`` where it is not one."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return None
    vaults = document.get("vaults") if isinstance(document, dict) else None
    if not isinstance(vaults, dict):
        return None
    paths = [vault.get("path") for vault in vaults.values() if isinstance(vault, dict)]
    return [Path(path) for path in paths if isinstance(path, str) and Path(path).is_absolute()]
