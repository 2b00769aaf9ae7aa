"""The service as an agent of launchd, on macOS."""

from __future__ import annotations

import os
import plistlib
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

from council_vault.errors import CouncilVaultError
from council_vault.service.managing import ServiceState, is_untouched, marked
from council_vault.service.plan import Plan, Remove, Run, Step, Write, set_aside

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from council_vault.service.installation import Installation

LABEL = "council-vault"
_PATIENCE = 5.0
_SAID = re.compile(r"^\t(state|pid|last exit code) = (.*)$", re.MULTILINE)


class Launchd:
    """The launchd of a person who is logged in at the screen.

    Args:
        environment: the program's, by which ``launchctl`` is found.
        home: the person's own folder.
    """

    def __init__(self, environment: Mapping[str, str], home: Path) -> None:
        self.environment = environment
        self._program = shutil.which("launchctl", path=environment.get("PATH")) or "/bin/launchctl"
        self._domain = f"gui/{os.geteuid()}"
        self._path = home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
        self._log = home / "Library" / "Logs" / f"{LABEL}.log"

    def state(self) -> ServiceState:
        """Return how the service is."""
        answer = self._print()
        said = dict(_SAID.findall(answer or ""))
        ended = said.get("last exit code", "")
        return ServiceState(
            manager="launchd",
            name=LABEL,
            installed=self._path.exists() or answer is not None,
            file=str(self._path) if self._path.exists() else "",
            starts=" ".join(_started_by(self._path)),
            enabled=self._path.exists(),
            state=said.get("state", ""),
            result="" if ended in {"", "0", "(never exited)"} else f"exit code {ended}",
            process=int(said.get("pid", "0")),
        )

    def installing(self, installation: Installation) -> Plan:
        """Return how to install and start it, or to bring it up to date."""
        text = agent_text(installation, self._log)
        present = self._path.read_text("utf-8", errors="replace") if self._path.exists() else None
        steps: list[Step] = []
        replaces: list[str] = []
        if present is not None and present != text:
            before = _started_by(self._path)
            if not is_untouched(present):
                steps.append(set_aside(self._path))
                replaces.append(
                    f"{self._path} is of another hand, and starts {' '.join(before) or 'nothing'}"
                )
            elif before != installation.command:
                replaces.append(f"{self._path} starts another installation, {' '.join(before)}")
        if present != text:
            steps.append(Write(self._path, text))
        return Plan(
            steps=(
                *steps,
                self._run("bootout", f"{self._domain}/{LABEL}", may_fail=True),
                self._run("enable", f"{self._domain}/{LABEL}"),
                self._run("bootstrap", self._domain, str(self._path)),
            ),
            replaces=tuple(replaces),
        )

    def uninstalling(self) -> Plan:
        """Return how to stop and remove it; no steps where there is nothing to remove."""
        if not self._path.exists() and self._print() is None:
            return Plan()
        remarks = []
        removal: Step = Remove(self._path)
        if self._path.exists() and not is_untouched(self._path.read_text("utf-8", errors="replace")):
            removal = set_aside(self._path)
            remarks.append(f"{self._path} is of another hand, and is kept as {removal.kept.name}")
        stop = self._run("bootout", f"{self._domain}/{LABEL}", may_fail=True)
        return Plan(steps=(stop, removal, Remove(self._log)), remarks=tuple(remarks))

    def log_command(self, lines: int, *, follow: bool) -> tuple[str, ...]:
        """Return the command that shows what it has said."""
        return ("tail", "-n", str(lines), *(["-F"] if follow else []), str(self._log))

    def _run(self, *words: str, may_fail: bool = False) -> Run:
        return Run((self._program, *words), may_fail)

    def _print(self) -> str | None:
        """Return what launchd says of the agent; ``None`` where it knows none."""
        command = [self._program, "print", f"{self._domain}/{LABEL}"]
        try:
            answer = subprocess.run(  # noqa: S603 - the system's own program, and our own names
                command, env=dict(self.environment), capture_output=True, timeout=_PATIENCE, check=True
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return answer.stdout.decode(errors="replace")


def agent_text(installation: Installation, log: Path) -> str:
    """Return the file of an agent that starts an installation when the person logs in.

    Args:
        installation: what is started.
        log: where what it says goes.

    Raises:
        CouncilVaultError: a path holds what no such file can hold.
    """
    agent = {
        "Label": LABEL,
        "ProgramArguments": list(installation.command),
        "EnvironmentVariables": dict(installation.variables),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 30,  # launchd cannot tell wrong settings, where starting again does not help
        "ExitTimeOut": 15,
        "ProcessType": "Background",
        "StandardErrorPath": str(log),
    }
    try:
        text = plistlib.dumps(agent, sort_keys=False).decode()
    except (ValueError, UnicodeError) as error:
        raise CouncilVaultError(
            f"launchd cannot be told of these paths: {error}",
            where=" ".join(installation.command).encode(errors="backslashreplace").decode(),
            remedy="Use folders without control characters in their names",
        ) from error
    return marked(text, "<plist", "<!-- {} -->")


def _started_by(path: Path) -> tuple[str, ...]:
    """Return the command of an agent; nothing where it cannot be understood."""
    try:
        agent: Any = plistlib.loads(path.read_bytes())
        return tuple(map(str, agent["ProgramArguments"]))
    except (OSError, ValueError, KeyError, TypeError, plistlib.InvalidFileException):
        return ()
