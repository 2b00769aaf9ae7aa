from __future__ import annotations

import hashlib
import os

import pytest

from council_vault.errors import WriteFailed
from council_vault.files import digest, read
from support.replacing import Waiting


def test_returns_the_content(tmp_path):
    path = tmp_path / "a.md"
    path.write_bytes(b"\r\n\xff")
    assert read(path) == b"\r\n\xff"


def test_follows_links(tmp_path):
    (tmp_path / "a.md").write_bytes(b"content")
    (tmp_path / "link").symlink_to("a.md")
    assert read(tmp_path / "link") == b"content"


def test_nothing_where_there_is_no_file(tmp_path):
    assert read(tmp_path / "a.md") is None
    (tmp_path / "link").symlink_to("a.md")
    assert read(tmp_path / "link") is None


def test_a_folder_is_named(tmp_path):
    with pytest.raises(WriteFailed, match="it is a folder") as caught:
        read(tmp_path)
    assert caught.value.where == str(tmp_path)


def test_a_pipe_does_not_make_us_wait(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    def try_it():
        with pytest.raises(WriteFailed, match="not a regular file"):
            read(tmp_path / "pipe")
        return "refused"

    assert Waiting(try_it).done() == "refused"


def test_a_loop_of_links_is_named_with_a_remedy(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(WriteFailed, match=r"cannot be read: too many levels.*Mend the symbolic links"):
        read(tmp_path / "a")


def test_the_digest_is_sha256():
    assert digest(b"content") == hashlib.sha256(b"content").hexdigest()
