"""The bounded search for vaults below a folder."""

from __future__ import annotations

import os
from collections import defaultdict, deque
from typing import TYPE_CHECKING

from council_vault.vault.marker import MARKER, has_marker, trouble
from council_vault.vault.paths import identity, resolved
from council_vault.vault.survey import Survey, enumerate_places

if TYPE_CHECKING:
    from pathlib import Path

WORKSPACE_DEPTH = 4
MAXIMUM_FOLDERS = 4000
MAXIMUM_ENTRIES = 200_000


def search_below(survey: Survey, top: Path, *, depth: int, maximum: int = MAXIMUM_FOLDERS) -> None:
    """Look for vaults below a folder, nearest first, but not at the folder itself.

    Dot-folders are skipped. A vault is not searched for further ones. Every folder is seen once, however many
    links lead to it, and links back to the folder or above it are not followed. What lies inside a git
    repository that the folder itself is not in does not count; a vault that *is* a repository does.

    Args:
        survey: takes the vaults found, and what there is to say.
        top: where to begin.
        depth: how many levels below it to look at.
        maximum: how many folders to look at; the first that are too many are said to be left out.
    """
    _Search(survey, top, depth, maximum).run()


class _Search:
    def __init__(self, survey: Survey, top: Path, depth: int, maximum: int) -> None:
        self._survey = survey
        self._top = top
        self._depth = depth
        self._folders_left = maximum
        self._entries_left = MAXIMUM_ENTRIES
        self._looked_at = 0
        self._seen: set[tuple[int, int]] = set()
        self._passed: defaultdict[str, list[Path]] = defaultdict(list)

    def run(self) -> None:
        try:
            real = resolved(self._top)
            self._seen.update(identity(folder) for folder in (real, *real.parents))
            queue = deque((child, 1) for child in self._subfolders(self._top))
        except OSError as error:
            self._survey.say(f"{self._top}: {trouble(error)}.")
            return
        while queue and self._folders_left > 0 and self._entries_left > 0:
            folder, level = queue.popleft()
            try:
                children = self._visit(folder, level)
            except OSError as error:
                self._passed[trouble(error)].append(folder)
            else:
                queue.extend((child, level + 1) for child in children)
        self._report(complete=not queue)

    def _visit(self, folder: Path, level: int) -> list[Path]:
        """Look at a folder; return those below it that are to be looked at."""
        this = identity(folder)
        if this in self._seen:
            return []
        self._seen.add(this)
        self._folders_left -= 1
        self._looked_at += 1
        if has_marker(folder):
            repository = self._foreign_repository(folder)
            if repository is None:
                self._survey.take(folder)
            else:
                self._survey.say(
                    f"{folder}: holds {MARKER}, but lies in another git repository, {repository}."
                )
            return []
        if level == self._depth:
            return []
        if (folder / ".git").exists():
            self._passed["another git repository"].append(folder)
            return []
        return self._subfolders(folder)

    def _subfolders(self, folder: Path) -> list[Path]:
        """Return the folders in a folder, those of the configured name first; dot-folders are left out."""
        names = []
        with os.scandir(folder) as entries:
            for entry in entries:
                self._entries_left -= 1
                if self._entries_left <= 0:
                    break
                if entry.name.startswith("."):
                    continue
                try:
                    if entry.is_dir():
                        names.append(entry.name)
                except OSError as error:
                    self._passed[trouble(error)].append(folder / entry.name)
        names.sort(key=lambda name: (not self._survey.is_wanted(name), name))
        return [folder / name for name in names]

    def _foreign_repository(self, vault: Path) -> Path | None:
        """Return the git repository that a vault lies in, unless the search began in it."""
        top = resolved(self._top)
        repository = next((parent for parent in resolved(vault).parents if (parent / ".git").exists()), None)
        return None if repository is None or top.is_relative_to(repository) else repository

    def _report(self, *, complete: bool) -> None:
        levels = "1 level" if self._depth == 1 else f"{self._depth} levels"
        folders = "1 folder" if self._looked_at == 1 else f"{self._looked_at} folders"
        self._survey.say(f"Below {self._top}: looked at {folders}, down to {levels}.")
        if not complete:
            self._survey.say(f"Below {self._top}: there are too many folders; the rest was not looked at.")
        for reason, places in self._passed.items():
            self._survey.say(f"Passed, {reason}: {enumerate_places(places)}.")
