"""``init`` without a terminal: the options given and the defaults."""

from __future__ import annotations

import tomllib

import pytest

from support.memory_files import record


def settings_of(program):
    return tomllib.loads(program.config.read_text("utf-8"))


def test_makes_a_memory_and_settings(program):
    ran = program("init", "--yes")
    assert ran.code == 0
    made = program.parsed()
    assert (made["version"], made["deliberations"], made["last_vault_sync"]) == ("1.3", [], None)
    assert settings_of(program) == {"workspace": {"path": str(program.workspace)}}
    assert f"{program.memory} was created." in ran.out
    assert f"{program.config}: workspace.path = {program.workspace}" in ran.out
    assert "no vault was found" in ran.err
    assert ran.out.endswith("`council-vault config set vault.path DIR`.\n")
    assert program("status").code == 0


def test_what_is_there_stays_as_it_is(program):
    program.write_memory(record())
    program.config.parent.mkdir(parents=True)
    program.config.write_text('# mine\n[notes]\ncharts = "none"  # plain\n')
    before = program.memory.read_bytes()
    ran = program("init", "--yes")
    assert ran.code == 0
    assert f"{program.memory} is there already, and can be read." in ran.out
    assert program.memory.read_bytes() == before
    assert program.config.read_text().startswith('# mine\n[notes]\ncharts = "none"  # plain\n')
    assert settings_of(program)["workspace"] == {"path": str(program.workspace)}


def test_a_second_time_changes_nothing(program):
    program("init", "--yes")
    before = program.memory.stat().st_mtime_ns, program.config.stat().st_mtime_ns
    assert program("init", "--yes").code == 0
    assert (program.memory.stat().st_mtime_ns, program.config.stat().st_mtime_ns) == before


def test_the_options_before_it_say_where(program):
    folder, vault = program.base / "new" / "council", program.make_vault()
    settings = program.base / "own" / "settings.toml"
    ran = program("--config", settings, "--workspace", folder, "--vault", vault, "init", "--yes")
    assert ran.code == 0
    assert (folder / "council-memory.json").exists()
    assert tomllib.loads(settings.read_text()) == {
        "workspace": {"path": str(folder)},
        "vault": {"path": str(vault)},
    }
    assert not program.config.exists()


def test_in_another_folder_it_says_where_the_memory_is(program, monkeypatch):
    program("init", "--yes")
    other = program.base / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    ran = program("init", "--yes")
    assert ran.code == 0
    assert f"The memory is to be in {program.workspace}, and not in the current folder" in ran.err
    assert f"workspace.path in {program.config}" in ran.err
    assert "`council-vault --workspace . init` changes that." in ran.err
    assert not list(other.iterdir())
    assert settings_of(program)["workspace"] == {"path": str(program.workspace)}
    moved = program("--workspace", ".", "init", "--yes")
    assert "current folder" not in moved.err
    assert (other / "council-memory.json").exists()
    assert settings_of(program)["workspace"] == {"path": str(other)}


def test_in_the_folder_of_the_memory_it_says_nothing_of_that(program, monkeypatch):
    program("init", "--yes")
    link = program.base / "link"
    link.symlink_to(program.workspace)
    monkeypatch.chdir(link)
    assert "current folder" not in program("init", "--yes").err


def test_a_vault_that_is_found_is_named_and_not_nailed_down(program):
    vault = program.make_vault()
    ran = program("init", "--yes")
    assert f"The vault is {vault}." in ran.out
    assert ran.out.endswith("`council-vault sync-vault` brings the notes up to date.\n")
    assert "vault" not in settings_of(program)


def test_a_vault_that_is_none_ends_it_before_anything_is_made(program):
    ran = program("--vault", program.home, "init", "--yes")
    assert ran.code == 3
    assert str(program.home) in ran.err
    assert not program.memory.exists()
    assert not program.config.exists()


def test_a_memory_that_cannot_be_understood_is_left_alone(program):
    program.write_bytes(b'{"deliberations": [')
    ran = program("init", "--yes")
    assert ran.code == 4
    assert f"{program.memory}, line 1" in ran.err
    assert program.memory.read_bytes() == b'{"deliberations": ['
    assert not program.config.exists()


@pytest.mark.parametrize("text", ["[vault\n", "[vault]\nnam = 1\n"])
def test_settings_that_are_wrong_end_it_before_anything_is_made(program, text):
    program.config.parent.mkdir(parents=True)
    program.config.write_text(text)
    ran = program("init", "--yes")
    assert ran.code == 2
    assert str(program.config) in ran.err
    assert not program.memory.exists()
    assert program.config.read_text() == text


def test_without_a_terminal_it_asks_for_yes(program):
    ran = program("init")
    assert ran.code == 2
    assert "--yes" in ran.err
    assert not program.memory.exists()


def test_a_folder_that_cannot_be_made_is_named(program):
    (program.base / "file").touch()
    ran = program("--workspace", program.base / "file" / "council", "init", "--yes")
    assert ran.code == 1
    assert f"{program.base}/file/council: the folder cannot be made: not a directory" in ran.err


def test_links_to_files_that_are_not_there_yet_lead_to_new_ones(program):
    kept = program.base / "kept"
    program.config.parent.mkdir(parents=True)
    program.memory.symlink_to(kept / "memory.json")
    program.config.symlink_to(kept / "settings" / "vault.toml")
    assert program("init", "--yes").code == 0
    assert program.memory.is_symlink()
    assert program.config.is_symlink()
    assert program.parsed()["version"] == "1.3"
    assert (kept / "settings" / "vault.toml").read_text() == program.config.read_text()


def test_a_link_that_leads_to_itself_is_named(program):
    program.memory.symlink_to(program.memory)
    ran = program("init", "--yes")
    assert ran.code in {1, 4}
    assert str(program.memory) in ran.err
