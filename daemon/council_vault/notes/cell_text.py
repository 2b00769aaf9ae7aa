"""Any text as the text of one table cell: short, on one line, and with nothing live in it.

Live is what Obsidian, its plugins or a Markdown renderer would act on, in the raw text as well as in what is
shown: links, embeds, comments, inline fields, tags, block ids, HTML, Templater commands, code, mathematics,
emphasis.
"""

from __future__ import annotations

import re

LONGEST_CELL = 80  # characters shown
LONGEST_RUN = 16  # characters that a line cannot be broken in
UNKNOWN = "—"

_LINE_END = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_SPACES = re.compile(r"[\s\x1f]+")
_SURROGATES = re.compile("[\ud800-\udfff]")
# Words that need no work at all: most texts are made of these alone.
_HARMLESS = re.compile(r"(?:[A-Za-z0-9(][A-Za-z0-9,.?!;'()/-]{0,14}+:?(?: (?=[A-Za-z0-9(])|$))++")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)

_BLOCK_START = re.compile(r"[ \t]*(?:>[ \t]?)*[ \t]*(?:[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)?")
_DECORATION = re.compile(
    r"`+|~{3,}"  # code
    r"|(?<!\S)#{1,6}(?=\s|$)"  # headings, closing marks too
    r"|(?<!\S)(?:-{3,}|={3,}|\*{3,}|_{3,})(?!\S)"  # rules and underlined headings
)
_WIKILINK = re.compile(r"!?\[\[([^\[\]|\n]*)(?:\\?\|([^\[\]\n]*))?\]\]")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\((?:[^()\n]|\([^()\n]*\))*\)")
_EMPHASIS = re.compile(
    r"(?<![^\s(\[{\"'“‘«—–])(?P<mark>\*{1,3}|_{1,3}|~~|==)(?=[^\s*_~=])"
    r"(?P<text>[^\n]*?[^\s*_~=])(?P=mark)(?![\w*_~=])"
)
# Lines break after hyphens and dashes, and anywhere in scripts that are written without spaces.
_BREAKABLE = (
    r"\s\-‐–—\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
    r"\u2600-\u27bf\u200d\ufe0f\U0001f000-\U0001faff\U00020000-\U0003ffff\U000e0000-\U000e007f"
)
_UNBREAKABLE = re.compile(f"[^{_BREAKABLE}]{{{LONGEST_RUN + 1},}}")

_LIVE = re.compile(
    r"\\(?=\||$)|\\(?=[!-/:-@\[-`{-~])"
    r"|(?<=[%:])[%:]"
    r"|(?<=council-vault):|:(?=//)"
    r"|[|<\[`$]"
    r"|&(?=#?\w+;)"
    r"|\#(?!\d+(?![\w/-]))(?=\S)"
    r"|\^(?=\w)"
    r"|(?<![^\W_])_|_(?![^\W_])"
    r"|\*|~|(?<==)="
)
_ENTITIES = {
    "<": "&lt;",
    "&": "&amp;",
    "%": "&#37;",
    ":": "&#58;",
    "#": "&#35;",
    "^": "&#94;",
    "`": "&#96;",
    "=": "&#61;",
}
_SHOWN = re.compile(r"\\([!-/:-@\[-`{-~])|(&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);)")


def cell_text(text: str, limit: int = LONGEST_CELL) -> str:
    """Return the raw Markdown of a cell that shows at most ``limit`` characters of ``text``.

    Decoration (headings, emphasis, code marks, bullets, links) goes, and runs of more than 16 unbreakable
    characters are cut.
    """
    if len(text) <= limit and _HARMLESS.fullmatch(text):
        return text
    # Far more than can be shown, so that a text of any length costs the same.
    words = undecorated(text[: 16 * (limit + 64)])
    shortened = _UNBREAKABLE.sub(lambda run: cut(run[0], LONGEST_RUN), words)
    return escape(cut(shortened, limit))


def undecorated(text: str) -> str:
    """Return ``text`` on one line, without Markdown's decoration and characters that cannot be seen."""
    visible = _INVISIBLE.sub("", _SURROGATES.sub("\ufffd", text))
    lines = (_BLOCK_START.sub("", line, count=1) for line in _LINE_END.split(visible))
    line = _DECORATION.sub("", "\n".join(lines))
    line = _WIKILINK.sub(lambda link: link[2] or link[1], line)
    line = _LINK.sub(r"\1", line)
    bare = _EMPHASIS.sub(r"\g<text>", line)
    while bare != line:
        line, bare = bare, _EMPHASIS.sub(r"\g<text>", bare)
    return _SPACES.sub(" ", bare).strip()


def cut(text: str, limit: int) -> str:
    """Return at most ``limit`` characters of ``text``, whole graphemes, with ``…`` where it is longer."""
    if len(text) <= limit:
        return text
    if text.isascii():
        kept = text[: limit - 1]
    else:
        import regex  # noqa: PLC0415 - few texts are both long and not ASCII

        kept = ""
        for grapheme in regex.finditer(r"\X", text):
            if grapheme.end() >= limit:
                break
            kept = text[: grapheme.end()]
    return kept.rstrip() + "…"


def escape(text: str) -> str:
    """Return the raw Markdown that shows exactly ``text``, one line, with nothing live in it."""
    return _LIVE.sub(_broken, text)


def plain(cell: str) -> str:
    """Return what a cell shows, for comparing: trimmed, unescaped, decoded; ``—`` and ``-`` are empty."""
    shown = cell.strip()
    if "\\" in shown or "&" in shown:
        import html  # noqa: PLC0415 - its table of entities takes more memory than all of our notes

        shown = _SHOWN.sub(lambda match: match[1] or html.unescape(match[2]), shown).strip()
    return "" if shown in {UNKNOWN, "-"} else shown


def is_empty_cell(cell: str) -> bool:
    """Whether a cell says nothing: empty, ``—`` or ``-``."""
    return not plain(cell)


def _broken(match: re.Match[str]) -> str:
    mark, text = match[0], match.string
    if mark in _ENTITIES:
        return _ENTITIES[mark]
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    if mark == "\\":
        # Before a cell's end a backslash would escape the pipe.
        return "&#92;" if after in {"", "|"} else "\\\\"
    stands_alone = before in {"", " "} and after in {"", " "}
    if mark in {"*", "_"} and stands_alone:
        return mark
    if mark == "~" and (stands_alone or text.count("~") == 1):
        return mark
    return "\\" + mark
