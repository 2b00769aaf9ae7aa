"""Where Google Drive is mounted as a folder, on macOS, Windows and Linux."""

from __future__ import annotations

import re
import string
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from council_vault.vault.search import search_below

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from council_vault.vault.survey import Survey

_DEPTH = 3
"""``Shared drives/Team/Vault``; the upper names may be localised."""

_MAXIMUM_FOLDERS = 400
"""A listing may be a question to a server."""

_CLOUD_STORAGE = Path("Library", "CloudStorage")
_HOME_FOLDERS = ("GoogleDrive", "Google Drive", "gdrive")
_MOUNT_TYPES = {"fuse.rclone", "fuse.google-drive-ocamlfuse"}
_ESCAPED = re.compile(r"\\([0-7]{3})")


def drive_places(home: Path, environment: Mapping[str, str], root: Path) -> tuple[Path, ...]:
    """Return the folders below which Drive is mounted here, those that exist."""
    places = dict.fromkeys(
        place
        for source in (
            _matching(home / _CLOUD_STORAGE, "GoogleDrive-*"),
            drive_letters(home),
            (home / name for name in _HOME_FOLDERS),
            _matching(Path(environment.get("XDG_RUNTIME_DIR") or root), "gvfs/google-drive:*"),
            _matching(root / "run" / "user", "*/gvfs/google-drive:*"),
            _fuse_mounts(root / "proc" / "self" / "mountinfo"),
            _matching(root / "sessions", "*/mnt/GoogleDrive-*"),
        )
        for place in source
    )
    return tuple(place for place in places if _may_exist(place))


def look_at_drive_mounts(survey: Survey, home: Path, environment: Mapping[str, str], root: Path) -> None:
    """Look for vaults at, and to a few levels below, every place where Drive is mounted."""
    places = drive_places(home, environment, root)
    if not places:
        at = ", ".join(str(home / name) for name in _HOME_FOLDERS)
        survey.say(
            f"Google Drive is not mounted at {at}, in {home / _CLOUD_STORAGE}, below {root / 'sessions'}, "
            "by GNOME or by rclone."
        )
    for place in places:
        if not survey.look(place):
            search_below(survey, place, depth=_DEPTH, maximum=_MAXIMUM_FOLDERS)


def _matching(folder: Path, pattern: str) -> list[Path]:
    try:
        return sorted(folder.glob(pattern))
    except OSError:
        return []


def drive_letters(home: PurePath) -> list[Path]:
    """Return the Windows drives but that of the home directory; none on systems whose paths have no drive."""
    drives = [f"{letter}:" for letter in string.ascii_uppercase] if home.drive else []
    return [Path(f"{drive}\\") for drive in drives if drive != home.drive.upper()]


def _fuse_mounts(table: Path) -> Iterator[Path]:
    """Yield where rclone and google-drive-ocamlfuse are mounted, from the kernel's table of mounts.

    A line is ``id parent device root mount-point options [fields] - type source options``; blanks in paths
    are octal.
    """
    try:
        lines = table.read_text(errors="surrogateescape").splitlines()
    except OSError:
        return
    for line in lines:
        fields, _, kind = line.partition(" - ")
        if kind.split(" ", 1)[0] in _MOUNT_TYPES:
            yield Path(_ESCAPED.sub(lambda match: chr(int(match[1], 8)), fields.split(" ")[4]))


def _may_exist(place: Path) -> bool:
    """Say whether something is there; a mount that cannot be looked at is."""
    try:
        place.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True
