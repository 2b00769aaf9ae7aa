"""What a note says without its comments: ``%% … %%``, over several lines too, and those of HTML."""

from __future__ import annotations

import re

from council_vault.notes.markdown import Scanner, lines

# Code and escapes are passed over; what opens a comment is one of the last two.
_TOKEN = re.compile(r"(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)|\\[!-/:-@\[-`{-~]|%%|<!--")
_CLOSING = {"%%": "%%", "<!--": "-->"}
_SHOWN = re.compile(r"[^\r\n]")


def without_comments(text: str) -> str:
    """Return the text with spaces where its comments are: every line and every offset stays.

    In code nothing is a comment. One that is never closed goes on to the end.
    """
    scanner = Scanner()
    shown: list[str] = []
    closing = ""
    is_block = False  # a comment of HTML that the scanner has seen begin, and must see end
    for raw in lines(text):
        if closing and not is_block:
            rest, closing = _line(raw, closing)
            scanner.line(rest)
        else:
            line = scanner.line(raw)
            is_block = line.state == "comment"
            rest, closing = (raw, "") if line.state in {"fence", "code"} else _line(raw, closing)
        shown.append(rest)
    return "".join(shown)


def _line(raw: str, closing: str) -> tuple[str, str]:
    """Return a line without its comments, and what closes the one that is open at its end."""
    pieces: list[str] = []
    done = 0
    while True:
        start = done
        if not closing:
            opening = next((token for token in _TOKEN.finditer(raw, done) if token[0] in _CLOSING), None)
            if opening is None:
                return "".join((*pieces, raw[done:])), ""
            pieces.append(raw[done : opening.start()])
            start, done, closing = opening.start(), opening.end(), _CLOSING[opening[0]]
        end = raw.find(closing, done)
        if end < 0:
            return "".join((*pieces, _blank(raw[start:]))), closing
        done = end + len(closing)
        closing = ""
        pieces.append(_blank(raw[start:done]))


def _blank(text: str) -> str:
    return _SHOWN.sub(" ", text)
