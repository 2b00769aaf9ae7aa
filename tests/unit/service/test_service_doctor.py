"""What ``doctor`` says of a daemon's surroundings: file systems, limits, and the service."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import pytest

from council_vault import files
from council_vault.doctor import Finding, examine
from council_vault.files.protection import Protection
from council_vault.service import inotify, systemd_service
from council_vault.settings import Settings, VaultSettings, WorkspaceSettings
from council_vault.workspace import Workspace
from support.memory_files import document, dump, record
from support.places import make_vault

FULL = Protection(full=True, file_system="ext4", reason="no write of another program can be lost")
NAME = "council-vault.service"


@pytest.fixture
def workspace(tmp_path):
    """A workspace, a vault, and a machine without systemd."""
    (tmp_path / "workspace").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "workspace" / "council-memory.json").write_bytes(dump(document(record())))
    settings = Settings(
        workspace=WorkspaceSettings(path=str(tmp_path / "workspace")),
        vault=VaultSettings(path=str(make_vault(tmp_path / "vault"))),
    )
    environment = {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path)}
    return Workspace(settings, tmp_path / "states", tmp_path, environment)


@pytest.fixture
def systemctl(workspace, tmp_path):
    """Put a systemctl of one's own in the place of the machine's."""

    def make(script):
        program = tmp_path / "bin" / "systemctl"
        program.write_text(f"#!{sys.executable}\nimport sys, time\n{script}\n")
        program.chmod(0o755)

    return make


def findings(workspace, where):
    found = examine(workspace, datetime.now(UTC))
    return [(finding.level, finding.what) for finding in found if finding.where == str(where)]


def test_the_file_systems_of_memory_and_vault_are_named(workspace, monkeypatch):
    monkeypatch.setattr(files, "protection", lambda _: FULL)
    said = [("note", "on ext4: no write of another program can be lost")]
    assert findings(workspace, workspace.memory_path) == said
    assert findings(workspace, workspace.settings.vault.path) == said


def test_a_file_system_that_does_not_tell_everything_is_named(workspace, monkeypatch):
    monkeypatch.setattr(files, "protection", lambda _: FULL._replace(file_system="fuse"))
    what = "fuse may not tell of changes made on another machine: a daemon looks every few seconds"
    assert ("note", what) in findings(workspace, workspace.memory_path)
    assert ("note", what) not in findings(workspace, workspace.settings.vault.path)


def test_limits_are_named_and_how_to_raise_one_that_is_used_up(workspace, monkeypatch):
    budgets = (inotify.Budget(inotify.INSTANCES, 128, 128), inotify.Budget(inotify.WATCHES, 8192, 12))
    monkeypatch.setattr(inotify, "budgets", lambda: budgets)
    assert findings(workspace, inotify.WATCHES) == [("note", "12 of 8192 in use")]
    assert findings(workspace, inotify.INSTANCES) == [
        (
            "note",
            (
                "128 of 128 in use: a daemon must look every few seconds. "
                "Raise the limit: `sudo sysctl fs.inotify.max_user_instances=256`"
            ),
        )
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")
def test_the_limits_of_this_machine_are_named(workspace):
    ((level, what),) = findings(workspace, inotify.INSTANCES)
    assert level == "note"
    assert what.split()[1:3] == ["of", str(inotify.budgets()[0].limit)]


def state(load="loaded", active="active", file="enabled", result="success"):
    return f"LoadState={load}\nActiveState={active}\nUnitFileState={file}\nResult={result}\n"


NOT_INSTALLED = "not installed. `council-vault service install` has it start when you log in"


@pytest.mark.parametrize(
    ("answer", "level", "what"),
    [
        (state(), "note", "it runs, and starts when you log in"),
        (
            state(file="disabled"),
            "note",
            "it runs, and will not at the next login. `council-vault service install` changes that",
        ),
        (
            state(active="inactive"),
            "note",
            "installed, and does not run. `council-vault service install` starts it",
        ),
        (
            state(active="failed", result="exit-code"),
            "problem",
            "it does not stay up (exit-code). `council-vault service logs` says why",
        ),
        (
            state(active="activating", result="watchdog"),
            "problem",
            "it does not stay up (watchdog). `council-vault service logs` says why",
        ),
        (state(active="activating"), "note", "it runs, and starts when you log in"),
        (state("not-found", "inactive", ""), "note", NOT_INSTALLED),
        ("nonsense", "note", NOT_INSTALLED),
    ],
)
def test_the_service_is_named_as_systemd_has_it(workspace, systemctl, answer, level, what):
    systemctl(f"print({answer!r}) if sys.argv[1:4] == ['--user', 'show', '{NAME}'] else sys.exit(5)")
    assert findings(workspace, "service") == [(level, what)]


NOBODY = [("note", "nothing here starts `council-vault daemon` by itself: no systemd answers")]


def test_no_systemd_is_no_error(workspace):
    assert findings(workspace, "service") == NOBODY


@pytest.mark.parametrize("script", ["sys.exit(1)", "time.sleep(600)"])
def test_a_systemd_that_does_not_answer_is_no_error(workspace, systemctl, monkeypatch, script):
    monkeypatch.setattr(systemd_service, "_PATIENCE", 0.3)
    systemctl(script)
    assert findings(workspace, "service") == NOBODY


def test_a_systemctl_that_cannot_be_run_is_no_error(workspace, systemctl, tmp_path):
    systemctl("")
    (tmp_path / "bin" / "systemctl").write_bytes(b"\x7fELF broken")
    assert findings(workspace, "service") == NOBODY


def test_odd_bytes_in_the_answer_are_no_error(workspace, systemctl):
    systemctl("sys.stdout.buffer.write(b'LoadState=loaded\\nActiveState=\\xff\\n')")
    assert findings(workspace, "service")[0][0] == "note"


def test_a_finding_reads_as_a_line():
    assert str(Finding("note", NAME, "it runs")) == f"{NAME}: it runs"
