"""Databases that are locked, missing, empty, damaged or none: a clear error, or an honest brief."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from contextlib import ExitStack, closing, contextmanager

import pytest

from council_vault.briefing.brief import build_brief
from council_vault.briefing.ledger.files import open_to_read
from council_vault.briefing.ledger.listing import due, listed
from council_vault.briefing.ledger.recall import LedgerRecall
from council_vault.briefing.ledger.store import Ledger
from council_vault.briefing.prompt import brief_or_none
from council_vault.errors import LedgerUnreadable
from support.past_sessions import DIRECTIVE, NOW, execute, recalling, sample_ledger


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.db"


def brief_from(path, directive=DIRECTIVE):
    with recalling(path) as recall:
        return build_brief(directive, recall, now=NOW)


def refusals(path):
    """Return the errors of all ways to read it, which a council does not notice."""
    errors = []
    for read in (brief_from, lambda path: listed(path, 5), lambda path: due(path, NOW)):
        with pytest.raises(LedgerUnreadable) as caught:
            read(path)
        errors.append(caught.value)
    with opening() as opened:
        assert brief_or_none(DIRECTIVE, lambda: opened(path)) is None
    assert {error.where for error in errors} == {str(path)}
    (what,) = {error.what for error in errors}
    (remedy,) = {error.remedy for error in errors}
    return what, remedy


@contextmanager
def opening():
    """Give a function that opens recalls, which are closed at the end."""
    with ExitStack() as stack:

        def opened(path):
            connection = stack.enter_context(closing(open_to_read(path)))
            return LedgerRecall(connection, path)

        yield opened


class TestNoDatabase:
    def test_missing(self, path):
        assert refusals(path) == ("there is no such ledger", "`council-vault ledger add` makes one")
        assert not path.exists()

    def test_a_folder(self, path):
        path.mkdir()

        assert refusals(path) == ("this is a folder", "Name the database itself")
        with pytest.raises(LedgerUnreadable, match="unable to open"), Ledger.open(path):
            pass

    def test_a_folder_that_is_missing(self, path):
        assert refusals(path / "deeper.db")[0] == "there is no such ledger"

    def test_a_file_in_the_place_of_its_folder(self, path):
        path.write_text("x")

        assert refusals(path / "deeper.db")[0] in {
            "it cannot be read: Not a directory",
            "there is no such ledger",
        }
        with pytest.raises(LedgerUnreadable, match="folder cannot be made"), Ledger.open(path / "deeper.db"):
            pass

    @pytest.mark.parametrize("content", [b"{}", b"no database " * 1000, b"\0" * 5000, b"SQLite format 3\0"])
    def test_another_kind_of_file(self, path, content):
        path.write_bytes(content)

        assert refusals(path) == ("this is no SQLite database", "Name another file")
        with pytest.raises(LedgerUnreadable, match="no SQLite database"), Ledger.open(path):
            pass
        assert path.read_bytes() == content

    def test_an_empty_file_is_an_empty_history_and_becomes_a_ledger(self, path):
        path.touch()

        brief = brief_from(path)

        assert brief.n_cases == 0
        assert "No prior deliberations" in brief.executive_summary
        assert listed(path, 5) == due(path, NOW) == ()
        assert path.read_bytes() == b""
        assert brief_from(sample_ledger(path)).n_cases == 5

    def test_a_name_with_odd_characters(self, tmp_path):
        path = sample_ledger(tmp_path / "what? #1 100% ü&mode=memory.db")

        assert brief_from(path).n_cases == 5

    def test_a_link_to_it(self, tmp_path):
        sample_ledger(tmp_path / "real.db")
        link = tmp_path / "links"
        link.mkdir()
        (link / "ledger.db").symlink_to(tmp_path / "real.db")

        assert brief_from(link / "ledger.db").n_cases == 5
        assert [file.name for file in link.iterdir()] == ["ledger.db"]


LOCKING = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute(sys.argv[2])
print("locked", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def locked_by_another(path):
    """Lock the database in another process; returns a function that takes the lock."""
    processes = []

    def lock(statement):
        command = [sys.executable, "-c", LOCKING, str(path), statement]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stdout.readline() == "locked\n"

    yield lock
    for process in processes:
        with process:
            process.send_signal(signal.SIGKILL)


class TestLocked:
    def test_another_programs_database_that_is_being_written(self, path, locked_by_another, monkeypatch):
        monkeypatch.setattr("council_vault.briefing.ledger.files._PATIENCE", 0.05)
        execute(path, ("CREATE TABLE council_sessions (id, directive)",))
        locked_by_another("BEGIN EXCLUSIVE")

        assert refusals(path) == ("another program is writing the ledger", "Try again")

    def test_our_own_can_be_read_while_it_is_written(self, path, locked_by_another):
        sample_ledger(path)
        locked_by_another("BEGIN IMMEDIATE")

        assert brief_from(path).n_cases == 5
        assert len(listed(path, 9)) == 5

    def test_our_own_cannot_be_written_twice_at_once(self, path, locked_by_another, monkeypatch):
        monkeypatch.setattr("council_vault.briefing.ledger.files._WRITERS_PATIENCE", 0.05)
        sample_ledger(path)
        locked_by_another("BEGIN IMMEDIATE")

        with Ledger.open(path) as ledger, pytest.raises(LedgerUnreadable, match="another program is writing"):
            ledger.resolve("cs_1_p", "correct", NOW)


def damaged(original, dice):
    """Return the bytes of a database with some of them changed, anywhere behind the header."""
    content = bytearray(original)
    for _ in range(dice.choice([1, 1, 3, 10, 200])):
        content[dice.randrange(100, len(content))] = dice.randrange(256)
    return bytes(content)


class TestDamaged:
    def test_a_page_in_the_middle(self, path):
        sample_ledger(path)
        content = bytearray(path.read_bytes())
        for page in range(4096, len(content), 4096):
            content[page : page + 100] = b"\xff" * 100
        path.write_bytes(content)

        what, remedy = refusals(path)

        assert what.startswith("the ledger is damaged: ")
        assert remedy == "Bring it back from a backup"

    def test_cut_off(self, path):
        sample_ledger(path)
        path.write_bytes(path.read_bytes()[:9000])

        assert refusals(path)[0].startswith("the ledger is damaged")

    @pytest.mark.parametrize("kind", ["ours", "foreign"])
    def test_any_bytes_give_a_brief_or_a_clear_error(self, path, kind):
        sample_ledger(path)
        if kind == "foreign":
            execute(path, *((f"DROP TABLE {name}",) for name in ("indexed_sessions", "session_terms")))
        original = path.read_bytes()
        errors = briefs = 0
        for seed in range(250):
            path.write_bytes(damaged(original, random.Random(seed)))
            try:
                brief = brief_from(path)
                due(path, NOW)
                listed(path, 5)
            except LedgerUnreadable as error:
                errors += error.where == str(path)
            else:
                briefs += brief.n_cases <= 5
            for name in ("ledger.db-wal", "ledger.db-shm", "ledger.db-journal"):
                path.with_name(name).unlink(missing_ok=True)

        assert errors + briefs == 250
        assert min(errors, briefs) > 10

    def test_a_council_never_notices(self, path):
        sample_ledger(path)
        original = path.read_bytes()
        for seed in range(60):
            path.write_bytes(damaged(original, random.Random(1000 + seed)))
            with opening() as opened:
                brief = brief_or_none(DIRECTIVE, lambda: opened(path))
            assert brief is None or brief.n_cases <= 5
            for name in ("ledger.db-wal", "ledger.db-shm"):
                path.with_name(name).unlink(missing_ok=True)
