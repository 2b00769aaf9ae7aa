"""The program as people run it: in this process, which is quick, or in one of its own, which is real."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import council_vault
from council_vault.cli.main import main
from council_vault.shipped import shipped
from support.memory_files import document, dump

if TYPE_CHECKING:
    from collections.abc import Mapping

SOURCE = Path(council_vault.__file__).parents[1]
FOLDER = "_Shared Knowledge/Agents and Plugins"
PERFORMANCE = f"{FOLDER}/council-model-performance.md"
LOG = f"{FOLDER}/council-deliberation-log.md"


class Ran(NamedTuple):
    """How a run ended: exit code, results, messages."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The results as JSON; other programs refuse what Python alone takes for a number."""
        return json.loads(self.out, parse_constant=pytest.fail)


class Program:
    """The program, with a home, a workspace and a vault below one folder.

    Args:
        base: where everything goes; the current folder is there too.
        monkeypatch: sets the environment.
        capsys: takes what is printed.
    """

    def __init__(
        self, base: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.base = base
        self.home = base / "home"
        self.states = base / "states" / "council-vault"
        self.config = base / "config" / "council-vault" / "config.toml"
        self.workspace = base / "workspace"
        self.memory = self.workspace / "council-memory.json"
        self.vault = base / "MoxyWolf Vault"
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        self.home.mkdir()
        self.workspace.mkdir()
        for name in [name for name in os.environ if name.startswith(("COUNCIL_VAULT", "XDG_"))]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("HOME", str(self.home))
        monkeypatch.setenv("XDG_STATE_HOME", str(base / "states"))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(base / "config"))
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.chdir(self.workspace)

    def __call__(self, *arguments: object) -> Ran:
        """Run it in this process."""
        self._monkeypatch.setattr(sys, "argv", ["council-vault", *map(str, arguments)])
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = self._capsys.readouterr()
        return Ran(stopped.value.code, out, err)

    def start(self, *arguments: object, environment: Mapping[str, str] | None = None, **options: Any):
        """Start it in a process of its own."""
        command = [sys.executable, "-m", "council_vault.cli.main", *map(str, arguments)]
        path = os.pathsep.join(filter(None, [str(SOURCE), os.environ.get("PYTHONPATH")]))
        told = os.environ | {"PYTHONPATH": path} | (environment or {})
        options = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
        } | options
        return subprocess.Popen(command, env=told, **options)

    def process(
        self, *arguments: object, environment: Mapping[str, str] | None = None, **options: Any
    ) -> Ran:
        """Run it in a process of its own."""
        with self.start(*arguments, environment=environment, **options) as started:
            out, err = started.communicate(timeout=60)
        return Ran(started.returncode, (out or b"").decode(), (err or b"").decode())

    # What it works on

    def make_vault(self, fixture: str = "empty") -> Path:
        """Put a copy of a fixture vault in its place."""
        shutil.copytree(shipped("vault_fixtures") / fixture, self.vault)
        return self.vault

    def write_memory(self, *records: dict[str, Any], **fields: Any) -> None:
        """Write the memory file as an agent does, a while ago."""
        self.write_bytes(dump(document(*records, **fields)))

    def write_bytes(self, data: bytes) -> None:
        """Write these bytes as the memory file, a while ago, so that nobody waits for the rest of them."""
        self.memory.write_bytes(data)
        a_while_ago = time.time() - 60
        os.utime(self.memory, (a_while_ago, a_while_ago))

    def parsed(self) -> dict[str, Any]:
        """Return what the memory file says."""
        return json.loads(self.memory.read_bytes())

    def log(self) -> str:
        """Return the text of the log note."""
        return (self.vault / LOG).read_text("utf-8")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Program:
    """The program, in folders of its own."""
    return Program(tmp_path, monkeypatch, capsys)
