"""The launchd agent: what is written, which commands are run, and what its answers mean; on any system."""

from __future__ import annotations

import os
import plistlib
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.errors import CouncilVaultError
from council_vault.service.installation import Installation
from council_vault.service.launchd import LABEL, Launchd, agent_text
from council_vault.service.managing import is_untouched
from council_vault.service.plan import Remove, Run, SetAside, Write
from council_vault.service.service_manager import service_manager

THIS = Installation(
    ("/Users/Ines Ö/bin/council-vault", "--config", "/a & <b>", "daemon"), {"XDG_STATE_HOME": "/s"}
)
OTHER = Installation(("/opt/council-vault", "daemon"), {})
PRINTED = """gui/501/council-vault = {{
\tactive count = 1
\tstate = {state}

\tprogram = /opt/council-vault
\tinherited environment = {{
\t\tstate = odd
\t}}
\tpid = 4711
\tlast exit code = {code}
}}
"""


@pytest.fixture
def mac(tmp_path):
    """A home, and a launchctl that keeps what it is called with, and answers from a file."""
    program = tmp_path / "bin" / "launchctl"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\n"
        "import sys, pathlib\n"
        "here = pathlib.Path(__file__).parent\n"
        "with (here / 'called').open('a') as file: print(*sys.argv[1:], file=file)\n"
        "answer = here / 'answer'\n"
        "if sys.argv[1] in {'print', 'bootout'} and not answer.exists(): sys.exit(113)\n"
        "if sys.argv[1] == 'print': print(answer.read_text(), end='')\n"
        "if sys.argv[1] == 'bootstrap' and (here / 'broken').exists(): sys.exit('Bootstrap failed: 5')\n"
    )
    program.chmod(0o755)
    return tmp_path


@pytest.fixture
def launchd(mac, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    manager = service_manager({"PATH": str(mac / "bin")}, mac)
    assert isinstance(manager, Launchd)
    return manager


def agent(mac):
    return mac / "Library" / "LaunchAgents" / f"{LABEL}.plist"


def called(mac):
    calls = mac / "bin" / "called"
    said = calls.read_text().splitlines() if calls.exists() else []
    calls.unlink(missing_ok=True)
    return [line for line in said if not line.startswith("print")]


def test_the_agent_says_what_launchd_needs_to_know():
    text = agent_text(THIS, Path("/log"))
    assert plistlib.loads(text.encode(), fmt=plistlib.FMT_XML) == {
        "Label": "council-vault",
        "ProgramArguments": list(THIS.command),
        "EnvironmentVariables": {"XDG_STATE_HOME": "/s"},
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 30,
        "ExitTimeOut": 15,
        "ProcessType": "Background",
        "StandardErrorPath": "/log",
    }
    assert is_untouched(text)


@settings(deadline=None)
@given(st.lists(st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cn", "Cc"])), max_size=4))
def test_any_path_comes_through(words):
    text = agent_text(Installation(("/p", *words), {}), Path("/log"))
    assert plistlib.loads(text.encode())["ProgramArguments"] == ["/p", *words]


@pytest.mark.parametrize("path", ["/a\x01b", "/\udce9"])
def test_a_path_that_no_such_file_can_hold_is_refused(path):
    with pytest.raises(CouncilVaultError, match="launchd cannot be told"):
        agent_text(Installation((path, "daemon"), {}), Path("/log"))


def test_from_install_to_uninstall(launchd, mac):
    domain = f"gui/{os.geteuid()}"
    assert not launchd.state().installed
    assert launchd.uninstalling().steps == ()
    plan = launchd.installing(THIS)
    assert not agent(mac).exists()
    assert [type(step) for step in plan.steps] == [Write, Run, Run, Run]
    plan.carry_out(launchd.environment)
    assert agent(mac).read_text("utf-8") == agent_text(THIS, mac / "Library" / "Logs" / f"{LABEL}.log")
    assert called(mac) == [
        f"bootout {domain}/{LABEL}", f"enable {domain}/{LABEL}", f"bootstrap {domain} {agent(mac)}"
    ]  # fmt: skip
    (mac / "bin" / "answer").write_text(PRINTED.format(state="running", code="(never exited)"))
    found = launchd.state()
    assert (found.manager, found.name, found.file) == ("launchd", LABEL, str(agent(mac)))
    assert (found.installed, found.enabled, found.runs, found.crashed) == (True, True, True, False)
    assert (found.process, found.starts) == (4711, " ".join(THIS.command))

    again = launchd.installing(THIS)
    assert not any(isinstance(step, Write) for step in again.steps)
    (mac / "Library" / "Logs").mkdir()
    (mac / "Library" / "Logs" / f"{LABEL}.log").write_text("said")
    launchd.uninstalling().carry_out(launchd.environment)
    assert called(mac) == [f"bootout {domain}/{LABEL}"]
    assert not list(mac.rglob(f"{LABEL}.*"))


@pytest.mark.parametrize(
    ("state", "code", "runs", "crashed"),
    [
        ("running", "1", True, False),
        ("waiting", "2", False, True),
        ("not running", "0", False, False),
        ("spawn scheduled", "9", False, True),
    ],
)
def test_how_it_is(launchd, mac, state, code, runs, crashed):
    (mac / "bin" / "answer").write_text(PRINTED.format(state=state, code=code))
    found = launchd.state()
    assert (found.runs, found.crashed) == (runs, crashed)
    assert found.result == ("" if code == "0" else f"exit code {code}")


def test_another_installation_is_named(launchd, mac):
    launchd.installing(OTHER).carry_out(launchd.environment)
    plan = launchd.installing(THIS)
    assert plan.replaces == (f"{agent(mac)} starts another installation, /opt/council-vault daemon",)
    assert not any(isinstance(step, SetAside) for step in plan.steps)


@pytest.mark.parametrize("content", ["no plist", "<plist version='1.0'><array/></plist>"])
def test_an_agent_of_another_hand_is_kept(launchd, mac, content):
    agent(mac).parent.mkdir(parents=True)
    agent(mac).write_text(content)
    plan = launchd.installing(THIS)
    assert plan.replaces == (f"{agent(mac)} is of another hand, and starts nothing",)
    plan.carry_out(launchd.environment)
    kept = agent(mac).with_name(f"{LABEL}.plist.bak")
    assert kept.read_text() == content
    agent(mac).write_text(content)
    plan = launchd.uninstalling()
    assert plan.remarks == (f"{agent(mac)} is of another hand, and is kept as {LABEL}.plist.bak2",)
    plan.carry_out(launchd.environment)
    assert kept.with_name(f"{LABEL}.plist.bak2").read_text() == content
    assert not agent(mac).exists()


def test_what_launchd_refuses_is_said(launchd, mac):
    (mac / "bin" / "broken").touch()
    with pytest.raises(CouncilVaultError, match="has failed: Bootstrap failed: 5") as raised:
        launchd.installing(THIS).carry_out(launchd.environment)
    assert f"launchctl bootstrap gui/{os.geteuid()}" in str(raised.value)


def test_the_log_is_a_file(launchd, mac):
    log = str(mac / "Library" / "Logs" / f"{LABEL}.log")
    assert launchd.log_command(20, follow=False) == ("tail", "-n", "20", log)
    assert launchd.log_command(20, follow=True) == ("tail", "-n", "20", "-F", log)


def test_a_launchctl_that_cannot_be_run_knows_nothing(tmp_path):
    found = Launchd({"PATH": str(tmp_path)}, tmp_path).state()
    assert not found.installed
    assert Remove(tmp_path / "x").do({}) is None
