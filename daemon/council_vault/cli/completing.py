"""What a shell can complete besides commands and options; where something goes wrong, it is nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from council_vault.errors import CouncilVaultError

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

_IDS = 20

# What is imported here is imported where a shell asks, since every command imports this module.


def paths(_context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Have the shell complete folders where a parameter takes one, files where it does not."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - see above

    folder = "DIR" in (parameter.metavar or "")
    return [CompletionItem(incomplete, type="dir" if folder else "file")]


def setting_keys(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the keys of settings that begin like that."""
    from council_vault.settings import known_settings  # noqa: PLC0415 - see above

    return [setting.key for setting in known_settings() if setting.key.startswith(incomplete)]


def record_ids(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the ids of the newest twenty records, as far as they begin like that."""
    from council_vault import files  # noqa: PLC0415 - see above
    from council_vault.memory.glimpse import last_ids  # noqa: PLC0415 - see above

    try:
        data = files.read(context.obj.workspace().memory_path)
        ids = last_ids(data, _IDS) if data else ()
    except (CouncilVaultError, OSError):
        return []
    return [id_ for id_ in ids if id_.startswith(incomplete)]


def note_kinds(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the notes that can be restored and whose names begin like that."""
    from council_vault.notes.kinds import KINDS  # noqa: PLC0415 - see above

    return [kind for kind in KINDS if kind.startswith(incomplete)]
