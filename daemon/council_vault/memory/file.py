"""The memory file on disk: read whole or not at all, and changed in exactly two ways.

*Edits* change single values and leave every other byte alone; *operations* write the whole file in canonical
form. Either way the change is a function of the content at hand, so that it can be made again when somebody
else was quicker, and nothing is ever written from a half-written file.
"""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING, Any

from council_vault import files
from council_vault.errors import FileChanged, MemoryReadOnly, MemoryUnreadable, WriteFailed
from council_vault.files.reading import real_path
from council_vault.memory import canonical
from council_vault.memory import edits as byte_edits
from council_vault.memory.decoding import Decoded, decode, version_in
from council_vault.memory.encoding import unwrap
from council_vault.memory.layout import Layout
from council_vault.memory.migrations import CURRENT, empty_routing_model, migrate
from council_vault.memory.parsing import collector_paused
from council_vault.memory.schema import CURRENT_VERSION
from council_vault.memory.times import stamp

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from council_vault.memory.schema import Memory, Problem

PATIENCE = 5.0
_LONGEST_WAIT = 6  # times the patience, for a writer that never stops
_ATTEMPTS = 2  # that may find somebody writing, before the last one
_FIRST_PAUSE, _LONGEST_PAUSE = 0.01, 0.1


class MemoryContent:
    """The bytes of a memory file and what they say, worked out when first asked for."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    @functools.cached_property
    def layout(self) -> Layout:
        """The places of what they say."""
        return Layout(unwrap(self.data).body)

    @functools.cached_property
    def decoded(self) -> Decoded:
        """The memory with its problems."""
        return decode(self.data, self.layout)

    @property
    def memory(self) -> Memory:
        """What could be understood."""
        return self.decoded.memory

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What could not be understood."""
        return self.decoded.problems


class MemoryFile:
    """A person's council-memory.json.

    Args:
        path: where it is; a symbolic link is followed.
        replacer: replaces files without losing what others write to them.
    """

    def __init__(self, path: Path, replacer: files.Replacer) -> None:
        self.path = path
        self._replacer = replacer
        self._read: MemoryContent | None = None

    def recover(self) -> None:
        """Settle what killed predecessors left beside the file: it may be what somebody else wrote.

        Raises:
            WriteFailed: it cannot be put back or deleted.
        """
        self._replacer.recover(real_path(self.path).parent)

    def read(self, *, patience: float = PATIENCE) -> MemoryContent:
        """Return the content once it is whole.

        A file that cannot be understood is taken for half-written while its last change is younger than
        ``patience`` seconds, and looked at again; after that it is broken. A writer that never stops is
        waited for six times as long.

        Raises:
            MemoryUnreadable: the file is missing or broken; says where and what to do.
        """
        give_up = time.monotonic() + _LONGEST_WAIT * patience
        pause = _FIRST_PAUSE
        while True:
            changed = self._last_change()
            try:
                data = files.read(self.path)
            except WriteFailed as error:
                raise MemoryUnreadable(error.what, where=error.where, remedy=error.remedy) from error
            if data is None:
                raise self._missing()
            content = MemoryContent(data)
            try:
                content.decoded  # noqa: B018 - worked out now, to know whether it is whole
            except MemoryUnreadable as error:
                if time.time() - changed >= patience or time.monotonic() >= give_up:
                    raise self._broken(error) from error
            else:
                self._read = content
                return content
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def edit(self, edits: byte_edits.Edits) -> MemoryContent:
        """Make byte-level edits; a file that says all of it already is not written.

        Raises:
            MemoryUnreadable: the file is missing or broken.
            MemoryReadOnly: it is of a newer version.
            FileChanged, WriteFailed, Busy: it could not be replaced; see `files.Replacer`.
        """

        def change(data: bytes) -> bytes:
            known = self._read
            content = known if known is not None and known.data == data else MemoryContent(data)
            edited = byte_edits.apply(data, edits, content.layout)
            if edited != data:
                self._require_writable(version_in(content.layout.value("version")))
            return edited

        return self._update(change)

    def operate(self, change: Callable[[dict[str, Any], Memory], dict[str, Any] | None]) -> MemoryContent:
        """Bring the file to schema 1.3, make a change, and write the result in canonical form.

        ``change`` gets what `canonical.parse` returns, which it may change in place, and what of it could be
        understood. It may be called more than once. Where it returns ``None`` there is nothing to change, and
        the file is left alone.

        Raises:
            MemoryUnreadable: the file is missing or broken.
            MemoryReadOnly: it is of a newer version.
            FileChanged, WriteFailed, Busy: it could not be replaced; see `files.Replacer`.
        """

        def rewrite(data: bytes) -> bytes:
            with collector_paused():
                document = canonical.parse(data)
                self._require_writable(version_in(document.get("version")))
                changed = change(migrate(document), MemoryContent(data).memory)
                return data if changed is None else canonical.render(changed)

        return self._update(rewrite)

    def create(self, now: datetime) -> None:
        """Create an empty memory of schema 1.3.

        Raises:
            FileChanged: there is a file already; it is left alone.
            WriteFailed, Busy: it could not be written; see `files.Replacer`.
        """
        document: dict[str, Any] = {
            "version": CURRENT,
            "created": stamp(now),
            "last_updated": stamp(now),
            "last_vault_sync": None,
            "deliberations": [],
            "routing_model": empty_routing_model(),
            "model_performance": {},
            "optimization_log": [],
        }
        self._replacer.replace(self.path, canonical.render(document), None)
        self._replacer.settle()

    def _update(self, change: Callable[[bytes], bytes]) -> MemoryContent:
        try:
            return self._updated(change)
        except WriteFailed:
            self.read(patience=0.0)  # where it cannot even be read, that is what is wrong
            raise

    def _updated(self, change: Callable[[bytes], bytes]) -> MemoryContent:
        for _ in range(_ATTEMPTS):
            try:
                return MemoryContent(self._replacer.update(self.path, change))
            except (MemoryUnreadable, FileChanged):
                self.read()  # waits while somebody is writing, and says what is wrong where
        return MemoryContent(self._replacer.update(self.path, change))

    def _require_writable(self, version: tuple[int, ...] | None) -> None:
        if version is not None and version > CURRENT_VERSION:
            raise MemoryReadOnly(
                f"the file is of version {'.'.join(map(str, version))}, which is newer than {CURRENT}; "
                "it is read, but not written",
                where=self.path,
                remedy="Update council-vault",
            )

    def _last_change(self) -> float:
        try:
            return self.path.stat().st_mtime
        except OSError:  # reading says what is wrong
            return 0.0

    def _missing(self) -> MemoryUnreadable:
        return MemoryUnreadable(
            "there is no memory file",
            where=self.path,
            remedy="Name its folder with --workspace, create one with `council-vault init`, or bring the "
            "last one back with `council-vault restore`",
        )

    def _broken(self, error: MemoryUnreadable) -> MemoryUnreadable:
        return MemoryUnreadable(
            error.what,
            where=f"{self.path}, {error.where}" if error.where else self.path,
            remedy="Nothing was written. Mend the file, let the program that wrote it write it again, or "
            "bring the last good version back with `council-vault restore`",
        )
