"""A module of these that runs as a process of its own and answers line by line."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def served(module):
    """Run ``support.MODULE`` as a program, with pipes to talk to it; it ends when nobody talks any more."""
    with subprocess.Popen(
        [sys.executable, "-m", f"support.{module}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parent.parent,
    ) as process:
        try:
            yield process
        finally:
            process.stdin.close()
