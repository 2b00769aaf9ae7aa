"""A vault in use while syncs go on: an agent rewrites the memory file, a person writes into the notes.

What each of them has done is remembered, so that at the end everything can be asked for again.
"""

from __future__ import annotations

import json
import random
import re
import time

from council_vault.files.names import leftovers, names_in
from council_vault.memory.decoding import decode
from council_vault.settings import APPLICATION
from support.foreign_writers import write
from support.memory_files import dump
from support.syncing import NAMES, Road, records

A_DAY = 20
WORDS = ("positive", "negative", "neutral")
_OURS = re.compile(r"(?:> )?\| (?:ID|d_\d+_\d+|-+:?) \||> \[!note\]- Older|>$|date:|council_memory:")
_BEGIN, _END = "council-vault:begin", "council-vault:end"


class World(Road):
    """A road with people on it.

    The agent rates records with even numbers and the person odd ones, so that neither undoes what the other
    one has said; both read what stands there before they write, as programs do.
    """

    def __init__(self, base, seed):
        super().__init__(base)
        self.states = base / "xdg-state" / APPLICATION  # where the command has it too
        self.settings["notes"] = {"visible_rows": 10}
        self.dice = random.Random(seed)
        self.added = []
        self.words = {}  # text of the person's, and the note it was written into
        self.ratings = {}  # what was said last of a record, by the one whose it is
        self.deleted = set()
        self.write_memory(*self._new_records(3))
        self.settle()
        self._plain = {kind: outside(self.text(kind)) for kind in NAMES}

    # The agent

    def agent_writes(self, kind, pause=0.0):
        """Add a record, or rate one, and write the whole file: in one of the ways that programs have.

        Args:
            kind: one of `foreign_writers.KINDS`.
            pause: seconds between reading and writing, or in the middle of writing.
        """
        whole = json.loads(self.memory.read_bytes())  # nobody but us writes, and we never show half a file
        if kind == "read-rename":
            time.sleep(pause)
        if self.dice.random() < 0.6:
            whole["deliberations"] += self._new_records(self.dice.choice((1, 1, 2)))
        else:
            record = self.dice.choice([one for one in whole["deliberations"] if _number(one["id"]) % 2 == 0])
            record["user_rating"] = self.ratings[record["id"]] = self.dice.choice(WORDS)
        write(kind, self.memory, dump(whole), pause)

    def _new_records(self, count):
        made = []
        for place in range(len(self.added), len(self.added) + count):
            day, number = divmod(place, A_DAY)
            made += records(1, f"202{5 + day // 336}{1 + day // 28 % 12:02}{1 + day % 28:02}", number + 1)
        self.added += [record["id"] for record in made]
        return made

    # The person

    def person_writes(self):
        """Write a sentence into a note: at its end, below or above the region, or in the middle of it."""
        kind = self.dice.choice(list(NAMES))
        words = f"Words of mine, number {len(self.words)}."
        lines = self.text(kind).split("\n")
        begin, end = (next(at for at, line in enumerate(lines) if mark in line) for mark in (_BEGIN, _END))
        at = self.dice.choice((len(lines), end + 1, begin, begin + 1))
        lines[at:at] = ["", words, ""]
        self.words[words] = kind
        self.path(kind).write_text("\n".join(lines))

    def person_rates(self):
        """Type a rating into the last cell of a row that has none yet.

        An agent that writes what it had read before takes back a *changed* rating, as if it meant to.
        """
        rows = re.findall(r"^(?:> )?\| (d_\d+_\d+) \|", self.text("log"), re.MULTILINE)
        rows = [record_id for record_id in rows if _number(record_id) % 2 and record_id not in self.ratings]
        if rows:
            record_id, word = self.dice.choice(rows), self.dice.choice(WORDS)
            row = re.compile(rf"^((?:> )?\| {record_id} \|.*\|)[^|\n]*\|$", re.MULTILINE)
            text, count = row.subn(rf"\1 {word} |", self.text("log"))
            assert count == 1
            self.ratings[record_id] = word
            self.path("log").write_text(text)

    def person_deletes(self):
        """Delete a row that nobody has rated."""
        rows = re.findall(r"^(?:> )?\| (d_\d+_\d+) \|.*\n", self.text("log"), re.MULTILINE)
        rows = [record_id for record_id in rows if record_id not in self.ratings]
        if rows:
            record_id = self.dice.choice(rows)
            text = re.sub(rf"^(?:> )?\| {record_id} \|.*\n", "", self.text("log"), flags=re.MULTILINE)
            self.deleted.add(record_id)
            self.path("log").write_text(text)

    # What must hold

    def check_between(self):
        """What holds at every moment at which nobody is writing, however many syncs were killed."""
        ids = [row[0] for row in self.rows()]
        assert len(ids) == len(set(ids)), "a record has two rows"
        memory = decode(self.memory.read_bytes()).memory
        flagged = {record.id for record in memory.deliberations if record.vault_synced}
        assert flagged - set(ids) <= self.deleted, "a record is flagged and has no row"

    def check_at_rest(self):
        """What holds when a sync has come to its end and the next one found nothing to do.

        Returns:
            The ids of the records that are not in the file but kept and named.
        """
        self.sync()
        self.sync()
        assert not self.sync().changed
        self.check_between()
        decoded = decode(self.memory.read_bytes())
        assert not decoded.problems
        records = decoded.memory.identified
        assert not decoded.memory.pending
        kept = self._check_records(records)
        self._check_rows(records)
        self._check_words()
        if not kept:
            self._check_ratings(records)
        for folder in (self.folder, self.path("log").parent):
            assert not list(leftovers(folder, names_in(folder)))
        return kept

    def _check_records(self, present):
        missing = set(self.added) - present.keys()
        assert present.keys() <= set(self.added)
        if not missing:
            return missing
        snapshots = self.workspace().snapshots()
        named = {record.id for record in snapshots.vanished(decode(self.memory.read_bytes()).memory)}
        kept = b"".join(snapshots._folder.read(one.file.name) for one in snapshots.kept())
        assert {one for one in missing - named if one.encode() not in kept} == set()
        return missing

    def _check_rows(self, present):
        ids = [row[0] for row in self.rows()]
        assert present.keys() - set(ids) <= self.deleted
        assert set(ids) <= set(self.added)

    def _check_words(self):
        rescued = b"".join(file.read_bytes() for file in self.workspace().rescued().files()).decode()
        for kind in NAMES:
            found = outside(self.text(kind))
            mine = [words for words, where in self.words.items() if where == kind]
            lost = [words for words in mine if found.count(words) != 1]
            assert [words for words in lost if words in found or words not in rescued] == []
            assert [one for one in found if one not in self.words] == self._plain[kind]

    def _check_ratings(self, present):
        cells = {row[0]: row[-1] for row in self.rows()}
        for record_id, word in self.ratings.items():
            assert present[record_id].user_rating == word, record_id
            assert cells.get(record_id, word) == word, record_id


def outside(text):
    """Return the lines of a note that are the person's: not the region, no rows, nothing we keep true."""
    lines, inside = [], False
    for line in text.split("\n"):
        inside = inside or _BEGIN in line
        if line and not inside and not _OURS.match(line):
            lines.append(line)
        inside = inside and _END not in line
    return lines


def _number(record_id):
    return int(record_id.rpartition("_")[2])
