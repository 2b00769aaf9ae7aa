"""The unit file, judged by systemd itself."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess

import pytest

from council_vault.shipped import shipped

UNIT = "council-vault.service"
EXPOSURE, MEASURED_BY = 6.5, "252"  # of 10; other versions of systemd weigh differently


class Unit(configparser.RawConfigParser):
    """A unit file: keys keep their case and may stand several times."""

    def __init__(self):
        super().__init__(strict=False, interpolation=None, delimiters=("=",), comment_prefixes=("#",))
        self.optionxform = str
        self.read(shipped("systemd") / UNIT, encoding="utf-8")


@pytest.fixture
def unit():
    return Unit()


@pytest.fixture
def analyze(tmp_path):
    """Run systemd-analyze for a person at whose home the program is installed."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    program = tmp_path / ".local" / "bin" / "council-vault"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "runtime").mkdir(mode=0o700)
    environment = os.environ | {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path / "runtime")}

    def run(*arguments):
        command = ["systemd-analyze", "--user", *map(str, arguments)]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=60
        )

    return run


def test_systemd_understands_every_line(analyze):
    done = analyze("--recursive-errors=yes", "verify", shipped("systemd") / UNIT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_systemd_would_say_what_it_does_not_understand(analyze, tmp_path):
    broken = tmp_path / UNIT
    text = (shipped("systemd") / UNIT).read_text(encoding="utf-8")
    broken.write_text(text.replace("NoNewPrivileges", "NoNewPrivilege"), encoding="utf-8")
    assert analyze("--recursive-errors=yes", "verify", broken).returncode == 1


def test_the_exposure_is_what_the_readme_says(analyze):
    readme = (shipped("systemd").parent / "README.md").read_text(encoding="utf-8")
    assert f" {EXPOSURE} of 10" in readme
    done = analyze("security", "--offline=true", "--threshold=70", shipped("systemd") / UNIT)
    assert done.returncode == 0, done.stdout
    if analyze("--version").stdout.split()[1] == MEASURED_BY:
        assert f"Overall exposure level for {UNIT}: {EXPOSURE}" in done.stdout


def test_it_starts_when_the_person_logs_in_and_waits_until_it_is_up(unit):
    assert unit["Install"]["WantedBy"] == "default.target"
    assert (unit["Service"]["Type"], unit["Service"]["NotifyAccess"]) == ("notify", "main")
    assert unit["Service"]["ExecStart"] == "%h/.local/bin/council-vault daemon"
    assert "network-online.target" not in str(dict(unit["Unit"]))  # a target of the system, not of the person


def test_it_comes_back_after_a_crash_and_never_gives_up_but_on_wrong_settings(unit):
    assert unit["Service"]["Restart"] == "on-failure"
    assert int(unit["Service"]["RestartSec"]) >= 5
    assert unit["Unit"]["StartLimitIntervalSec"] == "0"  # no limit at all
    assert unit["Service"]["RestartPreventExitStatus"] == "2"


def test_it_reaches_drive_and_nothing_else_but_the_system(unit):
    assert set(unit["Service"]["RestrictAddressFamilies"].split()) == {"AF_UNIX", "AF_INET", "AF_INET6"}
