"""The labels under which reviewers saw the answers: ``Response A`` is the first, ``Response AA`` the 27th."""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

WORD = r"(?:response|answer|candidate|option|model)"
_NAME = re.compile(rf"\W*(?:{WORD}[\W_]*)?([a-z]{{1,2}})\W*", re.IGNORECASE)
_LETTERS = string.ascii_uppercase


def label(place: int) -> str:
    """Return the letters of the answer at a place, the first being 0."""
    before, own = divmod(place, len(_LETTERS))
    return (label(before - 1) if before else "") + _LETTERS[own]


def letters_of(name: str) -> str:
    """Return the letters in a label such as ``Response A`` or ``a)``, nothing where it is none."""
    match = _NAME.fullmatch(name)
    return match[1].upper() if match else ""


class Labels:
    """Which model is behind which label.

    Args:
        models: the model of each label; a label may be written with or without its word.
    """

    def __init__(self, models: Mapping[str, str]) -> None:
        self._models = {letters_of(name): model for name, model in models.items()}
        self._names = {model: model for model in self._models.values()}

    @classmethod
    def in_order(cls, models: Iterable[str]) -> Self:
        """Return the labels of answers that were labelled in their order."""
        return cls({label(place): model for place, model in enumerate(models)})

    @property
    def letters(self) -> frozenset[str]:
        """The letters of all labels."""
        return frozenset(self._models)

    def knows(self, name: str) -> bool:
        """Say whether a name is a label that exists."""
        return self.model(name) is not None

    def model(self, name: str) -> str | None:
        """Return the model that a label stands for, or a model's own name; ``None`` where there is none."""
        return self._names.get(name.strip()) or self._models.get(letters_of(name))
