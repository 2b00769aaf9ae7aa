"""Each request of a sync goes wrong once in turn, each in a run of its own: it ends as if none had."""

from __future__ import annotations

import itertools
from contextlib import contextmanager

import pytest

from council_vault.errors import CouncilVaultError
from council_vault.vault import drive_client, drive_search, drive_session
from council_vault.vault.drive_patience import Patience
from support.drive_emulator import CUT_BODY, DROPPED, HTML_PAGE, LOST_REPLY, DriveEmulator, status
from support.drive_road import DriveRoad
from support.drive_vault import Time
from support.syncing import records

pytestmark = [pytest.mark.torture, pytest.mark.timeout(3600)]

# The first of each kind are tried in the short form.
PASSING = [LOST_REPLY, DROPPED, CUT_BODY, status(503), status(500, effect=True)]
LASTING = [status(403, "storageQuotaExceeded"), HTML_PAGE, status(403, "insufficientFilePermissions")]
GONE = [LOST_REPLY, DROPPED]


@pytest.fixture(autouse=True)
def time_is_made_up(monkeypatch):
    time = Time()
    patience = Patience(total=12.0, sleep=time.sleep, clock=time.clock)
    monkeypatch.setattr(drive_client, "Patience", lambda: patience)
    monkeypatch.setattr(drive_search, "PATIENCE", patience)


def first_sync(road):
    """Write notes into a vault that has none, and no folder for them."""


def update(road):
    """Write new rows into notes that a person has changed meanwhile."""
    road.settle()
    road.rate("d_20260328_002", "positive")
    road.edit("performance", "%% council-vault:end %%", "%% council-vault:end %%\n\nMine.")
    road.change_memory(lambda memory: memory["deliberations"].extend(records(5, first=6)))


def synced(road):
    """Sync, and return whether it went through."""
    try:
        return not road.sync().failure
    except CouncilVaultError:
        return False


@pytest.fixture(params=[first_sync, update], ids=lambda prepare: prepare.__name__)
def begun(request, tmp_path):
    """Return what begins a run: with folders and a Drive of its own."""
    numbers = itertools.count()

    @contextmanager
    def begin():
        base = tmp_path / str(next(numbers))
        base.mkdir()
        with DriveEmulator() as emulator:
            road = DriveRoad(base, emulator)
            road.write_memory(*records(5))
            request.param(road)
            emulator.forget_requests()
            yield road

    return begin


def outcome(road):
    """Return what notes and memory say, without when the memory was synced."""
    memory = road.parsed()
    del memory["last_vault_sync"]
    assert memory.pop("vault_sync_note", None) is None
    return road.notes(), memory


@pytest.fixture
def undisturbed(begun):
    """Return how many requests a sync takes, and what it comes to."""
    with begun() as road:
        assert synced(road)
        road.check_whole()
        return len(road.emulator.requests), outcome(road)


def test_what_passes_makes_no_difference(begun, undisturbed, full):
    count, expected = undisturbed
    for how, number in itertools.product(PASSING if full else PASSING[:2], range(1, count + 1)):
        with begun() as road:
            road.emulator.fail(number, how)
            assert synced(road), (how, number)
            road.check_whole()
            assert outcome(road) == expected, (how, number)


def test_what_lasts_is_made_up_for_by_the_next_sync(begun, undisturbed, full):
    count, expected = undisturbed
    for how, number in itertools.product(LASTING if full else LASTING[:1], range(1, count + 1)):
        with begun() as road:
            road.emulator.fail(number, how)
            synced(road)
            assert flags_are_true(road), (how, number)
            road.emulator.reset_faults()
            assert synced(road), (how, number)
            road.check_whole()
            assert outcome(road) == expected, (how, number)


def test_a_drive_that_is_gone_from_some_request_on(begun, undisturbed, full, monkeypatch):
    """The program ends then, and another one goes on."""
    count, expected = undisturbed
    for how, number in itertools.product(GONE if full else GONE[:1], range(1, count + 1)):
        with begun() as road:
            road.emulator.fail(number, how)
            road.emulator.fail(None, DROPPED, times=None, skip=number - 1)
            assert not synced(road), (how, number)
            assert flags_are_true(road), (how, number)
            road.emulator.reset_faults()
            monkeypatch.setattr(drive_session, "_mine", drive_session._Clients())
            assert synced(road), (how, number)
            road.check_whole()
            assert outcome(road) == expected, (how, number)


def flags_are_true(road):
    """Whether only records are flagged that have a row."""
    rows = set() if road.id("log") is None else set(road.ids())
    return road.flagged() <= rows
