"""Giving back the memory that a sync took, so that a daemon that sleeps is small."""

from __future__ import annotations

import gc
import sys


def give_back() -> None:
    """Give the system what is free: glibc keeps most of it for the next time, which may be days away.

    To read a memory and draw its notes takes several times its size. With 500 records 2 MiB come back, with
    5000 some 15 MiB of 70. Where the C library has no such call, it is left to itself.
    """
    gc.collect()
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - a daemon that has synced has it already

        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:  # musl has none
            trim(0)
