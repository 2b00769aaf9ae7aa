"""Installing a unit, step by step, with a systemctl of one's own in the place of the machine's."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from council_vault.errors import CouncilVaultError, WriteFailed
from council_vault.service import service_manager as choosing
from council_vault.service import systemd_service
from council_vault.service.installation import Installation
from council_vault.service.managing import is_untouched, marked
from council_vault.service.plan import Remove, RemoveEmpty, Run, SetAside, Write, set_aside
from council_vault.service.systemd_service import NAME, Systemd

THIS = Installation(("/opt/a b/council-vault", "daemon"), {"XDG_STATE_HOME": "/s"})


class Machine:
    """A home, and a systemctl and a loginctl that answer what they are told to."""

    def __init__(self, base):
        self.base = base
        self.home = base / "home"
        self.home.mkdir()
        (base / "bin").mkdir()
        self.answers = {}
        self.environment = {"PATH": str(base / "bin"), "XDG_RUNTIME_DIR": str(base)}
        for name in ("systemctl", "loginctl"):
            program = base / "bin" / name
            program.write_text(
                f"#!{sys.executable}\n"
                "import json, pathlib, sys\n"
                "here = pathlib.Path(__file__).parent\n"
                "with (here / 'called').open('a') as file: print(*sys.argv[1:], file=file)\n"
                "for asked, (code, said) in json.loads((here / 'answers').read_text()).items():\n"
                "    if asked in ' '.join(sys.argv):\n"
                "        print(said, file=sys.stderr if code else sys.stdout)\n"
                "        sys.exit(code)\n"
            )
            program.chmod(0o755)
        self.answer({f"show {NAME}": (0, "LoadState=not-found")})

    def answer(self, answers):
        (self.base / "bin" / "answers").write_text(json.dumps(answers))

    @property
    def systemd(self):
        return Systemd(self.environment, self.home)

    @property
    def unit(self):
        return self.home / ".config" / "systemd" / "user" / NAME

    def called(self):
        said = (self.base / "bin" / "called").read_text().splitlines()
        return [
            line.removeprefix("--user ") for line in said if " show" not in line and "show-user" not in line
        ]


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def kinds(plan):
    return [type(step) for step in plan.steps]


def test_the_steps_are_told_and_then_done(machine):
    plan = machine.systemd.installing(THIS)
    assert not machine.unit.exists()
    text = "\n\n".join(map(str, plan.steps))
    assert text.startswith(f"write {machine.unit}:\n\n    # Keeps the notes")
    assert '    ExecStart="/opt/a b/council-vault" daemon\n' in text
    assert text.endswith("systemctl --user restart council-vault.service")
    plan.carry_out(machine.environment)
    assert [line.strip() for line in machine.unit.read_text().splitlines() if line] == [
        line.strip() for line in plan.steps[0].text.splitlines() if line
    ]
    assert machine.called() == ["daemon-reload", f"enable {NAME}", f"restart {NAME}"]
    assert is_untouched(machine.unit.read_text())
    assert list(machine.unit.parent.iterdir()) == [machine.unit]


@pytest.mark.parametrize(("lingers", "known"), [("yes", True), ("no", False), ("", None)])
def test_how_the_service_is(machine, lingers, known):
    machine.systemd.installing(THIS).carry_out(machine.environment)
    said = "LoadState=loaded\nActiveState=active\nUnitFileState=enabled\nResult=success"
    said += f"\nFragmentPath={machine.unit}"
    machine.answer({f"show {NAME}": (0, f"{said}\nMainPID=12\nActiveEnterTimestampMonotonic=1"),
                    "show-user": (0, lingers)})  # fmt: skip
    found = machine.systemd.state()
    assert (found.installed, found.enabled, found.runs, found.crashed) == (True, True, True, False)
    assert (found.process, found.result, found.lingers) == (12, "", known)
    assert found.starts == '"/opt/a b/council-vault" daemon'
    assert found.since.tzinfo is not None


def test_a_unit_that_never_ran_has_no_beginning(machine):
    machine.answer({f"show {NAME}": (0, "LoadState=loaded\nActiveState=inactive\nMainPID=0")})
    found = machine.systemd.state()
    assert (found.since, found.process, found.runs) == (None, 0, False)


def test_where_the_person_keeps_settings_elsewhere_the_unit_is_there_if_systemd_looks_there(machine):
    elsewhere = machine.base / "con fig"
    machine.environment["XDG_CONFIG_HOME"] = str(elsewhere)
    usual = machine.systemd.installing(THIS).steps[0].path
    assert usual == machine.unit
    machine.answer({"UnitPath": (0, f"/etc/systemd/user {elsewhere}/systemd/user /usr/lib/systemd/user")})
    assert machine.systemd.installing(THIS).steps[0].path == elsewhere / "systemd" / "user" / NAME


def test_a_unit_elsewhere_is_named(machine):
    machine.answer({f"show {NAME}": (0, f"LoadState=loaded\nFragmentPath=/usr/lib/systemd/user/{NAME}")})
    (said,) = machine.systemd.installing(THIS).replaces
    assert said.startswith(f"/usr/lib/systemd/user/{NAME} is another installation's; it stays")
    plan = machine.systemd.uninstalling()
    assert (plan.steps, plan.remarks) == (
        (),
        (f"/usr/lib/systemd/user/{NAME} is another installation's, and stays",),
    )


@pytest.mark.parametrize("leads_to", ["/dev/null", "collection", "nowhere"])
def test_a_link_to_somebodys_own_collection_is_kept(machine, leads_to):
    machine.systemd.installing(THIS).carry_out(machine.environment)
    collection = machine.base / "collection"
    machine.unit.rename(collection)
    machine.unit.symlink_to(machine.base / leads_to)
    other = Installation(("/opt/other", "daemon"), {})
    plan = machine.systemd.installing(other)
    assert kinds(plan)[:2] == [SetAside, Write]
    before = collection.read_text()
    plan.carry_out(machine.environment)
    assert collection.read_text() == before
    assert machine.unit.with_name(f"{NAME}.bak").readlink() == machine.base / leads_to
    assert not machine.unit.is_symlink()


def test_a_link_that_is_left_over_is_removed_with_its_folders(machine):
    link = machine.unit.parent / "other.target.wants" / NAME
    link.parent.mkdir(parents=True)
    link.symlink_to(machine.unit)
    plan = machine.systemd.uninstalling()
    assert Remove(link) in plan.steps
    plan.carry_out(machine.environment)
    assert not (machine.home / ".config" / "systemd").exists()
    assert (machine.home / ".config").exists()


def test_folders_with_something_else_in_them_stay(machine):
    machine.systemd.installing(THIS).carry_out(machine.environment)
    (machine.unit.parent / "other.service").touch()
    plan = machine.systemd.uninstalling()
    assert RemoveEmpty in kinds(plan)
    plan.carry_out(machine.environment)
    assert [path.name for path in machine.unit.parent.iterdir()] == ["other.service"]


def test_stopping_what_does_not_run_is_no_failure(machine):
    machine.systemd.installing(THIS).carry_out(machine.environment)
    failing = dict.fromkeys((f"stop {NAME}", f"disable {NAME}", f"reset-failed {NAME}"), (5, "not loaded"))
    machine.answer({f"show {NAME}": (0, "LoadState=loaded"), **failing})
    machine.systemd.uninstalling().carry_out(machine.environment)
    assert not machine.unit.exists()


def test_what_systemd_refuses_is_said_in_its_words(machine):
    machine.answer(
        {f"show {NAME}": (0, "LoadState=not-found"), "restart": (1, "Job failed.\nSee journalctl.")}
    )
    with pytest.raises(
        CouncilVaultError, match=r"restart council-vault.service` has failed: Job failed. See"
    ) as raised:
        machine.systemd.installing(THIS).carry_out(machine.environment)
    assert "service logs" in raised.value.remedy
    machine.answer({"restart": (3, "")})
    with pytest.raises(CouncilVaultError, match="exit code 3"):
        machine.systemd.installing(THIS).carry_out(machine.environment)


def test_a_folder_that_cannot_be_made_is_named(machine):
    (machine.home / ".config").write_text("a file")
    with pytest.raises(WriteFailed, match="the service cannot be changed") as raised:
        machine.systemd.installing(THIS).carry_out(machine.environment)
    assert str(machine.home / ".config") in raised.value.where


def test_a_command_that_is_not_there_is_said(tmp_path):
    with pytest.raises(CouncilVaultError, match="cannot be run"):
        Run((str(tmp_path / "nothing"),)).do({})


def test_what_is_kept_gets_a_name_that_is_free(tmp_path):
    path = tmp_path / "a"
    assert set_aside(path).kept.name == "a.bak"
    (tmp_path / "a.bak").symlink_to("nowhere")
    (tmp_path / "a.bak2").touch()
    step = set_aside(path)
    assert (str(step), step.kept.name) == (f"keep {path} as a.bak3", "a.bak3")


def test_a_changed_file_is_told_from_one_that_is_not():
    text = marked("one\n[Unit]\ntwo\n", "[Unit]", "# {}")
    assert is_untouched(text)
    assert not is_untouched(text.replace("two", "three"))
    assert not is_untouched("one\n[Unit]\ntwo\n")


def test_what_it_has_said_is_asked_of_the_journal():
    systemd = Systemd({}, Path("/"))
    assert systemd.log_command(5, follow=False) == (
        "journalctl", "--user-unit=council-vault.service", "--lines=5", "--no-pager"
    )  # fmt: skip
    assert systemd.log_command(5, follow=True)[-1] == "--follow"


def test_without_systemctl_there_is_no_manager(tmp_path):
    assert choosing.service_manager({"PATH": str(tmp_path)}, tmp_path) is None
    assert Systemd({"PATH": str(tmp_path)}, tmp_path).state().lingers is None


@pytest.mark.parametrize("named", [True, False])
def test_the_folder_that_leads_to_systemd_is_found_where_cron_has_not_named_it(monkeypatch, tmp_path, named):
    monkeypatch.setattr(systemd_service.os, "access", lambda path, _mode: path.startswith("/run/user/"))
    given = {"XDG_RUNTIME_DIR": "/named"} if named else {}
    found = Systemd(given, tmp_path).environment["XDG_RUNTIME_DIR"]
    assert found == "/named" if named else found.startswith("/run/user/")


@pytest.mark.parametrize(
    ("platform", "booted", "kernel", "container", "words"),
    [
        ("win32", False, "", False, "the Task Scheduler"),
        ("linux", True, "6.1", False, "your own systemd does not answer here"),
        ("linux", False, "5.15.0-microsoft-standard-WSL2", False, "/etc/wsl.conf"),
        ("linux", False, "6.1", True, "this is a container"),
        ("linux", False, "6.1", False, "there is no systemd here"),
    ],
)
def test_without_a_manager_it_says_what_to_do(
    monkeypatch, tmp_path, platform, booted, kernel, container, words
):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(choosing, "_BOOTED_WITH_SYSTEMD", tmp_path if booted else tmp_path / "no")
    (tmp_path / "kernel").write_text(kernel)
    monkeypatch.setattr(choosing, "_KERNEL", tmp_path / "kernel")
    monkeypatch.setattr(choosing, "_CONTAINERS", (tmp_path,) if container else ())
    error = choosing.by_hand(("/a b/council-vault", "daemon"), {"USER": "ines"})
    assert words in str(error)
    assert str(error).endswith("'/a b/council-vault' daemon")


def test_a_kernel_that_says_nothing_is_no_error(monkeypatch, tmp_path):
    monkeypatch.setattr(choosing, "_BOOTED_WITH_SYSTEMD", tmp_path / "no")
    monkeypatch.setattr(choosing, "_KERNEL", tmp_path / "no")
    monkeypatch.setattr(choosing, "_CONTAINERS", ())
    assert "this is a container" in str(choosing.by_hand(("x",), {"container": "podman"}))


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({}, "This is the service of root."),
        ({"SUDO_USER": "root"}, "This is the service of root."),
        ({"SUDO_USER": "ines"}, "the service of root, not of ines"),
        ({"DOAS_USER": "ines"}, "the service of root, not of ines"),
    ],
)
def test_root_is_warned(monkeypatch, tmp_path, environment, words):
    monkeypatch.setattr(choosing.os, "geteuid", lambda: 0)
    assert words in choosing.trouble_with_rights(environment, tmp_path / "none")


def test_root_leaves_the_homes_of_others_alone(monkeypatch):
    class Theirs(type(Path())):
        def stat(self, **_):
            return type("Stat", (), {"st_uid": 1000, "st_mode": 0o40755})

        def exists(self, **_):
            return True

    monkeypatch.setattr(choosing.os, "geteuid", lambda: 0)
    with pytest.raises(CouncilVaultError, match="Repeat it without sudo"):
        choosing.trouble_with_rights({}, Theirs("/home/ines"))
    monkeypatch.setattr(choosing.os, "geteuid", lambda: 1000)
    assert choosing.trouble_with_rights({}, Theirs("/home/ines")) == ""


def test_another_installation_is_named_and_one_that_is_only_older_is_not(machine):
    machine.systemd.installing(Installation(("/opt/old", "daemon"), {})).carry_out(machine.environment)
    plan = machine.systemd.installing(THIS)
    assert plan.replaces == (f"{machine.unit} starts another installation, /opt/old daemon",)
    assert kinds(plan)[0] is Write
    machine.unit.write_text(
        marked("[Unit]\nExecStart=" + '"/opt/a b/council-vault" daemon\n', "[Unit]", "# {}")
    )
    plan = machine.systemd.installing(THIS)
    assert (plan.replaces, kinds(plan)[0]) == ((), Write)
    plan.carry_out(machine.environment)
    assert kinds(machine.systemd.installing(THIS)) == [Run, Run, Run]


def test_a_unit_of_another_hand_is_kept(machine):
    machine.unit.parent.mkdir(parents=True)
    machine.unit.write_text("[Service]\n")
    plan = machine.systemd.installing(THIS)
    assert plan.replaces == (f"{machine.unit} is of another hand, and starts nothing",)
    plan = machine.systemd.uninstalling()
    assert plan.remarks == (f"{machine.unit} is of another hand, and is kept as {NAME}.bak",)
    plan.carry_out(machine.environment)
    assert machine.unit.with_name(f"{NAME}.bak").read_text() == "[Service]\n"
    assert not machine.unit.exists()


def test_removing_is_told_and_then_done(machine):
    machine.systemd.installing(THIS).carry_out(machine.environment)
    wants = machine.unit.parent / "default.target.wants"
    wants.mkdir()
    (wants / NAME).symlink_to(machine.unit)
    systemctl = f"run {machine.base}/bin/systemctl --user"
    folder = machine.unit.parent
    assert [str(step) for step in machine.systemd.uninstalling().steps] == [
        f"{systemctl} stop {NAME}",
        f"{systemctl} disable {NAME}",
        f"remove {machine.unit}",
        f"remove {wants / NAME}",
        f"remove {folder / NAME}.d, if it is empty",
        f"remove {wants}, if it is empty",
        f"remove {folder}, if it is empty",
        f"remove {folder.parent}, if it is empty",
        f"{systemctl} daemon-reload",
        f"{systemctl} reset-failed {NAME}",
    ]
