"""Whole notes from Jinja templates: the built-in ones, or the user's own of the same file names.

Templates run in Jinja's sandbox and see data only as variables. A template of the user's that is broken is
named with its line, and the built-in one is used instead, so that a typing mistake never stops a sync.
"""

from __future__ import annotations

import traceback
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from council_vault.errors import NoteRefused
from council_vault.notes import frontmatter
from council_vault.notes.kinds import (
    COUNCIL_ID,
    DECISION_ID,
    DECISION_KEYS,
    END_MARKER,
    FILE_NAMES,
    begin_marker,
)
from council_vault.notes.regions import find_region
from council_vault.notes.tables import quote, table
from council_vault.shipped import shipped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Environment, Template
    from jinja2.runtime import Context

    from council_vault.notes.kinds import TemplateKind

_MOST_STEPS = 100_000  # of all ranges in one rendering together
_MOST_CHARACTERS = 5_000_000
_LARGEST_EXPONENT = 64
_RATED_KEYS = ("rating", COUNCIL_ID)
_WRONG_CODE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


NO_FOLDER = "notes.templates names no folder, so that the built-in templates are used. Correct the setting"


class Templates:
    """The templates in use.

    Args:
        user_folder: where the user keeps templates of their own, if anywhere.
    """

    def __init__(self, user_folder: Path | None) -> None:
        self._user_folder = user_folder
        self._user_environment: Environment | None = None
        self._problems: dict[TemplateKind, str] = {}

    @property
    def problems(self) -> list[str]:
        """What was wrong with the user's templates when they were last used, each with file and line."""
        return list(dict.fromkeys(self._problems.values()))

    def render(self, kind: TemplateKind, variables: Mapping[str, object]) -> str:
        """Return the note that the template of this kind makes of the variables."""
        self._problems.pop(kind, None)
        name = f"{FILE_NAMES[kind]}.md.j2"
        own = None if self._user_folder is None else self._own(self._user_folder, kind, name, variables)
        return _built_in().get_template(name).render(variables) if own is None else own

    def _own(
        self, folder: Path, kind: TemplateKind, name: str, variables: Mapping[str, object]
    ) -> str | None:
        """Render the user's template; ``None`` if there is none or it is broken, with the problem noted."""
        from jinja2 import TemplateError, TemplateSyntaxError  # noqa: PLC0415 - heavy

        path = folder / name
        if not folder.is_dir():
            self._problems[kind] = f"{folder}: {NO_FOLDER}"
            return None
        if self._user_environment is None:
            self._user_environment = _environment(folder, shipped("templates"))
        try:
            if name not in {entry.name for entry in folder.iterdir()}:
                return None
            self._user_environment.globals["range"] = _Steps()
            text = _bounded(self._user_environment.get_template(name), variables)
            _check(kind, text, variables)
        except TemplateSyntaxError as error:
            problem = f"{error.filename or path}:{error.lineno}: {error.message}"
        except (TemplateError, *_WRONG_CODE) as error:
            problem = f"{_place(error, folder) or path}: {error}"
        except NoteRefused as error:
            problem = f"{path}: {error}"
        except OSError as error:
            problem = f"{path}: {error.strerror}"
        else:
            return text
        self._problems[kind] = f"{problem.rstrip('.')}. The built-in template is used until this is corrected"
        return None


class _Steps:
    """The ``range`` of templates: all of one rendering together count, so that nested loops end as well."""

    def __init__(self) -> None:
        self.left = _MOST_STEPS

    def __call__(self, *bounds: int) -> range:
        steps = range(*bounds)
        self.left -= len(steps)
        if self.left < 0:
            raise OverflowError(f"more than {_MOST_STEPS} steps in range()")
        return steps


@lru_cache(maxsize=1)
def _built_in() -> Environment:
    return _environment(shipped("templates"))


def _environment(*folders: Path) -> Environment:
    """Return an environment that looks for templates in these folders, the first one first.

    Nothing is escaped here: what comes from data is safe in Markdown already, and entities would be seen.
    """
    from jinja2 import FileSystemLoader, StrictUndefined  # noqa: PLC0415 - heavy
    from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415 - heavy

    class Sandbox(ImmutableSandboxedEnvironment):
        intercepted_binops = frozenset({"*", "**"})

        def call_binop(self, context: Context, operator: str, left: object, right: object) -> object:
            _refuse_large(operator, left, right)
            return super().call_binop(context, operator, left, right)

    environment = Sandbox(
        loader=FileSystemLoader(folders, encoding="utf-8-sig"),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(yaml=frontmatter.scalar, table=table, quote=quote)
    del environment.globals["lipsum"]
    return environment


def _refuse_large(operator: str, left: object, right: object) -> None:
    """Refuse a product that would fill the memory."""
    if operator == "**":
        if isinstance(right, (int, float)) and abs(right) > _LARGEST_EXPONENT:
            raise OverflowError(f"an exponent above {_LARGEST_EXPONENT}")
        return
    for repeated, times in ((left, right), (right, left)):
        if isinstance(repeated, (str, list, tuple)) and isinstance(times, int):
            _refuse_long(len(repeated) * times)


def _refuse_long(characters: int) -> None:
    if characters > _MOST_CHARACTERS:
        raise OverflowError(f"more than {_MOST_CHARACTERS} characters")


def _bounded(template: Template, variables: Mapping[str, object]) -> str:
    """Render piece by piece, so that a note that never ends is given up."""
    pieces: list[str] = []
    characters = 0
    for piece in template.generate(variables):
        pieces.append(piece)
        characters += len(piece)
        _refuse_long(characters)
    text = "".join(pieces)
    return text if text.endswith("\n") else f"{text}\n"


def _check(kind: TemplateKind, text: str, variables: Mapping[str, object]) -> None:
    """Make sure that what a template made can be kept as a note.

    Raises:
        NoteRefused: its properties are no valid YAML, a record of a decision would not be known again, or the
            region of any other note is not marked once, in order and in plain view.
    """
    if kind == "decision":
        frontmatter.validate(text, DECISION_KEYS)
        if frontmatter.value(text, DECISION_ID) != variables[DECISION_ID]:
            raise NoteRefused(f"the property {DECISION_ID} must say which deliberation the record is of")
        return
    frontmatter.validate(text, _RATED_KEYS if kind == "record" else ())
    if kind == "record" and frontmatter.value(text, COUNCIL_ID) != variables[COUNCIL_ID]:
        raise NoteRefused(f"the property {COUNCIL_ID} must say which record the note is on")
    lines = text.split("\n")
    for marker in (begin_marker(kind), END_MARKER):
        if lines.count(marker) != 1:
            raise NoteRefused(
                f"the line {marker!r} must be there once, it is there {lines.count(marker)} times"
            )
    if lines.index(begin_marker(kind)) > lines.index(END_MARKER):
        raise NoteRefused("the region ends before it begins")
    try:
        hidden = find_region(text, kind, frontmatter.body_start(text)) is None
    except NoteRefused:
        hidden = True
    if hidden:
        raise NoteRefused("the region begins or ends in code, a comment, a callout or a list")


def _place(error: BaseException, folder: Path) -> str | None:
    """Return file and line of the template that an error came from."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(folder)
    ]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else None
