"""The resources: the three notes as they stand in the vault, and the schema of the memory file."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from council_vault.memory.json_schema import schema_text
from council_vault.notes.kinds import KINDS, TITLES, Kind, note_name
from council_vault.operations.note import note_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from council_vault.workspace import Workspace

_ABOUT: Mapping[Kind, str] = {
    "performance": "Which models do well at what: ranks, chairmanships, self-preference, by category.",
    "routing": "What the router has learned: which questions to deliberate on, and how it was right.",
    "log": "Every deliberation, a row each, with the person's ratings.",
}


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """A resource; ``read`` returns its text, and raises `CouncilVaultError` or `OSError`."""

    name: str
    title: str
    description: str
    media_type: str
    read: Callable[[Workspace], str]


def _resources() -> Iterator[tuple[str, Resource]]:
    for kind in KINDS:
        yield (
            f"council-vault://notes/{kind}",
            Resource(
                name=note_name(kind),
                title=TITLES[kind],
                description=f"{_ABOUT[kind]} As it stands in the vault; sync_vault brings it up to date.",
                media_type="text/markdown",
                read=partial(_note, kind),
            ),
        )
    yield (
        "council-vault://schema/council-memory",
        Resource(
            name="council-memory.schema.json",
            title="Schema of the memory file",
            description="The JSON Schema of council-memory.json: every field, its unit and its range.",
            media_type="application/schema+json",
            read=_schema,
        ),
    )


def _note(kind: Kind, workspace: Workspace) -> str:
    return note_text(workspace, kind)


def _schema(_workspace: Workspace) -> str:
    return schema_text()


RESOURCES: Mapping[str, Resource] = dict(_resources())
