"""Several processes at one ledger, and processes that are killed."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from council_vault.briefing.ledger.given import read_session
from council_vault.briefing.ledger.index import TABLE_NAMES
from council_vault.briefing.ledger.listing import listed
from council_vault.briefing.ledger.store import Ledger
from support.adding_sessions import document
from support.past_sessions import NOW, execute, recalling


def adding(path, name, count):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "support.adding_sessions", str(path), name, str(count)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def check_whole(path):
    """Check that each session is there with all that belongs to it, or not at all; return their ids."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        ids = {id_ for (id_,) in connection.execute("SELECT id FROM council_sessions")}
        rows = dict(connection.execute("SELECT moment, session_id FROM indexed_sessions"))
        assert sorted(rows.values()) == sorted(ids)
        found = connection.execute("SELECT rowid FROM session_terms WHERE session_terms MATCH 'leverag'")
        assert {row for (row,) in found} == set(rows)
        predictions = connection.execute("SELECT session_id, count(*) FROM predictions GROUP BY 1").fetchall()
        assert dict(predictions) == dict.fromkeys(ids, 2)
        counted = dict(connection.execute("SELECT word, sessions FROM term_counts"))
        assert counted.get("leverag", 0) == len(ids)
        query = "SELECT count(*) FROM predictions WHERE status = 'correct'"
        (right,) = connection.execute(query).fetchone()
        wins = dict(connection.execute("SELECT agent, wins FROM agent_reputation"))
        expected = {"Forecaster": right, "Analyst": right / 2, "Skeptic": right / 2} if right else {}
        assert wins == expected
    with recalling(path) as recall:
        assert {one.id for one in recall.candidates(["leverag"], 1000)} == ids
    return ids


def test_two_processes_add_fifty_sessions_each_to_a_new_ledger(tmp_path):
    path = tmp_path / "ledger.db"
    writers = [adding(path, name, 50) for name in ("a", "b")]
    for writer in writers:
        with writer:
            writer.communicate()
        assert writer.returncode == 0

    assert check_whole(path) == {f"{name}_{number}" for name in "ab" for number in range(50)}


def test_two_processes_adding_the_same_sessions_keep_each_once(tmp_path):
    path = tmp_path / "ledger.db"
    writers = [adding(path, "same", 10) for _ in range(2)]
    for writer in writers:
        with writer:
            writer.communicate()
        assert writer.returncode == 0

    assert check_whole(path) == {f"same_{number}" for number in range(10)}


@pytest.mark.parametrize("seed", range(6))
def test_a_killed_process_leaves_whole_sessions_and_all_that_it_said_it_had_kept(tmp_path, seed):
    dice = random.Random(seed)
    path = tmp_path / "ledger.db"
    kept, resolved = set(), set()
    for life in range(3):
        with adding(path, f"life{life}", 10_000) as writer:
            for _ in range(dice.randrange(1, 12)):
                writer.stdout.readline()
            for _ in range(dice.randrange(20_000)):
                pass  # at some moment of the next one
            writer.send_signal(signal.SIGKILL)
        assert writer.returncode == -signal.SIGKILL
        ids = check_whole(path)
        kept |= ids
        assert ids == kept
        statuses = dict(execute(path, ("SELECT id, status FROM predictions",))[0])
        now_resolved = {id_ for id_, status in statuses.items() if status == "correct"}
        assert resolved <= now_resolved
        resolved = now_resolved
    assert len(kept) >= 3


def test_what_a_process_said_it_had_kept_is_there_after_it_was_killed(tmp_path):
    path = tmp_path / "ledger.db"
    with adding(path, "one", 10_000) as writer:
        said = [writer.stdout.readline().split() for _ in range(9)]
        writer.send_signal(signal.SIGKILL)
        said += [line.split() for line in writer.stdout]

    ids = check_whole(path)
    assert {id_ for word, id_ in said if word == "added"} <= ids
    statuses = dict(execute(path, ("SELECT id, status FROM predictions",))[0])
    assert all(statuses[id_] == "correct" for word, id_ in said if word == "resolved")


def test_one_killed_while_it_made_the_tables_has_made_none(tmp_path):
    path = tmp_path / "ledger.db"
    program = (
        "import os, signal, sqlite3, sys\n"
        "from pathlib import Path\n"
        "from council_vault.briefing.ledger import store\n"
        "store._TABLES += 'SELECT stop();'\n"
        "connect = sqlite3.connect\n"
        "def connected(*args, **kwargs):\n"
        "    connection = connect(*args, **kwargs)\n"
        "    connection.create_function('stop', 0, lambda: os.kill(os.getpid(), signal.SIGKILL))\n"
        "    return connection\n"
        "sqlite3.connect = connected\n"
        "with store.Ledger.open(Path(sys.argv[1])): pass\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL

    with Ledger.open(path) as ledger:
        assert ledger.add(read_session(document("a", 0), NOW), NOW) is True
        names = {name for (name,) in ledger._connection.execute("SELECT name FROM sqlite_master")}
    assert names > TABLE_NAMES
    assert [one.id for one in listed(path, 5)] == ["a_0"]
