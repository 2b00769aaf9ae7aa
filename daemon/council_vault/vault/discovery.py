"""Finding the vault: which folders are looked at, in which order, and which one is meant.

The first step that finds a vault decides. The vault that a memory has used before is pinned: while it is
absent no other one takes its place.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from council_vault.errors import VaultAmbiguous, VaultUnavailable
from council_vault.vault.drive_folder import DriveFolder, pinned_folder
from council_vault.vault.drive_mounts import look_at_drive_mounts
from council_vault.vault.marker import MARKER, OBSIDIAN_FOLDER, is_vault, trouble
from council_vault.vault.obsidian_registry import look_at_registered
from council_vault.vault.paths import absolute, resolved
from council_vault.vault.search import WORKSPACE_DEPTH, search_below
from council_vault.vault.survey import Survey, enumerate_places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from council_vault.vault.drive_folder import DriveAccess
    from council_vault.vault.drive_search import Seen


Place = Path | DriveFolder
"""Where a vault is: a folder on this computer, or one on Drive."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What is known before the search.

    Attributes:
        workspace: folder of the memory file.
        path: the vault's folder, where the person has named one; nothing else counts then.
        name: the vault's name, which decides between several.
        mounts: further folders to look at.
        pin: the vault that this memory has used before.
        adopt: search anew in spite of the pin.
        home: the home directory.
        environment: the environment variables.
        drive: how Google Drive is used.
        root: the root of the file system.
    """

    workspace: Path
    path: str | None
    name: str
    mounts: tuple[str, ...]
    pin: str | None
    adopt: bool
    home: Path
    environment: Mapping[str, str]
    drive: DriveAccess
    root: Path = Path("/")


class Step(msgspec.Struct, frozen=True):
    """One step of the search.

    Attributes:
        number: which one.
        title: what it looks at.
        findings: what was seen, in sentences.
        candidates: the vaults found; folders of this computer resolved.
        refusal: why Drive could not be asked.
    """

    number: int
    title: str
    findings: tuple[str, ...]
    candidates: tuple[Place, ...]
    refusal: VaultUnavailable | None = None


class Discovery(msgspec.Struct, frozen=True):
    """The steps taken, the vault found, and the pin to remember."""

    steps: tuple[Step, ...]
    vault: Place | None
    pin: str | None


PINNED, EXPLICIT, WORKSPACE, REGISTRY, DRIVE_MOUNTS, DRIVE_API, NONE = 0, 1, 2, 3, 4, 5, 6
_TITLES = {
    PINNED: "The vault used before",
    EXPLICIT: "The vault named by vault.path",
    WORKSPACE: "Around the workspace",
    REGISTRY: "Obsidian's list of vaults",
    DRIVE_MOUNTS: "Google Drive as a folder",
    DRIVE_API: "Google Drive over the network",
    NONE: "No vault",
}


def discover(request: Request) -> Discovery:
    """Find the vault, and explain how. Finding none, or too many, is a result and not an error."""
    if request.path:
        step, found = _only(EXPLICIT, _expanded(request.path, request.home))
        return _discovery(request, [step], found)
    if request.pin and not request.adopt:
        return _pinned(request, request.pin)
    steps = []
    for number, look in _SEARCHES.items():
        survey = Survey(request.name)
        look(survey, request)
        found = _choose(survey, request.name)
        steps.append(_step(number, survey.findings, survey.candidates))
        if survey.candidates:
            return _discovery(request, steps, found)
    from council_vault.vault.drive_search import search_drive  # noqa: PLC0415 - where there is a folder, not used

    seen = search_drive(request.drive, request.name)
    steps.append(_step_on_drive(DRIVE_API, seen))
    if seen.candidates:
        return _discovery(request, steps, seen.chosen)
    steps.append(_step(NONE, ["No vault was found. Nothing is written, and the records stay pending."]))
    return _discovery(request, steps, None)


def require(discovery: Discovery) -> Place:
    """Return the vault's folder, be it on this computer or on Drive.

    Raises:
        VaultAmbiguous: several vaults could be meant; they are named.
        VaultUnavailable: there is none, or the one that is meant is absent.
    """
    if discovery.vault is not None:
        return discovery.vault
    last = discovery.steps[-1]
    if last.candidates:
        raise VaultAmbiguous(
            f"several vaults could be meant: {enumerate_places(last.candidates)}",
            remedy="Set drive.folder_id to the one that is meant"
            if last.number == DRIVE_API
            else "Name one with --vault DIR, or set vault.path or vault.name",
        )
    refusal = next((step.refusal for step in discovery.steps if step.refusal is not None), None)
    if refusal is not None:
        raise _unreachable(refusal, pinned=last.number == PINNED)
    if last.number == PINNED:
        raise VaultUnavailable(
            "the vault used before is not there",
            where=discovery.pin or "",
            remedy="Mount it or put it back; to use another one, give --adopt-vault or --vault DIR",
        )
    if last.number == EXPLICIT:
        raise VaultUnavailable(
            f"vault.path cannot be used: {last.findings[0].rstrip('.')}",
            remedy="Mount it or put it back, or correct vault.path or --vault",
        )
    raise VaultUnavailable(
        f"no vault was found: no folder that was looked at holds {MARKER}",
        remedy="Name it with --vault DIR; `council-vault discover` shows what was looked at",
    )


def _unreachable(refusal: VaultUnavailable, *, pinned: bool) -> VaultUnavailable:
    """Return the error for a vault that is on Drive, or may be, when that cannot be asked."""
    what = "the vault used before is" if pinned else "no vault was found on this computer; it may be"
    return VaultUnavailable(
        f"{what} on Google Drive, which cannot be used now: {refusal.what}",
        where=refusal.where,
        remedy=refusal.remedy,
    )


def _pinned(request: Request, pin: str) -> Discovery:
    """Look at the vault that this memory has used before, and at no other."""
    folder_id = pinned_folder(pin)
    if folder_id is None:
        step, found = _only(PINNED, Path(pin))
        return _discovery(request, [step], found)
    from council_vault.vault.drive_search import look_for_pinned  # noqa: PLC0415 - likewise

    seen = look_for_pinned(request.drive, folder_id)
    return _discovery(request, [_step_on_drive(PINNED, seen)], seen.chosen)


def _only(number: int, folder: Path) -> tuple[Step, Path | None]:
    """Look at the one folder that counts. A person chose it, so Obsidian's own folder is sign enough."""
    try:
        real = resolved(folder)
        if is_vault(real):
            leads = "" if real == folder else f" (really {real})"
            return _step(number, [f"{folder}{leads}: it is a vault."], (real,)), real
        what = (
            f"neither {MARKER} nor {OBSIDIAN_FOLDER} is in it" if real.is_dir() else "there is no such folder"
        )
    except OSError as error:
        what = trouble(error)
    return _step(number, [f"{folder}: {what}."]), None


def _choose(survey: Survey, name: str) -> Path | None:
    """Return the one candidate, or the one of the configured name; say why where there are several."""
    candidates, named = survey.candidates, survey.of_wanted_name
    if len(candidates) <= 1:
        return candidates[0] if candidates else None
    if len(named) == 1:
        survey.say(f"{named[0]} is meant, since it has the configured name {name!r}.")
        return named[0]
    several = f"{len(named)} of them are" if named else "none of them is"
    survey.say(
        f"{len(candidates)} vaults were found, and {several} called {name!r}: it is not clear which is meant."
    )
    return None


def _look_around_workspace(survey: Survey, request: Request) -> None:
    for folder in _upwards(survey, request):
        survey.look(folder)
    workspace = absolute(request.workspace)
    _look_at_sibling(survey, workspace, request.name)
    search_below(survey, workspace, depth=WORKSPACE_DEPTH)
    for mount in request.mounts:
        folder = _expanded(mount, request.home)
        if not survey.look(folder):
            search_below(survey, folder, depth=1)


def _upwards(survey: Survey, request: Request) -> Iterator[Path]:
    """Yield the workspace and its parents, as named and as resolved, up to home or a file-system boundary."""
    homes = {request.home, resolved(request.home)}
    named = absolute(request.workspace)
    for start in dict.fromkeys((named, resolved(named))):
        yield start
        below = start
        for folder in start.parents:
            if below in homes:
                break
            try:
                if folder.stat().st_dev != below.stat().st_dev:
                    survey.say(f"{folder}: not looked at, since it is on another file system than {below}.")
                    break
            except OSError as error:
                survey.say(f"{folder}: not looked at, {trouble(error)}.")
                break
            yield folder
            below = folder


def _look_at_sibling(survey: Survey, workspace: Path, name: str) -> None:
    """Look at folders beside the workspace that have the vault's name."""
    try:
        siblings = sorted(
            entry.name for entry in os.scandir(workspace.parent) if survey.is_wanted(entry.name)
        )
    except OSError as error:
        survey.say(f"{workspace.parent}: {trouble(error)}.")
        return
    for sibling in siblings:
        survey.look(workspace.parent / sibling)
    if not siblings:
        survey.say(f"{workspace.parent}: nothing in it is called {name!r}.")


_SEARCHES: dict[int, Callable[[Survey, Request], None]] = {
    WORKSPACE: _look_around_workspace,
    REGISTRY: lambda survey, request: look_at_registered(survey, request.home, request.environment),
    DRIVE_MOUNTS: lambda survey, request: look_at_drive_mounts(
        survey, request.home, request.environment, request.root
    ),
}


def _expanded(path: str, home: Path) -> Path:
    """Return a path from the settings or the command line, absolute, with ``~`` as the home directory."""
    if path == "~" or path.startswith("~/"):
        return home / path[2:]
    return absolute(Path(path))


def _step(number: int, findings: list[str], candidates: tuple[Path, ...] = ()) -> Step:
    return Step(number, _TITLES[number], tuple(findings), candidates)


def _step_on_drive(number: int, seen: Seen) -> Step:
    return Step(number, _TITLES[number], seen.findings, seen.candidates, seen.refusal)


def _discovery(request: Request, steps: list[Step], found: Place | None) -> Discovery:
    """The pin moves to what was found; where nothing was, it stays."""
    if found is None:
        return Discovery(tuple(steps), None, request.pin)
    return Discovery(tuple(steps), found, found.pin if isinstance(found, DriveFolder) else str(found))
