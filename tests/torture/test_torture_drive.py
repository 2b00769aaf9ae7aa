"""A vault on Drive for a long time, and with a Drive that fails all the time."""

from __future__ import annotations

import itertools
import json
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import support
from council_vault.errors import CouncilVaultError
from council_vault.vault import drive_client, drive_search
from council_vault.vault.drive_patience import Patience
from support.drive_emulator import CUT_BODY, DROPPED, LOST_REPLY, status
from support.drive_road import DriveRoad
from support.drive_vault import Time
from support.syncing import records

pytestmark = [pytest.mark.torture, pytest.mark.timeout(3600)]

FAULTS = [LOST_REPLY, DROPPED, status(503, effect=True), status(500), CUT_BODY]
MIB = 1024 * 1024


@pytest.fixture
def swift(monkeypatch):
    """Let nobody wait for a pause."""
    time = Time()
    patience = Patience(total=12.0, sleep=time.sleep, clock=time.clock)
    monkeypatch.setattr(drive_client, "Patience", lambda: patience)
    monkeypatch.setattr(drive_search, "PATIENCE", patience)


def synced_in_the_end(road):
    """Sync until a sync goes through and leaves nothing pending."""
    for _ in range(20):
        with suppress(CouncilVaultError):
            if not road.sync().failure and not road.pending():
                return
    raise AssertionError("it does not converge")


@pytest.mark.parametrize("nth", range(2, 21))
def test_a_drive_that_fails_every_so_many_requests(nth, swift, tmp_path, emulator, full):
    """What people typed in meanwhile is there in the end, and everything once."""
    road = DriveRoad(tmp_path, emulator)
    road.write_memory(*records(5))
    synced_in_the_end(road)
    for number, how in enumerate(FAULTS if full else [LOST_REPLY, FAULTS[nth % 4 + 1]], start=1):
        requests = itertools.count(1)
        emulator.reset_faults()
        emulator.fail(lambda _, requests=requests: next(requests) % nth == 0, how, times=None)
        road.rate(f"d_20260328_00{number}", "positive")
        road.edit("performance", "%% council-vault:end %%", f"%% council-vault:end %%\n\nMy words, {number}.")
        road.change_memory(
            lambda memory: memory["deliberations"].extend(records(5, first=len(memory["deliberations"]) + 1))
        )
        synced_in_the_end(road)
        road.check_whole()
        assert road.row(f"d_20260328_00{number}")[-1] == "positive"
        assert road.record(f"d_20260328_00{number}")["user_rating"] == "positive"
        assert road.text("performance").count(f"My words, {number}.") == 1
    emulator.reset_faults()
    road.settle()
    emulator.forget_requests()
    assert not road.sync().changed
    assert not emulator.writes


def test_a_daemon_holds_no_more_after_many_syncs(tmp_path, emulator, full):
    times = 1000 if full else 60
    road = DriveRoad(tmp_path, emulator)
    road.write_memory(*records(100))
    started, held = time.monotonic(), []
    command = [
        sys.executable,
        "-W",
        "error",
        "-m",
        "support.drive_soak",
        tmp_path,
        emulator.endpoint,
        str(times),
    ]
    environment = road.environment()
    environment["PYTHONPATH"] += f":{Path(support.__path__[0]).parent}"
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, cwd=tmp_path) as process:
        for line in process.stdout:
            held.append(json.loads(line))
            for kind in road.names:  # a Drive that remembers everything would grow, and be asked for more
                emulator.purge_revisions(road.id(kind))
            requests = len(emulator.requests)
            emulator.forget_requests()
    assert process.returncode == 0
    assert len(held) == times
    early, late = held[times // 4 : times // 2], held[-times // 4 :]
    memory = [statistics.median(each[0] for each in part) for part in (early, late)]
    shown = ", ".join(f"{each[0] / MIB:.1f}" for each in held[:: max(times // 10, 1)])
    print(
        f"\n{times} syncs in {time.monotonic() - started:.0f} s, {requests} requests each; MiB held: {shown};"
        f" {held[-1][1]} open files, {held[-1][2]} threads"
    )
    assert memory[1] - memory[0] < MIB
    assert {tuple(each[1:]) for each in late} == {tuple(held[1][1:])}
    road.check_whole()
