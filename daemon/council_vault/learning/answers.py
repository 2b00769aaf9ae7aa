"""What a model has said, without what it only thought, and whether it has said anything."""

from __future__ import annotations

import re

# A tag in code marks is one that the answer speaks of.
_THINKING = re.compile(r"(?!(?<=`)<[^<>]*>`)<(?P<end>/?)think(?:ing)?\s*>", re.IGNORECASE)
_INVISIBLE = re.compile("[\\s\u200b-\u200f\u2060\ufeff\x00]+")
_DECORATION = re.compile("[\\s*_`~>#\\[\\](){}\"'⚠❌🚫\ufe0f]+")
_LONGEST_ERROR = 600  # characters; what says more is an answer, however it begins
_ERROR = re.compile(
    r"""
    (?:\S+/\S+\s)?(?:(?:api|http|server|internal|network|connection|timeout|fatal|unexpected|unknown)\s)*
        error(?:\s(?:code|status))?(?:\s\d{3})?(?:\s*:|\s[-–—]\s|\W*$)
    | error\s(?:calling|querying|generating|fetching|in\sstage|occurred|from\s\S+/)\b
    | an?\s(?:\w+\s)?error\s(?:has\s)?occurred\b
    | (?:http|api|time|connect|read|rate|auth|bad|service|overload|internal)\w*(?:error|exception)\s?:
    | (?:unable|failed)\sto\s(?:generate|produce|create|complete|get|fetch|retrieve|process|query|reach)
        (?:\s\S+){0,3}?\s(?:synthesis|response|answer|reply|output|content|completion|request|model|api)\b
    | (?:unable|failed)\sto\srespond\b
    | (?:all|no)\s(?:of\sthe\s)?(?:council\s)?(?:models?|members?)\s(?:failed|responded|answered|returned)\b
    | (?:the\s)?(?:model|chairman|council|request)\s(?:\S+\s)?
        (?:failed\sto\srespond|request\sfailed|timed\sout|did\snot\srespond|returned\s(?:nothing|no\b|an\sempty))
    | (?:no|empty)\s(?:response|answer|synthesis|output)s?
        (?:\s(?:was\s|were\s)?(?:received|available|generated|returned|provided)(?:\sfrom\s\S+)?|\sfrom\s\S+)?\W*$
    | (?:request\s)?timed\sout(?:\W*$|\safter\b)
    | (?:rate\slimit|quota)\sexceeded(?:\W*$|\W+(?:please|try|retry|for)\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def without_thinking(text: str) -> str:
    """Return a text without its ``<think>`` blocks, and without space around it.

    A block may hold others, or name the tags: what is left open ends with the last closing tag, and where
    there is none, with the text. A closing tag at first ends what was thought without an opening one.
    """
    said: list[str] = []
    depth = spoken = 0  # open blocks; where what is said goes on
    for tag in _THINKING.finditer(text):
        if not tag["end"]:
            if depth == 0:
                said.append(text[spoken : tag.start()])
            depth += 1
            spoken = len(text)
            continue
        if depth == 0 and spoken:
            said.append(text[spoken : tag.start()])
        depth = max(0, depth - 1)
        spoken = tag.end()
    said.append(text[spoken:])
    return "".join(said).strip()


def is_answer(text: str | None) -> bool:
    """Return whether something was said, and not only the error sentence of a failed model or council."""
    said = without_thinking(text or "")
    if not _INVISIBLE.sub("", said):
        return False
    return len(said) > _LONGEST_ERROR or _ERROR.match(_DECORATION.sub(" ", said).strip()) is None
