"""The notify protocol, spoken to a real datagram socket as systemd has one."""

from __future__ import annotations

import os
import socket
import struct
import time
import uuid
from contextlib import closing
from pathlib import Path

import pytest

from council_vault.service import systemd
from council_vault.service.systemd import Notifier

CREDENTIALS = struct.Struct("3i")  # struct ucred: process, user, group

pytestmark = pytest.mark.skipif(not hasattr(socket, "SO_PASSCRED"), reason="systemd's sockets are Linux's")


class Manager:
    """The socket of a service manager, which looks at who is speaking."""

    def __init__(self, address):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._socket.settimeout(10)
        self._socket.bind(address)

    def hears(self):
        """Return the next message and the process that it is from."""
        message, extra, _, _ = self._socket.recvmsg(4096, socket.CMSG_SPACE(CREDENTIALS.size))
        ((_, _, credentials),) = extra
        return message.decode(), CREDENTIALS.unpack(credentials)[0]

    def close(self):
        self._socket.close()


@pytest.fixture(params=["path", "abstract"])
def heard(request, tmp_path):
    """A manager, and the environment that it gives to its services."""
    name = str(tmp_path / "notify") if request.param == "path" else f"@council-vault/{uuid.uuid4()}"
    with closing(Manager(name.replace("@", "\0"))) as manager:
        yield manager, {"NOTIFY_SOCKET": name}


def test_everything_is_heard_in_order_and_from_the_main_process(heard):
    manager, environment = heard
    notifier = Notifier(environment)
    earliest = time.monotonic_ns() // 1000
    notifier.ready("64 deliberations, 2 pending")
    notifier.status("synced 10:31 — ünd mehr")
    notifier.watchdog()
    notifier.reloading()
    notifier.ready("settings read again")
    notifier.stopping()
    messages = [manager.hears() for _ in range(6)]
    assert {sender for _, sender in messages} == {os.getpid()}
    reloading = messages.pop(3)[0].split("MONOTONIC_USEC=")
    assert reloading[0] == "RELOADING=1\n"
    assert earliest <= int(reloading[1]) <= time.monotonic_ns() // 1000
    assert [message for message, _ in messages] == [
        "READY=1\nSTATUS=64 deliberations, 2 pending",
        "STATUS=synced 10:31 — ünd mehr",
        "WATCHDOG=1",
        "READY=1\nSTATUS=settings read again",
        "STOPPING=1",
    ]


def test_a_status_cannot_say_more_than_a_status(heard):
    manager, environment = heard
    Notifier(environment).status("all is\nSTOPPING=1\r\n well \udcff")
    assert manager.hears()[0] == "STATUS=all is STOPPING=1 well ?"


@pytest.mark.parametrize("address", ["", "/nowhere/notify", "vsock:2:1234", f"/{'long' * 50}", "relative"])
def test_nobody_hears_and_nothing_is_raised(address, heard):
    Notifier({"NOTIFY_SOCKET": address}).ready("up")
    Notifier({}).ready("up")
    manager, environment = heard
    Notifier(environment).stopping()
    assert manager.hears()[0] == "STOPPING=1"


def test_a_manager_that_is_started_again_is_found(tmp_path):
    address = str(tmp_path / "notify")
    notifier = Notifier({"NOTIFY_SOCKET": address})
    with closing(Manager(address)) as manager:
        notifier.ready("up")
        assert manager.hears()[0].startswith("READY=1")
    notifier.watchdog()
    os.unlink(address)  # noqa: PTH108 - a socket
    with closing(Manager(address)) as manager:
        notifier.watchdog()
        assert manager.hears()[0] == "WATCHDOG=1"


def test_a_manager_that_does_not_listen_cannot_stop_us(heard, monkeypatch):
    monkeypatch.setattr(systemd, "_PATIENCE", 0.01)
    manager, environment = heard
    notifier = Notifier(environment)
    for _ in range(int(Path("/proc/sys/net/unix/max_dgram_qlen").read_text()) + 5):
        notifier.watchdog()  # a full queue would wait for ever
    assert manager.hears()[0] == "WATCHDOG=1"


@pytest.mark.parametrize(
    ("environment", "seconds"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "180000000"}, 180.0),
        ({"WATCHDOG_USEC": "500000", "WATCHDOG_PID": str(os.getpid())}, 0.5),
        ({"WATCHDOG_USEC": "500000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "500000", "WATCHDOG_PID": "x"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "-1"}, None),
    ],
)
def test_the_watchdog_waits_for_the_process_it_names(environment, seconds):
    assert Notifier(environment).watchdog_seconds == seconds
