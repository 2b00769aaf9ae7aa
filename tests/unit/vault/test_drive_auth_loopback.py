"""Where the browser ends after a sign-in: on a server of ours, or in what the person pastes."""

from __future__ import annotations

import os
import socket
import threading
import urllib.error
import urllib.request

import pytest
from hypothesis import given
from hypothesis import strategies as st

from council_vault.errors import VaultUnavailable
from council_vault.vault.drive_loopback import Loopback, answer_in

STATE = "state-of-ours"


def found(text: str, **options) -> tuple[str, str] | None:
    answer = answer_in(text, STATE, **options)
    return answer and (answer.code, answer.error)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (f"/?state={STATE}&code=4/0abc&scope=x", ("4/0abc", "")),
        (f"/?state={STATE}&code=4%2F0abc", ("4/0abc", "")),
        (f"  http://127.0.0.1:4711/?code=4/0abc&state={STATE}\r\n", ("4/0abc", "")),
        (f"/?state={STATE}&error=access_denied", ("", "access_denied")),
        (f"/?state={STATE}", None),
        (f"/?state={STATE}&code=", None),
        ("/?code=4/0abc", None),
        ("/?code=4/0abc&state=", None),
        ("/?code=4/0abc&state=another", None),
        (f"/?code=4/0abc&state={STATE}x", None),
        ("/?code=4/0abc&state=\udcff", None),
        ("/favicon.ico", None),
        ("/", None),
        ("", None),
        ("4/0abc", None),
    ],
)
def test_an_address_holds_an_answer_only_with_our_mark(text, answer):
    assert found(text) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("4/0abc\n", ("4/0abc", "")),
        ("  4/0abc ", ("4/0abc", "")),
        ("", None),
        ("what now", None),
        ("http://127.0.0.1:4711/", None),
        (f"http://127.0.0.1:4711/?code=4/0abc&state={STATE}", ("4/0abc", "")),
        ("http://127.0.0.1:4711/?code=4/0abc&state=other", None),
    ],
)
def test_a_code_alone_can_be_pasted(text, answer):
    assert found(text, bare=True) == answer


@given(st.text(), st.booleans())
def test_whatever_comes_is_understood_or_not(text, bare):
    answer = answer_in(text, STATE, bare=bare)
    assert answer is None or answer.code or answer.error
    if not bare and STATE not in text:
        assert answer is None


@pytest.fixture
def said():
    return []


@pytest.fixture
def waiting(said):
    """Return a function that waits in a thread of its own, and one that returns the answer it got."""
    threads, opened = [], []

    def wait(typed=None, patience=20.0):
        loopback = Loopback(STATE, typed, said.append, patience)
        answers = []
        thread = threading.Thread(target=lambda: answers.append(loopback.wait()), daemon=True)
        thread.start()
        threads.append(thread)
        opened.append(loopback)

        def answer():
            thread.join(20)
            return answers[0].code, answers[0].error

        return loopback, answer

    yield wait
    for thread, loopback in zip(threads, opened, strict=True):
        thread.join(20)
        loopback.__exit__()


def get(address: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(address, timeout=10) as page:
            return page.status, page.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_the_server_takes_the_answer_and_shows_a_page(waiting):
    loopback, answer = waiting()
    status, page = get(f"{loopback.address}?state={STATE}&code=4/0abc")
    assert status == 200
    assert "You are signed in. You can close this page" in page
    assert "4/0abc" not in page
    assert answer() == ("4/0abc", "")


def test_a_refusal_is_an_answer_too(waiting):
    loopback, answer = waiting()
    assert "You are not signed in." in get(f"{loopback.address}?state={STATE}&error=access_denied")[1]
    assert answer() == ("", "access_denied")


def test_what_is_not_the_answer_does_not_end_the_waiting(waiting, capfd):
    loopback, answer = waiting()
    port = int(loopback.address.rstrip("/").rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)):
        pass  # a browser opens connections that it does not use
    for path in ("favicon.ico", "?code=forged&state=other", "?code=forged"):
        assert get(loopback.address + path)[0] == 404
    get(f"{loopback.address}?state={STATE}&code=right")
    assert answer() == ("right", "")
    assert capfd.readouterr() == ("", "")  # the address holds the code


def test_a_connection_that_is_not_used_holds_nobody_up(waiting):
    loopback, answer = waiting()
    port = int(loopback.address.rstrip("/").rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)):
        assert get(f"{loopback.address}?state={STATE}&code=right")[0] == 200
    assert answer() == ("right", "")


def test_it_can_be_reached_from_this_computer_only(waiting):
    loopback, answer = waiting()
    assert loopback._server.server_address[0] == "127.0.0.1"
    get(f"{loopback.address}?state={STATE}&code=x")
    answer()


def test_the_address_can_be_pasted_instead(waiting, said):
    typed, paste = os.pipe()
    _, answer = waiting(typed)
    os.write(paste, b"\n  \nhttp://127.0.0.1:1/?code=forged&sta")
    os.write(paste, b"te=other\n")
    os.write(paste, f"http://127.0.0.1:1/?state={STATE}&code=4/0abc\nmore\n".encode())
    assert answer() == ("4/0abc", "")
    assert said == ["That is not the address at which this sign-in ends. Paste all of it:"]
    os.close(paste)
    os.close(typed)


def test_what_is_pasted_without_a_last_newline_counts(waiting):
    typed, paste = os.pipe()
    _, answer = waiting(typed)
    os.write(paste, b"4/0abc")
    os.close(paste)
    assert answer() == ("4/0abc", "")
    os.close(typed)


def test_where_nothing_more_is_typed_the_server_still_waits(waiting):
    typed, paste = os.pipe()
    os.close(paste)
    loopback, answer = waiting(typed)
    get(f"{loopback.address}?state={STATE}&code=4/0abc")
    assert answer() == ("4/0abc", "")
    os.close(typed)


def test_it_does_not_wait_for_ever(said):
    with (
        Loopback(STATE, None, said.append, 0.01) as loopback,
        pytest.raises(VaultUnavailable, match=r"nobody has signed in\. Sign in again with"),
    ):
        loopback.wait()
