"""What counts as an answer, and what was only thought."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.learning.answers import is_answer, without_thinking


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("  Just this.\n", "Just this."),
        ("<think>\nOkay, well.\n</think>\n\nPostgres.", "Postgres."),
        ("<THINK>a</Think>b", "b"),
        ("<thinking>a</thinking>b", "b"),
        ("before <think>a</think> after <think>b</think>end", "before  after end"),
        ("<think>a<think>b</think>c</think>said", "said"),
        ("<think>I should close with <think> here.</think>said", "said"),
        ("<think>cut off in the mid", ""),
        ("said <think>and cut off", "said"),
        ("<think>a</think>said<think>b", "said"),
        ("thought without an opening tag</think>said", "said"),
        ("a</think>b</think>c", "bc"),
        ("said</think>", ""),
        ("Use the `<think>` tag, then `</think>`.", "Use the `<think>` tag, then `</think>`."),
        ("I think <thinker> is a tag", "I think <thinker> is a tag"),
    ],
)
def test_without_thinking(text: str, expected: str) -> None:
    assert without_thinking(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        " \n\t",
        "\u200b\ufeff",
        "<think>only thought",
        "<think>all</think>  ",
        "Error: Unable to generate final synthesis.",
        "**Error:** Unable to generate final synthesis.",
        "<think>hm</think>Error: Unable to generate final synthesis.",
        "Unable to generate final synthesis.",
        "Unable to generate a response at this time.",
        "Failed to get response from openai/gpt-4o",
        "Failed to respond",
        "All models failed to respond. Please try again.",
        "No models responded.",
        "error",
        "[ERROR]",
        "Error 429: rate limited",
        "Error code: 429 - {'error': {'message': 'Rate limit reached'}}",
        '{"error": {"code": 500, "message": "Internal"}}',
        "API Error: connection refused",
        "⚠️ Error: timeout",
        "❌ Error querying model x-ai/grok-4: 503",
        "openai/gpt-5.1 error: quota",
        "An error occurred while generating the answer.",
        "An unexpected error has occurred",
        "HTTPStatusError: Client error '404 Not Found'",
        "The model timed out.",
        "Model x-ai/grok-3 did not respond",
        "Request timed out after 120 s",
        "(no response)",
        "[No response from google/gemini-2.0-flash]",
        "Empty response.",
        "No answer was received.",
        "Rate limit exceeded. Please try again later.",
    ],
)
def test_no_answer(text: str | None) -> None:
    assert not is_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        "42",
        "Yes.",
        "None",
        "👍",
        "❌",
        "是",
        "Error handling in Go: return the error, and wrap it.",
        "Error-prone code wants tests.",
        "Errors should never pass silently.",
        "The error: a missing colon in line 3.",
        "Common error - forgetting the lock.",
        "ValueError: int() refuses this text.",
        "Unable to find a single best option, I would go with Postgres.",
        "Failed deployments should roll back.",
        "All models agree: use a queue.",
        "No response time below 50 ms is needed.",
        "No answer fits all cases.",
        "The model failed because it was overfitted.",
        "Requests that timed out are retried.",
        "Rate limit exceeded means that you have sent too many requests.",
        "I cannot give financial advice.",
        "Use retries. If that fails it says Error: Unable to generate final synthesis.",
        "<think>Error: hm</think>Postgres.",
        "Error: this is how every long report begins. " + "And here it says why. " * 30,
    ],
)
def test_an_answer(text: str) -> None:
    assert is_answer(text)


TAGS = st.lists(st.sampled_from(["<think>", "</think>", "said ", " `<think>` ", "\n"]), max_size=12).map(
    "".join
)


@settings(max_examples=100, deadline=None)
@given(TAGS)
def test_no_tag_is_left(text: str) -> None:
    said = without_thinking(text).replace("`<think>`", "")
    assert "<think>" not in said
    assert "</think>" not in said
    assert without_thinking(said) == said.strip()


@settings(max_examples=100, deadline=None)
@given(TAGS)
def test_what_is_thought_in_front_changes_nothing(text: str) -> None:
    assert without_thinking(f"<think>well</think>said {text}").startswith("said")
