"""Whether a text repeats what somebody else has said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from council_vault.learning.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FEWEST_WORDS = 3  # fewer say nothing of their own
_LINE_END = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_SENTENCE_END = re.compile(r"[.!?…]+(?=[\s\"'”’»)\]*_])|[。！？｡؟۔।॥|]")
_MARKS = re.compile(r"^[\W\d_]+|[\W_]+$")


def quotes(text: str, sources: Iterable[str]) -> bool:
    """Tell whether a text holds a line or a sentence, of three words or more, of one of the sources."""
    told = f" {' '.join(words(text))} "
    longest = 2 * len(text) + 10  # no sentence in it is longer, with its emphasis and spaces
    for sentence in {sentence for source in sources for sentence in _sentences(source)}:
        if len(sentence) <= longest:
            said = words(sentence)
            if len(said) >= _FEWEST_WORDS and f" {' '.join(said)} " in told:
                return True
    return False


def _sentences(source: str) -> Iterator[str]:
    """Return the lines of a text and their sentences, without bullets, numbers and marks around them."""
    for line in _LINE_END.split(source):
        for sentence in (line, *_SENTENCE_END.split(line)):
            yield _MARKS.sub("", sentence)
