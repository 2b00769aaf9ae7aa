"""What Drive, the network and the sign-in do wrong: waited for, or said plainly."""

from __future__ import annotations

import functools
import socket
import ssl
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

import pytest

from council_vault.errors import FileChanged, SettingsError, VaultUnavailable, WriteFailed
from council_vault.files import digest
from council_vault.vault.drive_client import DriveClient
from council_vault.vault.drive_patience import Patience
from council_vault.vault.drive_queries import folders_named
from support.drive_emulator import (
    CUT_BODY,
    DROPPED,
    EMPTY_BODY,
    HTML_PAGE,
    REVOKED,
    Fault,
    hang,
    oauth_error,
    status,
    trickle,
)
from support.drive_emulator.replies import Reply
from support.drive_vault import drive_place

NOTE = "Folder/log.md"
ANSWER = (
    b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n"
    b'{"id": "x", "name": "n", "mimeType": "m",'
    b' "createdTime": "2026-01-01T00:00:00Z", "modifiedTime": "2026-01-01T00:00:00Z"}'
)


@pytest.fixture
def vault(emulator):
    with drive_place(emulator) as place:
        place.put(NOTE, b"read")
        yield place


def is_update(request):
    return request.operation == "files.update"


# What passes


@pytest.mark.parametrize(
    "how",
    [
        status(403, "userRateLimitExceeded"),
        status(403, "rateLimitExceeded"),
        status(429),
        status(408),
        status(500),
        status(502),
        status(503),
        CUT_BODY,
    ],
    ids=lambda fault: fault.name,
)
def test_what_passes_is_waited_for(vault, how):
    vault.emulator.fail(None, how, times=3)
    assert vault.store.read(NOTE).content == b"read"
    first, second, third = vault.time.pauses
    assert 0.5 <= first <= 1 <= second <= 2 <= third <= 4


def test_a_pause_that_drive_asks_for_is_kept(vault):
    vault.emulator.fail(1, status(429, retry_after="7"))
    vault.store.read(NOTE)
    assert vault.time.pauses == [7.0]


def test_a_pause_that_is_too_long_is_not_waited(vault):
    vault.emulator.fail(1, status(503, retry_after="3600"))
    with pytest.raises(
        VaultUnavailable, match=r"Google Drive: it cannot be reached now: it answers with 503"
    ):
        vault.store.read(NOTE)
    assert vault.time.pauses == []


def test_a_pause_that_is_too_long_is_kept_all_the_same(vault):
    vault.emulator.fail(1, status(503, retry_after="600"))
    with pytest.raises(VaultUnavailable, match="it answers with 503"):
        vault.store.read(NOTE)
    vault.emulator.forget_requests()
    vault.time.now += 580
    with pytest.raises(VaultUnavailable, match="it answers with 503"):
        vault.store.read(NOTE)
    assert vault.emulator.requests == []
    vault.time.now += 15
    assert vault.store.read(NOTE).content == b"read"
    assert vault.time.pauses == [5.0]


def test_no_pause_is_kept_for_ever(vault):
    vault.emulator.fail(1, status(503, retry_after="1000000"))
    with pytest.raises(VaultUnavailable):
        vault.store.read(NOTE)
    vault.time.now += 3600
    assert vault.store.read(NOTE).content == b"read"


def test_patience_ends(vault):
    vault.emulator.fail(None, status(503), times=None)
    with pytest.raises(VaultUnavailable):
        vault.store.read(NOTE)
    assert 3 < vault.time.now <= 12


def test_a_server_that_is_not_there(vault):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    patience = Patience(sleep=vault.time.sleep, clock=vault.time.clock)
    client = DriveClient(f"http://127.0.0.1:{port}", None, patience)
    with pytest.raises(VaultUnavailable, match="connection refused"):
        client.item("x")
    client.close()


@pytest.mark.parametrize(
    ("limits", "how"),
    [
        ({"silence": 0.2, "whole": 30.0}, hang()),
        ({"silence": 30.0, "whole": 0.2}, hang()),
        ({"silence": 30.0, "whole": 0.2}, trickle(0.02)),
    ],
    ids=["silence", "silence at the end", "a slow body"],
)
def test_no_answer_is_waited_for_without_end(vault, limits, how):
    """Real time passes here, a fifth of a second of it."""
    patience = Patience(sleep=vault.time.sleep, clock=vault.time.clock, **limits)
    client = DriveClient(vault.emulator.endpoint, None, patience)
    vault.emulator.fail(1, how)
    assert client.item(vault.root).name == "Vault"
    assert len(vault.time.pauses) == 1
    assert [connection.gettimeout() for connection in connections(client)] == [limits["silence"]]
    client.close()


@pytest.mark.parametrize("how", [CUT_BODY, DROPPED])
def test_a_connection_that_failed_is_not_used_again(vault, how):
    during = []
    patience = Patience(sleep=lambda _: during.append(connections(client)), clock=vault.time.clock)
    client = DriveClient(vault.emulator.endpoint, None, patience)
    vault.emulator.fail(None, how, times=2)
    assert client.item(vault.root).name == "Vault"
    assert during
    assert not any(during)
    client.close()


def connections(client):
    return [kept.sock for kept in client._requests._api.files._http.connections.values()]


def test_connections_that_went_stale_are_made_anew(vault):
    vault.store.read(NOTE)
    vault.emulator.drop_connections()
    assert vault.store.read(NOTE).content == b"read"
    assert vault.time.pauses == []


def test_a_connection_is_used_for_many_requests(vault):
    vault.store.read(NOTE)
    before = connections(vault.client)
    vault.store.write(NOTE, b"ours", digest(b"read"))
    assert connections(vault.client) == before
    assert len(before) == 1


def test_a_server_that_closes_after_each_answer(vault):
    def serve(server):
        for _ in range(2):
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(ANSWER)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve, args=(server,))
        thread.start()
        client = DriveClient(f"http://127.0.0.1:{server.getsockname()[1]}", None)
        assert [client.item("x").name, client.item("x").name] == ["n", "n"]
        client.close()
        thread.join()


# What does not


@pytest.mark.parametrize(
    "how",
    [HTML_PAGE, EMPTY_BODY, Fault("binary", effect=False, reply=Reply(200, b"\xff\xfe"))],
    ids=lambda fault: fault.name,
)
def test_an_answer_that_is_not_from_drive_is_an_error_wherever_it_comes(vault, how):
    act = functools.partial(vault.store.write, NOTE, b"ours", digest(b"read"))
    vault.store.read(NOTE)
    for step in range(1, 4):
        vault.emulator.fail(step, how)
        with pytest.raises(VaultUnavailable, match="not from Drive"):
            act()
    assert vault.get(NOTE) == b"read"
    assert vault.time.pauses == []


def test_a_page_in_a_notes_place_is_not_taken_for_it(vault):
    vault.emulator.fail(lambda request: request.query.get("alt") == "media", HTML_PAGE, times=None)
    with pytest.raises(VaultUnavailable, match="not from Drive"):
        vault.store.read(NOTE)
    vault.emulator.reset_faults()
    vault.emulator.fail(lambda request: request.query.get("alt") == "media", HTML_PAGE)
    assert vault.store.read(NOTE).content == b"read"


def test_content_that_changes_while_it_is_read_is_read_whole(vault):
    vault.emulator.before(
        lambda request: request.query.get("alt") == "media", lambda: vault.put(NOTE, b"later")
    )
    note = vault.store.read(NOTE)
    assert note == (b"later", digest(b"later"))
    vault.store.write(NOTE, b"ours", note.version)
    assert vault.get(NOTE) == b"ours"


def test_a_page_in_the_place_of_a_large_upload(vault):
    vault.emulator.fail(lambda request: request.path.startswith("/upload"), HTML_PAGE)
    with pytest.raises(VaultUnavailable, match="not from Drive"):
        vault.store.write(NOTE, b"x" * 5_000_000, digest(b"read"))


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("storageQuotaExceeded", "the storage is full. Make room"),
        ("dailyLimitExceeded", "the day's quota"),
        ("insufficientPermissions", "does not allow this. Sign in again with `council-vault drive login`"),
        ("accessNotConfigured", "Drive API is not enabled"),
    ],
)
def test_what_concerns_the_whole_drive_is_said_once(vault, reason, said):
    vault.emulator.fail(is_update, status(403, reason))
    vault.emulator.forget_requests()
    with pytest.raises(VaultUnavailable, match=said):
        vault.store.write(NOTE, b"ours", digest(b"read"))
    assert len(vault.emulator.writes) == 1
    assert vault.time.pauses == []
    assert vault.get(NOTE) == b"read"


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (status(403, "insufficientFilePermissions"), "it may not be changed by this account. Ask for"),
        (status(403, "fileNotDownloadable"), "does not hand out its content"),
        (status(400, "somethingNew"), r"Drive refuses it \(400 somethingNew\)"),
        (Fault("no reason", effect=False, reply=Reply(412, b"[]")), r"Drive refuses it \(412\)"),
    ],
    ids=lambda value: str(getattr(value, "name", value)),
)
def test_what_concerns_one_note_names_it(vault, how, said):
    vault.emulator.fail(is_update, how)
    with pytest.raises(WriteFailed, match=rf"Folder/log\.md: it cannot be written: .*{said}"):
        vault.store.write(NOTE, b"ours", digest(b"read"))
    vault.emulator.fail(lambda request: request.query.get("alt") == "media", how)
    with pytest.raises(WriteFailed, match=rf"Folder/log\.md: it cannot be read: .*{said}"):
        vault.store.read(NOTE)


def test_a_note_that_vanishes_under_the_update_is_gone(vault):
    vault.emulator.before(is_update, lambda: vault.emulator.delete(vault.id(NOTE)))
    with pytest.raises(FileChanged, match="gone"):
        vault.store.write(NOTE, b"ours", digest(b"read"))


# The sign-in


@pytest.fixture
def signed_in(vault):
    from google.oauth2.credentials import Credentials  # noqa: PLC0415 - few tests need it, and it takes time

    vault.emulator.oauth.required = True
    kept = vault.emulator.authorized_user()
    vault.credentials = Credentials(
        None, **{key: kept[key] for key in ("refresh_token", "token_uri", "client_id", "client_secret")}
    )
    vault.client.close()
    vault.client = vault.new_client(vault.credentials)
    vault.store = vault.new_store()
    return vault


def test_a_sign_in_is_used_and_renewed(signed_in):
    assert signed_in.store.read(NOTE).content == b"read"
    signed_in.emulator.oauth.expire()
    assert signed_in.store.read(NOTE).content == b"read"
    assert signed_in.time.pauses == []


@pytest.mark.parametrize("when", ["start", "later", "refused"])
def test_a_sign_in_that_was_taken_back_is_said_with_what_mends_it(signed_in, when, caplog):
    caplog.set_level("DEBUG")
    if when != "start":
        signed_in.store.read(NOTE)
    if when == "refused":
        signed_in.emulator.fail(lambda request: request.kind != "auth", REVOKED, times=None)
    else:
        signed_in.emulator.oauth.revoke()
    with pytest.raises(VaultUnavailable) as caught:
        signed_in.store.read(NOTE)
    said = str(caught.value)
    assert said == (
        "Google Drive: the sign-in is no longer valid. Sign in again with `council-vault drive login`"
    )
    assert signed_in.credentials.refresh_token not in caplog.text
    assert signed_in.time.pauses == []


@pytest.mark.parametrize(
    "how", [DROPPED, oauth_error("temporarily_unavailable", code=503)], ids=lambda f: f.name
)
def test_a_sign_in_server_that_fails_for_a_moment_is_waited_for(signed_in, how, monkeypatch):
    monkeypatch.setattr("google.auth._exponential_backoff.time.sleep", signed_in.time.sleep)
    signed_in.emulator.fail(lambda request: request.kind == "auth", how, times=5)
    assert signed_in.store.read(NOTE).content == b"read"


# The endpoint, and who does not use Drive


@pytest.mark.parametrize(
    "endpoint", ["https://drive.example.com", "http://127.0.0.1.example.com", "nonsense"]
)
def test_no_other_server_is_given_the_sign_in(endpoint):
    with pytest.raises(SettingsError, match="not on this computer"):
        DriveClient(endpoint, None)


def test_the_folders_of_a_name_are_found_wherever_they_are(vault):
    drive = vault.emulator.add_shared_drive("Team")
    other = vault.emulator.add_folder("Vault", drive)
    vault.emulator.trash(vault.emulator.add_folder("Vault"))
    found = vault.client.search(folders_named("Vault"))
    assert {item.id for item in found} == {vault.root, other}


def test_nothing_of_google_is_loaded_before_drive_is_used():
    loading = (
        "import sys, council_vault.sync, council_vault.vault.drive, council_vault.vault.drive_client;"
        "from council_vault.vault.drive_client import DriveClient;"
        "DriveClient(None, None).close();"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", loading], capture_output=True, text=True, check=True)
    assert "council_vault" in done.stdout
    loaded = set(done.stdout.split())
    assert not loaded & {"google", "googleapiclient", "google_auth_httplib2", "httplib2"}


# Encryption


@pytest.fixture
def encrypted(tmp_path):
    """A server with TLS and a certificate of its own making, that answers one request; yield its address."""
    certificate = tmp_path / "certificate.pem"
    certificate.write_bytes(self_signed())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def serve(server):
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            try:
                with context.wrap_socket(connection, server_side=True) as wrapped:
                    wrapped.recv(65536)
                    wrapped.sendall(ANSWER)
            except OSError:  # who does not trust us hangs up
                connection.close()

    server = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=serve, args=(server,))
    thread.start()
    yield f"https://127.0.0.1:{server.getsockname()[1]}", certificate
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join()


def self_signed():
    from cryptography import x509  # noqa: PLC0415 - few tests need it, and it takes time
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415 - likewise
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 - likewise

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    pem = serialization.Encoding.PEM
    return certificate.public_bytes(pem) + key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)


def test_a_certificate_that_is_not_valid_is_not_tried_again(encrypted):
    client = DriveClient(encrypted[0], None)
    with pytest.raises(VaultUnavailable, match="its certificate is not valid here"):
        client.item("x")
    client.close()


def test_answers_are_read_over_encrypted_connections_too(encrypted, monkeypatch):
    monkeypatch.setattr("httplib2.CA_CERTS", str(encrypted[1]))
    client = DriveClient(encrypted[0], None)
    assert client.item("x").name == "n"
    client.close()


def test_a_list_that_never_ends_is_not_read_for_ever(vault):
    page = Reply(200, b'{"files": [], "nextPageToken": "again"}')
    vault.emulator.fail(None, Fault("again", effect=False, reply=page), times=None)
    with pytest.raises(VaultUnavailable, match="not from Drive"):
        vault.client.search(folders_named("Vault"))
