"""Which files are meant by paths."""

from __future__ import annotations

import os

import pytest

from council_vault.importers.places import Unreadable, files_meant
from support.council_files import put
from support.places import as_nobody


def meant(*paths):
    return [one if isinstance(one, Unreadable) else one.name for one in files_meant(paths)]


def test_a_folder_is_searched_for_its_files_in_the_order_of_their_names(tmp_path):
    for name in (
        "b.json",
        "a.jsonl",
        "sub/deeper/c.JSON",
        "sub/notes.md",
        ".hidden/d.json",
        ".e.json",
        "f.json.bak",
    ):
        put(tmp_path / name, {})
    assert meant(tmp_path) == ["a.jsonl", "b.json", "c.JSON"]


def test_a_file_counts_whatever_its_name_and_once(tmp_path):
    file = put(tmp_path / ".odd", {})
    (tmp_path / "link.json").symlink_to(file)
    assert meant(file, file, tmp_path) == [".odd"]


def test_links_are_followed_and_never_in_a_circle(tmp_path):
    put(tmp_path / "real" / "a.json", {})
    (tmp_path / "search").mkdir()
    (tmp_path / "search" / "linked").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "back").symlink_to(tmp_path / "search")
    assert meant(tmp_path / "search") == ["a.json"]


def test_what_cannot_be_read_is_named_and_the_rest_is_found(tmp_path):
    put(tmp_path / "z.json", {})
    (tmp_path / "circle.json").symlink_to(tmp_path / "circle.json")
    (tmp_path / "gone.json").symlink_to(tmp_path / "nowhere")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.json")
    assert meant(tmp_path) == [
        Unreadable(tmp_path / "circle.json", "too many levels of symbolic links"),
        Unreadable(tmp_path / "gone.json", "no such file or directory"),
        Unreadable(tmp_path / "pipe.json", "it is neither a file nor a folder"),
        "z.json",
    ]


def test_a_folder_that_may_not_be_looked_into_is_named():
    with as_nobody() as folder:
        put(folder / "a.json", {})
        put(folder / "closed" / "b.json", {})
        (folder / "closed").chmod(0)
        try:
            found = meant(folder)
        finally:
            (folder / "closed").chmod(0o700)
    assert found == ["a.json", Unreadable(folder / "closed", "permission denied")]


def test_a_folder_behind_a_closed_one_is_no_folder():
    with as_nobody() as folder:
        put(folder / "closed" / "inner" / "b.json", {})
        (folder / "link").symlink_to(folder / "closed" / "inner")
        (folder / "closed").chmod(0)
        try:
            found = meant(folder)
        finally:
            (folder / "closed").chmod(0o700)
    assert found == [Unreadable(folder / "closed", "permission denied")]


@pytest.mark.parametrize("name", ["no files", "Ünïcode\n"])
def test_an_empty_folder_means_nothing(tmp_path, name):
    (tmp_path / name).mkdir()
    assert meant(tmp_path / name) == []
