"""What a brief is made from: past deliberations, how they were graded, and where they are found."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence  # noqa: TC003 (msgspec reads the annotations)
from datetime import datetime  # noqa: TC003 - likewise
from typing import Literal, Protocol, get_args

import msgspec

from council_vault.briefing.ground import Ground  # noqa: TC001 - likewise

Validity = Literal["VALIDATED", "PARTIALLY_VALID", "UNKNOWN", "OUTDATED", "DISPROVEN"]
VALIDITIES: tuple[Validity, ...] = get_args(Validity)

_GRADES = {"correct": 1.0, "partial": 0.5, "incorrect": 0.0}


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """Something that an agent said would happen; texts are empty where nothing is given.

    ``status`` is pending, correct, partial or incorrect; ``confidence`` is in 0..1.
    """

    id: str = ""
    agent: str = ""
    statement: str = ""
    metric: str = ""
    direction: str = ""
    invalidation: str = ""
    confidence: float | None = None
    status: str = "pending"
    participants: tuple[str, ...] = ()

    @property
    def grade(self) -> float | None:
        """1 for correct, 0.5 for partial, 0 for incorrect; ``None`` as long as it is none of these."""
        return grade(self.status)


def grade(status: str) -> float | None:
    """Return how far a prediction of that status came true, ``None`` where that is not known."""
    return _GRADES.get(status)


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One past deliberation.

    ``time`` is in UTC, ``confidence`` in 0..1 as stated then. ``rating`` is how a person found it, 0..1,
    where there is no prediction to grade it by.
    """

    id: str
    time: datetime | None = None
    directive: str = ""
    verdict: str = ""
    participants: tuple[str, ...] = ()
    confidence: float | None = None
    evidence_summary: str = ""
    dissent_summary: str = ""
    predictions: tuple[Prediction, ...] = ()
    rating: float | None = None

    @property
    def accuracy(self) -> float | None:
        """How far it came true, 0..1; ``None`` where nothing is graded."""
        return accuracy([prediction.grade for prediction in self.predictions], self.rating)


def accuracy(grades: Iterable[float | None], rating: float | None = None) -> float | None:
    """Return the mean of the grades that are given, else the rating."""
    graded = mean(grades)
    return rating if graded is None else graded


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are known; ``None`` where none is."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """As much of a session as it takes to rank it.

    ``terms`` are those of directive and verdict (`learning.words.terms`), each once; ``ground_words`` are
    those that tell the ground of the directive, with spaces between them: few candidates are asked for it.
    """

    id: str
    time: datetime | None = None
    terms: Collection[str] = ()
    ground_words: str = ""
    confidence: float | None = None
    accuracy: float | None = None

    @property
    def ground(self) -> Ground:
        """The ground that it stands on."""
        return frozenset(self.ground_words.split())


class Reputation(msgspec.Struct, frozen=True, kw_only=True):
    """How an agent's predictions have turned out.

    ``alpha`` and ``beta`` are the parameters of a Beta distribution; ``brier_sum`` over ``brier_n`` is its
    Brier score, from which its calibration follows.
    """

    agent: str
    wins: float = 0.0
    losses: float = 0.0
    draws: float = 0.0
    accuracy_rate: float | None = None
    alpha: float = 1.0
    beta: float = 1.0
    brier_sum: float = 0.0
    brier_n: float = 0.0
    calibration: float | None = None
    last_outcome_at: datetime | None = None

    @property
    def skill(self) -> float:
        """The expected share of predictions that come true, 0..1."""
        both = self.alpha + self.beta
        return self.alpha / both if self.alpha >= 0 and self.beta >= 0 and both > 0 else 0.5


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A session that was recalled, and how far it is to be trusted; figures are in 0..1.

    ``terms`` are those of its directive and verdict, ``matched`` the words of the new directive among them.
    """

    session: Session
    validity: Validity
    accuracy: float | None
    calibration: float
    similarity: float
    terms: Collection[str]
    matched: tuple[str, ...]

    @property
    def warning(self) -> bool:
        """Whether it is to be read with care."""
        return is_warned(self.validity)


def is_warned(validity: Validity) -> bool:
    """Tell whether a case of this validity carries a warning."""
    return validity in {"DISPROVEN", "OUTDATED", "PARTIALLY_VALID"}


class Recall(Protocol):
    """A place where past deliberations are kept. What it returns is always in the same order."""

    def candidates(self, terms: Sequence[str], limit: int) -> Sequence[Candidate]:
        """Return sessions that hold some of these terms: at most ``limit``, rare terms and new ones first."""
        ...

    def newer(self, than: Candidate, limit: int) -> Sequence[Candidate]:
        """Return newer sessions on the same ground (`ground.is_same`): the newest ``limit`` of them."""
        ...

    def sessions(self, ids: Sequence[str]) -> Mapping[str, Session]:
        """Return whole sessions by id."""
        ...

    def reputations(self, agents: Collection[str]) -> Mapping[str, Reputation]:
        """Return what is known of these agents."""
        ...
