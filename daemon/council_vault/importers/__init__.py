"""Other councils' files, read as deliberations to log."""
