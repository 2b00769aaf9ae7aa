"""What models are called in the notes on performance and routing."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from council_vault.notes.cell_text import cut
from council_vault.notes.cells import name_cell, short_names

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST = 40  # a longer name would push the figures out of sight


def model_names(models: Iterable[str]) -> dict[str, str]:
    """Return a short name for each model id, safe in a table cell; different ids have different names."""
    short = short_names(models)
    shortened = {model: cut(name, _LONGEST) for model, name in short.items()}
    alike = Counter(shortened.values())
    return {model: name_cell(name if alike[name] == 1 else short[model]) for model, name in shortened.items()}
