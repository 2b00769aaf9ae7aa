"""The gist of a text: all that a brief ever takes over from a past deliberation."""

from __future__ import annotations

import re

LONGEST = 110

_NOT_TEXT = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")
_SHORTEST_CUT = 80  # a text is rather cut inside a word than shorter than this


def gist(text: str) -> str:
    """Return a text on one line, cut behind a word to at most 110 characters."""
    line = _NOT_TEXT.sub(" ", text).strip()
    if len(line) <= LONGEST:
        return line
    head = line[: LONGEST - 1]
    end = head.rfind(" ", _SHORTEST_CUT)
    return f"{head[:end] if end > 0 else head}…"
