"""The ledger: deliberations with their predictions and what came of these, in an SQLite database."""
