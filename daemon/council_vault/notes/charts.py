"""Bar charts as Mermaid draws them in Obsidian, always beside a table that says the same.

Only horizontal bars: vertical labels overlap in a narrow pane. The colours are readable on light and dark;
the default ones are near-white on white, and the default background is a grey box in the dark.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from council_vault.notes.cell_text import cut, undecorated
from council_vault.notes.figures import decimal
from council_vault.notes.tables import width

if TYPE_CHECKING:
    from collections.abc import Sequence

FEWEST_BARS = 2
MOST_BARS = 8

_WIDTH = 340
_MARGIN = 70
_BAR = 28
_LONGEST_LABEL = 18
_BAR_COLOUR = "#7c6bd6"
_LINE_COLOURS = ("#d9534f", "#3a9a5b")
_BREAKS = re.compile(r"[-\s_/.:]")
_NOT_IN_A_LABEL = re.compile(r"""["`\\<>\[\]{}%;#&$|^~=*]+|(?<=:):+|(?<=council-vault):""")


def bar_chart(
    bars: Sequence[tuple[str, float]], *, axis: str, top: float, digits: int, lines: Sequence[float] = ()
) -> str:
    """Return a chart in its code fence; empty where there are too few bars.

    Args:
        bars: labels and values, the first on top; those past the eighth are left out.
        axis: what the values are.
        top: where the axis ends.
        digits: how many decimals the values have.
        lines: values that are marked across the chart.
    """
    shown = bars[:MOST_BARS]
    if len(shown) < FEWEST_BARS:
        return ""
    labels = ", ".join(f'"{text}"' for text in _labels([label for label, _ in shown]))
    marks = [f"    line [{', '.join([f'{line:g}'] * len(shown))}]" for line in lines]
    return "\n".join(
        [
            "```mermaid",
            f"%%{{init: {json.dumps(_look(len(shown), len(lines)))}}}%%",
            "xychart-beta horizontal",
            f"    x-axis [{labels}]",
            f'    y-axis "{axis}" 0 --> {top:g}',
            f"    bar [{', '.join(decimal(value, digits) for _, value in shown)}]",
            *marks,
            "```",
        ]
    )


def _look(bars: int, lines: int) -> dict[str, object]:
    return {
        "xyChart": {
            "width": _WIDTH,
            "height": _MARGIN + _BAR * bars,
            "xAxis": {"labelFontSize": 13},
            "yAxis": {"labelFontSize": 11, "titleFontSize": 13},
        },
        "themeVariables": {
            "xyChart": {
                "backgroundColor": "transparent",
                "plotColorPalette": ", ".join((_BAR_COLOUR, *_LINE_COLOURS[:lines])),
            }
        },
    }


def _labels(texts: Sequence[str]) -> list[str]:
    """Make labels that fit and differ: Mermaid draws bars of one label on top of each other."""
    labels: list[str] = []
    for text in texts:
        clean = " ".join(_NOT_IN_A_LABEL.sub(" ", undecorated(text)).split())
        if not width(clean):  # nothing, or nothing but marks that want a letter
            clean = "?"
        label, number = _cut(clean, _LONGEST_LABEL), 1
        while label in labels:
            number += 1
            label = f"{_cut(clean, _LONGEST_LABEL - 1 - len(str(number)))} {number}"
        labels.append(label)
    return labels


def _cut(text: str, columns: int) -> str:
    """Cut a text to a width, at the end of a word where one ends in its second half."""
    if width(text) <= columns:
        return text
    breaks = [match.start() for match in _BREAKS.finditer(text[: columns + 1])]
    if breaks and breaks[-1] >= columns // 2 and width(text[: breaks[-1]]) <= columns:
        return text[: breaks[-1]]
    shorter = (cut(text, characters) for characters in range(columns, 0, -1))
    return next(short for short in shorter if width(short) <= columns)
