from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from council_vault.learning.feedback import rating_in_words
from council_vault.learning.ratings import rating_from_cell

POSITIVE = (
    # as operation 3 of the pattern memory lists them
    "great",
    "perfect",
    "nailed it",
    "exactly",
    "helpful",
    "thumbs up",
    # in other clothes
    "GREAT",
    "Nailed it!",
    "Exactly what I needed.",
    "👍",
    "👍🏽",
    "👍️",
    "(+)",
    "+1",
    ":+1:",
    "Thumbs-up!",
    "positive",
    "spot on",
    "well done",
    "I love it",
    "nice work",
    "solid",
    "I'm impressed",
    "no complaints",
    "can't fault it",
    "nothing to complain about",
    "couldn't ask for more",
    "that's right",
    "you were right",
    "I was wrong, you were right",
    # negated blame
    "not bad",
    "not too bad",
    "that wasn't bad at all",
    "that’s not bad",
    "isn't wrong",
    "wasn't off",
    "nothing wrong with it",
    "it missed nothing",
    "not unhelpful",
    "can't complain",
    "couldn't be better",
    # what only looks negated
    "not only helpful but perfect",
    "I can't believe how great this is",
    # a word that leads over, a question behind
    "okay, that was great",
    "Great! What about the wrong one?",
    "Great what about bad debts?",
    "helpful\nwhy is my build wrong?",
)
NEGATIVE = (
    "wrong",
    "off",
    "not helpful",
    "missed",
    "bad",
    "thumbs down",
    "WRONG",
    "way off",
    "a bit off",
    "off-topic",
    "👎",
    "👎🏿",
    "(-)",
    "(−)",
    "-1",
    ":-1:",
    "negative",
    "that wasn't helpful",
    "that wasn’t helpful",
    "wasnt helpful",
    "it missed the point",
    "did it miss the mark? it did miss the mark",
    "I don't think that was very helpful",
    "not what I'd call helpful",
    "not very good",
    "no help",
    "it didn't help",
    "isn't right",
    "not exactly",
    "not okay",
    "far from perfect",
    "anything but helpful",
    "not great",
    "No, that was wrong",
    "no that was wrong",
    "okay but wrong",
    "it hallucinated the numbers",
    "you made that up",
    "I hate it",
    "this sucks",
    "that fails to answer it",
    "couldn't be worse",
    "could not be worse",
    "not even close",
    "a waste of time",
    "not what I asked for",
    "that's not quite what I wanted",
    "that's not right",
    "you were not right",
    "not nice",
)
NEUTRAL = (
    "okay",
    "ok",
    "fine",
    "decent",
    "mixed",
    "mixed feelings",
    "so-so",
    "hit and miss",
    "(~)",
    "neutral",
    "could be better",
    "partly helpful",
    "half wrong",
    "kinda helpful",
    # praise and blame
    "great but wrong",
    "not great, not terrible",
    "helpful and bad",
    "not wrong but not helpful",
    "👍👎",
)
NOTHING = (
    "",
    "  \n ",
    "—",
    "hmm",
    "thanks",
    "an offer",
    "Compare the offices",
    "the trade-off between A and B",
    "a trade off",
    "we are better off with Postgres",
    "off to lunch",
    "a badge",
    "goods",
    "greatest common divisor",
    "exact",
    "helpfulness",
    "fine-tune the model",
    "good morning",
    "what about pricing?",
    "How do I handle bad requests?",
    "why is this wrong?",
    "Tell me about good practices",
    "please show me the missed calls",
    "Now write a bad review.",
    "I was wrong about the deadline",
    "12345",
    "你好",
)


@pytest.mark.parametrize(
    ("text", "rating"),
    [
        *((text, "positive") for text in POSITIVE),
        *((text, "negative") for text in NEGATIVE),
        *((text, "neutral") for text in NEUTRAL),
        *((text, None) for text in NOTHING),
    ],
)
def test_what_people_say(text, rating):
    assert rating_in_words(text) == rating


def test_praise_and_blame_in_one_sentence_without_a_break_are_mixed():
    assert rating_in_words("exactly wrong") == "neutral"


def test_a_negation_reaches_five_words_and_no_further():
    assert rating_in_words("not one two three four helpful") == "negative"
    assert rating_in_words("not one two three four five helpful") == "positive"


@pytest.mark.parametrize("mark", [",", ";", ".", "!", " but ", " and ", "\n", " - ", " — ", ": "])
def test_a_negation_ends_with_its_clause(mark):
    assert rating_in_words(f"not now{mark} helpful") == "positive"


@given(st.sampled_from(["positive", "Neutral", "NEGATIVE", "👍", "👎🏿", "(+)", "(-)", "(~)"]))
def test_what_is_a_rating_in_the_log_note_is_one_here(sign):
    assert rating_in_words(sign) == rating_from_cell(sign)


@given(st.text(max_size=200))
def test_any_text_is_read(text):
    assert rating_in_words(text) in {"positive", "neutral", "negative", None}


@given(st.sampled_from(POSITIVE + NEGATIVE + NEUTRAL + NOTHING))
def test_case_and_space_make_no_difference(text):
    assert rating_in_words(f"  {text.upper()}  ") == rating_in_words(text)
