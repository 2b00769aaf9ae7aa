"""One Settings struct, from defaults, ``config.toml``, the environment and the command line, in that order."""

from __future__ import annotations

import difflib
import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Any

import msgspec
from platformdirs import user_config_path, user_state_path

from council_vault.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

APPLICATION = "council-vault"
MEMORY_NAME = "council-memory.json"
ENVIRONMENT = {"COUNCIL_VAULT_WORKSPACE": "workspace.path", "COUNCIL_VAULT_VAULT": "vault.path"}
CONFIG_VARIABLE = "COUNCIL_VAULT_CONFIG"

type_words = {bool: "true or false", int: "a whole number", float: "a number", str: "text", list: "a list of text"}
