"""Fill in what the README shows of the program: the help of its commands, and its settings.

    python tests/support/readme_help.py

A block stands between ``<!-- help: COMMAND -->`` or ``<!-- settings -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import re
from pathlib import Path

import click

from council_vault.cli.main import PROGRAM, group
from council_vault.settings import known_settings

README = Path(__file__).resolve().parents[2] / "README.md"
_WIDTH = 78  # what click makes of 80 columns
_BLOCK = re.compile(r"<!-- (?P<what>help: ?(?P<command>[\w -]*?)|settings) ?-->\n.*?<!-- end -->", re.DOTALL)


def commands() -> dict[str, click.Command]:
    """Return every command by its words, such as ``config set``; the program itself by none."""
    found: dict[str, click.Command] = {"": group}
    context = click.Context(group, info_name=PROGRAM)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        found[name] = command
        if isinstance(command, click.Group):
            found |= {f"{name} {below}": one for below, one in command.commands.items()}
    return found


def help_of(words: str) -> str:
    """Return the help of a command, as a terminal 80 columns wide shows it."""
    look = {**group.context_settings, "terminal_width": _WIDTH}
    context = click.Context(group, info_name=PROGRAM, **look)
    known = commands()
    for place in range(1, len(words.split()) + 1):
        part = words.split()[:place]
        context = click.Context(known[" ".join(part)], info_name=part[-1], parent=context)
    return context.command.get_help(context)


def settings_table() -> str:
    """Return a table of every setting: key, default, and what it is for."""
    rows = ["| setting | default | what it is for |", "| --- | --- | --- |"]
    for setting in known_settings():
        default = f"`{setting.default}`" if setting.default not in {None, ()} else ""
        rows.append(f"| `{setting.key}` | {default} | {setting.description} |")
    return "\n".join(rows)


def filled(text: str) -> str:
    """Return the README with its blocks as they should be."""

    def fill(block: re.Match[str]) -> str:
        command = block["command"]
        shown = settings_table() if command is None else f"```text\n{help_of(command)}\n```"
        return f"<!-- {block['what'].strip()} -->\n{shown}\n<!-- end -->"

    return _BLOCK.sub(fill, text)


if __name__ == "__main__":
    README.write_text(filled(README.read_text("utf-8")), "utf-8")
