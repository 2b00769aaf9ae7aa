from __future__ import annotations

import math

import pytest

from council_vault.memory.schema import Deliberation
from council_vault.notes.cells import COLUMNS, Cells, cells, money, name_cell, short_names, stars
from support.gfm import table_rows


def record(**fields: object) -> Deliberation:
    return Deliberation(**{"id": "d_20260328_001", "timestamp": "2026-03-28T09:05:28Z"} | fields)


def test_a_whole_row() -> None:
    full = record(
        query_summary="Compare SQLite | Postgres",
        chairman="us.amazon.nova-premier-v1:0",
        confidence=0.75,
        cost_usd=0.0912,
        user_rating="positive",
    )
    names = short_names(["us.amazon.nova-premier-v1:0"])
    assert cells(full, names) == Cells(
        "d_20260328_001",
        "2026-03-28",
        r"Compare SQLite \| Postgres",
        "nova-premier",
        "★★★★",
        "$0.09",
        "positive",
    )


def test_nothing_known_is_one_mark_in_every_cell() -> None:
    assert cells(Deliberation(), {}) == Cells(*"—" * len(COLUMNS))


@pytest.mark.parametrize(
    ("timestamp", "day"),
    [
        ("2026-03-28T23:30:00-08:00", "2026-03-28"),
        ("2026-03-29T01:30:00+14:00", "2026-03-29"),
        (1774688728123, "2026-03-28"),
        ("whenever", "—"),
        (None, "—"),
    ],
)
def test_the_date_is_the_day_as_written(timestamp: object, day: str) -> None:
    assert cells(record(timestamp=timestamp), {}).date == day


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (0.0912, "$0.09"),
        (12.5, "$12.50"),
        (1234567.8, "$1,234,567.80"),
        (0, "$0.00"),
        (-0.0, "$0.00"),
        (0.004, "$0.004"),
        (0.0047, "$0.0047"),
        (0.00471, "$0.0047"),
        (0.000004, "$0.000004"),
        (1e-12, "$0.00"),
        (0.00996, "$0.01"),
        (0.0099, "$0.0099"),
        (0.01, "$0.01"),
        (-0.001, "-$0.001"),
        (-2, "-$2.00"),
        (9e124, "$9.0e+124"),
        (None, "—"),
        (math.nan, "—"),
        (math.inf, "—"),
        (-math.inf, "—"),
        (1e400, "—"),
    ],
)
def test_money(usd: float | None, text: str) -> None:
    assert money(usd) == text


@pytest.mark.parametrize(
    ("confidence", "text"),
    [
        (1, "★★★★★"),
        (0.9, "★★★★★"),
        (0.89, "★★★★"),
        (0.7, "★★★★"),
        (0.5, "★★★"),
        (0.3, "★★"),
        (0.29, "★"),
        (0, "★"),
        (7, "★★★★★"),
        (-1, "★"),
        (1e99, "★★★★★"),
        (None, "—"),
        (math.nan, "—"),
    ],
)
def test_stars(confidence: float | None, text: str) -> None:
    assert stars(confidence) == text


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("openai/gpt-4.1", "gpt-4.1"),
        ("openrouter/deepseek/deepseek-r1:free", "deepseek-r1:free"),
        ("us.amazon.nova-premier-v1:0", "nova-premier"),
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"),
        ("bedrock/eu.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"),
        ("anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
        ("mistral.mistral-large-2407-v1:0", "mistral-large-2407"),
        ("openai.gpt-oss-120b-1:0", "gpt-oss-120b"),
        ("nvidia.nemotron-nano-9b-v2", "nemotron-nano-9b-v2"),
        ("us.deepseek.r1-v1:0", "deepseek-r1"),
        ("deepseek.v3.2", "deepseek-v3.2"),
        ("Gemini-3.1-Pro", "Gemini-3.1-Pro"),
        ("gpt-4.1", "gpt-4.1"),
        ("llama3.latest", "llama3.latest"),
        ("Claude Opus 4.6", "Claude Opus 4.6"),
        ("Meta-Llama/..", "Meta-Llama/.."),
        ("models/", "models/"),
    ],
)
def test_short_names(model: str, name: str) -> None:
    assert short_names([model, "another/model"])[model] == name


def test_models_that_would_look_alike_keep_their_full_ids() -> None:
    models = ["openai/gpt-4.1", "azure/gpt-4.1", "gpt-4.1", "x-ai/grok-3"]
    assert short_names(models) == {**{model: model for model in models[:3]}, "x-ai/grok-3": "grok-3"}
    versions = ["anthropic.claude-v2:0", "anthropic.claude-v2:1"]
    assert list(short_names(versions).values()) == versions


def test_a_model_s_name_is_safe_and_whole() -> None:
    assert name_cell("a|b") == r"a\|b"
    assert name_cell("a_very_long_name_without_any_break") == "a_very_long_name_without_any_break"
    assert name_cell("") == "—"
    assert len(name_cell("x" * 200)) == 80


def test_an_odd_rating_in_the_memory_is_shown_as_it_is() -> None:
    assert cells(record(user_rating="so-so | ok"), {}).rating == r"so-so \| ok"


@pytest.mark.parametrize("text", ["a|b", "a\\", "`a|b`", "[[a|b]]", "x\ny", "$5|$6", "<td>|"])
def test_every_row_has_seven_cells(text: str) -> None:
    odd = record(query_summary=text, chairman=text, user_rating=text)
    row = f"| {' | '.join(cells(odd, {}))} |"
    header = f"| {' | '.join(COLUMNS)} |\n|{' --- |' * 7}\n"
    assert [len(found) for found in table_rows(header + row)] == [7]
