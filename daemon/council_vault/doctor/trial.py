"""The whole way from a memory into a vault and back, tried with a memory and a vault that are thrown away."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from council_vault import files
from council_vault.doctor.finding import Finding
from council_vault.errors import CouncilVaultError
from council_vault.files.reading import failed
from council_vault.learning.log_input import LogInput
from council_vault.notes.kinds import KINDS, file_name
from council_vault.operations.log import log
from council_vault.settings import APPLICATION, DriveSettings, Settings, VaultSettings, WorkspaceSettings
from council_vault.sync import Options, sync
from council_vault.vault.marker import MARKER, is_vault
from council_vault.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

_MODELS = ("first/model", "second/model", "third/model")
_RECORDS = 3
_NAME = ".council-vault-self-test-"


class _Took(NamedTuple):
    """How many seconds each part of the test took."""

    writing: float
    back: float
    nothing: float


def self_test(workspace: Workspace, vault: Path | None, now: datetime) -> Finding:
    """Log deliberations into a memory of their own, sync them, rate one in the note, and sync again.

    Memory and vault are in a hidden folder beside the vault, so that its file system is what is tried; where
    that cannot be, or would be in another vault, in the folder of states. It is removed again.

    Args:
        workspace: whose settings and templates are tried.
        vault: its vault, if that is a folder on this computer.
        now: an aware time.
    """
    try:
        with _folder(workspace, vault) as folder:
            kind = files.protection(folder).file_system
            took = _tried(workspace, folder, now)
    except CouncilVaultError as error:
        return Finding("problem", "self-test", str(error))
    writing, back, nothing = (f"{seconds * 1000:.0f} ms" for seconds in took)
    what = (
        f"{_RECORDS} records were in a vault on {kind} after {writing}, a rating typed there was back after "
        f"{back}, and a sync with nothing to do took {nothing}"
    )
    beside = vault is not None and folder.parent == vault.parent
    elsewhere = "" if beside else f". This was in {folder.parent}, and not beside the vault"
    return Finding("note", "self-test", what + elsewhere)


def _tried(workspace: Workspace, folder: Path, now: datetime) -> _Took:
    """Go the whole way in a folder.

    Raises:
        CouncilVaultError: something did not come out as it should.
    """
    trial = _trial(workspace, folder)
    for number in range(_RECORDS):
        log(trial, _deliberation(number), now - timedelta(hours=number))
    memory = trial.memory_file().read().memory
    began = time.perf_counter()
    report = sync(trial, Options(), now)
    written = time.perf_counter()
    notes = {kind: folder / "vault" / trial.settings.vault.folder / file_name(kind) for kind in KINDS}
    text = files.read(notes["log"]) or b""
    _expect(not report.failed, "; ".join((*report.reasons, report.failure)))
    _expect(all(note.exists() for note in notes.values()), "a note that was written is not there")
    _expect(all(id_.encode() in text for id_ in memory.identified), "the log does not hold what was logged")
    _expect(not trial.memory_file().read().memory.pending, "the records were not flagged")

    id_ = next(iter(memory.identified))
    notes["log"].write_bytes(_rated(text, id_))
    rated = time.perf_counter()
    sync(trial, Options(), now)
    back = time.perf_counter()
    rating = trial.memory_file().read().memory.identified[id_].user_rating
    _expect(rating == "positive", "a rating typed into the log did not come back")

    sync(trial, Options(), now)
    settled = time.perf_counter()
    report = sync(trial, Options(), now)
    nothing = time.perf_counter()
    _expect(not report.changed, "a sync with nothing to do wrote something")
    return _Took(written - began, back - rated, nothing - settled)


def _rated(log: bytes, id_: str) -> bytes:
    """Return the log with a rating typed into the row of a record."""
    return re.sub(rf"^(\| {id_} \|.*\|) — \|$".encode(), rb"\1 positive |", log, flags=re.MULTILINE)


def _trial(workspace: Workspace, folder: Path) -> Workspace:
    """Return a workspace in a folder that has the settings of another one, but for its places."""
    vault = folder / "vault"
    marker = vault / MARKER
    (folder / "workspace").mkdir()
    marker.parent.mkdir(parents=True)
    marker.write_text("# Memory\n", "utf-8")
    given = workspace.settings
    settings = Settings(
        workspace=WorkspaceSettings(path=str(folder / "workspace")),
        vault=VaultSettings(path=str(vault), folder=given.vault.folder),
        drive=DriveSettings(enabled=False),
        sync=msgspec.structs.replace(given.sync, every=_RECORDS + 1),  # so that logging alone syncs nothing
        notes=given.notes,
    )
    return Workspace(settings, folder / "states" / APPLICATION, folder, {})


def _deliberation(number: int) -> LogInput:
    first, *others = _MODELS
    return LogInput(
        query_text=f"Is everything well, asked for the {number + 1}. time?",
        query_summary=f"Self-test {number + 1}",
        models_used=_MODELS,
        rankings={first: 1.0, **{model: place + 2.0 for place, model in enumerate(others)}},
        chairman=first,
        routing_decision="deliberate",
    )


def _expect(is_so: bool, otherwise: str) -> None:  # noqa: FBT001 - reads as the sentence it is
    if not is_so:
        raise CouncilVaultError(otherwise, remedy="`council-vault doctor` may say why")


@contextmanager
def _folder(workspace: Workspace, vault: Path | None) -> Iterator[Path]:
    """Make a folder for the test, and remove it afterwards.

    Raises:
        WriteFailed: no folder can be made, or it cannot be written to.
    """
    places = [workspace.states]
    if vault is not None and vault.parent.stat().st_dev == vault.stat().st_dev and not _in_vault(vault):
        places.insert(0, vault.parent)
    folder = _made(places)
    try:
        yield folder
    except OSError as error:
        raise failed(error, Path(error.filename or folder), "the test cannot be made") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _made(places: list[Path]) -> Path:
    """Make the folder in the first place that allows it."""
    *preferred, last = places
    for place in preferred:
        try:
            return Path(tempfile.mkdtemp(prefix=_NAME, dir=place))
        except OSError:
            continue
    try:
        last.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=_NAME, dir=last))
    except OSError as error:
        raise failed(error, last, "no folder can be made for the test") from error


def _in_vault(vault: Path) -> bool:
    """Whether a vault is itself in another one."""
    return any(is_vault(above) for above in vault.parents)
