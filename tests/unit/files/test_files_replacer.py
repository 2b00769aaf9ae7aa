from __future__ import annotations

import os
import stat
import sys
import time
from types import SimpleNamespace

import pytest

from council_vault.errors import Busy, FileChanged, WriteFailed
from council_vault.files import digest, exchange, read, recovery, replacer, source, system
from council_vault.files.locks import Lock
from support.replacing import Waiting, rename_over, until

NAMES = [
    "n" * 255,
    "é" * 127,
    "🏛" * 63,
    os.fsdecode(b"\xff\xfe name.md"),
    os.fsdecode(b"\xff" * 255),
    "a\nb.md",
    ".dot",
]

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has leases")


def exclaim(content):
    return content + b"!"


class TestCreating:
    def test_makes_a_file_where_nothing_stands(self, bench):
        bench.replacer.replace(bench.path, b"new", None)
        assert bench.replacer.settle() == ()
        assert bench.path.read_bytes() == b"new"
        assert bench.beside() == []

    def test_never_overwrites(self, bench):
        bench.path.write_bytes(b"theirs")
        with pytest.raises(FileChanged, match="by now"):
            bench.replacer.replace(bench.path, b"ours", None)
        assert bench.path.read_bytes() == b"theirs"
        assert bench.beside() == []

    def test_never_overwrites_what_comes_in_between(self, bench):
        bench.at["part-written"] = lambda: bench.path.write_bytes(b"theirs")
        with pytest.raises(FileChanged):
            bench.replacer.replace(bench.path, b"ours", None)
        assert bench.path.read_bytes() == b"theirs"
        assert bench.beside() == []

    def test_gives_a_new_file_the_usual_mode(self, bench):
        mask = os.umask(0o027)
        try:
            bench.replacer.replace(bench.path, b"new", None)
        finally:
            os.umask(mask)
        bench.replacer.settle()
        assert stat.S_IMODE(bench.path.stat().st_mode) == 0o640

    def test_a_link_to_nothing_gets_its_target(self, bench):
        link = bench.path.with_name("link.json")
        link.symlink_to(bench.path)
        bench.replacer.replace(link, b"new", None)
        bench.replacer.settle()
        assert link.is_symlink()
        assert bench.path.read_bytes() == b"new"

    def test_says_that_the_folder_is_missing(self, bench):
        with pytest.raises(WriteFailed, match=r"no such file.*Make the folder"):
            bench.replacer.replace(bench.path.parent / "missing" / "x.md", b"new", None)


class TestReplacing:
    def test_replaces_what_was_expected(self, bench):
        bench.path.write_bytes(b"old")
        bench.replacer.replace(bench.path, b"new", digest(b"old"))
        assert bench.path.read_bytes() == b"new"
        assert bench.replacer.settle() == ()
        assert bench.path.read_bytes() == b"new"
        assert bench.beside() == []
        assert bench.kept == []

    @linux_only
    def test_passes_all_points_in_order(self, bench):
        bench.path.write_bytes(b"old")
        bench.replacer.replace(bench.path, b"new", digest(b"old"))
        bench.replacer.settle()
        assert bench.points == list(exchange.POINTS)

    def test_refuses_what_was_not_expected(self, bench):
        bench.path.write_bytes(b"theirs")
        with pytest.raises(FileChanged):
            bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        assert bench.path.read_bytes() == b"theirs"
        assert bench.beside() == []

    def test_refuses_where_the_file_is_gone(self, bench):
        with pytest.raises(FileChanged, match="not there any more"):
            bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        assert not bench.path.exists()

    def test_a_link_stays_and_its_target_is_replaced(self, bench):
        bench.path.write_bytes(b"old")
        place = bench.path.parent / "elsewhere"
        place.mkdir()
        link = place / "link.json"
        link.symlink_to(bench.path)
        bench.replacer.replace(link, b"new", digest(b"old"))
        assert bench.replacer.settle() == ()
        assert link.is_symlink()
        assert bench.path.read_bytes() == b"new"
        assert list(place.iterdir()) == [link]

    def test_a_folder_is_named_as_such(self, bench):
        bench.path.mkdir()
        with pytest.raises(WriteFailed, match="it is a folder"):
            bench.replacer.replace(bench.path, b"new", digest(b"old"))

    def test_several_files_share_one_wait(self, bench):
        paths = [bench.path.with_name(f"{number}.md") for number in range(5)]
        for path in paths:
            path.write_bytes(b"old")
        for path in paths:
            bench.replacer.replace(path, b"new", digest(b"old"))
        assert bench.replacer.settle() == ()
        assert [path.read_bytes() for path in paths] == [b"new"] * 5
        assert len(list(bench.path.parent.iterdir())) == 5

    def test_the_same_file_again_settles_it_first(self, bench):
        bench.path.write_bytes(b"old")
        bench.replacer.replace(bench.path, b"new", digest(b"old"))
        bench.replacer.replace(bench.path, b"newer", digest(b"new"))
        assert bench.replacer.settle() == ()
        assert bench.path.read_bytes() == b"newer"
        assert bench.beside() == []

    @linux_only
    def test_the_same_file_again_after_a_late_opening_is_a_change(self, bench):
        bench.path.write_bytes(b"old")
        bench.replacer.replace(bench.path, b"new", digest(b"old"))
        aside = next(entry for entry in bench.path.parent.iterdir() if entry != bench.path)
        writer = Waiting(lambda: aside.write_bytes(b"theirs"))
        with pytest.raises(FileChanged):
            bench.replacer.replace(bench.path, b"newer", digest(b"new"))
        writer.done()
        assert b"theirs" in [bench.path.read_bytes(), *bench.kept_contents()]

    @pytest.mark.parametrize("name", NAMES)
    def test_any_name_that_fits_can_be_replaced(self, bench, name):
        path = bench.path.with_name(name)
        try:
            path.write_bytes(b"old")
        except OSError:
            pytest.skip("the file system refuses such a name")
        bench.replacer.replace(path, b"new", digest(b"old"))
        assert bench.replacer.settle() == ()
        assert path.read_bytes() == b"new"
        assert [entry.name for entry in path.parent.iterdir()] == [name]

    def test_an_interruption_leaves_the_file_and_nothing_beside_it(self, bench):
        def interrupt():
            raise KeyboardInterrupt

        bench.path.write_bytes(b"old")
        for point in exchange.POINTS[: exchange.POINTS.index("exchanged")]:
            bench.at[point] = interrupt
            with pytest.raises(KeyboardInterrupt):
                bench.replacer.update(bench.path, exclaim)
            assert bench.path.read_bytes() == b"old"
            assert bench.beside() == []
        assert bench.replacer.update(bench.path, exclaim) == b"old!"


@linux_only
class TestForeignWriters:
    """Each of these hits one step of the protocol exactly."""

    def test_a_rename_before_the_exchange_goes_back_at_once(self, bench):
        bench.path.write_bytes(b"old")
        bench.at["checked"] = lambda: rename_over(bench.path, b"theirs")
        with pytest.raises(FileChanged):
            bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        assert bench.path.read_bytes() == b"theirs"
        assert bench.beside() == []

    def test_what_was_hidden_for_a_moment_is_kept_besides(self, bench):
        bench.path.write_bytes(b"old")
        bench.at["checked"] = lambda: rename_over(bench.path, b"theirs")
        with pytest.raises(FileChanged):
            bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        assert bench.kept == [(bench.path, b"theirs")]

    def test_a_rename_while_putting_back_stands_and_the_older_one_is_kept(self, bench):
        bench.path.write_bytes(b"old")
        bench.at["checked"] = lambda: rename_over(bench.path, b"theirs")
        bench.at["put-back-begun"] = lambda: rename_over(bench.path, b"newer")
        with pytest.raises(FileChanged):
            bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        assert bench.path.read_bytes() == b"newer"
        assert set(bench.kept_contents()) == {b"theirs", b"newer"}, "both were hidden for a moment"
        assert bench.beside() == []

    def test_a_rename_after_the_exchange_makes_the_displaced_one_kept(self, bench):
        bench.path.write_bytes(b"old")
        bench.at["checked"] = lambda: rename_over(bench.path, b"theirs")
        bench.at["exchanged"] = lambda: rename_over(bench.path, b"newer")
        with pytest.raises(FileChanged):
            bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        assert bench.path.read_bytes() == b"newer"
        assert bench.kept == [(bench.path, b"theirs")]
        assert bench.beside() == []

    def test_two_renames_cannot_pass_for_ours_by_its_inode(self, bench):
        def twice():
            rename_over(bench.path, b"newer")
            rename_over(bench.path, b"newest")

        bench.path.write_bytes(b"old")
        bench.at["checked"] = lambda: rename_over(bench.path, b"theirs")
        bench.at["exchanged"] = twice
        with pytest.raises(FileChanged):
            bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        assert bench.path.read_bytes() == b"newest"
        assert bench.kept == [(bench.path, b"theirs")]

    def test_whoever_waits_at_opening_writes_into_the_file(self, bench):
        bench.path.write_bytes(b"old")
        writers = []

        def start_writer():
            writers.append(Waiting(lambda: bench.path.write_bytes(b"theirs")))
            until(lambda: not system.lease_holds(bench.leased))

        bench.at["checked"] = start_writer
        bench.leased = None
        with pytest.MonkeyPatch.context() as patch:
            take = system.take_lease

            def remember(file):
                bench.leased = file
                return take(file)

            patch.setattr(system, "take_lease", remember)
            with pytest.raises(FileChanged):
                bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        writers[0].done()
        assert bench.path.read_bytes() == b"theirs"
        assert bench.beside() == []

    def test_a_late_opening_takes_the_replacement_back_when_it_is_settled(self, bench):
        bench.path.write_bytes(b"old")
        bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        aside = next(entry for entry in bench.path.parent.iterdir() if entry != bench.path)
        writer = Waiting(lambda: aside.write_bytes(b"theirs"))  # as one who had found it before the exchange
        assert bench.replacer.settle() == (bench.path,)
        writer.done()
        assert b"theirs" in [bench.path.read_bytes(), *bench.kept_contents()]
        assert bench.beside() == []

    def test_an_opening_during_the_wait_takes_the_replacement_back(self, bench, monkeypatch):
        writers = []

        def open_while_we_sleep(_):
            if not writers:
                aside = next(entry for entry in bench.path.parent.iterdir() if entry != bench.path)
                writers.append(Waiting(lambda: aside.write_bytes(b"theirs")))
            time.sleep(0.001)

        monkeypatch.setattr(exchange, "GRACE", 0.5)
        bench.path.write_bytes(b"old")
        bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        with monkeypatch.context() as patch:
            patch.setattr(replacer, "time", SimpleNamespace(sleep=open_while_we_sleep))
            assert bench.replacer.settle() == (bench.path,)
        writers[0].done()
        assert b"theirs" in [bench.path.read_bytes(), *bench.kept_contents()]

    def test_nobody_waits_while_ours_is_being_written(self, bench):
        bench.path.write_bytes(b"old")
        bench.at["part-written"] = lambda: Waiting(lambda: bench.path.write_bytes(b"theirs")).done()
        assert bench.replacer.update(bench.path, exclaim) == b"theirs!"

    def test_bytes_are_compared_and_not_only_sizes(self, bench):
        bench.path.write_bytes(b"old")
        bench.at["staged"] = lambda: bench.path.write_bytes(b"new")
        assert bench.replacer.update(bench.path, exclaim) == b"new!"

    def test_a_writer_into_ours_is_not_lost_when_ours_is_taken_back(self, bench):
        bench.path.write_bytes(b"old")
        bench.at["checked"] = lambda: rename_over(bench.path, b"theirs")
        bench.at["exchanged"] = lambda: bench.path.write_bytes(b"into ours")
        with pytest.raises(FileChanged):
            bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        assert {b"theirs", b"into ours"} <= {bench.path.read_bytes(), *bench.kept_contents()}
        assert bench.beside() == []

    def test_ours_that_is_still_being_written_to_stays_until_that_ends(self, bench, monkeypatch):
        monkeypatch.setattr(recovery, "PATIENCE", 0.05)
        bench.path.write_bytes(b"old")
        opened = []

        def open_ours():
            opened.append(bench.path.open("r+b", buffering=0))

        bench.at["checked"] = lambda: rename_over(bench.path, b"theirs")
        bench.at["exchanged"] = open_ours
        with pytest.raises(FileChanged):
            bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        assert len(bench.beside()) == 1
        with opened[0] as file:
            file.write(b"late")
        bench.replacer.recover(bench.path.parent)
        assert bench.path.read_bytes() == b"theirs"
        assert b"late" in bench.kept_contents()
        assert bench.beside() == []

    def test_a_deletion_in_between_is_respected(self, bench):
        bench.path.write_bytes(b"old")
        bench.at["checked"] = bench.path.unlink
        with pytest.raises(FileChanged):
            bench.replacer.update(bench.path, exclaim)
        assert not bench.path.exists()
        assert bench.beside() == []

    def test_a_deletion_while_putting_back_keeps_what_was_displaced(self, bench):
        bench.path.write_bytes(b"old")
        bench.at["checked"] = lambda: rename_over(bench.path, b"theirs")
        bench.at["put-back-begun"] = bench.path.unlink
        with pytest.raises(FileChanged):
            bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        assert not bench.path.exists()
        assert b"theirs" in bench.kept_contents()
        assert bench.beside() == []

    def test_a_change_of_mode_in_between_is_not_undone(self, bench):
        bench.path.write_bytes(b"old")
        bench.at["leased"] = lambda: bench.path.chmod(0o600)
        assert bench.replacer.update(bench.path, exclaim) == b"old!"
        assert stat.S_IMODE(bench.path.stat().st_mode) == 0o600

    def test_somebody_who_holds_it_open_for_long_is_reported(self, bench, monkeypatch):
        monkeypatch.setattr(source, "PATIENCE", 0.05)
        bench.path.write_bytes(b"old")
        with bench.path.open("r+b"), pytest.raises(Busy, match="open for writing"):
            bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        assert bench.path.read_bytes() == b"old"
        assert bench.beside() == []

    def test_somebody_who_opens_it_while_ours_is_written_is_waited_for(self, bench, monkeypatch):
        monkeypatch.setattr(source, "PATIENCE", 0.05)
        bench.path.write_bytes(b"old")
        opened = []
        bench.at["staged"] = lambda: opened.append(bench.path.open("r+b"))
        with pytest.raises(Busy, match="open for writing"):
            bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        opened[0].close()
        assert bench.path.read_bytes() == b"old"
        assert bench.beside() == []

    def test_readers_never_wait(self, bench):
        bench.path.write_bytes(b"old")
        bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        assert Waiting(lambda: read(bench.path)).done() == b"ours"
        bench.replacer.settle()


class TestUpdating:
    def test_changes_the_content_and_returns_it(self, bench):
        bench.path.write_bytes(b"old")
        assert bench.replacer.update(bench.path, exclaim) == b"old!"
        assert bench.path.read_bytes() == b"old!"

    def test_equal_bytes_write_nothing(self, bench):
        bench.path.write_bytes(b"old")
        before = bench.path.stat()
        assert bench.replacer.update(bench.path, bytes) == b"old"
        after = bench.path.stat()
        assert (after.st_ino, after.st_mtime_ns, after.st_ctime_ns) == (
            before.st_ino,
            before.st_mtime_ns,
            before.st_ctime_ns,
        )

    def test_is_made_again_on_what_others_wrote(self, bench):
        bench.path.write_bytes(b"old")
        bench.at["checked"] = lambda: rename_over(bench.path, b"theirs")
        assert bench.replacer.update(bench.path, exclaim) == b"theirs!"
        assert bench.path.read_bytes() == b"theirs!"

    def test_an_error_of_the_change_leaves_the_file(self, bench):
        def fail(content):
            raise ValueError(content)

        bench.path.write_bytes(b"old")
        with pytest.raises(ValueError, match="old"):
            bench.replacer.update(bench.path, fail)
        assert bench.path.read_bytes() == b"old"
        assert bench.another().update(bench.path, exclaim) == b"old!", "the lock is free"

    def test_a_missing_file_is_said_at_once(self, bench):
        with pytest.raises(FileChanged, match="not there any more"):
            bench.replacer.update(bench.path, exclaim)

    def test_gives_up_on_a_file_that_never_rests(self, bench, monkeypatch):
        monkeypatch.setattr(replacer, "UPDATE_PATIENCE", 0.0)
        bench.path.write_bytes(b"old")
        bench.at["part-written"] = lambda: rename_over(bench.path, b"theirs")
        with pytest.raises(FileChanged):
            bench.replacer.update(bench.path, exclaim)
        assert bench.path.read_bytes() == b"theirs"

    def test_a_file_that_waits_to_be_settled_is_settled_first(self, bench):
        bench.path.write_bytes(b"old")
        bench.replacer.replace(bench.path, b"new", digest(b"old"))
        assert bench.replacer.update(bench.path, exclaim) == b"new!"
        assert bench.replacer.settle() == ()

    def test_works_from_any_thread(self, bench):
        bench.path.write_bytes(b"old")
        assert Waiting(lambda: bench.replacer.update(bench.path, exclaim)).done() == b"old!"
        bench.replacer.replace(bench.path, b"new", digest(b"old!"))
        assert Waiting(bench.replacer.settle).done() == ()


class TestAnotherOfOurs:
    def test_waits_until_the_first_one_has_settled(self, bench):
        bench.path.write_bytes(b"old")
        bench.replacer.replace(bench.path, b"new", digest(b"old"))
        second = Waiting(lambda: bench.another().update(bench.path, exclaim))
        assert bench.replacer.settle() == ()
        assert second.done() == b"new!"

    @linux_only
    def test_stays_out_while_an_update_is_repeated(self, bench):
        def open_late():
            aside = next(entry for entry in bench.path.parent.iterdir() if entry != bench.path)
            writers.append(Waiting(lambda: aside.write_bytes(b"theirs")))
            bench.at["part-written"] = try_the_lock

        def try_the_lock():
            with pytest.raises(Busy):
                Lock(bench.locks, bench.path, "file").take(timeout=0.02)
            writers.append("tried")

        writers = []
        bench.path.write_bytes(b"old")
        bench.at["durable"] = open_late
        bench.replacer.update(bench.path, exclaim)
        writers[0].done()
        assert writers[1:] == ["tried"]

    def test_an_error_gives_the_lock_back(self, bench):
        bench.path.write_bytes(b"theirs")
        with pytest.raises(FileChanged):
            bench.replacer.replace(bench.path, b"ours", digest(b"old"))
        assert bench.another().update(bench.path, exclaim) == b"theirs!"
