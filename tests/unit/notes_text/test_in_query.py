"""Which names stand in a question."""

from __future__ import annotations

import pytest

from council_vault.notes.in_query import named_in


@pytest.mark.parametrize(
    ("query", "names", "found"),
    [
        ("Should Tidewatch push?", ["Tidewatch", "Boathouse"], ["Tidewatch"]),
        ("should TIDEWATCH's gauges push?", ["Tidewatch"], ["Tidewatch"]),
        ("Tidewatching?", ["Tidewatch"], []),
        ("Tide watch?", ["Tidewatch"], []),
        ("the honey book, now", ["Honey-Book"], ["Honey-Book"]),
        ("the honey_book", ["Honey Book"], ["Honey Book"]),
        ("honey and book", ["Honey Book"], []),
        ("Boathouse or Tidewatch, Boathouse?", ["Tidewatch", "Boathouse"], ["Boathouse", "Tidewatch"]),
        ("Is Tide Watch Pro done?", ["Tide", "Tide Watch", "Watch", "Tide Watch Pro"], ["Tide Watch Pro"]),
        ("Tide, then Tide Watch", ["Tide", "Tide Watch"], ["Tide", "Tide Watch"]),
        ("re\u0301sume\u0301?", ["Résumé"], ["Résumé"]),
        ("我们应该在潮汐项目上花钱吗", ["潮汐项目"], ["潮汐项目"]),
        ("a question", ["🚀", "...", ""], []),
        ("", ["Tidewatch"], []),
        ("", [], []),
    ],
)
def test_whole_words(query, names, found):
    assert named_in(query, {name: name for name in names}) == found
