"""``council-vault config``: show and change settings."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import click

from council_vault import config, settings
from council_vault.cli.options import json_option
from council_vault.operations import change_settings

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation


@click.group(name="config")
def command() -> None:
    """Show and change settings."""


@command.command()
@json_option
@click.pass_obj
def show(invocation: Invocation, *, as_json: bool) -> None:
    """Show every setting: its value, where that comes from, and what it is for."""
    path = config.config_path(invocation.config_file, os.environ)
    loaded = config.load(path, os.environ, invocation.flags)
    if as_json:
        values = {setting.key: loaded.settings.get(setting.key) for setting in settings.known_settings()}
        click.echo(json.dumps({"file": str(path), "settings": values}, ensure_ascii=False, indent=2))
        return
    click.echo(f"# {path}{'' if path.exists() else ' (not there; these are the defaults)'}")
    for setting in settings.known_settings():
        origin = loaded.origins.get(setting.key, "default")
        click.echo(f"\n# {setting.description}")
        click.echo(f"{setting.key} = {_shown(loaded.settings.get(setting.key))}  # {origin}")


@command.command()
@click.argument("key")
@click.pass_obj
def get(invocation: Invocation, key: str) -> None:
    """Print the value of one setting, such as vault.name."""
    path = config.config_path(invocation.config_file, os.environ)
    click.echo(_shown(config.load(path, os.environ, invocation.flags).settings.get(key)))


@command.command(name="set")
@click.argument("key")
@click.argument("value")
@click.pass_obj
def set_(invocation: Invocation, key: str, value: str) -> None:
    """Change one setting in the settings file; an empty VALUE unsets it. Comments in the file stay."""
    path = config.config_path(invocation.config_file, os.environ)
    change_settings(path, settings.state_folder(), {key: value})
    click.echo(f"{path}: {key} = {_shown(config.load(path, {}, {}).settings.get(key))}")


def _shown(value: object) -> str:
    if value is None:
        return "unset"
    return (", ".join(value) or "none") if isinstance(value, tuple) else str(value)
