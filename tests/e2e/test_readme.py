"""What the README says is so."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

from council_vault.briefing.brief import Brief
from council_vault.briefing.ledger.listing import DuePrediction, ListedSession
from council_vault.cli.main import EXIT_CODES, FAILED, PROGRAM, STOPPED
from council_vault.config import CONFIG_VARIABLE, VARIABLES
from council_vault.demo import demonstrate
from council_vault.doctor import Finding
from council_vault.history import PastSync
from council_vault.learning.ratings import rating_from_cell
from council_vault.mcp_server.resources import RESOURCES
from council_vault.mcp_server.tools import TOOLS
from council_vault.memory.schema import Problem
from council_vault.operations.ledger import Added, KeptPrediction, Resolved
from council_vault.service.presence import Activity
from council_vault.service.status import Status
from council_vault.settings import known_settings
from council_vault.syncing.report import NoteOutcome, Report
from support.readme_help import README, commands, filled, help_of

ROOT = README.parent
TEXT = README.read_text("utf-8")
DOCUMENTS = sorted(ROOT.glob("*.md")) + sorted((ROOT / "vault_fixtures").glob("*.md"))


def words(text: str) -> str:
    """Return a text without its layout, which differs from one version of click to the next."""
    return " ".join(text.split())


def section(title: str, level: str = "##") -> str:
    """Return the text below a heading."""
    return re.split(rf"^{level} ", TEXT.partition(f"\n{level} {title}\n")[2], maxsplit=1, flags=re.MULTILINE)[
        0
    ]


def test_the_help_and_the_settings_shown_are_the_real_ones():
    assert words(TEXT) == words(filled(TEXT)), "python tests/support/readme_help.py brings it up to date"


@pytest.mark.parametrize("command", commands())
def test_every_command_is_shown_with_its_help(program, command):
    assert f"<!-- help: {command}".rstrip() in TEXT
    shown = program(*command.split(), "--help").out
    assert words(shown) == words(help_of(command))
    assert words(shown) in words(TEXT)
    if command and " " not in command:
        assert f"\n### `{command}`\n" in TEXT


def test_every_setting_is_described_with_its_default():
    table = section("Settings")
    for setting in known_settings():
        (row,) = re.findall(rf"^\| `{re.escape(setting.key)}` \|(.*)\|$", table, re.MULTILINE)
        default, description = row.split(" | ")
        assert description.strip() == setting.description
        assert default.strip(" `") == ("" if setting.default in {None, ()} else str(setting.default))


def test_every_variable_of_the_environment_is_explained_and_no_other():
    named = set(re.findall(r"`(COUNCIL_VAULT_\w+)`", section("Settings")))
    assert named == {CONFIG_VARIABLE, *VARIABLES}


def test_every_exit_code_is_explained_and_no_other():
    explained = {
        int(code) for code in re.findall(r"^\| (\d+) \|", section("Exit codes", "###"), re.MULTILINE)
    }
    assert explained == {0, FAILED, STOPPED, *EXIT_CODES.values()}


@pytest.mark.parametrize(
    ("command", "structs"),
    [
        ("sync-vault", (Report, NoteOutcome, Problem)),
        ("status", (Status, Problem, Activity)),
        ("doctor", (Finding,)),
        ("history", (PastSync,)),
        ("brief", (Brief,)),
        ("ledger add", (Added, KeptPrediction)),
        ("ledger resolve", (Resolved,)),
        ("ledger list", (ListedSession,)),
        ("ledger due", (DuePrediction,)),
    ],
)
def test_every_key_of_the_json_is_named(command, structs):
    (row,) = re.findall(rf"^\| `{command}` \|(.*)\|$", section("For other programs", "###"), re.MULTILINE)
    named = set(re.findall(r"`(\w+)`", row)) - {"problem", "note", "null"}
    assert named == {name for one in structs for name in one.__struct_encode_fields__}


def shown_of(command: str) -> tuple[str, str]:
    """Return what is piped into a command that is shown, and what it prints."""
    (block,) = re.findall(
        rf"^\$ {re.escape(command)}((?: <<'JSON')?\n.*?)^```", TEXT, re.DOTALL | re.MULTILINE
    )
    given, _, printed = block.rpartition("\nJSON\n")
    return given.removeprefix(" <<'JSON'\n"), printed if given else block.removeprefix("\n")


@pytest.fixture(scope="module")
def demonstrated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("readme") / "demo"
    demonstrate(folder, lambda _line: None)
    return folder


@pytest.mark.parametrize("command", ["stats", "stats models", "stats cost", "route", "rebuild-router"])
def test_what_is_shown_of_the_demo_is_what_it_says_after_one_more(
    program, demonstrated, tmp_path, monkeypatch, command
):
    monkeypatch.setenv("COLUMNS", "100")
    shutil.copytree(demonstrated / "workspace", tmp_path / "council")
    there = ("--workspace", tmp_path / "council")
    given, id_ = shown_of("council-vault log")
    (tmp_path / "log.json").write_text(json.dumps(json.loads(given) | {"timestamp": "2026-05-01T08:00:00Z"}))
    assert program(*there, "log", tmp_path / "log.json").out == id_
    assert program(*there, "rate", "that nailed it").out == shown_of('council-vault rate "that nailed it"')[1]

    query = "Compare a queue and cron jobs for nightly tide imports"
    line, words_ = (
        (f'route "{query}"', ["route", query]) if command == "route" else (command, command.split())
    )
    shown = shown_of(f"council-vault {line}")[1].splitlines()
    said = program(*there, *words_).out.splitlines()
    by_the_day = ("Vault sync:", "  Today (UTC):", "  This month:", "  …")
    assert [one for one in shown if not one.startswith(by_the_day) and one not in said] == []


def test_the_experiment_shown_is_logged(program, tmp_path):
    program.write_memory()
    given, id_ = shown_of("council-vault log-experiment")
    (tmp_path / "experiment.json").write_text(
        json.dumps(json.loads(given) | {"timestamp": "2026-05-01T09:00:00Z"})
    )
    assert program("log-experiment", tmp_path / "experiment.json").out == id_


def test_every_tool_and_resource_for_agents_is_explained_and_no_other():
    text = section("`mcp`", "###")
    rows = re.findall(r"^\| `(\w+)` \| .+ \| `([\w-]+)` \|$", text, re.MULTILINE)
    assert [tool for tool, _ in rows] == list(TOOLS)
    assert {command for _, command in rows} <= commands().keys()
    assert set(re.findall(r"council-vault://[\w/-]+", text)) == set(RESOURCES)
    for lines in re.findall(r"```json\n(.*?)```", text, re.DOTALL):
        (servers,) = json.loads(lines).values()
        assert servers["council-vault"]["args"][-1] == "mcp"


def test_the_two_commands_for_a_fresh_machine_come_first():
    first = re.search(r"```console\n(.*?)```", TEXT, re.DOTALL)
    assert [line.partition("#")[0].strip() for line in first[1].splitlines()] == [
        "$ make demo",
        "$ make test",
    ]
    assert TEXT[: first.end()].count("\n") < 20
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"demo", "test", "lint", "bench", "torture"} <= set(targets)


def test_every_message_quoted_is_one_of_the_program():
    sources = " ".join(path.read_text("utf-8") for path in sorted((ROOT / "daemon").rglob("*.py")))
    quoted = re.findall(r'\*\*"(.+?)"\*\*', section("When something is wrong"))
    assert len(quoted) >= 4
    for message in quoted:
        assert message in sources


def test_the_words_for_ratings_are_ratings():
    (line,) = re.findall(r"the words are (.+)\.$", TEXT, re.MULTILINE)
    assert len(line.split(", ")) == 8
    for word in line.split(", "):
        assert rating_from_cell(word.strip("`")) is not None


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(document):
    text = document.read_text("utf-8")
    headings = {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    }
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not target.startswith("https://"):
            name, _, heading = target.partition("#")
            assert (document.parent / name).exists(), target
            assert not heading or heading in headings or name, target


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_documents_are_tidy(document):
    text = document.read_text("utf-8")
    assert not re.search(r"/root|/work/|/tmp/|/Users/", text), "a path of somebody's machine"
    assert "TODO" not in text
    prose = re.sub(r"^ *```.*?```", "", text, flags=re.DOTALL | re.MULTILINE)
    levels = [len(marks) for marks in re.findall(r"^(#+) ", prose, re.MULTILINE)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))
    assert not re.search(r"[ \t]$", prose, re.MULTILINE)


def test_newcomers_find_every_room_dependency_and_tool():
    map_ = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    package = ROOT / "daemon" / "council_vault"
    rooms = {path.name for path in package.glob("*.py")} | {
        f"{path.parent.name}/" for path in package.glob("*/__init__.py")
    }
    table = map_.partition("\n## Where is what\n")[2].partition("\nBeside ")[0]
    first_cells = " ".join(re.findall(r"^\| (.+?) \|", table, re.MULTILINE))
    assert set(re.findall(r"`([\w/.]+)`", first_cells)) == rooms - {"__init__.py"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    wanted = [*project["dependencies"], *(requirement for extra in extras for requirement in extra)]
    rows = " ".join(
        re.findall(r"^\| ([\w ,.-]+) \|", map_.partition("\n## What it depends on\n")[2], re.MULTILINE)
    )
    explained = set(re.split(r"[ ,]+", rows)) - {"library", "tool", "---"}
    assert explained == {re.match(r"[\w.-]+", requirement)[0] for requirement in wanted}
    for path in re.findall(r"`((?:tests|daemon|templates|vault_fixtures)/[\w/.]*)`", map_):
        assert (ROOT / path).exists(), path


def test_the_picture_is_there_and_light():
    (picture,) = re.findall(r"!\[[^]]+\]\((docs/[^)]+)\)", TEXT)
    content = (ROOT / picture).read_bytes()
    assert content.startswith(b"\x89PNG")
    assert len(content) < 200_000


def test_the_files_that_the_readme_names_are_where_it_says(program, monkeypatch):
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.delenv("XDG_STATE_HOME")
    program.write_memory()
    program("config", "set", "vault.name", "x")
    program("status")
    named = {Path(path) for path in re.findall(r"`~/(\.(?:config|local)/[\w/-]+)/`", TEXT)}
    assert named == {Path(".config/council-vault"), Path(".local/state/council-vault")}
    assert (program.home / ".config/council-vault/config.toml").exists()
    assert list((program.home / ".local/state/council-vault").iterdir())
    assert TEXT.count(PROGRAM) > 10
