"""Whether a text repeats what somebody else has said."""

from __future__ import annotations

import pytest

from council_vault.learning.quoting import quotes


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Ship it now", "Ship it now."),
        ("They said: SHIP IT NOW!", "First of all, wait. Ship it now. Then rest."),
        ("On shipping it now and then", "## Shipping it now"),
        ("ship it now", "1. **Ship it now**\n2. Rest"),
        ("ship it now", "- [ ] Ship it now"),
        ("ship it now", "| Ship it now | yes |"),
        ("ship it now", "wait\rship it now\u2028rest"),
        ("Yes; do it: now", "Yes; do it: now."),
        ("So: version 1.5 is out", "Wait. Version 1.5 is out."),
        ("use e.g. redis", "Use e.g. Redis"),
        ("They say: go on now", 'They say "Go on now." And so on.'),
        ("天空是藍色的", "因為。天空是藍色的。完"),
        ("هل السماء زرقاء", "نعم؟ هل السماء زرقاء؟"),
    ],
)
def test_a_sentence_or_line_of_it(text: str, source: str) -> None:
    assert quotes(text, ["Something else entirely.", source])


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Ship it", "Ship it."),  # two words say nothing of their own
        ("Ship it now", "Ship it now, and rest."),  # a part of a sentence
        ("Ship it nowhere", "Ship it now."),
        ("Monolith or not", ""),
        ("", "Ship it now."),
    ],
)
def test_no_sentence_of_it(text: str, source: str) -> None:
    assert not quotes(text, [source])


def test_nobody_has_said_anything() -> None:
    assert not quotes("Ship it now", [])
