"""Whether what is left of removed records adds up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.learning.discrepancy import Discrepancy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from council_vault.memory.schema import Archived, ArchivedCategory

_REMEDY = "An earlier version of the file, from `council-vault restore` or a backup, has it right"


def check_archived(archived: Archived) -> Iterator[Discrepancy]:
    """Compare the counts of removed records with each other; nothing can be mended, the records are gone."""
    count = archived.count
    for field in ("cost", "latency", "confidence"):
        yield from _at_most((field,), "count", getattr(archived, field).count, count)
    yield from _at_most((), "ratings", sum(archived.ratings.values()), count)
    decided = archived.decisions
    yield from _at_most((), "decisions", decided.hits + decided.misses + decided.wastes, count)
    for field, counts in (("sizes", archived.sizes), ("categories", archived.categories)):
        total = sum(one.count for one in counts.values())
        if total != count:
            yield _wrong((field,), f"they add up to {total}, and {count} records were removed")
    for category, one in archived.categories.items():
        yield from _category(("categories", category), one)


def _category(path: tuple[str, ...], one: ArchivedCategory) -> Iterator[Discrepancy]:
    yield from _at_most(path, "deliberated", one.deliberated, one.count)
    yield from _at_most((*path, "value"), "count", one.value.count, one.deliberated)
    samples = one.value.count
    for field in ("confidence", "spread"):
        yield from _at_most((*path, field), "count", getattr(one, field).count, samples)
    yield from _at_most(path, "rated", one.rated, samples)
    yield from _at_most(path, "positive", one.positive, one.rated)
    yield from _at_most(path, "chairmen", sum(one.chairmen.values()), samples)


def _at_most(path: tuple[str, ...], field: str, value: int, most: int) -> Iterator[Discrepancy]:
    if value > most:
        yield _wrong((*path, field), f"{value} of {most} cannot be")


def _wrong(path: tuple[str, ...], what: str) -> Discrepancy:
    return Discrepancy(path=("archived", *path), what=f"{what}. {_REMEDY}")
