"""The service: what runs by itself, and whether all is well with it."""
