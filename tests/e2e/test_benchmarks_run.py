"""The benchmarks work: run in their short form, they print every figure. Nothing is said about time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FIGURES = (
    "one new record among 500: notes and flag durable",
    "one new record among 10000: notes and flag durable",
    "nothing to do among 500, in process",
    "sync-vault with nothing to do, whole process",
    "status with nothing to do, whole process",
    "a log after 60, against one after 40",
    "the same with a sync",
    "log, whole process",
)


def test_the_short_form_prints_every_figure():
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "tests/benchmarks", "-q", "-s", "--short", "-p", "no:cacheprovider"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    for figure in FIGURES:
        (line,) = [line for line in done.stdout.splitlines() if line.startswith(figure)]
        floor, ours, ratio = map(float, line.removeprefix(figure).split()[:3])
        assert floor > 0
        assert ours > 0
        assert abs(ratio - ours / floor) < 0.1 * ratio + 0.1
