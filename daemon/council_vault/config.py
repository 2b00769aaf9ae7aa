"""The settings in force: defaults, ``config.toml``, the environment, the command line; the last one wins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import msgspec
from platformdirs import user_config_path

from council_vault.errors import SettingsError
from council_vault.settings import (
    APPLICATION,
    Setting,
    Settings,
    absolute,
    find_setting,
    known_settings,
    no_such_setting,
    own_folder,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CONFIG_VARIABLE = "COUNCIL_VAULT_CONFIG"
VARIABLES = {"COUNCIL_VAULT_WORKSPACE": "workspace.path", "COUNCIL_VAULT_VAULT": "vault.path"}
_PATH_KEYS = frozenset(
    {"workspace.path", "vault.path", "vault.mounts", "drive.credentials", "notes.templates", "brief.ledger"}
)
_BOM = "\ufeff"
_TYPE_WORDS = {
    "`str`": "text",
    "`int`": "a whole number",
    "`float | null`": "a number",
    "`float`": "a number",
    "`array`": "a list",
    "`bool | null`": "true or false",
    "`bool`": "true or false",
}


def config_path(flag: str | None, environment: Mapping[str, str]) -> Path:
    """Return the settings file: named by the command line, the environment, or in its usual place.

    Raises:
        SettingsError: it can be no path, or there is no home folder for it to be in.
    """
    named = flag or environment.get(CONFIG_VARIABLE)
    return absolute(named) if named else own_folder(user_config_path(APPLICATION)) / "config.toml"


class Loaded(msgspec.Struct, frozen=True):
    """The settings in force, and for each one that is not a default where it comes from."""

    settings: Settings
    origins: Mapping[str, str]


def load(
    path: Path, environment: Mapping[str, str], flags: Mapping[str, str | None], *, required: bool = False
) -> Loaded:
    """Return the settings in force.

    Args:
        path: the settings file.
        environment: the process environment.
        flags: values from the command line by key, such as ``{"workspace.path": "."}``; None is not given.
        required: whether the file must exist; otherwise the defaults hold where it does not.

    Raises:
        SettingsError: the file cannot be read, or a key or value in it is wrong; names file, line and key.
    """
    text = _text_of(path, required=required)
    document = parsed(path, text)
    origins = {f"{section}.{key}": str(path) for section, table in document.items() for key in table}
    for key in _PATH_KEYS & origins.keys():
        section, name = key.split(".")
        document[section][name] = _beside(path, document[section][name])
    given = [(key, environment.get(variable), variable) for variable, key in VARIABLES.items()]
    given += [(key, value, "command line") for key, value in flags.items()]
    for key, value, origin in given:
        if value:
            section, name = key.split(".")
            document.setdefault(section, {})[name] = str(absolute(value))
            origins[key] = origin
    try:
        return Loaded(msgspec.convert(document, Settings, strict=True), origins)
    except msgspec.ValidationError as error:
        raise _wrong_value(path, text, error) from error


def parsed(path: Path, text: str) -> dict[str, dict[str, Any]]:
    """Return what a settings file says, by section and key; its values are not looked at.

    Raises:
        SettingsError: it is not TOML, or a key is wrong; names file, line and key.
    """
    if not text:
        return {}
    import tomllib  # noqa: PLC0415 - many do without a settings file

    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(
            f"the settings are not valid TOML: {error}", where=path, remedy="Correct it there"
        ) from error
    known = {setting.key for setting in known_settings()}
    sections = {key.partition(".")[0] for key in known}
    for section, table in document.items():
        where = f"{path}, line {_line_of(text, section)}"
        if section not in sections:
            raise no_such_setting(section, where=where)
        if not isinstance(table, dict):
            raise SettingsError(f"{section!r} stands outside of a [section]", where=where)
        for key in (f"{section}.{name}" for name in table):
            if key not in known:
                raise no_such_setting(key, where=f"{path}, line {_line_of(text, key)}")
    return document


def with_setting(text: str, key: str, value: str) -> str:
    """Return the text of a settings file with one setting changed; comments and layout stay.

    Args:
        text: the file as it is; empty for a new one.
        key: such as ``notes.visible_rows``.
        value: as typed by the person; list items are separated by commas. Empty unsets it.

    Raises:
        SettingsError: no such setting, the value cannot stand there, or the file is not TOML.
    """
    import tomlkit  # noqa: PLC0415 - only needed when a setting is changed
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415 - likewise

    setting = find_setting(key)
    section, name = key.split(".")
    body = text.removeprefix(_BOM)
    try:
        document = tomlkit.parse(body)
        if value:
            if section not in document:
                document[section] = tomlkit.table()
            document[section][name] = _typed(setting, value)
        elif section in document and name in document[section]:
            del document[section][name]
        changed = tomlkit.dumps(document)
    except TOMLKitError as error:
        raise SettingsError(f"the settings are not valid TOML: {error}") from error
    if "\r\n" in body and "\n" not in body.replace("\r\n", ""):
        changed = changed.replace("\r\n", "\n").replace("\n", "\r\n")
    return text[: len(text) - len(body)] + changed


def _typed(setting: Setting, value: str) -> object:
    if value.encode(errors="ignore").decode() != value:
        raise SettingsError(
            "a settings file can only hold Unicode, which this is not", where=f"{setting.key}, {value!r}"
        )
    items = [item.strip() for item in value.split(",")] if isinstance(setting.default, tuple) else value
    try:
        typed: object = msgspec.convert(items, setting.annotation, strict=False)
    except msgspec.ValidationError as error:
        words = _in_words(error, setting.key)
        raise SettingsError(f"{value!r} cannot stand there: {words}", where=setting.key) from error
    if setting.key in _PATH_KEYS:
        return str(absolute(value)) if isinstance(items, str) else [str(absolute(item)) for item in items]
    return list(typed) if isinstance(typed, tuple) else typed


def _text_of(path: Path, *, required: bool) -> str:
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError as error:
        if required:
            raise SettingsError(
                "there is no such settings file", where=path, remedy="`council-vault init` makes it"
            ) from error
        return ""
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SettingsError(f"the settings cannot be read: {reason}", where=path) from error
    except UnicodeDecodeError as error:
        raise SettingsError("the settings cannot be read: they are not UTF-8", where=path) from error


def _beside(path: Path, value: object) -> object:
    """Return a path in a settings file as an absolute one: it is meant relative to the file."""
    if isinstance(value, list):
        return [_beside(path, item) for item in value]
    if not isinstance(value, str):
        return value
    return str(absolute(value if value.startswith("~") else str(path.parent / value)))


def _in_words(error: msgspec.ValidationError, key: str) -> str:
    """Return what is wrong with the value of a setting."""
    message = str(error).partition(" - at `")[0]
    choices = get_args(get_args(find_setting(key).annotation)[0])
    if message.startswith("Invalid enum value") and choices:
        got = message.removeprefix("Invalid enum value ")
        return f"expected {', '.join(choices[:-1])} or {choices[-1]}, got {got}"
    for name, word in _TYPE_WORDS.items():
        message = message.replace(name, word)
    return message[:1].lower() + message[1:]


def _wrong_value(path: Path, text: str, error: msgspec.ValidationError) -> SettingsError:
    key = str(error).partition(" - at `$.")[2].strip("`").partition("[")[0]
    return SettingsError(
        f"{key}: {_in_words(error, key)}",
        where=f"{path}, line {_line_of(text, key)}",
        remedy="Correct it there",
    )


def _line_of(text: str, key: str) -> int:
    """Return the line at which a section or a key stands, or else what holds it."""
    section, nearest = "", 1
    for number, line in enumerate(text.splitlines(), start=1):
        bare = line.strip()
        if bare.startswith("["):
            section = here = _plain(bare.partition("]")[0].strip("["))
        elif "=" in bare:
            name = _plain(bare.partition("=")[0])
            here = f"{section}.{name}" if section else name
        else:
            continue
        if here == key or here.startswith(f"{key}."):
            return number
        if key.startswith(f"{here}."):
            nearest = number
    return nearest


def _plain(key: str) -> str:
    """Return a key as TOML means it, such as ``vault.name`` for ``vault . "name"``."""
    return ".".join(part.strip(" \t\"'") for part in key.split("."))
