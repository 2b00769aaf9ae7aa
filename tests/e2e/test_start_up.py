"""What a command imports: it must not wait for libraries that it does not use."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from support.daemons import add_one, until
from support.deliberations import deliberation
from support.memory_files import document, dump
from support.syncing import Road, records

HEAVY = {"google", "googleapiclient", "mcp", "rich", "jinja2", "frontmatter", "yaml", "watchdog", "regex"}
_RUN = """
import sys
from council_vault.cli.main import main
try:
    main()
finally:
    print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def road(tmp_path_factory):
    road = Road(tmp_path_factory.mktemp("start-up"))
    road.memory.write_bytes(dump(document(*records(3))))
    for _ in range(3):  # writes, finds nothing to do, and has settled
        imported(road, "sync-vault")
    return road


def imported(road, *command):
    """Run a command and return the packages it has imported."""
    done = subprocess.run(
        [sys.executable, "-c", _RUN, "--workspace", road.folder, "--vault", road.vault, *command],
        env=road.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("command", ["sync-vault", "status", "--help"])
def test_what_writes_nothing_imports_nothing_heavy(command, road):
    assert not imported(road, command) & HEAVY


def test_a_log_that_no_sync_follows_imports_nothing_heavy(road, tmp_path):
    settings, given = tmp_path / "config.toml", tmp_path / "given.json"
    settings.write_text("[sync]\nevery = 1000\n")
    given.write_text(json.dumps(deliberation()))

    packages = imported(road, "--config", settings, "log", given)

    assert not packages & (HEAVY | {"_strptime", "difflib"})


def test_libraries_of_the_notes_are_imported_when_a_note_is_drawn(road):
    road.change_memory(lambda memory: memory["deliberations"].extend(records(1, first=4)))

    packages = imported(road, "sync-vault")

    assert {"jinja2", "frontmatter"} <= packages
    assert not packages & {"google", "googleapiclient", "mcp", "rich", "watchdog"}


def test_a_daemon_loads_what_a_sync_needs_when_it_syncs():
    loading = (
        "import sys; before = set(sys.modules); import council_vault.cli.daemon;"
        " print(*set(sys.modules) - before)"  # what measures coverage has been there before
    )
    done = subprocess.run(
        [sys.executable, "-c", loading],
        capture_output=True,
        text=True,
        check=True,
    )

    modules = set(done.stdout.split())

    assert "council_vault.service.keeper" in modules
    assert not modules & (HEAVY | {"council_vault.sync", "difflib", "html", "statistics"})


@pytest.mark.parametrize("place", ["named", "used before"])
def test_a_daemon_whose_vault_is_here_never_touches_drive(place, road, tmp_path):
    """Even where Drive is to be used, and a vault that is named has not been used before."""
    if place == "named":
        road = Road(tmp_path / "new")
        road.write_memory(*records(3))
    settings = tmp_path / "config.toml"
    settings.write_text("[sync]\nevery = 1\n[drive]\nenabled = true\n")
    where = ["--vault", road.vault] if place == "named" else []
    command = ["--config", settings, "--workspace", road.folder, *where, "daemon"]
    expected = len(road.parsed()["deliberations"]) + 1
    with subprocess.Popen(
        [sys.executable, "-c", _RUN.replace('.partition(".")[0]', ""), *command],
        env=road.environment(),
        stderr=subprocess.PIPE,
        text=True,
    ) as daemon:
        add_one(road)
        until(lambda: len(road.flagged()) == expected and not road.pending())
        daemon.terminate()
        _, said = daemon.communicate(timeout=20)
    modules = set(said.splitlines()[-1].split())
    assert "council_vault.sync" in modules
    assert not {name.partition(".")[0] for name in modules} & {"google", "googleapiclient", "httplib2"}
    assert {name for name in modules if name.startswith("council_vault.vault.drive")} <= {
        "council_vault.vault.drive_folder",
        "council_vault.vault.drive_mounts",
    }
