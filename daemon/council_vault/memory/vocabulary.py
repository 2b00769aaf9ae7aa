"""The words that a memory file uses where a field takes one of a few."""

from __future__ import annotations

CATEGORIES = (
    "architecture_decision",
    "compliance_security",
    "code_implementation",
    "strategy_business",
    "creative_writing",
    "factual_lookup",
    "other",
)
PROTOCOLS = ("voting", "consensus")
CONSENSUS_LEVELS = ("strong", "moderate", "weak", "split")
ROUTING_DECISIONS = ("deliberate", "single_model", "explicit_command")
ROUTING_SOURCES = (
    "heuristic_no_memory",
    "heuristic_learning",
    "learned",
    "explicit_command",
    "always_deliberate",
    "always_shortcut",
)
RATINGS = ("positive", "neutral", "negative")
OUTCOMES = ("accepted", "rejected", "partial", "unknown")
ACTIONS = ("deliberate", "single_model")
MODIFICATIONS = ("sharpen", "constrain", "expand_scope", "restructure", "remove")
EXPERIMENT_DECISIONS = ("keep", "revert", "skip")
CRITERIA = (
    "C1_synthesis_superiority",
    "C2_peer_review_accuracy",
    "C3_multi_model_breadth",
    "C4_confidence_calibration",
    "C5_budget_compliance",
)


def as_meant(text: str, words: tuple[str, ...]) -> str | None:
    """Return which of the words a text is, written in another case or with other separators."""
    word = "_".join(text.casefold().replace("-", " ").replace("_", " ").split())
    return word if word in words else None
