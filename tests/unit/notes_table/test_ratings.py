from __future__ import annotations

import pytest

from council_vault.learning.ratings import outcome_for, rating_from_cell


@pytest.mark.parametrize(
    ("text", "rating"),
    [
        ("positive", "positive"),
        ("Positive", "positive"),
        (" NEGATIVE ", "negative"),
        ("neutral", "neutral"),
        ("👍", "positive"),
        ("👍🏽", "positive"),
        ("👎️", "negative"),
        ("👎🏿", "negative"),
        ("(+)", "positive"),
        ("(-)", "negative"),
        ("(~)", "neutral"),
        ("**positive**", "positive"),
        ("_ neutral _", "neutral"),
        ("***👍***", "positive"),
        ("`negative`", "negative"),
        ("==positive==", "positive"),
        (r"(\~)", "neutral"),
        (r"\(+\)", "positive"),
        ("", None),
        ("—", None),
        ("-", None),
        ("positively", None),
        ("not positive", None),
        ("positive!", None),
        ("👍👎", None),
        ("great", None),
        ("+", None),
        ("****", None),
    ],
)
def test_words_and_signs(text: str, rating: str | None) -> None:
    assert rating_from_cell(text) == rating


@pytest.mark.parametrize("before", ["accepted", "rejected", "partial", "unknown", None])
def test_what_follows_from_a_rating(before: str | None) -> None:
    assert outcome_for("positive", before) == "accepted"
    assert outcome_for("negative", before) == "rejected"
    assert outcome_for("neutral", before) == before
    assert outcome_for(None, before) == "accepted"
