"""``config``: settings shown and changed."""

from __future__ import annotations

import pytest

from council_vault.settings import known_settings


def write(program, text: str) -> None:
    program.config.parent.mkdir(parents=True, exist_ok=True)
    program.config.write_bytes(text.encode())


def test_every_setting_is_shown_with_its_origin_and_what_it_is_for(program, monkeypatch):
    write(program, '[vault]\nname = "Mine"\nmounts = ["/a", "/b"]\n')
    monkeypatch.setenv("COUNCIL_VAULT_VAULT", "/from/variable")
    ran = program("--workspace", "/from/option", "config", "show")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == f"# {program.config}"
    for setting in known_settings():
        assert f"# {setting.description}" in lines
    for line in (
        "workspace.path = /from/option  # command line",
        "vault.path = /from/variable  # COUNCIL_VAULT_VAULT",
        f"vault.name = Mine  # {program.config}",
        f"vault.mounts = /a, /b  # {program.config}",
        "workspace.name = (unset)  # default",
        "notes.visible_rows = 50  # default",
    ):
        assert line in lines


def test_without_a_file_it_says_so(program):
    assert program("config", "show").out.startswith(
        f"# {program.config} (not there; these are the defaults)\n"
    )


def test_shown_as_json(program):
    write(program, '[vault]\nmounts = ["m"]\n')
    shown = program("config", "show", "--json").json
    assert set(shown) == {"file", "settings", "origins"}
    assert shown["file"] == str(program.config)
    assert set(shown["settings"]) == {setting.key for setting in known_settings()}
    assert shown["settings"]["vault.mounts"] == [str(program.config.parent / "m")]
    assert shown["settings"]["workspace.name"] is None
    assert shown["origins"] == {"vault.mounts": str(program.config)}


@pytest.mark.parametrize(
    ("text", "key", "out"),
    [
        ("", "vault.name", "MoxyWolf Vault\n"),
        ("", "notes.visible_rows", "50\n"),
        ("", "workspace.name", ""),
        ("", "vault.mounts", ""),
        ('[vault]\nmounts = ["/a b", "/c"]\n', "vault.mounts", "/a b\n/c\n"),
    ],
)
def test_one_value_for_a_script(program, text, key, out):
    write(program, text)
    assert program("config", "get", key) == (0, out, "")


def test_set_makes_the_file_and_its_folder(program):
    ran = program("config", "set", "notes.visible_rows", "20")
    assert ran == (0, f"{program.config}: notes.visible_rows = 20\n", "")
    assert program.config.read_text() == "[notes]\nvisible_rows = 20\n"
    assert program("config", "get", "notes.visible_rows").out == "20\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("begin", ["", "\ufeff"])
def test_comments_and_layout_stay(program, begin, end):
    before = f'{begin}# mine{end}{end}[vault]   # where{end}name   = "A"  # the name{end}# last{end}'
    write(program, before)
    program("config", "set", "vault.name", "B")
    program("config", "set", "notes.charts", "none")
    after = program.config.read_bytes().decode()
    assert after.startswith(before.replace('"A"', '"B"'))
    assert after.removeprefix(before.replace('"A"', '"B"')).strip() == f'[notes]{end}charts = "none"'
    assert after.count("\n") == after.count(end)
    assert program("config", "get", "vault.name").out == "B\n"


def test_a_link_to_the_settings_stays_a_link(program):
    kept = program.base / "dotfiles.toml"
    kept.write_text("# mine\n")
    program.config.parent.mkdir(parents=True)
    program.config.symlink_to(kept)
    program("config", "set", "vault.name", "B")
    assert program.config.is_symlink()
    assert kept.read_text() == '# mine\n\n[vault]\nname = "B"\n'


def test_paths_are_set_as_a_shell_means_them(program):
    program("config", "set", "vault.path", "../notes")
    assert program("config", "get", "vault.path").out == f"{program.workspace}/../notes\n"
    program("config", "set", "vault.mounts", "~/a, b")
    assert program("config", "get", "vault.mounts").out == f"{program.home}/a\n{program.workspace}/b\n"


def test_an_empty_value_unsets(program):
    write(program, '[vault]\nname = "A"\n')
    assert program("config", "set", "vault.name", "").out.endswith("vault.name = MoxyWolf Vault\n")
    assert program("config", "set", "vault.path", "").out.endswith("vault.path = (unset)\n")
    assert program.config.read_text() == "[vault]\n"


def test_unsetting_what_was_never_set_makes_no_file(program):
    assert program("config", "set", "vault.path", "").code == 0
    assert not program.config.exists()


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("vault.nam", "x", "there is no setting 'vault.nam'. Did you mean vault.name?"),
        ("vault", "x", "there is no setting 'vault'"),
        (
            "notes.visible_rows",
            "many",
            "notes.visible_rows: 'many' cannot stand there: expected a whole number",
        ),
        ("notes.visible_rows", "0", "expected a whole number >= 1"),
        ("notes.charts", "pie", "expected mermaid or none, got 'pie'"),
        ("router.mode", "x", "expected learned, always_deliberate or always_shortcut, got 'x'"),
        ("vault.path", "~nobody-of-that-name/x", "the home folder that ~ stands for is not known"),
    ],
)
def test_what_cannot_stand_there_is_refused(program, key, value, words):
    write(program, "# mine\n")
    ran = program("config", "set", key, value)
    assert ran.code == 2
    assert " ".join(words.split()) in ran.err
    assert program.config.read_text() == "# mine\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[vault\n", "the settings are not valid TOML"),
        ("[vault]\nnme = 1\n", "line 2: there is no setting 'vault.nme'. Did you mean vault.name?"),
        ("vault = 1\n", "line 1: 'vault' stands outside of a [section]"),
    ],
)
@pytest.mark.parametrize("command", [("show",), ("get", "vault.name"), ("set", "vault.name", "x")])
def test_a_file_that_is_wrong_is_named_and_left_alone(program, text, words, command):
    write(program, text)
    ran = program("config", *command)
    assert ran.code == 2
    assert str(program.config) in ran.err
    assert words in ran.err
    assert program.config.read_text() == text


def test_a_wrong_value_can_be_mended_by_setting_it(program):
    write(program, "[notes]\nvisible_rows = 0\n")
    assert program("config", "get", "notes.visible_rows").code == 2
    assert program("config", "set", "notes.visible_rows", "10").code == 0
    assert program("config", "get", "notes.visible_rows").out == "10\n"


def test_settings_that_are_not_utf_8_are_left_alone(program):
    program.config.parent.mkdir(parents=True)
    program.config.write_bytes(b'[vault]\nname = "caf\xe9"\n')
    for command in (("show",), ("set", "vault.name", "x")):
        ran = program("config", *command)
        assert ran.code == 2
        assert f"{program.config}: the settings cannot be read: they are not UTF-8" in ran.err
    assert program.config.read_bytes() == b'[vault]\nname = "caf\xe9"\n'


def test_rights_stay_as_they_were(program):
    write(program, "")
    program.config.chmod(0o640)
    program("config", "set", "vault.name", "x")
    assert program.config.stat().st_mode & 0o777 == 0o640
