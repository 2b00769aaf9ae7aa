"""The projects of a vault."""

from __future__ import annotations

import unicodedata

import pytest

from council_vault.vault.projects import Project, project_named, projects


class Folders:
    """As much of a vault as is asked for: the folders in one."""

    def __init__(self, *folders):
        self.known = folders

    def folders(self, folder):
        assert folder == "Projects"
        return self.known


def project(*notes, folder="Projects/Boats"):
    return Project(folder, tuple(f"{folder}/{note}" for note in notes))


def test_the_folders_in_projects_with_their_notes():
    vault = Folders("projects/A", "projects/B c")
    listing = ("Home.md", "projects/A/A.md", "projects/A/deep/x.md", "projects/Top.md", "projects/Old/x.md")
    first, second = projects(vault, listing)
    assert (first.name, first.folder, first.notes) == ("A", "projects/A", listing[1:3])
    assert (second.name, second.notes) == ("B c", ())


@pytest.mark.parametrize(
    ("notes", "index"),
    [
        (["x.md", "Boats.md", "Index.md"], "Boats.md"),
        (["boats.MD", "Index.md"], "boats.MD"),
        (["README.md", "_index.md", "index.md"], "index.md"),
        (["readme.md", "_Index.md"], "_Index.md"),
        (["readme.md"], "readme.md"),
        (["deep/Boats.md", "deep/Index.md"], None),
        (["Boats (1).md", "Boats (conflicted copy 2026-03-28).md"], None),
        (["Boats 2.md"], None),
        ([], None),
    ],
)
def test_the_index(notes, index):
    assert project(*notes).index == (index and f"Projects/Boats/{index}")


def test_an_index_in_the_other_unicode_form():
    folder = f"Projects/{unicodedata.normalize('NFC', 'Café')}"
    note = f"{folder}/{unicodedata.normalize('NFD', 'Café')}.md"
    assert Project(folder, (note,)).index == note


def test_a_folder_in_it_as_it_is_spelled():
    assert project("11-Knowledge.md").below("11-Knowledge") == "Projects/Boats/11-Knowledge"
    assert project("11-KNOWLEDGE/x.md").below("11-Knowledge") == "Projects/Boats/11-KNOWLEDGE"
    both = project("11-KNOWLEDGE/x.md", "11-Knowledge/x.md")
    assert both.below("11-Knowledge") == "Projects/Boats/11-Knowledge"


def test_a_project_is_found_by_its_name():
    known = [project(folder=f"Projects/{name}") for name in ("Boats", "boats", "Café", "A b")]
    assert project_named("boats", known) is known[1]
    assert project_named("BOATS", known) is known[0]
    assert project_named(" Cafe\u0301 ", known) is known[2]
    for name in ("Boat", "", "../Boats", "Projects/Boats", "\ud800", "a\0b", "Boats/.."):
        assert project_named(name, known) is None
