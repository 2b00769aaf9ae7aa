"""What the cells of a record's row say; the other notes show its figures and names in the same way."""

from __future__ import annotations

import math
import re
from collections import Counter
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from council_vault.memory.times import calendar_day
from council_vault.notes.cell_text import UNKNOWN, cell_text, cut, escape, is_empty_cell, plain, undecorated

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from council_vault.memory.schema import Deliberation

__all__ = [
    "COLUMNS",
    "UNKNOWN",
    "Cells",
    "cell_text",
    "cells",
    "is_empty_cell",
    "money",
    "plain",
    "short_names",
    "stars",
]

COLUMNS = ("ID", "Date", "Query Summary", "Chairman", "Confidence", "Cost", "Rating")

_STAR_BOUNDS = (0.9, 0.7, 0.5, 0.3)
_A_CENT = 0.01
_NO_MONEY = 5e-7  # USD; less shows as nothing at all
_TOO_MUCH = 1e12
# Amazon Bedrock's ids: [region.]vendor.model[-v1:0]
_DOTTED = re.compile(
    r"(?P<region>(?:us-gov|us|eu|apac|ap|au|ca|jp|sa|me|af|global)\.)?"
    r"(?P<vendor>[a-z][a-z0-9]+)\.(?P<name>[A-Za-z][\w.-]*?)"
    r"(?P<date>-\d{8})?(?P<version>-v?\d+:\d+(?::\w+)?|-v1)?"
)
_VENDORS = frozenset(
    {
        "ai21", "amazon", "anthropic", "cohere", "deepseek", "google", "meta", "minimax", "mistral",
        "moonshot", "moonshotai", "nvidia", "openai", "qwen", "stability", "twelvelabs", "writer", "zai",
    }
)  # fmt: skip
_SAYS_A_NAME = re.compile(r"[A-Za-z]{3}")


class Cells(NamedTuple):
    """The cells of one row, in the order of `COLUMNS`: escaped Markdown, ``—`` where nothing is known."""

    id: str
    date: str
    summary: str
    chairman: str
    confidence: str
    cost: str
    rating: str


def cells(record: Deliberation, names: Mapping[str, str]) -> Cells:
    """Return what the row of a record says; ``names`` are the models' `short_names`."""
    chairman = record.chairman or ""
    day = calendar_day(record.timestamp)
    return Cells(
        id=record.id or UNKNOWN,
        date=day.isoformat() if day else UNKNOWN,
        summary=cell_text(record.query_summary or "") or UNKNOWN,
        chairman=name_cell(names.get(chairman, chairman)),
        confidence=stars(record.confidence),
        cost=money(record.cost_usd),
        rating=cell_text(record.user_rating or "") or UNKNOWN,
    )


@cache
def name_cell(name: str) -> str:
    """Return the cell of a model's name: whole, where a summary's long runs would be cut."""
    return escape(cut(undecorated(name), 80)) or UNKNOWN


def short_names(models: Iterable[str]) -> dict[str, str]:
    """Return a short name for each model id, the full id where two would look alike; plain text, not escaped.

    ``openai/gpt-4.1`` is ``gpt-4.1``; ``us.amazon.nova-premier-v1:0`` is ``nova-premier``.
    """
    short = {model: _short(model) for model in models}
    alike = Counter(short.values())
    return {model: name if alike[name] == 1 else model for model, name in short.items()}


def money(usd: float | None) -> str:
    """Return an amount in USD: ``$1,234.56``, two significant digits below a cent, ``—`` if unknown."""
    if usd is None or not math.isfinite(usd):
        return UNKNOWN
    amount, sign = abs(usd), "-" if usd < 0 else ""
    if amount < _NO_MONEY:
        return "$0.00"
    if amount >= _TOO_MUCH:
        return f"{sign}${amount:.1e}"
    if amount >= _A_CENT:
        return f"{sign}${amount:,.2f}"
    digits = f"{Decimal(f'{amount:.1e}'):f}".rstrip("0")
    return f"{sign}${digits}" if len(digits) > len("0.01") else f"{sign}$0.01"


def stars(confidence: float | None) -> str:
    """Return one to five stars for a confidence, by the lower bounds .9 .7 .5 .3; ``—`` if unknown."""
    if confidence is None or math.isnan(confidence):
        return UNKNOWN
    return "★" * (1 + sum(confidence >= bound for bound in _STAR_BOUNDS))


def _short(model: str) -> str:
    last = model.rsplit("/", 1)[-1].strip()
    if not any(character.isalnum() for character in last):
        return model
    dotted = _DOTTED.fullmatch(last)
    if dotted is None or not (dotted["region"] or dotted["version"] or dotted["vendor"] in _VENDORS):
        return last
    # A name such as "r1" says nothing without its vendor.
    return dotted["name"] if _SAYS_A_NAME.search(dotted["name"]) else f"{dotted['vendor']}-{dotted['name']}"
