"""The emulated Drive keeps revisions and a feed of changes, and sends the fields that are asked for."""

from __future__ import annotations

import pytest

from support.drive import markdown, refusal


class TestFields:
    def test_little_comes_unasked(self, emulator, google):
        note = emulator.add_file("a.md", b"x")
        assert set(google.files().get(fileId=note).execute()) == {"kind", "id", "name", "mimeType"}
        assert set(google.files().list().execute()["files"][0]) == {"kind", "id", "name", "mimeType"}

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ("files(name)", {"files": [{"name": "a.md"}]}),
            ("files/name", {"files": [{"name": "a.md"}]}),
            ("kind, files(name,size)", {"kind": "drive#fileList", "files": [{"name": "a.md", "size": "1"}]}),
            ("files/owners/me,files(size)", {"files": [{"owners": [{"me": True}], "size": "1"}]}),
            ("files/lastModifyingUser(me)", {"files": [{"lastModifyingUser": {"me": False}}]}),
            ("kind,files(*),files(name)", None),
            (
                "files(name,owners/me,lastModifyingUser(me))",
                {"files": [{"name": "a.md", "owners": [{"me": True}], "lastModifyingUser": {"me": False}}]},
            ),
        ],
    )
    def test_what_is_asked_for_is_what_comes(self, emulator, google, fields, expected):
        note = emulator.add_file("a.md", b"x")
        whole = {"kind": "drive#fileList", "files": [emulator.get(note)]}
        assert google.files().list(fields=fields).execute() == (expected or whole)

    @pytest.mark.parametrize(
        "fields",
        [
            "files(",
            "files)",
            "files(id",
            "headRevision",
            "files(etag)",
            "files(owners/etag)",
            "kind,,files",
            "/",
        ],
    )
    def test_what_does_not_exist_is_refused(self, google, fields):
        assert refusal(google.files().list(fields=fields)) == (400, "invalidParameter")

    def test_about_needs_them(self, emulator, google):
        emulator.add_file("a.md", b"12345")
        about = google.about().get(fields="user(emailAddress),storageQuota").execute()
        assert about["user"] == {"emailAddress": "ada@example.com"}
        assert (about["storageQuota"]["usage"], about["storageQuota"]["usageInDriveTrash"]) == ("5", "0")
        assert refusal(google.about().get()) == (400, "required")


class TestRevisions:
    def test_every_content_is_a_revision(self, emulator, google):
        note = emulator.add_file("a.md", b"one")
        google.files().update(fileId=note, media_body=markdown(b"two")).execute()
        emulator.edit(note, b"three")
        listed = google.revisions().list(fileId=note, fields="*").execute()["revisions"]
        assert [revision["lastModifyingUser"]["me"] for revision in listed] == [False, True, False]
        assert [
            google.revisions().get_media(fileId=note, revisionId=revision["id"]).execute()
            for revision in listed
        ] == [b"one", b"two", b"three"]
        assert listed[-1]["id"] == emulator.get(note)["headRevisionId"]
        assert google.revisions().get(fileId=note, revisionId="head").execute()["id"] == listed[-1]["id"]
        assert refusal(google.revisions().get(fileId=note, revisionId="0"))[0] == 404

    def test_only_what_is_kept_outlives_the_head(self, emulator, google):
        note = emulator.add_file("a.md", b"1")
        emulator.edit(note, b"2")
        kept = emulator.get(note)["headRevisionId"]
        emulator.edit(note, b"3")
        body = {"keepForever": True}
        google.revisions().update(fileId=note, revisionId=kept, body=body).execute()
        assert emulator.get(note)["quotaBytesUsed"] == "2"
        emulator.purge_revisions(note)
        assert [revision["content"] for revision in emulator.revisions(note)] == [b"2", b"3"]
        assert emulator.get(note)["quotaBytesUsed"] == "2"
        body = {"keepForever": False}
        unpinned = google.revisions().update(fileId=note, revisionId=kept, body=body, fields="keepForever")
        assert unpinned.execute() == body
        emulator.purge_revisions(note)
        assert [revision["content"] for revision in emulator.revisions(note)] == [b"3"]

    def test_an_update_can_keep_its_own(self, emulator, google):
        note = emulator.add_file("a.md", b"1")
        google.files().update(fileId=note, media_body=markdown(b"2"), keepRevisionForever=True).execute()
        assert [revision["keepForever"] for revision in emulator.revisions(note)] == [False, True]

    def test_they_come_in_pages_and_all_but_one_can_be_deleted(self, emulator, google):
        note = emulator.add_file("a.md", b"0")
        for number in range(1, 5):
            emulator.edit(note, str(number).encode())
        ids, token = [], None
        while True:
            page = google.revisions().list(fileId=note, pageSize=2, pageToken=token).execute()
            ids += [revision["id"] for revision in page["revisions"]]
            if (token := page.get("nextPageToken")) is None:
                break
        assert len(ids) == 5
        for revision in ids[1:]:
            google.revisions().delete(fileId=note, revisionId=revision).execute()
        assert emulator.read(note) == b"0"
        assert refusal(google.revisions().delete(fileId=note, revisionId=ids[0]))[0] == 400

    def test_a_folder_has_none(self, emulator, google):
        assert refusal(google.revisions().list(fileId=emulator.add_folder("f")))[0] == 403


class TestChanges:
    def read(self, google, token, **options):
        changes = []
        while True:
            page = google.changes().list(pageToken=token, fields="*", **options).execute()
            changes += page["changes"]
            if "newStartPageToken" in page:
                return changes, page["newStartPageToken"]
            token = page["nextPageToken"]

    def test_each_item_comes_once_as_it_is_now(self, emulator, google):
        note, other = emulator.add_file("a.md", b"1"), emulator.add_file("b.md", b"1")
        token = google.changes().getStartPageToken().execute()["startPageToken"]
        assert self.read(google, token) == ([], token)
        for step in (b"2", b"3"):
            emulator.edit(note, step)
        emulator.rename(other, "c.md")
        emulator.edit(note, b"4")
        changes, after = self.read(google, token)
        assert [(change["fileId"], change["file"]["name"]) for change in changes] == [
            (other, "c.md"),
            (note, "a.md"),
        ]
        assert changes[1]["file"]["headRevisionId"] == emulator.get(note)["headRevisionId"]
        assert self.read(google, after) == ([], after)

    def test_pages_hold_all(self, emulator, google):
        token = google.changes().getStartPageToken().execute()["startPageToken"]
        ids = [emulator.add_file(f"{number}.md", b"x") for number in range(7)]
        changes, _ = self.read(google, token, pageSize=2)
        assert [change["fileId"] for change in changes] == ids

    def test_trash_and_removal_are_told_apart(self, emulator, google):
        trashed, removed = emulator.add_file("a.md", b"x"), emulator.add_file("b.md", b"x")
        token = google.changes().getStartPageToken().execute()["startPageToken"]
        emulator.trash(trashed)
        emulator.delete(removed)
        changes, _ = self.read(google, token)
        assert [(change["fileId"], change["removed"]) for change in changes] == [
            (trashed, False),
            (removed, True),
        ]
        assert changes[0]["file"]["trashed"]
        assert "file" not in changes[1]
        assert len(self.read(google, token, includeRemoved=False)[0]) == 1

    def test_own_writes_are_in_it_too_and_odd_tokens_are_refused(self, google):
        token = google.changes().getStartPageToken().execute()["startPageToken"]
        made = google.files().create(body={"name": "a"}).execute()["id"]
        assert [change["fileId"] for change in self.read(google, token)[0]] == [made]
        assert refusal(google.changes().list(pageToken="x")) == (400, "invalid")

    def test_shared_drives_are_asked_for(self, emulator, google):
        drive = emulator.add_shared_drive("Team")
        token = google.changes().getStartPageToken().execute()["startPageToken"]
        note = emulator.add_file("a.md", b"x", drive)
        mine = emulator.add_file("b.md", b"x")
        flags = {"includeItemsFromAllDrives": True, "supportsAllDrives": True}

        def seen(**options):
            return [change.get("fileId") for change in self.read(google, token, **options)[0]]

        assert seen() == [mine]
        assert seen(**flags) == [note, mine]
        assert seen(driveId=drive, **flags) == [note]
        assert seen(restrictToMyDrive=True, **flags) == [mine]
        assert self.read(google, "1", **flags)[0][0]["drive"]["name"] == "Team"
