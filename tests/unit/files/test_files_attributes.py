from __future__ import annotations

import errno
import os
import shutil
import stat
import struct
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from council_vault.errors import WriteFailed
from council_vault.files import protection, staging, system
from support.replacing import Bench

NOBODY = 65534

superuser_only = pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser may give files away")
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="extended attributes as Linux has them")


def exclaim(content):
    return content + b"!"


@contextmanager
def acting_as(user):
    os.seteuid(user)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def public():
    """A bench that every user can reach."""
    root = Path(tempfile.mkdtemp())
    root.chmod(0o777)
    folder = root / "folder"
    folder.mkdir()
    folder.chmod(0o777)
    yield Bench(folder, root / "locks")
    shutil.rmtree(root)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o666, 0o755, 0o4711])
def test_the_mode_is_kept(bench, mode):
    bench.path.write_bytes(b"old")
    bench.path.chmod(mode)
    bench.replacer.update(bench.path, exclaim)
    assert stat.S_IMODE(bench.path.stat().st_mode) == mode


def test_a_private_file_is_private_at_every_moment(bench, monkeypatch):
    bench.path.write_bytes(b"old")
    bench.path.chmod(0o600)
    modes = []
    write = staging._write

    def look_and_write(file, data):
        modes.append(stat.S_IMODE(os.fstat(file).st_mode))
        write(file, data)

    monkeypatch.setattr(staging, "_write", look_and_write)
    mask = os.umask(0)
    try:
        bench.replacer.update(bench.path, exclaim)
    finally:
        os.umask(mask)
    assert modes == [0o600]


@superuser_only
def test_owner_and_group_are_kept(bench):
    bench.path.write_bytes(b"old")
    os.chown(bench.path, NOBODY, NOBODY)
    bench.path.chmod(0o4755)
    bench.replacer.update(bench.path, exclaim)
    found = bench.path.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (NOBODY, NOBODY, 0o4755)


@superuser_only
def test_a_file_whose_owner_cannot_be_kept_is_refused(public, monkeypatch):
    public.path.write_bytes(b"old")
    public.path.chmod(0o666)
    with (
        acting_as(NOBODY),
        pytest.raises(WriteFailed, match=r"its owner \(user 0, group 0\) could not be kept"),
    ):
        public.replacer.update(public.path, exclaim)
    assert public.path.read_bytes() == b"old"
    assert public.beside() == []


@superuser_only
@linux_only
def test_a_file_of_another_user_has_reduced_protection(public):
    public.path.write_bytes(b"old")
    assert protection(public.path).full
    with acting_as(NOBODY):
        found = protection(public.path)
    assert (found.full, found.reason) == (False, "the file belongs to another user")


@superuser_only
def test_no_right_to_write_to_the_folder_is_said(public):
    public.path.write_bytes(b"old")
    os.chown(public.path, NOBODY, NOBODY)
    public.path.parent.chmod(0o755)
    with acting_as(NOBODY), pytest.raises(WriteFailed, match=r"permission denied.*Give yourself the right"):
        public.replacer.update(public.path, exclaim)
    assert public.path.read_bytes() == b"old"


@superuser_only
def test_a_file_that_its_owner_has_protected_is_refused_to_its_owner(public):
    public.path.write_bytes(b"old")
    os.chown(public.path, NOBODY, NOBODY)
    public.path.chmod(0o444)
    with acting_as(NOBODY), pytest.raises(WriteFailed, match="write-protected"):
        public.replacer.update(public.path, exclaim)
    assert public.path.read_bytes() == b"old"
    assert public.beside() == []


@superuser_only
def test_the_superuser_may_write_what_is_protected_and_it_stays_protected(bench):
    bench.path.write_bytes(b"old")
    bench.path.chmod(0o444)
    assert bench.replacer.update(bench.path, exclaim) == b"old!"
    assert stat.S_IMODE(bench.path.stat().st_mode) == 0o444


@superuser_only
def test_a_file_that_only_others_may_write_is_refused(public):
    public.path.write_bytes(b"old")
    public.path.chmod(0o644)
    with acting_as(NOBODY), pytest.raises(WriteFailed, match="write-protected"):
        public.replacer.update(public.path, exclaim)


def test_a_file_with_several_hard_links_is_refused_and_both_names_stay(bench):
    bench.path.write_bytes(b"old")
    other = bench.path.with_name("other.json")
    other.hardlink_to(bench.path)
    with pytest.raises(WriteFailed, match=r"2 names \(hard links\)"):
        bench.replacer.update(bench.path, exclaim)
    assert bench.path.samefile(other)
    assert other.read_bytes() == b"old"
    other.unlink()
    assert bench.replacer.update(bench.path, exclaim) == b"old!"


@linux_only
def test_user_attributes_are_kept(bench):
    bench.path.write_bytes(b"old")
    set_attribute(bench.path, "user.note", b"mine")
    bench.replacer.update(bench.path, exclaim)
    assert os.getxattr(bench.path, "user.note") == b"mine"


@linux_only
def test_an_access_list_is_kept(bench):
    bench.path.write_bytes(b"old")
    acl = access_list(owner=6, named=(NOBODY, 4), group=4, mask=4, other=0)
    set_attribute(bench.path, "system.posix_acl_access", acl)
    mode = bench.path.stat().st_mode
    bench.replacer.update(bench.path, exclaim)
    assert os.getxattr(bench.path, "system.posix_acl_access") == acl
    assert bench.path.stat().st_mode == mode


@linux_only
def test_an_access_list_of_the_folder_is_not_forced_on_the_file(bench):
    bench.path.write_bytes(b"old")
    bench.path.chmod(0o640)
    acl = access_list(owner=7, named=(NOBODY, 7), group=7, mask=7, other=7)
    set_attribute(bench.path.parent, "system.posix_acl_default", acl)
    bench.replacer.update(bench.path, exclaim)
    assert os.listxattr(bench.path) == []
    assert stat.S_IMODE(bench.path.stat().st_mode) == 0o640


@linux_only
def test_an_attribute_that_cannot_be_kept_refuses(bench, monkeypatch):
    bench.path.write_bytes(b"old")
    set_attribute(bench.path, "user.note", b"mine")

    def refuse(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "setxattr", refuse)
    with pytest.raises(WriteFailed, match=r"attribute user\.note could not be kept: no space left"):
        bench.replacer.update(bench.path, exclaim)
    assert bench.path.read_bytes() == b"old"
    assert bench.beside() == []


@linux_only
@pytest.mark.parametrize("code", [errno.ENOTSUP, errno.EACCES])
def test_a_file_system_without_attributes_is_no_error_and_others_are(bench, monkeypatch, code):
    def refuse(_):
        raise OSError(code, os.strerror(code))

    bench.path.write_bytes(b"old")
    monkeypatch.setattr(os, "listxattr", refuse)
    if code == errno.ENOTSUP:
        assert bench.replacer.update(bench.path, exclaim) == b"old!"
    else:
        with pytest.raises(WriteFailed, match="permission denied"):
            bench.replacer.update(bench.path, exclaim)
        assert bench.beside() == []


@superuser_only
def test_a_place_that_cannot_be_looked_at_is_an_error(public):
    public.path.parent.chmod(0o700)
    with acting_as(NOBODY), pytest.raises(WriteFailed, match="cannot be looked at: permission denied"):
        protection(public.path)


def test_the_right_to_lease_decides_on_protection(bench, monkeypatch):
    bench.path.write_bytes(b"old")
    monkeypatch.setattr(system, "take_lease", lambda _: system.Lease.UNAVAILABLE)
    assert not protection(bench.path).full


def set_attribute(path, name, value):
    try:
        os.setxattr(path, name, value)
    except OSError as error:
        pytest.skip(f"no {name} here: {error.strerror}")


def access_list(*, owner, named, group, mask, other):
    """The binary form of a POSIX access control list, version 2."""
    undefined = 0xFFFFFFFF
    named_user = (2, named[1], named[0])
    others = [(4, group, undefined), (16, mask, undefined), (32, other, undefined)]
    entries = [(1, owner, undefined), named_user, *others]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
