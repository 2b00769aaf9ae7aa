"""The ledger: adding, resolving, listing, and what is due; with a real database."""

from __future__ import annotations

from datetime import timedelta

import pytest

from council_vault.briefing.ledger.given import read_session
from council_vault.briefing.ledger.listing import due, listed
from council_vault.briefing.ledger.store import Ledger
from council_vault.errors import InputError, LedgerUnreadable
from support.past_sessions import NOW, days_ago, execute, recalling, write_ledger

COLUMNS = {
    "council_sessions": """
        id ts directive participants verdict confidence evidence_summary dissent_summary model created_at
    """,
    "predictions": """
        id session_id agent statement metric direction invalidation confidence status participants made_at
        due_7 due_30 due_90 due_180 evaluated_at
    """,
    "agent_reputation": """
        agent wins losses draws accuracy_rate alpha beta brier_sum brier_n calibration last_outcome_at
    """,
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "made" / "for" / "it" / "ledger.db"


def session(id_="cs_1", directive="Raise the leverage", days=10, **fields):
    return {
        "id": id_,
        "directive": directive,
        "ts": days_ago(days).timestamp(),
        "verdict": "Phase in",
    } | fields


def prediction(id_="p_1", agent="Forecaster", **fields):
    return {"id": id_, "agent": agent, "statement": "BTC rallies", "confidence": 0.8} | fields


def added(path, document, now=NOW):
    with Ledger.open(path) as ledger:
        return ledger.add(read_session(document, now), now)


def resolved(path, id_, outcome, now=NOW):
    with Ledger.open(path) as ledger:
        return ledger.resolve(id_, outcome, now)


def dump(path):
    (rows,) = execute(path, ("SELECT * FROM council_sessions ORDER BY id",))
    (more,) = execute(path, ("SELECT * FROM predictions ORDER BY id",))
    (index,) = execute(path, ("SELECT * FROM indexed_sessions ORDER BY moment",))
    return rows, more, index


class TestAdding:
    def test_makes_the_ledger_and_keeps_every_field(self, path):
        document = session(
            participants=["Analyst", "ü"],
            confidence=0.7,
            evidence_summary="data_gaps: [x]",
            dissent_summary="None",
            model="m/1",
            predictions=[
                prediction(metric="btc", direction="up", invalidation="below", participants=["Skeptic"])
            ],
        )
        assert added(path, document) is True

        ((row,),) = execute(path, ("SELECT * FROM council_sessions",))
        assert row == (
            "cs_1",
            days_ago(10).timestamp(),
            "Raise the leverage",
            '["Analyst", "ü"]',
            "Phase in",
            0.7,
            "data_gaps: [x]",
            "None",
            "m/1",
            NOW.timestamp(),
        )
        ((row,),) = execute(path, ("SELECT * FROM predictions",))
        made = days_ago(10)
        dues = [(made + timedelta(days=days)).timestamp() for days in (7, 30, 90, 180)]
        assert row == (
            *(
                "p_1",
                "cs_1",
                "Forecaster",
                "BTC rallies",
                "btc",
                "up",
                "below",
                0.8,
                "pending",
                '["Skeptic"]',
            ),
            *(made.timestamp(), *dues, None),
        )

    def test_has_the_columns_that_other_councils_have(self, path):
        added(path, session())

        for table, columns in COLUMNS.items():
            (rows,) = execute(path, (f"PRAGMA table_info({table})",))
            assert [row[1] for row in rows] == columns.split()

    def test_is_durable_and_leaves_nothing_beside_it(self, path):
        with Ledger.open(path) as ledger:
            assert ledger._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            assert ledger._connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert [file.name for file in path.parent.iterdir()] == ["ledger.db"]

    def test_the_same_session_twice_is_kept_once(self, path):
        document = session(participants=["A"], predictions=[prediction(), prediction("p_2")])
        assert added(path, document) is True
        before = dump(path)

        assert added(path, document, NOW + timedelta(days=1)) is False
        assert dump(path) == before

    def test_even_when_it_has_been_resolved(self, path):
        document = session(predictions=[prediction("z"), prediction("a")])
        added(path, document)
        resolved(path, "z", "correct")

        assert added(path, document) is False

    @pytest.mark.parametrize(
        "change",
        [
            {"directive": "Another"},
            {"verdict": "Another"},
            {"confidence": 0.1},
            {"participants": ["A"]},
            {"predictions": []},
            {"predictions": [prediction(), prediction("p_2")]},
            {"predictions": [prediction(statement="BTC falls")]},
        ],
    )
    def test_another_one_with_its_id_is_refused(self, path, change):
        document = session(predictions=[prediction()])
        added(path, document)
        before = dump(path)

        with pytest.raises(InputError, match="another session has the id cs_1") as caught:
            added(path, document | change)

        assert caught.value.where == "id"
        assert dump(path) == before

    def test_a_prediction_with_the_id_of_another_undoes_all_of_the_session(self, path):
        added(path, session(predictions=[prediction("p_1")]))
        before = dump(path)

        with pytest.raises(InputError) as caught:
            added(path, session("cs_2", predictions=[prediction("p_0"), prediction("p_1")]))

        assert caught.value.where == "predictions[1].id"
        assert dump(path) == before
        with recalling(path) as recall:
            assert [one.id for one in recall.candidates(["leverag"], 64)] == ["cs_1"]

    def test_the_ledger_can_be_used_on_after_an_error(self, path):
        with Ledger.open(path) as ledger:
            for _ in range(2):
                with pytest.raises(InputError):
                    ledger.resolve("nothing", "correct", NOW)
            assert ledger.add(read_session(session(), NOW), NOW) is True

    def test_out_of_order_the_newer_still_supersedes(self, path):
        for id_, days in (("b", 5), ("d", 1), ("a", 9), ("c", 3)):
            added(path, session(id_, days=days))

        with recalling(path) as recall:
            found = {one.id: one for one in recall.candidates(["leverag"], 64)}
            newer = {id_: "".join(other.id for other in recall.newer(one, 64)) for id_, one in found.items()}
        assert list(found) == ["d", "c", "b", "a"]
        assert newer == {"a": "dcb", "b": "dc", "c": "d", "d": ""}

    def test_sessions_of_one_time_do_not_supersede_each_other(self, path):
        for id_ in ("b", "a", "c"):
            added(path, session(id_, days=5))

        with recalling(path) as recall:
            found = recall.candidates(["leverag"], 64)
            assert {one.id: one.time for one in found} == dict.fromkeys("abc", days_ago(5))
            assert [recall.newer(one, 64) for one in found] == [[], [], []]

    def test_a_long_text_in_any_script(self, path):
        directive = "增加杠杆" * 20_000 + " leverage" * 1000
        added(path, session(directive=directive[:100_000]))

        with recalling(path) as recall:
            assert [one.id for one in recall.candidates(["杠杆", *map(str, range(70_000))], 64)] == ["cs_1"]


class TestResolving:
    DOCUMENT = session(
        participants=["Analyst", "Forecaster", "Skeptic"], predictions=[prediction(), prediction("p_2")]
    )

    @pytest.mark.parametrize(
        ("outcome", "predictor", "other", "brier"),
        [
            ("correct", (2.0, 1.0), (1.5, 1.0), 0.04),
            ("partial", (1.5, 1.5), (1.25, 1.25), 0.09),
            ("incorrect", (1.0, 2.0), (1.0, 1.5), 0.64),
        ],
    )
    def test_reputations_follow(self, path, outcome, predictor, other, brier):
        added(path, self.DOCUMENT)

        first, *others = resolved(path, "p_1", outcome)

        assert (first.agent, first.alpha, first.beta) == ("Forecaster", *predictor)
        assert (first.brier_sum, first.brier_n) == (pytest.approx(brier), 1)
        assert [one.agent for one in others] == ["Analyst", "Skeptic"]
        assert {(one.alpha, one.beta, one.brier_n, one.calibration) for one in others} == {(*other, 0, None)}
        with recalling(path) as recall:
            assert recall.reputations(["Forecaster", "Skeptic", "Nobody"]) == {
                "Forecaster": first,
                "Skeptic": others[1],
            }

    def test_one_after_the_other_with_half_forgotten_after_90_days(self, path):
        added(path, self.DOCUMENT)
        resolved(path, "p_1", "correct", NOW)

        later = NOW + timedelta(days=90)
        first, analyst, _ = resolved(path, "p_2", "incorrect", later)

        assert (first.alpha, first.beta) == (1.5, 2.0)
        assert (first.wins, first.losses, first.accuracy_rate) == (1, 1, 0.5)
        assert first.calibration == pytest.approx(1 - (0.04 + 0.64) / 2)
        assert first.last_outcome_at == later
        assert (analyst.alpha, analyst.beta) == (1.25, 1.5)

    def test_participants_of_the_prediction_count_too_and_each_once(self, path):
        added(
            path, session(participants=["A"], predictions=[prediction(participants=["B", "A", "Forecaster"])])
        )

        assert [one.agent for one in resolved(path, "p_1", "correct")] == ["Forecaster", "B", "A"]

    def test_the_outcome_is_kept_with_its_time(self, path):
        added(path, self.DOCUMENT)
        resolved(path, "p_1", "partial")

        (rows,) = execute(path, ("SELECT id, status, evaluated_at FROM predictions ORDER BY id",))
        assert rows == [("p_1", "partial", NOW.timestamp()), ("p_2", "pending", None)]

    def test_the_same_outcome_again_changes_nothing(self, path):
        added(path, self.DOCUMENT)
        resolved(path, "p_1", "correct")
        (before,) = execute(path, ("SELECT * FROM agent_reputation",))

        assert resolved(path, "p_1", "correct", NOW + timedelta(days=1)) == ()
        assert execute(path, ("SELECT * FROM agent_reputation",)) == [before]

    def test_another_outcome_is_refused(self, path):
        added(path, self.DOCUMENT)
        resolved(path, "p_1", "correct")

        with pytest.raises(InputError, match="p_1 is correct already"):
            resolved(path, "p_1", "incorrect")

    def test_an_unknown_prediction_is_refused_with_advice(self, path):
        added(path, self.DOCUMENT)

        with pytest.raises(InputError, match="there is no prediction p_9") as caught:
            resolved(path, "p_9", "correct")
        assert "ledger due" in caught.value.remedy


class TestListing:
    def test_newest_first_with_what_came_of_them(self, path):
        write_ledger(
            path,
            [
                session("a", days=9, predictions=[prediction("p1"), prediction("p2"), prediction("p3")]),
                session("b", "Lower it", days=3, verdict=""),
                session("c", days=9),
            ],
            [("p1", "correct"), ("p2", "partial")],
        )

        first, second, third = listed(path, 10)

        assert (first.id, first.time, first.directive, first.verdict) == ("b", days_ago(3), "Lower it", "")
        assert (first.predictions, first.graded, first.accuracy) == (0, 0, None)
        assert (second.id, second.predictions, second.graded, second.accuracy) == ("a", 3, 2, 0.75)
        assert third.id == "c"
        assert listed(path, 2) == (first, second)

    def test_an_empty_ledger_has_nothing(self, path):
        with Ledger.open(path):
            pass

        assert listed(path, 10) == due(path, NOW) == ()


class TestDue:
    def test_what_is_pending_and_past_its_first_horizon(self, path):
        made = [
            prediction("p30", horizon_days=30),
            prediction("p90", horizon_days=90),
            prediction("all", statement="It holds"),
            prediction("graded"),
        ]
        write_ledger(path, [session(days=30, predictions=made)], [("graded", "correct")])

        first, second = due(path, NOW)

        assert (first.id, first.session, first.agent, first.statement) == (
            "all",
            "cs_1",
            "Forecaster",
            "It holds",
        )
        assert (first.since, first.horizon_days) == (days_ago(23), 7)
        assert (second.id, second.since, second.horizon_days) == ("p30", NOW, 30)
        assert [one.id for one in due(path, NOW - timedelta(seconds=1))] == ["all"]
        assert due(path, days_ago(24)) == ()

    def test_the_longest_due_first(self, path):
        documents = [
            session(id_, days=days, predictions=[prediction(f"p{id_}")])
            for id_, days in (("a", 8), ("b", 12))
        ]
        write_ledger(path, documents)

        assert [one.id for one in due(path, NOW)] == ["pb", "pa"]


def test_an_error_of_the_disk_rolls_back(path):
    added(path, session())
    before = dump(path)
    with Ledger.open(path) as ledger:
        ledger._connection.execute("PRAGMA max_page_count = 1")
        big = session("cs_2", directive="x" * 90_000)
        with pytest.raises(Exception, match=r"no room left for the ledger\. Nothing was changed"):
            ledger.add(read_session(big, NOW), NOW)
        assert not ledger._connection.in_transaction

    assert dump(path) == before


def test_a_ledger_that_may_only_be_read_is_named(path):
    added(path, session())
    with Ledger.open(path) as ledger:
        ledger._connection.execute("PRAGMA query_only = ON")
        with pytest.raises(LedgerUnreadable, match="may only be read"):
            ledger.add(read_session(session("cs_2"), NOW), NOW)
