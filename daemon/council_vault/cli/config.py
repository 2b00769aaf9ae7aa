"""``council-vault config``: show and change settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from council_vault import settings
from council_vault.cli.completing import setting_keys
from council_vault.cli.options import json_option, print_json
from council_vault.config import load
from council_vault.operations.setting_up import change_settings

if TYPE_CHECKING:
    from council_vault.cli.main import Invocation


@click.group(name="config")
def command() -> None:
    """Show and change settings."""


@command.command()
@json_option
@click.pass_obj
def show(invocation: Invocation, *, as_json: bool) -> None:
    """Show every setting.

    With each one its value, where that comes from, and what it is for.
    """
    path, loaded = invocation.config_path, invocation.loaded()
    if as_json:
        keys = [setting.key for setting in settings.known_settings()]
        values = {key: loaded.settings.get(key) for key in keys}
        print_json({"file": str(path), "settings": values, "origins": loaded.origins})
        return
    click.echo(f"# {path}{'' if path.exists() else ' (not there; these are the defaults)'}")
    for setting in settings.known_settings():
        origin = loaded.origins.get(setting.key, "default")
        value = ", ".join(_lines(loaded.settings.get(setting.key))) or "(unset)"
        click.echo(f"\n# {setting.description}")
        click.echo(f"{setting.key} = {value}  # {origin}")


@command.command()
@click.argument("key", shell_complete=setting_keys)
@click.pass_obj
def get(invocation: Invocation, key: str) -> None:
    """Print the value of one setting.

    KEY is its name, such as vault.name. A list is printed line by line; nothing is printed where the setting
    is unset.
    """
    for line in _lines(invocation.loaded().settings.get(key)):
        click.echo(line)


@command.command(name="set")
@click.argument("key", shell_complete=setting_keys)
@click.argument("value")
@click.pass_obj
def set_(invocation: Invocation, key: str, value: str) -> None:
    """Change one setting in the settings file.

    Comments in the file stay. Commas separate the items of a list; an empty VALUE unsets the setting.
    """
    path = invocation.config_path
    change_settings(path, settings.state_folder(), {key: value})
    lines = _lines(load(path, {}, {}).settings.get(key))
    click.echo(f"{path}: {key} = {', '.join(lines) or '(unset)'}")


def _lines(value: object) -> list[str]:
    """Return a value as it is printed, one line for each item of a list."""
    if value is None:
        return []
    return [str(item) for item in value] if isinstance(value, tuple) else [str(value)]
