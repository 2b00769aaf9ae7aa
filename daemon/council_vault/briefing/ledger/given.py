"""A session as it is handed over for the ledger: checked, and given the ids it needs."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

import msgspec

from council_vault.briefing.cases import Prediction, Session
from council_vault.errors import InputError
from council_vault.learning.input_values import Reading, members_of, number, refused, text, time

HORIZONS = (7, 30, 90, 180)
"""Days after which a prediction can be looked at again."""

_share = number(0, 1, "a number from 0 to 1")
_LONGEST = 100_000
_LONGEST_NAME = 200
_END_OF_TIME = datetime(2200, 1, 1, tzinfo=UTC)


class GivenPrediction(msgspec.Struct, frozen=True):
    """A prediction, and the days after which it is due."""

    prediction: Prediction
    horizons: tuple[int, ...]


class GivenSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session to be kept; ``time`` is in UTC."""

    id: str
    time: datetime
    directive: str
    verdict: str
    participants: tuple[str, ...]
    confidence: float | None
    evidence_summary: str
    dissent_summary: str
    model: str
    predictions: tuple[GivenPrediction, ...]

    def as_session(self) -> Session:
        """Return the session as a brief sees it."""
        return Session(
            id=self.id,
            time=self.time,
            directive=self.directive,
            verdict=self.verdict,
            participants=self.participants,
            confidence=self.confidence,
            evidence_summary=self.evidence_summary,
            dissent_summary=self.dissent_summary,
            predictions=tuple(given.prediction for given in self.predictions),
        )


def read_session(document: object, now: datetime) -> GivenSession:
    """Read the JSON value that was handed over.

    Only ``directive`` is required. A session or prediction without an id gets one that follows from what it
    says, and a session from its time or else the day too, so that the same one handed over twice is the same.

    Raises:
        InputError: a field is missing or wrong; ``where`` is the first one, and the text names the others.
    """
    given = members_of(document, "")
    reading = Reading()
    directive = reading.required(given, "directive", _said) or ""
    verdict = reading.field(given, "verdict", _text) or ""
    asked = reading.field(given, "ts", _time) or reading.field(given, "timestamp", _time)
    id_ = reading.field(given, "id", _name) or _made("cs", directive, verdict, str(asked or now.date()))
    predictions = [
        _prediction(one, f"predictions[{place}]", f"{id_}/{place}")
        for place, one in enumerate(reading.field(given, "predictions", _list) or [])
    ]
    ids = [one.prediction.id for one in predictions]
    if len(set(ids)) < len(ids):
        reading.wrong("two predictions have one id", "predictions")
    session = GivenSession(
        id=id_,
        time=asked or now,
        directive=directive,
        verdict=verdict,
        participants=reading.field(given, "participants", _names) or (),
        confidence=reading.field(given, "confidence", _share),
        evidence_summary=reading.field(given, "evidence_summary", _text_or_json) or "",
        dissent_summary=reading.field(given, "dissent_summary", _text_or_json) or "",
        model=reading.field(given, "model", _name) or "",
        predictions=tuple(predictions),
    )
    reading.finish()
    return session


def _prediction(value: object, where: str, place: str) -> GivenPrediction:
    given = members_of(value, where)
    reading = Reading()
    statement = reading.required(given, "statement", _said) or ""
    horizon = reading.field(given, "horizon_days", _horizon)
    prediction = Prediction(
        id=reading.field(given, "id", _name) or _made("p", place, statement),
        agent=reading.required(given, "agent", _name) or "",
        statement=statement,
        metric=reading.field(given, "metric", _text) or "",
        direction=reading.field(given, "direction", _text) or "",
        invalidation=reading.field(given, "invalidation", _text) or "",
        confidence=reading.field(given, "confidence", _share),
        participants=reading.field(given, "participants", _names) or (),
    )
    if given.get("status") not in (None, "pending"):
        reading.wrong(
            "an outcome is not taken here",
            "status",
            "Add it without, then say what came of it with `council-vault ledger resolve`",
        )
    try:
        reading.finish()
    except InputError as error:
        raise InputError(error.what, where=f"{where}.{error.where}", remedy=error.remedy) from error
    return GivenPrediction(prediction, HORIZONS if horizon is None else (horizon,))


def _made(kind: str, *parts: str) -> str:
    said = "\n".join(parts).encode(errors="surrogatepass")
    return f"{kind}_{hashlib.sha256(said).hexdigest()[:12]}"


def _time(value: object, where: str) -> datetime:
    when = time(value, where)
    if when >= _END_OF_TIME:
        raise refused("a time before 2200", value, where)
    return when


def _text(value: object, where: str) -> str:
    given = text(value, where)
    if len(given) > _LONGEST or "\0" in given or given.encode(errors="ignore").decode() != given:
        raise refused(f"a Unicode text of at most {_LONGEST} characters", value, where)
    return given.strip()


def _said(value: object, where: str) -> str:
    given = _text(value, where)
    if not given:
        raise refused("text", value, where)
    return given


def _name(value: object, where: str) -> str:
    given = value.strip() if isinstance(value, str) else ""
    if not (0 < len(given) <= _LONGEST_NAME and given.isprintable()):
        raise refused(f"a name of 1 to {_LONGEST_NAME} printable characters", value, where)
    return given


def _text_or_json(value: object, where: str) -> str:
    return _text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), where)


def _list(value: object, where: str) -> list[object]:
    if not isinstance(value, list):
        raise refused("a list", value, where)
    return value


def _names(value: object, where: str) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(_name(name, f"{where}[{place}]") for place, name in enumerate(_list(value, where)))
    )


def _horizon(value: object, where: str) -> int:
    if value not in HORIZONS or isinstance(value, bool):
        raise refused("7, 30, 90 or 180", value, where)
    return next(days for days in HORIZONS if days == value)
