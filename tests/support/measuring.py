"""Measuring against a floor: what can only be as quick as the disk and the decoder are in the same minute.

Every figure is a ratio of medians. The things that are compared take turns, round by round, so that a machine
that becomes slow for a while becomes slow for all of them.
"""

from __future__ import annotations

import gc
import os
import statistics
import time
from contextlib import contextmanager
from typing import NamedTuple


class Figure(NamedTuple):
    """One line of the table: times in seconds, and the ratio to reach."""

    what: str
    floor: float
    ours: float
    most: float

    @property
    def ratio(self):
        return self.ours / self.floor


HEADER = f"{'what':<58} {'floor ms':>9} {'ours ms':>9} {'ratio':>6} {'reach':>6}"


def line(figure):
    """Return a figure as a line of the table, marked if it is missed."""
    missed = "" if figure.ratio <= figure.most else "  missed"
    return (
        f"{figure.what:<58} {figure.floor * 1e3:9.2f} {figure.ours * 1e3:9.2f} "
        f"{figure.ratio:6.2f} {figure.most:6.1f}{missed}"
    )


def taking_turns(rounds, *actions):
    """Return the times of each action, in seconds.

    An action prepares a round and returns the function that is timed; that may return its own seconds, which
    count instead. Nothing that was written before waits for the disk when the time begins.
    """
    times = [[] for _ in actions]
    for _ in range(rounds):
        for action, found in zip(actions, times, strict=True):
            timed = action()
            os.sync()
            gc.collect()
            started = time.perf_counter()
            own = timed()
            found.append(time.perf_counter() - started if own is None else own)
    return times


def median(times):
    return statistics.median(times)


def spread(times):
    """Return the fastest, the quartiles and the slowest, in milliseconds, as text."""
    if len(times) < 2:
        return f"{times[0] * 1e3:.2f}"
    quartiles = statistics.quantiles(times, n=4, method="inclusive")
    return " ".join(f"{value * 1e3:.2f}" for value in (min(times), *quartiles, max(times)))


@contextmanager
def heap_frozen():
    """Keep what was made before out of the garbage collector's sight: it belongs to the tests."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def replace_durably(path, data):
    """Replace a file by the least that survives a power cut: write beside it, fsync, rename, fsync."""
    beside = path.with_name(f".{path.name}.new")
    file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(file, rest) :]
        os.fsync(file)
    finally:
        os.close(file)
    beside.replace(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
