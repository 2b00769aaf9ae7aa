"""What is done to a memory, its settings and its notes: read, change purely, write without loss."""
