"""Where notes live: finding the vault, and storing notes in it."""
