import pytest
from hypothesis import given
from hypothesis import strategies as st

from council_vault.errors import NoteRefused
from council_vault.notes.text import NoteText, decode, encode, with_newlines

PIECES = st.lists(
    st.sampled_from(["a", "é", "🏛️", "\r\n", "\n", "\r", "\u2028", "\x85", "\x0b", "---", " ", "\ufeff"])
)


@given(PIECES, st.booleans())
def test_bytes_come_back_as_they_were(pieces, bom):
    content = (b"\xef\xbb\xbf" if bom else b"") + "".join(pieces).encode()
    assert encode(decode(content)) == content


@pytest.mark.parametrize(
    ("content", "newline", "bom"),
    [
        (b"", "\n", False),
        (b"no end", "\n", False),
        (b"a\nb\r\nc\r\n", "\r\n", False),
        (b"a\nb\nc\r\n", "\n", False),
        (b"a\nb\r\n", "\n", False),
        (b"\xef\xbb\xbfa\r\n", "\r\n", True),
        (b"a\rb\rc\n", "\r", False),
    ],
)
def test_the_dominant_line_end_and_the_bom_are_known(content, newline, bom):
    note = decode(content)
    assert (note.newline, note.bom) == (newline, bom)
    assert not note.text.startswith("\ufeff")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("text".encode("utf-16"), "UTF-16"),
        ("text".encode("utf-16-be"), "UTF-16"),
        (b"a\0b", "UTF-16 or binary"),
        (b"fine\nline \xff here", "line 2 holds the byte 0xff"),
        (b"\xed\xa0\x80", "line 1 holds the byte 0xed"),
    ],
)
def test_other_encodings_are_refused_and_named(content, reason):
    with pytest.raises(NoteRefused, match=reason) as refused:
        decode(content)
    assert "stays as it is" in str(refused.value)


def test_half_a_character_is_never_written():
    with pytest.raises(NoteRefused, match=r"line 2 .*\\ud83c"):
        encode(NoteText("fine\nhalf \ud83c"))


def test_line_ends_are_made_alike():
    assert with_newlines("a\r\nb\nc\rd", "\r\n") == "a\r\nb\r\nc\r\nd"
