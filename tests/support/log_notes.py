"""Log notes for tests: rows, tables in many styles, and what may stand around them."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING

from council_vault.notes.cells import COLUMNS, Cells

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

BEGIN = "%% council-vault:begin log (rewritten at every sync; your own text goes above or below) %%"
END = "%% council-vault:end %%"
FRONTMATTER = "---\ntitle: Council Deliberation Log\ntype: reference\n---\n"
HEAD = f"{FRONTMATTER}\n# Council Deliberation Log\n\n{BEGIN}\n\n> [!summary] 3 deliberations\n\n{END}\n"
COMPACT = (f"| {' | '.join(COLUMNS)} |", "| --- | --- | --- | --- | --- | ---: | --- |")
DAY_ONE = date(2025, 12, 7)


def row_cells(record_id: str, **cells: str) -> Cells:
    day = f"{record_id[2:6]}-{record_id[6:8]}-{record_id[8:10]}"
    row = Cells(record_id, day, f"About {record_id[2:]}", "claude-sonnet-4", "★★★", "$0.09", "—")
    return row._replace(**cells)


def ids(count: int, per_day: int = 3, every: int = 1) -> list[str]:
    """Return ids in the order in which their records came."""
    return [
        f"d_{DAY_ONE + timedelta(days=every * (number // per_day)):%Y%m%d}_{number % per_day + 1:03}"
        for number in range(count)
    ]


def rows_for(record_ids: Iterable[str]) -> dict[str, Cells]:
    return {record_id: row_cells(record_id) for record_id in record_ids}


def line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def table(record_ids: Iterable[str]) -> str:
    return "\n".join([*COMPACT, *(line(row_cells(record_id)) for record_id in record_ids)]) + "\n"


def is_row(text: str) -> bool:
    return re.match(r"[> ]*\|? *d_\d{8}_\d{3,} *(?:\||$)", text) is not None
