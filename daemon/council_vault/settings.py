"""What can be set: the one description of it, for validation, ``config show`` and the README's reference."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import msgspec
from platformdirs import user_state_path

from council_vault.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator

APPLICATION = "council-vault"
MEMORY_NAME = "council-memory.json"
LEDGER_NAME = "council-ledger.db"


class _Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of config.toml; a key that does not exist is an error, since it is a typing mistake."""


_Amount = Annotated[float, msgspec.Meta(ge=0)]


def _about(description: str) -> msgspec.Meta:
    return msgspec.Meta(description=description)


class WorkspaceSettings(_Section, frozen=True, kw_only=True):
    """Where the memory file is."""

    path: Annotated[str | None, _about("Folder of council-memory.json. Unset: the current folder.")] = None
    name: Annotated[
        str | None,
        _about("Suffix for the names of the notes, when several workspaces share a vault."),
    ] = None


class VaultSettings(_Section, frozen=True, kw_only=True):
    """Where the notes go."""

    path: Annotated[str | None, _about("The vault's folder. Unset: it is looked for.")] = None
    name: Annotated[str, _about("The vault's name, preferred where several vaults are found.")] = (
        "MoxyWolf Vault"
    )
    folder: Annotated[str, _about("Folder in the vault for new notes.")] = (
        "_Shared Knowledge/Agents and Plugins"
    )
    mounts: Annotated[tuple[str, ...], _about("Further folders to look for the vault in.")] = ()


class DriveSettings(_Section, frozen=True, kw_only=True):
    """How Google Drive is used, where no folder on this computer is the vault."""

    enabled: Annotated[
        bool | None,
        _about(
            "Whether the vault may be on Google Drive: true or false. Unset: once you are signed in, or "
            "where a service account or drive.folder_id is set."
        ),
    ] = None
    credentials: Annotated[
        str | None,
        _about("File with the secrets of your OAuth client, or with the key of a service account."),
    ] = None
    folder_id: Annotated[
        str | None,
        _about("Id of the vault's folder on Google Drive. Unset: one of the vault's name is looked for."),
    ] = None
    endpoint: Annotated[
        str | None,
        _about("Address of an emulator of Google Drive on this computer. Unset: Google's own servers."),
    ] = None


class SyncSettings(_Section, frozen=True, kw_only=True):
    """When the daemon syncs."""

    every: Annotated[
        int,
        msgspec.Meta(
            ge=1, description="The daemon syncs whenever a multiple of so many deliberations is reached."
        ),
    ] = 5
    flush_after: Annotated[
        int,
        msgspec.Meta(ge=1, description="Seconds after which what is pending is written to the log anyway."),
    ] = 900
    debounce: Annotated[
        float,
        msgspec.Meta(ge=0, le=60, description="Seconds of quiet to wait for when the memory file changes."),
    ] = 0.3
    watch: Annotated[
        Literal["auto", "events", "poll"],
        _about("How changes are noticed: auto, events (of the system) or poll (look every few seconds)."),
    ] = "auto"


class NotesSettings(_Section, frozen=True, kw_only=True):
    """How the notes look."""

    templates: Annotated[str | None, _about("Folder with templates of your own.")] = None
    visible_rows: Annotated[
        int,
        msgspec.Meta(ge=1, description="Rows in the log's main table; older ones are folded by quarter."),
    ] = 50
    charts: Annotated[Literal["mermaid", "none"], _about("Charts in the notes: mermaid or none.")] = "mermaid"
    records: Annotated[
        bool,
        _about("Whether each deliberation gets a note of its own, to be rated in Obsidian's Bases."),
    ] = False


class RouterSettings(_Section, frozen=True, kw_only=True):
    """How queries are routed."""

    mode: Annotated[
        Literal["learned", "always_deliberate", "always_shortcut"],
        _about("learned, always_deliberate or always_shortcut; shown in the routing note."),
    ] = "learned"
    explore: Annotated[
        int,
        msgspec.Meta(
            ge=0,
            description="Of so many queries that a rule would give to one model, one is deliberated all the "
            "same, to notice a rule that is wrong. 0: none.",
        ),
    ] = 10


class CouncilSettings(_Section, frozen=True, kw_only=True):
    """Who is in the council."""

    models: Annotated[
        tuple[str, ...],
        _about("The models that the router chooses from. Unset: those that have taken part so far."),
    ] = ()


class BudgetSettings(_Section, frozen=True, kw_only=True):
    """What may be spent."""

    monthly_usd: Annotated[
        _Amount | None, _about("USD a calendar month, shown by `stats cost`. Unset: no budget.")
    ] = None
    per_deliberation_usd: Annotated[
        _Amount | None,
        _about("USD for one deliberation: the router chooses a smaller council, or one model."),
    ] = None


class BriefSettings(_Section, frozen=True, kw_only=True):
    """What a council is briefed from."""

    ledger: Annotated[
        str | None,
        _about("The ledger's database. Unset: council-ledger.db beside the memory file."),
    ] = None


class Settings(_Section, frozen=True, kw_only=True):
    """Everything that can be set."""

    workspace: WorkspaceSettings = WorkspaceSettings()
    vault: VaultSettings = VaultSettings()
    drive: DriveSettings = DriveSettings()
    sync: SyncSettings = SyncSettings()
    notes: NotesSettings = NotesSettings()
    router: RouterSettings = RouterSettings()
    council: CouncilSettings = CouncilSettings()
    budget: BudgetSettings = BudgetSettings()
    brief: BriefSettings = BriefSettings()

    @property
    def workspace_folder(self) -> Path:
        """The folder of the memory file."""
        return absolute(self.workspace.path or "")

    @property
    def memory_path(self) -> Path:
        """The memory file."""
        return self.workspace_folder / MEMORY_NAME

    @property
    def ledger_path(self) -> Path:
        """The ledger, be it there or not."""
        return absolute(self.brief.ledger) if self.brief.ledger else self.workspace_folder / LEDGER_NAME

    def get(self, key: str) -> object:
        """Return the value of a setting such as ``vault.name``.

        Raises:
            SettingsError: there is no such setting.
        """
        find_setting(key)
        section, name = key.split(".")
        value: object = getattr(getattr(self, section), name)
        return value


class Setting(msgspec.Struct, frozen=True):
    """One setting: its key, what may stand there, its default, and what it is for."""

    key: str
    annotation: Any
    default: object
    description: str


def known_settings() -> Iterator[Setting]:
    """Yield every setting, in the order of the structs."""
    for section in msgspec.structs.fields(Settings):
        hints = get_type_hints(section.type, include_extras=True)
        for field in msgspec.structs.fields(section.type):
            annotation = hints[field.name]
            meta: msgspec.Meta = annotation.__metadata__[0]
            yield Setting(f"{section.name}.{field.name}", annotation, field.default, meta.description or "")


def find_setting(key: str) -> Setting:
    """Return the setting of that key.

    Raises:
        SettingsError: there is none; the nearest one is named.
    """
    settings = {setting.key: setting for setting in known_settings()}
    if key not in settings:
        raise no_such_setting(key)
    return settings[key]


def no_such_setting(key: str, where: str = "") -> SettingsError:
    """Return the error for a key that does not exist, naming the nearest one that does."""
    import difflib  # noqa: PLC0415 - for mistakes only

    near = difflib.get_close_matches(key, [setting.key for setting in known_settings()], n=1)
    remedy = f"Did you mean {near[0]}?" if near else "`council-vault config show` lists them all"
    return SettingsError(f"there is no setting {key!r}", where=where, remedy=remedy)


def absolute(path: str) -> Path:
    """Return a path as a person types it: ``~`` is their home, and it starts from the current folder.

    Raises:
        SettingsError: it can be no path, or what it starts from is not there.
    """
    if "\0" in path:
        raise SettingsError("no path can hold a NUL character", where=repr(path))
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError as error:
        raise SettingsError("the home folder that ~ stands for is not known", where=path) from error
    except OSError as error:
        raise SettingsError("the current folder is gone", remedy="Change to another one") from error


def state_folder() -> Path:
    """Return the folder for locks, state and snapshots.

    Raises:
        SettingsError: there is no home folder for it to be in.
    """
    return own_folder(user_state_path(APPLICATION))


def own_folder(folder: Path) -> Path:
    """Return a folder of the person's that must be known by its whole path.

    Raises:
        SettingsError: it is not, since there is no home folder.
    """
    if not folder.is_absolute():
        raise SettingsError(
            "your home folder is not known", where=folder, remedy="Set the variable HOME to its whole path"
        )
    return folder
