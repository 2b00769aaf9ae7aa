"""What goes over the wire of `council-vault mcp`, and how it ends: every byte, every signal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from council_vault import files
from support.deliberations import deliberation
from support.program import SOURCE

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from support.mcp_clients import VERSION, RawClient, called, raw_client

LOUD = """
import logging, os, subprocess, sys, warnings
from council_vault.cli.main import main
from council_vault.mcp_server import calls

real = calls.route

def loud(*arguments):
    print("printed by Python")
    sys.__stdout__.write("written by Python")
    os.write(1, b"written by number\\n")
    subprocess.run([sys.executable, "-c", "import sys; print('by a child', repr(sys.stdin.read()))"])
    warnings.warn("a warning")
    logging.warning("logged")
    return real(*arguments)

calls.route = loud
sys.argv = ["council-vault", "mcp"]
main()
"""


def only_protocol(lines):
    """Tell whether each line is one message, and nothing stands around them."""
    return all(line.endswith(b"\n") and json.loads(line)["jsonrpc"] == "2.0" for line in lines)


def started(*command, **options):
    """Start a program that finds this checkout."""
    pipe = subprocess.PIPE
    told = os.environ | {"PYTHONPATH": str(SOURCE)}
    return subprocess.Popen(command, env=told, stdin=pipe, stdout=pipe, stderr=pipe, **options)


def test_nothing_but_protocol_is_on_standard_output(program):
    with started(sys.executable, "-c", LOUD) as process:
        client = RawClient(process)
        route = client.call("route_query", query="Which of the two is better?")
        code, said = client.close()

    assert route["structuredContent"]["decision"] == "deliberate"
    assert only_protocol(client.lines)
    assert code == 0
    for noise in (
        b"printed by Python",
        b"written by Python",
        b"written by number",
        b"by a child ''",
        b"a warning",
        b"logged",
    ):
        assert noise in said


def test_what_is_no_message_is_passed_over(program):
    with raw_client(program) as client:
        for line in (b"", b"{", b"[]", b"null", b'{"jsonrpc": "2.0"}', b"\xff\xfe", b"hello", b"[" * 100_000):
            client.send(line)
        assert "structuredContent" in client.call("route_query", query="\N{PILE OF POO}\u2028\x00")
        assert client.ask("no/such/method")["error"]
        code, said = client.close()
    assert code == 0
    assert b"Traceback" not in said
    assert only_protocol(client.lines)


def test_a_text_that_was_cut_within_an_emoji_is_taken(program):
    texts = {"half": r"\ud83d", "other half": r"\uDE00", "pair": r"\ud83d\ude00", "escaped": r"\\ud83d"}
    summary = ", ".join(f"{name} {text}" for name, text in texts.items())
    with raw_client(program) as client:
        given = json.dumps({**deliberation(), "query_summary": "…"}).replace(r"\u2026", summary)
        client.send(
            b'{"jsonrpc": "2.0", "id": "cut", "method": "tools/call",'
            b' "params": {"name": "log_deliberation", "arguments": %b}}' % given.encode()
        )
        record = client.receive()["result"]["structuredContent"]
    assert record["query_summary"] == "half \ufffd, other half \ufffd, pair \U0001f600, escaped \\ud83d"


def test_everything_that_was_asked_is_answered_before_the_end(program):
    hello = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    requests = [
        {"id": 0, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        *(
            {"id": number, "method": "tools/call", "params": called("log_deliberation", deliberation(
                query_text=f"What about matter {number}?"))}
            for number in range(1, 6)
        ),
        {"id": "last", "method": "tools/list"},
    ]  # fmt: skip
    text = "".join(json.dumps({"jsonrpc": "2.0", **request}) + "\n" for request in requests)
    with program.start("mcp", stdin=subprocess.PIPE) as process:
        out, err = process.communicate(text.encode(), timeout=60)

    answers = {answer["id"]: answer["result"] for answer in map(json.loads, out.splitlines())}
    assert set(answers) == {0, 1, 2, 3, 4, 5, "last"}
    logged = {answers[number]["structuredContent"]["id"] for number in range(1, 6)}
    assert logged == {one["id"] for one in program.parsed()["deliberations"]}
    assert (process.returncode, err) == (0, b"")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it(program, number):
    with raw_client(program) as client:
        assert "tools" in client.ask("tools/list")["result"]
        client.process.send_signal(number)
        assert client.process.wait(timeout=60) == 0
        code, said = client.close()
    assert (code, said) == (0, b"")


@pytest.fixture
def slow_sync(program):
    """Hold the lock of a sync, so that every other one waits for half a minute."""
    program.make_vault()
    program.write_memory()
    program("config", "set", "vault.path", program.vault)
    with files.sync_lock(program.states / "locks", program.memory):
        yield


@pytest.mark.usefixtures("slow_sync")
def test_a_slow_call_holds_up_no_other_and_can_be_cancelled(program):
    with raw_client(program) as client:
        slow = client.begin("tools/call", **called("sync_vault", {"full": True}))
        assert "structuredContent" in client.call("route_query", query="Which is better?")
        assert client.call("log_deliberation", **deliberation())["isError"] is False
        client.tell("notifications/cancelled", requestId=slow)
        assert "structuredContent" in client.call("council_stats")
    assert slow not in {json.loads(line).get("id") for line in client.lines}
    assert len(program.parsed()["deliberations"]) == 1


@pytest.mark.usefixtures("slow_sync")
@pytest.mark.parametrize("end", ["signal", "input"])
def test_a_slow_call_does_not_put_off_the_end_for_long(program, end):
    with raw_client(program) as client:
        slow = client.begin("tools/call", **called("sync_vault", {"full": True}))
        client.call("route_query", query="Which is better?")
        if end == "signal":
            client.process.terminate()
        else:
            client.process.stdin.close()
        assert client.process.wait(timeout=25) == 0
        client.lines += client.process.stdout.readlines()
    assert only_protocol(client.lines)
    assert slow not in {json.loads(line)["id"] for line in client.lines if b"structuredContent" in line}


def test_a_client_that_vanishes_is_no_error(program):
    with raw_client(program) as client:
        client.process.stdout.close()
        client.begin("tools/list")
        client.process.stdin.close()
        assert client.process.wait(timeout=60) == 0
        assert client.process.stderr.read() == b""


def test_with_v_it_tells_which_tools_were_called_and_never_a_text(program):
    secret = "Zanzibar"
    texts = {"query_text": f"Should we sell {secret}?", "synthesis_text": f"Sell {secret}. " * 30}
    with raw_client(program, "-v") as client:
        client.call("log_deliberation", **deliberation(**texts))
        client.call("log_deliberation", **texts, models_used=[secret, {"text": texts["synthesis_text"]}])
        client.call("route_query", query=texts["query_text"], **{"no such": texts["query_text"]})
        client.call("council_brief", directive=texts["query_text"])
        client.ask("tools/call", name=texts["query_text"])
        client.ask("tools/call", name={"text": texts["query_text"]})
        client.ask("resources/read", uri=texts["query_text"])
        _, said = client.close()
    assert b"log_deliberation is done." in said
    assert b"log_deliberation failed." in said
    assert secret.encode() not in said


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_with_nobody_to_serve_it_says_so(program, closed):
    script = f'exec "{sys.executable}" -m council_vault.cli.main mcp {closed}'
    with started("sh", "-c", script) as process:
        _, said = process.communicate(timeout=60)
    assert process.returncode == 2
    assert b"There is nobody to serve" in said


def test_without_standard_error_it_serves_all_the_same(program):
    with started("sh", "-c", f'exec "{sys.executable}" -m council_vault.cli.main mcp 2>&-') as process:
        client = RawClient(process)
        assert "structuredContent" in client.call("route_query", query="Which is better?")
        assert client.close()[0] == 0
    assert only_protocol(client.lines)
