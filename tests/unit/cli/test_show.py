"""Reports drawn: the same with colours and without, whatever the memory file says and however wide it is."""

from __future__ import annotations

import io
import re
import unicodedata
from datetime import UTC, datetime

import pytest
import regex
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from council_vault.cli import reports
from council_vault.cli.show import Choice, Entries, Screen, legible
from council_vault.cli.tables import Table, Words
from council_vault.cli.widths import clipped, contained, padded, pieces, width
from council_vault.learning.history import history
from council_vault.learning.leaderboard import leaderboard
from council_vault.learning.spending import spending
from council_vault.learning.summary import summary
from council_vault.memory.schema import Deliberation, Memory, ModelPerformance, QueryFeatures
from support.documents import memory_of
from support.memories import build_memory

NOW = datetime(2026, 3, 28, 15, tzinfo=UTC)


def plain(report, columns: int | None = None, encoding: str = "utf-8") -> list[str]:
    return list(Screen(columns=columns, encoding=encoding, colour=False).lines(report))


def recorded(report, columns: int, encoding: str = "utf-8") -> tuple[list[str], str]:
    """Draw a report with rich; return its lines without colours, and what went to the terminal."""
    terminal = io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)
    console = Console(
        file=terminal,
        width=columns,
        record=True,
        force_terminal=True,
        color_system="standard",
        highlight=False,
    )
    Screen(columns=columns, encoding=encoding, colour=True).paint(report, console)
    terminal.seek(0)
    shown = [line.rstrip() for line in console.export_text().splitlines()]
    return shown, terminal.buffer.getvalue().decode(encoding)


def everything(memory: Memory) -> list:
    return [
        *reports.summary_report(summary(memory, "learned", NOW)),
        *reports.models_report(leaderboard(memory, NOW)),
        *reports.history_report(history(memory, NOW), NOW),
        *reports.cost_report(spending(memory, 5.0, NOW)),
    ]


@pytest.mark.parametrize("columns", [40, 60, 80, 90, 120, 200])
@pytest.mark.parametrize(("records", "models"), [(0, 1), (3, 2), (64, 6), (200, 12)])
def test_with_colours_and_without_it_is_the_same_and_fits(columns, records, models):
    report = everything(memory_of(build_memory(records, models, seed=3)))
    without = plain(report, columns)
    coloured, sent = recorded(report, columns)
    assert coloured == without
    assert max(map(width, without)) <= columns
    assert "\x1b[1m" in sent
    assert re.sub(r"\x1b\[[0-9;]*m", "", sent).isprintable() or "\n" in sent


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_forty_models_thirty_categories_and_nothing_known(columns):
    names = [f"vendor-{number}/a-model-with-quite-a-long-name-{number}" for number in range(40)]
    records = tuple(
        Deliberation(
            models_used=tuple(names),
            rankings={name: place for place, name in enumerate(names, start=1)},
            query_features=QueryFeatures(category=f"category_{number % 30}"),
        )
        for number in range(90)
    )
    report = everything(Memory(deliberations=records))
    without = plain(report, columns)
    assert recorded(report, columns)[0] == without
    assert max(map(width, without)) <= columns
    assert "  and 23 more" in without


def test_colours_say_what_is_good_and_what_is_not():
    performance = {
        model: ModelPerformance(deliberations_participated=9, self_preference_rate=rate)
        for model, rate in (("a", 0.15), ("b", 0.16))
    }
    sent = recorded(reports.models_report(leaderboard(Memory(model_performance=performance), NOW)), 120)[1]
    assert re.search(r"│ a .* 15% ", sent)
    assert re.search(r"│ b .*\x1b\[33m16%", sent)
    sent = recorded(everything(memory_of(build_memory(64, 6, seed=3))), 120)[1]
    assert re.search(r"Positive: \x1b\[32m\d+", sent)
    assert re.search(r"Negative: \x1b\[31m\d+", sent)


HOSTILE = [
    "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x9b2J", "a\rb", "a\nb", "a\tb", "\u202egnp.exe", "\ud800",
    "[bold]not bold[/bold]", "[/]", "[link=file:///etc/passwd]x[/link]", ":smile:", "{0}%s", "a\x00b",
    "\u2028",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_from_the_file_moves_the_cursor_or_is_taken_for_markup(text):
    names = (f"vendor/{text}", "vendor/other")
    record = Deliberation(
        models_used=names,
        rankings=dict(zip(names, (1, 2), strict=True)),
        chairman=names[0],
        query_summary=text,
        query_features=QueryFeatures(category=text),
        user_rating=text,
    )
    report = everything(Memory(deliberations=(record,) * 6))
    shown, sent = recorded(report, 120)
    assert shown == plain(report, 120)
    left = re.sub(r"\x1b\[(?:\d+;)*\d*m", "", sent)
    assert not [one for one in left if unicodedata.category(one) in {"Cc", "Cs", "Zl", "Cf"} and one != "\n"]
    if text.startswith(("[", ":", "{")):
        assert text in left


@pytest.mark.parametrize(
    "summary",
    [
        "微服务还是单体",
        "マイクロ",
        "🏛 Café 👩 👍",
        "é as two",
        "שלום עולם 12",
        "مرحبا",
        "ไทย",
        "🇩🇪 flag",
    ],
)
def test_bars_stand_below_each_other_whatever_the_script(summary):
    report = [
        Entries(
            before=[(Words("  d_1"),), (Words("  d_2"),)],
            quotations=[summary, "plain words"],
            behind=[(Words("a"),), (Words("a"),)],
        )
    ]
    first, second = plain(report, 100)
    assert width(first) == width(second)
    assert cell_len(first) == cell_len(second)


def test_what_is_written_from_right_to_left_does_not_draw_in_what_follows():
    assert contained("שלום") == "שלום\u200e"
    assert contained("مرحبا 12") == "مرحبا 12\u200e"
    assert contained("héllo 中文") == "héllo 中文"
    assert plain([Entries([(Words("a"),)], ["שלום"], [(Words("12"),)])]) == ['a | "שלום"\u200e | 12']


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("", 0), ("abc", 3), ("é", 1), ("e\u0301", 1), ("中文", 4), ("ｗ", 2), ("❤", 1), ("❤️", 2),
        ("👍🏽", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2),
        ("a\u200db", 2), ("क\u094d\u200dष", 2), ("\u200e", 0), ("한국", 4),
    ],
)  # fmt: skip
def test_how_many_columns_a_text_takes(text, columns):
    assert width(text) == columns


def test_texts_are_padded_by_columns_and_cut_at_graphemes():
    assert padded("中", 4) == "中  "
    assert clipped("microservices", 13) == "microservices"
    assert clipped("microservices", 6) == "micro…"
    assert clipped("micro services", 7) == "micro…"
    assert clipped("中文字符", 5) == "中文…"
    assert clipped("ab👩‍👩‍👧cd", 4) == "ab…"
    assert clipped("中文", 2) == "…"
    assert clipped("abcdef", 5, "...") == "ab..."
    assert pieces("abcdef", 4) == ["abcd", "ef"]
    assert pieces("中文字", 4) == ["中文", "字"]
    assert pieces("中", 1) == ["中"]


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=40), st.integers(2, 30))
@hypothesis_settings(max_examples=200, deadline=None)
def test_cut_texts_fit_and_pieces_lose_nothing(text, columns):
    assert width(clipped(text, columns)) <= columns
    assert "".join(pieces(text, columns)) == text
    assert all(width(piece) <= columns or regex.fullmatch(r"\X", piece) for piece in pieces(text, columns))


def test_an_encoding_without_our_signs():
    names, figures = [("modèle/a", "a"), ("b", "b")], [(Words("1.4 ±0.1"),), (Words("—"),)]
    report = [
        (Words("68% → 84% — ★★★"),),
        Table(header=("Model", "Rank"), names=names, figures=figures, above=1),
        Entries(
            before=[(Words("  d_1"),), (Words("  d_2"),)],
            quotations=["中文", "a question that is too long to be shown"],
            behind=[(Words("★"),), (Words("—"),)],
        ),
    ]
    assert plain(report, 44, "ascii") == [
        "68% -> 84% - ***",
        "+-------------+-----------+",
        "| Model       | Rank      |",
        "+-------------+-----------+",
        r"| mod\xe8le/a | 1.4 +-0.1 |",
        "+-------------+-----------+",
        "| b           | -         |",
        "+-------------+-----------+",
        r'  d_1 | "\u4e2d\u6587"                   | *',
        '  d_2 | "a question that is too long..." | -',
    ]
    assert recorded(report, 44, "ascii")[0] == plain(report, 44, "ascii")
    assert plain(report, None, "utf-8")[0] == "68% → 84% — ★★★"
    assert "│ modèle/a │ 1.4 ±0.1 │" in plain(report)
    assert "| modèle/a | 1.4 ±0.1 |" in plain(report, None, "latin-1")


def test_lines_break_between_words_and_go_on_further_in():
    line = (Words("  Vault sync: "), Words("52 records pending sync", "bold"), Words(" (last synced never)"))
    assert plain([line], 30) == [
        "  Vault sync: 52 records",
        "      pending sync (last",
        "      synced never)",
    ]
    assert plain([line]) == ["  Vault sync: 52 records pending sync (last synced never)"]
    assert plain([(Words("  " + "x" * 40),)], 30) == ["  " + "x" * 40]


def test_a_choice_is_made_by_what_fits():
    choice = Choice(whole=[(Words("a long line"),), (Words("b"),)], short=[(Words("a"),), (Words("b"),)])
    assert plain([choice], 11) == ["a long line", "b"]
    assert plain([choice], 10) == ["a", "b"]
    assert plain([choice]) == ["a long line", "b"]
    assert plain([Choice([], [])], 10) == []


def test_a_table_without_rows_and_one_with_all_rows_above_the_rule():
    empty = Table(header=("Model", "n"), names=[], figures=[], above=0)
    assert plain([empty], 80) == ["┌───────┬───┐", "│ Model │ n │", "├───────┼───┤", "└───────┴───┘"]
    whole = Table(header=("Model", "n"), names=[("a", "a")], figures=[(Words("1"),)], above=1)
    assert plain([whole], 80)[3:] == ["│ a     │ 1 │", "└───────┴───┘"]
    for table in (empty, whole):
        assert recorded([table], 80)[0] == plain([table], 80)


def test_legible_text_is_short_and_on_one_line():
    assert legible(None) == ""
    assert legible("a\n\n`b`  **c**") == "a b c"
    assert legible("שלום\n") == "שלום\u200e"
    assert len(legible("x" * 10**6)) == 80
