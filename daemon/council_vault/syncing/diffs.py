"""What would change, for the person to read."""

from __future__ import annotations

import re

_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # not `splitlines`, which takes other characters for line ends, too


def unified_diff(name: str, before: bytes | None, after: bytes | None) -> str:
    """Return what changes from one content to the other, as a unified diff; empty where nothing does."""
    import difflib  # noqa: PLC0415 - only a dry run shows what would change

    if before == after:
        return ""
    old, new = (_LINE.findall((content or b"").decode(errors="replace")) for content in (before, after))
    header = f"{name}\t" if " " in name else name  # the tab says where a name with spaces ends
    lines = difflib.unified_diff(old, new, "/dev/null" if before is None else header, header)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
