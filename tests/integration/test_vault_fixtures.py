"""The fixture vaults are what their README says they are."""

from __future__ import annotations

import json
import re
from collections import Counter
from statistics import fmean

import pytest
import yaml
from ruamel.yaml import YAML

from council_vault.files import Replacer
from council_vault.memory.decoding import decode
from council_vault.settings import DriveSettings
from council_vault.shipped import shipped
from council_vault.vault.conflict_copies import conflict_copies
from council_vault.vault.discovery import Request, discover
from council_vault.vault.drive_folder import DriveAccess
from council_vault.vault.local import LocalVault

FIXTURES = shipped("vault_fixtures")
LOG = "_Shared Knowledge/Agents and Plugins/council-deliberation-log.md"
NOTES = [
    path for path in FIXTURES.rglob("*.md") if "Templates" not in path.parts and path.name != "README.md"
]
ROW = re.compile(r"^\| (d_\d{8}_\d{3}) \|(.*)\|\r?$", re.MULTILINE)


@pytest.fixture
def memory():
    return json.loads((FIXTURES / "workspace" / "council-memory.json").read_bytes())


@pytest.mark.parametrize("name", ["studio", "empty", "windows"])
def test_every_vault_is_found_and_listed(tmp_path, name):
    root = FIXTURES / name
    found = discover(
        Request(
            workspace=tmp_path,
            path=None,
            name=name,
            mounts=(str(FIXTURES),),
            pin=None,
            adopt=False,
            home=tmp_path,
            environment={},
            drive=DriveAccess(DriveSettings(), tmp_path),
            root=tmp_path,
        )
    )
    assert found.vault == root
    assert len(found.steps[0].candidates) == 3
    store = LocalVault(root, Replacer(tmp_path, lambda *_: None))
    assert "_System/MEMORY.md" in store.list()
    assert store.read(".obsidian/app.json") is not None


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.name)
def test_properties_are_read_alike_by_both_kinds_of_yaml(note):
    text = note.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    if text.startswith("---\n"):
        block = text.split("---\n")[1]
        assert yaml.safe_load(block) == YAML(typ="safe").load(block)


def test_the_rows_of_the_agents_log_are_the_oldest_records(memory):
    text = (FIXTURES / "studio" / LOG).read_text()
    rows = dict(ROW.findall(text))
    oldest = memory["deliberations"][:12]
    assert sorted(rows) == [record["id"] for record in oldest]
    assert all(record["query_summary"] in rows[record["id"]] for record in oldest)
    assert [record["vault_synced"] for record in memory["deliberations"]] == [True] * 12 + [False] * 52
    typed = {record["id"] for record in oldest if (record["user_rating"] or "—") not in rows[record["id"]]}
    assert len(typed) == 1
    assert "<details>" in text
    assert "council_memory" not in text


def test_the_conflict_copy_is_told_from_the_log(tmp_path):
    store = LocalVault(FIXTURES / "studio", Replacer(tmp_path, lambda *_: None))
    copies = conflict_copies([LOG], store.list())
    assert copies == (LOG.replace(".md", " (conflicted copy 2025-12-22).md"),)


def test_the_vault_inside_the_vault_and_the_trash_are_not_listed(tmp_path):
    listed = LocalVault(FIXTURES / "studio", Replacer(tmp_path, lambda *_: None)).list()
    assert not [name for name in listed if name.startswith(("Archive/", "."))]
    assert len(listed) == 23


def test_the_windows_notes_are_as_windows_writes_them():
    contents = [path.read_bytes() for path in (FIXTURES / "windows").rglob("*.md")]
    assert all(content.count(b"\r\n") == content.count(b"\n") > 0 for content in contents)
    assert Counter(content.startswith(b"\xef\xbb\xbf") for content in contents) == {True: 3, False: 1}


def test_the_memory_agrees_with_itself(memory):
    content = (FIXTURES / "workspace" / "council-memory.json").read_bytes()
    assert decode(content).problems == ()
    records = memory["deliberations"]
    councils = [record for record in records if len(record["models_used"]) > 1]
    assert len(records) == 64
    assert len({record["query_features"]["category"] for record in records}) == 7
    assert sorted(record["timestamp"] for record in records) == [record["timestamp"] for record in records]
    assert len(memory["model_performance"]) == 6
    for model, figures in memory["model_performance"].items():
        own = [record for record in councils if model in record["models_used"]]
        assert figures["deliberations_participated"] == len(own)
        assert figures["avg_rank"] == pytest.approx(fmean(record["rankings"][model] for record in own))
        assert figures["chairman_selections"] == sum(record["chairman"] == model for record in own)
        assert figures["self_preference_count"] == sum(model in record["self_preference"] for record in own)
    rules = memory["routing_model"]["rules"]
    assert {rule["action"] for rule in rules} == {"deliberate", "single_model"}
    assert memory["routing_model"]["sample_size"] == 60
