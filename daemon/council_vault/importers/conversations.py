"""Conversation files: ``{id, created_at, title, messages}``, several deliberations to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from council_vault.importers.council_run import CouncilRun
from council_vault.importers.identifying import standing_for_query, time_in
from council_vault.importers.stages import (
    Object,
    first,
    has_answers,
    holder_of_stages,
    objects,
    read_stages,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEEPEST = 3  # levels below `messages` at which a message is looked for
_ASKING = ("user", "human")


class _Question(NamedTuple):
    """What was asked, when if the message says so, and whether somebody has answered."""

    content: str
    time: object
    answered: bool = False


def conversation_in(document: Object) -> Object | None:
    """Return the conversation: the document itself, or one a level deeper with what stands around it."""
    if _has_messages(document):
        return document
    inner = next((one for one in document.values() if _has_messages(one)), None)
    return None if inner is None else {**document, **inner}


def runs_in_conversation(conversation: Object) -> Iterator[CouncilRun]:
    """Yield the deliberations of a conversation, questions that got no answer included.

    The conversation's time is that of each deliberation whose messages have none of their own; its title is
    that of the first.
    """
    title = text(conversation.get("title"))
    asked: _Question | None = None
    for message in _messages(conversation["messages"], _DEEPEST):
        stages = holder_of_stages(message)
        if stages is not None:
            query = asked.content if asked else standing_for_query(conversation)
            own_time = (asked and asked.time) or time_in(message)
            yield read_stages(stages, query=query, title=title, timestamp=own_time or time_in(conversation))
            title = ""
            asked = asked and asked._replace(answered=True)
        elif message.get("role") in _ASKING:
            yield from _unanswered(asked)
            asked = _Question(_content(message.get("content")), time_in(message))
    yield from _unanswered(asked)


def _unanswered(asked: _Question | None) -> Iterator[CouncilRun]:
    if asked is not None and not asked.answered:
        yield CouncilRun(asked.content, "", asked.time, ())


def _has_messages(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("messages"), (list, dict))


def _messages(value: object, depth: int) -> Iterator[Object]:
    """Yield the messages in a list, also where they are wrapped in lists and objects."""
    if isinstance(value, dict) and ("role" in value or has_answers(value)):
        yield value
    elif depth and isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _messages(inner, depth - 1)


def _content(value: object) -> str:
    """Return the text of a message, which may be an object, or a list of parts."""
    if isinstance(value, dict):
        value = first(value, ("text", "content"))
    if isinstance(value, str):
        return value
    return "\n".join(part["text"] for part in objects(value) if isinstance(part.get("text"), str))
