"""The commands: thin, and the one place where errors become text."""
