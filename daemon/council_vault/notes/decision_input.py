"""What is handed over of a decision, checked, and completed from the record of its deliberation."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import msgspec

from council_vault.errors import InputError
from council_vault.learning.input_values import Reading, members_of, number, refused, text
from council_vault.memory.ids import parse_id
from council_vault.memory.times import calendar_day

if TYPE_CHECKING:
    from council_vault.memory.schema import Deliberation

_LONGEST_LABEL = 200
_LONGEST_TITLE = 10_000  # characters; it is cut where it is shown
_LONGEST_PROSE = 100_000
_FIRST_DAY = date(2000, 1, 1)
_usd = number(0, 1e6, "USD from 0 to 1 000 000")


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """A decision, as its record in the vault will tell it; the cost is in USD.

    Prose is a text or several: a text may be Markdown of many lines, several are the items of a list.
    """

    deliberation_id: str
    title: str | None = None
    query: tuple[str, ...] = ()
    chairman: str | None = None
    rationale: tuple[str, ...] = ()
    agreements: tuple[str, ...] = ()
    disagreements: tuple[str, ...] = ()
    outcome: tuple[str, ...] = ()
    cost_usd: float | None = None
    project: str | None = None
    category: str | None = None
    participants: tuple[str, ...] = ()
    date: date | None = None


def read_decision(document: object) -> Decision:
    """Read the JSON value that was handed over. Only ``deliberation_id`` is required of it.

    Raises:
        InputError: a field is missing or wrong; ``where`` is the first one, and the text names the others.
    """
    given = members_of(document, "")
    reading = Reading()
    result = Decision(
        deliberation_id=reading.required(given, "deliberation_id", _record_id) or "",
        title=reading.field(given, "title", _title),
        query=reading.field(given, "query", _prose) or (),
        chairman=reading.field(given, "chairman", _label),
        rationale=reading.field(given, "rationale", _prose) or (),
        agreements=reading.field(given, "agreements", _prose) or (),
        disagreements=reading.field(given, "disagreements", _prose) or (),
        outcome=reading.field(given, "outcome", _prose) or (),
        cost_usd=reading.field(given, "cost_usd", _usd),
        project=reading.field(given, "project", _title),
        category=reading.field(given, "category", _label),
        participants=reading.field(given, "participants", _labels) or (),
        date=reading.field(given, "date", _day),
    )
    reading.finish()
    return result


def completed(given: Decision, record: Deliberation | None) -> Decision:
    """Return a decision with what is known of its deliberation in the place of what was not given.

    The day is the one that was given, else that of the deliberation: in its record, or in its id.

    Raises:
        InputError: there is no title, and no record that has one.
    """
    known = parse_id(given.deliberation_id)
    days = [given.date, calendar_day(record.timestamp) if record else None, known.day if known else None]
    filled: dict[str, object] = {"date": next(filter(None, days), None)}
    if record is not None:
        outcome = "" if record.outcome == "unknown" else record.outcome
        filled |= {
            "title": given.title or record.query_summary,
            "chairman": given.chairman or record.chairman,
            "outcome": given.outcome or ((outcome,) if outcome else ()),
            "cost_usd": record.cost_usd if given.cost_usd is None else given.cost_usd,
            "category": given.category or record.query_features.category,
            "participants": given.participants or record.models_used,
        }
    decision = msgspec.structs.replace(given, **filled)
    if not decision.title:
        raise InputError(
            f"required, but missing: the memory has no summary of {given.deliberation_id} to take for it",
            where="title",
        )
    return decision


def _record_id(value: object, where: str) -> str:
    if parse_id(value) is None:
        raise refused("the id of a deliberation, such as d_20260328_001", value, where)
    return str(value)


def _day(value: object, where: str) -> date:
    day = calendar_day(value)
    if day is None or day < _FIRST_DAY:
        raise refused('a day such as "2026-03-28"', value, where)
    return day


def _title(value: object, where: str) -> str:
    given = _bounded(value, where, _LONGEST_TITLE)
    if not given.strip():
        raise refused("a text that is not empty", value, where)
    return given


def _label(value: object, where: str) -> str:
    return _bounded(value, where, _LONGEST_LABEL).strip()


def _labels(value: object, where: str) -> tuple[str, ...]:
    return tuple(filter(None, (_label(one, place) for one, place in _one_or_more(value, where))))


def _prose(value: object, where: str) -> tuple[str, ...]:
    texts = [_bounded(one, place, _LONGEST_PROSE) for one, place in _one_or_more(value, where)]
    return tuple(one for one in texts if one.strip())


def _one_or_more(value: object, where: str) -> list[tuple[object, str]]:
    """Return the values of a list, or the one there is, each with the name of its field."""
    if isinstance(value, list):
        return [(one, f"{where}[{place}]") for place, one in enumerate(value)]
    return [(value, where)]


def _bounded(value: object, where: str, longest: int) -> str:
    given = text(value, where)
    if len(given) > longest:
        raise InputError(f"longer than {longest:,} characters", where=where)
    return given
