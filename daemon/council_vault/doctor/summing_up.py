"""Findings that are alike: the first few, and how many more there are."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from council_vault.doctor.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ALL_SHOWN = 5
_FIRST_SHOWN = 3
_PLACE = re.compile(r'\[(?:\d+|"(?:[^"\\]|\\.)*")\]')
_VALUE = re.compile(r", got .*|“[^”]*”|\bd_\d+_\d+|\d[\d.:TZ-]*", re.DOTALL)


def summed_up(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield findings in their order; of more than five that differ only in places and values, three."""
    kinds = [(_kind(finding), finding) for finding in findings]
    counts = Counter(kind for kind, _ in kinds)
    shown: Counter[Finding] = Counter()
    for kind, finding in kinds:
        shown[kind] += 1
        if counts[kind] <= _ALL_SHOWN or shown[kind] <= _FIRST_SHOWN:
            yield finding
        elif shown[kind] == counts[kind]:
            what = f"and {counts[kind] - _FIRST_SHOWN} more like these"
            yield Finding(kind.level, kind.where, what, kind.repairable)


def _kind(finding: Finding) -> Finding:
    """Return a finding without the places and values in which others like it differ."""
    where, what = _PLACE.sub("[…]", finding.where), _VALUE.sub("", finding.what)
    return Finding(finding.level, where, what, finding.repairable)
