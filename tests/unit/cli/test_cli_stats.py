"""``stats``: how the council does, for people and for programs."""

from __future__ import annotations

import json
import re
import sys
from itertools import count

import pytest

from council_vault.learning.benchmarks import Benchmarks
from council_vault.learning.history import History, Recent
from council_vault.learning.leaderboard import Best, Leaderboard, Place
from council_vault.learning.optimization import Optimization, Run
from council_vault.learning.spending import Size, Spending, Stages
from council_vault.learning.summary import Category, Router, Summary, VaultSync
from support.memories import build_memory
from support.memory_files import REAL_DATA, dump, record
from support.terminal import Conversation

COMMANDS = {
    ("summary",): (Summary, Category, Router, VaultSync, Place, Best, Recent),
    ("models",): (Leaderboard, Place, Best),
    ("history",): (History, Recent),
    ("cost",): (Spending, Size, Stages),
    ("optimization",): (Optimization, Run),
    ("optimization", "--benchmarks"): (Benchmarks, Recent),
}
every_command = pytest.mark.parametrize("command", COMMANDS, ids=" ".join)


@pytest.fixture
def filled(program):
    """The program with a memory of sixty deliberations."""
    program.write_bytes(dump(build_memory(60, 6, seed=5)))
    return program


def test_alone_it_is_the_summary(filled):
    assert filled("stats") == filled("stats", "summary")
    assert filled("stats").out.startswith("Total deliberations: 60\nTotal cost: $")


def without_time(shown: dict) -> dict:
    return {name: value for name, value in shown.items() if name != "as_of"}


@every_command
def test_json_may_be_asked_for_on_either_side(filled, command):
    first, last = filled("stats", "--json", *command), filled("stats", *command, "--json")
    assert without_time(first.json) == without_time(last.json)
    assert last.out.isascii()
    assert last.code == 0
    assert last.json["schema"].startswith("council-vault/")


def test_alone_it_has_the_json_of_the_summary(filled):
    assert without_time(filled("stats", "--json").json) == without_time(
        filled("stats", "summary", "--json").json
    )


@every_command
def test_json_has_the_keys_that_are_described_and_no_other(filled, command):
    shown = filled("stats", *command, "--json").json
    assert set(shown) == set(COMMANDS[command][0].__struct_fields__)
    for struct in COMMANDS[command]:
        described = struct.__doc__
        for name in struct.__struct_fields__:
            assert re.search(rf"^\s+{name}: ", described, re.MULTILINE), (struct, name)


def test_the_schemas_are_those_that_other_tools_know(filled):
    shown = [filled("stats", *command, "--json").json["schema"] for command in COMMANDS]
    assert shown == [
        "council-vault/summary/1", "council-vault/models/1", "council-vault/history/1",
        "council-vault/cost/1", "council-vault/optimization/1", "council-vault/benchmarks/1",
    ]  # fmt: skip


def test_the_summary_has_what_the_others_have(filled):
    shown = filled("stats", "--json").json
    models = filled("stats", "models", "--json").json
    assert shown["models"] == models["models"]
    assert shown["best_by_category"] == models["best_by_category"]
    assert shown["history"] == filled("stats", "history", "--json").json["history"]
    assert len(shown["history"]) == 10
    cost = filled("stats", "cost", "--json").json
    for name in ("total_cost_usd", "average_cost_usd", "costs_known", "deliberations"):
        assert shown[name] == cost[name]


@every_command
@pytest.mark.parametrize("content", [None, b"", b"[1, 2", b"7"])
def test_a_memory_that_is_missing_or_broken_has_a_code_of_its_own(program, command, content):
    if content is not None:
        program.write_bytes(content)
    for options in ((), ("--json",)):
        ran = program("stats", *command, *options)
        assert (ran.code, ran.out) == (4, "")
        assert str(program.memory) in ran.err


@every_command
def test_an_empty_memory(program, command):
    program.write_memory(model_performance={})
    ran = program("stats", *command)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out
    assert program("stats", *command, "--json").json


@every_command
def test_a_memory_of_which_hardly_anything_can_be_understood(program, command):
    nonsense = [float("nan"), "high", [], {}, True, -1e308, 1e308, "\ud800", "\x1b[31m", None]
    numbers = count()
    fields = [name for name in record() if name not in {"id", "query_features", "models_used", "rankings"}]
    odd = [
        record(next(numbers) + 1, **dict.fromkeys(fields, value), query_features=value, rankings=value)
        for value in nonsense
    ]
    performance = {f"m{place}": value for place, value in enumerate(nonsense)}
    performance |= {
        "m": {"avg_rank": 1e308, "deliberations_participated": 10**30, "category_ranks": {"x": 1e9}}
    }
    program.write_memory(
        *odd, *nonsense, model_performance=performance, routing_model=nonsense, optimization_log=odd,
        last_vault_sync=float("nan"), archived={"count": "many", "cost": {"sum": 1e308, "count": 1}},
    )  # fmt: skip
    ran = program("stats", *command)
    assert ran.code == 0
    assert not re.search(r"nan\b|inf\b|None|[\x00-\x09\x0b-\x1f\x7f-\x9f]", ran.out)
    assert max(map(len, ran.out.splitlines())) <= 80
    assert program("stats", *command, "--json").json
    if command == ("summary",):
        assert re.search(r"^\d+ fields or records could not be understood; ", ran.out, re.MULTILINE)


def test_the_last_ones(filled):
    shown = filled("stats", "history", "--json", "--last", 3).json["history"]
    assert shown == filled("stats", "history", "--json").json["history"][:3]
    assert filled("stats", "history", "--last", 2).out.count(" | d_") == 0
    assert len(re.findall(r"d_\d{8}_\d{3} \| ", filled("stats", "history", "--last", 2).out)) == 2
    assert len(filled("stats", "history", "--json", "--last", 10**6).json["history"]) == 60


@pytest.mark.parametrize("last", ["0", "-1", "many"])
def test_a_number_that_is_none(filled, last):
    ran = filled("stats", "history", "--last", last)
    assert (ran.code, ran.out) == (2, "")


def test_the_settings_count(filled):
    filled("config", "set", "router.mode", "always_shortcut")
    filled("config", "set", "budget.monthly_usd", "25")
    assert "Router status: always-shortcut\n" in filled("stats").out
    assert filled("stats", "--json").json["router"]["mode"] == "always_shortcut"
    assert filled("stats", "cost").out.endswith("remaining of $25.00/month\n")
    assert filled("stats", "cost", "--json").json["budget_usd"] == 25


def test_nothing_is_written(filled):
    before = filled.memory.read_bytes(), sorted(filled.base.rglob("*"))
    for command in COMMANDS:
        filled("stats", *command)
    assert (filled.memory.read_bytes(), sorted(filled.base.rglob("*"))) == before


def test_piped_it_is_as_wide_as_need_be_unless_told_otherwise(filled, monkeypatch):
    assert max(map(len, filled("stats", "history").out.splitlines())) <= 80
    monkeypatch.delenv("COLUMNS")
    ran = filled.process("stats", "history")
    assert all(line.count(" | ") >= 5 for line in ran.out.splitlines()[1:])
    assert "\x1b" not in ran.out


def test_an_encoding_without_stars(filled):
    ran = filled.process("stats", "history", environment={"PYTHONIOENCODING": "ascii"})
    assert "| ***" in ran.out
    assert "\\u" not in ran.out


@pytest.fixture
def on_a_terminal(filled):
    """Run a command on a terminal; return its exit code and what was shown."""

    def run(*command: str, **environment: str) -> tuple[int, str]:
        streams = {"environment": {"TERM": "xterm-256color", "COLUMNS": "80"} | environment}

        def start(terminal: int):
            return filled.start(*command, stdin=terminal, stdout=terminal, stderr=terminal, **streams)

        conversation = Conversation(start)
        return conversation.end(), conversation.shown

    return run


@every_command
def test_a_terminal_shows_the_same_in_colour(filled, on_a_terminal, command):
    code, shown = on_a_terminal("stats", *command)
    assert code == 0
    assert "\x1b[1m" in shown
    drawn = [line.rstrip() for line in re.sub(r"\x1b\[[\d;]*m", "", shown).splitlines()]
    assert drawn == filled("stats", *command).out.splitlines()


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colours_that_are_not_wanted(filled, on_a_terminal, environment):
    code, shown = on_a_terminal("stats", "models", **environment)
    assert (code, shown) == (0, filled("stats", "models").out)


_IMPORTED = """
import sys
from council_vault.cli.main import main
try:
    main()
finally:
    print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


@every_command
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_programs_do_not_wait_for_what_terminals_need(filled, command, options):
    import os  # noqa: PLC0415
    import subprocess  # noqa: PLC0415

    done = subprocess.run(
        [sys.executable, "-c", _IMPORTED, "stats", *command, *options],
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=True,
    )
    packages = set(done.stderr.split())
    assert "click" in packages
    assert not packages & {"rich", "regex", "jinja2", "frontmatter", "yaml", "watchdog", "pygments"}


@pytest.mark.skipif(not REAL_DATA.exists(), reason=f"{REAL_DATA} is not there")
def test_a_real_memory(program):
    whole = json.loads((REAL_DATA / "council-memory.json").read_text("utf-8"))
    for place, one in enumerate(whole["deliberations"]):
        one["user_rating"] = ("positive", "negative", None)[place % 3]
    program.write_bytes(json.dumps(whole).encode())
    out = program("stats").out
    assert "Total deliberations: 18\nTotal cost: —\nAverage cost: —\n" in out
    assert "  Positive: 6 (33%)\n  Negative: 6 (33%)\n  Neutral: 0 (0%)\n  Unrated: 6 (33%)\n" in out
    assert "Vault sync: never (18 records pending sync)\n" in out
    assert "│ gemini-2.5-pro-preview       │ 1.9 ±0.5 │ 7 │" in program("stats", "models").out
    assert "3 models:          avg —  |  5 deliberations\n" in program("stats", "cost").out
    assert "d_20260421_003" in program("stats", "history").out
    assert "Missing" not in program("stats", "optimization", "--benchmarks").out


def test_it_is_a_command_among_the_others(program):
    assert re.search(r"^  stats +Show how the council does", program("--help").out, re.MULTILINE)
    out = program("stats", "--help").out
    assert [
        name for name in ("summary", "models", "history", "cost", "optimization") if name not in out
    ] == []
