"""Several processes log at once, and an agent rewrites the file in between."""

from __future__ import annotations

import json
from datetime import timedelta

from council_vault.learning.features import query_hash
from council_vault.learning.log_input import read_log_input
from council_vault.memory.decoding import decode
from council_vault.operations.log import log
from council_vault.operations.restoring import restore_vanished
from council_vault.vault.local import LocalVault
from support.deliberations import deliberation
from support.loggers import started
from support.memory_files import document, dump
from support.syncing import NOON, Road

EACH = 25


def both(base):
    return [started("log", base, first, EACH, 5) for first in (1, 1 + EACH)]


def ended(process):
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return [line.split("\t") for line in out.splitlines()]


def hashes(road):
    return {one["query_hash"] for one in road.parsed()["deliberations"]}


def ours():
    return {query_hash(deliberation(number)["query_text"]) for number in range(1, 2 * EACH + 1)}


def test_two_processes_log_each_of_theirs_once(tmp_path):
    road = Road(tmp_path)
    lines = [ended(one) for one in both(tmp_path)]

    ids = [line[0] for part in lines for line in part]
    assert len(set(ids)) == 2 * EACH
    assert all(len(line) == 1 for part in lines for line in part)  # no warnings
    decoded = decode(road.memory.read_bytes())
    assert decoded.problems == ()
    assert set(decoded.memory.identified) == set(ids)
    assert hashes(road) == ours()
    assert decoded.memory.routing_model.sample_size == 2 * EACH
    assert {model.deliberations_participated for model in decoded.memory.model_performance.values()} == {
        2 * EACH
    }
    road.now = NOON + timedelta(days=1)
    assert len(road.flagged()) >= 2 * EACH - 4  # whoever found the vault busy left it to the other
    road.settle()
    assert len(road.flagged()) == len(road.ids()) == 2 * EACH


def test_an_agent_that_rewrites_the_file_loses_nothing_and_nothing_of_ours_is_lost(tmp_path):
    road = Road(tmp_path)
    road.memory.write_bytes(dump(document(model_performance={})))
    agent = started("rewrite", road.memory, 40)
    for one in [*both(tmp_path), agent]:
        ended(one)

    ids = [one["id"] for one in road.parsed()["deliberations"]]
    assert [id_ for id_ in ids if id_.startswith("d_2020")] == [f"d_20200101_{n:03}" for n in range(1, 41)]
    restore_vanished(road.workspace())
    assert hashes(road) >= ours()
    json.loads(road.memory.read_bytes())


def test_who_finds_the_vault_busy_does_not_wait_and_is_not_forgotten(tmp_path, monkeypatch):
    """While a slow sync goes on, the next deliberations are logged; it takes them along when it is done."""
    road = Road(tmp_path)
    road.settings["sync"] = {"every": 1}
    inner = []

    def logged(number):
        road.now += timedelta(minutes=11)
        return log(road.workspace(), read_log_input(deliberation(number)), road.now)

    settle = LocalVault.settle

    def slow(vault):
        if not inner:
            inner.append(None)
            (line,) = ended(started("log", tmp_path, 2, 1, 1))
            inner.append(line)
        return settle(vault)

    monkeypatch.setattr(LocalVault, "settle", slow)
    outcome = logged(1)

    assert len(inner[1]) == 1  # no warning
    assert outcome.followed.synced.entries == 2
    assert road.pending() == set()
    assert len(road.ids()) == 2
    assert not (road.workspace().folder / "sync-again").exists()
