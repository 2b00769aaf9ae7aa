"""Every file system that can be mounted here, for tests that must see the real thing."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import ExitStack, contextmanager

import pytest

NAMES = ("ext4", "xfs", "btrfs", "tmpfs", "overlay", "bindfs")
_SIZES = {"ext4": "16M", "xfs": "320M", "btrfs": "128M"}


@contextmanager
def mounted(name, folder, *, size="8M"):
    """Mount a fresh file system of that kind below `folder`; skip the test where that is not possible."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only the superuser may mount file systems")
    mount = folder / f"mount-{name}"
    mount.mkdir()
    with ExitStack() as undo:
        if name in _SIZES:
            image = folder / f"{name}.img"
            with image.open("wb") as file:
                file.truncate(int(_SIZES[name][:-1]) << 20)
            _run(f"mkfs.{name}", "-q", str(image))
            _run("mount", "-o", "loop", str(image), str(mount))
        elif name == "tmpfs":
            _run("mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(mount))
        elif name == "overlay":
            # The layers lie on a file system of their own, since /tmp may itself be an overlay.
            layers = undo.enter_context(mounted("tmpfs", folder))
            lower, upper, work = (layers / layer for layer in ("lower", "upper", "work"))
            for layer in (lower, upper, work):
                layer.mkdir()
            (lower / "from-below.json").write_bytes(b"from below")
            options = f"lowerdir={lower},upperdir={upper},workdir={work}"
            _run("mount", "-t", "overlay", "-o", options, "none", str(mount))
        else:
            source = folder / "bindfs-source"
            source.mkdir()
            _run("bindfs", str(source), str(mount))
        undo.callback(_unmount, mount)
        yield mount


def _run(program, *arguments):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"{program} does not work here: {done.stderr.strip()}")


def _unmount(mount):
    subprocess.run(["umount", str(mount)], check=True)
