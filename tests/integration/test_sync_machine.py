"""A person, an agent, a sync service, formatters and syncs, in any order: what must always hold."""

from __future__ import annotations

import itertools
import json
import re
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from support import formatters
from support.memory_files import dump
from support.syncing import NAMES, Road, records, stats_below

ROW = re.compile(r"^[> ]*\|\s*(d_\d{8}_\d{3,})\s*\|.*$", re.MULTILINE)
OURS = ("vault_synced", "user_rating", "outcome", "last_vault_sync", "vault_sync_note")
WORDS = {"positive": "positive", "👎": "negative", "(~)": "neutral", "Negative": "negative"}
kinds = st.sampled_from(sorted(NAMES))
choices = st.integers(0, 1000)


def lines_with(text, word):
    return [line for line in text.split("\n") if word in line]


def stripped(memory):
    """Return a memory without what a sync may change."""
    whole = {name: value for name, value in memory.items() if name not in OURS}
    whole["deliberations"] = [
        {name: value for name, value in one.items() if name not in OURS} for one in memory["deliberations"]
    ]
    return whole


class Household(RuleBasedStateMachine):
    """Everybody who is at the notes and at the memory file."""

    @initialize()
    def move_in(self):
        self.folder = tempfile.TemporaryDirectory()
        self.road = Road(Path(self.folder.name) / "road")
        self.road.settings["notes"] = {"visible_rows": 4}
        self.road.write_memory(*records(3, "20251230"), *records(3))
        self.numbers = itertools.count(1)
        self.days = (f"202604{day:02d}" for day in range(1, 31))
        self.versions = []  # of the log, as syncs have seen and left them
        self.readings = [self.road.parsed()]  # of the memory, as an agent may still hold one
        self.deleted = set()
        self.once_deleted = set()  # a copy may bring these back, and another one take them away again
        self.expected = {}  # ratings that must be on both sides after the next sync
        self.typed = set()  # in the note, since the last sync
        self.copies = {}
        self.sync()

    def teardown(self):
        if not hasattr(self, "folder"):
            return
        with self.folder:
            self.sync()
            self.sync()
            before = stats_below(self.road.vault, self.road.folder)
            assert not self.road.sync().changed
            assert not self.road.sync().changed
            assert stats_below(self.road.vault, self.road.folder) == before

    # Looking

    def log(self):
        return self.road.text("log")

    def ids(self):
        return ROW.findall(self.log())

    def pick(self, choice):
        ids = sorted(set(self.ids()))
        return ids[choice % len(ids)] if ids else None

    def line(self, record_id):
        return next(match[0] for match in ROW.finditer(self.log()) if match[1] == record_id)

    def cells(self, record_id):
        return [cell.strip() for cell in re.split(r"(?<!\\)\|", self.line(record_id))][1:-1]

    def write(self, kind, text):
        self.road.path(kind).write_bytes(text.encode())

    # The program

    @rule()
    def sync(self):
        before = {kind: self.road.text(kind) for kind in NAMES if self.road.path(kind).exists()}
        memory, data = self.road.parsed(), self.road.memory.read_bytes()
        report = self.road.sync()
        assert not report.failed
        after = {kind: self.road.text(kind) for kind in NAMES}
        for kind, text in before.items():
            assert lines_with(after[kind], "mine") == lines_with(text, "mine")
            assert after[kind].count("council-vault:begin") == after[kind].count("council-vault:end") == 1
        self.versions += [
            text["log"] for text in (before, after) if "log" in text and text["log"] not in self.versions
        ]
        self.readings.append(self.road.parsed())
        self.deleted -= set(self.ids())

        assert stripped(self.road.parsed()) == stripped(memory)
        changed = [
            new
            for old, new in zip(data.split(b"\n"), self.road.memory.read_bytes().split(b"\n"), strict=True)
            if old != new
        ]
        assert all(any(f'"{name}"'.encode() in line for name in OURS) for line in changed)

        known = {one["id"] for one in self.road.parsed()["deliberations"]}
        missing = known - set(self.ids())
        assert known & self.deleted <= missing <= self.once_deleted
        self.deleted |= missing
        assert self.road.flagged() == known
        for record_id, rating in self.expected.items():
            assert self.road.record(record_id)["user_rating"] == rating
            assert WORDS.get(self.cells(record_id)[6], self.cells(record_id)[6]) == rating
        self.expected.clear()
        self.typed.clear()

    @rule()
    def full_sync(self):
        self.sync()
        assert not self.road.sync(full=True).failed
        self.deleted.clear()
        self.once_deleted.clear()
        self.versions.append(self.log())

    # The person

    @rule(
        kind=kinds,
        above=st.booleans(),
        what=st.sampled_from(["mine {}", "- mine {}  ", "\tmine {} 中", "| mine {} |"]),
    )
    def write_words(self, kind, above, what):
        words = what.format(next(self.numbers))
        text = self.road.text(kind)
        if above:
            self.write(
                kind,
                re.sub(r"(?=^%% council-vault:begin)", f"{words}\n\n", text, count=1, flags=re.MULTILINE),
            )
        else:
            self.write(kind, f"{text}\n{words}\n")

    @rule(kind=kinds)
    def add_a_property(self, kind):
        self.write(
            kind, self.road.text(kind).replace("---\n", f"---\nmine{next(self.numbers)}: '1e3' # x\n", 1)
        )

    @rule(choice=choices, word=st.sampled_from(sorted(WORDS)))
    def rate(self, choice, word):
        record_id = self.pick(choice)
        if record_id is None or not any(
            one["id"] == record_id for one in self.road.parsed()["deliberations"]
        ):
            return
        line = self.line(record_id)
        parts = re.split(r"(?<!\\)(\|)", line)
        parts[14] = f" {word} "
        self.write("log", self.log().replace(line, "".join(parts)))
        if self.log() not in self.versions:
            self.expected[record_id] = WORDS[word]
            self.typed.add(record_id)

    @rule(choice=choices)
    def delete_a_row(self, choice):
        self.sync()
        self.sync()
        record_id = self.pick(choice)
        if record_id is None or len(set(self.ids())) < 3:
            return
        line = self.line(record_id)
        text = self.log().replace(line + "\n", "")
        if text in self.versions or not re.search(r"^\|\s*d_", text, re.MULTILINE):
            return
        self.write("log", text)
        self.deleted.add(record_id)
        self.once_deleted.add(record_id)

    @rule()
    def delete_the_log(self):
        self.sync()
        self.road.path("log").unlink()
        self.road.names["log"] = NAMES["log"]
        self.expected.clear()
        self.sync()

    @rule()
    def sort_the_table(self):
        lines = self.log().split("\n")
        at = [number for number, line in enumerate(lines) if re.match(r"\|\s*d_", line)]
        for number, line in zip(at, sorted(lines[number] for number in at), strict=True):
            lines[number] = line
        self.write("log", "\n".join(lines))

    @rule(kind=kinds)
    def move_a_note(self, kind):
        old = self.road.path(kind)
        self.road.names[kind] = f"Moved {next(self.numbers)}/{kind}.md"
        self.road.path(kind).parent.mkdir()
        old.rename(self.road.path(kind))

    # The agent

    @rule(count=st.integers(1, 3))
    def add_records(self, count):
        day = next(self.days, None)
        if day:
            self.road.change_memory(lambda whole: whole["deliberations"].extend(records(count, day)))

    @rule(choice=choices, word=st.sampled_from(["positive", "negative", "neutral"]))
    def rate_in_the_memory(self, choice, word):
        def change(whole):
            record = whole["deliberations"][choice % len(whole["deliberations"])]
            record["user_rating"] = word
            if record["id"] not in self.typed and record["id"] in self.ids():
                self.expected[record["id"]] = word

        if self.log() in self.versions[-1:] or not self.versions:
            self.road.change_memory(change)

    @rule(choice=choices)
    def rewrite_from_a_stale_reading(self, choice):
        stale = json.loads(json.dumps(self.readings[choice % len(self.readings)]))
        known = {one["id"] for one in stale["deliberations"]}
        stale["deliberations"] += [
            one for one in self.road.parsed()["deliberations"] if one["id"] not in known
        ]
        self.road.memory.write_bytes(dump(stale))
        self.expected.clear()

    @rule(count=st.integers(1, 2))
    def compact(self, count):
        self.sync()

        def change(whole):
            gone = whole["deliberations"][:count]
            whole["deliberations"] = whole["deliberations"][count:]
            whole["archived"] = {"count": whole.get("archived", {}).get("count", 0) + len(gone)}
            for record in whole["deliberations"][:2]:
                record.pop("query_summary", None)

        if len(self.road.parsed()["deliberations"]) > 4:
            self.road.change_memory(change)
            self.readings = [self.road.parsed()]

    # The sync service and the formatters

    @rule(choice=choices)
    def put_an_old_copy_back(self, choice):
        self.sync()
        ratings = {one["id"]: one["user_rating"] for one in self.road.parsed()["deliberations"]}
        self.write("log", self.versions[choice % len(self.versions)])
        self.sync()
        assert ratings == {one["id"]: one["user_rating"] for one in self.road.parsed()["deliberations"]}

    @rule(kind=kinds)
    def leave_a_conflict_copy(self, kind):
        copy = self.road.path(kind).with_suffix(f".sync-conflict-20260328-101010-ABC{next(self.numbers)}.md")
        copy.write_text(self.road.text(kind).replace("positive", "negative"))
        self.copies[copy] = copy.read_bytes()

    @rule(kind=kinds, formatter=st.sampled_from(formatters.ALL))
    def format_a_note(self, kind, formatter):
        self.write(kind, formatter(self.road.text(kind)))

    @precondition(lambda self: hasattr(self, "folder"))
    @invariant()
    def no_row_stands_twice_and_no_copy_is_touched(self):
        ids = self.ids()
        assert len(ids) == len(set(ids))
        assert {copy: copy.read_bytes() for copy in self.copies} == self.copies


TestHousehold = Household.TestCase
TestHousehold.settings = settings(
    max_examples=12,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
