"""What is learned from records: pure functions, no I/O, no clock."""
