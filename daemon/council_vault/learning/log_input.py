"""What a council hands over after a deliberation: read, checked and brought into one form.

The fields are those of the pattern memory's operation 2. ``query_text`` and ``models_used`` are required;
what is missing or ``null`` of the others is not known. All else is read or refused, never guessed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping  # noqa: TC003 (msgspec reads the annotations)
from datetime import datetime  # noqa: TC003 (likewise)
from typing import TYPE_CHECKING

import msgspec

from council_vault.errors import InputError
from council_vault.learning.answers import is_answer
from council_vault.learning.ballots import Ballot, read_ballot
from council_vault.learning.input_values import (
    Reading,
    flag,
    members_of,
    model_id,
    named,
    number,
    refused,
    text,
    time,
    word,
)
from council_vault.memory.schema import StageCosts
from council_vault.memory.vocabulary import (
    CONSENSUS_LEVELS,
    OUTCOMES,
    PROTOCOLS,
    ROUTING_DECISIONS,
    ROUTING_SOURCES,
)

if TYPE_CHECKING:
    from council_vault.learning.input_values import Reader, Value

_COMMAND = "explicit_command"
_STRANGER = "this model is not in models_used"
_ALIKE = 0.8  # from here on, an unknown field is taken for a known one that is misspelt
_QUALIFIER = re.compile(r"^stage1_|_(level|ms|text|usd|used)$")  # what callers leave out of a field's name
_usd = number(0, 1e6, "USD from 0 to 1000000")
_milliseconds = number(0, 1e9, "milliseconds from 0 to 1000000000")
_share = number(0, 1, "a number from 0 to 1")


class LogInput(msgspec.Struct, frozen=True, kw_only=True):
    """One deliberation as it was given. Cost in USD, latency in milliseconds; rank 1 is best.

    The texts (the query, the answers of stage 1, the synthesis, the top answer) are counted and compared, and
    never kept. A response is ``None`` where the model gave none. ``reviewer_rankings_raw`` are the ballots.
    """

    query_text: str
    models_used: tuple[str, ...]
    stage1_responses: Mapping[str, str | None] = {}
    rankings: Mapping[str, float] = {}
    chairman: str | None = None
    confidence: float | None = None
    consensus_level: str | None = None
    protocol_used: str | None = None
    cost_usd: float | None = None
    latency_ms: float | None = None
    reviewer_rankings_raw: Mapping[str, Ballot] = {}
    synthesis_text: str | None = None
    top_individual_response: str | None = None
    routing_decision: str
    routing_source: str | None = None
    routing_confidence: float | None = None
    vault_context_loaded: bool | None = None
    query_summary: str | None = None
    timestamp: datetime | None = None
    outcome: str = "accepted"
    stage_costs: StageCosts | None = None

    def __repr__(self) -> str:
        """Show nothing of the texts: what is shown can end up in a log."""
        return f"LogInput(models_used={self.models_used!r})"

    @property
    def is_council(self) -> bool:
        """Whether several models took part."""
        return len(self.models_used) > 1


def read_log_input(document: object) -> LogInput:
    """Read what was given to ``log``.

    Numbers may be text (``"$0.09"``); words may be written in any case, with spaces or hyphens; ids lose the
    space around them. A field that is not known is left alone, unless it must be a known one misspelt.
    Answers that models outside ``models_used`` failed to give do not count.

    Args:
        document: the parsed JSON object.

    Raises:
        InputError: something is missing, cannot be understood, or contradicts something else; ``where`` is
            the first wrong field, and ``what`` names all. No text that was given is repeated in it.
    """
    if not isinstance(document, dict):
        raise refused("a JSON object with query_text and models_used", document, "")
    given: dict[str, object] = document
    reading = Reading()
    query = reading.required(given, "query_text", _query)
    models = reading.required(given, "models_used", _models) or ()
    decision, source, sureness = _routing(given, models, reading)
    result = LogInput(
        query_text=query or "",
        models_used=models,
        stage1_responses=reading.by_model(given, "stage1_responses", text),
        rankings=_known(reading.by_model(given, "rankings", _rank_among(models))),
        chairman=reading.field(given, "chairman", model_id),
        confidence=reading.field(given, "confidence", _share),
        consensus_level=reading.field(given, "consensus_level", word(CONSENSUS_LEVELS)),
        protocol_used=reading.field(given, "protocol_used", word(PROTOCOLS)),
        cost_usd=reading.field(given, "cost_usd", _usd),
        latency_ms=reading.field(given, "latency_ms", _milliseconds),
        reviewer_rankings_raw=_known(reading.by_model(given, "reviewer_rankings_raw", read_ballot)),
        synthesis_text=reading.field(given, "synthesis_text", text),
        top_individual_response=reading.field(given, "top_individual_response", text),
        routing_decision=decision,
        routing_source=source,
        routing_confidence=sureness,
        vault_context_loaded=reading.field(given, "vault_context_loaded", flag),
        query_summary=reading.field(given, "query_summary", text),
        timestamp=reading.field(given, "timestamp", time),
        outcome=reading.field(given, "outcome", word(OUTCOMES)) or "accepted",
        stage_costs=_stage_costs(given, reading),
    )
    if models:
        result = _of_members(result, reading)
    _check_costs(result, reading)
    _look_for_misspelt(given, reading)
    reading.finish()
    return result


def _query(value: object, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise refused("the question as text", value, where)
    return value


def _models(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise refused("a list of models", value, where)
    models = tuple(model_id(one, f"{where}[{index}]") for index, one in enumerate(value))
    for index, model in enumerate(models):
        if model in models[:index]:
            raise InputError(
                "this model stands twice", where=f"{where}[{index}]", remedy="Give each model once"
            )
    return models


def _rank_among(models: tuple[str, ...]) -> Reader[float]:
    lowest = len(models) or math.inf
    return number(1, lowest, f"a rank from 1 to {lowest}" if models else "a rank from 1 on")


def _known(values: Mapping[str, Value | None]) -> dict[str, Value]:
    return {model: value for model, value in values.items() if value is not None}


def _routing(
    given: Mapping[str, object], models: tuple[str, ...], reading: Reading
) -> tuple[str, str | None, float | None]:
    """Read the router's answer: a word, with source and confidence beside it, or an object with all three.

    Without an answer the person has asked for the council, or for the model, without the router.
    """
    answer = given.get("routing_decision")
    if isinstance(answer, dict):
        inside = "routing_decision."
        values = {f"{inside}{name}": value for name, value in answer.items()}
        names = (f"{inside}decision", f"{inside}routing_source", f"{inside}confidence")
    else:
        values = dict(given)
        names = ("routing_decision", "routing_source", "routing_confidence")
    decision = reading.field(values, names[0], word(ROUTING_DECISIONS))
    source = reading.field(values, names[1], word(ROUTING_SOURCES))
    confidence = reading.field(values, names[2], _share)
    if decision is None or decision == _COMMAND:
        decision, source = "deliberate" if len(models) > 1 else "single_model", source or _COMMAND
    return decision, source, confidence


def _stage_costs(given: Mapping[str, object], reading: Reading) -> StageCosts | None:
    costs = reading.field(given, "stage_costs", members_of) or {}
    values = {f"stage_costs.{name}": value for name, value in costs.items()}
    collect, review, synthesize = (
        reading.field(values, f"stage_costs.{name}", _usd) for name in ("collect", "review", "synthesize")
    )
    result = StageCosts(collect=collect, review=review, synthesize=synthesize)
    return None if result == StageCosts() else result


def _of_members(given: LogInput, reading: Reading) -> LogInput:
    """Look for models that did not take part; reviewers and the chairman need not have."""
    members = set(given.models_used)
    for model in given.rankings:
        if model not in members:
            reading.wrong(_STRANGER, named("rankings", model))
    for model, response in given.stage1_responses.items():
        if model not in members and is_answer(response):
            reading.wrong(_STRANGER, named("stage1_responses", model))
    for reviewer, ballot in given.reviewer_rankings_raw.items():
        if ballot and members.isdisjoint(ballot):
            reading.wrong(
                "none of these models is in models_used",
                named("reviewer_rankings_raw", reviewer),
                'Give the ids of the models, not labels such as "Response A"',
            )
    responses = {model: given.stage1_responses[model] for model in given.stage1_responses if model in members}
    return msgspec.structs.replace(given, stage1_responses=responses)


def _check_costs(given: LogInput, reading: Reading) -> None:
    stages, whole = given.stage_costs, given.cost_usd
    if stages is None or whole is None:
        return
    together = math.fsum(cost or 0 for cost in (stages.collect, stages.review, stages.synthesize))
    if together > whole * 1.05 + 0.01:  # stages are often rounded
        reading.wrong(f"together {together:.6g}, more than cost_usd, {whole:.6g}", "stage_costs")


def _look_for_misspelt(given: Mapping[str, object], reading: Reading) -> None:
    unknown = [name for name in given if name not in LogInput.__struct_fields__]
    if unknown:
        import difflib  # noqa: PLC0415 - for mistakes only

        missing = [name for name in LogInput.__struct_fields__ if given.get(name) is None]
        for name in unknown:
            alike = difflib.get_close_matches(name.lower(), missing, n=1, cutoff=_ALIKE)
            bare = [field for field in missing if name.lower() == _QUALIFIER.sub("", field)]
            for meant in alike or bare:
                reading.wrong(f"there is no such field; {meant} may be meant", name)
