"""A road whose records have notes, and what people do to these."""

from __future__ import annotations

import re

import yaml

from support.syncing import FOLDER, Road

RECORDS = f"{FOLDER}/Council Records"


class RecordRoad(Road):
    """A road whose records have notes."""

    def note(self, record_id):
        """Return where a record's note is made."""
        quarter = (int(record_id[6:8]) + 2) // 3
        return self.vault / RECORDS / f"{record_id[2:6]} Q{quarter}" / f"{record_id}.md"

    @property
    def base_file(self):
        return self.vault / FOLDER / "council.base"

    def notes(self):
        """Return the ids of the notes that stand in their folder."""
        return sorted(path.stem for path in (self.vault / RECORDS).rglob("*.md"))

    def read(self, record_id):
        return self.note(record_id).read_bytes().decode()

    def write(self, record_id, text):
        """Let a person write a note, a moment after whatever was before."""
        self.note(record_id).write_bytes(text.encode())

    def change(self, record_id, old, new):
        text = self.read(record_id)
        assert text.count(old) == 1, f"{old!r} stands there {text.count(old)} times"
        self.write(record_id, text.replace(old, new))

    def tap(self, record_id, word):
        """Let a person set the property."""
        text = self.read(record_id)
        self.write(record_id, re.sub(r"(?m)^rating:.*$", f"rating: {word}".rstrip(), text, count=1))

    def tapped(self, record_id):
        """Return what stands as rating."""
        return yaml.safe_load(self.read(record_id).split("---\n")[1]).get("rating")

    def ratings(self, record_id):
        """Return the rating in the memory, in the row and in the note."""
        row = self.row(record_id)[-1]
        return (
            self.record(record_id)["user_rating"],
            None if row in {"", "—"} else row,
            self.tapped(record_id),
        )

    def rate_in_memory(self, record_id, word, **fields):
        def change(whole):
            for record in whole["deliberations"]:
                if record["id"] == record_id:
                    record.update(user_rating=word, **fields)

        self.change_memory(change)
