"""One of ours as a process of its own: so many updates, each of which adds a line."""

from __future__ import annotations

import sys
from pathlib import Path

from council_vault.files import Replacer
from support.stoppable import Folder


def adding(line):
    """A change that adds a line before the last."""
    return lambda content: content.removesuffix(b"end\n") + line + b"\nend\n"


if __name__ == "__main__":
    _, _path, _name, _updates = sys.argv
    _file = Path(_path)
    _replacer = Replacer(_file.parent / "locks", Folder(_file.parent / "kept"))
    for _number in range(int(_updates)):
        _replacer.update(_file, adding(f"{_name}{_number:05}".encode()))
