"""Recalling from databases: our own ledger, and those of other councils in whatever state they are."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from contextlib import closing
from datetime import timedelta

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.briefing.brief import build_brief
from council_vault.briefing.ledger.given import read_session
from council_vault.briefing.ledger.listing import due, listed
from council_vault.briefing.ledger.recall import WITHOUT_INDEX
from council_vault.briefing.ledger.store import Ledger
from council_vault.briefing.quality import MOST_TERMS, POOL, candidate_of
from council_vault.briefing.recall import HeldSessions
from council_vault.briefing.vocabulary import vocabulary
from council_vault.errors import LedgerUnreadable
from support.past_sessions import NOW, days_ago, execute, recalling, sample_ledger, write_ledger

pieces = st.sampled_from(
    [
        *(
            "leverage",
            "leverages",
            "risk",
            "hedge",
            "btc",
            "should",
            "we",
            "the",
            "what",
            "raise",
            "C3PO",
            "u6162",
        ),
        *(
            "增加杠杆",
            "杠杆",
            "ควรเพิ่ม",
            "ที่",
            "레버리지를",
            "Straße",
            "l'architecture",
            "snake_case",
            "NEAR",
            '"*-^',
        ),
    ]
)
texts = st.lists(pieces, min_size=1, max_size=6).map(" ".join)
histories = st.lists(
    st.tuples(
        texts, texts, st.none() | st.floats(0, 1), st.sampled_from(["correct", "partial", "incorrect", None])
    ),
    min_size=1,
    max_size=9,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("ledgers")


def written(path, history, order):
    """Write a history, one session an hour, in any order; return its sessions as they were given."""
    path.unlink(missing_ok=True)
    documents = [
        {
            "id": f"cs_{n}",
            "directive": directive,
            "verdict": verdict,
            "confidence": confidence,
            "participants": ["A", "ü"],
            "ts": (NOW - timedelta(hours=n)).isoformat(),
            "evidence_summary": "data_gaps: [x]",
            "predictions": [
                {"id": f"p_{n}", "agent": "B", "statement": "up", "metric": "btc", "direction": "up"}
            ],
        }
        for n, (directive, verdict, confidence, _) in enumerate(history)
    ]
    write_ledger(path, [documents[n] for n in order])
    sessions = []
    for document, (*_, outcome) in zip(documents, history, strict=True):
        if outcome is not None:
            execute(
                path, ("UPDATE predictions SET status = ? WHERE session_id = ?", (outcome, document["id"]))
            )
        session = read_session(document, NOW).as_session()
        (one,) = session.predictions
        graded = msgspec.structs.replace(one, status=outcome or "pending")
        sessions.append(msgspec.structs.replace(session, predictions=(graded,)))
    return sessions


def plain(candidates):
    return [msgspec.structs.replace(one, terms=sorted(one.terms)) for one in candidates]


class TestOurOwn:
    @settings(max_examples=60, deadline=None)
    @given(histories, texts, st.randoms(use_true_random=False), st.integers(1, 9))
    def test_recalls_what_sessions_in_memory_do(self, folder, history, directive, dice, limit):
        order = list(range(len(history)))
        dice.shuffle(order)
        path = folder / "ledger.db"
        held = HeldSessions(written(path, history, order), {})

        with recalling(path) as recall:
            words = list(vocabulary(directive))
            assert plain(recall.candidates(words, limit)) == plain(held.candidates(words, limit))
            for session in held.sessions([f"cs_{n}" for n in order]).values():
                candidate = candidate_of(session)
                expected = plain(held.newer(candidate, limit))
                recall._rows.clear()  # as for a session of another place: it is looked up
                assert plain(recall.newer(candidate, limit)) == expected
                recall.candidates(list(candidate.terms), 64)  # now it is known
                assert plain(recall.newer(candidate, limit)) == expected
            ids = [f"cs_{n}" for n in (*order, 99)]
            assert recall.sessions(ids) == held.sessions(ids)
            assert build_brief(directive, recall, now=NOW) == build_brief(directive, held, now=NOW)

    def test_a_crowd_on_other_ground_hides_nobody(self, tmp_path):
        documents = [
            {"id": id_, "directive": "raise leverage", "verdict": "quasar", "ts": days_ago(days).isoformat()}
            for id_, days in (("old", 200), ("same", 150))
        ]
        documents += [
            {"id": f"c{n}", "directive": f"raise x{n}x leverage y{n}y z{n}z", "ts": days_ago(n).isoformat()}
            for n in range(100)
        ]
        for order in (documents, documents[::-1]):
            path = write_ledger(tmp_path / f"{order[0]['id']}.db", order)
            with recalling(path) as recall:
                brief = build_brief("quasar", recall, now=NOW)
            states = {case.ref: case.validity for case in brief.relevant_historical_cases}
            assert states == {"same": "UNKNOWN", "old": "OUTDATED"}

    def test_of_a_council_that_asks_the_same_every_day_some_are_noted(self, tmp_path):
        documents = [
            {"id": f"s{n:02}", "directive": "raise leverage", "ts": days_ago(n).isoformat()}
            for n in range(POOL + 9)
        ]
        for order in (documents, documents[::-1]):
            path = write_ledger(tmp_path / f"{order[0]['id']}.db", order)
            with recalling(path) as recall:
                first, *others = recall.candidates(["leverag"], POOL + 9)
                assert (first.id, recall.newer(first, POOL)) == ("s00", [])
                assert len(others) == POOL + 8
                for one in others:
                    assert recall.newer(one, POOL)
            (counts,) = execute(path, ("SELECT count(*) FROM same_ground GROUP BY moment",))
            assert max(counts) <= (POOL,)

    @pytest.mark.parametrize(
        "directive",
        [
            '"leverage"',
            "leverage*",
            "leverage NEAR risk",
            "-leverage",
            "terms:leverage",
            "leverage) OR (x",
            "^leverage",
        ],
    )
    def test_the_syntax_of_the_index_means_nothing(self, tmp_path, directive):
        path = write_ledger(tmp_path / "ledger.db", [{"id": "one", "directive": "Raise the leverage"}])

        with recalling(path) as recall:
            assert build_brief(directive, recall, now=NOW).n_cases == 1

    @pytest.mark.parametrize("directive", ["", "a", "should we", "\ud800", "\0", "🙂", "AND OR NOT", '"'])
    def test_a_directive_that_says_nothing_finds_nothing(self, tmp_path, directive):
        path = write_ledger(tmp_path / "ledger.db", [{"id": "one", "directive": "should we a and or not"}])

        with recalling(path) as recall:
            assert build_brief(directive, recall, now=NOW).n_cases == 0

    def test_ten_thousand_characters_and_a_hundred_thousand(self, tmp_path):
        path = write_ledger(tmp_path / "ledger.db", [{"id": "one", "directive": "增加杠杆 leverage"}])
        many = "".join(chr(0x4E00 + n % 20_000) + chr(0x4E00 + n * 7 % 20_000) for n in range(50_000))

        with recalling(path) as recall:
            assert build_brief("leverage " * 1111, recall, now=NOW).n_cases == 1
            assert build_brief(f"{many} leverage", recall, now=NOW).n_cases == 1

    def test_a_few_bounded_questions_are_asked_however_long_it_is(self, tmp_path):
        words = [f"word{n:03}" for n in range(MOST_TERMS)]
        documents = [{"id": id_, "directive": " ".join(words)} for id_ in ("a", "b")]
        documents += [{"id": id_, "directive": "zebra"} for id_ in ("c", "d", "e")]
        path = write_ledger(tmp_path / "ledger.db", documents)

        with recalling(path) as recall:
            recall._connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)
            unheard = [f"unheard{n}" for n in range(2000)]
            assert sorted(one.id for one in recall.candidates([*words, "zebra", *unheard], 64)) == ["a", "b"]

    def test_reading_leaves_nothing_beside_it(self, tmp_path):
        path = sample_ledger(tmp_path / "ledger.db")
        before = digest(path)

        with recalling(path) as recall:
            build_brief("leverage", recall, now=NOW)
        listed(path, 5)
        due(path, NOW)

        assert digest(path) == before
        assert [file.name for file in tmp_path.iterdir()] == ["ledger.db"]


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns


SESSIONS = "id TEXT, ts REAL, directive TEXT, participants TEXT, verdict TEXT, confidence REAL"
PREDICTIONS = "id TEXT, session_id TEXT, agent TEXT, statement TEXT, status TEXT, due_7 REAL"


class Foreign:
    """A database that another council has made."""

    def __init__(self, path, *schema):
        self.path = path
        with closing(sqlite3.connect(path)) as connection, connection:
            for statement in schema:
                connection.execute(statement)

    def insert(self, table, *rows):
        with closing(sqlite3.connect(self.path)) as connection, connection:
            for row in rows:
                names, marks = ", ".join(row), ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(row.values()))  # noqa: S608
        return self

    def brief(self, directive="raise leverage", **options):
        before = digest(self.path)
        with recalling(self.path) as recall:
            brief = build_brief(directive, recall, now=NOW, **options)
        listed(self.path, 5)
        due(self.path, NOW)
        assert digest(self.path) == before
        assert not [file for file in self.path.parent.iterdir() if file != self.path]
        return brief


@pytest.fixture
def foreign(tmp_path):
    def make(*schema):
        return Foreign(tmp_path / "other.db", *schema)

    return make


def tables(sessions=SESSIONS, predictions=PREDICTIONS):
    return f"CREATE TABLE council_sessions ({sessions})", f"CREATE TABLE predictions ({predictions})"


class TestForeign:
    @pytest.mark.parametrize(
        "time", [days_ago(3).timestamp(), days_ago(3).isoformat(), int(days_ago(3).timestamp() * 1000)]
    )
    @pytest.mark.parametrize("column", ["ts REAL", "ts TEXT", "ts"])
    def test_times_of_any_form(self, foreign, time, column):
        other = foreign(*tables(f"id TEXT, {column}, directive TEXT"))
        other.insert("council_sessions", {"id": "one", "ts": time, "directive": "Raise the leverage"})

        other.brief()

        (one,) = listed(other.path, 5)
        assert one.time == days_ago(3)

    @pytest.mark.parametrize("kind", ["INTEGER", "TEXT", ""])
    @pytest.mark.parametrize("link", ["INTEGER", "TEXT", ""])
    @pytest.mark.parametrize("value", [7, "7"])
    def test_ids_that_are_numbers(self, foreign, kind, link, value):
        other = foreign(*tables(f"id {kind}, directive TEXT", f"id INTEGER, session_id {link}, status TEXT"))
        other.insert("council_sessions", {"id": value, "directive": "Raise the leverage"})
        other.insert("predictions", {"id": 1, "session_id": 7, "status": "correct"})

        (case,) = other.brief().relevant_historical_cases

        assert (case.ref, case.validity) == ("7", "VALIDATED")

    def test_views_for_tables(self, foreign):
        other = foreign(
            "CREATE TABLE meetings (nr INTEGER PRIMARY KEY, day TEXT, question TEXT)",
            "CREATE TABLE bets (meeting INTEGER, result TEXT)",
            "CREATE VIEW council_sessions AS SELECT nr AS id, day AS ts, question AS directive FROM meetings",
            "CREATE VIEW predictions AS SELECT meeting || '' AS session_id, result AS status FROM bets",
        )
        other.insert("meetings", {"nr": 7, "day": "2026-06-01", "question": "Raise the leverage"})
        other.insert("bets", {"meeting": 7, "result": "CORRECT"})

        (case,) = other.brief().relevant_historical_cases

        assert (case.ref, case.validity, case.accuracy) == ("7", "VALIDATED", 1.0)

    @pytest.mark.parametrize(
        ("schema", "n_cases"),
        [
            ((), 0),
            (("CREATE TABLE something_else (x)",), 0),
            (("CREATE TABLE council_sessions (directive TEXT)",), 0),
            (("CREATE TABLE council_sessions (id TEXT)", "INSERT INTO council_sessions VALUES ('one')"), 0),
            (
                (
                    "CREATE TABLE council_sessions (id, directive)",
                    "INSERT INTO council_sessions VALUES ('one', 'raise it'), (NULL, 'raise'), ('', 'raise')",
                ),
                1,
            ),
            (
                (
                    "CREATE TABLE council_sessions (id, verdict, created_at)",
                    "INSERT INTO council_sessions VALUES ('one', 'raise leverage', '2026-06-01')",
                    "CREATE TABLE predictions (statement)",
                    "INSERT INTO predictions VALUES ('x')",
                    "CREATE TABLE agent_reputation (wins)",
                ),
                1,
            ),
        ],
    )
    def test_missing_tables_and_columns_are_no_data(self, foreign, schema, n_cases):
        assert foreign(*schema).brief().n_cases == n_cases

    def test_predictions_that_lack_columns_are_listed_and_due(self, foreign):
        other = foreign(*tables(predictions="id INTEGER, session_id TEXT, due_30 TEXT"))
        other.insert("council_sessions", {"id": "one", "ts": days_ago(40).isoformat(), "directive": "Raise"})
        other.insert("predictions", {"id": 5, "session_id": "one", "due_30": days_ago(10).isoformat()})

        (one,) = listed(other.path, 5)
        assert (one.id, one.verdict, one.predictions, one.graded, one.accuracy) == ("one", "", 1, 0, None)
        (late,) = due(other.path, NOW)
        assert (late.id, late.session, late.agent, late.statement) == ("5", "one", "", "")
        assert (late.since, late.horizon_days) == (days_ago(10), 30)

    @pytest.mark.parametrize(
        ("status", "is_due"),
        [
            ("pending", True),
            (None, True),
            ("Open", True),
            (" Correct", False),
            ("PARTIAL", False),
            ("incorrect", False),
        ],
    )
    def test_what_is_pending_in_other_words(self, foreign, status, is_due):
        other = foreign(*tables())
        other.insert(
            "predictions", {"id": "p", "session_id": "s", "status": status, "due_7": days_ago(1).timestamp()}
        )

        assert bool(due(other.path, NOW)) is is_due

    def test_odd_values_are_not_known(self, foreign):
        other = foreign(*tables("id, ts, directive, participants, confidence"))
        other.insert(
            "council_sessions",
            {
                "id": "one",
                "ts": "soon",
                "directive": "raise leverage",
                "participants": "[broken",
                "confidence": "high",
            },
            {
                "id": "two",
                "ts": None,
                "directive": b"raise leverage \xff",
                "participants": None,
                "confidence": 70,
            },
        )

        brief = other.brief()

        assert brief.n_cases == 2
        assert brief.coverage == {"UNKNOWN": 2}
        assert brief.confidence_trends.stated_avg is None
        assert brief.agent_performance_trends == ()

    def test_text_that_is_no_unicode_is_still_read(self, foreign):
        other = foreign(*tables())
        execute(
            other.path,
            ("INSERT INTO council_sessions (id, directive) VALUES ('x', CAST(x'726169736520ff' AS TEXT))",),
        )

        (case,) = other.brief().relevant_historical_cases
        assert case.gist == "raise \ufffd"

    def test_reputations_of_those_who_took_part(self, foreign):
        other = foreign(*tables(), "CREATE TABLE agent_reputation (agent TEXT, alpha REAL, beta REAL)")
        other.insert(
            "council_sessions",
            {"id": "one", "directive": "raise leverage", "participants": '["Skeptic", "Analyst"]'},
        )
        other.insert(
            "agent_reputation", {"agent": "Skeptic", "alpha": 3, "beta": 1}, {"agent": "Other", "alpha": 9}
        )

        (trend,) = other.brief().agent_performance_trends

        assert (trend.agent, trend.skill, trend.reliability) == ("Skeptic", 0.75, "mixed")

    def test_the_newest_2000_sessions_are_looked_at(self, foreign):
        other = foreign(*tables())
        with closing(sqlite3.connect(other.path)) as connection, connection:
            connection.executemany(
                "INSERT INTO council_sessions (id, ts, directive) VALUES (?, ?, ?)",
                [(f"s{n}", days_ago(n).timestamp(), f"word{n} raise") for n in range(WITHOUT_INDEX + 1)],
            )

        assert other.brief(f"word{WITHOUT_INDEX - 1}").n_cases == 1
        assert other.brief(f"word{WITHOUT_INDEX}").n_cases == 0

    def test_the_same_order_whatever_order_the_rows_are_in(self, foreign, tmp_path):
        rows = [{"id": f"s{n}", "ts": days_ago(3).timestamp(), "directive": f"raise x{n}x"} for n in range(9)]
        first = foreign(*tables()).insert("council_sessions", *rows)
        brief = first.brief()
        (tmp_path / "other.db").unlink()
        second = foreign(*tables()).insert("council_sessions", *rows[::-1])

        assert second.brief() == brief
        assert [one.id for one in listed(second.path, 3)] == ["s0", "s1", "s2"]

    def test_is_never_written(self, foreign):
        other = foreign(*tables())
        before = digest(other.path)

        with (
            pytest.raises(LedgerUnreadable, match="another program's database") as caught,
            Ledger.open(other.path),
        ):
            pass

        assert "--ledger" in caught.value.remedy
        assert digest(other.path) == before
        with (
            recalling(other.path) as recall,
            pytest.raises(sqlite3.OperationalError, match="a readonly database"),
        ):
            recall._connection.execute("DELETE FROM council_sessions")


class TestForeignLog:
    """A database with a write-ahead log has files beside it while it is open, or even afterwards."""

    @pytest.fixture
    def other(self, foreign):
        other = foreign("PRAGMA journal_mode = WAL", *tables())
        return other.insert("council_sessions", {"id": "one", "directive": "raise leverage"})

    def test_nothing_is_changed_and_nothing_left(self, other):
        assert other.brief().n_cases == 1

    def test_not_even_by_being_refused_for_writing(self, other):
        before = digest(other.path)

        with pytest.raises(LedgerUnreadable), Ledger.open(other.path):
            pass

        assert digest(other.path) == before
        assert [file.name for file in other.path.parent.iterdir()] == ["other.db"]

    def test_what_stands_in_the_log_alone_is_read_and_stays_there(self, other):
        with closing(sqlite3.connect(other.path, isolation_level=None)) as writer:
            writer.execute("INSERT INTO council_sessions (id, directive) VALUES ('two', 'raise leverage')")
            log = other.path.with_name("other.db-wal")
            before, in_log = digest(other.path), digest(log)

            with recalling(other.path) as recall:
                assert build_brief("raise leverage", recall, now=NOW).n_cases == 2
                assert len(listed(other.path, 5)) == 2

            assert (digest(other.path), digest(log)) == (before, in_log)

    @pytest.mark.parametrize("by_a_link", [False, True])
    def test_even_where_its_writer_was_killed(self, other, tmp_path_factory, by_a_link):
        log = other.path.with_name("other.db-wal")
        with closing(sqlite3.connect(other.path, isolation_level=None)) as writer:
            writer.execute("INSERT INTO council_sessions (id, directive) VALUES ('two', 'raise leverage')")
            left = other.path.read_bytes(), log.read_bytes()
        other.path.write_bytes(left[0])
        log.write_bytes(left[1])
        link = tmp_path_factory.mktemp("links") / "link.db"
        link.symlink_to(other.path)

        with recalling(link if by_a_link else other.path) as recall:
            assert build_brief("raise leverage", recall, now=NOW).n_cases == 2

        assert (other.path.read_bytes(), log.read_bytes()) == left

    def test_is_never_written(self, other):
        with (
            recalling(other.path) as recall,
            pytest.raises(sqlite3.OperationalError, match="a readonly database"),
        ):
            recall._connection.execute("DELETE FROM council_sessions")

    def test_a_writer_and_a_reader_do_not_hinder_each_other(self, other):
        with (
            recalling(other.path) as recall,
            closing(sqlite3.connect(other.path, isolation_level=None)) as writer,
        ):
            writer.execute("BEGIN IMMEDIATE")
            writer.execute("INSERT INTO council_sessions (id, directive) VALUES ('two', 'raise leverage')")
            assert build_brief("raise leverage", recall, now=NOW).n_cases == 1
            writer.execute("COMMIT")


@pytest.fixture
def unprivileged(tmp_path_factory):
    """Be nobody for a while, so that permissions count."""
    folder = tmp_path_factory.mktemp("owned")
    user = os.geteuid()
    if user == 0:
        for parent in (folder, *folder.parents):
            if parent.stat().st_uid == 0 and not parent.stat().st_mode & 0o001:
                parent.chmod(parent.stat().st_mode | 0o011)
    yield folder, lambda: os.seteuid(65534 if user == 0 else user)
    os.seteuid(user)
    folder.chmod(0o700)


class TestReadOnlyFolder:
    def test_a_database_with_a_log_is_read(self, unprivileged):
        folder, become_nobody = unprivileged
        other = Foreign(folder / "other.db", "PRAGMA journal_mode = WAL", *tables())
        other.insert("council_sessions", {"id": "one", "directive": "raise leverage"})
        other.path.chmod(0o444)
        folder.chmod(0o555)
        become_nobody()

        assert other.brief().n_cases == 1

    def test_changes_that_cannot_be_read_are_not_passed_over(self, unprivileged):
        folder, become_nobody = unprivileged
        other = Foreign(folder / "other.db", "PRAGMA journal_mode = WAL", *tables())
        with closing(sqlite3.connect(other.path, isolation_level=None)) as writer:
            writer.execute("INSERT INTO council_sessions (id, directive) VALUES ('two', 'raise leverage')")
            kept = [(file, file.read_bytes()) for file in folder.iterdir() if not file.name.endswith("-shm")]
        for file, content in kept:
            file.write_bytes(content)
            file.chmod(0o444)
        folder.chmod(0o555)
        become_nobody()

        with pytest.raises(LedgerUnreadable, match=r"other\.db-wal") as caught, recalling(other.path):
            pass
        assert "Copy both files" in caught.value.remedy

    def test_a_file_that_may_not_be_read_is_named(self, unprivileged):
        folder, become_nobody = unprivileged
        other = Foreign(folder / "other.db", *tables())
        other.path.chmod(0o000)
        folder.chmod(0o555)
        become_nobody()

        with pytest.raises(LedgerUnreadable, match=r"other\.db: it cannot be read: Permission denied"):
            listed(other.path, 5)

    def test_nor_can_a_ledger_be_made_there(self, unprivileged):
        folder, become_nobody = unprivileged
        folder.chmod(0o555)
        become_nobody()

        with (
            pytest.raises(LedgerUnreadable, match="folder cannot be made"),
            Ledger.open(folder / "new" / "l.db"),
        ):
            pass
        with pytest.raises(LedgerUnreadable, match="unable to open"), Ledger.open(folder / "ledger.db"):
            pass
