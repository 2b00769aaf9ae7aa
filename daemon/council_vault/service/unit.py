"""The service as systemd knows it: whether its unit is there, runs, and starts by itself."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "council-vault.service"
_PATIENCE = 5.0
_PROPERTIES = "LoadState,ActiveState,UnitFileState,Result"


class Unit(NamedTuple):
    """What systemd says of the unit: its own words for the state, and for how it last ended."""

    installed: bool
    enabled: bool
    state: str
    result: str

    @property
    def runs(self) -> bool:
        """Whether it is up, or on its way."""
        return self.state in {"active", "reloading", "activating"}

    @property
    def crashed(self) -> bool:
        """Whether it ended by itself, for good or until systemd starts it again in a moment."""
        return self.state in {"failed", "activating"} and self.result not in {"", "success"}


def unit(environment: Mapping[str, str]) -> Unit | None:
    """Ask the person's own systemd; ``None`` where there is none that answers.

    Args:
        environment: the program's, by which ``systemctl`` finds it.
    """
    program = shutil.which("systemctl", path=environment.get("PATH"))
    if program is None:
        return None
    command = [program, "--user", "show", NAME, f"--property={_PROPERTIES}"]
    try:
        answer = subprocess.run(  # noqa: S603 - the person's own systemctl, and nothing of others in the command
            command, env=dict(environment), capture_output=True, timeout=_PATIENCE, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    lines = (line.partition("=") for line in answer.stdout.decode(errors="replace").splitlines())
    said = {name: value for name, _, value in lines}
    return Unit(
        installed=said.get("LoadState") == "loaded",
        enabled=said.get("UnitFileState") == "enabled",
        state=said.get("ActiveState", ""),
        result=said.get("Result", ""),
    )
