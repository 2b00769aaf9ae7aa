"""Experiments of the optimization loop: what is handed over of one, checked, and the record that is kept.

The fields are those of the pattern memory's operation 6.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from council_vault.errors import InputError
from council_vault.learning.input_values import (
    Reading,
    members_of,
    named,
    number,
    refused,
    text,
    time,
    word,
)
from council_vault.memory.ids import parse_id
from council_vault.memory.schema import Experiment
from council_vault.memory.times import stamp
from council_vault.memory.vocabulary import CRITERIA, EXPERIMENT_DECISIONS, MODIFICATIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_EXPERIMENT = re.compile(r"opt_(\d{8})_(\d{3,9})", re.ASCII)
_RUN = re.compile(r"run_(\d{8}_\d{6})", re.ASCII)
_LONGEST_NAME = 200
_share = number(0, 1, "a number from 0 to 1")
_change = number(-1, 1, "a number from -1 to 1")
_usd = number(0, 1e6, "USD from 0 to 1 000 000")
_most = 1e6


def read_experiment(document: object) -> Experiment:
    """Read the JSON value that was handed over.

    Required are ``variable_modified``, ``modification_type``, ``decision`` and, unless that is ``skip``, both
    pass rates. Criteria may be named in short (``C1``). What else is missing is not known; ids and the time
    may be, for `build_experiment` to give.

    Raises:
        InputError: a field is missing or wrong; ``where`` is the first one, and the text names the others.
    """
    given = members_of(document, "")
    reading = Reading()
    decision = reading.required(given, "decision", word(EXPERIMENT_DECISIONS))
    rate = reading.field if decision == "skip" else reading.required
    when = reading.field(given, "timestamp", time)
    result = Experiment(
        experiment_id=reading.field(given, "experiment_id", _experiment_id),
        run_id=reading.field(given, "run_id", _run_id),
        timestamp=None if when is None else stamp(when),
        variable_modified=reading.required(given, "variable_modified", _name),
        modification_type=reading.required(given, "modification_type", word(MODIFICATIONS)),
        description=reading.field(given, "description", text),
        baseline_pass_rate=rate(given, "baseline_pass_rate", _share),
        modified_pass_rate=rate(given, "modified_pass_rate", _share),
        criteria_delta=_criteria(given, reading),
        decision=decision,
        cost_usd=reading.field(given, "cost_usd", _usd),
        benchmark_count=reading.field(given, "benchmark_count", _count),
        benchmark_ids=reading.field(given, "benchmark_ids", _benchmarks) or (),
    )
    if result.benchmark_ids and result.benchmark_count not in {None, len(result.benchmark_ids)}:
        reading.wrong(
            f"{result.benchmark_count}, but benchmark_ids has {len(result.benchmark_ids)}", "benchmark_count"
        )
    reading.finish()
    return result


def build_experiment(given: Experiment, ids: Iterable[object], now: datetime) -> dict[str, Any]:
    """Return the record of an experiment, keys in the file's order.

    Without an id it gets the next free one of its UTC day; without a run, one that began when it was made.

    Args:
        given: what `read_experiment` returned.
        ids: the ids in the optimization log.
        now: the time of the experiment, where none was given.
    """
    when = stamp(now) if given.timestamp is None else str(given.timestamp)
    digits = re.sub(r"\D", "", when)
    record = _fields(given)
    record["experiment_id"] = given.experiment_id or _next_id(ids, digits[:8])
    record["run_id"] = given.run_id or f"run_{digits[:8]}_{digits[8:14]}"
    record["timestamp"] = when
    if given.benchmark_count is None and given.benchmark_ids:
        record["benchmark_count"] = len(given.benchmark_ids)
    return record


def contradictions(given: Experiment, kept: Mapping[str, object]) -> list[str]:
    """Return the fields in which an experiment that is handed over again says something else than its record.

    What is not given now contradicts nothing.
    """
    stated = {name: value for name, value in _fields(given).items() if value not in (None, [], {})}
    return [name for name, value in stated.items() if kept.get(name) != value]


def _fields(given: Experiment) -> dict[str, Any]:
    return {**msgspec.to_builtins(given), "benchmark_ids": list(given.benchmark_ids)}


def _next_id(ids: Iterable[object], day: str) -> str:
    taken = (_EXPERIMENT.fullmatch(one) for one in ids if isinstance(one, str))
    return f"opt_{day}_{max((int(one[2]) for one in taken if one and one[1] == day), default=0) + 1:03d}"


def _experiment_id(value: object, where: str) -> str:
    match = _EXPERIMENT.fullmatch(value) if isinstance(value, str) else None
    if match is None or not _is_time(match[1], "%Y%m%d"):
        raise refused("an id such as opt_20260328_001", value, where)
    return match[0]


def _run_id(value: object, where: str) -> str:
    match = _RUN.fullmatch(value) if isinstance(value, str) else None
    if match is None or not _is_time(match[1], "%Y%m%d_%H%M%S"):
        raise refused("an id such as run_20260328_143000", value, where)
    return match[0]


def _is_time(digits: str, form: str) -> bool:
    try:
        datetime.strptime(digits, form).replace(tzinfo=UTC)
    except ValueError:
        return False
    return True


def _name(value: object, where: str) -> str:
    name = text(value, where).strip()
    if not (0 < len(name) <= _LONGEST_NAME and name.isprintable()):
        raise refused(f"a name of 1 to {_LONGEST_NAME} printable characters", value, where)
    return name


def _count(value: object, where: str) -> int:
    count = number(0, _most, "a whole number from 0 on")(value, where)
    if not count.is_integer():
        raise refused("a whole number from 0 on", value, where)
    return int(count)


def _criteria(given: Mapping[str, object], reading: Reading) -> dict[str, float]:
    """Read the change of each criterion, under its full name or its short one."""
    names = {name.casefold(): name for name in CRITERIA}
    names |= {name.partition("_")[0].casefold(): name for name in CRITERIA}
    changes: dict[str, float] = {}
    for key, value in (reading.field(given, "criteria_delta", members_of) or {}).items():
        name, where = names.get(key.strip().casefold()), named("criteria_delta", key)
        if name is None:
            reading.wrong(f"the criteria are {', '.join(CRITERIA)}", where)
        elif name in changes:
            reading.wrong(f"{name} stands twice", where)
        elif (change := reading.field({where: value}, where, _change)) is not None:
            changes[name] = change
    return {name: changes[name] for name in CRITERIA if name in changes}


def _benchmarks(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise refused("a list of ids of records", value, where)
    for index, one in enumerate(value):
        if parse_id(one) is None:
            raise refused("an id such as d_20260328_001", one, f"{where}[{index}]")
        if one in value[:index]:
            raise InputError(f"{one} stands twice", where=f"{where}[{index}]")
    return tuple(value)
