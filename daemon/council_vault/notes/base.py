"""The view of the record notes in Obsidian's Bases: written once, and from then on the person's own file.

The syntax is that of https://help.obsidian.md/bases/syntax. The notes are told by a property, and not by
their folder, so that those that were moved are shown as well.
"""

from __future__ import annotations

from council_vault.notes.kinds import COUNCIL_ID
from council_vault.notes.yaml_scalar import scalar

_FILTER = f'file.hasProperty("{COUNCIL_ID}")'
_COLUMNS = (
    "formula.deliberation",
    "rating",
    "date",
    "council_category",
    "council_chairman",
    "council_confidence",
    "council_cost_usd",
    "council_value_added",
)
_NAMES = {
    "formula.deliberation": "Deliberation",
    "rating": "Rating",
    "date": "Date",
    "council_category": "Category",
    "council_chairman": "Chairman",
    "council_confidence": "Confidence",
    "council_cost_usd": "Cost in USD",
    "council_value_added": "Value added",
}


def base(stamp: str | None) -> str:
    """Return the whole file, with the views All, Unrated and By category.

    Args:
        stamp: of the memory whose notes are shown, where the vault holds those of several; ``None``: all.
    """
    filters = [_FILTER] if stamp is None else [_FILTER, f'council_memory == "{stamp}"']
    lines = [
        "filters:",
        "  and:",
        *(f"    - {_quoted(one)}" for one in filters),
        "formulas:",
        f"  deliberation: {_quoted('file.asLink(title)')}",
        "properties:",
        *(f"  {key}:\n    displayName: {scalar(name)}" for key, name in _NAMES.items()),
        "views:",
        *_view("All"),
        *_view("Unrated", "    filters:", "      and:", f"        - {_quoted('rating.isEmpty()')}"),
        *_view("By category", "    groupBy:", "      property: council_category", "      direction: ASC"),
    ]
    return "\n".join(lines) + "\n"


def _view(name: str, *more: str) -> list[str]:
    return [
        "  - type: table",
        f"    name: {name}",
        *more,
        "    order:",
        *(f"      - {column}" for column in _COLUMNS),
        "    sort:",
        "      - property: date",
        "        direction: DESC",
    ]


def _quoted(expression: str) -> str:
    """Return an expression as YAML text; single quotes leave those in it as they are."""
    return f"'{expression}'"
