"""How optimizing the council's prompts has gone, as ``stats optimization`` shows it."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from council_vault.learning.means import LARGEST_COST, Mean, mean_of
from council_vault.learning.routing import share
from council_vault.memory.schema import Sum
from council_vault.memory.times import moment, stamp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from council_vault.memory.schema import Experiment, Memory

_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_RUN = re.compile(r"run_(\d{8})_(\d{6})", re.ASCII)
_EXPERIMENT = re.compile(r"opt_(\d{8})_\d+", re.ASCII)


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the optimization loop; pass rates in 0..1, ``None`` is unknown.

    Attributes:
        run_id: its id; ``None`` for the experiments that name no run.
        day: the UTC day it was on.
        experiments: how many experiments it was.
        baseline_pass_rate: the pass rate before the first one.
        final_pass_rate: the pass rate after the last change that was kept.
        kept: how many changes were kept.
        reverted: how many were taken back.
        skipped: how many were not tried.
        cost_usd: what it cost in USD, over the experiments whose cost is known.
    """

    run_id: str | None
    day: str | None
    experiments: int
    baseline_pass_rate: float | None
    final_pass_rate: float | None
    kept: int
    reverted: int
    skipped: int
    cost_usd: float


class Optimization(msgspec.Struct, frozen=True, kw_only=True):
    """The feed of ``stats optimization --json``.

    Attributes:
        schema: which feed this is, and its version; it changes when a key goes or means something else.
        as_of: when it was made, in UTC.
        experiments: how many experiments there have been.
        total_cost_usd: what they cost in USD, over those whose cost is known.
        costs_known: how many these are.
        runs: the runs they belong to, newest first.
    """

    schema: str = "council-vault/optimization/1"
    as_of: str
    experiments: int
    total_cost_usd: float
    costs_known: int
    runs: tuple[Run, ...]


def optimization(memory: Memory, now: datetime) -> Optimization:
    """Return the feed on the experiments."""
    alike: dict[str | None, list[Experiment]] = {}
    for experiment in sorted(memory.optimization_log, key=_when):
        alike.setdefault(experiment.run_id, []).append(experiment)
    runs = sorted(alike.items(), key=lambda run: _when(run[1][-1]))
    cost = _cost(memory.optimization_log)
    return Optimization(
        as_of=stamp(now),
        experiments=len(memory.optimization_log),
        total_cost_usd=cost.sum,
        costs_known=cost.count,
        runs=tuple(_run(run_id, experiments) for run_id, experiments in reversed(runs)),
    )


def _run(run_id: str | None, experiments: Sequence[Experiment]) -> Run:
    baseline = next(filter(_known, (share(one.baseline_pass_rate) for one in experiments)), None)
    final = baseline
    for experiment in experiments:
        modified = share(experiment.modified_pass_rate)
        if experiment.decision == "keep" and modified is not None:
            final = modified
    decided = Counter(experiment.decision for experiment in experiments)
    last = _when(experiments[-1])
    return Run(
        run_id=run_id,
        day=last.date().isoformat() if last > _LONG_AGO else None,
        experiments=len(experiments),
        baseline_pass_rate=baseline,
        final_pass_rate=final,
        kept=decided["keep"],
        reverted=decided["revert"],
        skipped=decided["skip"],
        cost_usd=_cost(experiments).sum,
    )


def _known(rate: float | None) -> bool:
    return rate is not None


def _cost(experiments: Sequence[Experiment]) -> Mean:
    return mean_of((experiment.cost_usd for experiment in experiments), Sum(), largest=LARGEST_COST)


def _when(experiment: Experiment) -> datetime:
    """Return when an experiment was made: as written, or by its run's id, or by its own."""
    written = moment(experiment.timestamp)
    for form, text in ((_RUN, experiment.run_id), (_EXPERIMENT, experiment.experiment_id)):
        named = form.fullmatch(text or "")
        written = written or (moment("T".join(named.groups())) if named else None)
    return written or _LONG_AGO
