"""What a model has said, without what it only thought, and whether it has said anything."""

from __future__ import annotations

import re

# A tag in code marks is one that the answer speaks of.
_THINKING = re.compile(r"(?<!`)<(?P<end>/?)think(?:ing)?\s*>", re.IGNORECASE)
_DECORATION = re.compile(r"[\s*_`~>#\[\](){}⚠❌🚫\ufe0f\u200b\ufeff]+")
_LONGEST_ERROR = 400  # characters
_ERROR = re.compile(
    r"""
    (?:[\w./:-]+\s)?(?:(?:api|http|server|internal|network|connection|timeout|fatal|unexpected)\s)*
        error(?:\s(?:code|status))?(?:\s*\(?\d{3}\)?)?\s*[:\-–—]
    | error\s(?:calling|querying|generating|fetching|from|in\sstage|while|during|occurred)\b
    | (?:an|unexpected|internal)\s(?:\w+\s)?error\s(?:has\s)?occurred\b
    | (?:\w+\.)*\w*(?:Error|Exception):\s
    | (?:unable|failed)\sto\s(?:generate|produce|create|complete|get|obtain|fetch|retrieve|reach|query|respond)\b
    | (?:all|no)\s(?:council\s)?(?:models?|members?|responses?)\s
        (?:failed|responded|received|available|returned|were|could)\b
    | (?:the\s)?(?:model|chairman|council|request|query)\s(?:\S+\s)?
        (?:failed|timed\sout|did\snot\srespond|returned\snothing)\b
    | (?:no|empty)\s(?:response|answer|content|synthesis|output)
        (?:\s(?:received|available|generated|returned|from\b.*))?\W*$
    | request\stimed\sout | timed\sout | rate\slimit\sexceeded
    """,
    re.IGNORECASE | re.VERBOSE,
)


def without_thinking(text: str) -> str:
    """Return a text without its ``<think>`` blocks: closed, nested, cut off, or without their first tag."""
    said: list[str] = []
    depth = position = 0
    for tag in _THINKING.finditer(text):
        if not tag["end"]:
            if depth == 0:
                said.append(text[position : tag.start()])
            depth += 1
        elif depth:
            depth -= 1
        elif position == 0:
            pass  # all before it was thought, its first tag is missing
        else:
            said.append(text[position : tag.start()])
        position = tag.end()
    if depth == 0:
        said.append(text[position:])
    return "".join(said).strip()


def is_answer(text: str | None) -> bool:
    """Return whether something was said, and it is not only the error sentence of a failed model."""
    said = without_thinking(text or "")
    bare = _DECORATION.sub(" ", said).strip()
    if not bare:
        return False
    return len(said) > _LONGEST_ERROR or "\n\n" in said or _ERROR.match(bare) is None
