"""What tests of the replacement share."""

from __future__ import annotations

import threading
import time

from council_vault.files import Replacer


class Bench:
    """A replacer on a file, with hooks: ``bench.at["exchanged"] = function`` is called once at that point."""

    def __init__(self, folder, locks):
        self.path = folder / "memory.json"
        self.locks = locks
        self.at = {}
        self.points = []
        self.kept = []
        self.replacer = Replacer(
            locks, lambda path, content: self.kept.append((path, content)), self._observe
        )

    def _observe(self, point):
        self.points.append(point)
        self.at.pop(point, lambda: None)()

    def another(self):
        """A second council-vault, as far as locks can tell."""
        return Replacer(self.locks, lambda path, content: self.kept.append((path, content)))

    def beside(self):
        return sorted(entry.name for entry in self.path.parent.iterdir() if entry != self.path)

    def kept_contents(self):
        return [content for _, content in self.kept]


class Waiting(threading.Thread):
    """Something that may have to wait for us, such as opening a leased file."""

    def __init__(self, action):
        super().__init__(daemon=True)
        self._action = action
        self.result = None
        self.start()

    def run(self):
        self.result = self._action()

    def done(self):
        self.join(10)
        assert not self.is_alive(), "it still waits"
        return self.result


def until(condition, patience=10.0):
    """Return as soon as the condition holds; fail when it does not."""
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, "it never came to be"
        time.sleep(0.001)


def rename_over(path, content):
    temporary = path.with_name("foreign.tmp")
    temporary.write_bytes(content)
    temporary.rename(path)
