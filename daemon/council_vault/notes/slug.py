"""Any text as a part of a note's file name: its words, fit for every file system and link."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_LONGEST = 60  # characters
_LONGEST_BYTES = 120  # of UTF-8; what stands around it keeps the whole below 200
_SHORTEST_CUT = 30  # characters; a slug is rather cut inside a word than shorter than this
_DIGITS = 8
_TELLING = frozenset("#%&*@\\")  # punctuation that changes what is meant, as symbols do
_VARIANTS = re.compile("[\ufe00-\ufe0f]")


def slug(text: str) -> str:
    """Return the words of a text in small letters, with hyphens between them: ``Buy now?`` is ``buy-now``.

    Where more than spaces and punctuation is lost, a digest at the end keeps different texts apart; a slug
    is never empty.
    """
    composed = unicodedata.normalize("NFKC", text.encode(errors="replace").decode()).casefold()
    signs = [sign for sign in _VARIANTS.sub("", composed) if unicodedata.category(sign) != "Cf"]
    kept = ""
    lost = False
    for sign in signs:
        if _is_of_word(sign, kept[-1:]):
            kept += sign
        else:
            kept += " "
            lost = lost or not _is_between_words(sign)
    whole = unicodedata.normalize("NFC", "-".join(kept.split()))
    short = _cut(whole)
    if short and short == whole and not lost:
        return short
    digest = hashlib.sha256(" ".join("".join(signs).split()).encode()).hexdigest()[:_DIGITS]
    return f"{short}-{digest}" if short else digest


def _is_of_word(sign: str, before: str) -> bool:
    """Tell whether a sign is a letter, a number, or a mark on one of these."""
    category = unicodedata.category(sign)[0]
    return category in "LN" or (category == "M" and before not in {"", " "})


def _is_between_words(sign: str) -> bool:
    return sign.isspace() or (unicodedata.category(sign)[0] == "P" and sign not in _TELLING)


def _cut(whole: str) -> str:
    """Return as many words as there is room for; of one that is too long, its beginning."""
    head = whole[:_LONGEST].encode()[:_LONGEST_BYTES].decode(errors="ignore")
    if len(head) < len(whole) and whole[len(head)] != "-":
        end = head.rfind("-", min(_SHORTEST_CUT, len(head) // 2))
        head = head[:end] if end > 0 else head
    return head.strip("-")
