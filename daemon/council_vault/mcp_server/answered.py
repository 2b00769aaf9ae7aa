"""What a client has asked for is answered, even if it asks no more and closes its end.

By itself the SDK drops what is under way as soon as nothing more can come, as after
``council-vault mcp < requests``.
"""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.shared._stream_protocols import ReadStream, WriteStream

Received: TypeAlias = "SessionMessage | Exception"

_CANCELLED = "notifications/cancelled"  # a request that is cancelled gets no answer


class Connection(NamedTuple):
    """What is received from a client, and what is sent to it."""

    received: MemoryObjectReceiveStream[Received]
    sent: MemoryObjectSendStream[SessionMessage]


@asynccontextmanager
async def answered(
    received: ReadStream[Received], sent: WriteStream[SessionMessage], at_end: Callable[[], None]
) -> AsyncIterator[Connection]:
    """Put off the end of what is received until all requests in it are answered.

    Args:
        received: messages of the client.
        sent: messages to it.
        at_end: is called when no more can come.
    """
    waiting: set[str] = set()
    settled = anyio.Condition()
    onwards, requests = anyio.create_memory_object_stream[Received]()
    responses, outwards = anyio.create_memory_object_stream[SessionMessage]()

    async def receive() -> None:
        async with onwards:
            with suppress(anyio.BrokenResourceError):  # nobody wants to hear more
                async for message in received:
                    if request := _asked(message):
                        waiting.add(request)
                    waiting.discard(_withdrawn(message))
                    await onwards.send(message)
            at_end()
            async with settled:
                while waiting:
                    await settled.wait()

    async def send() -> None:
        async with sent, outwards:
            async for message in outwards:
                await sent.send(message)
                waiting.discard(_replied_to(message))
                async with settled:
                    settled.notify_all()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(receive)
        tasks.start_soon(send)
        yield Connection(requests, responses)


def _asked(received: Received) -> str:
    message = received.message if isinstance(received, SessionMessage) else None
    return _key(message.id) if isinstance(message, JSONRPCRequest) else ""


def _withdrawn(received: Received) -> str:
    message = received.message if isinstance(received, SessionMessage) else None
    if isinstance(message, JSONRPCNotification) and message.method == _CANCELLED:
        return _key((message.params or {}).get("requestId"))
    return ""


def _replied_to(sent: SessionMessage) -> str:
    message = sent.message
    return _key(message.id) if isinstance(message, JSONRPCResponse | JSONRPCError) else ""


def _key(request: object) -> str:
    """Return a request's id as a text: clients may quote the number that they have given."""
    return str(request)
