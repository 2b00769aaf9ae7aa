"""The desktop's keyring: used where there is one that is worth the name."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import keyring
import keyring.backends.fail
import keyring.backends.null
import msgspec
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.chainer import ChainerBackend
from keyring.errors import KeyringLocked, PasswordDeleteError

from council_vault.errors import VaultUnavailable
from council_vault.vault import drive_keyring
from council_vault.vault.drive_keyring import find_keyring
from council_vault.vault.drive_tokens import Secrets, SignIn, TokenStore

SIGN_IN = SignIn(
    account="ines@example.com",
    client_id="id",
    token_uri="https://oauth2.googleapis.com/token",
    scopes=(),
    signed_in_at=datetime(2026, 3, 28, tzinfo=UTC),
    secrets=Secrets(
        client_secret="client-sentinel",
        refresh_token="refresh-sentinel",
        access_token="access-sentinel",
        expiry=datetime(2026, 3, 28, 1, tzinfo=UTC),
    ),
)


class InMemory(KeyringBackend):
    """A keyring as any other, but that it ends with the process."""

    priority = -5  # never chosen by itself, for other tests

    def __init__(self):
        super().__init__()
        self.kept = {}
        self.locked = False

    def _require_unlocked(self):
        if self.locked:
            raise KeyringLocked("sentinel")

    def get_password(self, service, username):
        self._require_unlocked()
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self._require_unlocked()
        self.kept[service, username] = password

    def delete_password(self, service, username):
        self._require_unlocked()
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError("not found")


class PlaintextKeyring(InMemory):
    """One by the name of those that keep secrets in plain text."""


@pytest.fixture(autouse=True)
def _own_keyring():
    before = keyring.get_keyring()
    yield
    keyring.set_keyring(before)


@pytest.fixture
def backend():
    made = InMemory()
    keyring.set_keyring(made)
    return made


@pytest.fixture
def tokens(tmp_path):
    return TokenStore(tmp_path / "drive", tmp_path / "locks")


def keep(tokens, sign_in=SIGN_IN):
    with tokens.locked():
        return tokens.save(sign_in)


def chained(monkeypatch, *backends):
    monkeypatch.setattr(ChainerBackend, "backends", backends)
    keyring.set_keyring(ChainerBackend())


def test_secrets_go_to_the_keyring_and_the_rest_into_the_file(tokens, backend):
    assert keep(tokens) == "keyring"
    text = tokens.path.read_text()
    assert "ines@example.com" in text
    assert "sentinel" not in text
    assert len(backend.kept) == 1
    assert (tokens.place, tokens.read()) == ("keyring", SIGN_IN)


def test_each_folder_of_states_has_its_own(tokens, backend, tmp_path):
    other = TokenStore(tmp_path / "other" / "drive", tmp_path / "locks")
    keep(tokens)
    keep(other, msgspec.structs.replace(SIGN_IN, account="other"))
    assert len(backend.kept) == 2
    with other.locked():
        other.forget()
    assert tokens.read() == SIGN_IN


def test_signing_out_empties_the_keyring(tokens, backend):
    keep(tokens)
    with tokens.locked():
        tokens.forget()
    assert (backend.kept, tokens.is_signed_in) == ({}, False)


def test_signing_out_of_a_damaged_file_empties_the_keyring_too(tokens, backend):
    keep(tokens)
    tokens.path.write_text("junk")
    with tokens.locked():
        tokens.forget()
        tokens.forget()
    assert backend.kept == {}


def test_signing_out_does_not_touch_a_keyring_that_holds_nothing(tokens, backend):
    with tokens.locked():
        keyring.set_keyring(keyring.backends.fail.Keyring())
        tokens.save(SIGN_IN)
        keyring.set_keyring(backend)
        backend.locked = True
        tokens.forget()
    assert not tokens.is_signed_in


@pytest.mark.parametrize("doing", ["get", "set", "remove"])
def test_a_locked_one_is_named_with_the_remedy(backend, doing):
    found = find_keyring()
    backend.locked = True
    arguments = ("user", "secret-sentinel") if doing == "set" else ("user",)
    with pytest.raises(VaultUnavailable, match=r"does not answer: KeyringLocked\. Unlock it") as caught:
        getattr(found, doing)(*arguments)
    assert "sentinel" not in str(caught.value)
    assert found.name in str(caught.value)


def test_what_it_no_longer_holds_is_named(tokens, backend):
    keep(tokens)
    backend.kept.clear()
    with pytest.raises(VaultUnavailable, match=r"the keyring no longer holds the sign-in\. Sign in again"):
        tokens.read()


def test_what_it_holds_damaged_is_named(tokens, backend):
    keep(tokens)
    for key in backend.kept:
        backend.kept[key] = '{"refresh_token": "refresh-sentinel"}'
    with pytest.raises(VaultUnavailable, match="what the keyring holds of the sign-in is damaged") as caught:
        tokens.read()
    assert "sentinel" not in f"{caught.value}{caught.value.__cause__}"


def test_a_keyring_that_is_gone_is_named(tokens, backend):
    keep(tokens)
    keyring.set_keyring(keyring.backends.fail.Keyring())
    with pytest.raises(VaultUnavailable, match="kept in a keyring, and none is found now"):
        tokens.read()


@pytest.mark.parametrize(
    "insecure",
    [keyring.backends.fail.Keyring, keyring.backends.null.Keyring, PlaintextKeyring],
    ids=lambda kind: kind.__module__,
)
def test_an_insecure_one_is_not_taken(tokens, insecure):
    keyring.set_keyring(insecure())
    assert find_keyring() is None
    assert keep(tokens) == "file"
    assert tokens.read() == SIGN_IN


def test_one_of_the_unsafe_collection_is_not_taken(tokens):
    kind = type("EncryptedKeyring", (InMemory,), {"__module__": "keyrings.alt.file"})
    keyring.set_keyring(kind())
    assert find_keyring() is None


def test_of_a_chain_the_first_secure_one_is_taken(tokens, monkeypatch):
    insecure, secure = PlaintextKeyring(), InMemory()
    chained(monkeypatch, insecure, secure)
    assert keep(tokens) == "keyring"
    assert (len(insecure.kept), len(secure.kept)) == (0, 1)
    chained(monkeypatch, insecure)
    assert find_keyring() is None


def test_without_the_extra_there_is_none(tokens, monkeypatch):
    monkeypatch.setattr(drive_keyring, "find_spec", lambda _: None)
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert find_keyring() is None
    assert keep(tokens) == "file"
