"""What is about to be done to install or remove a service: told first, then done exactly so."""

from __future__ import annotations

import shlex
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from council_vault.errors import CouncilVaultError
from council_vault.files.reading import failed

if TYPE_CHECKING:
    from collections.abc import Mapping

_PATIENCE = 120.0  # seconds; stopping the daemon takes up to 15


class Write(msgspec.Struct, frozen=True):
    """Write a file, whose folder is made if it is missing."""

    path: Path
    text: str

    def __str__(self) -> str:
        lines = "".join(f"    {line}\n" if line else "\n" for line in self.text.splitlines())
        return f"write {self.path}:\n\n{lines}"

    def do(self, environment: Mapping[str, str]) -> None:  # noqa: ARG002 - what every step takes
        """Do it, so that the file is there as a whole or not at all."""
        draft = self.path.with_name(f".{self.path.name}.part")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(self.text, "utf-8")
        draft.replace(self.path)


class SetAside(msgspec.Struct, frozen=True):
    """Keep a file under another name beside it."""

    path: Path
    kept: Path

    def __str__(self) -> str:
        return f"keep {self.path} as {self.kept.name}"

    def do(self, environment: Mapping[str, str]) -> None:  # noqa: ARG002 - likewise
        """Do it."""
        self.path.rename(self.kept)


class Remove(msgspec.Struct, frozen=True):
    """Remove a file or a symbolic link, if it is there."""

    path: Path

    def __str__(self) -> str:
        return f"remove {self.path}"

    def do(self, environment: Mapping[str, str]) -> None:  # noqa: ARG002 - likewise
        """Do it."""
        self.path.unlink(missing_ok=True)


class RemoveEmpty(msgspec.Struct, frozen=True):
    """Remove a folder, if it is empty."""

    path: Path

    def __str__(self) -> str:
        return f"remove {self.path}, if it is empty"

    def do(self, environment: Mapping[str, str]) -> None:  # noqa: ARG002 - likewise
        """Do it."""
        with suppress(OSError):  # something else is in it, or it is not there
            self.path.rmdir()


class Run(msgspec.Struct, frozen=True):
    """Run a command; one that ``may_fail`` finds nothing to do where it fails."""

    command: tuple[str, ...]
    may_fail: bool = False

    def __str__(self) -> str:
        return f"run {shlex.join(self.command)}"

    def do(self, environment: Mapping[str, str]) -> None:
        """Do it.

        Raises:
            CouncilVaultError: it has failed, in its own words.
        """
        try:
            answer = subprocess.run(  # noqa: S603 - the system's own programs, and our own names
                self.command,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CouncilVaultError(f"`{shlex.join(self.command)}` cannot be run: {error}") from error
        if answer.returncode and not self.may_fail:
            said = " ".join(answer.stderr.decode(errors="replace").split()).rstrip(".")
            raise CouncilVaultError(
                f"`{shlex.join(self.command)}` has failed: {said or f'exit code {answer.returncode}'}",
                remedy="`council-vault service logs` may say why",
            )


Step = Write | SetAside | Remove | RemoveEmpty | Run


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Steps, in their order.

    ``replaces`` says what of another installation would be replaced, if anything; ``remarks`` are what the
    person should know besides.
    """

    steps: tuple[Step, ...] = ()
    replaces: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def carry_out(self, environment: Mapping[str, str]) -> None:
        """Do it all; the first step that fails is the last.

        Args:
            environment: of the commands.

        Raises:
            WriteFailed: a file cannot be written or removed.
            CouncilVaultError: a command has failed.
        """
        for step in self.steps:
            try:
                step.do(environment)
            except OSError as error:
                place = Path(error.filename or getattr(step, "path", ""))
                raise failed(error, place, "the service cannot be changed") from error


def set_aside(path: Path) -> SetAside:
    """Return the step that keeps a file as ``NAME.bak``, or under the first number that is free."""
    kept = path.with_name(f"{path.name}.bak")
    number = 2
    while kept.exists() or kept.is_symlink():
        kept = path.with_name(f"{path.name}.bak{number}")
        number += 1
    return SetAside(path, kept)
