"""The program as it is installed: from a wheel, made from a source distribution; and from a checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from council_vault import __version__
from support.program import PERFORMANCE, SOURCE

ROOT = SOURCE.parent
BUILD = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]
SHIPPED = set(BUILD["wheel"]["force-include"])
pytest.importorskip("build")
pytest.importorskip("hatchling")


def files_in(place: str) -> set[str]:
    """Return a file of the checkout, or those below a folder of it, relative to the checkout."""
    below = (ROOT / place, *(ROOT / place).rglob("*"))
    found = (path for path in below if path.is_file() and path.suffix != ".pyc")
    return {path.relative_to(ROOT).as_posix() for path in found}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build both distributions, the wheel from the source distribution."""
    folder = tmp_path_factory.mktemp("built")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    """Return the wheel."""
    (path,) = built.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Install the wheel, and nothing else, in an environment that borrows the dependencies of this one."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, symlinks=True)
    binaries = folder / "bin"
    python = binaries / "python"
    asked = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    own = Path(subprocess.run(asked, capture_output=True, text=True, timeout=60, check=True).stdout.strip())
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        wheel,
    ]
    subprocess.run(pip, timeout=120, check=True)
    lent = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (own / "borrowed.pth").write_text("\n".join(sorted(lent)) + "\n")
    return binaries


def run(binaries: Path, *command: object, folder: Path) -> str:
    """Run a command of the installed program, far from any checkout."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV"))}
    command = [binaries / str(command[0]), *command[1:]]
    return subprocess.run(
        command, env=kept, cwd=folder, capture_output=True, text=True, timeout=120, check=True
    ).stdout


def test_the_wheel_holds_the_package_and_what_comes_with_it(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    package = {name.removeprefix("daemon/") for name in files_in("daemon")}
    shipped = {f"council_vault/shipped/{name}" for folder in SHIPPED for name in files_in(folder)}
    assert {"templates", "vault_fixtures"} <= SHIPPED
    assert names == package | shipped
    assert "council_vault/py.typed" in names


def test_the_wheel_says_what_it_is(wheel):
    with zipfile.ZipFile(wheel) as archive:
        information = f"council_vault-{__version__}.dist-info"
        metadata = Parser().parsestr(archive.read(f"{information}/METADATA").decode())
        entries = archive.read(f"{information}/entry_points.txt").decode()
        assert "MIT License" in archive.read(f"{information}/licenses/LICENSE").decode()
    assert (metadata["Name"], metadata["Version"]) == ("council-vault", __version__)
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "MIT"
    assert metadata.get_payload() == (ROOT / "README.md").read_text("utf-8")
    assert "council-vault = council_vault.cli.main:main" in entries


def test_the_source_distribution_holds_what_the_project_needs(built):
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for folder in {"daemon", "docs", "tests"} | SHIPPED:
        assert files_in(folder) <= names
    assert {"Makefile", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "pyproject.toml"} <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith(".venv")]


def test_the_installed_program_works_far_from_any_checkout(installed, tmp_path):
    place = run(
        installed, "python", "-c", "import council_vault; print(council_vault.__file__)", folder=tmp_path
    )
    assert Path(place.strip()).is_relative_to(installed.parent)
    assert (
        run(installed, "council-vault", "--version", folder=tmp_path)
        == f"council-vault, version {__version__}\n"
    )
    for path in next(installed.parent.rglob("shipped")).rglob("*"):  # as where somebody else has installed it
        path.chmod(0o555 if path.is_dir() else 0o444)
    shown = run(installed, "council-vault", "demo", "place", folder=tmp_path)
    assert "Vault synced: updated model performance, routing intelligence, 52 new deliberation log" in shown
    assert "council-vault:begin" in (tmp_path / "place" / "vault" / PERFORMANCE).read_text("utf-8")
    assert all(path.stat().st_mode & 0o200 for path in (tmp_path / "place").rglob("*"))


def test_a_checkout_works_without_being_installed(program):
    ran = program.process("demo", program.base / "place")
    assert (ran.code, ran.err) == (0, "")
    assert (program.base / "place" / "vault" / PERFORMANCE).exists()
