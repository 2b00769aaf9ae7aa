"""What is known of a memory and its notes from one sync to the next."""

from __future__ import annotations

from typing import Self

import msgspec

VERSIONS_KEPT = 50


class NoteFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one note.

    ``name`` is its path in the vault; ``versions`` the digests of its last 50 versions seen or written, the
    oldest first. ``left`` are those that a sync left behind, with nothing but our own text in the region;
    ``announced`` the version that was about to be replaced, and the one to stand in its place.
    """

    name: str
    versions: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    announced: tuple[str, ...] = ()

    def with_version(self, digest: str) -> Self:
        """Return these facts with one more version, unless it is the last one already."""
        if self.versions and self.versions[-1] == digest:
            return self
        return msgspec.structs.replace(self, versions=(*self.versions, digest)[-VERSIONS_KEPT:])

    def is_old(self, digest: str) -> bool:
        """Whether a version is an earlier one than the last: an old copy, put back by somebody."""
        return digest in self.versions[:-1] and digest != self.versions[-1]

    def announcing(self, before: str | None, after: str) -> Self:
        """Return these facts when a version is about to be replaced, which may never come to be.

        Until it has, what stands there is no old copy: a person's edits in it may not have been taken yet.
        """
        announced = (after,) if before is None else (before, after)
        facts = self._past(before)
        if before in facts.versions:
            facts = facts.with_version(before)
        return msgspec.structs.replace(facts, announced=announced)

    def left_behind(self, before: str | None, after: str) -> Self:
        """Return these facts when a sync has found the one version and left the other."""
        facts = self._past(before)
        if before is not None:
            facts = facts.with_version(before)
        left = tuple(version for version in facts.left if version != after)
        return msgspec.structs.replace(
            facts.with_version(after), left=(*left, after)[-VERSIONS_KEPT:], announced=()
        )

    def _past(self, present: str | None) -> Self:
        """Return these facts with the announced versions among the earlier ones, but for the present one."""
        facts = self
        for version in self.announced:
            if version != present and version not in self.versions:
                facts = facts.with_version(version)
        return facts


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a memory and its notes.

    ``name`` is the suffix of its notes' names. ``stamp`` names the memory in its notes, ``pin`` the vault it
    belongs to. ``settled`` is a digest of everything a sync depends on, as it was after a sync that left
    nothing to do. ``rebuilt`` is when the router's rules in the routing note were made. ``deleted`` are ids
    of rows the person deleted. ``standing`` are the messages that have been said and still hold, ``concerns``
    those that can be seen to hold without a sync.
    ``synced_at`` is when a sync last changed something, in UTC. ``elsewhere`` are the record notes that the
    person has moved out of their folder; ``base`` is the view of them as we wrote it.
    """

    name: str | None = None
    stamp: str | None = None
    pin: str | None = None
    notes: dict[str, NoteFacts] = {}
    settled: str | None = None
    rebuilt: str | int | float | None = None
    deleted: frozenset[str] = frozenset()
    standing: tuple[str, ...] = ()
    concerns: tuple[str, ...] = ()
    synced_at: str | None = None
    elsewhere: tuple[str, ...] = ()
    base: str | None = None

    def note(self, kind: str, name: str) -> NoteFacts:
        """Return what is known of a note, wherever it stood before."""
        known = self.notes.get(kind)
        return msgspec.structs.replace(known, name=name) if known else NoteFacts(name=name)

    def with_note(self, kind: str, note: NoteFacts) -> Self:
        """Return these facts with others about one note."""
        return msgspec.structs.replace(self, notes=self.notes | {kind: note})
