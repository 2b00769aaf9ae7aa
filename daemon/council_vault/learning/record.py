"""The record that is kept of a deliberation, made from what was given to ``log``."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from council_vault.errors import InputError
from council_vault.learning.answers import is_answer
from council_vault.learning.ballots import (
    among,
    ballot_spread,
    confidence,
    consensus_level,
    mean_positions,
    ranks,
)
from council_vault.learning.bias import self_preference
from council_vault.learning.features import query_features, query_hash, summary
from council_vault.learning.groups import is_council
from council_vault.learning.quoting import quotes
from council_vault.learning.routing import ranking_spread
from council_vault.learning.value import value_added
from council_vault.memory.ids import next_id
from council_vault.memory.schema import Deliberation
from council_vault.memory.times import age, moment, stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from council_vault.learning.ballots import Ballot
    from council_vault.learning.log_input import LogInput
    from council_vault.memory.schema import Memory

SAME_WITHIN = timedelta(minutes=10)
_CLOCKS_APART = timedelta(days=1)  # a local time that is given without its zone is up to 14 hours off
_END_OF_TIME = datetime.max.replace(tzinfo=UTC)
_DECIMALS = 4
_DECIMALS_OF_COST = 8
_IN_ORDER = 2  # fewer models are in no order


_OURS = {"ranking_spread", "repeat_of", "stage_costs"}  # written only where there is something to say


class Draft(NamedTuple):
    """All of a new record that does not depend on the memory; it takes the time of comparing texts.

    ``record`` has its keys in the file's order; ``tested`` are the reviewers that had ranked their own
    answer.
    """

    given: LogInput
    when: datetime
    record: dict[str, Any]
    tested: frozenset[str]


def draft_record(given: LogInput, now: datetime) -> Draft:
    """Return the record of a deliberation, without the id and what it repeats.

    Nothing in it is taken from the texts but counts, the score of the comparison and the query's features.
    Of a single model's answer nothing is said that takes several: no ranks, no consensus, no value added.

    Args:
        given: what was handed over.
        now: the time of the deliberation, where none was given.

    Raises:
        InputError: ``timestamp`` lies in the future.
    """
    when = _time(given, now)
    if when > now + _CLOCKS_APART:
        raise InputError("this time is still to come", where="timestamp", remedy="Give it in UTC")
    features = query_features(given.query_text, given.protocol_used)
    rankings = rankings_of(given)
    ballots = among(given.reviewer_rankings_raw, rankings)
    preference = self_preference(ballots, rankings)
    spread = _spread(rankings, ballots)
    sureness = given.confidence
    if sureness is None and spread is not None:
        sureness = confidence(spread)
    agreement = given.consensus_level or consensus_level(ballots)
    record = {
        "id": None,
        "timestamp": stamp(when),
        "query_hash": query_hash(given.query_text),
        "query_summary": _summary(given, features.category or ""),
        "query_features": {**msgspec.structs.asdict(features), "keywords": list(features.keywords)},
        "models_used": list(given.models_used),
        "rankings": {model: _short(rank) for model, rank in rankings.items()},
        "chairman": given.chairman or (None if given.is_council else given.models_used[0]),
        "confidence": _rounded(sureness),
        "consensus_level": agreement if given.is_council else None,
        "cost_usd": _short(_cost(given)),
        "latency_ms": None if given.latency_ms is None else round(given.latency_ms),
        "self_preference": dict.fromkeys(sorted(preference.detected), True),
        "deliberation_value_added": _rounded(_value(given, rankings)),
        "ranking_spread": _rounded(spread),
        "routing_decision": given.routing_decision,
        "routing_source": given.routing_source,
        "routing_confidence": _rounded(given.routing_confidence),
        "vault_synced": False,
        "user_rating": None,
        "outcome": given.outcome,
        "repeat_of": None,
        "stage_costs": _stage_costs(given),
    }
    return Draft(given, when, record, preference.tested)


def build_record(draft: Draft, memory: Memory) -> dict[str, Any]:
    """Return a drafted record as it goes into a memory, whose records decide its id and what it repeats."""
    records = memory.deliberations
    repeated = repeat_of(draft.given, records)
    record = {
        **draft.record,
        "id": next_id((one.id for one in records), draft.when.date(), memory.archived.highest_id),
        "repeat_of": repeated.id if repeated else None,
    }
    return {name: value for name, value in record.items() if value is not None or name not in _OURS}


def same_deliberation(given: LogInput, records: Iterable[Deliberation], now: datetime) -> str | None:
    """Return the id of the record that this very deliberation has already.

    It has the same query, the same models and the same ranks, and is at most ten minutes away.
    """
    when = _time(given, now)
    hash_ = query_hash(given.query_text)
    rankings = rankings_of(given)
    for record in records:
        if record.query_hash != hash_ or record.id is None:
            continue
        logged = moment(record.timestamp)
        if (
            logged is not None
            and abs(when - logged) <= SAME_WITHIN
            and set(record.models_used) == set(given.models_used)
            and record.rankings == rankings
        ):
            return record.id
    return None


def repeat_of(given: LogInput, records: Iterable[Deliberation]) -> Deliberation | None:
    """Return the latest earlier record of the same query."""
    hash_ = query_hash(given.query_text)
    before = given.timestamp or _END_OF_TIME
    earlier = [
        record
        for record in records
        if record.query_hash == hash_ and record.id is not None and _age(record)[0] <= before
    ]
    return max(earlier, key=_age, default=None)


def overruled(given: LogInput, records: Iterable[Deliberation]) -> str | None:
    """Return the id of the record that becomes rejected and rated negative by this deliberation.

    That is a single model's answer after which the council was asked the same: the person did not accept it.
    One that the person has rated stays as they said.
    """
    before = repeat_of(given, records) if given.is_council else None
    if before is None or is_council(before) or before.user_rating is not None:
        return None
    return before.id


def rankings_of(given: LogInput) -> Mapping[str, float]:
    """Return the ranks of the models, as given or else from the ballots, 1 the best.

    Models whose answers are known to have failed have no rank. Where fewer than two are left, as in an answer
    of a single model, nothing was put in order, and there are no ranks.
    """
    members = [model for model in given.models_used if not _failed(given, model)]
    if not given.rankings:
        return ranks(mean_positions(given.reviewer_rankings_raw, members))
    kept = {model: rank for model, rank in given.rankings.items() if model in members}
    if len(kept) < _IN_ORDER:
        return {}
    whole = all(rank == int(rank) for rank in kept.values())
    return ranks(kept) if whole and len(kept) < len(given.rankings) else kept


def _failed(given: LogInput, model: str) -> bool:
    return model in given.stage1_responses and not is_answer(given.stage1_responses[model])


def _time(given: LogInput, now: datetime) -> datetime:
    return (given.timestamp or now).astimezone(UTC).replace(microsecond=0)


def _age(record: Deliberation) -> tuple[datetime, object]:
    return age(record.id, record.timestamp)


def _spread(rankings: Mapping[str, float], ballots: Mapping[str, Ballot]) -> float | None:
    """Return the ranking spread from the ballots, else from the ranks alone."""
    spread = ballot_spread(ballots, rankings)
    return ranking_spread(Deliberation(rankings=rankings)) if spread is None else spread


def _summary(given: LogInput, category: str) -> str:
    """Return the caller's summary, else one of our own; neither may repeat what a model has said."""
    texts = (given.synthesis_text, given.top_individual_response, *given.stage1_responses.values())
    said = [text for text in texts if text]
    offered = given.query_summary or ""
    made = summary(given.query_text, category, None if quotes(offered, said) else offered)
    return summary("", category, None) if quotes(made, said) else made


def _value(given: LogInput, rankings: Mapping[str, float]) -> float | None:
    """Return what deliberating has added; of models tied at the top, the first one is the top."""
    if not given.is_council:
        return None
    best = min(rankings, key=lambda model: rankings[model], default=None)
    top = given.top_individual_response
    if top is None or not top.strip():
        top = given.stage1_responses.get(best) if best is not None else None
    answers = {model: text for model, text in given.stage1_responses.items() if text is not None}
    author = next((model for model, text in answers.items() if text == top), best)
    others = [text for model, text in answers.items() if model != author]
    return value_added(given.synthesis_text, top, others)


def _cost(given: LogInput) -> float | None:
    """Return the whole cost, as given or as the sum of all stages."""
    if given.cost_usd is not None or given.stage_costs is None:
        return given.cost_usd
    stages = msgspec.structs.astuple(given.stage_costs)
    return None if None in stages else round(math.fsum(stages), _DECIMALS_OF_COST)


def _stage_costs(given: LogInput) -> dict[str, float | None] | None:
    if given.stage_costs is None:
        return None
    costs = msgspec.structs.asdict(given.stage_costs)
    return {stage: _short(cost) for stage, cost in costs.items() if cost is not None}


def _rounded(number: float | None) -> float | None:
    return None if number is None else _short(round(number, _DECIMALS))


def _short(number: float | None) -> float | None:
    """Return a whole number without its point."""
    return int(number) if number is not None and number == int(number) else number
