"""The daemon and a vault on Drive, in made-up time: an errand takes none of it."""

from __future__ import annotations

import collections
import logging
import threading

import pytest

from council_vault.service import daemon, keeper
from council_vault.service.errands import Errands
from council_vault.vault import drive_client, drive_search
from council_vault.vault.drive_patience import Patience
from support.daemons import Life, add_one, lines, until
from support.drive_emulator import DROPPED, status
from support.drive_road import DriveRoad
from support.drive_sign_in import sign_in_to, signed_in
from support.drive_vault import Time
from support.syncing import records

WAITS = 61  # seconds within which everything is noticed


class SwiftErrands(Errands):
    """Errands that are done before time goes on."""

    def send(self, errand):
        super().send(errand)
        until(lambda: errand.is_done)


class LateErrands(SwiftErrands):
    """Errands that are done half a minute later; time goes on meanwhile."""

    def __init__(self, ring):
        super().__init__(ring)
        self.time = ring.__self__
        self.out = self.most_out = self.sent = 0

    def send(self, errand):
        self.out += 1
        self.sent += 1
        self.most_out = max(self.out, self.most_out)
        self.time.at(self.time.passed + 30, lambda: self.do(errand))

    def do(self, errand):
        self.out -= 1
        super().send(errand)


@pytest.fixture(autouse=True)
def time_is_made_up(monkeypatch, caplog):
    time = Time()
    monkeypatch.setattr(daemon, "Errands", SwiftErrands)
    patience = Patience(total=12.0, sleep=time.sleep, clock=time.clock)
    monkeypatch.setattr(drive_client, "Patience", lambda: patience)
    monkeypatch.setattr(drive_search, "PATIENCE", patience)
    caplog.set_level(logging.INFO)
    logging.getLogger("filelock").setLevel(logging.WARNING)
    return time


@pytest.fixture
def road(tmp_path, emulator):
    road = DriveRoad(tmp_path, emulator)
    road.settings["sync"] = {"every": 1, "watch": "poll"}
    road.write_memory(*records(3))
    return road


def operations(emulator):
    return collections.Counter(request.operation for request in emulator.requests)


def test_what_is_pending_is_synced(road, caplog):
    life = Life(road)
    life.time.at(100, lambda: add_one(road))
    life.live(130)
    assert len(road.rows()) == 4
    assert not road.pending()
    assert len([line for line in lines(caplog) if line.startswith("Vault synced")]) == 2


def test_while_nothing_happens_one_request_a_minute_is_made(road, emulator):
    life = Life(road)
    life.time.at(150, emulator.forget_requests)
    life.live(150 + 10 * 60)
    assert operations(emulator) == {"changes.list": 10}


def test_what_others_do_on_the_drive_is_looked_at_only_where_it_may_concern_a_note(road, emulator):
    life = Life(road)
    life.time.at(150, emulator.forget_requests)
    life.time.at(200, lambda: emulator.add_file("photo.jpg", b"x"))
    life.live(150 + 300)
    assert set(operations(emulator)) == {"changes.list"}


def test_a_rating_typed_into_the_copy_on_drive_is_picked_up_within_a_minute(road):
    life = Life(road)
    life.time.at(500, lambda: road.rate("d_20260328_002", "positive"))
    seen = []
    life.time.at(500 + WAITS, lambda: seen.append(road.record("d_20260328_002")["user_rating"]))
    life.live(500 + WAITS)
    assert seen == ["positive"]


def test_a_note_that_was_removed_is_noticed(road, emulator, caplog):
    life = Life(road)
    life.time.at(200, lambda: emulator.trash(road.id("routing")))
    life.live(200 + 2 * WAITS)
    assert "updated routing intelligence" in lines(caplog)[-2]
    assert road.id("routing") is not None


def test_a_place_in_the_feed_that_drive_has_forgotten_begins_anew(road, emulator):
    life = Life(road)

    def forget_and_rate():
        emulator.fail(lambda request: request.operation == "changes.list", status(410))
        road.rate("d_20260328_002", "positive")

    life.time.at(500, forget_and_rate)
    life.live(500 + WAITS)
    assert road.record("d_20260328_002")["user_rating"] == "positive"


def test_after_an_outage_what_is_pending_is_synced_within_a_minute(road, emulator, caplog):
    life = Life(road)
    life.time.at(100, lambda: emulator.fail(None, DROPPED, times=None))
    life.time.every(400, lambda: add_one(road), 2000)
    life.time.at(3000, emulator.reset_faults)
    seen = []
    life.time.at(3000 + WAITS, lambda: seen.append((len(road.rows()), road.pending())))
    life.live(3000 + 2 * WAITS)
    assert seen == [(8, set())]
    said = lines(caplog, logging.WARNING)
    assert "the vault used before is on Google Drive, which cannot be used now" in said[0]
    assert len(said) < 8
    assert any(line.startswith("Recovered") for line in lines(caplog))


def test_hours_without_a_valid_sign_in_is_quiet_and_over_with_a_new_one(road, emulator, caplog):
    access = road.workspace().drive
    signed_in(access, sign_in_to(emulator))
    emulator.oauth.required = True
    life = Life(road)
    life.time.at(100, emulator.oauth.revoke)
    life.time.at(200, lambda: add_one(road))
    life.time.at(6 * 3600, lambda: signed_in(access, sign_in_to(emulator)))
    seen = []
    life.time.at(6 * 3600 + WAITS, lambda: seen.append((len(road.rows()), road.pending())))
    life.live(6 * 3600 + 2 * WAITS)
    assert seen == [(4, set())]
    said = lines(caplog, logging.WARNING)
    assert "council-vault drive login" in said[0]
    assert len(said) < 20
    assert operations(emulator)["oauth.token"] < 6 * 3600 / 900 + 5


def test_a_full_storage_is_not_hammered(road, emulator):
    life = Life(road)
    life.live(100)
    add_one(road)
    emulator.forget_requests()
    emulator.fail(lambda request: request.kind == "write", status(403, "storageQuotaExceeded"), times=None)
    Life(road).live(6 * 3600)
    assert len(emulator.writes) < 6 * 3600 / 900 + 20
    emulator.reset_faults()
    Life(road).live(100)
    assert len(road.rows()) == 4


def test_one_thread_uses_drive_and_keeps_its_connections(road, emulator, monkeypatch):
    threads, made = set(), []
    real = drive_client.DriveClient.__init__

    def init(self, *given):
        threads.add(threading.get_ident())
        made.append(self)
        real(self, *given)

    monkeypatch.setattr(drive_client.DriveClient, "__init__", init)
    life = Life(road)
    life.time.every(100, lambda: add_one(road), 1000)
    life.live(1100)
    assert len(road.rows()) == 13
    assert len(threads) == 1
    assert threads != {threading.get_ident()}
    assert len(made) <= 2  # one that is patient, and one that is not


def test_while_an_errand_is_out_no_other_one_is_sent(road, monkeypatch):
    monkeypatch.setattr(daemon, "Errands", LateErrands)
    life = Life(road)
    life.time.every(7, lambda: add_one(road), 700)
    life.live(1000)
    assert len(road.rows()) == 103
    assert not road.pending()
    assert life.daemon._errands.most_out == 1


def test_what_a_sync_itself_changes_is_no_reason_for_another(road, monkeypatch, caplog):
    """It takes a rating into the memory before the note is drawn, and the daemon looks in between."""
    monkeypatch.setattr(daemon, "Errands", LateErrands)
    life = Life(road)
    life.live(200)
    caplog.clear()
    syncs = []
    real = keeper.sync_for
    monkeypatch.setattr(keeper, "sync_for", lambda *given: (syncs.append(life.time.passed), real(*given))[1])

    def rate_in_the_memory():
        road.change_memory(lambda memory: memory["deliberations"][0].update(user_rating="negative"))

    life = Life(road)
    life.time.at(100, lambda: add_one(road))
    life.time.at(110, rate_in_the_memory)  # while the sync for that one is out
    life.live(400)
    assert road.row("d_20260328_001")[-1] == "negative"
    assert len(syncs) == 2  # at the start, and for the record


def test_settings_that_are_read_again_are_used(road, caplog):
    life = Life(road)
    life.time.at(100, lambda: road.settings.update(sync={"every": 5, "watch": "poll"}))
    life.time.at(101, life.reload)
    life.time.at(200, lambda: add_one(road))
    seen = []
    life.time.at(400, lambda: seen.append(len(road.rows())))
    life.time.at(401, lambda: add_one(road))
    life.live(500)
    assert seen == [3]
    assert len(road.rows()) == 5
    assert "a multiple of 5" in "".join(lines(caplog))
