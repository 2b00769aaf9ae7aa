"""What wakes the daemon."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import closing

import pytest

from council_vault.service.bell import Bell, orders_by_signal


@pytest.fixture
def bell():
    with closing(Bell()) as bell:
        yield bell


def test_it_waits_no_longer_than_it_is_told(bell):
    assert bell.wait(0.0) is False
    assert bell.wait(-5.0) is False
    begun = bell.now()
    assert bell.wait(0.02) is False
    assert bell.now() - begun >= 0.02


def test_a_change_wakes_once_however_often_it_rang(bell):
    for _ in range(100_000):
        bell.ring()
    assert bell.wait(30.0) is True
    assert bell.wait(0.0) is False


def test_it_rings_from_another_thread(bell):
    thread = threading.Timer(0.02, bell.ring)
    thread.start()
    begun = time.monotonic()
    assert bell.wait(30.0) is True
    assert time.monotonic() - begun < 20.0
    thread.join()


def test_to_ring_when_nobody_waits_any_more_does_no_harm():
    bell = Bell()
    bell.close()
    bell.ring()
    assert bell.now() > 0


_timers = []


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (signal.SIGTERM, (True, False)),
        (signal.SIGINT, (True, False)),
        (signal.SIGHUP, (False, True)),
    ],
)
def test_signals_are_orders_and_wake_without_a_change(number, told, bell, monkeypatch):
    monkeypatch.setattr("council_vault.service.bell.threading.Timer", NoTimer)
    before = signal.getsignal(number)
    with orders_by_signal(bell) as orders:
        assert (orders.stop, orders.reload) == (False, False)
        os.kill(os.getpid(), number)
        assert bell.wait(30.0) is False
        assert (orders.stop, orders.reload) == told
        os.kill(os.getpid(), number)
        assert bell.wait(30.0) is False
    assert signal.getsignal(number) == before
    assert signal.set_wakeup_fd(-1) == -1
    assert len(_timers) == (1 if told[0] else 0)
    _timers.clear()


def test_a_stop_that_takes_too_long_ends_the_program_and_says_so(bell, monkeypatch, caplog):
    left = []
    monkeypatch.setattr("council_vault.service.bell.GRACE", 0.01)
    monkeypatch.setattr("os._exit", left.append)
    with orders_by_signal(bell):
        os.kill(os.getpid(), signal.SIGTERM)
        deadline = time.monotonic() + 20
        while not left:
            assert time.monotonic() < deadline
            time.sleep(0.005)
    assert left == [0]
    assert "the next start settles it" in caplog.text


class NoTimer:
    """The clock that ends the program, which must not end the tests."""

    def __init__(self, seconds, leave):
        self.seconds, self.leave = seconds, leave
        self.daemon = False

    def start(self):
        assert self.daemon
        assert self.seconds < 5
        _timers.append(self)
