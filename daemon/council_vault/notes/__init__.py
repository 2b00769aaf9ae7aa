"""What a note says, and how it is merged with what is there: pure but for reading templates."""
