"""One Settings struct, from defaults, ``config.toml``, the environment and the command line; the last one wins.

The structs below are the one description of the settings: validation and ``config show`` are made from them, and
the README's reference is checked against them.
"""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import msgspec
from platformdirs import user_config_path, user_state_path

from council_vault.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

APPLICATION = "council-vault"
MEMORY_NAME = "council-memory.json"
CONFIG_VARIABLE = "COUNCIL_VAULT_CONFIG"
VARIABLES = {"COUNCIL_VAULT_WORKSPACE": "workspace.path", "COUNCIL_VAULT_VAULT": "vault.path"}
_PATHS = frozenset({"workspace.path", "vault.path", "vault.mounts", "notes.templates"})


class _Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of config.toml; a key that does not exist is an error, since it is a typing mistake."""


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


class NotesSettings(_Section, frozen=True, kw_only=True):
    """How the notes look."""

    templates: Annotated[str | None, _about("Folder with templates of your own.")] = None
    visible_rows: Annotated[
        int,
        msgspec.Meta(ge=1, description="Rows in the log's main table; older ones are folded by quarter."),
    ] = 50
    charts: Annotated[Literal["mermaid", "none"], _about("Charts in the notes: mermaid or none.")] = "mermaid"


class RouterSettings(_Section, frozen=True, kw_only=True):
    """How queries are routed."""

    mode: Annotated[
        Literal["learned", "always_deliberate", "always_shortcut"],
        _about("learned, always_deliberate or always_shortcut; shown in the routing note."),
    ] = "learned"


class Settings(_Section, frozen=True, kw_only=True):
    """Everything that can be set."""

    workspace: WorkspaceSettings = WorkspaceSettings()
    vault: VaultSettings = VaultSettings()
    notes: NotesSettings = NotesSettings()
    router: RouterSettings = RouterSettings()

    @property
    def workspace_folder(self) -> Path:
        """The folder of the memory file."""
        return Path(self.workspace.path) if self.workspace.path else Path.cwd()

    @property
    def memory_path(self) -> Path:
        """The memory file."""
        return self.workspace_folder / MEMORY_NAME

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
        raise _no_such_setting(key)
    return settings[key]


def _no_such_setting(key: str, where: str = "") -> SettingsError:
    near = difflib.get_close_matches(key, [setting.key for setting in known_settings()], n=1)
    remedy = f"Did you mean {near[0]}?" if near else "`council-vault config show` lists them all"
    return SettingsError(f"there is no setting {key!r}", where=where, remedy=remedy)


def config_path(flag: str | None, environment: Mapping[str, str]) -> Path:
    """Return the settings file: named by the command line, the environment, or in its usual place."""
    named = flag or environment.get(CONFIG_VARIABLE)
    return Path(named).expanduser() if named else user_config_path(APPLICATION) / "config.toml"


def state_folder() -> Path:
    """Return the folder for locks, state and snapshots."""
    return user_state_path(APPLICATION)


class Loaded(msgspec.Struct, frozen=True):
    """The settings in force, and for each one that is not a default where it comes from."""

    settings: Settings
    origins: Mapping[str, str]


def load(path: Path, environment: Mapping[str, str], flags: Mapping[str, str | None]) -> Loaded:
    """Return the settings in force.

    Args:
        path: the settings file; it need not exist.
        environment: the process environment.
        flags: values from the command line by key, such as ``{"workspace.path": "."}``; None is not given.

    Raises:
        SettingsError: the file cannot be read, or a key or value in it is wrong; names file, line and key.
    """
    text = _text_of(path)
    document = _parsed(path, text)
    origins = {f"{section}.{key}": str(path) for section, table in document.items() for key in table}
    for key in _PATHS & origins.keys():
        section, name = key.split(".")
        document[section][name] = _beside(path, document[section][name])
    given = [(key, environment.get(variable), variable) for variable, key in VARIABLES.items()]
    given += [(key, value, "command line") for key, value in flags.items()]
    for key, value, origin in given:
        if value:
            section, name = key.split(".")
            document.setdefault(section, {})[name] = str(Path(value).expanduser().absolute())
            origins[key] = origin
    try:
        return Loaded(msgspec.convert(document, Settings, strict=True), origins)
    except msgspec.ValidationError as error:
        raise _wrong_value(path, text, error) from error


def with_setting(text: str, key: str, value: str) -> str:
    """Return the text of a settings file with one setting changed; comments and layout stay.

    Args:
        text: the file as it is; empty for a new one.
        key: such as ``notes.visible_rows``.
        value: as typed by the person; list items are separated by commas. Empty unsets it.

    Raises:
        SettingsError: no such setting, or the value cannot stand there.
    """
    import tomlkit  # noqa: PLC0415 - only needed when a setting is changed

    setting = find_setting(key)
    section, name = key.split(".")
    document = tomlkit.parse(text)
    if value:
        if section not in document:
            document[section] = tomlkit.table()
        document[section][name] = _typed(setting, value)
    elif section in document and name in document[section]:
        del document[section][name]
    return tomlkit.dumps(document)


def _typed(setting: Setting, value: str) -> object:
    items = [item.strip() for item in value.split(",")] if isinstance(setting.default, tuple) else value
    try:
        typed: object = msgspec.convert(items, setting.annotation, strict=False)
    except msgspec.ValidationError as error:
        raise SettingsError(
            f"{value!r} cannot stand there: {_in_words(error)[0]}", where=setting.key
        ) from error
    return list(typed) if isinstance(typed, tuple) else typed


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"the settings cannot be read: {error}", where=path) from error


def _parsed(path: Path, text: str) -> dict[str, dict[str, Any]]:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"the settings are not valid TOML: {error}", where=path) from error
    known = {setting.key for setting in known_settings()}
    for section, table in document.items():
        if not isinstance(table, dict):
            line = _line_of(text, "", section)
            raise SettingsError(f"{section!r} stands outside of a [section]", where=f"{path}, line {line}")
        unknown = [name for name in table if f"{section}.{name}" not in known]
        for name in unknown:
            line = _line_of(text, section, name)
            raise _no_such_setting(f"{section}.{name}", where=f"{path}, line {line}")
    return document


def _beside(path: Path, value: object) -> object:
    """Return a path in a settings file as an absolute one: it is meant relative to the file."""
    if isinstance(value, list):
        return [_beside(path, item) for item in value]
    return str(path.absolute().parent / Path(value).expanduser()) if isinstance(value, str) else value


_TYPE_WORDS = {
    "`str`": "text",
    "`int`": "a whole number",
    "`float`": "a number",
    "`array`": "a list",
    "`bool`": "true",
}


def _in_words(error: msgspec.ValidationError) -> tuple[str, str]:
    """Return what is wrong with a value, and the path to it, from msgspec's message."""
    message, _, place = str(error).partition(" - at `$")
    for name, word in _TYPE_WORDS.items():
        message = message.replace(name, word)
    return message[:1].lower() + message[1:], place.strip("`.").partition("[")[0]


def _wrong_value(path: Path, text: str, error: msgspec.ValidationError) -> SettingsError:
    message, key = _in_words(error)
    section, _, name = key.partition(".")
    line = _line_of(text, section, name)
    return SettingsError(f"{key}: {message}", where=f"{path}, line {line}", remedy="Correct it there")


def _line_of(text: str, section: str, name: str) -> int:
    """Return the line at which a key stands, or its section, or 1."""
    current, found = "", 1
    for number, line in enumerate(text.splitlines(), start=1):
        bare = line.strip()
        if bare.startswith("["):
            current = bare.strip("[] \t")
            found = number if current == section else found
        elif current == section and bare.partition("=")[0].strip().strip("\"'") == name:
            return number
    return found
