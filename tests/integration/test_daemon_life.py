"""The daemon in made-up time: a day takes a second, and everything but the clock is real."""

from __future__ import annotations

import functools
import logging
import os
import time
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from council_vault import sync as sync_module
from council_vault.errors import SettingsError, WriteFailed
from council_vault.service import keeper
from council_vault.service.presence import present
from council_vault.service.watcher import Watcher
from council_vault.shipped import shipped
from support import places
from support.daemons import Life, Silent, add_one, lines
from support.memory_files import document, dump
from support.syncing import Road, records

DAY = 24 * 3600.0


@pytest.fixture
def road(tmp_path):
    road = Road(tmp_path)
    road.settings["sync"] = {"every": 1, "watch": "poll"}
    road.write_memory(*records(3))
    return road


@pytest.fixture(autouse=True)
def everything_is_heard(caplog):
    caplog.set_level(logging.INFO)
    logging.getLogger("filelock").setLevel(logging.WARNING)


def synced(caplog):
    return [line for line in lines(caplog) if line.startswith("Vault synced")]


def age(path, seconds):
    """Let a file have been changed so many seconds ago."""
    moment = time.time() - seconds
    os.utime(path, (moment, moment))


def silence(monkeypatch):
    """Let no event ever come."""
    monkeypatch.setattr(keeper, "Watcher", functools.partial(Watcher, observers=Silent))
    monkeypatch.setattr("council_vault.service.inotify.own_watches", frozenset)


# When it syncs


def test_what_is_pending_at_the_start_is_synced_once(road, caplog):
    Life(road).live(300)
    assert road.ids() == ["d_20260328_003", "d_20260328_002", "d_20260328_001"]
    assert len(synced(caplog)) == 1


@pytest.mark.parametrize(("added", "syncs"), [(4, 0), (5, 1), (9, 1), (10, 2)])
def test_records_wait_for_a_multiple(added, syncs, road, caplog):
    road.settings["sync"] = {"watch": "poll", "flush_after": 10_000}
    road.write_memory(*records(5))
    life = Life(road)
    life.time.every(10, lambda: add_one(road), 10 * added)
    life.live(10 * added + 100)
    assert len(synced(caplog)) == 1 + syncs
    assert len(road.rows()) == 5 + added // 5 * 5


def test_what_does_not_reach_a_multiple_is_flushed_into_the_log_alone(road, caplog):
    road.settings["sync"] = {"watch": "poll"}
    road.write_memory(*records(5))
    life = Life(road)
    before = {}
    life.time.at(50, lambda: before.update({kind: road.text(kind) for kind in ("performance", "routing")}))
    life.time.at(100, lambda: add_one(road))
    moments = []
    life.time.every(5, lambda: moments.append(life.time.passed) if road.pending() else None, 1500)
    life.live(1500)
    assert len(road.rows()) == 6
    assert 895 <= moments[-1] - moments[0] <= 905
    assert {kind: road.text(kind) for kind in before} == before
    assert "records have been pending for long" in synced(caplog)[-1]


def test_a_restart_does_not_begin_to_count_anew(road):
    road.settings["sync"] = {"watch": "poll"}
    road.write_memory(*records(5))
    Life(road).live(30)
    add_one(road)
    age(road.memory, 800)
    Life(road).live(90)
    assert len(road.rows()) == 5
    Life(road).live(110)
    assert len(road.rows()) == 6


def test_a_rebuilt_router_is_a_reason(road, caplog):
    road.settings["sync"] = {"watch": "poll"}
    life = Life(road)

    def rebuild():
        add_one(road)
        road.change_memory(lambda memory: memory["routing_model"].update(last_rebuilt="2026-03-29T10:00:00Z"))

    life.time.at(1000, rebuild)
    life.live(1100)
    assert len(road.rows()) == 4
    assert "Because the router was rebuilt" in synced(caplog)[-1]


def test_a_rating_in_the_memory_is_a_reason(road, caplog):
    road.settings["sync"] = {"watch": "poll"}
    life = Life(road)
    rate = lambda memory: memory["deliberations"][0].update(user_rating="negative")  # noqa: E731
    life.time.at(1000, lambda: road.change_memory(rate))
    life.live(1100)
    assert road.row("d_20260328_001")[-1] == "negative"
    assert "Because a rating was changed in the memory" in synced(caplog)[-1]


def test_a_rating_of_a_row_that_was_deleted_is_none(road, monkeypatch):
    road.settings["sync"] = {"watch": "poll"}
    road.settle()
    road.delete_rows("d_20260328_002")
    age(road.path("log"), 60)
    road.settle()
    syncs = counted_syncs(monkeypatch)
    life = Life(road)
    rate = lambda memory: memory["deliberations"][1].update(user_rating="negative")  # noqa: E731
    life.time.at(100, lambda: road.change_memory(rate))
    life.live(800)
    assert not syncs


def test_a_rating_typed_into_the_log_is_taken_within_a_rescan(road, caplog):
    life = Life(road)

    def rate():
        road.rate("d_20260328_002", "👍")
        age(road.path("log"), 60)

    life.time.at(100, rate)
    life.live(165)
    assert road.record("d_20260328_002")["user_rating"] == "positive"
    assert "Because a note was changed" in synced(caplog)[-1]


def test_words_of_the_persons_own_cost_one_look_by_a_sync(road, monkeypatch):
    road.settle()
    syncs = counted_syncs(monkeypatch)
    life = Life(road)

    def write(words):
        text = road.text("performance")
        road.path("performance").write_text(f"{text}\n{words}\n")
        age(road.path("performance"), 60)

    first = road.text("performance")
    life.time.at(100, lambda: write("My own words."))
    life.time.at(200, lambda: (road.path("performance").write_text(first), age(road.path("performance"), 60)))
    life.live(1000)
    assert len(syncs) == 2
    assert life.daemon._keeper._outlook.notes == frozenset()


def test_a_note_somebody_writes_in_is_left_until_it_is_quiet(road):
    life = Life(road)
    found = []

    def type_on():
        road.rate("d_20260328_002", "positive")
        os.utime(road.path("log"))

    life.time.at(100, type_on)
    life.time.at(110, lambda: add_one(road))
    life.time.at(119, lambda: found.append((road.rows(), road.parsed(), road.text("performance"))))
    life.time.at(120, lambda: age(road.path("log"), 11))
    life.live(140)
    ((rows, memory, performance),) = found
    assert len(rows) == 3
    assert memory["deliberations"][1]["user_rating"] is None
    assert "4" in performance
    assert len(road.rows()) == 4
    assert road.record("d_20260328_002")["user_rating"] == "positive"
    assert not road.pending()


def test_a_note_with_a_time_in_the_future_waits_for_nobody(road):
    life = Life(road)

    def type_there():
        road.rate("d_20260328_002", "positive")
        age(road.path("log"), -3600)

    life.time.at(100, type_there)
    life.live(200)
    assert road.record("d_20260328_002")["user_rating"] == "positive"


def test_a_note_that_went_missing_comes_back(road):
    life = Life(road)
    life.time.at(100, lambda: road.path("routing").unlink())
    life.live(200)
    assert road.path("routing").exists()


def test_a_refused_note_is_said_once_and_not_tried_again_and_again(road, caplog, monkeypatch):
    road.settle()
    road.edit("routing", "%% council-vault:end %%", "")
    age(road.path("routing"), 60)
    syncs = counted_syncs(monkeypatch)
    life = Life(road)
    life.time.at(DAY / 2, lambda: add_one(road))
    life.live(DAY)
    assert len(road.rows()) == 4
    assert len(syncs) <= 5
    assert sum("routing-intelligence" in line for line in lines(caplog, logging.WARNING)) <= 3


def counted_syncs(monkeypatch):
    syncs = []
    real = sync_module.sync

    def counted(*arguments):
        syncs.append(arguments[1])
        return real(*arguments)

    monkeypatch.setattr(sync_module, "sync", counted)
    return syncs


def test_nothing_changes_where_nothing_has_changed(road, monkeypatch):
    road.settle()
    syncs = counted_syncs(monkeypatch)
    before = {path: path.stat().st_mtime_ns for path in road.vault.rglob("*")}
    memory = road.memory.stat()
    life = Life(road)
    life.live(DAY)
    assert {path: path.stat().st_mtime_ns for path in road.vault.rglob("*")} == before
    assert road.memory.stat().st_mtime_ns == memory.st_mtime_ns
    assert not syncs


# What events miss


def test_an_observer_that_never_calls_costs_a_rescan_at_most(road, monkeypatch):
    road.settings["sync"]["watch"] = "auto"
    silence(monkeypatch)
    life = Life(road)
    life.time.at(100, lambda: add_one(road))
    seen = []
    life.time.at(161, lambda: seen.append(len(road.rows())))
    life.live(170)
    assert seen == [4]
    assert life.time.waits < 30


def test_equal_size_and_time_deceive_nobody(road, monkeypatch):
    road.settings["sync"]["watch"] = "auto"
    silence(monkeypatch)
    road.settle()

    def change():
        found = road.memory.stat()
        changed = road.memory.read_bytes().replace(b'"user_rating": null', b'"user_rating": "ok"', 1)
        road.memory.write_bytes(changed)
        os.utime(road.memory, ns=(found.st_atime_ns, found.st_mtime_ns))
        assert road.memory.stat().st_size == found.st_size

    life = Life(road)
    life.time.at(100, change)
    life.live(200)
    assert road.row("d_20260328_001")[-1] == "ok"


def test_a_file_system_that_says_nothing_is_read_at_each_rescan(road, monkeypatch):
    monkeypatch.setattr(keeper.Lookout, "_memory_mark", lambda _self: (1, 2, 3))
    life = Life(road)
    life.time.at(100, lambda: add_one(road))
    seen = []
    life.time.at(161, lambda: seen.append(len(road.rows())))
    life.live(170)
    assert seen == [4]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(24, "inotify instance limit reached"), "limit on programs that watch folders"),
        (OSError(28, "inotify watch limit reached"), "limit on watched folders"),
    ],
)
def test_a_limit_that_is_used_up_is_said_and_polling_begins(error, words, road, monkeypatch, caplog):
    road.settings["sync"]["watch"] = "auto"

    def refuse():
        raise error

    monkeypatch.setattr(keeper, "Watcher", functools.partial(Watcher, observers=refuse))
    life = Life(road)
    life.time.at(100, lambda: add_one(road))
    seen = []
    life.time.at(103, lambda: seen.append(len(road.rows())))
    life.live(200)
    assert seen == [4]
    (line,) = [line for line in lines(caplog, logging.WARNING) if words in line and "Still" not in line]
    assert line.startswith("looking every 2 s instead of watching")


def test_a_record_added_while_it_was_down_is_there_at_once(road):
    road.settle()
    add_one(road)
    Life(road).live(1)
    assert len(road.rows()) == 4


@pytest.mark.parametrize(
    "jump", [timedelta(days=-1), timedelta(hours=-1), timedelta(hours=1), timedelta(days=400)]
)
def test_a_clock_that_jumps_changes_nothing(jump, road, caplog):
    """It is set while the daemon waits for company, for the vault, and for nothing."""
    road.settings["sync"] = {"watch": "poll"}
    road.write_memory(*records(5))
    away = road.vault.with_name("away")
    life = Life(road)
    found = []
    with ExitStack() as clock:

        def set_clock():
            clock.enter_context(time_machine.travel(datetime.now(UTC) + jump, tick=True))

        life.time.at(50, set_clock)
        life.time.at(100, lambda: add_one(road))
        life.time.at(995, lambda: found.append(len(road.rows())))
        life.time.at(1003, lambda: found.append(len(road.rows())))
        life.time.at(2000, lambda: (road.vault.rename(away), [add_one(road) for _ in range(4)]))
        life.time.at(2010, set_clock)
        life.time.at(2500, lambda: away.rename(road.vault))
        life.time.at(2561, lambda: found.append(len(road.rows())))
        life.live(2600)
    assert found == [5, 6, 10]
    assert len(lines(caplog, logging.WARNING)) <= 4


# What is missing or broken


def test_a_vault_that_is_away_for_a_day(road, caplog, monkeypatch):
    syncs = counted_syncs(monkeypatch)
    road.settle()
    away = road.vault.with_name("away")
    life = Life(road)

    def leave():
        road.vault.rename(away)
        add_one(road)

    life.time.at(100, leave)
    life.time.at(DAY, lambda: away.rename(road.vault))
    seen = []
    life.time.at(DAY + 61, lambda: seen.append(len(road.rows())))
    life.live(DAY + 100)
    assert seen == [4]
    assert not road.pending()
    assert len(lines(caplog)) < 30
    assert 90 < len(syncs) < 120
    assert any(line.startswith("Recovered, after 24 h") for line in lines(caplog))


def test_a_vault_that_goes_again_is_looked_for_as_often_as_the_first_time(road, monkeypatch):
    syncs = counted_syncs(monkeypatch)
    road.settle()
    away = road.vault.with_name("away")
    life = Life(road)
    counts = []
    for begin in (0, 10_000):
        life.time.at(begin + 100, lambda: (road.vault.rename(away), add_one(road)))
        life.time.at(begin + 140, lambda: counts.append(len(syncs)))
        life.time.at(begin + 5000, lambda: (away.rename(road.vault), counts.append(len(syncs))))
    life.live(20_000)
    assert counts[2] - counts[1] >= 4
    assert len(road.rows()) == 5


def test_no_vault_at_all_is_searched_for_with_growing_pauses(road, caplog, monkeypatch):
    syncs = counted_syncs(monkeypatch)
    road.settings["vault"] = {"path": None}
    Life(road).live(DAY)
    assert 90 < len(syncs) < 120
    assert len(lines(caplog)) < 30
    assert any("no vault was found" in line for line in lines(caplog))


def test_a_change_of_the_memory_is_a_reason_to_look_for_the_vault_at_once(road, monkeypatch):
    syncs = counted_syncs(monkeypatch)
    away = road.vault.with_name("away")
    road.vault.rename(away)
    life = Life(road)

    def come_back():
        away.rename(road.vault)
        add_one(road)

    life.time.at(7000, come_back)
    life.time.at(7003, lambda: syncs.append("by now"))
    life.live(7004)
    assert syncs[-1] == "by now"
    assert len(road.rows()) == 4


def test_a_broken_file_that_is_touched_all_the_time(road, caplog):
    road.settle()
    broken = road.memory.read_bytes()[:-40]
    life = Life(road)
    number = 0

    def touch():
        nonlocal number
        number += 1
        road.memory.write_bytes(broken + b" " * (number % 7))
        life.time.ring()

    life.time.every(0.2, touch, 600)
    life.time.at(601, lambda: road.write_memory(*records(4)))
    life.live(700)
    assert len(road.rows()) == 4
    assert len(lines(caplog)) < 20
    assert life.time.waits < 20_000


def test_a_half_written_file_is_waited_for_in_silence(road, caplog):
    road.settle()
    whole = dump(document(*records(4)))
    life = Life(road)
    life.time.at(100, lambda: road.memory.write_bytes(whole[:-100]))
    life.time.at(104, lambda: road.memory.write_bytes(whole))
    life.live(200)
    assert len(road.rows()) == 4
    assert not lines(caplog, logging.WARNING)


def test_a_missing_file_is_waited_for_and_said_once(road, caplog):
    road.memory.unlink()
    life = Life(road)
    life.time.at(3600, lambda: road.write_memory(*records(2)))
    life.live(3700)
    assert len(road.rows()) == 2
    warnings = lines(caplog, logging.WARNING)
    assert "there is no memory file" in warnings[0]
    assert len(warnings) < 5
    assert any(line.startswith("Recovered") for line in lines(caplog))


def test_a_missing_workspace_is_waited_for(road):
    elsewhere = road.folder.with_name("elsewhere")
    road.folder.rename(elsewhere)
    life = Life(road)
    life.time.at(3600, lambda: elsewhere.rename(road.folder))
    life.live(3700)
    assert len(road.rows()) == 3


@pytest.mark.parametrize("broken", [b'{"a":"\xff"}', b"12", b"\0" * 100, b""])
def test_after_every_kind_of_broken_file_it_goes_on(broken, road):
    life = Life(road)
    life.time.at(100, lambda: road.memory.write_bytes(broken))
    life.time.at(200, lambda: road.write_memory(*records(4)))
    life.live(300)
    assert len(road.rows()) == 4


def test_a_template_that_raises_is_named_and_holds_nothing_up(road, caplog):
    templates = road.base / "templates"
    templates.mkdir()
    for template in shipped("templates").iterdir():
        (templates / template.name).write_text("{{ 1 / 0 }}")
    road.settings["notes"] = {"templates": str(templates)}
    life = Life(road)
    life.time.every(60, lambda: add_one(road), 600)
    life.live(700)
    assert len(road.rows()) == 13
    assert 1 <= sum("division by zero" in line for line in lines(caplog, logging.WARNING)) <= 6


def test_a_write_that_fails_is_tried_again_and_said_once(road, caplog, monkeypatch):
    road.settle()
    real = sync_module.sync
    fails = True

    def sync(*arguments):
        if fails:
            raise WriteFailed("it cannot be written: no space left on device", where="note.md")
        return real(*arguments)

    monkeypatch.setattr(sync_module, "sync", sync)
    life = Life(road)

    def mend():
        nonlocal fails
        fails = False

    life.time.at(100, lambda: add_one(road))
    life.time.at(4000, mend)
    seen = []
    life.time.at(4061, lambda: seen.append(len(road.rows())))
    life.live(4100)
    assert seen == [4]
    assert len(lines(caplog, logging.WARNING)) < 6


def test_a_file_that_was_mended_is_a_reason_to_try_at_once(road, monkeypatch):
    road.settle()
    real = sync_module.sync
    fails = True

    def sync(*arguments):
        if fails:
            raise WriteFailed("it cannot be written: no space left on device", where="note.md")
        return real(*arguments)

    monkeypatch.setattr(sync_module, "sync", sync)
    life = Life(road)
    whole = b""

    def spoil():
        nonlocal whole
        whole = road.memory.read_bytes()
        road.memory.write_bytes(b"{")

    def mend():
        nonlocal fails
        fails = False
        road.memory.write_bytes(whole)

    life.time.at(100, lambda: add_one(road))
    seen = []
    for number in range(20):  # whatever the pause is that would be left
        life.time.at(1000 + 13 * number, lambda: seen.append(len(road.rows())))
    life.time.at(1000, spoil)
    life.time.at(1003, mend)
    life.live(1300)
    assert seen[:2] == [3, 4]


def test_a_vault_that_may_not_be_written_to(caplog):
    with places.as_nobody() as base:
        road = Road(base / "own")
        road.settings["sync"] = {"every": 1, "watch": "poll"}
        road.write_memory(*records(3))
        life = Life(road)

        def lock():
            road.path("log").parent.chmod(0o555)
            add_one(road)

        life.time.at(100, lock)
        life.time.at(4000, lambda: road.path("log").parent.chmod(0o755))
        seen = []
        life.time.at(4061, lambda: seen.append((len(road.rows()), road.pending())))
        life.live(4100)
        assert seen == [(4, set())]
        warnings = lines(caplog, logging.WARNING)
        assert any("permission denied" in line for line in warnings)
        assert len(warnings) < 12  # of each of the three notes


def test_what_nobody_thought_of_is_survived(road, caplog, monkeypatch):
    real = keeper.Lookout.look
    number = 0

    def look(self, *, thorough):
        nonlocal number
        number += 1
        if 3 < number < 40:
            raise ZeroDivisionError("who would have thought")
        return real(self, thorough=thorough)

    monkeypatch.setattr(keeper.Lookout, "look", look)
    life = Life(road)
    life.time.at(100, lambda: add_one(road))
    life.live(4000)
    assert len(road.rows()) == 4
    assert life.time.waits < 4000
    warnings = lines(caplog, logging.WARNING)
    assert "something unexpected went wrong: ZeroDivisionError" in warnings[0]
    assert len(warnings) < 6


def test_after_a_good_while_a_new_mistake_is_paused_for_as_briefly_as_the_first(road, monkeypatch):
    road.settle()
    real = keeper.Lookout.look
    life = Life(road)
    fails = []

    def look(self, *, thorough):
        again = life.time.passed >= 5000 and fails[-1] < 5000
        if 100 <= life.time.passed < 400 or again:
            fails.append(life.time.passed)
            raise ZeroDivisionError
        return real(self, thorough=thorough)

    monkeypatch.setattr(keeper.Lookout, "look", look)
    life.time.at(5000.5, lambda: add_one(road))
    seen = []
    life.time.at(5004, lambda: seen.append(len(road.rows())))
    life.live(5100)
    assert fails[-1] >= 5000
    assert seen == [4]


def test_a_state_that_cannot_be_used_is_said_and_waited_for(road, caplog):
    road.settle()
    (kept,) = (path for path in road.states.iterdir() if path.name.startswith("workspace-"))
    state, aside = kept / "state.sqlite", kept / "aside.sqlite"
    life = Life(road)

    def spoil():
        state.rename(aside)
        state.mkdir()
        add_one(road)

    def mend():
        state.rmdir()
        aside.rename(state)

    life.time.at(100, spoil)
    life.time.at(1000, mend)
    seen = []
    life.time.at(1061, lambda: seen.append(len(road.rows())))
    life.live(1100)
    assert seen == [4]
    assert any("the program's own state cannot be used" in line for line in lines(caplog, logging.WARNING))


# What it is told, and what it tells


def test_new_settings_are_taken_over(road, caplog):
    road.settings["sync"] = {"watch": "poll", "flush_after": 100_000}
    life = Life(road)
    life.time.at(50, road.settle)
    life.time.at(100, lambda: add_one(road))

    def change():
        road.settings["notes"] = {"charts": "none"}
        life.reload()

    life.time.at(1000, change)
    life.live(1100)
    assert "xychart" not in road.text("performance")
    assert len(road.rows()) == 4
    assert any("The settings were read again" in line for line in lines(caplog))


def test_settings_that_are_wrong_are_said_and_the_old_ones_stay(road, caplog, monkeypatch):
    life = Life(road)
    life.time.at(50, lambda: monkeypatch.setattr(life.daemon, "_load", refuse))
    life.time.at(51, life.reload)
    life.time.at(100, lambda: add_one(road))

    def refuse():
        raise SettingsError("vault.name: expected text, got 5", where="config.toml, line 3")

    life.live(200)
    assert len(road.rows()) == 4
    (line,) = lines(caplog, logging.ERROR)
    assert "the old ones stay: config.toml, line 3: vault.name" in line


def test_another_workspace_is_taken_over_and_the_first_given_up(road):
    life = Life(road)
    first = road.workspace()
    second = road.base / "second"

    def move():
        second.mkdir()
        (second / "council-memory.json").write_bytes(dump(document(*records(2, "20260401"))))
        road.settings["workspace"] = {"path": str(second), "name": "second"}
        life.reload()

    running = []
    life.time.at(100, move)
    life.time.at(200, lambda: running.append([present(w.folder, w.locks) for w in (first, road.workspace())]))
    life.live(210)
    ((of_first, of_second),) = running
    assert of_first is None
    assert of_second.summary.startswith("2 deliberations, 0 pending")


def told(road):
    workspace = road.workspace()
    return present(workspace.folder, workspace.locks)


def test_it_says_what_it_does_and_waits_for(road):
    road.settings["sync"] = {"watch": "poll"}
    road.write_memory(*records(5))
    life = Life(road)
    found = {}
    life.time.at(10, lambda: found.update(idle=told(road)))
    life.time.at(20, lambda: add_one(road))
    life.time.at(30, lambda: found.update(pending=told(road)))
    life.time.at(40, lambda: road.memory.write_bytes(b"{"))
    life.time.at(60, lambda: found.update(blind=told(road)))
    life.live(70)
    assert told(road) is None
    assert found["idle"].pid == os.getpid()
    assert found["idle"].did.startswith("Vault synced: updated")
    assert found["idle"].summary.startswith("5 deliberations, 0 pending, synced ")
    assert found["idle"].waiting == ""
    assert found["pending"].waiting.startswith("1 pending until there are 10 deliberations, or until ")
    assert found["blind"].waiting == "waiting for a memory file that can be read"
    assert len(found["blind"].troubles) == 1
    assert str(road.memory) in found["blind"].summary


def test_while_the_vault_is_away_it_says_when_it_looks_again(road):
    road.settle()
    away = road.vault.with_name("away")
    life = Life(road)
    life.time.at(10, lambda: (road.vault.rename(away), add_one(road)))
    found = []
    life.time.at(30, lambda: found.append(told(road)))
    life.time.at(40, lambda: away.rename(road.vault))
    life.live(45)
    assert found[0].waiting.startswith("trying again at ")
    assert "vault.path cannot be used" in found[0].troubles[0]
    assert told(road) is None


def test_nothing_is_told_that_has_not_changed(road):
    life = Life(road)
    marks = set()
    (kept,) = (path for path in road.states.iterdir() if path.name.startswith("workspace-"))
    life.time.at(100, lambda: marks.add((kept / "daemon.json").stat().st_mtime_ns))
    life.time.at(3000, lambda: marks.add((kept / "daemon.json").stat().st_mtime_ns))
    life.live(3001)
    assert len(marks) == 1


def test_what_cannot_be_told_to_others_is_said_and_told_later(road, caplog):
    road.settle()
    life = Life(road)
    (kept,) = (path for path in road.states.iterdir() if path.name.startswith("workspace-"))
    file = kept / "daemon.json"

    def spoil():
        file.unlink()
        file.mkdir()
        add_one(road)

    life.time.at(10, spoil)
    life.time.at(1000, file.rmdir)
    found = []
    life.time.at(1100, lambda: found.append(told(road)))
    life.live(1200)
    assert len(road.rows()) == 4
    assert found[0].summary.startswith("4 deliberations, 0 pending")
    assert sum("what the daemon is doing cannot be told" in line for line in lines(caplog)) <= 4


@pytest.mark.parametrize(("bad", "words"), [(1, "a field or record"), (3, "3 fields or records")])
def test_fields_that_cannot_be_understood_are_counted_once(bad, words, road, caplog):
    life = Life(road)
    odd = records(bad, "20260401", latency_ms="long")
    life.time.at(100, lambda: road.change_memory(lambda memory: memory["deliberations"].extend(odd)))
    life.time.every(50, lambda: add_one(road), 500)
    life.live(600)
    assert 1 <= sum(f"{words} of the memory file" in line for line in lines(caplog)) <= 3
    assert not road.pending()


def test_no_text_of_a_record_is_logged(road, caplog):
    life = Life(road)
    life.time.at(100, lambda: road.memory.write_bytes(road.memory.read_bytes()[:-30]))
    life.live(400)
    assert not any("Question" in line for line in lines(caplog, logging.DEBUG))
