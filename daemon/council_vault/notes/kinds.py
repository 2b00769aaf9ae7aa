"""The notes: what they are called, and how the region that this program owns is marked in each."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Literal, get_args

Kind = Literal["performance", "routing", "log"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""The three notes that every sync keeps true to the memory."""

NoteKind = Literal[Kind, "brief", "record"]
"""These, the notes that are written when somebody asks for one, and those on one deliberation each."""

TemplateKind = Literal[NoteKind, "decision"]
"""These, and the decision record: written once, and from then on the person's own note."""

FILE_NAMES: dict[TemplateKind, str] = {
    "performance": "council-model-performance",
    "routing": "council-routing-intelligence",
    "log": "council-deliberation-log",
    "brief": "council-brief",
    "record": "council-record",
    "decision": "council-decision",
}
TITLES: dict[Kind, str] = {
    "performance": "Council Model Performance",
    "routing": "Council Routing Intelligence",
    "log": "Council Deliberation Log",
}
DECISION_ID = "deliberation_id"
DECISION_KEYS = ("project", "participants", DECISION_ID)
"""What the properties of a decision record have besides those of every note."""
COUNCIL_ID = "council_id"
"""The property that says which record a record note is on."""
END_MARKER = "%% council-vault:end %%"

_REWRITTEN: dict[NoteKind, str] = {
    "brief": "when the brief is saved again",
    "record": "when the record changes",
}

_LONGEST_NAME = 120  # bytes of UTF-8; what stands around it keeps the whole below 200
_UNSAFE = re.compile(
    r'[\\/:*?"<>|#^\[\]`().\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+'
)
_SPACES = re.compile(r"\s+")


def begin_marker(kind: NoteKind) -> str:
    """Return the line that opens the region. People read it: Live Preview shows comments."""
    when = _REWRITTEN.get(kind, "at every sync")
    return f"%% council-vault:begin {kind} (rewritten {when}; your own text goes above or below) %%"


def note_name(kind: Kind, workspace_name: str | None = None) -> str:
    """Return the note's name as links use it: without folder and ``.md``, the workspace's name at its end."""
    return f"{FILE_NAMES[kind]}-{_safe(workspace_name)}" if workspace_name else FILE_NAMES[kind]


def file_name(kind: Kind, workspace_name: str | None = None) -> str:
    """Return the note's file name, such as ``council-deliberation-log.md``."""
    return f"{note_name(kind, workspace_name)}.md"


def records_folder(workspace_name: str | None = None) -> str:
    """Return the name of the folder, below that of the notes, in which record notes are made."""
    return f"Council Records-{_safe(workspace_name)}" if workspace_name else "Council Records"


def base_name(workspace_name: str | None = None) -> str:
    """Return the file name of the view of the record notes."""
    return f"council-{_safe(workspace_name)}.base" if workspace_name else "council.base"


def _safe(name: str) -> str:
    """Make a workspace's name fit for every file system and link.

    Dots and parentheses go too: with them a name can look like a copy that a sync service made of a conflict.
    Where nothing is left, or something was cut, a digest keeps different names apart.
    """
    composed = unicodedata.normalize("NFC", name.encode(errors="replace").decode())
    words = _SPACES.sub(" ", _UNSAFE.sub("-", composed)).strip(" -")
    cut = words.encode()[:_LONGEST_NAME].decode(errors="ignore").strip(" -")
    if cut and cut == words:
        return cut
    digest = hashlib.sha256(composed.encode()).hexdigest()[:8]
    return f"{cut}-{digest}" if cut else digest
