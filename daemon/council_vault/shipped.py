"""Where the files that come with the program are: in a wheel, an editable install and a checkout alike."""

from __future__ import annotations

from pathlib import Path

from council_vault.errors import CouncilVaultError

_PACKAGE = Path(__file__).resolve().parent
_PLACES = (_PACKAGE / "shipped", _PACKAGE.parent.parent)


def shipped(folder: str) -> Path:
    """Return a folder that came with the program: ``docs``, ``systemd``, ``templates``, ``vault_fixtures``.

    Raises:
        CouncilVaultError: the installation is incomplete.
    """
    for place in _PLACES:
        if (place / folder).is_dir():
            return place / folder
    raise CouncilVaultError(
        f"the folder {folder!r} that comes with council-vault is missing",
        where=_PACKAGE,
        remedy="Install council-vault again",
    )
