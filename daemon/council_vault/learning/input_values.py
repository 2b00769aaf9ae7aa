"""Values that a caller gave as JSON: each is read, or refused with an error that names its field.

An error can end up in a log. It shows numbers and single words, and never a text: that could be the query or
an answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TypeVar

from council_vault.errors import InputError
from council_vault.learning.words import words
from council_vault.memory.numbers import number_in
from council_vault.memory.times import moment
from council_vault.memory.vocabulary import as_meant

Value = TypeVar("Value")
Reader = Callable[[object, str], Value]
"""Takes a value and the name of its field; raises `InputError` for what it cannot read."""

_LONGEST_ID = 200
_SENTENCE = 3  # words; a key of so many may be a text in the wrong place
_FIRST_TIME = datetime(2000, 1, 1, tzinfo=UTC)
_SINGLE_WORD = re.compile(r"[\w.,+$%/-]{1,24}")


def refused(expected: str, value: object, where: str) -> InputError:
    """Return the error for a value that is not what was expected there."""
    return InputError(f"expected {expected}, got {_kind(value)}", where=where)


def named(where: str, key: str) -> str:
    """Return the path of an object's member, such as ``rankings["openai/gpt-4o"]``."""
    return f"{where}[{shown_key(key)}]"


def shown_key(key: str) -> str:
    """Return an object's key as JSON, and only ``…`` where it may be a text."""
    plain = _is_id(key) and len(key.split()) < _SENTENCE and (key.isascii() or not _is_sentence(key))
    return json.dumps(key, ensure_ascii=False) if plain else "…"


def number(low: float, high: float, expected: str) -> Reader[float]:
    """Make a reader of numbers from ``low`` to ``high``, both included; text such as ``"$0.09"`` counts."""

    def read(value: object, where: str) -> float:
        given = number_in(value)
        if given is None or not low <= given <= high:
            raise refused(expected, value, where)
        return given + 0.0  # never -0.0

    return read


def word(known: tuple[str, ...]) -> Reader[str]:
    """Make a reader of one of some words; case, hyphens and spaces make no difference."""
    expected = f"{', '.join(known[:-1])} or {known[-1]}"

    def read(value: object, where: str) -> str:
        given = as_meant(value, known) if isinstance(value, str) else None
        if given is None:
            raise refused(expected, value, where)
        return given

    return read


def text(value: object, where: str) -> str:
    """Read any text."""
    if not isinstance(value, str):
        raise refused("text", value, where)
    return value


def members_of(value: object, where: str) -> dict[str, object]:
    """Read an object."""
    if not isinstance(value, dict):
        raise refused("an object", value, where)
    return value


def flag(value: object, where: str) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise refused("true or false", value, where)
    return value


def model_id(value: object, where: str) -> str:
    """Read a model's id: at most 200 printable characters, without the space around them."""
    given = value.strip() if isinstance(value, str) else ""
    if not _is_id(given):
        raise refused(f"a model id of 1 to {_LONGEST_ID} printable characters", value, where)
    return given


def time(value: object, where: str) -> datetime:
    """Read a time since 2000 in any of the forms that memory files have; without a zone it is UTC."""
    when = moment(value)
    if when is None or when < _FIRST_TIME:
        raise refused('a time such as "2026-03-28T14:30:00Z"', value, where)
    return when


def _is_id(given: str) -> bool:
    return 0 < len(given) <= _LONGEST_ID and given.isprintable()


def _kind(value: object) -> str:
    match value:
        case None | bool():
            return json.dumps(value)
        case int() | float():
            return _shown(value)
        case str() if not value.strip():
            return "empty text"
        case str():
            single = _SINGLE_WORD.fullmatch(value) and not _is_sentence(value)
            return json.dumps(value, ensure_ascii=False) if single else "other text"
        case list():
            return "a list" if value else "an empty list"
        case _:
            return "an object" if value else "an empty object"


def _is_sentence(given: str) -> bool:
    """Whether a text without spaces says something: in a script that has none, or with hyphens."""
    return sum(not word.isdecimal() for word in words(given)) >= _SENTENCE


def _shown(given: float) -> str:
    number = number_in(given)
    return "a number that is not finite" if number is None else f"{number:.10g}"


class Reading:
    """Reads fields one by one, and keeps what is wrong with any of them until all are read."""

    def __init__(self) -> None:
        self._wrong: list[InputError] = []

    def field(self, values: Mapping[str, object], name: str, reader: Reader[Value]) -> Value | None:
        """Read a field, ``None`` where it is missing, ``null`` or wrong."""
        return self._read(values.get(name), name, reader)

    def required(self, values: Mapping[str, object], name: str, reader: Reader[Value]) -> Value | None:
        """Read a field that must be there."""
        if values.get(name) is None:
            self.wrong("required, but missing", name)
        return self.field(values, name, reader)

    def by_model(
        self, values: Mapping[str, object], name: str, reader: Reader[Value]
    ) -> dict[str, Value | None]:
        """Read an object whose keys are models; ``None`` where a value is ``null`` or wrong."""
        members = self.field(values, name, members_of) or {}
        result: dict[str, Value | None] = {}
        for key, value in members.items():
            where = named(name, key)
            model = self._read(key, where, model_id)
            if model in result:
                self.wrong("stands twice", where)
            elif model is not None:
                result[model] = self._read(value, where, reader)
        return result

    def _read(self, value: object, where: str, reader: Reader[Value]) -> Value | None:
        if value is None:
            return None
        try:
            return reader(value, where)
        except InputError as error:
            self._wrong.append(error)
            return None

    def wrong(self, what: str, where: str, remedy: str = "") -> None:
        """Note that a field is wrong for what the others say."""
        self._wrong.append(InputError(what, where=where, remedy=remedy))

    def finish(self) -> None:
        """Raise what was wrong, if anything was.

        Raises:
            InputError: ``where`` is the first wrong field; ``what`` names the others too.
        """
        if self._wrong:
            first, *others = self._wrong
            what = "; ".join([first.what, *(f"{error.where}: {error.what}" for error in others)])
            remedy = next((error.remedy for error in self._wrong if error.remedy), "")
            raise InputError(what, where=first.where, remedy=remedy)
