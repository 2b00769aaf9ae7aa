"""The keyring of a desktop, over a real D-Bus: nobody is ever asked for its password."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from council_vault.errors import VaultUnavailable
from council_vault.vault.drive_keyring import SecureKeyring

pytest.importorskip("secretstorage")
from keyring.backends import SecretService

from support import secret_service

ASKING = {"Unlock", "Prompt", "CreateCollection"}


@pytest.fixture
def bus(tmp_path, monkeypatch):
    """Return a function that starts a keyring on a bus of its own, and one that returns the calls it got."""
    if shutil.which("dbus-daemon") is None:
        pytest.skip("dbus-daemon is not installed")
    address = f"unix:path={tmp_path}/bus"
    running = [
        subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", f"--address={address}", "--print-address"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    ]
    assert running[0].stdout.readline()
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)

    def start(locked):
        service = subprocess.Popen(
            [sys.executable, Path(secret_service.__file__), locked], stdout=subprocess.PIPE
        )
        running.append(service)
        assert service.stdout.readline() == b"ready\n"

        def calls():
            service.terminate()
            return set(service.stdout.read().decode().split())

        return calls

    yield start
    for process in running:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def keyring():
    return SecureKeyring(SecretService.Keyring())


@pytest.mark.parametrize("doing", ["get", "set", "remove"])
def test_a_locked_one_is_not_asked_to_open(bus, keyring, doing):
    calls = bus("yes")
    with pytest.raises(VaultUnavailable, match=r"the keyring is locked\. Unlock it by logging in"):
        getattr(keyring, doing)(*("user", "secret")[: 2 if doing == "set" else 1])
    assert calls() == {"ReadAlias", "Get"}


def test_one_that_is_not_there_yet_is_not_made(bus, keyring):
    calls = bus("none")
    with pytest.raises(VaultUnavailable, match="the keyring does not answer: ItemNotFoundException"):
        keyring.get("user")
    assert not calls() & ASKING


def test_an_open_one_is_asked_for_the_secret(bus, keyring):
    calls = bus("no")
    with pytest.raises(VaultUnavailable, match="does not answer: DBusErrorResponse"):
        keyring.get("user")  # this one keeps no secrets
    assert "SearchItems" in calls()


def test_without_a_bus_that_is_said(keyring, monkeypatch):
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    with pytest.raises(VaultUnavailable, match="the keyring does not answer"):
        keyring.get("user")
