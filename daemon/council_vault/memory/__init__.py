"""council-memory.json: what it says, and how it is changed without loss."""
