"""What is rescued of notes and settings."""

from __future__ import annotations

import os

import pytest

from council_vault.errors import WriteFailed
from council_vault.files import digest
from council_vault.rescued import Rescued, rescued_settings
from support.places import as_nobody


def test_it_is_kept_for_the_person_alone(tmp_path):
    rescued = Rescued(tmp_path / "kept")
    assert rescued.files() == ()
    rescued.keep(tmp_path / "note.md", b"their words")
    (file,) = rescued.files()
    assert file.read_bytes() == b"their words"
    assert file.name.endswith(" note.md")
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_different_contents_stand_side_by_side_and_equal_ones_once(tmp_path):
    rescued = rescued_settings(tmp_path)
    for content in (b"one", b"two", b"one"):
        rescued.keep(tmp_path / "config.toml", content)
    assert sorted(file.read_bytes() for file in rescued.files()) == [b"one", b"two"]


@pytest.mark.parametrize("name", ["n" * 251 + ".md", "👍" * 62 + ".md"])
def test_the_longest_name_there_can_be_is_cut(tmp_path, name):
    rescued = Rescued(tmp_path)
    rescued.keep(tmp_path / name, b"x")
    (file,) = rescued.files()
    assert file.name.endswith(name[-40:])
    assert len(os.fsencode(file.name)) < 230


def test_where_it_cannot_be_kept_it_says_so():
    with as_nobody() as folder:
        folder.chmod(0o500)
        with pytest.raises(WriteFailed, match="what another program wrote cannot be kept: permission denied"):
            Rescued(folder / "kept").keep(folder / "note.md", b"x")


def test_what_stood_in_its_file_after_all_is_let_go(tmp_path):
    rescued = Rescued(tmp_path)
    for content in (b"one", b"two", b"three"):
        rescued.keep(tmp_path / "note.md", content)
    rescued.let_go([digest(b"two"), digest(b"never seen")])
    assert sorted(file.read_bytes() for file in rescued.files()) == [b"one", b"three"]
