"""Earlier versions of a memory file, and what they still hold of records that have vanished from it.

The folder holds one compressed file for each version, and for each content that somebody wrote in the very
moment we did and that could not go back (*kept*). Their names say what they are and when they came, so the
index beside them can always be made again.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from council_vault.errors import MemoryUnreadable
from council_vault.files.locks import Lock
from council_vault.memory.encoding import unwrap
from council_vault.memory.glimpse import look
from council_vault.memory.holdings import DAILY_FOR, Index, Version, superfluous, version_of, version_seen
from council_vault.memory.layout import Layout
from council_vault.memory.snapshot_folder import INDEX, SnapshotFolder, is_of, time_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from council_vault.memory.holdings import Held, Mark
    from council_vault.memory.schema import Memory

_index_decoder = msgspec.json.Decoder(Index)


class VanishedRecord(NamedTuple):
    """A record that a snapshot holds and the file does not: its JSON text, and when it was last seen."""

    id: str
    text: str
    last_seen: datetime


class KeptContent(NamedTuple):
    """What somebody else wrote and we could not put back; ``records`` is 0 where it is not a memory file."""

    file: Path
    when: datetime
    records: int


class Snapshots:
    """The snapshots of one memory file.

    A damaged index or snapshot is named in `problems` and otherwise passed over; it never keeps a sync from
    going on.

    Args:
        folder: where they are; made when it is needed, for the person alone.
        clock: tells the time at which a displaced content is kept.
    """

    def __init__(self, folder: Path, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._folder = SnapshotFolder(folder)
        self._clock = clock

    @property
    def problems(self) -> tuple[str, ...]:
        """What was found damaged so far."""
        return self._folder.problems

    def save(self, content: bytes, now: datetime) -> None:
        """Keep a good version of the file, and let go of versions that are no longer needed.

        Raises:
            MemoryUnreadable: it is not a good version.
            WriteFailed: there is no room, or no right, to keep it.
            Busy: another council-vault holds the snapshots.
        """
        with self._held() as index:
            if is_of(index.newest, content):
                return
            version = _version(content)
            when = now.astimezone(UTC)
            if index.newest:
                when = max(when, time_of(index.newest) + timedelta(microseconds=1))
            name = self._folder.save("version", content, when)
            index.advance(name, version)
            self._store(index)
            self._thin(index, when)

    def keep(self, _path: Path, content: bytes) -> None:
        """Keep what somebody wrote to the file in the moment we did, whatever it is.

        Raises:
            WriteFailed: there is no room, or no right, to keep it.
        """
        with self._folder.writing():
            self._folder.save("kept", content, self._clock())

    def newest(self) -> tuple[bytes, datetime] | None:
        """Return the last good version that can be read, and when it was kept; ``None``: there is none."""
        for name in reversed(self._folder.names("version")):
            content = self._folder.read(name)
            if content is not None:
                return content, time_of(name)
        return None

    def vanished(self, current: Memory) -> tuple[VanishedRecord, ...]:
        """Return the records that a snapshot holds and the file does not, by id.

        Those that compaction removed or that were dismissed do not count.
        """
        index = self._index()
        texts: dict[str, Mapping[str, tuple[Mark, str]]] = {}

        def text_of(held: Held) -> str | None:
            for name in (held.snapshot, *reversed(self._folder.names("version"))):
                if name not in texts:
                    texts[name] = self._texts_in(name)
                mark, text = texts[name].get(held.id, (None, None))
                if mark is not None and mark.fits(held.mark):
                    return text
            return None

        found = []
        for held in index.missing(version_of(current)):
            text = text_of(held)
            if text is not None:
                found.append(VanishedRecord(held.id, text, time_of(held.snapshot)))
            else:
                self._folder.name(
                    f"{held.id} has vanished from the memory file, and no snapshot that holds it can be read"
                )
        return tuple(sorted(found))

    def dismiss(self, ids: Iterable[str]) -> None:
        """Let go of vanished records.

        Raises:
            WriteFailed: there is no room, or no right, to remember it.
            Busy: another council-vault holds the snapshots.
        """
        with self._held() as index:
            index.dismiss(frozenset(ids))
            self._store(index)

    def kept(self) -> tuple[KeptContent, ...]:
        """Return what was displaced and is still kept."""
        kept = self._index().kept
        return tuple(
            KeptContent(self._folder.path / name, time_of(name), len(kept[name].records))
            for name in sorted(kept)
        )

    def _thin(self, index: Index, now: datetime) -> None:
        versions = [(name, time_of(name)) for name in self._folder.names("version")]
        needed = frozenset(held.snapshot for held in index.gone)
        settled = [name for name in index.settled() if now - time_of(name) > DAILY_FOR]
        for name in (*superfluous(versions, needed, now), *settled):
            self._folder.remove(name)

    def _index(self) -> Index:
        """Return the index with whatever came since it was written; made anew where it is damaged."""
        index = self._stored()
        for name in self._folder.names("version"):
            if name > index.newest:
                version = self._version_in(name)
                if version is not None:
                    index.advance(name, version)
        present = self._folder.names("kept")
        index.kept = {name: index.kept.get(name) or self._version_in(name) or Version() for name in present}
        return index

    def _stored(self) -> Index:
        data = self._folder.read_file(INDEX)
        if data is None:
            return Index()
        try:
            return _index_decoder.decode(data)
        except msgspec.DecodeError:
            self._folder.name("the index of the snapshots was damaged; it is made again from them")
            return Index()

    def _store(self, index: Index) -> None:
        self._folder.write(INDEX, msgspec.json.encode(index))

    def _version_in(self, name: str) -> Version | None:
        content = self._folder.read(name)
        try:
            return None if content is None else _version(content)
        except MemoryUnreadable:
            return None

    def _texts_in(self, name: str) -> Mapping[str, tuple[Mark, str]]:
        """Return the JSON text of each record in a snapshot, by id."""
        content = self._folder.read(name)
        try:
            return {} if content is None else _texts(content)
        except MemoryUnreadable:
            return {}

    @contextmanager
    def _held(self) -> Iterator[Index]:
        """Hold the snapshots' lock, with the index as it is now."""
        with self._folder.writing():
            lock = Lock(self._folder.path, self._folder.path / INDEX, "file")
            lock.take()
            try:
                yield self._index()
            finally:
                lock.give_back()


def _version(content: bytes) -> Version:
    return version_seen(look(unwrap(content).body))


def _texts(content: bytes) -> dict[str, tuple[Mark, str]]:
    body = unwrap(content).body
    seen = look(body)
    marks = version_seen(seen).records
    texts: dict[str, tuple[Mark, str]] = {}
    for one, text in zip(seen.records, Layout(body).texts, strict=True):
        if one is not None and isinstance(one.id, str) and one.id in marks and one.id not in texts:
            texts[one.id] = (marks[one.id], bytes(text).decode())
    return texts
