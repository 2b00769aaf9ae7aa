"""A brief among so many sessions, whose words follow Zipf's law; and what it takes to keep one more."""

from __future__ import annotations

import random
import time
from bisect import bisect
from contextlib import contextmanager, nullcontext
from itertools import accumulate
from unittest import mock

import pytest

from council_vault.briefing.brief import build_brief
from council_vault.briefing.ledger import index
from council_vault.briefing.ledger.given import read_session
from council_vault.briefing.ledger.store import Ledger
from support.measuring import Figure, heap_frozen, median, spread
from support.past_sessions import NOW, days_ago, execute, recalling

AGENTS = ["Analyst", "Strategist", "Skeptic", "Forecaster", "Executor", "Storyteller"]
VOCABULARY = 20_000
DAYS = 700
TARGETS = {10_000: {"median": 0.002, "p99": 0.005}}


class Zipf:
    """Texts of made-up words: the second most frequent one stands half as often as the first, and so on."""

    def __init__(self, dice):
        self._dice = dice
        self._words = [f"{self._made()}{rank}" for rank in range(VOCABULARY)]
        self._weights = list(accumulate(1 / (rank + 1) for rank in range(VOCABULARY)))

    def text(self, words):
        return " ".join(self._word() for _ in range(words))

    def _made(self):
        return "".join(self._dice.choice("bdgklmnprst") + self._dice.choice("aeiou") for _ in range(3))

    def _word(self):
        return self._words[bisect(self._weights, self._dice.random() * self._weights[-1])]


class Bulk(Ledger):
    """A ledger whose changes are all one, so that many sessions are kept quickly."""

    def _change(self):
        return nullcontext()


@contextmanager
def one_change(path):
    """Change a ledger quickly.

    Whether two sessions stand on the same ground is not asked: texts made by chance never have six tenths of
    their words in common.
    """
    with mock.patch.object(index, "_pair"), Bulk.open(path) as ledger:
        ledger._connection.execute("PRAGMA synchronous = OFF")
        ledger._connection.execute("BEGIN IMMEDIATE")
        yield ledger
        ledger._connection.execute("COMMIT")


def write(path, count, dice, zipf):
    """Write so many sessions, spread over two years; most of them have been graded."""
    with one_change(path) as ledger:
        for number in range(count):
            document = {
                "id": f"cs_{number}",
                "ts": days_ago(DAYS * (1 - number / count)).timestamp(),
                "directive": zipf.text(12),
                "verdict": zipf.text(20),
                "confidence": dice.random(),
                "participants": dice.sample(AGENTS, 4),
                "predictions": [
                    {
                        "id": f"p_{number}",
                        "agent": dice.choice(AGENTS),
                        "statement": zipf.text(8),
                        "metric": "btc",
                        "direction": dice.choice(["up", "down"]),
                        "confidence": 0.7,
                    }
                ],
            }
            ledger.add(read_session(document, NOW), NOW)
    outcomes = [
        (dice.choice(["correct", "partial", "incorrect"]), f"p_{number}")
        for number in range(count)
        if dice.random() < 0.7
    ]
    with one_change(path) as ledger:
        ledger._connection.executemany("UPDATE predictions SET status = ? WHERE id = ?", outcomes)
        for agent in AGENTS:
            ledger._learn(agent, 1.0, 0.7, NOW, 1.0)


@pytest.mark.parametrize("sessions", [100, 1_000, 10_000, 100_000])
def test_brief(sessions, short, figures, tmp_path):
    dice = random.Random(sessions)
    zipf = Zipf(dice)
    path = tmp_path / "ledger.db"
    count = min(sessions, 100) if short else sessions
    write(path, count, dice, zipf)
    times, own = [], []
    with recalling(path) as recall, heap_frozen():
        for directive in [zipf.text(12) for _ in range(5 if short else 1000)]:
            started, own_started = time.perf_counter(), time.thread_time()
            brief = build_brief(directive, recall, 8, NOW)
            times.append(time.perf_counter() - started)
            own.append(time.thread_time() - own_started)
            assert brief.n_cases == 8
    print(
        f"\nbrief among {sessions} sessions, {path.stat().st_size / 1e6:.1f} MB, ms: least, quartiles, most\n"
        f"  by the clock {spread(times)}; p99 {late(times) * 1e3:.2f}\n"
        f"  of one core  {spread(own)}; p99 {late(own) * 1e3:.2f}"
    )
    if sessions in TARGETS:
        took = {"median": median(times), "p99": late(times)}
        for name, target in TARGETS[sessions].items():
            figures.append(
                Figure(f"brief among {sessions}, {name} (floor: the target)", target, took[name], 1.0)
            )


def late(times):
    """Return the time that one in a hundred exceeds."""
    return sorted(times)[len(times) * 99 // 100]


@pytest.mark.parametrize("sessions", [1_000, 10_000])
def test_one_more_session(sessions, short, tmp_path):
    dice = random.Random(sessions)
    zipf = Zipf(dice)
    path = tmp_path / "ledger.db"
    write(path, min(sessions, 100) if short else sessions, dice, zipf)
    coming = [
        read_session({"id": f"n_{number}", "directive": zipf.text(12), "verdict": zipf.text(20)}, NOW)
        for number in range(5 if short else 300)
    ]
    times = []
    with Ledger.open(path) as ledger:
        for session in coming:
            started = time.perf_counter()
            ledger.add(session, NOW)
            times.append(time.perf_counter() - started)
    print(f"\none more among {sessions} sessions, durable, ms: least, quartiles, most {spread(times)}")
    ((before_and_new,),) = execute(path, ("SELECT count(*) FROM council_sessions",))
    assert before_and_new > (len(times),)
