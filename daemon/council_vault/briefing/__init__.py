"""Graded past deliberations made into one short brief before the next one."""
