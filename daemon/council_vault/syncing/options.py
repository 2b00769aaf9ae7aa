"""How a sync is asked for."""

from __future__ import annotations

import msgspec

from council_vault.files.locks import TIMEOUT


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How a sync is asked for.

    ``dry_run`` writes nothing, and shows what would change unless ``diffs`` is off, which saves the time for
    it. ``full`` brings deleted rows back, ``adopt_vault`` searches for the vault anew, ``adopt_log`` takes
    over a log note of another memory. ``only_log`` leaves the other two notes for later, ``quiet_for`` every
    note that somebody else changed less than so many seconds ago. ``patience`` is for how many seconds
    another sync is waited for. ``most_records`` is how many record notes may be written, ``None`` for all of
    them. ``reason`` is why the sync is made, for the history.
    """

    dry_run: bool = False
    diffs: bool = True
    full: bool = False
    adopt_vault: bool = False
    adopt_log: bool = False
    only_log: bool = False
    quiet_for: float = 0.0
    patience: float = TIMEOUT
    most_records: int | None = None
    reason: str = "by hand"

    @property
    def is_plain(self) -> bool:
        """Whether no more is asked for than that all be as it should."""
        plain = Options()
        return plain == msgspec.structs.replace(
            self,
            quiet_for=plain.quiet_for,
            patience=plain.patience,
            most_records=plain.most_records,
            reason=plain.reason,
        )
