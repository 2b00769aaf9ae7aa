"""The brief beside a plain reading of its rules: each session against each other, without index or queue."""

from __future__ import annotations

import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from council_vault.briefing.brief import build_brief
from council_vault.briefing.ledger import index
from support.past_sessions import execute, recalling, write_ledger

NOW = datetime(2026, 6, 1, tzinfo=UTC)
STOP_WORDS = {"should", "the", "which", "with", "about"}
WORDS = ["alpha", "gamma", "delta", "kappa", "omega", "sigma", "btc", "we", "to", "x", *sorted(STOP_WORDS)]
GRADES = {"correct": 1.0, "partial": 0.5, "incorrect": 0.0}
TRUST = {"VALIDATED": 1, "PARTIALLY_VALID": 0.6, "UNKNOWN": 0.5, "OUTDATED": 0.25, "DISPROVEN": 0.1}
WARNED = {"DISPROVEN", "OUTDATED", "PARTIALLY_VALID"}

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join)
directives = st.sampled_from(
    [
        "should the which alpha",
        "should the which gamma",
        "should the alpha gamma btc",
        "should the alpha gamma",
        "alpha gamma btc",
        "alpha gamma delta kappa btc",
        "we alpha gamma sigma kappa",
        "should the",
        "which about",
        "delta to x",
    ]
)
predictions = st.fixed_dictionaries(
    {
        "agent": st.sampled_from(["Analyst", "Skeptic"]),
        "statement": st.just("It does"),
        "metric": st.sampled_from(["btc", "eth", ""]),
        "direction": st.sampled_from(["up", "down", ""]),
        "status": st.sampled_from(["pending", "correct", "partial", "incorrect", "incorrect"]),
    }
)
sessions = st.fixed_dictionaries(
    {
        "days": st.sampled_from([0, 1, 5, 269, 270, 271, 539, 540, 541]) | st.integers(0, 700),
        "directive": directives,
        "verdict": texts,
        "confidence": st.none() | st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0]),
        "predictions": st.lists(predictions, max_size=3),
    }
)


def long_words(text):
    return {word for word in text.split() if len(word) > 2}


def terms(session):
    return long_words(f"{session['directive']} {session['verdict']}") - STOP_WORDS


def share(first, second):
    return len(first & second) / len(first | second) if first | second else 0.0


def accuracy(session):
    grades = [GRADES[one["status"]] for one in session["predictions"] if one["status"] in GRADES]
    return sum(grades) / len(grades) if grades else None


def is_same_ground(first, second):
    own, other = long_words(first["directive"]), long_words(second["directive"])
    if share(own, other) < 0.6:
        return False
    own, other = own - STOP_WORDS, other - STOP_WORDS
    return not (own or other) or share(own, other) >= 0.5


def supersedes(newer, older):
    right = accuracy(newer)
    is_newer = newer["days"] < older["days"]
    return is_newer and (right is None or right >= 0.4) and is_same_ground(newer, older)


def validity(session, among):
    right, days = accuracy(session), session["days"]
    if right is not None and right < 0.4:
        return "DISPROVEN"
    if any(supersedes(other, session) for other in among) or (right is not None and days > 540):
        return "OUTDATED"
    if right is None:
        return "UNKNOWN"
    return "VALIDATED" if right >= 0.6 and days <= 270 else "PARTIALLY_VALID"


def ranked(directive, among):
    """Return triples of session, validity and similarity in their rank."""
    places = []
    for session in among:
        state, right = validity(session, among), accuracy(session)
        similarity = share(long_words(directive) - STOP_WORDS, terms(session))
        stated = session["confidence"]
        calibration = 0.5 if right is None or stated is None else 1 - abs(stated - right)
        weight = similarity * (0.5 if right is None else 0.1 + 0.9 * right) * (0.5 + 0.5 * calibration)
        order = (state in WARNED, -weight * TRUST[state], session["days"], session["id"])
        if similarity:
            places.append((order, session, state, similarity))
    return [place[1:] for place in sorted(places, key=lambda place: place[0])]


def recalled(directive, among, k):
    """Return the first k, with up to a quarter of failures that are more similar than what they displace."""
    every = ranked(directive, among)
    chosen = every[:k]
    failures = [place for place in every if place[1] == "DISPROVEN"]
    for failure in failures[: k // 4]:
        others = [place for place in chosen if place[1] != "DISPROVEN" and place[2] < failure[2]]
        if failure not in chosen and others:
            chosen.remove(others[-1])
            chosen.append(failure)
    return [place for place in every if place in chosen]


def repeated_calls(cases):
    calls = Counter(
        f"predicted {one['metric']} {one['direction']}"
        for session, state, _ in cases
        if state == "DISPROVEN"
        for one in session["predictions"]
        if one["status"] == "incorrect" and one["metric"] and one["direction"]
    )
    return {call: count for call, count in calls.items() if count > 1}


def kept(path, among):
    """Write the sessions into a ledger, and what came of their predictions."""
    documents = [
        {
            "ts": (NOW - timedelta(days=session["days"])).isoformat(),
            **{key: value for key, value in session.items() if key != "days"},
            "predictions": [one | {"status": "pending"} for one in session["predictions"]],
        }
        for session in among
    ]
    outcomes = [
        (one["id"], one["status"])
        for session in among
        for one in session["predictions"]
        if one["status"] != "pending"
    ]
    return write_ledger(path, documents, outcomes)


def said(directive, days):
    return {"days": days, "directive": directive, "verdict": "alpha", "confidence": None, "predictions": []}


@example("alpha", [said("should the which alpha", 5), said("should the which gamma", 1)], 3)
@example("alpha", [said("should the alpha gamma", 5), said("we alpha gamma sigma kappa", 1)], 3)
@settings(max_examples=100, deadline=None)
@given(directive=directives, drawn=st.lists(sessions, max_size=14), k=st.integers(1, 9))
def test_the_index_and_the_queue_find_what_a_plain_reading_finds(directive, drawn, k):
    among = [
        session
        | {
            "id": f"s{place:02}",
            "predictions": [one | {"id": f"p{place}_{n}"} for n, one in enumerate(session["predictions"])],
        }
        for place, session in enumerate(drawn)
    ]
    expected = recalled(directive, among, k)

    with tempfile.TemporaryDirectory() as folder:
        path = kept(Path(folder) / "ledger.db", among)
        with recalling(path) as recall:
            brief = build_brief(directive, recall, k, NOW)
        execute(path, *((f"DROP TABLE {name}",) for name in sorted(index.TABLE_NAMES)))
        with recalling(path) as recall:
            assert build_brief(directive, recall, k, NOW) == brief

    found = [(case.ref, case.validity, case.accuracy) for case in brief.relevant_historical_cases]
    assert found == [(session["id"], state, accuracy(session)) for session, state, _ in expected]
    by_state = {state: [session["id"] for session, other, _ in expected if other == state] for state in TRUST}
    assert [one.from_case for one in brief.validated_lessons] == by_state["VALIDATED"]
    assert [one.from_case for one in brief.failed_lessons] == by_state["DISPROVEN"]
    errors = {one.error: one.occurrences for one in brief.repeated_errors}
    if calls := repeated_calls(expected):
        assert errors == calls
    else:
        wanted = long_words(directive) - STOP_WORDS
        failed = [terms(session) & wanted for session, state, _ in expected if state == "DISPROVEN"]
        shared = {term for n, own in enumerate(failed) for other in failed[:n] for term in own & other}
        assert list(errors.values()) == ([sum(bool(own & shared) for own in failed)] if shared else [])
    held = Counter(term for session, _, _ in expected for term in terms(session))
    for pattern in brief.common_patterns:
        if " " not in pattern.pattern:
            assert pattern.occurrences == held[pattern.pattern] > 1
