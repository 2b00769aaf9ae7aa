"""``council-vault daemon``: watch and sync until told to stop."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING

import click

from council_vault.service.bell import Bell, orders_by_signal
from council_vault.service.daemon import Daemon
from council_vault.service.journal import log_to_stderr
from council_vault.service.systemd import Notifier

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation


@click.command()
@click.pass_obj
def command(invocation: Invocation) -> None:
    """Watch and sync until told to stop.

    Syncs by itself whenever there is reason to, and waits for whatever is missing. SIGTERM and Ctrl-C stop
    it, SIGHUP makes it read the settings again. With -v, says more of what it does.
    """
    with closing(Bell()) as bell, orders_by_signal(bell) as orders:
        log_to_stderr(os.environ, verbose=invocation.verbose)
        Daemon(invocation.workspace, bell, orders, Notifier(os.environ)).run()
