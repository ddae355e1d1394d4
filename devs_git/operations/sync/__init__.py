"""Bring the ledgers of clones together."""
