"""``service``: what is asked, what is said, and where there is nobody to be asked for a service."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime

import pytest

from council_vault.cli import service
from council_vault.service.managing import ServiceState
from council_vault.service.plan import Plan, Remove, Write
from council_vault.service.presence import Activity, Presence
from council_vault.settings import Settings, WorkspaceSettings
from council_vault.workspace import Workspace
from support.memory_files import record
from support.readme_help import README

RUNS = ServiceState(
    manager="systemd",
    name="council-vault.service",
    installed=True,
    file="/u/council-vault.service",
    starts="/p daemon",
    enabled=True,
    state="active",
    process=12,
    since=datetime(2026, 5, 1, 8, 0, tzinfo=UTC),
    lingers=True,
)


class Manager:
    """A manager whose plan is a file."""

    def __init__(self, base):
        self.environment = {}
        self.file = base / "unit"
        self.replaces = ()
        self.found = RUNS
        self.log = ("printf", "%s", "said")
        self.installation = None

    def state(self):
        return self.found

    def installing(self, installation):
        self.installation = installation
        return Plan(steps=(Write(self.file, "text\n"),), replaces=self.replaces, remarks=("mind this",))

    def uninstalling(self):
        return Plan(steps=(Remove(self.file),) if self.file.exists() else ())

    def log_command(self, lines, *, follow):
        return (*self.log, str(lines), str(follow))


@pytest.fixture
def manager(program, monkeypatch):
    program.write_memory(record())
    made = Manager(program.base)
    monkeypatch.setattr(service, "service_manager", lambda _environment, _home: made)
    monkeypatch.setattr(service, "trouble_with_rights", lambda _environment, _home: "")
    return made


def test_what_would_be_done_is_shown(program, manager):
    ran = program("service", "install", "--dry-run")
    assert (ran.code, ran.err) == (0, "mind this.\n")
    assert ran.out == f"Nothing is done. These would be the steps:\n\nwrite {manager.file}:\n\n    text\n\n"
    assert not manager.file.exists()
    assert program("service", "uninstall", "--dry-run").out.startswith("Nothing is to be done.\n")


def test_it_is_installed_with_what_holds_now_and_described(program, manager):
    ran = program("service", "install", "--vault", program.base / "v")
    assert ran.code == 0
    assert manager.file.read_text() == "text\n"
    assert manager.installation.command[-5:] == (
        "--workspace", str(program.workspace), "--vault", str(program.base / "v"), "daemon"
    )  # fmt: skip
    assert ran.out == (
        f"Service    runs since {RUNS.since.astimezone():%Y-%m-%d %H:%M} (process 12), "
        "and starts when you log in\n"
        "File       /u/council-vault.service\n"
        "Starts     /p daemon\n"
        "Lingering  on: it also runs while you are logged out\n"
    )
    assert program("service", "uninstall").out == "The service is removed.\n"
    assert not manager.file.exists()


def test_another_installation_is_replaced_only_when_somebody_agrees(program, manager, monkeypatch):
    manager.replaces = ("it is another's",)
    ran = program("service", "install")
    assert (ran.code, manager.file.exists()) == (1, False)
    assert ran.err == (
        "it is another's.\nmind this.\n"
        "council-vault: another installation would be replaced. Repeat it with --yes\n"
    )

    def answer(given):
        asked = type("Terminal", (), {"isatty": lambda _: True})()
        monkeypatch.setattr(sys, "stdin", asked)
        monkeypatch.setattr("click.termui.visible_prompt_func", lambda _: given)
        return program("service", "install")

    assert (answer("n").code, manager.file.exists()) == (130, False)
    assert (answer("y").code, manager.file.exists()) == (0, True)
    manager.file.unlink()
    assert (program("service", "install", "-y").code, manager.file.exists()) == (0, True)


def test_root_is_told(program, manager, monkeypatch):
    monkeypatch.setattr(service, "trouble_with_rights", lambda _environment, _home: "Root's.")
    assert program("service", "install").err.startswith("Root's.\n")


@pytest.mark.parametrize(("process", "code"), [(12, 0), (13, 2), (0, 2)])
def test_only_the_service_itself_may_be_the_daemon_already(program, manager, process, code):
    workspace = Workspace(
        Settings(workspace=WorkspaceSettings(path=str(program.workspace))), program.states, program.home, {}
    )
    presence = Presence(workspace.folder, workspace.locks)
    presence.tell(Activity(pid=process))
    ran = program("service", "install")
    presence.end()
    assert ran.code == code
    assert manager.file.exists() == (code == 0)
    if code:
        assert f"a daemon keeps this memory already (process {process or 'unknown'})" in ran.err


@pytest.mark.parametrize(
    ("state", "line"),
    [
        (
            ServiceState(manager="systemd", name="x"),
            "The service is not installed. `council-vault service install`",
        ),
        (RUNS, "Service    runs since"),
        (
            {"state": "inactive"},
            "Service    it does not run, and starts when you log in. `council-vault service",
        ),
        (
            {"state": "failed", "result": "timeout"},
            "Service    it does not stay up (timeout). `council-vault service logs`",
        ),
        (
            {"enabled": False, "since": None, "process": 0},
            "Service    runs, and does not start when you log in\n",
        ),
        ({"file": ""}, "File       none any more: `council-vault service install` writes it\n"),
        (
            {"lingers": False},
            "Lingering  off: it stops when you log out. `loginctl enable-linger` keeps it running\n",
        ),
        ({"lingers": None}, "Lingering  not known: unless it is on"),
    ],
)
def test_how_it_is_in_words(program, manager, state, line):
    if isinstance(state, dict):
        state = ServiceState(**{name: getattr(RUNS, name) for name in RUNS.__struct_fields__} | state)
    manager.found = state
    ran = program("service", "status")
    assert ran.code == 0
    assert line in ran.out


def test_launchd_knows_no_lingering(program, manager):
    manager.found = ServiceState(manager="launchd", name="x", installed=True, state="running")
    assert "Lingering" not in program("service", "status").out


def test_every_key_of_the_json_is_in_the_readme(program, manager):
    (row,) = re.findall(r"^\| `service status` \|(.*)\|$", README.read_text("utf-8"), re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", row)) == set(program("service", "status", "--json").json)


def test_how_it_is_as_json(program, manager):
    assert program("service", "status", "--json").json == {
        "manager": "systemd", "name": "council-vault.service", "installed": True, "enabled": True,
        "file": "/u/council-vault.service", "starts": "/p daemon", "state": "active", "result": "",
        "process": 12, "since": "2026-05-01T08:00:00Z", "lingers": True, "runs": True,
    }  # fmt: skip


def test_what_it_has_said_is_shown_by_the_command_for_it(program, manager):
    shown = program.base / "shown"
    manager.log = ("sh", "-c", f'echo "$@" >> {shown}', "shown")
    assert program("service", "logs").code == 0
    assert program("service", "logs", "-f", "-n", "7").code == 0
    assert shown.read_text() == "50 False\n7 True\n"
    manager.log = ("false",)
    assert program("service", "logs").code == 1
    manager.log = (str(program.base / "nothing"),)
    ran = program("service", "logs")
    assert ran.code == 1
    assert f"{program.base}/nothing is not installed" in ran.err


@pytest.mark.parametrize(
    "words", [["install"], ["install", "--dry-run"], ["uninstall"], ["status"], ["logs"]]
)
def test_where_nobody_starts_services_it_says_what_to_do(program, monkeypatch, words):
    program.write_memory(record())
    monkeypatch.setattr(service, "service_manager", lambda _environment, _home: None)
    ran = program("service", *words)
    assert (ran.code, ran.out) == (1, "")
    assert "starts by hand what a service would start: " in ran.err
    assert ran.err.rstrip().endswith(" daemon")


def test_wrong_settings_are_found_before_anything_is_done(program, manager):
    program.config.parent.mkdir(parents=True)
    program.config.write_text("[nonsense]\n")
    assert program("service", "install").code == 2
    assert not manager.file.exists()
