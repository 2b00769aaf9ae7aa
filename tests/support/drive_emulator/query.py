"""The language of ``q``: text in, a predicate over items out.

``name =`` takes no regard of case, ``contains`` goes by the beginnings of words, and ``and`` and ``or`` are
taken from left to right with equal rank. What the grammar does not know is refused with 400, so that a query
that real Drive refuses cannot pass here.
"""

from __future__ import annotations

import operator
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from support.drive_emulator.replies import file_not_found, invalid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.drive_emulator.items import Item
    from support.drive_emulator.store import Store

    Predicate = Callable[[Item], bool]

TOKEN = re.compile(
    r"""\s*(?:
        (?P<string>'(?:[^'\\]|\\['\\])*')
      | (?P<compare><=|>=|!=|=|<|>)
      | (?P<paren>[()])
      | (?P<word>[A-Za-z][A-Za-z.]*)
    )""",
    re.VERBOSE,
)
ORDER = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
}


class Token(NamedTuple):
    kind: str
    text: str


class Query:
    """A query that was understood.

    ``matches`` says whether an item is meant; ``folders`` are the ids that ``in parents`` names.
    """

    def __init__(self, text: str, store: Store) -> None:
        self._store = store
        self._tokens = list(_tokens(text))
        self._place = 0
        self.folders: list[str] = []
        self.matches = self._sequence() if self._tokens else lambda _: True
        if self._place != len(self._tokens):
            raise invalid("q")

    # Grammar

    def _sequence(self) -> Predicate:
        left = self._negation()
        while (word := self._word()) in {"and", "or"}:
            self._place += 1
            left = _joined(word, left, self._negation())
        return left

    def _negation(self) -> Predicate:
        if self._word() == "not":
            self._place += 1
            inner = self._negation()
            return lambda item: not inner(item)
        if self._peek() == Token("paren", "("):
            self._place += 1
            inner = self._sequence()
            if self._next("paren") != ")":
                raise invalid("q")
            return inner
        return self._term()

    def _term(self) -> Predicate:
        if self._peek().kind == "string":
            value = self._string()
            if self._next("word") != "in":
                raise invalid("q")
            return self._collection(self._next("word"), value)
        term = self._next("word")
        if term in {"trashed", "starred", "sharedWithMe"}:
            return self._flag(term)
        if term in {"name", "mimeType", "shortcutDetails.targetId"}:
            return self._text(term)
        if term in {"modifiedTime", "createdTime"}:
            return self._time(term)
        raise invalid("q")

    # Terms

    def _collection(self, collection: str, value: str) -> Predicate:
        if collection == "parents":
            folder = self._store.root if value == "root" else value
            self.folders.append(folder)
            if folder not in self._store.items:
                raise file_not_found("")
            return lambda item: item.parent == folder
        if collection in {"owners", "writers", "readers"}:
            mine = value in {"me", "ada@example.com"}
            return lambda item: mine and (collection != "owners" or item.drive is None)
        raise invalid("q")

    def _flag(self, term: str) -> Predicate:
        compare = self._next("compare")
        value = self._next("word")
        if compare not in {"=", "!="} or value not in {"true", "false"}:
            raise invalid("q")
        wanted = (value == "true") == (compare == "=")
        if term == "trashed":
            return lambda item: self._store.trashed(item) == wanted
        if term == "starred":
            return lambda item: item.starred == wanted
        return lambda _: not wanted

    def _text(self, term: str) -> Predicate:
        read: Callable[[Item], str] = {
            "name": lambda item: item.name.casefold(),
            "mimeType": lambda item: item.mime_type,
            "shortcutDetails.targetId": lambda item: item.target or "",
        }[term]
        token = self._peek()
        self._place += 1
        value = self._string()
        if term == "name":
            value = value.casefold()
        if token == Token("word", "contains") and term == "name":
            return lambda item: _begins_words(read(item), value)
        if token == Token("word", "contains") and term == "mimeType":
            return lambda item: read(item).startswith(value)
        if token == Token("compare", "="):
            return lambda item: read(item) == value
        if token == Token("compare", "!="):
            return lambda item: read(item) != value
        raise invalid("q")

    def _time(self, term: str) -> Predicate:
        compare = ORDER[self._next("compare")]
        try:
            moment = datetime.fromisoformat(self._string())
        except ValueError:
            raise invalid("q") from None
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        field = "modified" if term == "modifiedTime" else "created"
        return lambda item: compare(getattr(item, field), seconds)

    # Tokens

    def _peek(self) -> Token:
        if self._place >= len(self._tokens):
            raise invalid("q")
        return self._tokens[self._place]

    def _word(self) -> str:
        at_end = self._place >= len(self._tokens)
        return "" if at_end or self._peek().kind != "word" else self._peek().text

    def _next(self, kind: str) -> str:
        token = self._peek()
        if token.kind != kind:
            raise invalid("q")
        self._place += 1
        return token.text

    def _string(self) -> str:
        return re.sub(r"\\(.)", r"\1", self._next("string")[1:-1])


def _tokens(text: str) -> Iterator[Token]:
    place = 0
    text = text.rstrip()
    while place < len(text):
        found = TOKEN.match(text, place)
        if found is None:
            raise invalid("q")
        yield Token(str(found.lastgroup), str(found[str(found.lastgroup)]))
        place = found.end()


def _joined(word: str, left: Predicate, right: Predicate) -> Predicate:
    if word == "and":
        return lambda item: left(item) and right(item)
    return lambda item: left(item) or right(item)


def _begins_words(name: str, wanted: str) -> bool:
    """Say whether each wanted word begins a word of the name."""
    words = re.findall(r"\w+", name)
    return all(any(word.startswith(part) for word in words) for part in re.findall(r"\w+", wanted))
