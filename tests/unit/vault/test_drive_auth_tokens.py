"""What is kept of a sign-in: for the person alone, whole or not at all, and never lost by an accident."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from council_vault.errors import Busy, VaultUnavailable, WriteFailed
from council_vault.files import locks
from council_vault.vault.drive_tokens import Secrets, SignIn, TokenStore
from support.drive_sign_in import mode
from support.places import as_nobody

NOW = datetime(2026, 3, 28, 14, 30, tzinfo=UTC)
SENTINELS = ("client-sentinel", "refresh-sentinel", "access-sentinel")


def some(**changes) -> SignIn:
    secrets = Secrets(
        client_secret="client-sentinel",
        refresh_token="refresh-sentinel",
        access_token="access-sentinel",
        expiry=NOW + timedelta(hours=1),
    )
    made = SignIn(
        account="ines@example.com",
        client_id="id",
        token_uri="https://oauth2.googleapis.com/token",
        scopes=("https://www.googleapis.com/auth/drive",),
        signed_in_at=NOW,
        secrets=secrets,
    )
    return msgspec.structs.replace(made, **changes)


@pytest.fixture
def tokens(tmp_path):
    return TokenStore(tmp_path / "states" / "drive", tmp_path / "states" / "locks")


def keep(tokens, sign_in=None):
    with tokens.locked():
        return tokens.save(sign_in or some())


def test_nobody_is_signed_in_at_first(tokens):
    assert (tokens.is_signed_in, tokens.read(), tokens.place) == (False, None, None)


def test_what_is_kept_is_read_again(tokens):
    assert keep(tokens) == "file"
    assert (tokens.is_signed_in, tokens.place) == (True, "file")
    assert tokens.read() == some()


def test_only_the_person_can_look_into_it_whatever_the_umask(tokens):
    before = os.umask(0)
    try:
        keep(tokens)
    finally:
        os.umask(before)
    assert (mode(tokens.path), mode(tokens.path.parent)) == (0o600, 0o700)


def test_it_is_never_there_for_others_not_even_for_a_moment(tokens, monkeypatch):
    seen = []
    real = os.open

    def watch(path, flags, mode=0o777, **options):
        file = real(path, flags, mode, **options)
        if "token.json" in os.fsdecode(path) and flags & os.O_CREAT:
            seen.append(os.fstat(file).st_mode & 0o777)
        return file

    monkeypatch.setattr(os, "open", watch)
    before = os.umask(0)
    try:
        keep(tokens)
    finally:
        os.umask(before)
    assert seen == [0o600]


def test_a_shorter_one_leaves_nothing_of_a_longer_one(tokens):
    keep(tokens, some(account="x" * 5000))
    keep(tokens, some(account=""))
    assert tokens.read() == some(account="")
    json.loads(tokens.path.read_text())


@pytest.mark.parametrize("wanted", [0o644, 0o640, 0o606])
def test_one_that_others_could_read_is_closed_and_named(tokens, caplog, wanted):
    keep(tokens)
    tokens.path.chmod(wanted)
    assert tokens.read() == some()
    assert mode(tokens.path) == 0o600
    (record,) = caplog.records
    assert str(tokens.path) in record.getMessage()
    assert f"mode {wanted:03o}" in record.getMessage()
    assert tokens.read() == some()
    assert len(caplog.records) == 1


def test_one_of_somebody_else_is_named_and_left_alone(tokens):
    keep(tokens)
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(tokens.path, 12345, -1)
    with pytest.raises(VaultUnavailable, match=r"belongs to another user \(number 12345\)") as caught:
        tokens.read()
    assert str(tokens.path) in str(caught.value)
    assert tokens.path.exists()


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"null", b"[]", b"\xff\xfe", b'{"account": 3}', b"{", b"\x00" * 300], ids=repr
)
def test_a_damaged_one_is_named_with_the_remedy_and_stays(tokens, content):
    keep(tokens)
    tokens.path.write_bytes(content)
    with pytest.raises(VaultUnavailable, match=r"damaged\. Sign in again with `council-vault drive login`"):
        tokens.read()
    assert tokens.path.read_bytes() == content
    assert tokens.is_signed_in


def test_trailing_junk_is_damage_and_tells_no_secret(tokens):
    keep(tokens)
    tokens.path.write_bytes(tokens.path.read_bytes() + b"}")
    with pytest.raises(VaultUnavailable, match="damaged") as caught:
        tokens.read()
    told = f"{caught.value!r} {caught.value} {caught.value.__cause__!r}"
    assert not [word for word in SENTINELS if word in told]


def test_one_that_may_not_be_read_is_named(tokens):
    keep(tokens)
    tokens.path.chmod(0)
    with as_nobody(), pytest.raises(VaultUnavailable, match="cannot be read: permission denied"):
        tokens.read()


def test_a_folder_in_its_place_is_named(tokens):
    tokens.path.mkdir(parents=True)
    with pytest.raises(VaultUnavailable, match="cannot be read: is a directory"):
        tokens.read()


def test_a_folder_that_cannot_be_made_is_named(tokens, tmp_path):
    (tmp_path / "states").write_text("a file")
    with pytest.raises(WriteFailed, match="its folder cannot be made"), tokens.locked():
        pass


def test_where_it_cannot_be_written_what_was_kept_is_kept(tokens, tmp_path, monkeypatch):
    keep(tokens)

    def full(_file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("council_vault.vault.drive_tokens.make_durable", full)
    with pytest.raises(WriteFailed, match="the sign-in cannot be kept: no space left"):
        keep(tokens, some(account="new"))
    assert tokens.read() == some()
    assert [path.name for path in tokens.path.parent.iterdir()] == ["token.json"]


def test_what_a_killed_process_left_is_deleted(tokens):
    keep(tokens)
    left = tokens.path.with_name("token.json.4711.part")
    left.write_text("refresh-sentinel")
    keep(tokens)
    assert not left.exists()
    left.write_text("refresh-sentinel")
    with tokens.locked():
        tokens.forget()
    assert list(tokens.path.parent.iterdir()) == []


def test_forgetting_deletes_even_what_is_damaged_and_is_no_error_twice(tokens):
    keep(tokens)
    tokens.path.write_text("junk")
    with tokens.locked():
        tokens.forget()
        tokens.forget()
    assert not tokens.is_signed_in


def test_what_cannot_be_deleted_is_named(tokens):
    tokens.path.mkdir(parents=True)
    with tokens.locked(), pytest.raises(WriteFailed, match="the sign-in cannot be deleted"):
        tokens.forget()


def test_nothing_of_it_shows_its_secrets(tokens):
    keep(tokens)
    told = f"{some()!r} {some()} {some().secrets!r} {tokens._kept()!r} {[some()]} {tokens!r}"
    assert "ines@example.com" in told
    assert not [word for word in SENTINELS if word in told]


def test_two_do_not_change_it_at_once(tokens, monkeypatch):
    monkeypatch.setattr(locks.Lock.take, "__defaults__", (0.01,))
    holding, done = threading.Event(), threading.Event()

    def hold():
        with tokens.locked():
            holding.set()
            done.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    holding.wait(10)
    try:
        with pytest.raises(Busy), tokens.locked():
            pass
    finally:
        done.set()
        thread.join()


_WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_drive_auth_tokens import some
from council_vault.vault.drive_tokens import TokenStore
tokens = TokenStore(Path(sys.argv[1]) / "drive", Path(sys.argv[1]) / "locks")
print("ready", flush=True)
number = 0
while True:
    number += 1
    with tokens.locked():
        tokens.save(some(account=str(number) * (number % 50 + 1)))
"""


def test_killed_at_any_moment_it_leaves_a_whole_one(tmp_path):
    tokens = TokenStore(tmp_path / "drive", tmp_path / "locks")
    here = Path(__file__).parent
    search = [str(here.parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(search)}
    for moment in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(tmp_path), str(here)], stdout=subprocess.PIPE, env=environment
        ) as writer:
            assert writer.stdout.readline() == b"ready\n"
            seen = {tokens.path.stat().st_ino if tokens.path.exists() else 0}
            while len(seen) < 3 + moment:  # some writes have been made
                if tokens.path.exists():
                    seen.add(tokens.path.stat().st_mtime_ns)
            writer.send_signal(signal.SIGKILL)
        assert tokens.read().secrets == some().secrets
        assert mode(tokens.path) == 0o600
