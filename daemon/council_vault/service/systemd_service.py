"""The service as a unit of the person's own systemd."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from council_vault.service.managing import ServiceState, is_untouched, marked
from council_vault.service.plan import Plan, Remove, RemoveEmpty, Run, Step, Write, set_aside
from council_vault.service.unit_text import started_by, unit_text
from council_vault.shipped import shipped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from council_vault.service.installation import Installation

NAME = "council-vault.service"
_PATIENCE = 5.0
_PROPERTIES = (
    "LoadState",
    "ActiveState",
    "UnitFileState",
    "Result",
    "FragmentPath",
    "MainPID",
    "ActiveEnterTimestampMonotonic",
)


class Systemd:
    """The person's own systemd.

    Args:
        environment: the program's, by which ``systemctl`` finds it.
        home: the person's own folder.
    """

    def __init__(self, environment: Mapping[str, str], home: Path) -> None:
        self.environment = _with_runtime_folder(environment)
        self._home = home
        self._program = shutil.which("systemctl", path=environment.get("PATH"))

    @property
    def answers(self) -> bool:
        """Whether there is one, and it answers."""
        return self._said() is not None

    def state(self) -> ServiceState:
        """Return how the service is."""
        said = self._said() or {}
        result, file = said.get("Result", ""), said.get("FragmentPath", "")
        began, process = int(said.get("ActiveEnterTimestampMonotonic") or 0), int(said.get("MainPID") or 0)
        return ServiceState(
            manager="systemd",
            name=NAME,
            installed=said.get("LoadState") == "loaded",
            file=file,
            starts=started_by(_text(Path(file)) or "") if file else "",
            enabled=said.get("UnitFileState") == "enabled",
            state=said.get("ActiveState", ""),
            result="" if result == "success" else result,
            process=process,
            since=_moment(began) if began and process else None,
            lingers=self._lingers(),
        )

    def installing(self, installation: Installation) -> Plan:
        """Return how to install and start it, or to bring it up to date."""
        folder = self._folder()
        path = folder / NAME
        template = (shipped("systemd") / NAME).read_text("utf-8")
        text = unit_text(template, installation.command, installation.variables)
        text = marked(text, "[Unit]", f"# {{}} To change something: `systemctl --user edit {NAME}`")
        present = _text(path)
        steps: list[Step] = []
        replaces: list[str] = []
        if present is not None and present != text:
            before, after = started_by(present), started_by(text)
            if not _is_ours(path, present):
                steps.append(set_aside(path))
                replaces.append(f"{path} is of another hand, and starts {before or 'nothing'}")
            elif before != after:
                replaces.append(f"{path} starts another installation, {before}")
        elif present is None and (elsewhere := self._elsewhere(path)):
            replaces.append(f"{elsewhere} is another installation's; it stays, and does not count any more")
        if present != text:
            steps.append(Write(path, text))
        return Plan(
            steps=(
                *steps,
                self._run("daemon-reload"),
                self._run("enable", NAME),
                self._run("restart", NAME),
            ),
            replaces=tuple(replaces),
            remarks=tuple(
                f"{drop_in} is yours, and changes how it runs" for drop_in in self._drop_ins(folder)
            ),
        )

    def uninstalling(self) -> Plan:
        """Return how to stop and remove it; no steps where there is nothing to remove."""
        folder = self._folder()
        path = folder / NAME
        present = _text(path)
        links = [link for wants in folder.glob("*.wants") if (link := wants / NAME).is_symlink()]
        elsewhere = self._elsewhere(path)
        remarks = [f"{elsewhere} is another installation's, and stays"] if elsewhere else []
        if present is None and not links:
            return Plan(remarks=tuple(remarks))
        steps: list[Step] = [
            self._run("stop", NAME, may_fail=True),
            self._run("disable", NAME, may_fail=True),
        ]
        remarks += [f"{drop_in} is yours, and stays" for drop_in in self._drop_ins(folder)]
        if present is not None and not _is_ours(path, present):
            aside = set_aside(path)
            remarks.append(f"{path} is of another hand, and is kept as {aside.kept.name}")
            steps.append(aside)
        else:
            steps.append(Remove(path))
        steps += map(Remove, links)
        emptied = [folder / f"{NAME}.d", *dict.fromkeys(link.parent for link in links), folder, folder.parent]
        if not links:
            emptied.insert(0, folder / "default.target.wants")
        steps += map(RemoveEmpty, emptied)
        steps += [self._run("daemon-reload"), self._run("reset-failed", NAME, may_fail=True)]
        return Plan(steps=tuple(steps), remarks=tuple(remarks))

    def log_command(self, lines: int, *, follow: bool) -> tuple[str, ...]:
        """Return the command that shows what it has said.

        Not ``--user``: that leaves out what the journal keeps together for all users.
        """
        command = ("journalctl", f"--user-unit={NAME}", f"--lines={lines}")
        return (*command, "--follow") if follow else (*command, "--no-pager")

    def _run(self, *words: str, may_fail: bool = False) -> Run:
        return Run((self._program or "systemctl", "--user", *words), may_fail)

    def _folder(self) -> Path:
        """Return the folder for the person's own units: the one of those meant that systemd looks in."""
        configured = self.environment.get("XDG_CONFIG_HOME")
        usual = self._home / ".config" / "systemd" / "user"
        if configured:
            folder = Path(configured) / "systemd" / "user"
            if f" {folder} " in f" {self._ask('show', '--property=UnitPath', '--value') or ''} ":
                return folder
        return usual

    def _elsewhere(self, path: Path) -> str:
        """Return the unit that counts and stands elsewhere, if one does."""
        file = (self._said() or {}).get("FragmentPath", "")
        return "" if file == str(path) else file

    def _drop_ins(self, folder: Path) -> list[Path]:
        return sorted((folder / f"{NAME}.d").glob("*.conf"))

    def _lingers(self) -> bool | None:
        program = shutil.which("loginctl", path=self.environment.get("PATH"))
        if program is None:
            return None
        answer = _answer(
            [program, "show-user", str(os.geteuid()), "--property=Linger", "--value"], self.environment
        )
        return {"yes": True, "no": False}.get((answer or "").strip())

    def _said(self) -> dict[str, str] | None:
        """Return what systemd says of the unit; ``None`` where it does not answer."""
        answer = self._ask("show", NAME, f"--property={','.join(_PROPERTIES)}")
        if answer is None:
            return None
        return {name: value for name, _, value in (line.partition("=") for line in answer.splitlines())}

    def _ask(self, *words: str) -> str | None:
        return _answer([self._program, "--user", *words], self.environment) if self._program else None


def _with_runtime_folder(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Name the folder by which systemd is found, where cron, ssh or su have not."""
    folder = f"/run/user/{os.geteuid()}"
    if environment.get("XDG_RUNTIME_DIR") or not os.access(f"{folder}/systemd", os.X_OK):
        return environment
    return {**environment, "XDG_RUNTIME_DIR": folder}


def _answer(command: list[str], environment: Mapping[str, str]) -> str | None:
    try:
        answer = subprocess.run(  # noqa: S603 - the person's own systemd, and nothing of others in the command
            command, env=dict(environment), capture_output=True, timeout=_PATIENCE, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.decode(errors="replace")


def _moment(microseconds: int) -> datetime:
    """Return a moment of the monotonic clock as a time, to the second."""
    ago = time.monotonic() - microseconds / 1_000_000
    return (datetime.now(UTC) - timedelta(seconds=ago)).replace(microsecond=0)


def _text(path: Path) -> str | None:
    """Return what a unit file says, nothing for a link that leads nowhere; ``None`` where there is none."""
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return "" if path.is_symlink() or path.exists() else None


def _is_ours(path: Path, text: str) -> bool:
    """Whether a unit file is as this program wrote it, and no link to somebody's own collection."""
    return is_untouched(text) and not path.is_symlink()
