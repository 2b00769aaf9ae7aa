"""The folder of snapshots on disk: compressed files whose names say what they are and when they came."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from council_vault import files
from council_vault.errors import WriteFailed
from council_vault.files.reading import failed
from council_vault.files.system import make_durable, make_names_durable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    Kind = Literal["version", "kept"]

INDEX = "index.json"
_NAME = re.compile(r"(?:version|kept)-\d{8}T\d{12}Z-[0-9a-f]{16}\.json\.gz", re.ASCII)
_TIME = "%Y%m%dT%H%M%S%fZ"
_LEVEL = 3  # half the time of the usual level, and nearly as small


class SnapshotFolder:
    """Writes and reads the files; for the person alone (0700 and 0600). `problems` names what is damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._damaged: dict[str, None] = {}

    @property
    def problems(self) -> tuple[str, ...]:
        """What was found damaged so far, each thing once."""
        return tuple(self._damaged)

    def name(self, problem: str) -> None:
        """Name something that is damaged."""
        self._damaged[problem] = None

    def names(self, kind: Kind) -> list[str]:
        """Return the names of the snapshots of one kind, oldest first."""
        try:
            entries = [entry.name for entry in self.path.iterdir()]
        except FileNotFoundError:
            return []
        except OSError as error:
            self.name(str(failed(error, self.path, "the snapshots cannot be listed")))
            return []
        return sorted(name for name in entries if name.startswith(kind) and _NAME.fullmatch(name))

    def read(self, name: str) -> bytes | None:
        """Return a snapshot's content; ``None`` where it is gone or damaged."""
        data = self.read_file(name)
        if data is None:
            return None
        try:
            if data:
                return gzip.decompress(data)
        except (OSError, EOFError, zlib.error):
            pass
        self.name(f"the snapshot {name} is damaged")
        return None

    def read_file(self, name: str) -> bytes | None:
        """Return a file as it is; ``None`` where it is gone or cannot be read."""
        try:
            return files.read(self.path / name)
        except WriteFailed as error:
            self.name(str(error))
            return None

    def save(self, kind: Kind, content: bytes, when: datetime) -> str:
        """Write a snapshot and return its name; a content that is there already only gets the new time."""
        name = f"{kind}-{when.astimezone(UTC).strftime(_TIME)}-{_key(content)}.json.gz"
        same = next((old for old in self.names(kind) if is_of(old, content)), None)
        if same is None:
            self.write(name, gzip.compress(content, compresslevel=_LEVEL, mtime=0))
        else:
            (self.path / same).rename(self.path / name)
        return name

    def remove(self, name: str) -> None:
        """Delete a snapshot."""
        (self.path / name).unlink(missing_ok=True)

    def write(self, name: str, data: bytes) -> None:
        """Write a file so that it is there whole or not at all; its name is durable after `writing`."""
        part = self.path / f"{name}.{os.getpid()}.part"
        try:
            file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(file, "wb") as stream:
                stream.write(data)
                stream.flush()
                make_durable(file)
            part.replace(self.path / name)
        except OSError:
            part.unlink(missing_ok=True)
            raise

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Make the folder, make durable what is done inside, and put what the system refuses into words.

        Raises:
            WriteFailed: the system refused something inside.
        """
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.chmod(0o700)
            yield
            make_names_durable(self.path)
        except OSError as error:
            raise failed(error, self.path, "the snapshot cannot be kept") from error


def time_of(name: str) -> datetime:
    """Return the time in a snapshot's name."""
    digits = name.split("-")[1]  # read by hand: `strptime` takes longer to load than a snapshot to write
    return datetime.fromisoformat(f"{digits[:15]}.{digits[15:-1]}+00:00")


def is_of(name: str, content: bytes) -> bool:
    """Say whether a snapshot's name is that of this content."""
    return name.endswith(f"-{_key(content)}.json.gz")


def _key(content: bytes) -> str:
    return files.digest(content)[:16]
