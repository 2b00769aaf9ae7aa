"""The parts of the road that `council_vault.sync` goes, each with one job."""
