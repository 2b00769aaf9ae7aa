"""How a drawn note and the one in the vault become one: ours rewritten, every byte of the user's kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from council_vault.errors import NoteRefused
from council_vault.notes import frontmatter
from council_vault.notes.markdown import lines, scan
from council_vault.notes.normal_form import is_delimiter_row, normal_line, same, units
from council_vault.notes.ownership import blocks, user_text
from council_vault.notes.regions import find_region
from council_vault.notes.text import NoteText, decode, with_newlines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from council_vault.notes.kinds import NoteKind
    from council_vault.notes.markdown import Line
    from council_vault.notes.ownership import Block
    from council_vault.notes.regions import Region

_HEADING = re.compile(r" (#+) ")  # in normal form, and in no quote or list
FOLD_TITLE = "> [!note]- What stood here before"


class MergedNote(msgspec.Struct, frozen=True):
    """A note as it should stand in the vault.

    ``region`` is the text from the begin marker to the end marker as it now stands; ``problems`` names what
    had to be left as it was.
    """

    text: NoteText
    region: str
    problems: tuple[str, ...] = ()


class _Draft(msgspec.Struct, frozen=True):
    """A drawn note in its parts: its body, and in there the two markers and what is between them."""

    body: str
    begin: str
    inside: str
    end: str

    @property
    def region(self) -> str:
        return self.begin + self.inside + self.end

    @classmethod
    def of(cls, draft: str, kind: NoteKind, newline: str) -> _Draft:
        """Take a valid draft apart, with the line ends of the note that it goes into."""
        text = with_newlines(draft, newline)
        start = frontmatter.body_start(text)
        region = find_region(text, kind, start)
        if region is None:
            raise NoteRefused(
                "the note that the template makes has no region for what is rewritten",
                remedy=f"Put the two marker lines of the built-in template for {kind} into your own",
            )
        return cls(
            body=text[start:],
            begin=text[region.start : region.inside],
            inside=newline + text[region.inside : region.close].strip("\r\n") + newline * 2,
            end=text[region.close : region.end].rstrip("\r\n") + newline,
        )


def merge_note(
    draft: str,
    current: bytes | None,
    *,
    kind: NoteKind,
    written_region: str | None,
    live: Sequence[str] = (),
) -> MergedNote:
    r"""Merge a drawn note into the one that stands in the vault.

    Text outside the region is never changed. The region is rewritten only where it differs in more than
    formatters change; what the user wrote inside moves below it. A note without a region gets one.

    Args:
        draft: the whole note as drawn, with ``"\n"``.
        current: what stands in the vault, ``None`` where there is no note.
        kind: which note this is.
        written_region: the region as this program last wrote it, ``None`` if that is not known.
        live: properties that are kept true besides those of every note.

    Raises:
        NoteRefused: the note in the vault is not UTF-8 text, or its markers do not say what is ours; or the
            draft is not valid.
    """
    frontmatter.validate(draft)
    note = NoteText(draft) if current is None else decode(current)
    drawn = _Draft.of(draft, kind, note.newline)
    start = frontmatter.body_start(note.text)
    region = find_region(note.text, kind, start)
    if region is not None:
        text = _rewritten(note, region, drawn.inside, written_region)
    else:
        text = note.text[:start] + _with_region(note, start, drawn, kind)
    merged = frontmatter.merge(text, draft, live)
    return MergedNote(
        text=NoteText(merged.text, bom=note.bom, newline=note.newline),
        region=_region_of(merged.text, kind),
        problems=() if merged.problem is None else (merged.problem,),
    )


def _region_of(text: str, kind: NoteKind) -> str:
    region = find_region(text, kind, frontmatter.body_start(text))
    if region is None:
        raise NoteRefused(
            "the region would come to stand in a comment or code block, so the note stays as it is",
            remedy="Close the comment (--> or %%) or code block further up",
        )
    return text[region.start : region.end]


def _rewritten(note: NoteText, region: Region, drawn: str, written: str | None) -> str:
    """Return the note with its region brought up to date, and the user's lines in it moved below."""
    inside = note.text[region.inside : region.close]
    if same(inside, drawn):
        return note.text
    untouched = written == note.text[region.start : region.end]
    moved = [] if untouched else user_text(inside, drawn, written)
    above = note.text[: region.inside] + drawn + note.text[region.close : region.end]
    below = note.text[region.end :]
    return _stacked([above, *moved, below], note.newline) if moved else above + below


def _with_region(note: NoteText, start: int, drawn: _Draft, kind: NoteKind) -> str:
    """Return the body of a note that had no region: with one put in, or taken over."""
    body = note.text[start:]
    stamped = frontmatter.stamp(note.text) is not None
    if stamped or (kind == "log" and body.strip()):
        place = _place(body, kind)
        before = body[:place] or note.newline * bool(start)
        return _stacked([before, drawn.region, body[place:]], note.newline)
    if set(map(normal_line, scan(lines(body)))) <= set(map(normal_line, scan(lines(drawn.body)))):
        return drawn.body
    return _stacked([drawn.body.rstrip("\r\n") + note.newline, _folded(body, note.newline)], note.newline)


def _place(body: str, kind: NoteKind) -> int:
    """Return the offset where a region goes in: above a log's first table, below the title, or on top."""
    scanned = scan(lines(body))
    if kind == "log":
        for block in blocks(scanned):
            if _holds_table(scanned, block):
                return _offset(scanned, block.span.start)
    for number, unit in enumerate(units(scanned)):
        title = _HEADING.match(unit.text)
        if title and (number == 0 or title[1] == "#"):
            return _offset(scanned, unit.last + 1)
    return 0


def _holds_table(scanned: Sequence[Line], block: Block) -> bool:
    first = scanned[block.span.start]
    return first.content.lstrip().startswith("<details") or any(
        scanned[index].state == "text" and is_delimiter_row(scanned[index].content) for index in block.span
    )


def _offset(scanned: Sequence[Line], index: int) -> int:
    return sum(len(line.raw) for line in scanned[:index])


def _folded(body: str, newline: str) -> str:
    """Return a body as one folded callout."""
    old = [line.rstrip("\r\n") for line in lines(body.strip("\r\n"))]
    quoted = (f"> {line}" if line.strip() else ">" for line in old)
    return newline.join((FOLD_TITLE, ">", *quoted, ""))


def _stacked(parts: Sequence[str], newline: str) -> str:
    """Put texts below each other, at least one blank line between them, each as it is."""
    text = ""
    for part in parts:
        if text.strip() and part:
            text += _gap(text, part, newline)
        text += part
    return text


def _gap(above: str, below: str, newline: str) -> str:
    """Return what is missing between two texts to make them stand apart by a blank line."""
    ended = above.endswith(("\n", "\r"))
    blank = not lines(above)[-1].strip() or below.lstrip(" \t").startswith(("\n", "\r"))
    return newline * ((not ended) + (not blank))
