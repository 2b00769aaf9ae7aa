"""Memories that are sound, and what is found in ones that are not."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from council_vault.doctor.content import examine_content
from council_vault.learning.checking import check
from council_vault.memory import canonical
from council_vault.memory.decoding import decode
from council_vault.memory.file import MemoryContent
from council_vault.memory.migrations import migrate
from council_vault.memory.paths import spelled
from council_vault.operations.repairing import Mend, mend, plain_document
from support.memories import model_performance
from support.memory_files import document, dump

if TYPE_CHECKING:
    from council_vault.doctor.finding import Finding
    from council_vault.learning.discrepancy import Discrepancy

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def sound(*records: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a memory whose aggregates are those of its records; fields as in `document`."""
    return document(*records, **{"model_performance": model_performance(list(records)), **fields})


def discrepancies(memory: dict[str, Any], *, vanished: bool = False) -> list[Discrepancy]:
    """Return what contradicts itself in a memory document."""
    plain = plain_document(migrate(canonical.parse(dump(memory))))
    return list(check(decode(dump(memory)).memory, plain, NOW, vanished=vanished))


def told(memory: dict[str, Any], *, vanished: bool = False) -> dict[str, str]:
    """Return what is said of each place; several things are joined."""
    said: dict[str, str] = {}
    for one in discrepancies(memory, vanished=vanished):
        where = spelled(one.path)
        said[where] = f"{said[where]}; {one.what}" if where in said else one.what
    return said


def findings(memory: dict[str, Any] | bytes, *, vanished: bool = False) -> list[Finding]:
    """Return what the doctor says of a memory document."""
    data = memory if isinstance(memory, bytes) else dump(memory)
    return list(examine_content(MemoryContent(data), NOW, vanished=vanished))


def mended(memory: dict[str, Any] | bytes, *, vanished: bool = False) -> tuple[tuple[Mend, ...], bytes]:
    """Return what is mended in a memory document, and the file afterwards."""
    data = memory if isinstance(memory, bytes) else dump(memory)
    parsed = migrate(canonical.parse(data))
    mends = mend(parsed, decode(data).memory, NOW, lambda _: vanished)
    return mends, canonical.render(parsed)
