"""Writing the notes of one sync: composed from what stands there, and repeated where others were quicker."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

import msgspec

from council_vault.errors import Busy, FileChanged, NoteRefused, WriteFailed
from council_vault.notes.written_rows import WrittenRow  # noqa: TC001 - msgspec reads the annotations
from council_vault.syncing.report import Outcome  # noqa: TC001 - msgspec reads the annotations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from council_vault.vault.store import StoredNote, VaultStore

_ATTEMPTS = 5
_Kind = TypeVar("_Kind", bound=str)


class Composed(msgspec.Struct, frozen=True, kw_only=True):
    """A note as it should stand: its bytes, its managed region, and what had to be left as it was.

    Of the log also the ids whose rows will be standing in it, and what to remember of rows: as they stand
    now, ``None`` where that is remembered, and of those that change, once they stand.
    """

    content: bytes
    region: str
    problems: tuple[str, ...] = ()
    standing: AbstractSet[str] = frozenset()
    rows: Mapping[str, WrittenRow] | None = None
    coming: Mapping[str, WrittenRow] = {}


class Composer(Protocol[_Kind]):
    """Makes notes of some kinds, or, where they are all of one, of some records."""

    def compose(self, kind: _Kind, current: bytes | None) -> Composed:
        """Return the note as it should stand, where ``current`` stands now.

        Raises:
            NoteRefused: the note must be left alone.
        """
        ...

    def announce(self, drafts: Mapping[_Kind, Draft]) -> None:
        """Take note of what is about to be written, so that a killed sync's text is known for ours.

        Raises:
            WriteFailed: that is not possible.
        """
        ...


class Draft(NamedTuple):
    """A note as it was read, ``None`` where there is none, and as it should stand."""

    stored: StoredNote | None
    composed: Composed

    @property
    def before(self) -> bytes | None:
        """What was read."""
        return self.stored.content if self.stored else None

    @property
    def differs(self) -> bool:
        """Whether it must be written."""
        return self.composed.content != self.before

    def written(self) -> Written:
        """Return what has become of the note once it stands."""
        return Written(
            outcome="written" if self.differs else "unchanged",
            before=self.before,
            content=self.composed.content,
            region=self.composed.region,
            rows=self.composed.standing,
            reason=" ".join(self.composed.problems),
        )


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one note: its content before and after, the region in it, and what could not be done.

    ``rows`` are the ids whose rows stand in it.
    """

    outcome: Outcome
    before: bytes | None = None
    content: bytes | None = None
    region: str = ""
    rows: AbstractSet[str] = frozenset()
    reason: str = ""

    @property
    def stands(self) -> bool:
        """Whether the note says what it should."""
        return self.outcome in {"written", "unchanged"}


def write_notes(
    vault: VaultStore, names: Mapping[_Kind, str], composer: Composer[_Kind]
) -> dict[_Kind, Written]:
    """Write the notes that differ from what they should say, and say what became of each.

    A note that cannot be written keeps none of the others back.

    Raises:
        VaultUnavailable: the vault went away.
    """
    done: dict[_Kind, Written] = {}
    waiting: Mapping[_Kind, str] = names
    for _ in range(_ATTEMPTS):
        try:
            tried = _write(vault, waiting, composer)
        finally:
            taken_back = vault.settle()
        done |= {kind: note for kind, note in tried.items() if names[kind] not in taken_back}
        waiting = {kind: name for kind, name in names.items() if kind not in done}
        if not waiting:
            break
    done |= {kind: Written(outcome="failed", reason=_ALWAYS_CHANGING) for kind in waiting}
    return {kind: done[kind] for kind in names}


_ALWAYS_CHANGING = "it kept being changed by another program, so it was left alone; the next sync tries again"


def _write(vault: VaultStore, names: Mapping[_Kind, str], composer: Composer[_Kind]) -> dict[_Kind, Written]:
    """Compose and write notes once; those that somebody has changed meanwhile are left out.

    All are announced at once, before any of them is written.
    """
    done: dict[_Kind, Written] = {}
    drafts: dict[_Kind, Draft] = {}
    for kind, name in names.items():
        with _telling(kind, done):
            stored = vault.read(name)
            drafts[kind] = Draft(stored, composer.compose(kind, stored.content if stored else None))
    changing = {kind: draft for kind, draft in drafts.items() if draft.differs}
    try:
        if changing:
            composer.announce(changing)
    except WriteFailed as error:
        failed = Written(outcome="failed", reason=str(error))
        return done | {kind: failed if draft.differs else draft.written() for kind, draft in drafts.items()}
    for kind, draft in drafts.items():
        with _telling(kind, done):
            if draft.differs:
                vault.write(
                    names[kind], draft.composed.content, draft.stored.version if draft.stored else None
                )
            done[kind] = draft.written()
    return done


@contextmanager
def _telling(kind: _Kind, done: dict[_Kind, Written]) -> Iterator[None]:
    """Put down what keeps a note from being written; one that has changed meanwhile is tried again."""
    try:
        yield
    except FileChanged:
        pass
    except NoteRefused as error:
        done[kind] = Written(outcome="refused", reason=str(error))
    except (WriteFailed, Busy) as error:
        done[kind] = Written(outcome="failed", reason=str(error))
