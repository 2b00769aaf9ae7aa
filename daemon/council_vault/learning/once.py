"""Working out once what several notes want to know of one memory."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from council_vault.memory.schema import Memory

Learned = TypeVar("Learned")


def once(learn: Callable[[Memory], Learned]) -> Callable[[Memory], Learned]:
    """Keep what is learned from a memory with it: a memory never changes, and this is all there is to know.

    What is kept must not be changed either. A memory made from another one knows nothing yet.
    """
    name = f"{learn.__module__}.{learn.__qualname__}"

    @functools.wraps(learn)
    def learned(memory: Memory) -> Learned:
        kept = memory.__dict__
        if name not in kept:
            kept[name] = learn(memory)
        return cast("Learned", kept[name])

    return learned
