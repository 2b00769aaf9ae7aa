"""``council-vault mcp``: the same operations for agents."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from council_vault.errors import CouncilVaultError

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation

_SDK = "mcp"


@click.command(name="mcp")
@click.pass_obj
def command(invocation: Invocation) -> None:
    """Serve agents, over MCP.

    The operations are tools, and the notes resources, of the Model Context Protocol on standard input and
    output. Agents start it by themselves, once they are told the command. Settings, memory and vault are
    looked up anew for each call. It ends when its input does. With -v, says on standard error which tools
    were called.
    """
    if sys.stdin is None or sys.stdout is None:
        raise click.UsageError("There is nobody to serve: standard input or output is closed.")
    try:
        from council_vault.mcp_server.server import serve  # noqa: PLC0415 - takes 0.9 s
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != _SDK:
            raise
        raise CouncilVaultError(
            "the library that speaks MCP is not installed",
            remedy="Install it beside the program: pipx inject council-vault mcp, or pip install mcp",
        ) from error
    from council_vault.mcp_server.wire import take_wire  # noqa: PLC0415 - likewise
    from council_vault.service.bell import leave_in_time  # noqa: PLC0415 - likewise
    from council_vault.service.journal import log_to_stderr  # noqa: PLC0415 - likewise

    if sys.stdin.isatty():
        click.echo("Waiting for a program that speaks MCP on standard input. Ctrl-C ends it.", err=True)
    if sys.stderr is not None:
        log_to_stderr(os.environ, verbose=invocation.verbose)
    serve(invocation.workspace, take_wire(), leave_in_time)
