"""The note on one deliberation: its properties, by which it can be filtered and rated, and what it says.

Title, aliases and heading are written once. The properties that begin with ``council_`` and the region follow
the record; nothing is in them that compaction takes out of the memory, so that it changes no note.
"""

from __future__ import annotations

import math
import zlib
from typing import TYPE_CHECKING

import msgspec

from council_vault.memory.ids import parse_id
from council_vault.memory.times import calendar_day
from council_vault.notes import categories, frontmatter
from council_vault.notes.cells import UNKNOWN, money, name_cell, plain, short_names, stars
from council_vault.notes.figures import decimal
from council_vault.notes.kinds import COUNCIL_ID, END_MARKER, begin_marker
from council_vault.notes.prose import line, property_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import date

    from council_vault.memory.schema import Deliberation

RATING = "rating"

_LONGEST_TITLE = 160  # characters shown
_LONGEST_WORD = 80
_MOST_MODELS = 50
_DIGITS = 6  # of numbers in properties
_BIASED = "⚠️ yes"

_Property = str | float | list[str]


def file_name(record_id: str) -> str:
    """Return where a record's note is made in the folder for these: ``2026 Q1/d_20260328_001.md``."""
    day = _day(record_id)
    return f"{day.year} Q{(day.month + 2) // 3}/{record_id}.md"


def source_checksum(record: Deliberation, drawn_with: str) -> int:
    """Return the checksum of everything that a note is made from but for its rating, never 0.

    Args:
        record: the deliberation.
        drawn_with: what notes depend on besides, such as the template.
    """
    inputs = (
        drawn_with,
        record.timestamp,
        record.category,
        record.query_features.protocol_used,
        record.models_used,
        record.rankings,
        record.chairman,
        record.confidence,
        record.consensus_level,
        record.cost_usd,
        record.latency_ms,
        record.self_preference,
        record.deliberation_value_added,
        record.routing_decision,
        record.outcome,
    )
    try:
        written = msgspec.msgpack.encode(inputs)
    except (UnicodeEncodeError, OverflowError):
        # Half a surrogate pair, or a number of more than 64 bits.
        written = repr(inputs).encode()
    return zlib.crc32(written) or 1


def properties(record: Deliberation) -> dict[str, _Property]:
    """Return the properties that follow the record: flat, each of one type; what is unknown is left out."""
    words = {
        COUNCIL_ID: record.id,
        "council_category": plain(categories.title(record.category)),
        "council_chairman": record.chairman,
        "council_consensus": record.consensus_level,
        "council_protocol": record.query_features.protocol_used,
        "council_routing": record.routing_decision,
        "council_outcome": record.outcome,
    }
    seconds = None if record.latency_ms is None else record.latency_ms / 1000
    numbers = {
        "council_confidence": record.confidence,
        "council_cost_usd": record.cost_usd,
        "council_seconds": seconds,
        "council_value_added": record.deliberation_value_added,
    }
    shown = {key: property_text(word or "", _LONGEST_WORD) for key, word in words.items()}
    found: dict[str, _Property] = {key: word for key, word in shown.items() if word}
    models = [property_text(model, _LONGEST_WORD) for model in record.models_used[:_MOST_MODELS]]
    if any(models):
        found["council_models"] = list(dict.fromkeys(filter(None, models)))
    return found | {
        key: round(float(number), _DIGITS)
        for key, number in numbers.items()
        if number is not None and math.isfinite(number)
    }


def live_properties(record: Deliberation) -> tuple[str, ...]:
    """Return the keys of `properties`."""
    return tuple(properties(record))


def variables(
    record: Deliberation, *, summary: str, rating: str, stamp: str, links: Iterable[str]
) -> dict[str, object]:
    """Return what the template of a record note sees; what each is stands at the template's top.

    Args:
        record: the deliberation; it has an id.
        summary: what it was about, empty where that is not known (any more).
        rating: what is to stand as its rating.
        stamp: the memory's.
        links: to the log and the note on models.
    """
    record_id = record.id or ""
    named = property_text(summary, _LONGEST_TITLE)
    fallback = f"Deliberation {record_id}"
    names = short_names(dict.fromkeys((*record.models_used, *record.rankings, record.chairman or "")))
    return {
        "title": named or fallback,
        "aliases": [named] if named else [],
        "heading": line(summary, _LONGEST_TITLE) or fallback,
        "date": calendar_day(record.timestamp) or _day(record_id),
        "rating": property_text(rating, _LONGEST_WORD),
        "properties": list(properties(record).items()),
        "council_id": record_id,
        "council_memory": stamp,
        "begin": begin_marker("record"),
        "end": END_MARKER,
        "finding": _finding(record, names),
        "facts": list(_facts(record)),
        "ranking": _ranking(record, names),
        "links": list(links),
    }


def rating_in(note: str) -> str | None:
    """Return what stands as a note's rating, empty for nothing; ``None`` where that cannot be read."""
    mapping = frontmatter.read(note).mapping
    if mapping is None:
        return None
    typed = mapping.get(RATING)
    if isinstance(typed, list):
        return ", ".join(str(one) for one in typed if one is not None)
    return "" if typed is None else str(typed)


def _day(record_id: str) -> date:
    parsed = parse_id(record_id)
    if parsed is None:
        raise ValueError(f"{record_id!r} is no record's id")
    return parsed.day


def _finding(record: Deliberation, names: Mapping[str, str]) -> str:
    models = list(dict.fromkeys(record.models_used))
    chairman = name_cell(names[record.chairman]) if record.chairman else ""
    if len(models) == 1:
        return f"Answered by {name_cell(names[models[0]])} alone"
    if not models:
        return f"Chaired by {chairman}" if chairman else "A deliberation of the council"
    council = f"{len(models)} models deliberated"
    return f"{council}, {chairman} took the chair" if chairman else council


def _facts(record: Deliberation) -> Iterator[tuple[str, str]]:
    """Yield what is known of the deliberation, each with what it is called."""
    seconds = None if record.latency_ms is None else record.latency_ms / 1000
    confidence = decimal(record.confidence, 2)
    facts = (
        ("Category", categories.title(record.category)),
        ("Confidence", UNKNOWN if confidence == UNKNOWN else f"{stars(record.confidence)} {confidence}"),
        ("Consensus", line(record.consensus_level or "", _LONGEST_WORD)),
        ("Value added", decimal(record.deliberation_value_added, 2)),
        ("Cost", money(record.cost_usd)),
        ("Time", f"{decimal(seconds, 1)} s"),
    )
    for name, fact in facts:
        if fact and not fact.startswith(UNKNOWN):
            yield name, fact


def _ranking(record: Deliberation, names: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Return the rows of the table of ranks, the header first; none where nothing was ranked."""
    ranked = sorted(record.rankings.items(), key=lambda ranking: (ranking[1], ranking[0]))[:_MOST_MODELS]
    if not ranked:
        return []
    rows: list[tuple[str, ...]] = [("Model", "Rank")]
    rows += (
        (name_cell(names[model]), decimal(rank, 0 if float(rank).is_integer() else 1))
        for model, rank in ranked
    )
    tested = record.self_preference
    if not any(model in tested for model, _ in ranked):
        return rows
    column = (UNKNOWN if model not in tested else _BIASED if tested[model] else "no" for model, _ in ranked)
    return [(*row, cell) for row, cell in zip(rows, ("Self-pref", *column), strict=True)]
