"""The server: the tools and resources, as the SDK serves them to one client."""

from __future__ import annotations

import json
import logging
import signal
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from mcp import types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from council_vault import __version__
from council_vault.errors import CouncilVaultError, in_words
from council_vault.mcp_server.answered import answered
from council_vault.mcp_server.resources import RESOURCES
from council_vault.mcp_server.schemas import MESSAGES
from council_vault.mcp_server.tools import INSTRUCTIONS, TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server import ServerRequestContext

    from council_vault.mcp_server.calls import Answer
    from council_vault.mcp_server.wire import Wire
    from council_vault.workspace import Workspace

    Context = ServerRequestContext[Any]

NAME = "council-vault"
_AT_ONCE = 8  # calls; further ones wait for their turn
_log = logging.getLogger(__name__)


def serve(open_workspace: Callable[[], Workspace], wire: Wire, at_end: Callable[[], None]) -> None:
    """Serve one client until it has closed its end, or a signal comes, and all that was asked is answered.

    Args:
        open_workspace: returns the workspace, as the settings are at the time; called for each call.
        wire: what is read from the client and written to it.
        at_end: is called when no more can come.
    """
    for chatty in ("asyncio", "mcp"):  # the SDK may show what was asked
        logging.getLogger(chatty).setLevel(logging.WARNING)
    try:
        anyio.run(_serve, _server(open_workspace), wire, at_end)
    except* BrokenPipeError:
        _log.debug("The client has gone.")


async def _serve(server: Server[Any], wire: Wire, at_end: Callable[[], None]) -> None:
    received, sent = anyio.wrap_file(wire.received), anyio.wrap_file(wire.sent)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_on_signal, wire)
        async with (
            stdio_server(received, sent) as (messages, answers),
            answered(messages, answers, at_end) as connection,
        ):
            await server.run(*connection, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _stop_on_signal(wire: Wire) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            wire.stop()


def _server(open_workspace: Callable[[], Workspace]) -> Server[Any]:
    turns = anyio.CapacityLimiter(_AT_ONCE)

    async def in_thread(work: Callable[[], Any]) -> Any:  # noqa: ANN401 - as `run_sync` has it
        # A call that is cancelled gets no answer; what it has begun is done whole all the same.
        return await anyio.to_thread.run_sync(work, limiter=turns)

    async def list_tools(_: Context, _page: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(map(_tool, TOOLS)))

    async def call_tool(_: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        if asked.name not in TOOLS:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {asked.name!r}")
        result: types.CallToolResult = await in_thread(
            partial(_called, open_workspace, asked.name, asked.arguments or {})
        )
        return result

    async def list_resources(
        _: Context, _page: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=list(map(_resource, RESOURCES)))

    async def read_resource(_: Context, asked: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        if asked.uri not in RESOURCES:
            raise MCPError(types.INVALID_PARAMS, f"there is no resource {asked.uri!r}", {"uri": asked.uri})
        result: types.ReadResourceResult = await in_thread(partial(_read, open_workspace, asked.uri))
        return result

    return Server(
        NAME,
        version=__version__,
        title="Council vault",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


def _tool(name: str) -> types.Tool:
    tool = TOOLS[name]
    return types.Tool(
        name=name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.takes,
        output_schema=tool.gives,
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.changes,
            destructive_hint=False,
            idempotent_hint=tool.repeatable,
            open_world_hint=False,
        ),
    )


def _resource(uri: str) -> types.Resource:
    resource = RESOURCES[uri]
    return types.Resource(
        uri=uri,
        name=resource.name,
        title=resource.title,
        description=resource.description,
        mime_type=resource.media_type,
    )


def _called(
    open_workspace: Callable[[], Workspace], name: str, arguments: dict[str, object]
) -> types.CallToolResult:
    """Call a tool; what goes wrong is told in the words that the program has for it."""
    try:
        answer = TOOLS[name].call(open_workspace(), arguments, datetime.now(UTC))
    except (CouncilVaultError, OSError) as error:
        _log.debug("%s failed.", name)
        return types.CallToolResult(content=[_text(in_words(error))], is_error=True)
    _log.debug("%s is done.", name)
    return _result(answer)


def _result(answer: Answer) -> types.CallToolResult:
    """Return an answer as text and as data, which say the same: a client shows its model one of them."""
    said = {MESSAGES: list(answer.messages)} if answer.messages else {}
    text = _sound(json.dumps({**said, **answer.result}, ensure_ascii=False))
    return types.CallToolResult(
        content=[_text(text)], structured_content=json.loads(text), is_error=answer.failed
    )


def _read(open_workspace: Callable[[], Workspace], uri: str) -> types.ReadResourceResult:
    resource = RESOURCES[uri]
    try:
        text = resource.read(open_workspace())
    except (CouncilVaultError, OSError) as error:
        raise MCPError(types.INTERNAL_ERROR, _sound(in_words(error)), {"uri": uri}) from error
    contents = types.TextResourceContents(uri=uri, mime_type=resource.media_type, text=text)
    return types.ReadResourceResult(contents=[contents])


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=_sound(text))


def _sound(text: str) -> str:
    """Return a text that can be sent: half a surrogate pair, which files may hold, cannot."""
    return text.encode(errors="replace").decode()
