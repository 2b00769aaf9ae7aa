"""Past deliberations held in memory, those of a memory file, and several places as one."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from council_vault.briefing.brief import build_brief
from council_vault.briefing.cases import Reputation
from council_vault.briefing.prompt import format_brief_for_council
from council_vault.briefing.quality import MOST_TERMS, candidate_of, recalled
from council_vault.briefing.recall import HeldSessions, Several, recall_from
from council_vault.memory.decoding import decode
from support.memory_files import REAL_DATA
from support.past_sessions import NOW, days_ago, past


def ids(candidates):
    return [one.id for one in candidates]


class TestHeldSessions:
    def test_rare_terms_first_then_new_sessions(self):
        held = HeldSessions(
            [
                past("common-old", "leverage", days=9),
                past("rare", "quasar leverage", days=8),
                past("common-new", "leverage", days=7),
            ],
            {},
        )

        assert ids(held.candidates(["leverag", "quasar"], 64)) == ["rare", "common-new", "common-old"]
        assert ids(held.candidates(["leverag", "quasar"], 2)) == ["rare", "common-new"]
        assert ids(held.candidates(["unheard", "of"], 64)) == []

    def test_the_rarest_terms_of_a_long_directive_are_looked_for(self):
        common = [past(f"c{n}", " ".join(f"word{m:03}" for m in range(MOST_TERMS)), days=9) for n in range(2)]
        held = HeldSessions([*common, past("o", "zebra"), past("p", "zebra"), past("q", "zebra")], {})

        found = held.candidates([f"word{m:03}" for m in range(MOST_TERMS)] + ["zebra"], 64)

        assert sorted(ids(found)) == ["c0", "c1"]

    def test_newer_sessions_on_the_same_ground_the_newest_first(self):
        old = past("old", "raise the leverage", days=9)
        others = [past(f"n{days}", "Raise the leverage", days=days) for days in (3, 1, 2, 12)]
        held = HeldSessions([old, *others, past("other", "raise something else", days=1)], {})

        assert ids(held.newer(candidate_of(old), 64)) == ["n1", "n2", "n3"]
        assert ids(held.newer(candidate_of(old), 2)) == ["n1", "n2"]

    def test_however_many_others_share_a_word(self):
        old = past("old", "raise leverage", days=200)
        crowd = [past(f"c{n}", f"raise x{n}x y{n}y leverage z{n}z", days=n) for n in range(100)]
        held = HeldSessions([old, *crowd, past("same", "raise leverage", days=150)], {})

        assert ids(held.newer(candidate_of(old), 64)) == ["same"]

    def test_of_one_id_the_first_counts(self):
        held = HeldSessions([past("one", "leverage"), past("one", "hedge")], {})

        assert held.sessions(["one"])["one"].directive == "leverage"
        assert ids(held.candidates(["hedge"], 64)) == []

    def test_only_what_is_known_is_returned(self):
        known = {"Skeptic": Reputation(agent="Skeptic")}
        held = HeldSessions([past("one", "leverage")], known)

        assert list(held.sessions(["two", "one"])) == ["one"]
        assert held.reputations(["Analyst", "Skeptic"]) == known


class TestSeveral:
    def test_what_any_of_them_has_is_recalled(self):
        ledger = HeldSessions([past("cs", "leverage")], {"A": Reputation(agent="A", alpha=9)})
        memory = HeldSessions(
            [past("d", "leverage risk")], {"A": Reputation(agent="A"), "B": Reputation(agent="B")}
        )
        both = Several([ledger, memory])

        assert ids(both.candidates(["leverag"], 64)) == ["cs", "d"]
        assert sorted(both.sessions(["cs", "d"])) == ["cs", "d"]
        assert both.reputations(["A", "B"])["A"].alpha == 9
        assert sorted(both.reputations(["A", "B"])) == ["A", "B"]

    def test_none_of_none(self):
        nothing = Several([])

        assert not nothing.candidates(["leverag"], 64)
        assert not nothing.newer(candidate_of(past("a", "leverage")), 64)
        assert nothing.sessions(["a"]) == nothing.reputations(["A"]) == {}

    @pytest.mark.parametrize("turned", [False, True])
    def test_a_session_of_one_supersedes_one_of_the_other(self, turned):
        places = [
            HeldSessions([past("old", "raise leverage", days=9, accuracy=1.0)], {}),
            HeldSessions([past("new", "raise leverage", days=8, accuracy=1.0)], {}),
        ]

        cases = recalled("leverage", Several(places[::-1] if turned else places), 8, NOW)

        assert {case.session.id: case.validity for case in cases} == {"old": "OUTDATED", "new": "VALIDATED"}

    @pytest.mark.parametrize("id_", ["d_20260515_001", "cs_1"])
    def test_a_deliberation_that_both_have_kept_counts_once_as_the_first_has_it(self, id_):
        ledger = HeldSessions([past("cs_1", "raise the leverage", days=30, accuracy=1.0)], {})
        kept_later = past(id_, "raise leverage the", days=30 - 50 / 1440)
        cases = recalled("leverage", Several([ledger, HeldSessions([kept_later], {})]), 8, NOW)

        assert [(case.session.id, case.validity) for case in cases] == [("cs_1", "VALIDATED")]

    def test_so_does_one_of_the_same_id_whatever_it_says_there(self):
        ledger = HeldSessions([past("d_1", "raise the leverage", days=30, accuracy=1.0)], {})
        memory = HeldSessions([past("d_1", "leverage, in a summary of it", days=2)], {})
        both = Several([ledger, memory])

        cases = recalled("leverage", both, 8, NOW)

        assert [(case.session.directive, case.validity) for case in cases] == [
            ("raise the leverage", "VALIDATED")
        ]

    def test_after_more_than_an_hour_it_is_another_one(self):
        ledger = HeldSessions([past("cs_1", "raise the leverage", days=30, accuracy=1.0)], {})
        memory = HeldSessions([past("d_1", "raise the leverage", days=30 - 61 / 1440)], {})

        cases = recalled("leverage", Several([ledger, memory]), 8, NOW)

        assert {case.session.id: case.validity for case in cases} == {"cs_1": "OUTDATED", "d_1": "UNKNOWN"}

    def test_nor_is_it_the_same_on_other_ground_or_at_a_time_that_is_not_known(self):
        ledger = HeldSessions([past("a", "raise leverage"), past("b", "leverage whatever", days=None)], {})
        memory = HeldSessions([past("c", "hedge leverage"), past("d", "leverage whatever", days=None)], {})

        assert ids(Several([ledger, memory]).candidates(["leverag"], 64)) == ["a", "b", "c", "d"]

    def test_within_one_place_an_hour_makes_no_difference(self):
        held = HeldSessions(
            [past("old", "raise leverage", days=30, accuracy=1.0), past("new", "raise leverage", days=29.99)],
            {},
        )

        cases = recalled("leverage", Several([held, HeldSessions([], {})]), 8, NOW)

        assert {case.session.id: case.validity for case in cases} == {"old": "OUTDATED", "new": "UNKNOWN"}


def memory_of(*records):
    document = {"version": "1.3", "deliberations": list(records)}
    return decode(json.dumps(document).encode()).memory


def record(number, summary, **fields):
    return {
        "id": f"d_20260601_{number:03}",
        "timestamp": (days_ago(20) + timedelta(minutes=number)).isoformat(),
        "query_summary": summary,
        "models_used": ["a/one", "b/two"],
        "chairman": "a/one",
        "confidence": 0.8,
    } | fields


class TestMemoryFile:
    @pytest.mark.parametrize(
        ("rating", "accuracy"),
        [("positive", 1.0), ("neutral", 0.5), ("negative", 0.0), (None, None), ("great", None)],
    )
    def test_ratings_are_grades(self, rating, accuracy):
        recall = recall_from(memory_of(record(1, "Raise the leverage", user_rating=rating)))

        assert recall.sessions(["d_20260601_001"])["d_20260601_001"].accuracy == accuracy

    def test_a_record_is_a_session(self):
        session = recall_from(memory_of(record(1, "Raise the leverage"))).sessions(["d_20260601_001"])[
            "d_20260601_001"
        ]

        assert session.time == days_ago(20) + timedelta(minutes=1)
        assert session.directive == "Raise the leverage"
        assert session.verdict == ""
        assert session.participants == ("a/one", "b/two")
        assert session.confidence == 0.8
        assert session.predictions == ()

    def test_participants_are_those_that_were_ranked_where_nothing_else_is_said(self):
        recall = recall_from(memory_of(record(1, "Raise it", models_used=None, rankings={"c/three": 1})))

        assert recall.sessions(["d_20260601_001"])["d_20260601_001"].participants == ("c/three",)

    @pytest.mark.parametrize("confidence", ["high", None, 7, -0.1])
    def test_a_confidence_that_is_none_is_not_known(self, confidence):
        recall = recall_from(memory_of(record(1, "Raise the leverage", confidence=confidence)))

        assert recall.sessions(["d_20260601_001"])["d_20260601_001"].confidence is None

    def test_what_has_no_summary_or_no_id_is_not_recalled(self):
        records = [record(1, None), record(2, ""), record(3, "Raise the leverage", id=None)]

        assert not recall_from(memory_of(*records)).candidates(["leverag"], 64)

    def test_reputations_follow_from_the_ratings(self):
        memory = memory_of(
            record(1, "one", user_rating="positive"),
            record(
                2, None, user_rating="negative", timestamp=(days_ago(20) + timedelta(days=90)).isoformat()
            ),
        )
        known = recall_from(memory).reputations(["a/one", "b/two", "c/three"])

        assert sorted(known) == ["a/one", "b/two"]
        author, other = known["a/one"], known["b/two"]
        kept = 0.5 ** ((timedelta(days=90) - timedelta(minutes=1)) / timedelta(days=90))
        assert (author.alpha, author.beta) == (pytest.approx(1 + kept), 2.0)
        assert author.calibration == pytest.approx(1 - (0.04 + 0.64) / 2)
        assert (other.alpha, other.beta) == (pytest.approx(1 + kept / 2), 1.5)
        assert other.calibration is None

    def test_a_single_answer_is_its_models_own(self):
        memory = memory_of(record(1, "one", models_used=["a/one"], chairman=None, user_rating="positive"))

        assert recall_from(memory).reputations(["a/one"])["a/one"].alpha == 2.0

    def test_nobody_wrote_the_synthesis_of_a_council_without_a_chairman(self):
        memory = memory_of(record(1, "one", chairman=None, user_rating="positive"))

        assert recall_from(memory).reputations(["a/one"])["a/one"].alpha == 1.5

    def test_unrated_and_timeless_records_teach_nothing(self):
        memory = memory_of(record(1, "one"), record(2, "two", user_rating="positive", timestamp="soon"))

        assert recall_from(memory).reputations(["a/one", "b/two"]) == {}


@pytest.mark.skipif(not REAL_DATA.is_dir(), reason="needs ../shared/council-data")
def test_the_brief_of_a_real_memory_file_is_useful():
    document = json.loads((REAL_DATA / "council-memory.json").read_bytes())
    ratings = ["positive", "negative", None, "neutral", "positive"]
    for place, one in enumerate(document["deliberations"]):
        one["user_rating"] = ratings[place % len(ratings)]
    recall = recall_from(decode(json.dumps(document).encode()).memory)

    brief = build_brief("What is the ideal morning routine?", recall, now=NOW)
    text = format_brief_for_council(brief)

    assert brief.coverage == {"VALIDATED": 1, "DISPROVEN": 1}
    assert "- What would be an ideal morning routine (d_20251207_001, 100% right)" in text
    assert "- ⚠ What should be a morning routine a (d_20251207_002): it was rated negative" in text
    assert "- morning (2)" in text
    assert "- google/gemini-3-pro-preview: unreliable (skill 33%, calibration 23%)" in text
