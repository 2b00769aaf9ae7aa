"""What is done in a thread of its own, one thing after the other."""

from __future__ import annotations

import threading

import pytest

from council_vault.service.errands import Errand, Errands

DEADLINE = 10.0


@pytest.fixture
def rung():
    return threading.Semaphore(0)


@pytest.fixture
def errands(rung):
    errands = Errands(rung.release)
    yield errands
    errands.end()


def test_what_comes_of_it_is_given_to_who_takes_it(errands, rung):
    taken = []
    errand = Errand(lambda: 42, lambda result: taken.append(result()))
    assert not errand.is_done
    errands.send(errand)
    assert rung.acquire(timeout=DEADLINE)
    assert errand.is_done
    assert taken == []
    errand.take()
    assert taken == [42]


def test_nothing_is_taken_before_it_is_done():
    taken = []
    Errand(lambda: 42, taken.append).take()
    assert taken == []


def test_what_goes_wrong_is_raised_where_it_is_taken(errands, rung):
    def fail():
        raise ZeroDivisionError

    errand = Errand(fail, lambda result: result())
    errands.send(errand)
    assert rung.acquire(timeout=DEADLINE)
    with pytest.raises(ZeroDivisionError):
        errand.take()
    after = Errand(lambda: 1, lambda result: result())
    errands.send(after)
    assert rung.acquire(timeout=DEADLINE)
    assert after.is_done


def test_all_are_done_in_one_thread_in_the_order_in_which_they_were_sent(errands, rung):
    done = []
    for number in range(5):
        errands.send(Errand(lambda number=number: done.append((number, threading.get_ident())), id))
    for _ in range(5):
        assert rung.acquire(timeout=DEADLINE)
    assert [number for number, _ in done] == [0, 1, 2, 3, 4]
    assert len({thread for _, thread in done}) == 1
    assert done[0][1] != threading.get_ident()


def test_an_end_finishes_what_is_under_way_and_nothing_else(rung):
    errands = Errands(rung.release)
    begun, go_on, done = threading.Event(), threading.Event(), []

    def first():
        begun.set()
        assert go_on.wait(DEADLINE)
        done.append("first")

    errands.send(Errand(first, id))
    errands.send(Errand(lambda: done.append("second"), id))
    assert begun.wait(DEADLINE)
    threading.Timer(0.05, go_on.set).start()
    errands.end()
    assert done == ["first"]
    assert not [thread for thread in threading.enumerate() if thread.name == "errands"]


def test_who_sends_nothing_has_no_thread(rung):
    before = threading.active_count()
    errands = Errands(rung.release)
    errands.end()
    assert threading.active_count() == before


def test_the_thread_holds_no_process_up(errands, rung):
    errands.send(Errand(lambda: threading.current_thread().daemon, lambda result: result()))
    assert rung.acquire(timeout=DEADLINE)
    assert [thread.daemon for thread in threading.enumerate() if thread.name == "errands"] == [True]
