"""What of a note may be handed on."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from council_vault.notes import text
from council_vault.notes.excerpt import excerpt
from council_vault.shipped import shipped


def handed_on(note):
    return "\n".join(excerpt(note))


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ("---\ntitle: x\n---\n\n# A\n\n\n\nb  \n", "## A\n\nb"),
        ("---\ntitle: [\n---\na\n", "a"),
        ("# A\n###### B\n", "## A\n###### B"),
        ("A\n===\nB\n---\nc\n", "## A\n### B\nc"),
        ("> # A\n> b\n", "> # A\n> b"),
        ("a %%b%% c\n\n%%\nd\n%%\n\ne <!-- f\ng --> h\n", "a c\n\ne\nh"),
        ("```\n# %% ~~a~~  \n\n\n## Security\n```\nb\n", "```\n# %% ~~a~~  \n\n## Security\n```\nb"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("", ""),
        ("%%a%%\n", ""),
    ],
)
def test_properties_and_comments_are_not(note, shown):
    assert handed_on(note) == shown


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ("- ~~a~~\n- b\n", "- b"),
        ("- ~~a~~: b\n", "- b"),
        ("- ~~a~~, ~~b~~, c ~~d~~, e\n", "- c, e"),
        ("- [x] ~~a~~ b\n", "- [x] b"),
        ("- ~~a~~.\n- ~~b~~ ✅ ^id\n", ""),
        ("- ~~a~~\n  - b\n\n    c\n- d\n  - ~~e~~\n  - f\n", "- d\n  - f"),
        ("1. ~~a~~\n   b\n\nc\n", "c"),
        ("~~a\nb~~ c\n", "c"),
        ("| ~~a~~ | b |\n| ~~c~~ | ~~d~~ |\n", "| | b |"),
        ("## ~~A~~\nb\n### C\nd\n## E\n", "### E"),
        ("~~A~~\n---\nb\n# C\n", "## C"),
        ("~~A\nB~~\n---\nb\n# C\n", "## C"),
        ("A ~~b\nc~~\n---\nd\n", "### A\nd"),
        ("## ~~A~~ ^id\nb\n# C\n", "## C"),
        ("> ~~a~~ b\n", "> b"),
        ("`~~a~~`\n", "`~~a~~`"),
        ("a <s>b</s> c\n", "a c"),
    ],
)
def test_what_is_struck_out_is_not(note, shown):
    assert handed_on(note) == shown


@pytest.mark.parametrize(
    "title",
    [
        "Cold storage", "COLD-STORAGE", "❄️ Cold storage (2024)", "Archive", "Archived facts",
        "**Security**", "Security and access", "Credentials", "Secrets", "Passwords", "API keys",
        "access tokens", "Confidential", "Keys", "Tokens", "[[Archive]]", "Logins", "Security ##",
        "Passcodes", "2FA recovery codes", "**Sec**urity", "security_notes", "Secur&#105;ty",
        "\uff33ecurity", "Cold\u2011storage", "[[A|Security]]",
    ],
)  # fmt: skip
def test_sections_that_are_secret_or_old_are_not(title):
    note = f"# A\na\n## {title}\nb\n### C\nc\n#### D\n- d\n## E\ne\n"
    assert handed_on(note) == "## A\na\n### E\ne"


@pytest.mark.parametrize(
    "title",
    ["Token budget", "How we archive data", "Securing harbours", "Key results", "Secretary", "Cold water"],
)
def test_sections_that_only_sound_like_it_are(title):
    shown = handed_on(f"## {title}\nb\n")
    assert ("b" in shown) is (title != "How we archive data"), "the word archive counts wherever it stands"


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ("# Security\nb\n# A\nc\n", "## A\nc"),
        ("Security\n---\nb\n\nA\n---\nc\n", "### A\nc"),
        ("Security\n-\nb\n\nA\n-\nc\n", "### A\nc"),
        ("Security\n=\nb\n\nA\n" + "=" * 300 + "\nc\n", "## A\nc"),
        ("My\nsecurity\n---\nb\n\nA\nB\n---\nc\n", "### A B\nc"),
        ("- Security\n  ---\n  b\n- c\n", "- c"),
        ("- A\n  ---\n  b\n", "- A\n  ---\n  b"),
        ("## Security\n```\n## A\n```\nb\n", ""),
        ("## Security\n%%\n## A\n%%\nb\n", ""),
        ("### Security\nb\n#### C\n## A\n", "### A"),
        ("## Security\nb\n## Archive\nc\n## A\n", "### A"),
        ("a\n> [!danger] Credentials\n> b\nlazy\n\nc\n", "a\n\nc"),
        ("> [!security]\n> b\n\nc\n", "c"),
        ("> [!Secrets]- Mine\n> b\n\nc\n", "c"),
        ("> [!danger]- Secrets\n> # A\n> b\n> > c\n- d\n", "- d"),
        ("> [!tip] A\n> > [!danger] Secrets\n> > b\n>\n> c\n", "> [!tip] A\n>\n> c"),
        ("> ## Security\n> b\n> ## A\n> c\n", "> ## A\n> c"),
        ("> ## Security\n> b\n\nc\n", "c"),
        ("- ## Security\n  b\n- c\n", "- c"),
        ("```\n## Security\nb\n```\n", "```\n## Security\nb\n```"),
    ],
)
def test_where_a_section_ends(note, shown):
    assert handed_on(note) == shown


def test_the_memory_of_a_vault():
    note = (shipped("vault_fixtures") / "studio" / "_System" / "MEMORY.md").read_text("utf-8")
    shown = handed_on(note)
    assert shown.startswith("## Memory\n\nWhat any assistant should know")
    assert "- per berth since [[Pricing]] was settled." in shown
    assert shown.endswith("said in every contract             |")
    for word in ("Gauge keys", "marinas", "Nine harbours", "tags:"):
        assert word in note
        assert word not in shown


def test_a_memory_from_windows():
    content = (shipped("vault_fixtures") / "windows" / "_System" / "MEMORY.md").read_bytes()
    shown = excerpt(text.decode(content).text)
    assert shown[0] == "## Memory"
    assert shown[-1] == "- Nine hives after the winter."


SECRET = "hunter2"
PIECES = [
    "# A", "## B", "### C", "- a", "  - b", "> q", "> > r", "> [!note] N", "```", "~~~", "%%",
    "%% x %%", "<!--", "-->", "", "text", "1. n", "    code", "---", "~~x~~", "- ~~y~~",
    "| a | b |",
]  # fmt: skip


@given(
    st.lists(st.sampled_from(PIECES), max_size=8), st.lists(st.sampled_from(PIECES), max_size=8), st.data()
)
@settings(max_examples=300, deadline=None)
def test_what_stands_deeper_than_a_secret_heading_never_gets_out(before, after, data):
    """Whatever stands around it, unless that makes text of the heading or of a later one."""
    deeper = [
        piece for piece in after if not piece.startswith(("# ", "## ", "```", "~~~\n", "%%", "<!--", "---"))
    ]
    deeper.insert(data.draw(st.integers(0, len(deeper))), SECRET)
    calm = [piece for piece in before if piece not in {"```", "~~~", "%%", "<!--", "-->"}]
    note = "\n".join([*calm, "", "## Secrets", *(piece for piece in deeper if piece != "~~~")])
    assert SECRET not in handed_on(note)


@given(st.lists(st.sampled_from(PIECES), max_size=16))
@settings(max_examples=200, deadline=None)
def test_every_line_is_one_and_blank_ones_stand_alone(pieces):
    shown = excerpt("\n".join(pieces))
    assert not any("\n" in line for line in shown)
    assert shown[:1] != [""]
    assert shown[-1:] != [""]
    assert "\n\n\n" not in "\n".join(shown)
