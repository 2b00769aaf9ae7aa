"""What a person thinks of a deliberation, kept with its record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from council_vault.errors import CouncilVaultError, InputError
from council_vault.learning.feedback import rating_in_words
from council_vault.learning.ratings import outcome_for
from council_vault.memory.records import id_of, records_in
from council_vault.memory.schema import Deliberation  # noqa: TC001 - msgspec reads the annotations
from council_vault.memory.times import age, stamp
from council_vault.operations.following import Followed, follow

if TYPE_CHECKING:
    from datetime import datetime

    from council_vault.memory.schema import Memory
    from council_vault.workspace import Workspace

_UNDERSTOOD = 'Say what you think of it, such as "great", "not helpful", "okay" or 👍'


class Rating(msgspec.Struct, frozen=True, kw_only=True):
    """What a record says of the person's judgement.

    ``user_rating`` is positive, neutral or negative, ``None`` where it is unrated; ``outcome`` accepted,
    rejected, partial or unknown.
    """

    id: str
    user_rating: str | None
    outcome: str | None


class Rated(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a rating.

    ``rating`` is what the words mean, ``None`` where they say nothing of the answer. ``before`` and ``after``
    are the record; they are equal where nothing was changed.
    """

    id: str
    rating: str | None
    before: Deliberation
    after: Deliberation
    followed: Followed = Followed()

    @property
    def result(self) -> Rating:
        """What the record says now."""
        return Rating(id=self.id, user_rating=self.after.user_rating, outcome=self.after.outcome)

    @property
    def sentence(self) -> str:
        """What became of the rating."""
        was = self.before.user_rating
        if self.rating is None:
            stays = f"stays {was}" if was else "stays unrated; its outcome is unknown"
            return f"That says nothing of the answer: {self.id} {stays}."
        if was == self.after.user_rating:
            return f"{self.id} is rated {self.rating} already."
        return f"{self.id} is rated {self.rating}.{f' It was {was} before.' if was else ''}"


def rate(workspace: Workspace, text: str, id_: str | None, now: datetime) -> Rated:
    """Rate a deliberation, the most recent one unless another is named, by a person's words or signs.

    Words that say nothing of the answer leave the rating as it is; where the most recent deliberation has
    none, its outcome is from then on unknown. A rating there is replaced.

    Raises:
        InputError: there is no record of that id, or none to rate, or the words say nothing of the one named.
        MemoryUnreadable, MemoryReadOnly, FileChanged, WriteFailed, Busy: see `MemoryFile.operate`.
    """
    rating = rating_in_words(text)
    if rating is None and id_ is not None:
        raise InputError("the words are no rating", where="TEXT", remedy=_UNDERSTOOD)
    made: list[Rated] = []  # the last one stands: a change may be made more than once

    def change(document: dict[str, Any], memory: Memory) -> dict[str, Any] | None:
        before = _meant(memory, id_, workspace)
        rating_now, outcome = before.user_rating, before.outcome
        if rating is not None:
            rating_now, outcome = rating, outcome_for(rating, before.outcome)
        elif before.user_rating is None:
            outcome = "unknown"
        after = msgspec.structs.replace(before, user_rating=rating_now, outcome=outcome)
        made.append(Rated(id=str(before.id), rating=rating, before=before, after=after))
        if after == before:
            return None
        (record,) = (one for one in records_in(document) if isinstance(one, dict) and id_of(one) == before.id)
        record |= {"user_rating": rating_now, "outcome": outcome}
        document["last_updated"] = stamp(now)
        return document

    content = workspace.memory_file().operate(change)
    rated = made[-1]
    if rated.after == rated.before:
        return rated
    due = rated.after.user_rating != rated.before.user_rating
    return msgspec.structs.replace(rated, followed=follow(workspace, content, now, after="rate", due=due))


def _meant(memory: Memory, id_: str | None, workspace: Workspace) -> Deliberation:
    """Return the record of that id, or the most recent one: by its time, then by its place."""
    if id_ is None:
        if not memory.identified:
            raise CouncilVaultError("there is no deliberation to rate", where=workspace.memory_path)
        return max(
            reversed(memory.identified.values()),  # of equal ones `max` takes the first
            key=lambda record: age(record.id, record.timestamp)[0],
        )
    if id_ not in memory.identified:
        raise InputError(f"there is no record {id_!r}", where="--id", remedy=_near(id_, memory))
    return memory.identified[id_]


def _near(id_: str, memory: Memory) -> str:
    import difflib  # noqa: PLC0415 - for mistakes only

    near = difflib.get_close_matches(id_, memory.identified, n=3, cutoff=0.7)
    return f"Did you mean {' or '.join(near)}?" if near else "`council-vault stats history` lists them"
