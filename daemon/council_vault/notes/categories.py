"""What the categories of questions are called in the notes."""

from __future__ import annotations

from council_vault.notes.cells import cell_text

OTHER = "other"
TITLES = {
    "architecture_decision": "Architecture",
    "compliance_security": "Compliance",
    "code_implementation": "Code",
    "strategy_business": "Strategy",
    "creative_writing": "Writing",
    "factual_lookup": "Factual lookup",
    OTHER: "Other",
}

_LONGEST = 40


def title(category: str) -> str:
    """Return a category's name for people, safe in a table cell; words of one's own are prettified."""
    known = TITLES.get(category)
    if known is not None:
        return known
    words = " ".join(category.replace("_", " ").split())
    return cell_text(words[:1].upper() + words[1:], _LONGEST) or TITLES[OTHER]


def in_sentence(name: str) -> str:
    """Return a category's name as it stands inside a sentence; ``SQL tuning`` keeps its capitals."""
    first = name.partition(" ")[0]
    return name[:1].lower() + name[1:] if first[1:].islower() or len(first) == 1 else name
