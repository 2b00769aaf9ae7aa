"""Options that several commands share, and how they print."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import click
import msgspec

from council_vault.cli.completing import paths

if TYPE_CHECKING:
    from collections.abc import Iterable

# Control characters but tabs and line breaks, and those that turn the direction of writing.
_COMMANDING = re.compile(r"\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for other programs.")
ledger_option = click.option(
    "--ledger",
    metavar="DB",
    help="The ledger's database, in place of brief.ledger in the settings.",
    shell_complete=paths,
)


def visible(text: object) -> str:
    """Return a text with the characters that would command a terminal written as their numbers.

    What stands in the person's files can hold them, and reports name it.
    """
    return _COMMANDING.sub(lambda found: ascii(found.group())[1:-1], str(text))


def say(sentences: Iterable[str]) -> None:
    """Say what the person should know beside the result: on stderr, so that results can be piped."""
    for sentence in sentences:
        click.echo(visible(sentence), err=True)


def print_json(value: object) -> None:
    """Print structs, or plain objects, as JSON; in ASCII, so that it passes every pipe."""
    click.echo(json.dumps(msgspec.to_builtins(value, str_keys=True), indent=2))
