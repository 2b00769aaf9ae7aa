"""`sync-vault` as a process: what it prints, its exit codes, and what it leaves alone."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading

import pytest

from council_vault import files
from council_vault.errors import Busy
from support.places import small_disk
from support.syncing import NAMES, contents_below, records, stats_below

ONE = "d_20260328_001"


needs_patch = pytest.mark.skipif(shutil.which("patch") is None, reason="there is no `patch` here")


def patched(road, diff, tmp_path):
    """Apply a diff as `patch` does, to copies of what it names, and return these."""
    target = tmp_path / "patched"
    shutil.copytree(road.vault, target / "vault")
    done = subprocess.run(
        ["patch", "--no-backup-if-mismatch", "-p0", "-d", str(target / "vault")],
        input=diff,
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return contents_below(target / "vault")


# Exit codes


def test_no_vault_is_exit_code_3(road):
    ran = road.run(before=["--workspace", str(road.folder)])
    assert ran.returncode == 3
    assert not ran.stdout
    assert ran.stderr.startswith("council-vault: ")
    assert road.parsed()["vault_sync_note"] == "vault_unavailable"


def test_two_vaults_are_exit_code_3_and_named(road):
    shutil.copytree(road.vault, road.folder / "A")
    shutil.copytree(road.vault, road.folder / "B")
    ran = road.run(before=["--workspace", str(road.folder)])
    assert ran.returncode == 3
    assert str(road.folder / "A") in ran.stderr
    assert str(road.folder / "B") in ran.stderr


def test_wrong_settings_are_exit_code_2(road):
    config = road.base / "config.toml"
    config.write_text("[vault]\nnmae = 'x'\n")
    ran = road.run(before=["--config", str(config), "--workspace", str(road.folder)])
    assert ran.returncode == 2
    assert "vault.name" in ran.stderr
    assert road.run("--no-such-option").returncode == 2


def test_bad_records_are_exit_code_0(road):
    road.memory.write_bytes(road.memory.read_bytes().replace(b"0.01", b'"dear"'))
    ran = road.run()
    assert ran.returncode == 0
    assert 'deliberations[0].cost_usd: expected a number, got "dear"' in ran.stderr


# A note that cannot be written


def break_markers(road, kind):
    road.edit(kind, "%% council-vault:end %%", "the end")


def make_folder(road, kind):
    road.path(kind).unlink()
    road.path(kind).mkdir()


def other_name(road, kind):
    return road.base / f"{kind} elsewhere.md"


BREAKS = {
    "markers": (break_markers, "Put %% council-vault:end %%"),
    "not utf-8": (lambda road, kind: road.path(kind).write_bytes(b"caf\xe9\n"), "UTF-8"),
    "two names": (lambda road, kind: other_name(road, kind).hardlink_to(road.path(kind)), "hard links"),
    "folder": (make_folder, "folder"),
}


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("how", BREAKS)
def test_a_note_that_cannot_be_written_holds_back_no_other(road, how, kind):
    road.sync()
    damage, words = BREAKS[how]
    damage(road, kind)
    left = road.path(kind).read_bytes() if road.path(kind).is_file() else None
    road.change_memory(lambda whole: whole["deliberations"].extend(records(1, "20260401")))
    report = road.sync()
    assert report.failed
    for note in report.notes:
        assert note.outcome == ("written" if note.kind != kind else note.outcome)
        assert (words in note.reason) == (note.kind == kind)
    if left is not None:
        assert road.path(kind).read_bytes() == left
    flagged = "d_20260401_001" in road.flagged()
    assert flagged == (kind != "log")
    assert report.pending == (kind == "log")
    assert road.sync().failed
    if how == "two names":
        other_name(road, kind).unlink()
    elif how == "markers":
        road.edit(kind, "the end", "%% council-vault:end %%")
    elif how == "folder":
        road.path(kind).rmdir()
    else:
        road.path(kind).write_text("café\n")
    assert not road.sync().failed
    road.settle()
    assert len(road.flagged()) == 4
    assert sorted(road.ids()) == ["d_20260328_001", "d_20260328_002", "d_20260328_003", "d_20260401_001"]


def test_a_deletion_in_a_note_that_could_not_be_written_still_counts(road):
    road.write_memory(*records(6))
    road.settle()
    road.delete_rows("d_20260328_002")
    other_name(road, "log").hardlink_to(road.path("log"))
    road.change_memory(lambda whole: whole["deliberations"].extend(records(1, "20260401")))
    assert road.sync().failed
    assert road.sync().failed
    other_name(road, "log").unlink()
    road.settle()
    assert "d_20260328_002" not in road.ids()
    assert len(road.ids()) == 6


def test_a_failed_note_is_exit_code_1_and_named(road):
    road.sync()
    break_markers(road, "log")
    road.path("routing").unlink()
    ran = road.run()
    assert ran.returncode == 1
    assert f"{NAMES['log']}: " in ran.stderr
    assert road.path("routing").exists()
    again = road.run()
    assert again.returncode == 1
    assert again.stdout == "The vault could not be brought up to date.\n"


def test_a_full_disk_harms_nothing_and_is_recovered_from(road, tmp_path):
    with small_disk(tmp_path / "disk", 300) as disk:
        shutil.copytree(road.vault, disk / "vault")
        road.vault = disk / "vault"
        road.settle()
        before = contents_below(road.vault)
        filler = disk / "filler"
        with filler.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 1024)
            except OSError:
                pass
        road.change_memory(lambda whole: whole["deliberations"].extend(records(3, "20260401")))
        report = road.sync()
        assert report.failed
        assert "Make room" in " ".join(note.reason for note in report.notes)
        assert contents_below(road.vault) == before
        assert len(road.flagged()) == 3
        filler.unlink()
        road.settle()
        assert len(road.ids()) == len(road.flagged()) == 6


# Dry runs


@needs_patch
def test_a_dry_run_writes_nothing_and_shows_a_diff_that_can_be_applied(road, tmp_path):
    before = stats_below(road.vault, road.folder)
    ran = road.run("--dry-run")
    assert ran.returncode == 0
    assert stats_below(road.vault, road.folder) == before
    assert ran.stdout.rstrip().endswith(
        "Nothing was written. A sync would update "
        "model performance, routing intelligence, and 3 new deliberation log entries."
    )
    assert '+      "vault_synced": true' in ran.stdout
    assert f"+++ {NAMES['log']}\t\n" in ran.stdout
    report = road.sync(dry_run=True)
    assert stats_below(road.vault, road.folder) == before
    diff = "".join(note.diff for note in report.notes)
    expected = patched(road, diff, tmp_path)
    road.sync()
    assert contents_below(road.vault) == expected


@needs_patch
def test_a_dry_run_shows_changes_to_notes_as_they_are(road, tmp_path):
    road.settle()
    for kind in NAMES:
        odd = "odd line ends \x85 and \u2028 and \x0c here\nno end"
        road.path(kind).write_bytes(road.path(kind).read_bytes() + odd.encode())
    road.rate(ONE, "👍")
    road.change_memory(lambda whole: whole["deliberations"].extend(records(1, "20260401")))
    before = stats_below(road.vault, road.folder)
    report = road.sync(dry_run=True)
    assert (report.ratings, report.entries, report.flagged) == (1, 1, 1)
    assert '+      "user_rating": "positive"' in report.memory_diff
    assert stats_below(road.vault, road.folder) == before
    expected = patched(road, "".join(note.diff for note in report.notes), tmp_path)
    report = road.sync()
    assert (report.ratings, report.entries, report.flagged) == (1, 1, 1)
    assert contents_below(road.vault) == expected


def test_a_dry_run_neither_pins_nor_remembers_nor_says_that_the_vault_is_missing(road):
    road.search_vault()
    road.sync(dry_run=True)
    shutil.copytree(road.vault, road.base / "other vault")
    shutil.rmtree(road.vault)
    assert road.sync(dry_run=True).vault == str(road.base / "other vault")
    shutil.rmtree(road.base / "other vault")
    before = road.memory.read_bytes()
    assert road.run("--dry-run", before=["--workspace", str(road.folder)]).returncode == 3
    assert road.memory.read_bytes() == before


def test_a_dry_run_under_another_name_forgets_nothing(road):
    road.settle()
    road.delete_rows(ONE)
    road.settle()
    road.settings["workspace"] = {"name": "Other"}
    report = road.sync(dry_run=True)
    assert report.entries == 3
    del road.settings["workspace"]
    assert not road.sync().changed
    assert ONE not in road.ids()


def test_a_dry_run_with_nothing_to_do_says_so(road):
    road.settle()
    ran = road.run()
    ran = road.run("--dry-run")
    assert ran.stdout == "Nothing to do: the vault is up to date.\n"


# JSON


def test_json_tells_what_was_done(road):
    ran = road.run("--json")
    told = json.loads(ran.stdout)
    assert ran.returncode == 0
    assert not ran.stderr
    assert set(told) == {
        "vault", "dry_run", "notes", "entries", "rows_back", "flagged", "pending", "ratings", "records",
        "messages", "problems", "failure", "memory_diff",
    }  # fmt: skip
    assert told["vault"] == str(road.vault)
    assert (told["entries"], told["flagged"], told["pending"], told["ratings"]) == (3, 3, 0, 0)
    assert [note["kind"] for note in told["notes"]] == ["performance", "routing", "log"]
    assert {note["outcome"] for note in told["notes"]} == {"written"}
    assert {note["name"] for note in told["notes"]} == set(NAMES.values())
    told = json.loads(road.run("--json", "--dry-run").stdout)
    assert told["dry_run"] is True


def test_json_tells_of_a_failure_with_exit_code_1(road):
    road.sync()
    break_markers(road, "routing")
    ran = road.run("--json")
    assert ran.returncode == 1
    told = {note["kind"]: note for note in json.loads(ran.stdout)["notes"]}
    assert told["routing"]["outcome"] == "refused"
    assert "end" in told["routing"]["reason"]


# Together


def test_two_syncs_at_once_wait_for_each_other_and_write_each_row_once(road):
    road.write_memory(*records(40))
    running = [
        subprocess.Popen(
            road.command(), env=road.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    outputs = [process.communicate(timeout=60) for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    assert sum("40 new deliberation log entries" in out for out, _ in outputs) == 1
    assert len(road.ids()) == len(set(road.ids())) == 40
    assert len(road.flagged()) == 40


def test_a_sync_lock_held_too_long_is_said_with_its_holder(road):
    workspace = road.workspace()
    taken, done = threading.Event(), threading.Event()

    def hold():
        with files.sync_lock(workspace.locks, workspace.memory_path):
            taken.set()
            done.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    taken.wait(10)
    with pytest.raises(Busy, match="another council-vault"):
        road.sync(patience=0.05)
    done.set()
    holder.join()
    assert not road.flagged()
    assert not road.sync().failed


# Verbose


def test_more_is_said_when_asked(road):
    ran = road.run(before=["-v", "--workspace", str(road.folder), "--vault", str(road.vault)])
    assert f"{NAMES['log']}: written" in ran.stdout
    assert str(road.vault) in ran.stdout
