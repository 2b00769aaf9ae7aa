"""The routing model made anew from all records, or emptied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from council_vault.errors import CouncilVaultError
from council_vault.learning import stats
from council_vault.learning.compaction import compact
from council_vault.learning.rebuild import routing_model
from council_vault.learning.routing import FIRST_REBUILD, SAMPLES_FOR_A_RULE, Evidence
from council_vault.learning.rules import category_in
from council_vault.memory import canonical
from council_vault.memory.file import MemoryContent
from council_vault.memory.migrations import empty_routing_model
from council_vault.memory.records import object_at, records_in
from council_vault.memory.schema import RoutingModel, RoutingRule
from council_vault.memory.times import stamp
from council_vault.operations.following import Followed, follow, knows_vault

if TYPE_CHECKING:
    from datetime import datetime

    from council_vault.memory.schema import Memory
    from council_vault.workspace import Workspace


class RuleChange(msgspec.Struct, frozen=True, kw_only=True):
    """A category's rule that is another one than before; ``None`` where there is, or was, none."""

    category: str
    before: RoutingRule | None
    after: RoutingRule | None


class Undecided(msgspec.Struct, frozen=True, kw_only=True):
    """A category that has enough records and no rule: how many they are, and what deliberating is worth."""

    samples: int
    value_score: float | None


class RebuildResult(msgspec.Struct, frozen=True, kw_only=True):
    """A routing model made anew, as other programs get it; see `Rebuilt`."""

    routing_model: RoutingModel
    changes: tuple[RuleChange, ...]
    undecided: dict[str, Undecided]
    decisions: stats.Decisions
    compacted: bool


class Rebuilt(msgspec.Struct, frozen=True, kw_only=True):
    """A routing model made anew.

    ``changes`` are the rules that decide otherwise than before. ``undecided`` is what the records say about
    the categories that have enough of them and no rule, ``decisions`` how the router's own decisions have
    turned out. ``compacted`` is whether old records were reduced.
    """

    routing_model: RoutingModel
    changes: tuple[RuleChange, ...] = ()
    undecided: dict[str, Evidence] = {}
    decisions: stats.Decisions = stats.Decisions()
    compacted: bool = False
    followed: Followed = Followed()

    @property
    def result(self) -> RebuildResult:
        """What there is to tell other programs."""
        return RebuildResult(
            routing_model=self.routing_model,
            changes=self.changes,
            undecided={
                category: Undecided(samples=known.samples, value_score=known.score)
                for category, known in self.undecided.items()
            },
            decisions=self.decisions,
            compacted=self.compacted,
        )


def relearn(document: dict[str, Any], workspace: Workspace, now: datetime) -> Rebuilt:
    """Make the rules of a parsed memory file anew, in place, and reduce old records where there are many.

    Raises:
        MemoryUnreadable: what stands in the place of the records is no list.
        WriteFailed: whether there is a vault cannot be read from the state.
    """
    content = MemoryContent(canonical.render(document))
    memory = content.memory
    learned = routing_model(memory, now)
    object_at(document, "routing_model").update(learned)
    compacted = compact(
        records_in(document),
        memory,
        object_at(document, "archived") if "archived" in document else {},
        size=len(content.data),
        keep_pending=knows_vault(workspace, memory),
    )
    if compacted is not None:
        document["deliberations"], document["archived"] = compacted
    after = msgspec.convert(learned, RoutingModel)
    ruled = _by_category(after)
    return Rebuilt(
        routing_model=after,
        changes=tuple(_changes(_by_category(memory.routing_model), ruled)),
        undecided={
            category: known
            for category, known in stats.categories(memory).items()
            if known.samples >= SAMPLES_FOR_A_RULE and category not in ruled
        },
        decisions=stats.decisions(memory),
        compacted=compacted is not None,
    )


def rebuild(workspace: Workspace, now: datetime) -> Rebuilt:
    """Rebuild the routing model now.

    Raises:
        CouncilVaultError: there are too few deliberations to learn from.
        MemoryUnreadable, MemoryReadOnly, FileChanged, WriteFailed, Busy: see `MemoryFile.operate`.
    """
    made: list[Rebuilt] = []  # the last one stands: a change may be made more than once

    def change(document: dict[str, Any], memory: Memory) -> dict[str, Any]:
        if memory.total < FIRST_REBUILD:
            raise _too_few(memory.total, workspace)
        made.append(relearn(document, workspace, now))
        document["last_updated"] = stamp(now)
        return document

    content = workspace.memory_file().operate(change)
    followed = follow(workspace, content, now, after="rebuild-router", due=True)
    return msgspec.structs.replace(made[-1], followed=followed)


def reset(workspace: Workspace, now: datetime) -> Followed | None:
    """Empty the routing model; ``None`` where it is empty already. The records stay.

    Raises:
        MemoryUnreadable, MemoryReadOnly, FileChanged, WriteFailed, Busy: see `MemoryFile.operate`.
    """
    changed = False

    def change(document: dict[str, Any], memory: Memory) -> dict[str, Any] | None:
        nonlocal changed
        changed = memory.routing_model != RoutingModel()
        if not changed:
            return None
        object_at(document, "routing_model").update(empty_routing_model())
        document["last_updated"] = stamp(now)
        return document

    content = workspace.memory_file().operate(change)
    return follow(workspace, content, now, after="reset-router", due=True) if changed else None


def _by_category(model: RoutingModel) -> dict[str, RoutingRule]:
    """Return the rules by what they are for: a category, or a condition that we cannot follow."""
    rules: dict[str, RoutingRule] = {}
    for rule in model.rules:
        rules.setdefault(category_in(rule.condition) or str(rule.condition), rule)
    return rules


def _changes(before: dict[str, RoutingRule], after: dict[str, RoutingRule]) -> list[RuleChange]:
    return [
        RuleChange(category=category, before=before.get(category), after=after.get(category))
        for category in {**after, **before}
        if _decision(before.get(category)) != _decision(after.get(category))
    ]


def _decision(rule: RoutingRule | None) -> tuple[str | None, str | None] | None:
    return None if rule is None else (rule.action, rule.preferred_model)


def _too_few(total: int, workspace: Workspace) -> CouncilVaultError:
    missing = FIRST_REBUILD - total
    have = f"there {'is' if total == 1 else 'are'} {total or 'none'}"
    return CouncilVaultError(
        f"the router learns from {FIRST_REBUILD} deliberations on; {have}, so {missing} more "
        f"{'is' if missing == 1 else 'are'} needed",
        where=workspace.memory_path,
        remedy="Nothing was changed",
    )
