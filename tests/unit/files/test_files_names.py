from __future__ import annotations

import os
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from council_vault.files.names import leftovers, part_beside, short, stem, swap_beside

NAMES = st.binary(min_size=1, max_size=255).filter(
    lambda name: b"/" not in name and b"\0" not in name and name not in {b".", b".."}
)


@given(NAMES)
def test_our_names_fit_wherever_the_name_does_and_are_found_again(encoded):
    path = Path("folder") / os.fsdecode(encoded)
    part, swap = part_beside(path), swap_beside(path, short(b"read"), short(b"ours"))
    assert all(len(os.fsencode(ours.name)) <= 143 for ours in (part, swap))
    found = leftovers(path.parent, [part.name, path.name, swap.name])
    assert [(one.path, one.stem) for one in found[:2]] == [(part, stem(path.name)), (swap, stem(path.name))]
    assert (found[0].read, found[0].ours) == (None, None)
    assert (found[1].read, found[1].ours) == (short(b"read"), short(b"ours"))


@given(NAMES, NAMES)
def test_different_names_never_share_ours(first, second):
    assert (stem(os.fsdecode(first)) == stem(os.fsdecode(second))) == (first == second)


def test_long_names_that_begin_alike_differ():
    assert stem("n" * 200 + "1") != stem("n" * 200 + "2")


def test_names_of_others_are_not_ours():
    names = [
        "a.swap",
        ".a.swap",
        ".a.0123456789abcdef.part.bak",
        ".a.0123-4567.swap",
        ".a.part",
        "x.md",
        ".swap",
    ]
    assert leftovers(Path("folder"), names) == []
