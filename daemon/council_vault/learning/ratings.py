"""What a rating is: the words and signs that people type for one, and what follows from it."""

from __future__ import annotations

import re

_SIGNS = {
    "positive": "positive",
    "👍": "positive",
    "(+)": "positive",
    "negative": "negative",
    "👎": "negative",
    "(-)": "negative",
    "neutral": "neutral",
    "(~)": "neutral",
}
# Variation selectors and skin tones change how a sign looks and not what it means.
_DRESSING = re.compile("[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")
_EMPHASIS = re.compile(r"([*_`]+|~~|==)(?P<word>.+?)\1", re.DOTALL)
_ESCAPED = re.compile(r"\\([()+~\-*_])")


def rating_from_cell(text: str) -> str | None:
    """Return the rating that a cell's text means: ``positive``, ``negative`` or ``neutral``.

    Case, surrounding space, emphasis, skin tones and Markdown escapes make no difference. ``None``: not a
    rating.
    """
    word = _DRESSING.sub("", text).strip()
    while (emphasis := _EMPHASIS.fullmatch(word)) is not None:
        word = emphasis["word"].strip()
    return _SIGNS.get(_ESCAPED.sub(r"\1", word).casefold())


def outcome_for(rating: str | None, outcome: str | None) -> str | None:
    """Return the outcome of a deliberation once it is rated.

    Positive is accepted, negative rejected; neutral leaves what there is. Where a rating is taken back
    (``None``) the deliberation counts as accepted again, as one that was shown and not rated.
    """
    match rating:
        case "positive" | None:
            return "accepted"
        case "negative":
            return "rejected"
        case _:
            return outcome
