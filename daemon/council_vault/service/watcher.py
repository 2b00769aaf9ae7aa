"""Tells when the memory file may have changed, by the system's events as far as they can be trusted.

Its folder is watched and not the file, which programs replace by renaming; where the file is a symbolic link,
the folders of everything it leads to as well.
"""

from __future__ import annotations

import errno
import logging
import os
import sys
import threading
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, cast

from council_vault.files.system import file_system
from council_vault.service import inotify
from council_vault.service.places import places_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from watchdog.events import FileSystemEvent, FileSystemEventHandler

    from council_vault.service.places import Places

Mode = Literal["auto", "events", "poll"]

_PATIENCE = 2.0
_log = logging.getLogger(__name__)


class Observer(Protocol):
    """What is used of watchdog's observers."""

    def schedule(
        self,
        event_handler: FileSystemEventHandler,
        path: str,
        *,
        recursive: bool,
        event_filter: list[type[FileSystemEvent]],
    ) -> object:
        """Prepare to watch a folder."""

    def start(self) -> None:
        """Begin to watch."""

    def stop(self) -> None:
        """Cease to watch."""

    def join(self) -> None:
        """Wait until its thread has ended."""

    def is_alive(self) -> bool:
        """Whether its thread runs."""


def system_observer() -> Observer:
    """Return watchdog's observer for this system.

    Raises:
        OSError: the system grants no more of them.
        RuntimeError: no thread can be started.
    """
    from watchdog.observers import Observer  # noqa: PLC0415 - costs 50 ms

    return Observer()


class Watcher:
    """Tells when a file may have changed, by events where they can be trusted.

    Args:
        file: the file; neither it nor its folder need be there.
        changed: called, in another thread, when the file may have changed; it should only take note.
        mode: ``auto`` takes events and says by ``trouble`` where they may be missing; ``events`` trusts them
            on every file system; ``poll`` does without.
        observers: makes watchdog's observer.
    """

    def __init__(
        self,
        file: Path,
        changed: Callable[[], None],
        *,
        mode: Mode = "auto",
        observers: Callable[[], Observer] = system_observer,
    ) -> None:
        self._file = file
        self._changed = changed
        self._mode = mode
        self._observers = observers
        self._watch: _Watch | None = None
        self._trouble: str | None = None

    @property
    def trouble(self) -> str | None:
        """Why events do not suffice and the file must be looked at every few seconds; ``None``: they do."""
        return self._trouble or (self._watch.handler.trouble if self._watch else None)

    def start(self) -> None:
        """Begin to watch; what was changed before is for the caller to look at, after this.

        What stands in the way is no error: ``trouble`` says it, and ``check`` tries again.
        """
        self._arm()

    def stop(self) -> None:
        """Cease to watch; returns within two seconds, whatever the threads do."""
        if self._watch is not None:
            _end(self._watch.observer)
            self._watch = None

    def check(self) -> None:
        """Make sure that the right folders are watched, and watch anew where they are not.

        To be called at each rescan, after each change, and whenever the file is looked at because of
        ``trouble``: a folder may have been deleted, replaced, unmounted or mounted over, a symbolic link may
        lead elsewhere, a thread may have died. Calls ``changed`` after it had to watch anew.
        """
        if self._watch is not None and self._watch.holds(self._file):
            return
        self.stop()
        self._arm()
        if self._watch is not None:
            self._watch.handler.tell()

    def _arm(self) -> None:
        if self._mode == "poll":
            self._trouble = "events are not used, as the setting sync.watch says"
            return
        try:
            places = places_of(self._file)
            self._watch = _begin(self._observers, places, self._changed)
        except (OSError, RuntimeError) as error:
            self._trouble = _reason(error)
        else:
            self._trouble = _silence(places) if self._mode == "auto" else None


class _Handler:
    """Hears the events of watched folders, in a thread of watchdog's, and picks those that matter."""

    def __init__(self, places: Places, changed: Callable[[], None]) -> None:
        self._names = places.names
        self._folders = frozenset(str(folder.path) for folder in places.folders)
        self._changed = changed
        self.trouble: str | None = None

    def dispatch(self, event: FileSystemEvent) -> None:
        """Take an event, as watchdog calls it."""
        if event.src_path in self._folders:  # of the folder itself, only its deletion is asked for
            self.trouble = f"{os.fsdecode(event.src_path)} was deleted"
            self.tell()
        elif event.src_path in self._names or event.dest_path in self._names:
            self.tell()

    def tell(self) -> None:
        """Tell that the file may have changed; a failure must not end watchdog's thread."""
        try:
            self._changed()
        except Exception as error:  # noqa: BLE001 - whatever it is, watchdog's thread must live
            if self.trouble is None:
                self.trouble = f"a change was seen, and then the program failed: {error!r}"
                _log.exception("A change of the memory file was seen, and then the program failed.")


class _Watch(NamedTuple):
    """Folders being watched, and everything by which one sees whether they still are."""

    places: Places
    handler: _Handler
    observer: Observer
    threads: tuple[threading.Thread, ...]
    kernel: frozenset[str]

    def holds(self, file: Path) -> bool:
        """Whether events still come, and of the right folders."""
        try:
            places = places_of(file)
        except (OSError, RuntimeError):
            return False
        return (
            places == self.places
            and self.handler.trouble is None
            and self.observer.is_alive()
            and all(thread.is_alive() for thread in self.threads)
            and self.kernel <= inotify.own_watches()
        )


def _begin(observers: Callable[[], Observer], places: Places, changed: Callable[[], None]) -> _Watch:
    """Begin to watch.

    Raises:
        OSError: a folder cannot be read, or a limit is reached.
        RuntimeError: no thread can be started.
    """
    from watchdog import events  # noqa: PLC0415 - costs 50 ms
    from watchdog.utils import BaseThread  # noqa: PLC0415 - likewise

    # Who opens the file only to read it must not wake us: our own reads would wake us for ever.
    wanted: list[type[FileSystemEvent]] = [
        events.FileCreatedEvent,
        events.FileMovedEvent,
        events.FileModifiedEvent,
        events.FileClosedEvent,
        events.FileDeletedEvent,
        events.DirDeletedEvent,
    ]
    handler = _Handler(places, changed)
    threads, kernel = frozenset(threading.enumerate()), inotify.own_watches()
    observer = observers()
    try:
        for folder in places.folders:
            os.scandir(folder.path).close()  # watchdog is silent where it may not read
            observer.schedule(
                cast("FileSystemEventHandler", handler),  # a subclass would need watchdog at import
                str(folder.path),
                recursive=False,
                event_filter=wanted,
            )
        observer.start()
    except (OSError, RuntimeError):
        _end(observer)
        raise
    started = [thread for thread in threading.enumerate() if thread not in threads]
    return _Watch(
        places,
        handler,
        observer,
        tuple(thread for thread in started if isinstance(thread, BaseThread)),
        inotify.own_watches() - kernel,
    )


def _end(observer: Observer) -> None:
    """Stop an observer, in a thread of its own, since it may wait for a handler that waits for us."""
    ending = threading.Thread(target=_stop, args=(observer,), name="end of watching", daemon=True)
    ending.start()
    ending.join(_PATIENCE)


def _stop(observer: Observer) -> None:
    observer.stop()
    if observer.is_alive():
        observer.join()


def _silence(places: Places) -> str | None:
    """Say why events may be missing on the file systems of these folders."""
    if sys.platform != "linux":  # pragma: no cover - elsewhere the file system is not known
        return None
    for folder in places.folders:
        kind = file_system(folder.path)
        if not inotify.tells_everything(kind):
            what = f"its file system ({kind}) may not tell of changes made on another machine"
            return f"{folder.path}: {what}"
    return None


def _reason(error: OSError | RuntimeError) -> str:
    """Say in plain words why watching could not begin."""
    if not isinstance(error, OSError):
        return f"watching could not begin: {error}"
    match error.errno:
        case errno.EMFILE:
            return _used_up("programs that watch folders", inotify.INSTANCES)
        case errno.ENOSPC:
            return _used_up("watched folders", inotify.WATCHES)
        case errno.ENOENT | errno.ENOTDIR:
            return f"the folder {error.filename} is missing"
        case _:
            place = f"{error.filename}: " if error.filename else ""
            return f"{place}watching could not begin: {error.strerror}"


def _used_up(what: str, name: str) -> str:
    limit = inotify.limit(name)
    remedy = f". Raise it: `{inotify.raising(name, limit)}`" if limit else ""
    return f"the system's limit on {what} ({name}) is used up{remedy}"
