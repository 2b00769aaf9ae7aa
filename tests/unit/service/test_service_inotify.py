"""What the kernel tells of watches, read from its own files and from odd ones."""

from __future__ import annotations

import ctypes
import os
import sys

import pytest

from council_vault.service import inotify

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")

WATCH_ALL = 0x7CE


@pytest.fixture
def libc():
    return ctypes.CDLL(None, use_errno=True)


def test_our_watches_come_and_go_with_their_folders(libc, tmp_path):
    before = inotify.own_watches()
    folder = tmp_path / "watched"
    folder.mkdir()
    instance = libc.inotify_init()
    try:
        assert inotify.own_watches() == before
        watch = libc.inotify_add_watch(instance, os.fsencode(folder), WATCH_ALL)
        (line,) = inotify.own_watches() - before
        assert line.startswith(f"{instance} inotify wd:{watch} ino:{folder.stat().st_ino:x} ")
        folder.rmdir()
        assert inotify.own_watches() == before
    finally:
        os.close(instance)


def test_what_is_used_is_counted(libc, tmp_path):
    instances, watches = inotify.budgets()
    assert (instances.name, watches.name) == (inotify.INSTANCES, inotify.WATCHES)
    opened = [libc.inotify_init() for _ in range(3)]
    try:
        libc.inotify_add_watch(opened[0], os.fsencode(tmp_path), WATCH_ALL)
        libc.inotify_add_watch(opened[1], os.fsencode(tmp_path), WATCH_ALL)
        own = inotify.own_watches()
        assert len({line.split()[0] for line in own} & set(map(str, opened))) == 2
        now = inotify.budgets()
        assert now[0].limit == instances.limit
        assert now[0].used >= 3
        assert now[1].used >= 2
    finally:
        for instance in opened:
            os.close(instance)


@pytest.fixture
def told(tmp_path):
    """The kernel's files as a machine might have them: two processes of ours, one of another user."""
    limits, processes = tmp_path / "limits", tmp_path / "proc"
    limits.mkdir()
    (limits / "max_user_instances").write_text("4\n")
    (limits / "max_user_watches").write_text("100\n")
    for number, held in {1: {3: 2, 4: 0}, 2: {7: 5}}.items():
        for part in ("fd", "fdinfo"):
            (processes / str(number) / part).mkdir(parents=True)
        for descriptor, watches in held.items():
            (processes / str(number) / "fd" / str(descriptor)).symlink_to("anon_inode:inotify")
            text = "pos:\t0\nflags:\t00\n" + "inotify wd:1 ino:2 sdev:3\n" * watches
            (processes / str(number) / "fdinfo" / str(descriptor)).write_text(text)
    (processes / "1" / "fd" / "0").symlink_to("/dev/null")
    (processes / "1" / "fd" / "9").symlink_to("anon_inode:inotify")  # closed meanwhile
    (processes / "3").mkdir()  # ended meanwhile
    (processes / "sys").mkdir()
    (processes / "self").symlink_to("1")
    return limits, processes


def test_processes_are_added_up(told):
    instances, watches = inotify.budgets(*told)
    assert instances == inotify.Budget(inotify.INSTANCES, 4, 3)
    assert watches == inotify.Budget(inotify.WATCHES, 100, 7)
    assert not instances.exhausted
    assert inotify.Budget(inotify.INSTANCES, 4, 4).exhausted
    assert inotify.raising(*instances[:2]) == "sudo sysctl fs.inotify.max_user_instances=8"


def test_processes_of_others_do_not_count(told):
    if os.geteuid() != 0:
        pytest.skip("only the superuser may give folders away")
    os.chown(told[1] / "2", 65534, 65534)
    assert [budget.used for budget in inotify.budgets(*told)] == [2, 2]


def test_a_system_without_limits_has_no_budgets(told, tmp_path):
    assert inotify.limit(inotify.WATCHES, tmp_path / "nowhere") is None
    assert inotify.budgets(tmp_path / "nowhere", told[1]) == ()
    (told[0] / "max_user_watches").write_text("many")
    assert inotify.budgets(*told) == ()


def test_a_system_that_does_not_tell_has_no_watches(tmp_path):
    assert inotify.own_watches(tmp_path) == frozenset()
