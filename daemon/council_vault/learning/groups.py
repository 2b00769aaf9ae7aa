"""The records of a memory by their category, and by whether several models answered."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, Self

from council_vault.learning.once import once

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from council_vault.memory.schema import Deliberation, Memory


class Group(NamedTuple):
    """The records of one category, in the file's order: those of councils, and single-model answers."""

    councils: Sequence[Deliberation]
    answers: Sequence[Deliberation]

    @classmethod
    def of(cls, records: Iterable[Deliberation]) -> Self:
        """Tell the records of a category apart."""
        councils: list[Deliberation] = []
        answers: list[Deliberation] = []
        for record in records:
            (councils if is_council(record) else answers).append(record)
        return cls(councils, answers)


def is_council(record: Deliberation) -> bool:
    """Tell whether several models answered, whatever the router had decided."""
    models = len(record.models_used) or len(record.rankings)
    return models > 1 if models else record.routing_decision != "single_model"


@once
def by_category(memory: Memory) -> Mapping[str, Group]:
    """Return the records of each category."""
    alike: defaultdict[str, list[Deliberation]] = defaultdict(list)
    for record in memory.deliberations:
        alike[record.category].append(record)
    return {category: Group.of(records) for category, records in alike.items()}
