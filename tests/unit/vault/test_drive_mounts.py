"""Where Google Drive may be mounted, and vaults in it."""

from __future__ import annotations

from pathlib import Path, PureWindowsPath

import pytest

from council_vault.vault.drive_mounts import drive_letters, drive_places, look_at_drive_mounts
from council_vault.vault.survey import Survey
from support.places import dead_mount, make_vault


def look(home, root, environment=None):
    survey = Survey("Notes")
    look_at_drive_mounts(survey, home, environment or {}, root)
    return survey


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    "place",
    [
        "home/Library/CloudStorage/GoogleDrive-ines@example.org/My Drive/Notes",
        "home/Library/CloudStorage/GoogleDrive-ines@example.org/Meine Ablage/Notes",
        "home/Library/CloudStorage/GoogleDrive-ines@example.org/Shared drives/Team/Notes",
        "home/GoogleDrive/Notes",
        "home/Google Drive/Notes",
        "home/gdrive",
        "sessions/quiet-harbour/mnt/GoogleDrive-ines/My Drive/Notes",
        "run/user/1000/gvfs/google-drive:host=example.org,user=ines/0AB/Notes",
    ],
)
def test_a_vault_is_found_wherever_drive_is_mounted(tmp_path, home, place):
    vault = make_vault(tmp_path / place)
    assert look(home, tmp_path).candidates == (vault,)


@pytest.mark.parametrize(
    "place",
    [
        "home/Library/CloudStorage/Dropbox/Notes",
        "home/GoogleDrive/a/b/c/Notes",
        "sessions/quiet-harbour/mnt/other/Notes",
    ],
)
def test_other_places_are_not_looked_at(tmp_path, home, place):
    make_vault(tmp_path / place)
    assert look(home, tmp_path).candidates == ()


def test_the_session_says_where_gnome_mounts(tmp_path, home):
    runtime = tmp_path / "runtime"
    vault = make_vault(runtime / "gvfs" / "google-drive:host=x" / "Notes")
    assert look(home, tmp_path, {"XDG_RUNTIME_DIR": str(runtime)}).candidates == (vault,)


def test_rclone_mounts_are_read_from_the_table_of_mounts(tmp_path, home):
    vault = make_vault(tmp_path / "my drive" / "Notes")
    make_vault(tmp_path / "ssh" / "Notes")
    mount = str(tmp_path / "my drive").replace(" ", "\\040")
    table = tmp_path / "proc" / "self" / "mountinfo"
    table.parent.mkdir(parents=True)
    table.write_text(
        "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
        f"90 27 0:51 / {mount} rw,nosuid shared:9 - fuse.rclone gdrive: rw,user_id=0\n"
        f"91 27 0:52 / {tmp_path}/ssh rw,nosuid - fuse.sshfs host: rw\n"
        "odd line\n"
    )
    survey = look(home, tmp_path)
    assert survey.candidates == (vault,)
    assert drive_places(home, {}, tmp_path) == (tmp_path / "my drive",)


def test_nothing_mounted_is_one_sentence(tmp_path, home):
    findings = look(home, tmp_path).findings
    assert len(findings) == 1
    assert findings[0].startswith(f"Google Drive is not mounted at {home}/GoogleDrive, {home}/Google Drive, ")


def test_windows_drives_but_the_systems_own():
    letters = drive_letters(PureWindowsPath(r"c:\Users\Ines"))
    assert Path("G:\\") in letters
    assert Path("C:\\") not in letters
    assert len(letters) == 25
    assert drive_letters(Path("/home/ines")) == []


def test_a_dead_mount_where_drives_are_listed_is_passed(tmp_path, home):
    vault = make_vault(home / "gdrive" / "Notes")
    with dead_mount(home / "Library" / "CloudStorage"):
        assert look(home, tmp_path).candidates == (vault,)
