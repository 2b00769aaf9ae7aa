"""The properties at the top of a note: read with care, changed without touching a line that is not ours.

Six keys are ours. ``date`` and ``council_memory`` are kept true; the others are written when the note is made
and put back only where they are missing or invalid. A value that the user has made more of than one line can
say is theirs: it stays and is named. Only the characters of a value that differs are replaced; the block is
never dumped. What it says afterwards is checked against what it said before, and where that does not come out
as meant, nothing is changed and the block is named.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from council_vault.errors import NoteRefused
from council_vault.notes.text import dominant_newline, with_newlines
from council_vault.notes.yaml_block import entries, spliced
from council_vault.notes.yaml_scalar import one_line, scalar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Merged", "Reading", "body_start", "merge", "read", "scalar", "stamp", "validate", "value"]

OWNED = ("title", "date", "type", "tags", "status", "council_memory")
TYPES = frozenset({"reference", "decision"})
STATUSES = frozenset({"active", "archived", "superseded"})

_LINE_START = r"(?:(?<=\n)|(?<=\r)(?!\n))"
_OPENING = re.compile(r"---[ \t]*(?:\r\n|\n|\r)")
_CLOSING = re.compile(_LINE_START + r"---[ \t]*(?:\r\n|\n|\r|\Z)")
_BLANK_LINE = re.compile(_LINE_START + r"[ \t]*(?:\r\n|\n|\r|\Z)")
_KEY = re.compile(rf"(?:\A|{_LINE_START})[ \t]*(?:\?[ \t]|[^\s#>|*`-][^:\r\n]*:(?:\s|\Z))")
_DAY = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ].*)?")


class Reading(msgspec.Struct, frozen=True):
    """What a note's frontmatter says, or why it cannot be read. Without any, both are ``None``."""

    mapping: Mapping[object, object] | None = None
    problem: str | None = None


class Merged(msgspec.Struct, frozen=True):
    """A note with its frontmatter brought up to date; ``problem`` says why that could not be done."""

    text: str
    problem: str | None = None


class _Block(msgspec.Struct, frozen=True):
    """Where the lines between the delimiters are, where the body begins, and what the lines say."""

    start: int
    end: int
    body: int
    reading: Reading


def read(text: str) -> Reading:
    """Return what the frontmatter of a note (without BOM) says. Never raises."""
    block = _locate(text)
    return block.reading if block else Reading()


def body_start(text: str) -> int:
    """Return the offset of the first line behind the frontmatter, 0 where there is none."""
    block = _locate(text)
    return block.body if block else 0


def stamp(text: str) -> str | None:
    """Return the ``council_memory`` of a note: which memory it belongs to."""
    return value(text, "council_memory")


def value(text: str, key: str) -> str | None:
    """Return the value of a property as text, found as text where the frontmatter cannot be read."""
    block = _locate(text)
    if block is None:
        return None
    if block.reading.mapping is not None:
        found = block.reading.mapping.get(key)
        return None if found is None else str(found)
    line = _line_of(key).search(text[block.start : block.end])
    return line[1] if line else None


def validate(draft: str, also: Sequence[str] = ()) -> None:
    """Check the frontmatter of a note that is about to be written.

    Args:
        draft: the note.
        also: keys that it must have besides ours, whatever their values.

    Raises:
        NoteRefused: it cannot be read, or one of the keys is missing, invalid or there twice; all are named.
    """
    block = _locate(draft)
    if block is None or block.reading.mapping is None:
        problem = block.reading.problem if block else None
        raise _bad_template(problem or "the note does not begin with a block between two lines ---")
    keys = [entry.key for entry in entries(draft[block.start : block.end]) or ()]
    wrong = [
        key
        for key in (*OWNED, *also)
        if keys.count(key) != 1 or (key not in also and not _is_drafted_well(key, block.reading.mapping[key]))
    ]
    if wrong:
        raise _bad_template(f"missing or invalid: {', '.join(wrong)}")


def merge(text: str, draft: str, live: Sequence[str] = ()) -> Merged:
    """Bring the frontmatter of ``text`` up to date with that of a freshly drawn note.

    Args:
        text: the note as it stands, without BOM, with whatever line ends.
        draft: the drawn note, valid by `validate`.
        live: further keys that are kept true, as far as the drawn note has them.
    """
    drawn = _locate(draft)
    if drawn is None or drawn.reading.mapping is None:
        raise ValueError("the draft has no valid frontmatter")
    block = _locate(text)
    newline = dominant_newline(text[: block.body] if block else text)
    if block is None:
        gap = "" if not text or _BLANK_LINE.match(f"\n{text}", 1) else newline
        return Merged(with_newlines(draft[: drawn.body], newline) + gap + text)
    if block.reading.mapping is None:
        return Merged(text, f"the frontmatter cannot be read ({block.reading.problem}), so it stays as it is")
    old, ours = block.reading.mapping, drawn.reading.mapping
    wanted = {key: ours[key] for key in OWNED if not _is_right(key, old, ours[key])}
    theirs = _says_more(text[block.start : block.end], old, wanted)
    wanted |= {key: ours[key] for key in live if key in ours and not _says(key, old, ours[key])}
    problem = _held(theirs, wanted) if theirs else None
    wanted = {key: value for key, value in wanted.items() if key not in theirs}
    if not wanted:
        return Merged(text, problem)
    order = (*OWNED[:-1], *live, OWNED[-1])
    new = spliced(text[block.start : block.end], draft[drawn.start : drawn.end], wanted, order, newline)
    if new is None or _fingerprint(_parse(new).mapping) != _fingerprint(dict(old) | wanted):
        return Merged(text, _by_hand(wanted))
    return Merged(text[: block.start] + new + text[block.end :], problem)


@cache
def _line_of(key: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?:\A|{_LINE_START})[ \t]*[\"']?{re.escape(key)}[\"']?[ \t]*:[ \t]*[\"']?([^\s\"'#]+)"
    )


def _locate(text: str) -> _Block | None:
    """Find the block; a note that begins with a horizontal rule has none."""
    opening = _OPENING.match(text)
    if opening is None:
        return None
    start = opening.end()
    closing = _CLOSING.search(text, start)
    if closing is None:
        if not _KEY.match(text[start:]):
            return None
        blank = _BLANK_LINE.search(text, start)
        end = blank.start() if blank else len(text)
        return _Block(
            start, end, end, Reading(problem="it begins in line 1 and never ends: put --- below it")
        )
    inner = text[start : closing.start()]
    reading = _parse(inner)
    if reading.mapping is None and not _KEY.search(inner):
        return None
    return _Block(start, closing.start(), closing.end(), reading)


@lru_cache(maxsize=16)
def _parse(inner: str) -> Reading:
    """Read the lines between the delimiters."""
    import yaml  # noqa: PLC0415 - heavy
    from frontmatter.default_handlers import YAMLHandler  # noqa: PLC0415 - heavy

    try:
        value = YAMLHandler().load(inner, Loader=_loader())
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 2}: " if error.problem_mark else ""
        return Reading(problem=f"{line}{error.problem}")
    except (yaml.YAMLError, RecursionError) as error:
        return Reading(problem=" ".join(str(error).split()))
    if value is None:
        return Reading({})
    return Reading(value) if isinstance(value, dict) else Reading(problem="it is no list of properties")


@cache
def _loader() -> type[Any]:
    """Return PyYAML's safe loader, taking for text what looks like a date or number and is none."""
    import yaml  # noqa: PLC0415 - heavy

    safe: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Lenient(safe):  # type: ignore[misc] # the C loader is there or not
        def construct_lenient(self, node: yaml.ScalarNode) -> object:
            try:
                return yaml.SafeLoader.yaml_constructors[node.tag](self, node)
            except (ValueError, OverflowError, LookupError, AttributeError):  # all of them seen
                return node.value

    for kind in ("timestamp", "int", "float", "bool"):
        Lenient.add_constructor(f"tag:yaml.org,2002:{kind}", Lenient.construct_lenient)
    return Lenient


def _is_right(key: str, old: Mapping[object, object], drawn: object) -> bool:
    """Whether a key of ours may stay as it is; ``drawn`` is the value it has in the draft."""
    if key not in old:
        return False
    value = old[key]
    match key:
        case "date":
            return _day(value) == _day(drawn)
        case "council_memory":
            return str(value) == str(drawn)
        case "title":
            return not isinstance(value, (list, dict)) and value is not None and bool(str(value).strip())
        case "tags":
            return True  # whatever the user has made of them
        case _:
            return isinstance(value, str) and value in (TYPES if key == "type" else STATUSES)


def _says(key: str, old: Mapping[object, object], drawn: object) -> bool:
    """Whether a key says what it should, however that is written."""
    return key in old and (old[key] == drawn or str(old[key]) == str(drawn))


def _says_more(inner: str, old: Mapping[object, object], wanted: Mapping[str, object]) -> list[str]:
    """Return the keys whose values hold more of the user's than one line can say."""
    spanned = {
        entry.key
        for entry in entries(inner) or ()
        if not entry.alias and re.search(r"[\r\n]", inner[entry.value_start : entry.value_end].rstrip())
    }
    return [
        key
        for key in wanted
        if key != "council_memory"
        and (key in spanned or (isinstance(old.get(key), (list, dict)) and bool(old[key])))
    ]


def _is_drafted_well(key: str, value: object) -> bool:
    match key:
        case "date":
            return isinstance(value, date) and not isinstance(value, datetime)
        case "tags":
            return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)
        case "type" | "status":
            return isinstance(value, str) and value in (TYPES if key == "type" else STATUSES)
        case _:
            return isinstance(value, str) and bool(value.strip())


def _day(value: object) -> str | None:
    if isinstance(value, date):
        return value.isoformat()[:10]
    found = _DAY.fullmatch(value.strip()) if isinstance(value, str) else None
    return found[1] if found else None


def _fingerprint(mapping: Mapping[object, object] | None) -> dict[str, str] | None:
    """Return what two mappings must have in common to say the same; NaN counts as equal to itself."""
    return None if mapping is None else {repr(key): repr(value) for key, value in mapping.items()}


def _held(theirs: Sequence[str], wanted: Mapping[str, object]) -> str:
    return "; ".join(
        f"{key} holds more than belongs there, so it stays as it is; "
        f"it should say {key}: {one_line(wanted[key])}"
        for key in theirs
    )


def _by_hand(wanted: Mapping[str, object]) -> str:
    lines = "; ".join(f"{key}: {one_line(value)}" for key, value in wanted.items())
    return f"the frontmatter cannot be changed safely, so it stays as it is; it should say {lines}"


def _bad_template(reason: str) -> NoteRefused:
    return NoteRefused(
        f"the frontmatter that the template makes is not valid: {reason}",
        remedy="Correct the template, writing values as {{ value | yaml }}",
    )
