from __future__ import annotations

import ctypes
import gc
import os
import sys
import weakref
from pathlib import Path

import pytest

from council_vault.service import heap

MEBIBYTE = 2**20


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="only glibc keeps it"
)
def test_what_is_free_goes_back_to_the_system():
    blocks = [bytes(2000) for _ in range(30_000)]
    pins = blocks[::1000]  # so that the C library cannot give the end of the heap back by itself
    del blocks
    before = resident()
    heap.give_back()
    assert before - resident() > 40 * MEBIBYTE
    assert len(pins) == 30


def test_what_holds_only_itself_is_let_go_of():
    class Ring:
        pass

    ring = Ring()
    ring.self = ring
    seen = weakref.ref(ring)
    gc.disable()
    try:
        del ring
        assert seen() is not None
        heap.give_back()
    finally:
        gc.enable()
    assert seen() is None
