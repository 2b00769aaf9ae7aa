"""Writing the notes of one sync: composed from what stands there, and repeated where others were quicker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from council_vault.errors import Busy, FileChanged, NoteRefused, WriteFailed
from council_vault.notes.written_rows import WrittenRow  # noqa: TC001 - msgspec reads the annotations
from council_vault.syncing.report import Outcome  # noqa: TC001 - msgspec reads the annotations

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from council_vault.notes.kinds import Kind
    from council_vault.vault.store import VaultStore

_ATTEMPTS = 5


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


class Composer(Protocol):
    """Makes notes out of a memory."""

    def compose(self, kind: Kind, current: bytes | None) -> Composed:
        """Return the note as it should stand, where ``current`` stands now.

        Raises:
            NoteRefused: the note must be left alone.
        """
        ...

    def announce(self, kind: Kind, before: bytes | None, composed: Composed) -> None:
        """Take note of what is about to be written, so that a killed sync's text is known for ours."""
        ...


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


def write_notes(vault: VaultStore, names: Mapping[Kind, str], composer: Composer) -> dict[Kind, Written]:
    """Write the notes that differ from what they should say, and say what became of each.

    A note that cannot be written keeps none of the others back.

    Raises:
        VaultUnavailable: the vault went away.
    """
    done: dict[Kind, Written] = {}
    waiting: Iterable[Kind] = names
    for _ in range(_ATTEMPTS):
        try:
            for kind in waiting:
                done[kind] = _write(vault, names[kind], kind, composer)
        finally:
            taken_back = vault.settle()
        waiting = [kind for kind, name in names.items() if name in taken_back]
        if not waiting:
            return done
    return done | {kind: Written(outcome="failed", reason=_ALWAYS_CHANGING) for kind in waiting}


_ALWAYS_CHANGING = "it kept being changed by another program, so it was left alone; the next sync tries again"


def _write(vault: VaultStore, name: str, kind: Kind, composer: Composer) -> Written:
    for _ in range(_ATTEMPTS):
        try:
            stored = vault.read(name)
            before = stored.content if stored else None
            composed = composer.compose(kind, before)
            if composed.content != before:
                composer.announce(kind, before, composed)
                vault.write(name, composed.content, stored.version if stored else None)
        except FileChanged:
            continue
        except NoteRefused as error:
            return Written(outcome="refused", reason=str(error))
        except (WriteFailed, Busy) as error:
            return Written(outcome="failed", reason=str(error))
        return Written(
            outcome="unchanged" if composed.content == before else "written",
            before=before,
            content=composed.content,
            region=composed.region,
            rows=composed.standing,
            reason=" ".join(composed.problems),
        )
    return Written(outcome="failed", reason=_ALWAYS_CHANGING)
