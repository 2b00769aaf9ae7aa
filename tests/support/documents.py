"""Notes drafted from documents, as a sync drafts them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from council_vault.memory.decoding import decode
from council_vault.notes.documents import DraftSettings, draft
from council_vault.notes.templates import Templates

if TYPE_CHECKING:
    from council_vault.memory.schema import Memory
    from council_vault.notes.kinds import Kind

STAMP = "m-20251207T090000Z"
LINKS: dict[Kind, str] = {
    "performance": "[[council-model-performance|Model performance]]",
    "routing": "[[council-routing-intelligence|Routing]]",
    "log": "[[council-deliberation-log|Log]]",
}


def memory_of(document: dict[str, Any]) -> Memory:
    """Return the views of a document, read as a file's bytes are."""
    return decode(json.dumps(document).encode()).memory


def drafted(
    kind: Kind,
    memory: Memory,
    *,
    mode: str = "learned",
    charts: bool = True,
    templates: Templates | None = None,
) -> str:
    """Return a note as it would be made of a memory."""
    settings = DraftSettings(stamp=STAMP, mode=mode, charts=charts, links=LINKS)
    return draft(kind, memory, settings, templates or Templates(None))
