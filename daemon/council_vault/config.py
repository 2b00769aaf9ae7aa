"""The settings in force: defaults, ``config.toml``, the environment, the command line; the last one wins."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from platformdirs import user_config_path

from council_vault.errors import SettingsError
from council_vault.settings import (
    APPLICATION,
    Setting,
    Settings,
    find_setting,
    known_settings,
    no_such_setting,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG_VARIABLE = "COUNCIL_VAULT_CONFIG"
VARIABLES = {"COUNCIL_VAULT_WORKSPACE": "workspace.path", "COUNCIL_VAULT_VAULT": "vault.path"}
_PATH_KEYS = frozenset({"workspace.path", "vault.path", "vault.mounts", "notes.templates"})
_TYPE_WORDS = {
    "`str`": "text",
    "`int`": "a whole number",
    "`float`": "a number",
    "`array`": "a list",
    "`bool`": "true or false",
}


def config_path(flag: str | None, environment: Mapping[str, str]) -> Path:
    """Return the settings file: named by the command line, the environment, or in its usual place."""
    named = flag or environment.get(CONFIG_VARIABLE)
    return Path(named).expanduser() if named else user_config_path(APPLICATION) / "config.toml"


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
    for key in _PATH_KEYS & origins.keys():
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
    sections = {key.partition(".")[0] for key in known}
    for section, table in document.items():
        if section not in sections:
            raise no_such_setting(section, where=f"{path}, line {_line_of(text, section, '')}")
        if not isinstance(table, dict):
            line = _line_of(text, "", section)
            raise SettingsError(f"{section!r} stands outside of a [section]", where=f"{path}, line {line}")
        unknown = [name for name in table if f"{section}.{name}" not in known]
        for name in unknown:
            line = _line_of(text, section, name)
            raise no_such_setting(f"{section}.{name}", where=f"{path}, line {line}")
    return document


def _beside(path: Path, value: object) -> object:
    """Return a path in a settings file as an absolute one: it is meant relative to the file."""
    if isinstance(value, list):
        return [_beside(path, item) for item in value]
    return str(path.absolute().parent / Path(value).expanduser()) if isinstance(value, str) else value


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
