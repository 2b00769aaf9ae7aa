"""What an agent got wrong in the memory file: how it is built, and whether its parts agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from council_vault.doctor.finding import Finding
from council_vault.doctor.structure import violations
from council_vault.doctor.summing_up import summed_up
from council_vault.learning.checking import check
from council_vault.memory import canonical
from council_vault.memory.migrations import migrate
from council_vault.memory.paths import spelled
from council_vault.memory.schema import CURRENT_VERSION
from council_vault.operations.repairing import mend, plain_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from council_vault.learning.discrepancy import Discrepancy, Level
    from council_vault.memory.file import MemoryContent
    from council_vault.memory.schema import Problem


def examine_content(content: MemoryContent, now: datetime, *, vanished: bool) -> Iterator[Finding]:
    """Find what is wrong in a memory file that can be read; what is alike in many places is summed up.

    A file of a newer version is not held against what this one knows.

    Args:
        content: of the memory file.
        now: an aware time.
        vanished: whether snapshots hold records that the file has lost.
    """
    memory = content.memory
    found = [_problem(problem) for problem in content.problems]
    if memory.version <= CURRENT_VERSION:
        document = migrate(canonical.parse(content.data))
        plain = plain_document(document)
        found += _news(map(_contradiction, check(memory, plain, now, vanished=vanished)), found)
        found += _news(map(_problem, violations(plain)), found)
        if found:
            mended = {one.where for one in mend(document, memory, now, lambda _: vanished)}
            found = [one._replace(repairable=one.mended_with in mended) for one in found]
    return summed_up(map(_finding, found))


class _Found(NamedTuple):
    """A finding in the making.

    ``mended_with`` is the place whose mending mends it, ``remedy`` what to do where nothing does.
    """

    level: Level
    where: str
    what: str
    mended_with: str
    repairable: bool = False
    remedy: str = ""


def _finding(one: _Found) -> Finding:
    what = f"{one.what}. {one.remedy}" if one.remedy and not one.repairable else one.what
    return Finding(one.level, one.where, what, one.repairable)


def _problem(problem: Problem) -> _Found:
    where = problem.where
    return _Found("problem", where, problem.what, mended_with=where, remedy="Correct it there")


def _contradiction(one: Discrepancy) -> _Found:
    """Rules that contradict something are mended together."""
    whole = one.path[:2] if one.path[0] == "routing_model" else one.path
    return _Found(one.level, spelled(one.path), one.what, spelled(whole))


def _news(found: Iterable[_Found], known: Iterable[_Found]) -> list[_Found]:
    """Return what is at places of which nothing has been said yet."""
    places = {one.where for one in known}
    return [one for one in found if one.where not in places]
