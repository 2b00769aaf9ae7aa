"""Durable, conditional, lossless file replacement; used for the memory file and for notes."""
