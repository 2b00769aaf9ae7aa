"""Keeps an LLM council's memory true in an Obsidian vault, without losing a byte of either."""

__version__ = "0.1.0"
