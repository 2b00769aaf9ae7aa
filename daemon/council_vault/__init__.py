"""Keeps an LLM council's memory true in an Obsidian vault, without losing a byte of either."""
