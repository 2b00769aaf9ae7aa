from __future__ import annotations

import copy

import pytest
from hypothesis import given

from council_vault.memory.canonical import RepeatedKeys, parse
from council_vault.memory.decoding import version_in
from council_vault.memory.migrations import migrate
from council_vault.memory.schema import CURRENT_VERSION
from support import memory_files as made


def without(document: dict, *names: str) -> dict:
    return {name: value for name, value in document.items() if name not in names}


FULL = made.document(made.record())


@pytest.mark.parametrize(
    "old",
    [
        without(FULL, "last_vault_sync") | {"version": "1.2"},
        without(FULL, "last_vault_sync", "optimization_log") | {"version": "1.1"},
        without(FULL, "last_vault_sync", "optimization_log")
        | {"version": "1.0", "routing_model": without(FULL["routing_model"], "routing_accuracy")},
    ],
    ids=["1.2", "1.1", "1.0"],
)
def test_older_files_become_exactly_what_a_new_one_is(old: dict) -> None:
    before = copy.deepcopy(old)
    migrated = migrate(old)
    assert migrated == FULL
    assert list(migrated) == list(FULL)
    assert list(migrated["routing_model"]) == list(FULL["routing_model"])
    assert old == before


@pytest.mark.parametrize("version", ["1.3", "v1.3", "1.3.0", 1.3, None, "latest", ["1.3"]])
def test_whatever_is_not_newer_is_written_as_the_current_version(version: object) -> None:
    assert migrate(FULL | {"version": version}) == FULL


def test_a_missing_version_comes_first_and_unknown_fields_keep_their_places() -> None:
    migrated = migrate({"x": 1, "last_updated": "t", "y": 2})
    assert list(migrated) == [
        "version",
        "x",
        "last_updated",
        "last_vault_sync",
        "y",
        "routing_model",
        "optimization_log",
    ]


@pytest.mark.parametrize("version", ["1.4", "2.0", 2])
def test_a_newer_file_is_left_alone(version: object) -> None:
    newer = {"version": version, "deliberations": {}}
    assert migrate(newer) is newer


def test_a_routing_model_that_is_none_is_left_alone() -> None:
    assert migrate(FULL | {"routing_model": [1]})["routing_model"] == [1]


def test_repeated_keys_are_not_lost() -> None:
    migrated = migrate(parse(b'{"version": "1.0", "x": 1, "x": 2}'))
    assert isinstance(migrated, RepeatedKeys)
    assert migrated.shadowed == (("x", 1),)


@given(document=made.documents)
def test_migrating_adds_and_never_takes_and_twice_is_once(document: dict) -> None:
    before = copy.deepcopy(document)
    migrated = migrate(document)
    assert document == before
    assert migrate(migrated) == migrated
    assert list(migrate(migrated)) == list(migrated)
    kept = [name for name in migrated if name in document]
    assert kept == list(document)
    for name in without(document, "version", "routing_model"):
        assert migrated[name] == document[name]
    version = version_in(document.get("version"))
    if version is None or version <= CURRENT_VERSION:
        assert migrated["version"] == "1.3"
        assert {"last_vault_sync", "optimization_log", "routing_model"} <= migrated.keys()
