"""A person, an agent and a sync service work on one log for a while, and the rules hold throughout."""

from __future__ import annotations

from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from council_vault.notes.cells import plain
from council_vault.notes.log_rows import rows_in
from council_vault.notes.rating_edits import meaning
from support.log_notes import ids, is_row
from support.log_world import World

IDS = ids(14, per_day=3, every=20)
RATINGS = st.sampled_from(["positive", "negative", "neutral"])
TYPED = st.sampled_from(["positive", "Negative", "👍", "👎🏽", "(~)", "great", "", "—"])
KNOWN = {"positive", "negative", "neutral"}


class People(RuleBasedStateMachine):
    """``agreed`` and ``stood`` are what memory and note said of each rating after the last sync."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World(visible=3)
        self.agreed: dict[str, str] = {}
        self.stood: dict[str, str] = {}
        self.summaries: dict[str, str] = {}  # what a person wrote over a summary
        self.changed: set[str] = set()  # whose summary changed in the memory since the last sync
        self.quiet = False

    @initialize(first=st.sets(st.sampled_from(IDS), min_size=1, max_size=8))
    def begin(self, first) -> None:
        for record_id in sorted(first):
            self.world.add(record_id, cost_usd=0.09)

    def some(self, data: st.DataObject, of) -> str:
        return data.draw(st.sampled_from(sorted(of)))

    def memory_rating(self, record_id: str) -> str:
        return self.world.records[record_id].user_rating or ""

    def shown(self) -> dict[str, list[str]]:
        """What every row of the note shows."""
        rows = rows_in(self.world.note)
        return {record_id: [plain(cell) for cell in row.cells.values()] for record_id, row in rows.items()}

    # the agent

    @rule(data=st.data(), rating=st.none() | RATINGS)
    def log(self, data, rating) -> None:
        free = set(IDS) - self.world.records.keys()
        if not free:
            return
        record_id = self.some(data, free)
        self.world.add(record_id, cost_usd=0.09, user_rating=rating)
        self.quiet = False

    @rule(data=st.data(), rating=RATINGS)
    def rate_in_the_memory(self, data, rating) -> None:
        self.world.change(self.some(data, self.world.records), user_rating=rating)
        self.quiet = False

    @rule(data=st.data())
    def lose_a_rating(self, data) -> None:
        self.world.change(self.some(data, self.world.records), user_rating=None)
        self.quiet = False

    @rule(data=st.data(), summary=st.sampled_from([None, "Another summary", "A | third"]))
    def change_a_summary(self, data, summary) -> None:
        record_id = self.some(data, self.world.records)
        if summary not in {None, self.world.records[record_id].query_summary}:
            self.summaries.pop(record_id, None)
            self.changed.add(record_id)
        if summary is not None:
            self.world.change(record_id, query_summary=summary)
        self.quiet = False

    # the person

    @rule(data=st.data(), typed=TYPED)
    def rate_in_the_note(self, data, typed) -> None:
        rows = rows_in(self.world.note)
        if rows:
            self.world.type(self.some(data, rows), typed)
        self.quiet = False

    @rule(data=st.data())
    def rewrite_a_summary(self, data) -> None:
        known = self.stood.keys() & rows_in(self.world.note).keys()
        if not known:
            return
        record_id = self.some(data, known)
        self.world.type(record_id, "My *words*", "Query Summary")
        if record_id not in self.changed:
            self.summaries[record_id] = "My *words*"
        self.quiet = False

    @precondition(lambda self: self.quiet)
    @rule(data=st.data())
    def delete_a_row(self, data) -> None:
        """Delete one row after a read had seen them all, and sync."""
        present = rows_in(self.world.note)
        record_id = self.some(data, present)
        in_main = sum(row.home.place == "table" for row in present.values())
        if len(present) < 3 or (in_main < 2 and present[record_id].home.place == "table"):
            return
        note = self.world.note
        self.world.delete_row(record_id)
        if self.world.is_old_copy:
            self.world.note = note
            return
        assert record_id in self.world.sync().deleted
        assert record_id not in rows_in(self.world.note)
        for known in (self.stood, self.agreed, self.summaries):
            known.pop(record_id, None)
        self.quiet = False

    @precondition(lambda self: self.quiet)
    @rule()
    def lose_the_table(self) -> None:
        """The whole log is cut out; the next sync builds it again as it was."""
        before = self.shown()
        head = self.world.note.partition("council-vault:end %%\n")
        self.world.note = "".join(head[:2]) + "\nCut.\n" * (1 + self.world.note.count("Cut."))
        self.world.sync()
        assert self.shown() == before
        self.quiet = False

    # the sync service

    @precondition(lambda self: self.quiet)
    @rule(data=st.data())
    def put_back_an_old_copy(self, data) -> None:
        old = data.draw(st.sampled_from(self.world.versions))
        if old in (self.world.note, self.world.versions[-1]):
            return
        ratings = {record_id: self.memory_rating(record_id) for record_id in self.world.records}
        stood = {record_id: self.world.cell(record_id) for record_id in rows_in(self.world.note)}
        self.world.note = old
        edits = self.world.sync()
        assert not edits.messages
        assert {record_id: self.memory_rating(record_id) for record_id in self.world.records} == ratings
        for record_id, cell in stood.items():
            assert meaning(self.world.cell(record_id)) == meaning(cell)
        self.remember()

    # the program

    @rule(read_only=st.booleans())
    def sync(self, read_only) -> None:
        if self.world.is_old_copy:
            return
        rows = {
            record_id: meaning(row.cells["Rating"]) for record_id, row in rows_in(self.world.note).items()
        }
        memory = {record_id: self.memory_rating(record_id) for record_id in self.world.records}
        if read_only:
            self.world.sync(read_only=True)
            assert {record_id: self.memory_rating(record_id) for record_id in self.world.records} == memory
        self.world.sync()
        for record_id, typed in rows.items():
            if record_id in memory:
                note, after = self.expected(record_id, typed, memory[record_id])
                assert (meaning(self.world.cell(record_id)), self.memory_rating(record_id)) == (note, after)
        self.remember()

    def expected(self, record_id: str, typed: str, memory: str) -> tuple[str, str]:
        """The rating in the note and in the memory that the rules give."""
        first = record_id not in self.stood
        note_changed = not first and typed != self.stood[record_id]
        memory_changed = not first and memory != self.agreed[record_id]
        unknown = typed not in KNOWN | {""}
        if first:
            if unknown:
                return typed, memory
            return (memory or typed, memory or typed)
        if note_changed:
            return (typed, memory) if unknown else (typed, typed)
        if memory_changed and memory:
            return memory, memory
        if typed in KNOWN:
            return typed, memory or typed  # what the memory lost comes back
        return typed, memory

    def remember(self) -> None:
        note = rows_in(self.world.note)
        self.stood = {record_id: meaning(row.cells["Rating"]) for record_id, row in note.items()}
        self.agreed = {
            record_id: self.memory_rating(record_id) for record_id in self.world.records if record_id in note
        }
        self.changed.clear()
        edits = self.world.sync()
        before = self.world.note, dict(self.world.records)
        assert not edits.ratings
        assert not edits.messages
        self.world.sync()
        assert (self.world.note, self.world.records) == before
        assert not self.world.is_old_copy
        self.quiet = True

    @invariant()
    def no_row_twice(self) -> None:
        rows = Counter(
            line.strip("> ").split(" | ")[0] for line in self.world.note.split("\n") if is_row(line)
        )
        assert all(count == 1 for count in rows.values())

    @precondition(lambda self: self.quiet)
    @invariant()
    def none_missing(self) -> None:
        assert rows_in(self.world.note).keys() >= self.world.records.keys() - self.world.deleted

    @precondition(lambda self: self.quiet)
    @invariant()
    def own_words_stay(self) -> None:
        for record_id, words in self.summaries.items():
            assert self.world.cell(record_id, "Query Summary") == words


TestPeople = People.TestCase
TestPeople.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
