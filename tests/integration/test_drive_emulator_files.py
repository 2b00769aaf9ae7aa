"""The emulated Drive keeps files as the real one is documented to, as Google's own client sees it."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from googleapiclient.http import MediaIoBaseDownload, MediaIoBaseUpload

from support.drive import google_client, markdown, refusal
from support.drive_emulator import DriveEmulator

FOLDER = "application/vnd.google-apps.folder"
SHORTCUT = "application/vnd.google-apps.shortcut"
TESTS = Path(__file__).parents[1]
FIXTURES = TESTS.parent / "vault_fixtures"


class TestFiles:
    def test_a_file_with_metadata_and_content_is_read_back_byte_for_byte(self, emulator, google):
        content = b"\r\n--=\n\xff\x00 line\n--===============\r\n\n"
        made = (
            google.files()
            .create(
                body={"name": "a.md", "mimeType": "text/markdown"}, media_body=markdown(content), fields="*"
            )
            .execute()
        )
        assert google.files().get_media(fileId=made["id"]).execute() == content == emulator.read(made["id"])
        assert made["md5Checksum"] == hashlib.md5(content, usedforsecurity=False).hexdigest()
        assert (made["size"], made["mimeType"], made["parents"]) == (
            str(len(content)),
            "text/markdown",
            [emulator.get("root")["id"]],
        )
        assert "etag" not in {key.lower() for key in made}

    @pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
    @pytest.mark.parametrize("content", [b"", b"\n", b"\r\n", b"x", b"a\n\nb\r\n\r\n", b"\r"])
    def test_content_of_every_end_comes_through_multipart(self, emulator, google, content, line_end):
        lines = [
            b"--b",
            b"Content-Type: application/json",
            b"",
            b'{"name": "a.md"}',
            b"--b",
            b"Content-Type: text/markdown",
            b"",
            content,
            b"--b--",
        ]
        _, body = google._http.request(
            f"{emulator.endpoint}/upload/drive/v3/files?uploadType=multipart",
            "POST",
            line_end.join(lines),
            {"Content-Type": 'multipart/related; boundary="b"'},
        )
        assert b'"a.md"' in body
        assert emulator.tree() == {"a.md": content}

    def test_content_alone_updates_and_leaves_the_name(self, emulator, google):
        note = emulator.add_file("a.md", b"one")
        before = emulator.get(note)
        request = google.files().update(fileId=note, media_body=markdown(b"two"), fields="*")
        assert "uploadType=media" in request.uri
        after = request.execute()
        assert emulator.read(note) == b"two"
        assert after["name"] == "a.md"
        assert after["headRevisionId"] != before["headRevisionId"]
        assert int(after["version"]) > int(before["version"])
        assert after["modifiedTime"] > before["modifiedTime"]
        assert after["createdTime"] == before["createdTime"]

    def test_the_same_content_is_a_new_revision_all_the_same(self, emulator, google):
        note = emulator.add_file("a.md", b"one")
        google.files().update(fileId=note, media_body=markdown(b"one")).execute()
        assert [revision["content"] for revision in emulator.revisions(note)] == [b"one", b"one"]

    @pytest.mark.parametrize("size", [0, 1, 256 * 1024, 700_000])
    def test_a_resumable_upload_creates_and_updates_in_pieces(self, emulator, google, size):
        content = bytes(range(256)) * (size // 256) + b"x" * (size % 256)

        def upload():
            return MediaIoBaseUpload(
                io.BytesIO(content), "text/markdown", chunksize=256 * 1024, resumable=True
            )

        made = google.files().create(body={"name": "a.md"}, media_body=upload(), fields="id,size").execute()
        assert made == {"id": made["id"], "size": str(size)}
        emulator.edit(made["id"], b"theirs")
        google.files().update(fileId=made["id"], media_body=upload()).execute()
        assert emulator.read(made["id"]) == content
        assert emulator.get(made["id"])["mimeType"] == "text/markdown"
        pieces = [request for request in emulator.requests if request.operation == "upload"]
        assert len(pieces) == 2 * max(1, -(-size // (256 * 1024)))

    def test_a_resumable_upload_says_how_much_has_come_and_ends_once(self, emulator, google):
        http = google._http
        reply, _ = http.request(
            f"{emulator.endpoint}/upload/drive/v3/files?uploadType=resumable", "POST", b'{"name": "a.md"}'
        )
        place = reply["location"]
        first, rest = b"a" * 256 * 1024, b"end"
        total = len(first) + len(rest)
        assert http.request(place, "PUT", b"", {"Content-Range": f"bytes */{total}"})[0].status == 308
        span = {"Content-Range": f"bytes 0-{len(first) - 1}/{total}"}
        reply, _ = http.request(place, "PUT", first, span)
        assert (reply.status, reply["range"]) == (308, f"bytes=0-{len(first) - 1}")
        gap = {"Content-Range": f"bytes {len(first) + 1}-{total - 1}/{total}"}
        assert http.request(place, "PUT", rest[1:], gap)[0].status == 400
        span = {"Content-Range": f"bytes {len(first)}-{total - 1}/{total}"}
        assert emulator.tree() == {}
        for _ in range(2):
            assert http.request(place, "PUT", rest, span)[0].status == 200
        assert emulator.tree() == {"a.md": first + rest}
        assert http.request(f"{place}x", "PUT", rest)[0].status == 404

    @pytest.mark.parametrize(
        ("query", "kind", "body"),
        [
            ("multipart", "application/json", b"{}"),
            ("multipart", "multipart/related; boundary=b", b"{}"),
            ("multipart", "multipart/related; boundary=b", b"--b\r\n\r\n{}\r\n--b--"),
            ("multipart", "multipart/related; boundary=b", b"--b\r\n\r\n{}\r\n--b\r\n\r\ncut off"),
            ("multipart", "multipart/related; boundary=b", b"--b\r\n\r\n{\r\n--b\r\n\r\nx\r\n--b--"),
            ("resumable", "application/json", b"[]"),
            ("carrier-pigeon", "text/markdown", b"x"),
        ],
    )
    def test_what_is_not_an_upload_is_refused(self, emulator, google, query, kind, body):
        place = f"{emulator.endpoint}/upload/drive/v3/files?uploadType={query}"
        reply, _ = google._http.request(place, "POST", body, {"Content-Type": kind})
        assert reply.status == 400
        assert emulator.tree() == {}

    def test_pieces_are_of_the_right_size_and_say_where_they_belong(self, emulator, google):
        http = google._http
        place = f"{emulator.endpoint}/upload/drive/v3/files?uploadType=resumable"
        place = http.request(place, "POST", b'{"name": "a.md"}')[0]["location"]
        for span in ("bytes 0-9/1000000", "bytes 0-8/10", "bytes ten"):
            assert http.request(place, "PUT", b"0123456789", {"Content-Range": span})[0].status == 400
        assert http.request(place, "PUT", b"0123456789")[0].status == 200
        assert emulator.tree() == {"a.md": b"0123456789"}

    def test_what_a_file_cannot_be_is_refused(self, emulator, google):
        files = google.files()
        two = {"name": "a", "parents": [emulator.add_folder("f"), "root"]}
        assert refusal(files.create(body=two)) == (400, "invalid")
        folder = {"name": "a", "mimeType": FOLDER}
        assert refusal(files.create(body=folder, media_body=markdown(b"x"))) == (400, "badRequest")
        assert refusal(files.create(body={"name": "a", "mimeType": SHORTCUT})) == (400, "badRequest")
        assert refusal(files.generateIds(count=1001)) == (400, "invalid")
        assert set(emulator.tree()) == {"f"}

    def test_an_id_made_before_is_used_once(self, emulator, google):
        made, other = google.files().generateIds(count=2).execute()["ids"]
        body = {"id": made, "name": "a.md"}
        assert google.files().create(body=body).execute()["id"] == made
        assert refusal(google.files().create(body=body, media_body=markdown(b"x"))) == (409, "fileIdInUse")
        assert emulator.tree() == {"a.md": b""}
        folder = {"id": other, "name": "f", "mimeType": FOLDER}
        assert google.files().create(body=folder).execute()["id"] == other
        assert refusal(google.files().create(body={"id": "made-up", "name": "b"})) == (400, "invalid")

    def test_ids_come_from_the_seed(self):
        def some(seed):
            with DriveEmulator(seed) as emulator:
                return [emulator.add_file("a", b"x"), emulator.add_folder("b")]

        assert some(1) == some(1) != some(2)

    def test_what_is_not_there_is_404(self, emulator, google):
        gone = emulator.add_file("a.md", b"x")
        emulator.delete(gone)
        files = google.files()
        assert refusal(files.get(fileId=gone)) == (404, "notFound")
        assert refusal(files.get_media(fileId=gone)) == (404, "notFound")
        assert refusal(files.update(fileId=gone, media_body=markdown(b"x"))) == (404, "notFound")
        assert refusal(files.create(body={"name": "a", "parents": [gone]})) == (404, "notFound")
        assert refusal(files.delete(fileId=gone)) == (404, "notFound")
        assert refusal(google.revisions().list(fileId=gone)) == (404, "notFound")

    def test_a_folder_has_no_content(self, emulator, google):
        folder = emulator.add_folder("f")
        assert refusal(google.files().get_media(fileId=folder)) == (403, "fileNotDownloadable")
        assert refusal(google.files().update(fileId=folder, media_body=markdown(b"x")))[0] == 400
        assert "headRevisionId" not in emulator.get(folder)

    def test_a_file_is_no_folder(self, emulator, google):
        note = emulator.add_file("a.md", b"x")
        assert refusal(google.files().create(body={"name": "b", "parents": [note]}))[0] == 403

    def test_moving_needs_the_old_parent_removed(self, emulator, google):
        source, target = emulator.add_folder("one"), emulator.add_folder("two")
        note = emulator.add_file("a.md", b"x", source)
        files = google.files()
        assert refusal(files.update(fileId=note, addParents=target)) == (403, "cannotAddParent")
        assert refusal(files.update(fileId=note, body={"parents": [target]})) == (403, "fieldNotWritable")
        files.update(fileId=note, addParents=target, removeParents=source).execute()
        assert emulator.tree() == {"one": None, "two": None, "two/a.md": b"x"}
        inside = emulator.add_folder("inside", target)
        assert refusal(files.update(fileId=target, addParents=inside, removeParents="root"))[0] == 400

    def test_metadata_alone_renames(self, emulator, google):
        note = emulator.add_file("a.md", b"x")
        google.files().update(fileId=note, body={"name": "b.md", "description": "d"}).execute()
        assert emulator.tree() == {"b.md": b"x"}
        assert emulator.get(note)["description"] == "d"
        own = {"appProperties": {"k": "v"}, "properties": {"p": "q"}}
        after = (
            google.files().update(fileId=note, body=own, fields="appProperties,properties,version").execute()
        )
        assert after == own | {"version": "4"}
        assert len(emulator.revisions(note)) == 1

    def test_a_folder_takes_everything_below_into_the_trash(self, emulator, google):
        folder = emulator.add_folder("f")
        note = emulator.add_file("a.md", b"x", emulator.add_folder("g", folder))
        google.files().update(fileId=folder, body={"trashed": True}).execute()
        fields = "trashed,explicitlyTrashed"
        assert google.files().get(fileId=note, fields=fields).execute() == {
            "trashed": True,
            "explicitlyTrashed": False,
        }
        assert google.files().get(fileId=folder, fields=fields).execute()["explicitlyTrashed"]
        assert google.files().list(q="trashed = false").execute()["files"] == []
        assert len(google.files().list(q="trashed = true").execute()["files"]) == 3
        assert emulator.tree() == {}
        google.files().update(fileId=folder, body={"trashed": False}).execute()
        assert set(emulator.tree()) == {"f", "f/g", "f/g/a.md"}

    def test_deleting_takes_everything_below_away(self, emulator, google):
        folder = emulator.add_folder("f")
        note = emulator.add_file("a.md", b"x", emulator.add_folder("g", folder))
        assert google.files().delete(fileId=folder).execute() == ""
        assert note not in emulator.files
        assert refusal(google.files().delete(fileId="root"))[0] == 403
        assert refusal(google.files().update(fileId="root", body={"trashed": True}))[0] == 403

    def test_twins_are_seen(self, emulator, google):
        for content in (b"1", b"2"):
            google.files().create(body={"name": "a.md"}, media_body=markdown(content)).execute()
        assert emulator.tree() == {"a.md": [b"1", b"2"]}
        assert len(google.files().list(q="name = 'a.md'").execute()["files"]) == 2

    def test_a_shortcut_says_what_it_points_to(self, emulator, google):
        folder = emulator.add_folder("f")
        details = {"targetId": folder, "targetMimeType": FOLDER}
        shortcut = emulator.add_shortcut("s", folder)
        fields = "mimeType,shortcutDetails"
        assert google.files().get(fileId=shortcut, fields=fields).execute() == {
            "mimeType": SHORTCUT,
            "shortcutDetails": details,
        }
        body = {"name": "t", "mimeType": SHORTCUT, "shortcutDetails": {"targetId": folder}}
        assert google.files().create(body=body, fields=fields).execute()["shortcutDetails"] == details
        assert google.files().list(q=f"'{shortcut}' in parents").execute()["files"] == []
        assert len(google.files().list(q=f"shortcutDetails.targetId = '{folder}'").execute()["files"]) == 2

    def test_a_download_can_be_had_in_parts(self, emulator, google):
        note = emulator.add_file("a.md", b"0123456789")
        got = io.BytesIO()
        download = MediaIoBaseDownload(got, google.files().get_media(fileId=note), chunksize=4)
        steps = 1
        while not download.next_chunk()[1]:
            steps += 1
        assert (got.getvalue(), steps) == (b"0123456789", 3)
        place = f"{emulator.endpoint}/drive/v3/files/{note}?alt=media"
        assert google._http.request(place, headers={"Range": "bytes=10-"})[0].status == 416

    def test_many_at_once_lose_nothing(self, emulator):
        def work(number):
            client = google_client(emulator.endpoint)
            for turn in range(5):
                body = {"name": f"{number}-{turn}", "parents": ["root"]}
                client.files().create(body=body, media_body=markdown(b"x")).execute()
            client.close()

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(4)))
        assert len(emulator.tree()) == len(emulator.writes) == 20
        assert sorted(request.number for request in emulator.requests) == list(range(1, 21))


def test_the_program_prints_its_address_and_holds_a_vault():
    with subprocess.Popen(
        [sys.executable, "-m", "support.drive_emulator", "--name", "Ben's Vault"],
        cwd=TESTS,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            client = google_client(process.stdout.readline().strip())
            found = client.files().list(q="name = 'Ben\\'s Vault' and trashed = false").execute()["files"]
            inside = client.files().list(q=f"'{found[0]['id']}' in parents and name = '_System'").execute()
            client.close()
            assert len(inside["files"]) == 1
        finally:
            process.send_signal(2)
        assert process.wait(10) == 0


def test_a_folder_of_this_machine_is_copied_whole(emulator):
    emulator.add_tree(FIXTURES / "studio", "Studio")
    expected = {
        f"Studio/{path.relative_to(FIXTURES / 'studio').as_posix()}": path.read_bytes()
        if path.is_file()
        else None
        for path in (FIXTURES / "studio").rglob("*")
    }
    assert emulator.tree() == {"Studio": None} | expected
    assert emulator.read(emulator.find("Studio/_System/MEMORY.md")) == expected["Studio/_System/MEMORY.md"]
    assert emulator.find("Studio/None.md") is None
    assert emulator.requests == []
