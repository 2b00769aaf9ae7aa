"""The emulated Drive finds what the real one is documented to find, and refuses what it refuses."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from support.drive import refusal

NAMES = ["Ben's Vault", "What's \\ next", "HelloWorld", "hello there.md", "plain", "Café"]


@pytest.fixture
def find(emulator, google):
    """Return a function that gives the sorted names which a query finds among some."""
    for name in NAMES:
        emulator.add_file(name, b"x")

    def names(query, **options):
        found = google.files().list(q=query, fields="files(name)", **options).execute()["files"]
        return sorted(file["name"] for file in found)

    return names


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (r"name = 'Ben\'s Vault'", ["Ben's Vault"]),
        (r"name='What\'s \\ next'", [r"What's \ next"]),
        (r"name = 'x\' or name contains \''", []),
        ("name = 'HELLOWORLD'", ["HelloWorld"]),
        ("name = 'hello'", []),
        ("name contains 'hello'", ["HelloWorld", "hello there.md"]),
        ("name contains 'World'", []),
        ("name contains 'there'", ["hello there.md"]),
        ("name contains 'hello' and not name contains 'there'", ["HelloWorld"]),
        (
            "not (name contains 'hello' or name = 'plain') and name != 'Café'",
            ["Ben's Vault", r"What's \ next"],
        ),
        ("name = 'plain' or name = 'Café' and name contains 'Ca'", ["Café"]),
        ("name = 'plain' or (name = 'Café' and name contains 'Ca')", ["Café", "plain"]),
        ("mimeType = 'text/markdown'", ["hello there.md"]),
        ("mimeType contains 'text/'", ["hello there.md"]),
        ("mimeType != 'application/octet-stream' and trashed = false", ["hello there.md"]),
        ("name = 'plain' and 'root' in parents", ["plain"]),
        ("name = 'plain' and 'me' in owners", ["plain"]),
        ("name = 'plain' and starred = true", []),
        ("trashed != false", []),
        ("sharedWithMe = true", []),
        ("modifiedTime > '2100-01-01T00:00:00'", []),
        ("name = 'plain' and createdTime < '2100-01-01T00:00:00Z'", ["plain"]),
        ("", sorted(NAMES)),
    ],
)
def test_the_query_is_understood(find, query, expected):
    assert find(query) == expected


@pytest.mark.parametrize(
    "query",
    [
        "name = 'Ben's Vault'",
        "name = 'x",
        r"name = 'a\b'",
        'name = "x"',
        "name = plain",
        "name in 'x'",
        "name 'x'",
        "name",
        "name =",
        "title = 'x'",
        "trashed = 'false'",
        "trashed > false",
        "trashed = maybe",
        "(name = 'x'",
        "name = 'x')",
        "name = 'x' name = 'y'",
        "name = 'x' and",
        "'x' in children",
        "'x' contains name",
        "name < 'x'",
        "modifiedTime > 'yesterday'",
        "fullText contains 'x'",
        "name = 'x'; trashed = false",
    ],
)
def test_what_the_grammar_does_not_know_is_refusal(google, query):
    assert refusal(google.files().list(q=query)) == (400, "invalid")


def test_a_folder_that_is_not_there_is_404(google):
    assert refusal(google.files().list(q="'nowhere' in parents")) == (404, "notFound")


def test_times_are_compared(emulator, google):
    emulator.add_file("old", b"x", ago=7200)
    emulator.add_file("new", b"x", ago=60)
    border = datetime.fromtimestamp(datetime.now(UTC).timestamp() - 3600, UTC).isoformat()
    found = google.files().list(q=f"modifiedTime > '{border}'").execute()["files"]
    assert [file["name"] for file in found] == ["new"]


def test_a_long_query_goes_in_a_body(emulator, google):
    emulator.add_file("a", b"x")
    query = " or ".join(f"name = '{number:040}'" for number in range(60)) + " or name = 'a'"
    assert len(google.files().list(q=query).execute()["files"]) == 1
    assert (emulator.requests[0].method, emulator.requests[0].operation) == ("GET", "files.list")


# Order and pages


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("name", ["A10", "a2", "z"]),
        ("name desc", ["z", "a2", "A10"]),
        ("name_natural", ["a2", "A10", "z"]),
        ("folder,name desc", ["z", "a2", "A10"]),
        ("createdTime", ["a2", "z", "A10"]),
        ("modifiedTime desc", ["A10", "z", "a2"]),
        ("starred, quotaBytesUsed desc,name", ["a2", "A10", "z"]),
    ],
)
def test_lists_are_sorted(emulator, google, order, expected):
    emulator.add_file("a2", b"xxx", ago=300)
    emulator.add_file("A10", b"x", ago=100)
    emulator._store.get(emulator.add_folder("z")).created -= 200
    emulator._store.get(emulator.find("z")).modified -= 200
    found = google.files().list(orderBy=order).execute()["files"]
    assert [file["name"] for file in found] == expected


@pytest.mark.parametrize("order", ["size", "name up", "name desc desc"])
def test_an_unknown_order_is_refusal(google, order):
    assert refusal(google.files().list(orderBy=order)) == (400, "invalid")


def pages(google, **options):
    request = google.files().list(orderBy="name", **options)
    while request is not None:
        page = request.execute()
        yield [file["name"] for file in page["files"]]
        request = google.files().list_next(request, page)


def test_lists_come_in_pages(emulator, google):
    for number in range(5):
        emulator.add_file(str(number), b"x")
    assert list(pages(google, pageSize=2)) == [["0", "1"], ["2", "3"], ["4"]]
    emulator.page_lists(4)
    assert list(pages(google)) == [["0", "1", "2", "3"], ["4"]]
    emulator.page_lists(empty_pages=True)
    assert list(pages(google, pageSize=3)) == [[], ["0", "1", "2"], [], ["3", "4"]]


def test_a_page_belongs_to_its_search(emulator, google):
    for number in range(3):
        emulator.add_file(str(number), b"x")
    token = google.files().list(pageSize=1).execute()["nextPageToken"]
    assert refusal(google.files().list(pageSize=1, q="trashed = false", pageToken=token)) == (400, "invalid")
    assert refusal(google.files().list(pageToken="x")) == (400, "invalid")
    assert refusal(google.files().list(pageSize=0)) == (400, "invalid")


def test_a_list_can_lag_behind_creation(emulator, google):
    emulator.add_file("old", b"x")
    emulator.lag_lists(2)
    made = google.files().create(body={"name": "new"}).execute()["id"]
    seen = [len(google.files().list().execute()["files"]) for _ in range(3)]
    assert seen == [1, 1, 2]
    assert google.files().get(fileId=made).execute()["name"] == "new"


# Shared drives


def test_a_shared_drive_is_seen_only_by_those_who_know_of_such(emulator, google):
    drive = emulator.add_shared_drive("Team")
    folder = emulator.add_folder("Vault", drive=drive)
    note = emulator.add_file("a.md", b"x", folder)
    supports = {"supportsAllDrives": True}
    both = supports | {"includeItemsFromAllDrives": True}
    files = google.files()
    assert refusal(files.get(fileId=note)) == (404, "notFound")
    assert refusal(files.get_media(fileId=note)) == (404, "notFound")
    assert refusal(files.update(fileId=note, body={"name": "b"})) == (404, "notFound")
    assert refusal(files.create(body={"name": "b", "parents": [folder]})) == (404, "notFound")
    assert refusal(files.delete(fileId=note)) == (404, "notFound")
    found = files.get(fileId=note, fields="driveId,parents,ownedByMe", **supports).execute()
    assert found == {"driveId": drive, "parents": [folder]}

    def listed(**options):
        return [file["id"] for file in files.list(**options).execute()["files"]]

    query = f"'{folder}' in parents"
    assert (
        listed(q=query)
        == listed(q=query, **supports)
        == listed(q=query, includeItemsFromAllDrives=True)
        == []
    )
    assert listed(q=query, **both) == [note]
    assert listed(q="name = 'Vault'", **both) == []
    assert listed(q="name = 'Vault'", corpora="allDrives", **both) == [folder]
    assert listed(q="name = 'Vault'", corpora="drive", driveId=drive, **both) == [folder]
    made = files.create(body={"name": "b", "parents": [folder]}, fields="driveId", **supports).execute()
    assert made == {"driveId": drive}
    emulator.move(folder, "root")
    assert {emulator.get(name)["parents"][0] for name in (folder, note)} == {
        emulator.get("root")["id"],
        folder,
    }
    assert listed(q=query) != []
    assert "driveId" not in emulator.get(note)


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"corpora": "drive"}, 403),
        ({"corpora": "user", "driveId": "x"}, 403),
        ({"corpora": "allDrives"}, 403),
        ({"corpora": "drive", "driveId": "x"}, 403),
        (
            {
                "corpora": "drive",
                "driveId": "x",
                "includeItemsFromAllDrives": True,
                "supportsAllDrives": True,
            },
            404,
        ),
        ({"corpora": "everything"}, 400),
    ],
)
def test_what_is_searched_must_fit_together(google, options, status):
    assert refusal(google.files().list(**options))[0] == status


def test_shared_drives_are_listed(emulator, google):
    ids = [emulator.add_shared_drive(f"Team {number}") for number in range(3)]
    first = google.drives().list(pageSize=2).execute()
    second = google.drives().list(pageSize=2, pageToken=first["nextPageToken"]).execute()
    assert [drive["id"] for drive in first["drives"] + second["drives"]] == ids
    assert google.drives().get(driveId=ids[0]).execute()["name"] == "Team 0"
    assert google.drives().list(q="name = 'Team 1'").execute()["drives"][0]["id"] == ids[1]
    assert google.files().get(fileId=ids[0], supportsAllDrives=True).execute()["name"] == "Drive"
    assert refusal(google.drives().get(driveId="x"))[0] == 404
