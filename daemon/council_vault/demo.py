"""The real daemon on a copy of a fixture vault, while an agent adds deliberations and a person rates one."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from council_vault.errors import CouncilVaultError, SettingsError
from council_vault.files.reading import failed
from council_vault.learning.log_input import LogInput
from council_vault.learning.record import draft_record
from council_vault.memory import canonical
from council_vault.memory.times import moment
from council_vault.notes.kinds import KINDS, file_name
from council_vault.operations.log import add
from council_vault.service.presence import present
from council_vault.settings import APPLICATION, Settings, VaultSettings, WorkspaceSettings
from council_vault.shipped import shipped
from council_vault.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from council_vault.memory.schema import Deliberation, Memory

_VAULT = "studio"
_PATIENCE = 15.0  # seconds, for each thing that the daemon is to do
_AN_HOUR = 3600.0
_QUESTIONS = (
    "Tell neighbours before or after the first alert",
    "Keep tide tables offline or fetch them",
    "Solar panel or spare battery for winter",
    "Hire for sales or for support first",
    "Open the sensor's firmware or not",
    "Alert by phone call when a text is not read",
)


class Demonstration(msgspec.Struct, frozen=True, kw_only=True):
    """A vault and a workspace to look at, and the notes in that vault."""

    vault: Path
    workspace: Path
    notes: tuple[Path, ...]


def demonstrate(folder: Path, say: Callable[[str], None]) -> Demonstration:
    """Let it work for a few seconds in an empty folder, and say what happens as it happens.

    Everything stays in that folder: state and locks too.

    Raises:
        SettingsError: the folder is not empty.
        WriteFailed: it cannot be written to.
        CouncilVaultError: the daemon does not do what it should.
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
    workspace = Workspace(settings, folder / "state" / APPLICATION, folder, {})
    notes = {kind: vault / settings.vault.folder / file_name(kind) for kind in KINDS}
    with _daemon(folder, workspace, say) as daemon:
        _story(daemon, workspace, notes["log"], say)
    return Demonstration(vault=vault, workspace=place, notes=tuple(notes.values()))


def _story(daemon: _Daemon, workspace: Workspace, log: Path, say: Callable[[str], None]) -> None:
    pending = len(_memory(workspace).pending)
    say(f"{pending} deliberations in {workspace.memory_path} are not in the vault yet. The daemon starts:")
    daemon.wait_for("the first sync", lambda: not _memory(workspace).pending)

    say("\nThe council's agent rewrites the whole file, with a 65th deliberation:")
    (first,) = _add(workspace, 1)
    daemon.wait_for("the 65th", lambda: not _memory(workspace).pending)

    say("\nTwo more. They can wait until a multiple of five is reached:")
    _add(workspace, 2)
    daemon.wait_for("its notice of the two", lambda: "2 pending" in _waiting(workspace))
    say(f"    {_waiting(workspace)}")

    say(f"\nYou type a 👍 into the Rating cell of {first}, and the agent adds three more:")
    _rate(log, first)
    _add(workspace, 3)
    daemon.wait_for("the last three", lambda: not _memory(workspace).pending)
    rating = _memory(workspace).identified[first].user_rating
    say(f"    {first} is rated {rating} in the memory file now.")

    say("\nThe daemon is told to stop:")


class _Daemon:
    """The daemon as a process of its own; what it says is passed on line by line."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path, say: Callable[[str], None]) -> None:
        self._process = process
        self._log = log
        self._say = say
        self._said = 0

    def wait_for(self, what: str, has_come: Callable[[], bool]) -> None:
        """Wait until something has come to be.

        Raises:
            CouncilVaultError: it has not for a long time, or the daemon has ended.
        """
        give_up = time.monotonic() + _PATIENCE
        while not has_come():
            if self._process.poll() is not None or time.monotonic() > give_up:
                raise CouncilVaultError(
                    f"the daemon did not bring about {what}", where=self._log, remedy="Its log says why"
                )
            self.pass_on()
            time.sleep(0.02)
        time.sleep(0.2)  # it says what it has done when it has done it
        self.pass_on()

    def pass_on(self) -> None:
        """Say what it has said since the last time."""
        lines = self._log.read_text("utf-8").splitlines(keepends=True)
        while self._said < len(lines) and lines[self._said].endswith("\n"):
            self._say(f"    {lines[self._said].rstrip()}")
            self._said += 1

    def stop(self) -> None:
        """Tell it to stop, and wait until it has."""
        self._process.terminate()
        self._process.wait(_PATIENCE)
        self.pass_on()


@contextmanager
def _daemon(folder: Path, workspace: Workspace, say: Callable[[str], None]) -> Iterator[_Daemon]:
    """Run the daemon, with a home in the folder, so that nothing of the person's own is touched."""
    home = {"HOME": folder, "XDG_STATE_HOME": folder / "state", "XDG_CONFIG_HOME": folder / "config"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COUNCIL_VAULT")}
    environment |= {name: str(path) for name, path in home.items()}
    source = str(Path(__file__).resolve().parents[1])
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))
    settings = workspace.settings
    command = [sys.executable, "-m", "council_vault.cli.main"]
    command += ["--workspace", str(settings.workspace_folder), "--vault", str(settings.vault.path), "daemon"]
    log = folder / "daemon.log"
    with log.open("wb") as messages:
        process = subprocess.Popen(  # noqa: S603 - ourselves
            command, env=environment, stdin=subprocess.DEVNULL, stderr=messages
        )
    with process:
        daemon = _Daemon(process, log, say)
        try:
            yield daemon
        finally:
            daemon.stop()


def _memory(workspace: Workspace) -> Memory:
    return workspace.memory_file().read().memory


def _waiting(workspace: Workspace) -> str:
    activity = present(workspace.folder, workspace.locks)
    return activity.waiting if activity else ""


def _add(workspace: Workspace, count: int) -> list[str]:
    """Add deliberations, and write the whole file anew as an agent does: without a lock."""
    path = workspace.memory_path
    content = workspace.memory_file().read()
    document = canonical.parse(content.data)
    total, like = content.memory.total, content.memory.deliberations[-1]
    before = moment(like.timestamp)
    if before is None:
        raise CouncilVaultError("the fixture's last record has no time", where=path)
    times = [before + timedelta(hours=place + 1) for place in range(count)]
    drafts = [
        draft_record(_deliberation(like, _QUESTIONS[(total + place) % len(_QUESTIONS)]), when)
        for place, when in enumerate(times)
    ]
    added = add(document, content.memory, drafts, workspace, times[-1])
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(document, indent=2, ensure_ascii=False), "utf-8")
    draft.replace(path)
    return [entry.record["id"] for entry in added.entries]


def _deliberation(like: Deliberation, question: str) -> LogInput:
    """Return a deliberation of the council of an earlier one, which came to the same ranks."""
    return LogInput(
        query_text=f"We are two people and have one winter until the next flood season. {question}: "
        "which would you choose, what does it cost us, and what if we are wrong?",
        query_summary=question,
        models_used=like.models_used,
        rankings=dict(like.rankings),
        chairman=like.chairman,
        confidence=like.confidence,
        protocol_used="voting",
        cost_usd=like.cost_usd,
        latency_ms=like.latency_ms,
        routing_decision="deliberate",
        routing_source="learned",
        routing_confidence=like.routing_confidence,
    )


def _rate(log: Path, record_id: str) -> None:
    """Type a rating into a row's last cell, some time ago: the daemon leaves alone who is still typing."""
    text = log.read_text("utf-8")
    log.write_text(
        re.sub(rf"^(\| {record_id} \|.*\|) [^|\n]* \|$", r"\1 👍 |", text, flags=re.MULTILINE), "utf-8"
    )
    _date_back(log)


def _copy(source: Path, target: Path) -> None:
    """Copy a folder, but not its rights: the program may be installed where nothing can be written."""
    target.mkdir()
    for path in sorted(source.rglob("*")):
        copy = target / path.relative_to(source)
        if path.is_dir():
            copy.mkdir()
        else:
            shutil.copyfile(path, copy)
            _date_back(copy)


def _date_back(path: Path) -> None:
    moment = time.time() - _AN_HOUR
    os.utime(path, (moment, moment))
