"""What contradicts itself in the records: words, ratings, councils, times, references."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from council_vault.learning.discrepancy import Discrepancy
from council_vault.learning.feedback import rating_in_words
from council_vault.learning.ratings import outcome_for, rating_from_cell
from council_vault.memory import vocabulary
from council_vault.memory.ids import parse_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from council_vault.learning.discrepancy import Path
    from council_vault.memory.schema import Deliberation

    Record = Mapping[str, Any]
    Placed = Sequence[tuple[int, Record, Deliberation]]

AHEAD = timedelta(days=1)  # a clock or a time zone that is wrong, and no more
_FIRST_COUNCILS = datetime(2022, 1, 1, tzinfo=UTC)
_WORDS: Mapping[str, tuple[str, ...]] = {
    "consensus_level": vocabulary.CONSENSUS_LEVELS,
    "routing_decision": vocabulary.ROUTING_DECISIONS,
    "routing_source": vocabulary.ROUTING_SOURCES,
    "user_rating": vocabulary.RATINGS,
    "outcome": vocabulary.OUTCOMES,
}
_OPPOSITE = {"positive": "rejected", "negative": "accepted"}


def check_records(
    placed: Placed, times: Sequence[datetime | None], now: datetime, *, complete: bool
) -> Iterator[Discrepancy]:
    """Check each record by itself and against the others.

    Args:
        placed: the records with their places in the file, as they stand there and as they were understood.
        times: when each was, in UTC.
        now: an aware time.
        complete: whether no record was ever removed.
    """
    ids = {record.id for _, _, record in placed}
    before: datetime | None = None
    for (place, raw, record), time in zip(placed, times, strict=True):
        path = ("deliberations", place)
        yield from _words(path, record)
        yield from _category(path, raw, record)
        yield from _rating(path, record)
        yield from _council(path, raw, record)
        if time is not None:
            yield from _time(path, record, time, before, now)
            before = time if time <= now + AHEAD else before
        if complete and record.repeat_of and record.repeat_of not in ids:
            what = f"there is no record {record.repeat_of}"
            yield Discrepancy(path=(*path, "repeat_of"), what=what, level="note")


def _words(path: Path, record: Deliberation) -> Iterator[Discrepancy]:
    """Find words that are written in another way than they are read."""
    for field, words in _WORDS.items():
        word = getattr(record, field)
        if word is None or word in words:
            continue
        meant = vocabulary.as_meant(word, words)
        if field == "user_rating":
            meant = meant or rating_from_cell(word) or rating_in_words(word)
        if meant is not None:
            yield Discrepancy(path=(*path, field), what=f"{meant} is written as “{word}”", right=meant)


def _category(path: Path, raw: Record, record: Deliberation) -> Iterator[Discrepancy]:
    features = raw.get("query_features")
    category = record.query_features.category
    if category is None:
        beside = raw.get("category")  # where an agent's own summaries have it
        right = beside if beside in vocabulary.CATEGORIES else "other"
        what = f"missing: it is read as other, and {right} is meant" if beside == right else "missing"
        if features is None:
            yield Discrepancy(path=(*path, "query_features"), what=what, right={"category": right})
        elif isinstance(features, dict) and features.get("category") is None:
            yield Discrepancy(path=(*path, "query_features", "category"), what=what, right=right)
    elif category not in vocabulary.CATEGORIES:
        where = (*path, "query_features", "category")
        meant = vocabulary.as_meant(category, vocabulary.CATEGORIES)
        if meant is None:
            what = f"“{category}” is no category that queries are put into: it counts by itself"
            yield Discrepancy(path=where, what=what, level="note")
        else:
            yield Discrepancy(path=where, what=f"{meant} is written as “{category}”", right=meant)


def _rating(path: Path, record: Deliberation) -> Iterator[Discrepancy]:
    """Find outcomes that do not follow from the rating; a partial one may go with any."""
    rating, outcome = record.user_rating, record.outcome
    if rating not in _OPPOSITE:
        return
    follows = outcome_for(rating, outcome)
    if outcome in {None, "unknown", _OPPOSITE[rating]}:
        what = f"rated {rating}, and {outcome or 'without an outcome'}: {follows} follows"
        yield Discrepancy(path=(*path, "outcome"), what=what, right=follows)


def _council(path: Path, raw: Record, record: Deliberation) -> Iterator[Discrepancy]:
    models, rankings = record.models_used, record.rankings
    once = list(dict.fromkeys(models))
    if len(once) < len(models):
        what = "models stand there more than once, and are counted so"
        yield Discrepancy(path=(*path, "models_used"), what=what, right=once)
    if not models and raw.get("models_used") is None:
        what = "missing: the council is not known"
        if rankings:
            yield Discrepancy(path=(*path, "models_used"), what=what, right=list(rankings))
    elif outsiders := [model for model in rankings if model not in models]:
        what = f"{_listed(outsiders)} took no part by models_used. Correct one of the two"
        yield Discrepancy(path=(*path, "rankings"), what=what)
    if "rankings" not in raw:
        yield Discrepancy(path=(*path, "rankings"), what="missing: read as no reviews", right={})
    answers = max(len(once), len(rankings))
    if beyond := [model for model, rank in rankings.items() if rank > answers]:
        ranks = ", ".join(f"{rankings[model]:g}" for model in beyond)
        what = f"of {answers} answers {_listed(beyond)} cannot rank {ranks}"
        yield Discrepancy(path=(*path, "rankings"), what=what)
    if strangers := [model for model in record.self_preference if model not in rankings]:
        what = f"{_listed(strangers)} was not ranked: it does not count"
        yield Discrepancy(path=(*path, "self_preference"), what=what, level="note")


def _time(
    path: Path, record: Deliberation, time: datetime, before: datetime | None, now: datetime
) -> Iterator[Discrepancy]:
    where = (*path, "timestamp")
    if time > now + AHEAD:
        what = f"{record.timestamp} is still to come. Correct it: it passes for the most recent deliberation"
        yield Discrepancy(path=where, what=what)
    elif time < _FIRST_COUNCILS:
        yield Discrepancy(path=where, what=f"{record.timestamp} is before there were councils", level="note")
    elif before is not None and time < before:
        what = "the record before it is later: which one is the most recent is told by their times"
        yield Discrepancy(path=where, what=what, level="note")
    own = parse_id(record.id)
    if own is not None and own.day != time.date():
        what = f"{record.id} names another day than its time, {time.date()} in UTC: the log goes by the id"
        yield Discrepancy(path=(*path, "id"), what=what, level="note")


def _listed(models: Sequence[str]) -> str:
    return ", ".join(models)
