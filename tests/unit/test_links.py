"""Links between the notes."""

from __future__ import annotations

import pytest

from council_vault.notes.links import link, wants_markdown_links

TARGET = "Shared/Agents and Plugins/council-deliberation-log.md"
SOURCE = "Shared/Agents and Plugins/council-model-performance.md"


def test_a_wikilink_is_by_bare_name():
    made = link(TARGET, "Log", source=SOURCE, names=[TARGET, SOURCE], markdown=False)
    assert made == "[[council-deliberation-log|Log]]"


def test_a_wikilink_has_the_path_where_the_name_is_ambiguous():
    names = [TARGET, "Archive/Council-Deliberation-Log.md"]
    made = link(TARGET, "Log", source=SOURCE, names=names, markdown=False)
    assert made == "[[Shared/Agents and Plugins/council-deliberation-log|Log]]"


@pytest.mark.parametrize(
    ("source", "path"),
    [
        (SOURCE, "council-deliberation-log.md"),
        ("note.md", "Shared/Agents%20and%20Plugins/council-deliberation-log.md"),
        ("Moved/note.md", "../Shared/Agents%20and%20Plugins/council-deliberation-log.md"),
    ],
)
def test_a_markdown_link_is_relative_and_encoded(source, path):
    assert link(TARGET, "Log", source=source, names=[], markdown=True) == f"[Log]({path})"


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        (b'{"useMarkdownLinks": true, "other": 1}', True),
        (b'{"useMarkdownLinks": false}', False),
        (b"{}", False),
        (None, False),
        (b'{"useMarkdownLinks": "yes"}', False),
        (b"broken", False),
    ],
)
def test_obsidians_own_setting_is_followed(settings, wanted):
    assert wants_markdown_links(settings) is wanted
