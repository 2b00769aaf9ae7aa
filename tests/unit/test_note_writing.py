"""The order in which notes are composed, announced and written, and what becomes of those that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from council_vault.errors import FileChanged, NoteRefused, WriteFailed
from council_vault.files import digest
from council_vault.syncing.note_writing import Composed, write_notes
from council_vault.vault.store import StoredNote

NAMES = {"performance": "p.md", "routing": "r.md", "log": "l.md"}
NEW = {name: b"new " + name.encode() for name in NAMES.values()}


class Vault:
    """A vault in memory; ``changes`` are what somebody writes to a note just before we do."""

    def __init__(self, **changes: bytes) -> None:
        self.notes = dict.fromkeys(NAMES.values(), b"old")
        self.events: list[object] = []
        self.changes = {NAMES[kind]: content for kind, content in changes.items()}
        self.takes_back = 0

    def read(self, name: str) -> StoredNote:
        self.events.append(f"read {name}")
        return StoredNote(self.notes[name], digest(self.notes[name]))

    def write(self, name: str, content: bytes, expected: str | None) -> None:
        if name in self.changes:
            self.notes[name] = self.changes.pop(name)
        if digest(self.notes[name]) != expected:
            raise FileChanged("changed", where=Path(name))
        self.events.append(f"write {name}")
        self.notes[name] = content

    def settle(self) -> tuple[str, ...]:
        self.events.append("settle")
        self.takes_back -= 1
        return ("l.md",) if self.takes_back >= 0 else ()


class Composer:
    """Says what is new; ``refused`` is a kind that it leaves alone, ``broken`` whether announcing fails."""

    def __init__(self, vault: Vault, *, refused: str = "", broken: bool = False) -> None:
        self.vault = vault
        self.refused = refused
        self.broken = broken

    def compose(self, kind, current):
        if kind == self.refused:
            raise NoteRefused("left alone")
        return Composed(content=NEW[NAMES[kind]] + current.removeprefix(b"old"), region="")

    def announce(self, drafts):
        if self.broken:
            raise WriteFailed("no room")
        self.vault.events.append({kind: draft.composed.content for kind, draft in drafts.items()})


def outcomes(done) -> list[tuple[str, str]]:
    return [(kind, note.outcome) for kind, note in done.items()]


def test_all_notes_are_announced_at_once_before_any_is_written() -> None:
    vault = Vault()
    vault.notes["r.md"] = b"new r.md"

    class Settled(Composer):
        def compose(self, kind, current):  # noqa: ARG002 - the same signature
            return Composed(content=NEW[NAMES[kind]], region="")

    done = write_notes(vault, NAMES, Settled(vault))
    assert vault.events == [
        "read p.md",
        "read r.md",
        "read l.md",
        {"performance": b"new p.md", "log": b"new l.md"},
        "write p.md",
        "write l.md",
        "settle",
    ]
    assert outcomes(done) == [("performance", "written"), ("routing", "unchanged"), ("log", "written")]


def test_a_note_that_was_changed_meanwhile_is_composed_and_announced_again() -> None:
    vault = Vault(performance=b"old and mine")
    done = write_notes(vault, NAMES, Composer(vault))
    assert vault.events[-4:] == [
        "read p.md",
        {"performance": b"new p.md and mine"},
        "write p.md",
        "settle",
    ]
    assert outcomes(done) == [(kind, "written") for kind in NAMES]
    assert done["performance"].before == b"old and mine"


@pytest.mark.parametrize(("times", "outcome"), [(4, "written"), (5, "failed")])
def test_a_note_that_is_taken_back_is_written_again_five_times_at_most(times: int, outcome: str) -> None:
    vault = Vault()
    vault.takes_back = times
    done = write_notes(vault, NAMES, Composer(vault))
    assert outcomes(done) == [("performance", "written"), ("routing", "written"), ("log", outcome)]
    assert vault.events.count("write p.md") == 1


def test_a_refused_note_keeps_no_other_back_and_its_place() -> None:
    vault = Vault()
    done = write_notes(vault, NAMES, Composer(vault, refused="performance"))
    assert outcomes(done) == [("performance", "refused"), ("routing", "written"), ("log", "written")]


def test_what_cannot_be_announced_is_not_written() -> None:
    vault = Vault()
    done = write_notes(vault, NAMES, Composer(vault, broken=True, refused="routing"))
    assert outcomes(done) == [("performance", "failed"), ("routing", "refused"), ("log", "failed")]
    assert done["log"].reason == "no room"
    assert set(vault.notes.values()) == {b"old"}
