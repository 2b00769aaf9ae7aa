"""A rating as it stands in a note, as the memory has it, and as both were when last agreed on.

Ratings go both ways. If only one side differs from what was last written, that side wins; if both do, the
note. Where nothing is known of a note, a value beats none, and of two values the memory's stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from council_vault.learning.ratings import outcome_for, rating_from_cell
from council_vault.memory.edits import RatingEdit
from council_vault.notes.cells import plain

if TYPE_CHECKING:
    from council_vault.memory.schema import Deliberation


class Agreed(Protocol):
    """What is remembered of a rating."""

    @property
    def rating(self) -> str:
        """The rating that was agreed on."""
        ...

    @property
    def rating_stood(self) -> str:
        """What last stood in its place, as somebody may have typed it."""
        ...


class RatingReading(msgspec.Struct, frozen=True):
    """What one place for a rating gives: a rating for the memory, ``(None,)`` to take it away; a message."""

    edit: tuple[str | None] | None = None
    unknown: bool = False
    message: str = ""


NOTHING = RatingReading()


class Settled(NamedTuple):
    """The rating agreed on, what is to stand in its place, and whether that settles it."""

    agreed: str
    says: str
    settled: bool


def meaning(typed: str) -> str:
    """Return what is typed for a rating, for comparing: the rating, other words as they are, or nothing."""
    shown = plain(typed)
    return rating_from_cell(shown) or shown


def read_rating(record: Deliberation, typed: str | None, known: Agreed | None) -> RatingReading:
    """Compare a rating as it stands, as the memory has it, and as both were when last written.

    Args:
        record: what the memory has.
        typed: what stands in the note, ``None`` where it has no place for a rating.
        known: what is remembered of it, ``None`` for nothing.
    """
    remembered = meaning(record.user_rating or "")
    if typed is None or meaning(typed) == remembered:
        return NOTHING
    word, rating = meaning(typed), rating_from_cell(plain(typed))
    stood = None if known is None else meaning(known.rating_stood)
    if word == stood:
        # The memory may have lost a rating that the note still has: an agent wrote it from an old reading.
        return RatingReading(edit=(rating,)) if rating and not remembered else NOTHING
    if word and rating is None:
        return _unknown(record, word)
    if known is None and (remembered or not word):
        return RatingReading(message=_lost(record, word, remembered, "memory")) if word else NOTHING
    both = known is not None and remembered not in {"", meaning(known.rating)}
    return RatingReading(edit=(rating,), message=_lost(record, remembered, word, "note") if both else "")


def rating_edit(rating: str | None, record: Deliberation) -> RatingEdit:
    """Return the change of the memory that a rating makes, with the outcome that follows from it."""
    outcome = outcome_for(rating, record.outcome)
    return RatingEdit(rating, None if outcome == record.outcome else outcome)


def settle_rating(
    own: str,
    typed: str,
    before: str | None,
    *,
    pending: bool = False,
    unknown: bool = False,
    decided: bool = False,
) -> Settled:
    """Say what is to stand in the note once the memory has what it took from there.

    Args:
        own: the memory's rating.
        typed: what stands in the note.
        before: what was agreed on before, ``None`` where that is not known.
        pending: whether the memory should have what is typed, and may not.
        unknown: whether what is typed is a word that is no rating, typed since the last sync.
        decided: whether the memory's rating was just decided elsewhere, so that it counts even if there is
            none.
    """
    if meaning(typed) == meaning(own):
        return Settled(own, typed, settled=True)
    if decided:
        return Settled(own, own, settled=True)
    agreed = own if before is None else before
    unread_word = bool(plain(typed)) and rating_from_cell(plain(typed)) is None
    if unknown or (unread_word and before is not None and meaning(agreed) == meaning(own)):
        return Settled(own, typed, settled=True)
    if pending or (plain(typed) and not plain(own)):
        return Settled(agreed, typed, settled=False)
    return Settled(own, own, settled=True)


def _unknown(record: Deliberation, typed: str) -> RatingReading:
    word = typed if len(typed) <= 20 else typed[:19] + "…"
    advice = "Type positive, neutral or negative"
    return RatingReading(
        unknown=True, message=f"The rating {word!r} of {record.id} is not understood. {advice}."
    )


def _lost(record: Deliberation, loser: str, winner: str, side: str) -> str:
    words = f"rated {winner} in the {side} and {loser} in the {'note' if side == 'memory' else 'memory'}"
    if not winner:
        words = f"rated {loser} in the memory, and its rating was taken out of the note"
    return f"{record.id} was {words}; the {side} counts."
