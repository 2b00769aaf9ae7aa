"""A memory file and a settings file, made and changed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from council_vault import config, files
from council_vault.errors import SettingsError
from council_vault.files.reading import failed, real_path
from council_vault.rescued import rescued_settings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from council_vault.workspace import Workspace


def create_memory(workspace: Workspace, now: datetime) -> bool:
    """Create the memory file, unless there is one; say whether it was made.

    Raises:
        MemoryUnreadable: there is one, but it cannot be understood.
        WriteFailed: it cannot be written.
    """
    file, real = workspace.memory_file(), real_path(workspace.memory_path)
    if os.path.lexists(real):
        file.read()
        return False
    _make_folder(real.parent)
    file.create(now)
    return True


def change_settings(path: Path, states: Path, changes: Mapping[str, str]) -> None:
    """Change settings in a settings file, which is made if it is missing; comments in it stay.

    Args:
        path: the settings file.
        states: the folder of states.
        changes: values as typed, by key; an empty one unsets.

    Raises:
        SettingsError: the file cannot be understood, there is no such setting, or the value cannot stand
            there; nothing was changed.
        WriteFailed, FileChanged, Busy: the file cannot be written.
    """

    def change(data: bytes) -> bytes:
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise SettingsError("the settings cannot be read: they are not UTF-8", where=path) from error
        config.parsed(path, text.removeprefix("\ufeff"))
        for key, value in changes.items():
            text = config.with_setting(text, key, value)
        return text.encode()

    new = change(b"")
    replacer = files.Replacer(states / "locks", rescued_settings(states).keep)
    real = real_path(path)
    if os.path.lexists(real):
        replacer.update(path, change)
    elif new:
        _make_folder(real.parent)
        replacer.replace(path, new, None)
        replacer.settle()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise failed(error, folder, "the folder cannot be made") from error
