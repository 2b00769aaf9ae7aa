"""``service`` with a real systemd of a person's own, and what it writes judged by ``systemd-analyze``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from council_vault.service.unit_text import unit_text
from council_vault.shipped import shipped
from support.daemons import until
from support.memory_files import document, dump, record
from support.places import make_vault
from support.user_manager import user_manager

UNIT = "council-vault.service"
SHIPPED = (shipped("systemd") / UNIT).read_text("utf-8")
ODD = "h 100% $HOME \"q\" 'a' \\b é 🙂"


@pytest.fixture(scope="module")
def manager(tmp_path_factory):
    with user_manager(tmp_path_factory.mktemp("service") / "home") as running:
        yield running


@pytest.fixture
def person(manager):
    """The person, who has a workspace, a vault and settings, and nothing else; afterwards nothing again."""
    workspace = manager.home / "workspace"
    workspace.mkdir()
    (workspace / "council-memory.json").write_bytes(dump(document(*map(record, range(1, 6)))))
    make_vault(workspace / "vault")
    assert manager.program("init", "--yes", "--workspace", workspace).returncode == 0
    yield manager
    manager.program("service", "uninstall")
    shutil.rmtree(manager.home)
    manager.home.mkdir()


def units(person):
    return person.home / ".config" / "systemd"


def state(person):
    return json.loads(person.program("service", "status", "--json").stdout)


def tree(folder):
    return {path for path in folder.rglob("*") if not path.is_relative_to(folder / ".local")}


def test_from_install_to_uninstall(person):
    before = tree(person.home)
    assert "not installed" in person.program("service", "status").stdout
    shown = person.program("service", "install", "--dry-run").stdout
    assert tree(person.home) == before
    assert "    Type=notify\n" in shown
    assert f"write {units(person)}/user/{UNIT}:" in shown
    assert "systemctl --user enable council-vault.service\n" in shown

    done = person.program("service", "install")
    assert done.returncode == 0, done.stderr
    found = state(person)
    assert found | {"since": "", "process": 0, "starts": ""} == {
        "manager": "systemd", "name": UNIT, "installed": True, "file": f"{units(person)}/user/{UNIT}",
        "starts": "", "enabled": True, "state": "active", "result": "", "process": 0, "since": "",
        "lingers": None, "runs": True,
    }  # fmt: skip
    assert f"runs since {found['since'][:4]}" in done.stdout
    assert "and starts when you log in" in done.stdout
    assert "`loginctl enable-linger`" in done.stdout
    assert found["process"] == int(person.shown(UNIT, "MainPID"))
    memory = person.home / "workspace" / "council-memory.json"
    until(lambda: json.loads(memory.read_bytes())["deliberations"][0]["vault_synced"])
    assert "because a multiple of 5 deliberations was reached" in person.program("history").stdout
    assert "it runs, and starts when you log in" in person.program("doctor").stdout

    said = until(lambda: person.program("service", "logs").stdout)
    assert f"Keeping {memory}." in said
    assert person.program("service", "logs", "-n", "1").stdout.count("\n") == 1

    shown = person.program("service", "uninstall", "--dry-run").stdout
    assert f"remove {units(person)}/user/{UNIT}\n" in shown
    assert state(person)["runs"]
    done = person.program("service", "uninstall")
    assert (done.returncode, done.stdout) == (0, "The service is removed.\n")
    assert not units(person).exists()
    assert person.shown(UNIT, "LoadState") == "not-found"
    assert person.shown(UNIT, "ActiveState") == "inactive"
    assert person.program("service", "uninstall").stdout == "There is no service to remove.\n"


def test_what_was_given_becomes_part_of_it_whatever_it_holds(person):
    odd = person.home / ODD
    shutil.copytree(person.home / "workspace", odd / "workspace")
    config = odd / "config.toml"
    config.write_text("[sync]\nevery = 3\n")
    given = ["--config", config, "--workspace", odd / "workspace", "--vault", odd / "workspace" / "vault"]
    places = {"XDG_STATE_HOME": str(odd / "state")}
    done = person.program(*given, "service", "install", **places)
    assert done.returncode == 0, done.stderr
    memory = odd / "workspace" / "council-memory.json"
    until(lambda: json.loads(memory.read_bytes())["deliberations"][0]["vault_synced"])
    process = state(person)["process"]
    argv = person.run("cat", f"/proc/{process}/cmdline").stdout.split("\0")[:-1]
    assert argv[-7:] == [*map(str, given), "daemon"]
    assert list((odd / "state").rglob("daemon.json")), "the daemon keeps its state where it was told to"


@pytest.mark.parametrize("name", [ODD, "b\udce9d", "new\nline"])
def test_a_program_is_started_wherever_it_is(manager, name):
    folder = manager.home / name / "bin"
    folder.mkdir(parents=True)
    program = folder / "council-vault"
    program.write_text(
        f"#!{sys.executable}\nimport os, sys\nprint(*map(os.fsencode, sys.argv[1:]), os.environ['A'])\n"
    )
    program.chmod(0o755)
    text = unit_text(SHIPPED, [str(program), name, "daemon"], {"A": "1 %h"}).replace("=notify", "=oneshot")
    text = text.replace("StandardOutput=", "")
    said = manager.home / "said"
    place = manager.home / ".config" / "systemd" / "user" / "odd.service"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text.replace("[Service]", f"[Service]\nStandardOutput=truncate:{said}"), "utf-8")
    manager.run("systemctl", "--user", "daemon-reload")
    done = manager.run("systemctl", "--user", "start", "odd")
    assert done.returncode == 0, done.stderr
    assert said.read_text() == f"{os.fsencode(name)} {b'daemon'} 1 %h\n"
    place.unlink()
    shutil.rmtree(manager.home / name)


def test_it_is_brought_up_to_date_without_asking(person):
    assert person.program("service", "install").returncode == 0
    first = state(person)["process"]
    unit = units(person) / "user" / UNIT
    text = unit.read_text()
    done = person.program("service", "install")
    assert done.returncode == 0
    assert unit.read_text() == text
    assert state(person)["process"] not in {0, first}
    assert not list(unit.parent.glob("*.bak*"))


def test_another_installation_is_not_replaced_unasked(person):
    assert person.program("service", "install").returncode == 0
    unit = units(person) / "user" / UNIT
    before = unit.read_text()
    other = person.home / "other"
    shutil.copytree(person.home / "workspace", other)
    done = person.program("--workspace", other, "service", "install")
    assert done.returncode == 1
    assert "starts another installation, " in done.stderr
    assert "Repeat it with --yes" in done.stderr
    assert unit.read_text() == before
    assert person.program("--workspace", other, "service", "install", "--yes").returncode == 0
    assert f"--workspace {other} daemon" in unit.read_text()
    assert not list(unit.parent.glob("*.bak*"))


def test_a_unit_of_another_hand_is_kept(person):
    unit = units(person) / "user" / UNIT
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\nExecStart=/bin/true\n")
    done = person.program("service", "install")
    assert done.returncode == 1
    assert f"{unit} is of another hand, and starts /bin/true." in done.stderr
    assert unit.read_text() == "[Service]\nExecStart=/bin/true\n"
    assert person.program("service", "install", "--yes").returncode == 0
    assert unit.with_name(f"{UNIT}.bak").read_text() == "[Service]\nExecStart=/bin/true\n"
    unit.write_text(unit.read_text() + "# mine\n")
    done = person.program("service", "uninstall")
    assert f"{unit} is of another hand, and is kept as {UNIT}.bak2." in done.stderr
    assert {path.name for path in tree(units(person))} == {"user", f"{UNIT}.bak", f"{UNIT}.bak2"}


def test_what_the_person_added_stays(person):
    assert person.program("service", "install").returncode == 0
    own = units(person) / "user" / f"{UNIT}.d" / "override.conf"
    own.parent.mkdir()
    own.write_text("[Service]\nNice=5\n")
    assert f"{own} is yours, and changes how it runs." in person.program("service", "install").stderr
    assert person.shown(UNIT, "Nice") == "5"
    assert f"{own} is yours, and stays." in person.program("service", "uninstall").stderr
    assert own.exists()
    assert not own.parents[1].joinpath(UNIT).exists()


def test_a_service_that_cannot_start_says_so(person):
    config = person.home / ".config" / "council-vault" / "config.toml"
    unit = units(person) / "user" / UNIT
    assert person.program("service", "install").returncode == 0
    config.write_text("[nonsense]\n")
    done = person.program("service", "install")
    assert done.returncode == 2, "wrong settings are found before anything is done"
    person.run("systemctl", "--user", "restart", UNIT)
    until(lambda: state(person)["state"] == "failed")
    assert "it does not stay up (exit-code). `council-vault service logs` says why" in (
        person.program("service", "status").stdout
    )
    assert "there is no setting 'nonsense'" in person.program("service", "logs").stdout
    assert unit.exists()


def test_a_second_daemon_is_refused(person):
    assert person.program("service", "install").returncode == 0
    person.run("systemctl", "--user", "stop", UNIT)
    source = str(Path(shipped("systemd")).parent / "daemon")
    command = f"{sys.executable} -m council_vault.cli.main daemon >/dev/null 2>&1 & echo $!"
    process = int(person.run("sh", "-c", command, PYTHONPATH=source).stdout)
    until(lambda: "running since" in person.program("status").stdout)
    done = person.program("service", "install")
    assert done.returncode == 2
    assert f"a daemon keeps this memory already (process {process})" in done.stderr
    person.run("kill", process)
    until(lambda: "not running" in person.program("status").stdout)
    assert person.program("service", "install").returncode == 0


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize("name", ["plain", ODD.replace('"q"', "").replace("'a'", "").replace("\\b", ""), ODD])
def test_systemd_understands_every_line(tmp_path, name):
    program = tmp_path / name / "council-vault"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "runtime").mkdir(mode=0o700)
    unit = tmp_path / UNIT
    command = [str(program), "--config", f"/{name}/config.toml", "--workspace", f"/{name}", "daemon"]
    unit.write_text(unit_text(SHIPPED, command, {"XDG_STATE_HOME": f"/{name}"}), "utf-8")
    done = subprocess.run(
        ["systemd-analyze", "--user", "--recursive-errors=yes", "verify", unit],
        env=os.environ | {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path / "runtime")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
