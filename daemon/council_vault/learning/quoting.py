"""Whether a text repeats what somebody else has said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from council_vault.learning.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable

_SENTENCE = 3  # words; fewer say nothing of their own
_END = re.compile(r"[.!?…:;|\n\r\v\f\x85\u2028\u2029。！？；．｡؟۔।॥]+")
_MARKS = re.compile(r"^[\W\d_]+|[\W_]+$")


def quotes(text: str, sources: Iterable[str]) -> bool:
    """Tell whether a text holds a sentence of three words or more, or a line, of one of the sources."""
    told = f" {' '.join(words(text))} "
    longest = 2 * len(text) + 10  # no sentence in it is longer, with its emphasis and spaces
    sentences = {
        bare
        for source in sources
        for sentence in _END.split(source)
        if (bare := _MARKS.sub("", sentence)) and len(bare) <= longest
    }
    for sentence in sentences:
        said = words(sentence)
        if len(said) >= _SENTENCE and f" {' '.join(said)} " in told:
            return True
    return False
