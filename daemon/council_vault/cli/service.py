"""``council-vault service``: the daemon as a service that starts when the person logs in."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import msgspec

from council_vault.cli.options import json_option, print_json
from council_vault.errors import AlreadyRunning, CouncilVaultError
from council_vault.service.installation import installation
from council_vault.service.presence import present
from council_vault.service.service_manager import by_hand, service_manager, trouble_with_rights
from council_vault.settings import absolute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from council_vault.cli.main import Invocation
    from council_vault.service.managing import ServiceManager, ServiceState
    from council_vault.service.plan import Plan
    from council_vault.workspace import Workspace

_dry_run = click.option("--dry-run", is_flag=True, help="Show what would be done; write nothing.")
_LINGERING = {
    True: "on: it also runs while you are logged out",
    False: "off: it stops when you log out. `loginctl enable-linger` keeps it running",
    None: "not known: unless it is on, it stops when you log out. `loginctl enable-linger` turns it on",
}
_yes = click.option("-y", "--yes", is_flag=True, help="Replace another installation without asking.")


@click.group()
def command() -> None:
    """Run the daemon as a service of your own.

    A unit of your own systemd, or on macOS an agent of launchd. It starts when you log in.
    """


@command.command()
@_dry_run
@_yes
@click.pass_obj
def install(invocation: Invocation, *, dry_run: bool, yes: bool) -> None:
    """Install the service and start it, or bring it up to date.

    It runs this installation, with the settings that hold now; what is given with --workspace, --vault or
    --config becomes part of it.
    """
    workspace = invocation.workspace()
    this = installation(invocation.loaded(), invocation.config_path, os.environ, sys.argv[0])
    _say(trouble_with_rights(os.environ, workspace.home))
    manager = _manager(this.command)
    _refuse_second_daemon(workspace, manager.state())
    plan = manager.installing(this)
    _show(plan, dry_run=dry_run)
    if dry_run:
        return
    if plan.replaces and not yes:
        _ask_to_replace()
    plan.carry_out(manager.environment)
    for line in _described(manager.state()):
        click.echo(line)


@command.command()
@_dry_run
def uninstall(*, dry_run: bool) -> None:
    """Stop the service and remove it.

    Memory, notes and settings stay.
    """
    manager = _manager(("council-vault", "daemon"))
    plan = manager.uninstalling()
    _show(plan, dry_run=dry_run)
    if not plan.steps:
        click.echo("There is no service to remove.")
    elif not dry_run:
        plan.carry_out(manager.environment)
        click.echo("The service is removed.")


@command.command()
@json_option
def status(*, as_json: bool) -> None:
    """Show whether the service runs and starts by itself."""
    state = _manager(("council-vault", "daemon")).state()
    if as_json:
        print_json(msgspec.to_builtins(state) | {"runs": state.runs})
        return
    for line in _described(state):
        click.echo(line)


@command.command()
@click.option("-f", "--follow", is_flag=True, help="Go on showing what it says.")
@click.option("-n", "--lines", metavar="COUNT", default=50, help="Of what it has said, so many lines.")
def logs(*, follow: bool, lines: int) -> None:
    """Show what the service has said."""
    shown = _manager(("council-vault", "daemon")).log_command(lines, follow=follow)
    try:
        done = subprocess.run(shown, check=False)  # noqa: S603 - the system's own program
    except FileNotFoundError as error:
        raise CouncilVaultError(f"{shown[0]} is not installed, which keeps what services say") from error
    sys.exit(int(done.returncode != 0))


def _manager(command: tuple[str, ...]) -> ServiceManager:
    """Return the manager of services.

    Raises:
        CouncilVaultError: there is none; says what to do instead.
    """
    manager = service_manager(os.environ, absolute("~"))
    if manager is None:
        raise by_hand(command, os.environ)
    return manager


def _refuse_second_daemon(workspace: Workspace, state: ServiceState) -> None:
    """Make sure that the service will be the only daemon of its memory.

    Raises:
        AlreadyRunning: another daemon keeps it.
    """
    activity = present(workspace.folder, workspace.locks)
    if activity is not None and activity.pid != state.process:
        raise AlreadyRunning(
            f"a daemon keeps this memory already (process {activity.pid or 'unknown'})",
            where=workspace.folder,
            remedy="Stop it, and repeat this",
        )


def _show(plan: Plan, *, dry_run: bool) -> None:
    """Say what the person should know of a plan; in a dry run, all that would be done."""
    for line in (*plan.replaces, *plan.remarks):
        click.echo(f"{line}.", err=True)
    if dry_run:
        click.echo("Nothing is done. These would be the steps:" if plan.steps else "Nothing is to be done.")
        for step in plan.steps:
            click.echo(f"\n{step}")


def _ask_to_replace() -> None:
    """Have the person agree to what is replaced.

    Raises:
        CouncilVaultError: nobody can be asked.
        click.Abort: they do not agree.
    """
    if not sys.stdin.isatty():
        raise CouncilVaultError("another installation would be replaced", remedy="Repeat it with --yes")
    click.confirm("Replace it?", abort=True)


def _say(text: str) -> None:
    if text:
        click.echo(text, err=True)


def _described(state: ServiceState) -> Iterator[str]:
    """Yield how a service is, in words."""
    if not state.installed:
        yield "The service is not installed. `council-vault service install` installs and starts it."
        return
    yield f"Service    {_how(state)}"
    yield f"File       {state.file or 'none any more: `council-vault service install` writes it'}"
    if state.starts:
        yield f"Starts     {state.starts}"
    if state.manager == "systemd":
        yield f"Lingering  {_LINGERING[state.lingers]}"


def _how(state: ServiceState) -> str:
    login = "starts when you log in" if state.enabled else "does not start when you log in"
    if state.crashed:
        return f"it does not stay up ({state.result}). `council-vault service logs` says why"
    if not state.runs:
        return f"it does not run, and {login}. `council-vault service install` starts it"
    since = f" since {state.since.astimezone():%Y-%m-%d %H:%M}" if state.since else ""
    process = f" (process {state.process})" if state.process else ""
    return f"runs{since}{process}, and {login}"
