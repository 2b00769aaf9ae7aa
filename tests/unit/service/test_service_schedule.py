"""When a sync is due: pure, so every rule can be asked about every number."""

from __future__ import annotations

import math

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from council_vault.service.schedule import (
    AT_START,
    GATHERING,
    PENDING_LONG,
    Due,
    Outlook,
    Pauses,
    Schedule,
    at_start,
    due,
)
from council_vault.syncing.due import crosses

NOTHING = Outlook()
counts = st.integers(0, 200)
moments = st.floats(0, 1000, allow_nan=False)


@st.composite
def outlooks(draw):
    total = draw(st.integers(0, 60))
    pending = draw(st.integers(0, total))
    ids = tuple(f"d_{number}" for number in range(total - pending, total))
    pairs = st.frozensets(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), max_size=3)
    rebuilt = draw(st.sampled_from([None, "monday", "tuesday"]))
    return Outlook(total=total, pending=ids, rebuilt=rebuilt, rated=draw(pairs), notes=draw(pairs))


@given(counts, counts, st.integers(1, 20))
def test_a_multiple_is_crossed_exactly_when_one_is_among_the_pending(total, pending, every):
    pending = min(pending, total)
    among = any(number % every == 0 for number in range(total - pending + 1, total + 1))
    assert crosses(total, pending, every) == among


@given(outlooks(), st.integers(1, 10))
def test_what_was_tried_in_vain_is_not_tried_again(outlook, every):
    assert due(outlook, outlook, every) is None


@given(outlooks(), outlooks(), st.integers(1, 10))
def test_nothing_is_due_without_a_reason(outlook, attempted, every):
    found = due(outlook, attempted, every)
    news = (
        crosses(outlook.total, len(outlook.pending), every) and outlook.pending != attempted.pending,
        outlook.rebuilt is not None and outlook.rebuilt != attempted.rebuilt,
        bool(outlook.rated - attempted.rated),
        bool(outlook.notes - attempted.notes),
    )
    assert (found is not None) == any(news)
    assert found is None or not found.only_log


@given(outlooks(), st.integers(1, 10))
def test_with_every_record_a_reason_each_pending_one_is_due(outlook, every):
    alone = msgspec.structs.replace(outlook, rebuilt=None, rated=frozenset(), notes=frozenset())
    assert (due(alone, NOTHING, 1) is not None) == bool(alone.pending)
    if due(alone, NOTHING, every):
        assert due(alone, NOTHING, 1)


@given(outlooks(), st.integers(1, 10))
def test_at_the_start_only_what_waits_for_company_waits(outlook, every):
    found = at_start(outlook, every)
    if not outlook.pending:
        assert found == AT_START
    else:
        assert found == due(outlook, NOTHING, every)


def test_each_reason_is_named():
    five = Outlook(total=5, pending=("d_5",))
    assert due(five, NOTHING, 5) == Due("a multiple of 5 deliberations was reached")
    assert due(five, NOTHING, 1) == Due("records are pending")
    assert due(Outlook(rebuilt="now"), NOTHING, 5) == Due("the router was rebuilt")
    assert due(Outlook(rated=frozenset({("d_1", "x")})), NOTHING, 5) == Due(
        "a rating was changed in the memory"
    )
    assert due(Outlook(notes=frozenset({("log", "x")})), NOTHING, 5) == Due("a note was changed")


def test_a_whole_sync_does_for_the_log_as_well():
    whole = Due("whole")
    assert whole.joined_by(PENDING_LONG) == whole
    assert PENDING_LONG.joined_by(whole) == whole
    assert PENDING_LONG.joined_by(PENDING_LONG) == PENDING_LONG
    assert whole.joined_by(AT_START) == AT_START


@given(st.floats(0.1, 10), st.floats(10, 1000), st.integers(1, 40))
def test_pauses_grow_to_the_longest_and_begin_anew(first, longest, attempts):
    pauses = Pauses(first, longest)
    made = [pauses.next() for _ in range(attempts)]
    assert made[0] == first
    assert made == sorted(made)
    assert max(made) <= longest
    assert sum(made) >= min(attempts - 12, 1) * longest / 2 or attempts <= 12
    pauses.reset()
    assert pauses.next() == first


@given(st.lists(st.floats(0, 2), min_size=1, max_size=60), st.floats(0, 3))
def test_changes_are_looked_at_when_they_pause_or_go_on_for_too_long(gaps, debounce):
    schedule, now, looks, first = Schedule(), 0.0, [], None
    for gap in gaps:
        if now + gap >= schedule.look_at:  # it is looked in between
            looks.append((first, schedule.look_at))
            schedule.looked(schedule.look_at)
            first = None
        now += gap
        first = now if first is None else first
        schedule.heard(now, debounce)
        assert schedule.look_at <= now + debounce
        assert schedule.look_at >= min(now + debounce, first + GATHERING)
    for begun, looked in looks:
        assert looked - begun <= max(GATHERING, debounce) + 1e-9
        assert looked - begun >= min(GATHERING, debounce) - 1e-9


def test_a_look_forgets_what_was_heard():
    schedule = Schedule()
    schedule.heard(10.0, 0.3)
    assert schedule.look_at == 10.3
    schedule.looked(10.3)
    assert schedule.look_at == math.inf
    schedule.heard(100.0, 0.3)
    assert schedule.look_at == 100.3
    schedule.looked(100.3, 2.0)
    assert schedule.look_at == 102.3


@given(moments, moments, moments, moments)
def test_the_next_moment_is_the_first(look, rescan, sync, flush):
    schedule = Schedule()
    assert schedule.next == math.inf
    schedule.look_at, schedule.rescan_at, schedule.sync_at, schedule.flush_at = look, rescan, sync, flush
    assert schedule.next == min(look, rescan, sync, flush)
    assert schedule.next_but_sync == min(look, rescan, flush)
