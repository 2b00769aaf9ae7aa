"""Settings: where they come from, and what is said about wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault import config
from council_vault.errors import SettingsError
from council_vault.settings import Settings, absolute, known_settings, own_folder


def written(folder: Path, text: str) -> Path:
    path = folder / "config.toml"
    path.write_text(text, "utf-8")
    return path


def test_without_a_file_the_defaults_hold(tmp_path):
    loaded = config.load(tmp_path / "none.toml", {}, {})
    assert loaded.settings == Settings()
    assert loaded.origins == {}


def test_the_last_one_wins_file_environment_command_line(tmp_path):
    path = written(tmp_path, '[vault]\npath = "/from/file"\n[workspace]\npath = "/ws/file"\n')
    environment = {"COUNCIL_VAULT_VAULT": "/from/environment", "COUNCIL_VAULT_WORKSPACE": "/ws/environment"}
    flags = {"vault.path": "/from/flag", "workspace.path": None}

    assert config.load(path, {}, {}).settings.vault.path == "/from/file"
    assert config.load(path, environment, {}).settings.vault.path == "/from/environment"
    loaded = config.load(path, environment, flags)
    assert loaded.settings.vault.path == "/from/flag"
    assert loaded.settings.workspace.path == "/ws/environment"
    assert loaded.origins == {"vault.path": "command line", "workspace.path": "COUNCIL_VAULT_WORKSPACE"}


def test_an_empty_variable_counts_as_not_given(tmp_path):
    path = written(tmp_path, '[vault]\npath = "/from/file"\n')
    assert config.load(path, {"COUNCIL_VAULT_VAULT": ""}, {}).settings.vault.path == "/from/file"


def test_paths_in_the_file_are_relative_to_it_and_know_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    path = written(tmp_path, '[vault]\npath = "v"\nmounts = ["~/m", "n"]\n')
    vault = config.load(path, {}, {}).settings.vault
    assert vault.path == str(tmp_path / "v")
    assert vault.mounts == (str(tmp_path / "home/m"), str(tmp_path / "n"))


def test_paths_on_the_command_line_are_relative_to_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert config.load(tmp_path / "none", {}, {"vault.path": "v"}).settings.vault.path == str(tmp_path / "v")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('[vault]\nname = "a"\nnme = "x"\n', 3, ("vault.nme", "Did you mean vault.name?")),
        ("[vault]\nname = 3\n", 2, ("vault.name", "expected text", "got a whole number")),
        ("\n[notes]\nvisible_rows = 0\n", 3, ("notes.visible_rows", ">= 1")),
        ('[notes]\ncharts = "pie"\n', 2, ("notes.charts", "expected mermaid or none, got 'pie'")),
        ('\n\nvault . "nme" = 1\n', 3, ("vault.nme", "Did you mean vault.name?")),
        ("\nvault = {nme = 1}\n", 2, ("vault.nme",)),
        ("# x = 1\n[ vault ] # here\nname = 'x'\n['vault'.nme]\n", 4, ("vault.nme",)),
        ('[vault]\npath = "a\\u0000b"\n', None, ("NUL", "a\\x00b")),
        ("[vault]\nmounts = [1]\n", 2, ("vault.mounts", "expected text")),
        ("[vautl]\nname = 'x'\n", 1, ("vautl", "config show")),
        ("vault = 1\n", 1, ("vault", "stands outside of a [section]")),
    ],
)
def test_a_mistake_is_named_with_file_line_and_key(tmp_path, text, line, words):
    path = written(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        config.load(path, {}, {})
    if line is not None:
        assert caught.value.where == f"{path}, line {line}"
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("content", [b"a b", b"\xff\xfe[", b"[vault\n", b"a = " + b"[" * 10_000])
def test_a_file_that_is_not_toml_is_named(tmp_path, content):
    path = tmp_path / "config.toml"
    path.write_bytes(content)
    with pytest.raises(
        SettingsError, match=r"config\.toml: the settings (are not valid TOML|cannot be read)"
    ):
        config.load(path, {}, {})


def test_a_byte_order_mark_is_no_mistake(tmp_path):
    path = tmp_path / "config.toml"
    path.write_bytes(b'\xef\xbb\xbf[vault]\r\nname = "Notes"\r\n')
    assert config.load(path, {}, {}).settings.vault.name == "Notes"


def test_changing_a_setting_keeps_comments_and_everything_else():
    text = '# mine\n[vault]\nname = "a"  # the name\nfolder = "x"\n'
    changed = config.with_setting(text, "vault.name", "b")
    assert changed == '# mine\n[vault]\nname = "b"  # the name\nfolder = "x"\n'


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("vault.mounts", "/a, /b", ("/a", "/b")),
        ("notes.visible_rows", "7", 7),
        ("router.mode", "always_deliberate", "always_deliberate"),
        ("workspace.name", "work", "work"),
    ],
)
def test_what_was_set_is_what_is_read(tmp_path, key, value, expected):
    path = written(tmp_path, config.with_setting("", key, value))
    assert config.load(path, {}, {}).settings.get(key) == expected


texts = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters=","), min_size=1)
values = {
    "workspace.name": texts,
    "vault.name": texts,
    "vault.folder": texts,
    "vault.mounts": st.lists(texts.map(lambda text: f"/{text.strip()}x"), min_size=1).map(", ".join),
    "notes.visible_rows": st.integers(1, 10**9).map(str),
    "notes.charts": st.sampled_from(["mermaid", "none"]),
    "router.mode": st.sampled_from(["learned", "always_deliberate", "always_shortcut"]),
}
layouts = st.sampled_from(
    [
        "",
        "# only a comment",
        "[vault]",
        "[vault] # one\nname = 'a' # two\n\n# three\n[notes]\n",
        'vault.name = "a"\nvault.folder = "b"\n# end\n',
        'vault = {name = "a"}  # one\n',
        '[notes]\n\n\n  charts = "none"\n[workspace]\n# empty\n[router]\n',
        '\ufeff[vault]\r\n# one\r\nmounts = [\r\n  "/a", # two\r\n]\r\n',
    ]
)


@given(data=st.data(), text=layouts)
@settings(max_examples=60, deadline=None)
def test_whatever_is_set_in_whatever_layout_is_read_again_and_all_else_stays(data, text):
    path = Path("/nowhere/config.toml")
    before = config.parsed(path, text.removeprefix("\ufeff"))
    for key in data.draw(st.lists(st.sampled_from(sorted(values)), min_size=1, max_size=4, unique=True)):
        section, name = key.split(".")
        value = data.draw(values[key])
        changed = config.with_setting(text, key, value)
        after = config.parsed(path, changed.removeprefix("\ufeff"))
        got = after[section][name]
        assert (", ".join(got) if isinstance(got, list) else str(got)) == value
        before.setdefault(section, {})[name] = got
        assert {kind: table for kind, table in after.items() if table} == {
            kind: table for kind, table in before.items() if table
        }
        for comment in ("# only a comment", "# one", "# three", "# end", "# empty"):
            assert (comment in changed) == (comment in text)
        assert changed.startswith("\ufeff") == text.startswith("\ufeff")
        text, before = changed, after


def test_an_empty_value_unsets():
    text = config.with_setting('[vault]\nname = "a"\nfolder = "f"\n', "vault.name", "")
    assert text == '[vault]\nfolder = "f"\n'
    assert config.with_setting("", "vault.name", "") == ""


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("notes.visible_rows", "many", "expected a whole number"),
        ("notes.charts", "pie", "pie"),
        ("vault.nam", "x", "Did you mean vault.name?"),
        ("nothing", "x", "config show"),
    ],
)
def test_a_value_that_cannot_stand_is_refused_before_anything_is_written(key, value, words):
    with pytest.raises(SettingsError) as caught:
        config.with_setting("", key, value)
    assert words in str(caught.value)


def test_the_settings_file_is_found_by_flag_then_environment_then_in_its_place(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert config.config_path("/f", {"COUNCIL_VAULT_CONFIG": "/e"}) == Path("/f")
    assert config.config_path(None, {"COUNCIL_VAULT_CONFIG": "/e"}) == Path("/e")
    assert config.config_path(None, {}) == tmp_path / "council-vault" / "config.toml"


def test_every_setting_says_what_it_is_for():
    for setting in known_settings():
        assert setting.description.endswith(".")
        assert Settings().get(setting.key) == setting.default


def test_a_file_that_is_required_must_be_there(tmp_path):
    with pytest.raises(SettingsError, match="there is no such settings file"):
        config.load(tmp_path / "none.toml", {}, {}, required=True)


def test_what_is_no_file_is_named(tmp_path):
    with pytest.raises(SettingsError, match="the settings cannot be read: is a directory"):
        config.load(tmp_path, {}, {})


def test_changing_a_file_that_is_not_toml_is_refused():
    with pytest.raises(SettingsError, match="not valid TOML"):
        config.with_setting("[vault", "vault.name", "x")


def test_paths_are_taken_as_a_person_types_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/of/mine")
    assert absolute("a/../b") == tmp_path / "a/../b"
    assert absolute("~/a") == Path("/home/of/mine/a")
    assert absolute("") == tmp_path
    with pytest.raises(SettingsError, match="the home folder that ~ stands for is not known"):
        absolute("~nobody-of-that-name/a")
    with pytest.raises(SettingsError, match="no path can hold a NUL character"):
        absolute("a\0b")


def test_a_folder_of_ones_own_is_known_by_its_whole_path():
    assert own_folder(Path("/home/of/mine")) == Path("/home/of/mine")
    with pytest.raises(SettingsError, match="your home folder is not known"):
        own_folder(Path("~/.config"))
