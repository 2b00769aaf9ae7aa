"""The emulated Drive fails as it is told to, at the moment that it is told, and as seldom."""

from __future__ import annotations

import http.client
import threading
import time
import traceback

import httplib2
import pytest
from googleapiclient.errors import HttpError

from support.drive import google_client, markdown
from support.drive_emulator import (
    CUT_BODY,
    DROPPED,
    EMPTY_BODY,
    HTML_PAGE,
    LOST_REPLY,
    REVOKED,
    DriveEmulator,
    hang,
    status,
    trickle,
)
from support.drive_emulator.replies import DriveError


def updates(request):
    return request.operation == "files.update"


def update(google, note, content=b"ours"):
    return google.files().update(fileId=note, media_body=markdown(content))


def broken_off(error, call):
    """Let a request end in an error of the transport.

    The error's frames hold the reply, and each other; cleared, they let go of the socket at once.
    """
    with pytest.raises(error) as caught:
        call.execute()
    traceback.clear_frames(caught.tb)


@pytest.fixture
def note(emulator):
    return emulator.add_file("a.md", b"one")


@pytest.mark.parametrize(
    ("fault", "code", "reason"),
    [
        (status(403, "rateLimitExceeded"), 403, "rateLimitExceeded"),
        (status(403, "userRateLimitExceeded"), 403, "userRateLimitExceeded"),
        (status(403, "quotaExceeded"), 403, "quotaExceeded"),
        (status(403, "storageQuotaExceeded"), 403, "storageQuotaExceeded"),
        (status(403, "insufficientFilePermissions"), 403, "insufficientFilePermissions"),
        (status(404), 404, "notFound"),
        (status(429), 429, "rateLimitExceeded"),
        (status(500), 500, "internalError"),
        (status(503), 503, "backendError"),
        (REVOKED, 401, "authError"),
    ],
)
def test_a_status_says_why_and_leaves_everything_as_it_was(emulator, google, note, fault, code, reason):
    emulator.fail(None, fault)
    with pytest.raises(HttpError) as caught:
        update(google, note).execute()
    assert (caught.value.status_code, caught.value.error_details[0]["reason"]) == (code, reason)
    assert emulator.read(note) == b"one"
    update(google, note).execute()
    assert emulator.read(note) == b"ours"


@pytest.mark.parametrize("code", [408, 502, 504])
def test_what_a_machine_in_front_says_is_html(emulator, google, note, code):
    emulator.fail(None, status(code))
    with pytest.raises(HttpError) as caught:
        google.files().get(fileId=note).execute()
    assert caught.value.status_code == code
    assert caught.value.content.startswith(b"<!DOCTYPE html>")


def test_how_long_to_wait_is_said(emulator, google, note):
    emulator.fail(None, status(429, retry_after="7"))
    with pytest.raises(HttpError) as caught:
        google.files().get(fileId=note).execute()
    assert caught.value.resp["retry-after"] == "7"


def test_a_status_can_come_after_the_effect(emulator, google, note):
    emulator.fail(None, status(503, effect=True))
    with pytest.raises(HttpError):
        update(google, note).execute()
    assert emulator.read(note) == b"ours"


def test_a_lost_reply_comes_after_the_effect_and_the_client_sends_again_by_itself(emulator, google):
    emulator.fail(1, LOST_REPLY)
    google.files().create(body={"name": "a"}).execute()
    assert emulator.tree() == {"a": [b"", b""]}
    assert len(emulator.writes) == 2


def test_a_lost_reply_with_an_id_made_before_makes_no_twin(emulator, google):
    made = google.files().generateIds(count=1).execute()["ids"][0]
    emulator.fail(1, LOST_REPLY)
    with pytest.raises(HttpError, match="409"):
        google.files().create(body={"id": made, "name": "a"}).execute()
    assert emulator.tree() == {"a": b""}


@pytest.mark.parametrize(("fault", "content"), [(DROPPED, b"one"), (LOST_REPLY, b"ours")])
def test_a_connection_closes_before_or_after_the_effect(emulator, google, note, fault, content):
    emulator.fail(updates, fault, times=2)
    broken_off(http.client.RemoteDisconnected, update(google, note))
    assert emulator.read(note) == content
    assert [request.operation for request in emulator.requests] == ["files.update"] * 2


@pytest.mark.parametrize(("effect", "content"), [(False, b"one"), (True, b"ours")])
def test_silence_lasts_until_the_client_gives_up(emulator, note, effect, content):
    google = google_client(emulator.endpoint, timeout=0.2)
    emulator.fail(1, hang(effect=effect))
    broken_off(TimeoutError, update(google, note))
    google.close()
    assert emulator.read(note) == content


def test_silence_ends_when_faults_are_reset(emulator, google, note):
    emulator.fail(1, hang())
    outcome = []

    def ask():
        outcome.append(google.files().get(fileId=note).execute()["id"])

    thread = threading.Thread(target=ask)
    thread.start()
    deadline = time.monotonic() + 10
    while not emulator.requests and time.monotonic() < deadline:
        time.sleep(0.001)
    assert outcome == []
    emulator.reset_faults()
    thread.join(10)
    assert outcome == [note]


def test_a_slow_body_outlasts_a_timeout_for_each_receive(emulator, note):
    google = google_client(emulator.endpoint, timeout=0.5)
    emulator.fail(1, trickle(0.001))
    assert google.files().get_media(fileId=note).execute() == b"one"
    emulator.fail(1, trickle(5))
    broken_off(TimeoutError, google.files().get_media(fileId=note))
    google.close()


def test_a_body_is_cut(emulator, google, note):
    emulator.fail(1, CUT_BODY)
    broken_off(http.client.IncompleteRead, google.files().get_media(fileId=note))


def test_a_body_is_cut_after_the_effect(emulator, google, note):
    emulator.fail(1, CUT_BODY)
    broken_off(http.client.IncompleteRead, update(google, note))
    assert emulator.read(note) == b"ours"


def test_html_and_nothing_come_with_200(emulator, google, note):
    emulator.fail(1, HTML_PAGE)
    emulator.fail(2, EMPTY_BODY)
    assert "<title>Sign in</title>" in update(google, note).execute()
    assert update(google, note).execute() in {"", b""}
    assert emulator.read(note) == b"one"


def test_an_idle_connection_is_dropped(emulator, note):
    connection = http.client.HTTPConnection(emulator.endpoint.removeprefix("http://"), timeout=10)
    connection.request("GET", f"/drive/v3/files/{note}")
    connection.getresponse().read()
    emulator.drop_connections()
    connection.sock.settimeout(10)
    assert connection.sock.recv(1) == b""
    connection.close()


# When


def test_the_nth_request_from_now_fails_once(emulator, google, note):
    google.files().get(fileId=note).execute()
    emulator.fail(3, status(503))
    codes = []
    for _ in range(5):
        reply, _ = google._http.request(f"{emulator.endpoint}/drive/v3/files/{note}")
        codes.append(reply.status)
    assert codes == [200, 200, 503, 200, 200]


def test_a_predicate_a_number_of_times_after_some_are_spared(emulator, google, note):
    emulator.fail(lambda request: request.file == note, status(503), times=2, skip=1)
    codes = []
    for path in (note, "root", note, "root", note, note):
        reply, _ = google._http.request(f"{emulator.endpoint}/drive/v3/files/{path}")
        codes.append(reply.status)
    assert codes == [200, 200, 503, 200, 503, 200]


def test_all_until_faults_are_reset(emulator, google, note):
    emulator.fail(None, status(503), times=None)
    for _ in range(3):
        with pytest.raises(HttpError):
            google.files().get(fileId=note).execute()
    emulator.reset_faults()
    assert google.files().get(fileId=note).execute()["id"] == note


def test_somebody_else_edits_in_the_moment_before_an_update(emulator, google, note):
    read = google.files().get_media(fileId=note).execute()
    emulator.before(updates, lambda: emulator.edit(note, b"theirs"))
    update(google, note, read + b" ours").execute()
    update(google, note, b"again").execute()
    assert [revision["content"] for revision in emulator.revisions(note)] == [
        b"one",
        b"theirs",
        b"one ours",
        b"again",
    ]


def test_what_is_done_before_the_nth_request_is_done_even_if_it_fails(emulator, google, note):
    emulator.before(2, lambda: emulator.trash(note))
    emulator.fail(2, status(500))
    google.files().get(fileId=note).execute()
    with pytest.raises(HttpError):
        google.files().get(fileId=note).execute()
    assert emulator.get(note)["trashed"]


# What is kept


def test_requests_are_on_record(emulator, google, note):
    google.files().get(fileId=note, supportsAllDrives=True).execute()
    update(google, note, b"12345").execute()
    google.revisions().list(fileId=note).execute()
    assert [
        (request.number, request.method, request.operation, request.kind) for request in emulator.requests
    ] == [
        (1, "GET", "files.get", "read"),
        (2, "PATCH", "files.update", "write"),
        (3, "GET", "revisions.list", "read"),
    ]
    first, second, _ = emulator.requests
    assert (first.path, first.file, first.shared) == (f"/drive/v3/files/{note}", note, True)
    assert first.query["supportsAllDrives"] == "true"
    assert (second.bytes, second.body, second.path) == (5, b"", f"/upload/drive/v3/files/{note}")
    assert emulator.writes == [second]
    emulator.forget_requests()
    google.files().get(fileId=note).execute()
    assert [request.number for request in emulator.requests] == [4]


def test_what_is_not_there_is_404(emulator, google):
    reply, _ = google._http.request(f"{emulator.endpoint}/drive/v2/files")
    assert reply.status == 404
    assert google._http.request(f"{emulator.endpoint}/drive/v3/files", "PURGE")[0].status == 404


def test_a_fault_of_the_emulator_fails_the_test_that_uses_it():
    emulator = DriveEmulator()
    google = google_client(emulator.endpoint)
    emulator.before(None, lambda: emulator.read("nothing"))
    reply, _ = google._http.request(f"{emulator.endpoint}/drive/v3/about")
    google.close()
    assert reply.status == 500
    with pytest.raises(ExceptionGroup, match="the emulator failed") as caught:
        emulator.close()
    assert caught.group_contains(DriveError)


def test_closing_ends_what_hangs():
    with DriveEmulator() as emulator:
        emulator.fail(None, hang(), times=None)
        address = emulator.endpoint.removeprefix("http://")
        connection = http.client.HTTPConnection(address, timeout=20)
        connection.request("GET", "/drive/v3/about")
        deadline = time.monotonic() + 10
        while not emulator.requests and time.monotonic() < deadline:
            time.sleep(0.001)
    with pytest.raises(http.client.RemoteDisconnected):
        connection.getresponse()
    connection.close()
    with pytest.raises(ConnectionRefusedError):
        httplib2.Http().request(f"http://{address}/")
