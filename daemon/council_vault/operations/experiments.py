"""An experiment of the optimization loop, logged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from council_vault.errors import InputError, MemoryUnreadable
from council_vault.learning.experiments import build_experiment, contradictions
from council_vault.memory.times import stamp
from council_vault.operations.following import begin_memory, follow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from council_vault.memory.schema import Experiment, Memory
    from council_vault.workspace import Workspace

    Document = dict[str, Any]


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of logging an experiment.

    ``already`` is whether it had been logged before, and nothing was added. ``warnings`` are sentences for
    the person: the experiment is safe whatever they say.
    """

    id: str
    record: dict[str, Any]
    already: bool = False
    warnings: tuple[str, ...] = ()

    def sentences(self) -> Iterator[str]:
        """Yield what the person should know beside the record."""
        if self.already:
            yield "It had been logged already; nothing was added."
        yield from self.warnings


def log_experiment(workspace: Workspace, given: Experiment, now: datetime) -> Outcome:
    """Add an experiment to the memory's optimization log; the memory is created if it is missing.

    Raises:
        InputError: an experiment with that id is there already, and says something else.
        MemoryUnreadable, MemoryReadOnly, FileChanged, WriteFailed, Busy: see `MemoryFile.operate`.
    """
    warnings = begin_memory(workspace, now)
    made: list[Outcome] = []  # the last one stands: a change may be made more than once

    def change(document: Document, memory: Memory) -> Document | None:
        experiments = _experiments_in(document)
        missing = [id_ for id_ in given.benchmark_ids if id_ not in memory.identified]
        named = tuple(f"{id_} is among the benchmarks, but not in the memory." for id_ in missing)
        known = _known(given, experiments)
        if known is not None:
            made.append(Outcome(id=str(known["experiment_id"]), record=known, already=True, warnings=named))
            return None
        ids = [one.get("experiment_id") for one in experiments if isinstance(one, dict)]
        record = build_experiment(given, ids, now)
        experiments.append(record)
        document["last_updated"] = stamp(now)
        made.append(Outcome(id=record["experiment_id"], record=record, warnings=named))
        return document

    content = workspace.memory_file().operate(change)
    outcome = made[-1]
    followed = follow(workspace, content, now, after="log-experiment", due=False)
    warnings = (*warnings, *outcome.warnings, *followed.warnings)
    return msgspec.structs.replace(outcome, warnings=warnings)


def _experiments_in(document: Document) -> list[object]:
    if document.get("optimization_log") is None:
        document["optimization_log"] = []
    experiments = document["optimization_log"]
    if not isinstance(experiments, list):
        raise MemoryUnreadable(
            "expected a list of experiments",
            where="optimization_log",
            remedy="Mend it by hand; nothing was written",
        )
    return experiments


def _known(given: Experiment, experiments: list[object]) -> dict[str, Any] | None:
    """Return the record of an experiment that has been logged before, if it has."""
    for one in experiments:
        if given.experiment_id and isinstance(one, dict) and one.get("experiment_id") == given.experiment_id:
            if others := contradictions(given, one):
                raise InputError(
                    f"{given.experiment_id} is logged already, with another {', '.join(others)}",
                    where="experiment_id",
                    remedy="Leave the id out, or give another one",
                )
            return one
    return None
