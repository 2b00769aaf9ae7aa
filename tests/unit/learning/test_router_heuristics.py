"""The rules of thumb, in their order, and where each begins and ends."""

from __future__ import annotations

import pytest

from council_vault.learning.features import category_of
from council_vault.learning.heuristics import extent, rule_of_thumb

LONG = (
    "The team that keeps the ledger has grown and wants to move on with it before the summer comes, I hope."
)


def thumb(query: str, budget: float | None = None) -> tuple[str, float]:
    action, confidence, why = rule_of_thumb(query, category_of(query), budget)
    assert why
    return action, confidence


SHORT = ("single_model", 0.7)
FACT = ("single_model", 0.75)
CODE = ("single_model", 0.65)
COMPARES = ("deliberate", 0.9)
CHOOSES = ("deliberate", 0.85)
MUCH = GAINS = ("deliberate", 0.8)
CREATIVE = ("deliberate", 0.7)
ELSE = ("deliberate", 0.5)


@pytest.mark.parametrize(
    ("budget", "route"),
    [
        (0.0, ("single_model", 0.95)),
        (0.0299, ("single_model", 0.95)),
        (0.03, COMPARES),
        (None, COMPARES),
    ],
)
def test_a_budget_below_three_cents_decides(budget, route):
    assert thumb("Compare Raft and Paxos for a ledger", budget) == route


@pytest.mark.parametrize(
    ("query", "route"),
    [
        ("", SHORT),
        ("   \n\t ", SHORT),
        ("x" * 19, SHORT),
        ("x" * 20, ELSE),
        ("  " + "x" * 19 + "\n\n", SHORT),
        ("Compare a with b ok", SHORT),  # 19 characters: this comes before what it asks
        ("Compare a with b, ok", COMPARES),
        ("a     b          c      d", SHORT),  # space within counts once
        # scripts without spaces say more in a character
        ("天空为什么是蓝", SHORT),
        ("为什么天空是蓝色的", SHORT),  # 9 ideographs
        ("为什么天空是蓝色的？", ELSE),
        ("なぜ空は青いのですか", ELSE),
        ("하늘은 왜 파란가요 정말", ELSE),
        ("ทำไมท้องฟ้าเป็นสีฟ้า", SHORT),  # an alphabet: its marks add nothing
        ("é" * 19, SHORT),
        ("e\u0301" * 19, SHORT),
        ("e\u0301" * 20, ELSE),
        ("x\u200b" * 19, SHORT),
    ],
)
def test_twenty_characters(query, route):
    assert thumb(query) == route


def test_the_extent_of_a_text():
    assert extent("abc") == 3
    assert extent("天空") == 4
    assert extent("カナ") == 4
    assert extent("ｶﾅ") == 2  # half as wide, and two make one
    assert extent("e\u0301\u200d\ud800") == 1 + 1


@pytest.mark.parametrize(
    ("query", "route"),
    [
        ("What is the capital of France?", FACT),
        ("What is R&D in a company?", FACT),
        ("Explain salt and pepper noise", FACT),
        ("What is the capital of Trinidad and Tobago?", FACT),
        ("Define the and/or operator please", FACT),
        ("What is an Android phone made of?", FACT),  # "and" within a word
        ("Explain do and make in English", FACT),
        ("Explain salt and pepper noise in pictures that are old", FACT),
        ("What is Raft and how does it work?", ELSE),
        ("What is Raft, and when is it used?", ELSE),
        ("What is Raft but then is it any good", ELSE),
        ("What is Raft AND WHY", ELSE),
        ("Explain Raft or tell me of Paxos", ELSE),
        ("Explain Raft and what's wrong with it", ELSE),
        ("Explain Raft and isn't it slow", ELSE),
        ("What is the speed of TCP vs UDP?", ELSE),
        ("What is the speed of TCP vs. UDP?", ELSE),
        ("What is the speed of TCP versus UDP?", ELSE),
        ("How does Raft work compared to Paxos?", COMPARES),
        ("How does Raft work compared with Paxos?", COMPARES),
        ("Explain the abbreviation vs", FACT),  # nothing to compare with
        ("What is and how does", ELSE),
    ],
)
def test_one_fact_or_more_than_that(query, route):
    assert thumb(query) == route


@pytest.mark.parametrize(
    ("query", "route"),
    [
        ("Implement a retry for the client", CODE),
        ("Debug this function for me", CODE),
        ("Implement it with threads vs processes", ELSE),
        ("Which function is better to debug", CHOOSES),
        ("Should I debug this function", CHOOSES),
        ("Implement it the best way", CHOOSES),
        ("Errors should be handled in code", ELSE),
    ],
)
def test_code_with_and_without_a_decision(query, route):
    assert thumb(query) == route


@pytest.mark.parametrize(
    "query",
    [
        "Comparing Postgres to SQLite here",
        "The trade-offs of a monolith",
        "The tradeoff of a monolith, please",
        "Pros and cons of a monolith",
        "PROS AND CONS of a monolith",
        "A comparison of two databases",
    ],
)
def test_what_compares_is_deliberated(query):
    assert thumb(query) == COMPARES


@pytest.mark.parametrize(
    "query",
    [
        "Should I take the job in Lyon?",
        "Should we move to another city?",
        "Which one is better for my back?",
        "Which of the two beds works better?",
        "The best approach to learning Finnish",
        "Best practices for a vegetable garden",
        "Name the best way to Rome, please",
    ],
)
def test_what_chooses_is_deliberated(query):
    assert thumb(query) == CHOOSES


@pytest.mark.parametrize(
    "query",
    ["The shoulders ache in the morning", "You should know that it rains", "He gave it his best shot today"],
)
def test_what_only_looks_like_a_choice_is_not(query):
    assert thumb(query) == ELSE


@pytest.mark.parametrize(
    ("query", "route"),
    [
        (f"{LONG} How? And by when?", MUCH),
        (f"{LONG} How?! By when??", MUCH),
        (f"{LONG} How? By when.", ELSE),
        (f"{LONG} How??? See you.", ELSE),
        (f"{LONG} Is https://a.example/?id=1&b=? still up?", MUCH),
        (f"{LONG} Is https://a.example/?id=1 still up?", ELSE),
        (f"{LONG} «Wie?» «Wann?»", MUCH),
        (f"{LONG} كيف؟ ومتى؟", MUCH),
        (f"{LONG} Πώς; Πότε\u037e", MUCH),
        (f"{LONG} First this; then that; at last the other.", ELSE),
        ("x" * 97 + "? ?", ELSE),  # 100 characters
        ("x" * 98 + "? ?", MUCH),
        ("为" * 48 + "？吗？", MUCH),  # each as wide as two
        ("为" * 47 + "？吗？", ELSE),
        ("为" * 60 + "？！吗", ELSE),
        ("What? How?".ljust(30, "!"), ELSE),
    ],
)
def test_long_with_two_questions(query, route):
    assert thumb(query) == route


@pytest.mark.parametrize(
    ("query", "route"),
    [
        ("Review the architecture of our app", GAINS),
        ("Our pricing in the coming year", GAINS),
        ("Prepare us for the NIST audit", GAINS),
        ("Write a poem on the sea in March", CREATIVE),
        ("Plan a week of dinners for four", ELSE),
        ("Welches Betriebssystem passt zu mir", ELSE),
        ("איזה מחשב כדאי לי לקנות השנה", ELSE),
    ],
)
def test_categories_and_everything_else(query, route):
    assert thumb(query) == route


def test_the_reasons_differ():
    queries = ["x", "What is the capital of France?", "Debug this function for me", "Compare them all for me"]
    assert len({rule_of_thumb(query, category_of(query), None).why for query in queries}) == len(queries)


@pytest.mark.parametrize(
    ("part", "route"),
    [
        ("and ", ELSE),
        ("a and ", ELSE),
        ("which ", ELSE),
        ("vs a ", ELSE),
        ("which better ", CHOOSES),
        ("? ", MUCH),
        ("?!", ELSE),  # one long question mark
        ("\u0301", SHORT),
        ("字", ELSE),
    ],
)
def test_a_question_of_any_length_is_answered(part, route):
    query = part * (100_000 // len(part))
    assert rule_of_thumb(query, "other", None)[:2] == route
    fact = FACT if route != SHORT and not part.startswith("vs") else route
    assert rule_of_thumb(query, "factual_lookup", None)[:2] == fact
